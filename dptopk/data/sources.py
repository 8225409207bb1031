"""Data sources that a link, a settings file or the command line can name.

A choice is one word: the name of a bundled data set, "classroom-NAME", "synthetic-SHAPE",
"typed" or "upload".  Some have settings of their own.  What was uploaded is in no link and no
file of settings; everything else they carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import COUNT_UNIT, plural
from dptopk.core.parameters import Choice, Number, Text
from dptopk.data import ingest
from dptopk.data.datasets import dataset_info, dataset_names, load_dataset
from dptopk.data.ingest import Contribution, IngestError
from dptopk.data.synthetic_counts import (
    CLASSROOM_VECTORS,
    SYNTHETIC_SHAPES,
    classroom_vector,
    synthetic,
)

if TYPE_CHECKING:  # slow to load
    from dptopk.data.events import CountsByPeriod
    from dptopk.data.ingest import CountsByBound, ItemsOfUsers, LogSettings, ReadingSettings

DEFAULT = "games"
TYPED = "typed"
UPLOAD = "upload"
_CLASSROOM = "classroom-"
_SYNTHETIC = "synthetic-"
_MAX_SYNTHETIC_ITEMS = 1_000_000
D = Number("d", "Number of items d", 1, _MAX_SYNTHETIC_ITEMS, 1_000)
DATA_SEED = Number("data_seed", "Seed of the counts", 0, 2**31 - 1, 0)
TYPED_COUNTS = Text(
    "typed",
    "Counts",
    "100, 90, 80, 70, 60, 50, 40, 30, 20, 10",
    1_500,
    help='Counts such as "100, 90, 80", or one item a line with its count last.',
)

_RESTS_ON = (
    "The guarantee holds only for a list that was fixed independently of the data, such as a "
    "public catalogue: a user who adds a new item changes which outputs are possible."
)
ITEM_LIST = f"Item list: taken from the data themselves. {_RESTS_ON}"
"""Condition of a guarantee where the list of items is taken from the data."""

LIST_GIVEN = f"Item list: supplied separately from the data. {_RESTS_ON}"
"""Condition of a guarantee where the list of items was given beside the data."""

ITEM_LIST_CAVEAT = (
    "The list of items was taken from the data; the guarantee holds only for a list fixed without "
    "them."
)
"""Caveat of a guarantee that needs a fixed list of items, where the list is that of the data."""

NAMES_STAND = (
    "Their names are published as they stand: a free text may itself name a person, whom the "
    "guarantee does not protect."
)
"""Limit of every guarantee for items that are found in the data, to be read after them."""


@dataclass(frozen=True)
class Source:
    """Counts with the sentences that pages show about them."""

    counts: ItemCounts
    title: str
    description: str
    notes: tuple[str, ...]  # may quote strangers' text: show as plain text
    python: str  # the line that makes `counts`
    contribution: Contribution = Contribution.COUNTED  # how often one user may count for an item
    unit: str = COUNT_UNIT  # what the counts are numbers of, in the plural
    items_of_users: ItemsOfUsers | None = None  # in a log whose users were counted
    max_items: int | None = None  # how many items of each user of a log were kept at most
    cut: str = ""  # what that removed before users were counted, where it removed anything
    items_of_data: bool = False  # whether the list of items was read off the data
    items_listed: bool = False  # whether the list of items was given beside the data
    how: ReadingSettings | LogSettings | None = None  # how it was read, to read it so again
    confirmation: tuple[str, ...] = ()  # quotes the largest counts: to be said, never kept
    largest: str = ""  # the sentence of these that quotes them
    repeats: str = ""  # what shows that one user counts more than once, where it is known
    brought: bool = False  # whether somebody brought the counts, so that they may be private
    undecided: str = ""  # a reading that was taken, not given, and that changes the counts
    summing: str = ""  # that repeated names of typed counts were summed, which nobody asked for
    by_bound: CountsByBound | None = None  # of a log whose users were counted, before any cut
    by_period: CountsByPeriod | None = None  # likewise, if its time was read
    python_by_period: str = ""  # the line that makes `by_period`, as ``periods``
    of_users: str = ""  # that the column taken for users of a log holds dates or times
    bundled: bool = False  # whether the counts come with the package, so that everybody has them

    @property
    def of_cut(self) -> str:
        """Note that all numbers are of the counts after a cut; empty without one."""
        if not self.cut:
            return ""
        assert self.max_items is not None  # it is what was cut to
        items = plural(self.max_items, "item")
        return f"For the counts after a limit of {items} per user."

    @property
    def where(self) -> str:
        """Condition that events of a log had to meet to be counted; empty without one."""
        return getattr(self.how, "where", None) or ""

    @property
    def n_users(self) -> int | None:
        """Number of users of a log whose users were counted."""
        return None if self.items_of_users is None else self.items_of_users.n_users

    def against_bound(self, most: int | None) -> str:
        """Return why a bound on items per user does not hold for these data; empty if it does.

        It may hold where there is no log to tell.
        """
        users = self.items_of_users
        return "" if users is None or most is None else users.against_bound(self.max_items, most)

    def rests_on_bound(self, most: int | None) -> str:
        """Return the assumption behind a bound on items per user, where it cannot be checked."""
        if self.items_of_users is not None or most is None:
            return ""
        return (
            f"It is assumed that no user counts for more than {plural(most, 'item')}: counts alone "
            "cannot show this."
        )

    @property
    def item_list(self) -> str:
        """Origin of the list of items, and what a guarantee requires of it."""
        if self.items_of_data:
            return ITEM_LIST
        if self.items_listed:
            return LIST_GIVEN
        return f"Item list: part of these synthetic data. {_RESTS_ON}"

    @property
    def protects(self) -> str:
        """Privacy unit in the singular; empty if the unit is a user."""
        return self.contribution.protects(self.unit)


class NoDataError(ValueError):
    """The data do not exist: ``headline`` in a few words, the message in a sentence.

    The message may quote strangers' text: show it as plain text.
    """

    def __init__(self, headline: str, sentence: str):
        super().__init__(sentence)
        self.headline = headline


def choices() -> dict[str, str]:
    """Return the labels of all sources by their keys, in the order shown."""
    try:
        bundled = {name: dataset_info(name).title for name in (DEFAULT, *dataset_names())}
    except OSError:  # who chooses them is told why
        bundled = {DEFAULT: DEFAULT}
    vectors, shapes = CLASSROOM_VECTORS.items(), SYNTHETIC_SHAPES.items()
    return {
        **bundled,
        **{_CLASSROOM + name: f"Classroom: {vector.title}" for name, vector in vectors},
        **{_SYNTHETIC + name: f"Synthetic: {shape.title}" for name, shape in shapes},
        TYPED: "Type counts in",
        UPLOAD: "Your file",
    }


def data() -> Choice:
    """Return the setting that chooses the data."""
    return Choice(
        "data",
        "Data",
        choices(),
        DEFAULT,
        help="Real counts, vectors for the classroom, synthetic shapes, or your own.",
    )


def keys_of_data() -> frozenset[str]:
    """Return the keys of the settings that sources have, beside their choice."""
    return frozenset(own.key for choice in choices() for own in own_settings(choice))


def own_settings(choice: str) -> tuple[Number | Text, ...]:
    """Return the settings of one source only, in the order shown."""
    if choice == TYPED:
        return (TYPED_COUNTS,)
    if not choice.startswith(_SYNTHETIC):
        return ()
    name = choice.removeprefix(_SYNTHETIC)
    shape = SYNTHETIC_SHAPES[name]
    of_shape = (replace(own, key=f"{name}_{own.key}") for own in shape.parameters)
    return (D, *of_shape, *([DATA_SEED] if shape.random else []))


def source_of(choice: str, values: Mapping[str, Any]) -> Source:
    """Load the data of a choice, one of `choices` but an upload, with its `own_settings` by key.

    What there is none of is a `NoDataError`.
    """
    if choice.startswith(_CLASSROOM):
        return _classroom(choice.removeprefix(_CLASSROOM))
    if choice.startswith(_SYNTHETIC):
        return _synthetic(choice.removeprefix(_SYNTHETIC), values)
    return _typed(values[TYPED_COUNTS.key]) if choice == TYPED else _bundled(choice)


def _bundled(name: str) -> Source:
    try:
        info, counts = dataset_info(name), load_dataset(name)
    except OSError as error:
        sentence = f"{error}. Choose other data."
        raise NoDataError(
            "These data cannot be shown", sentence[0].upper() + sentence[1:]
        ) from error
    certain = info.distinct_users
    contribution = Contribution.COUNTED if certain else Contribution.ASSUMED
    protected = contribution.caveat(info.count_noun)
    notes = [
        f"Source: {info.source}",
        f"Where: {f'https://doi.org/{info.doi}' if info.doi else info.url}",
        f"Citation: {info.citation}",
        f"Licence: {info.license}",
        f"Sensitivity: {info.sensitivity}",
        *([f"What is protected: {protected}"] if protected else []),
        *([f"Note: {info.note}"] if info.note else []),
    ]
    return Source(
        counts,
        info.title,
        info.description,
        tuple(notes),
        f'counts = load_dataset("{name}")',
        contribution,
        info.count_noun,
        items_of_data=True,
        repeats=info.repeats,
        bundled=True,
    )


def _classroom(name: str) -> Source:
    vector = CLASSROOM_VECTORS[name]
    return Source(
        classroom_vector(name),
        vector.title,
        vector.description + (f" From {vector.source.link}." if vector.source else ""),
        (),
        f'counts = classroom_vector("{name}")',
    )


def _synthetic(name: str, given: Mapping[str, Any]) -> Source:
    shape = SYNTHETIC_SHAPES[name]
    d = given[D.key]
    values = {own.key: given[f"{name}_{own.key}"] for own in shape.parameters}
    if shape.random:
        values["seed"] = given[DATA_SEED.key]
    arguments = "".join(f", {key}={value!r}" for key, value in values.items())
    try:
        counts = synthetic(name, d, **values)
    except ValueError as error:
        raise NoDataError("These parameters do not go together", f"{error}.") from error
    notes, n_high = list[str](), values.get("n_high", 0)
    if n_high > d:
        notes.append(
            f"{n_high:,} items on the high plateau are requested, but there are {d:,}: all are on "
            "it.",
        )
    return Source(
        counts,
        shape.title,
        shape.description,
        tuple(notes),
        f'counts = synthetic("{name}", {d}{arguments})',
    )


def _typed(text: str) -> Source:
    try:
        result = ingest.parse_typed(text)
    except IngestError as error:
        raise NoDataError("These counts could not be read", str(error)) from error
    given = result.counts
    names = f", items={list(given.items)!r}" if text_has_names(given) else ""
    return Source(
        given,
        "Typed counts",
        "Counts that were typed in.",
        result.report.sentences,
        f"counts = ItemCounts({given.counts.tolist()}{names})",
        Contribution.ASSUMED,
        items_of_data=True,
        brought=True,
        summing=result.report.summing,
    )


def text_has_names(counts: ItemCounts) -> bool:
    """Return whether items have names other than the default numbers."""
    return counts.items != ItemCounts(counts.counts).items
