"""Publish the top k of some counts: enter a release in a ledger, then draw it exactly.

The order is the promise: the price is spent before a random bit is asked for (`publish.ledger`), so
that no end of the process, however sudden, leaves a draw that nobody paid for.  A second try is a
second release.

Items are put in the order of their names before the draw, so that neither the order of a file, nor
ties cut by it, tell of the counts; a set is listed in that order.
"""

import datetime
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dptopk.core.application import version
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import COUNT_UNIT, compact
from dptopk.core.random_bits import SYSTEM_BITS
from dptopk.data.events import EventCounts
from dptopk.data.ingest import Contribution, doubt_about, of_part, on_public_list
from dptopk.data.tables import csv_escaped
from dptopk.mechanisms.base import Mechanism, check_mechanism
from dptopk.publishing.ledger import Entry, Ledger, one_line
from dptopk.publishing.registry_record import registry_record, shortfall

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = (
    "Drawn exactly by dptopk {version} from random bits of the operating system: no outcome was "
    "decided by a rounded number."
)

_TRIAL = "A test whether a release can be written here: nothing has been published yet.\n"


@dataclass(frozen=True)
class Publication:
    """Result of a release that may be published, with its guarantee.

    Attributes
    ----------
    items : tuple of str
        Names: in order of size for a sequence, in order of the alphabet for a set; fewer than k
        where the mechanism may release fewer.
    counts : tuple of int, or None
        Noisy counts of the items, in whole units, where the mechanism releases them.
    mechanism : Mechanism
        By which it was drawn.
    entry : Entry
        What the ledger holds of it.
    record : str
        YAML by the schema of the OpenDP Deployments Registry; what only the publisher knows is
        marked "TO FILL IN".
    """

    items: tuple[str, ...]
    counts: tuple[int, ...] | None
    mechanism: Mechanism
    entry: Entry
    record: str

    @property
    def frame(self) -> "pd.DataFrame":
        """Table of one row per item, with its place where the order was released."""
        import pandas as pd

        frame = pd.DataFrame({"item": pd.Series(self.items, dtype=object)})
        if self.mechanism.outputs.ordered:
            frame.insert(0, "place", range(1, len(frame) + 1))
        if self.counts is not None:
            frame["count"] = self.counts
        return frame

    @property
    def shortfall(self) -> str:
        """Sentence for readers of a list with fewer than k items; empty for a whole one."""
        return shortfall(self.mechanism, len(self.items))

    @property
    def csv(self) -> str:
        """Table as CSV, with formulas disarmed."""
        return csv_escaped(self.frame)

    def write(self, path: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write the list and its record, both or neither, never over a file; return their paths."""
        places = files_of(path)
        _written(places, (self.csv, self.record))
        return places


def check_place(path: str | os.PathLike[str], counts: ItemCounts, mechanism: Mechanism) -> None:
    """Check that the list and its record can be written, by a test file of their size."""
    longest = max((len(name.encode()) for name in counts.items), default=0)
    size = mechanism.k * (longest + 40) + 4 * len(_TRIAL) * 100
    places = files_of(path)
    _written(places, [_TRIAL * (size // len(_TRIAL))] * 2)
    for place in places:
        place.unlink()


def _written(places: Sequence[Path], texts: Sequence[str]) -> None:
    """Write new files and wait until they are on the disk; leave none if one fails."""
    made: list[Path] = []
    try:
        for place, text in zip(places, texts, strict=True):
            with place.open("x", encoding="utf-8", newline="") as file:
                made.append(place)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
    except BaseException:
        for place in made:
            place.unlink(missing_ok=True)
        raise


def files_of(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Return where `Publication.write` writes the list, and the record."""
    place = Path(path).absolute()
    return place, place.with_name(f"{place.stem}-record.yaml")


def publish(
    counts: ItemCounts,
    mechanism: Mechanism,
    ledger: Ledger,
    *,
    items: Iterable[str] | None = None,
    title: str = "",
    unit: str = COUNT_UNIT,
    contribution: Contribution | None = None,
    public: bool = False,
    purpose: str = "",
    author: str = "",
    counts_are_right: bool = False,
) -> Publication:
    """Publish the top k: charge the release to a ledger, then draw it exactly once.

    Parameters
    ----------
    counts : ItemCounts
        The data.
    mechanism : Mechanism
        By which it is drawn, with all its settings; one that `exact_sample` takes.
    ledger : Ledger
        What it is paid from.
    items : iterable of str, optional
        All possible items, chosen without looking at the data, for a mechanism whose promise
        needs such a list.  Items missing from the data count 0, others are left out.
    title : str, optional
        What the counts are called, in the ledger and the record; else their own name.  Of a log of
        which only events under a condition were counted it names that, too.
    unit : str, optional
        What the counts are numbers of, in the plural.
    contribution : Contribution, optional
        What is known of how much one user can change a count; by default what the report of a log
        says, else nothing.
    public : bool, optional
        Whether the settings were chosen on public data; else the record leaves that to fill in.
    purpose, author : str, optional
        Why it is released, and who enters it, for the ledger: see `Ledger.enter`.
    counts_are_right : bool, optional
        Whether counts are meant that are all equal or at most 1, or more than the users of a log,
        or a list of which the data have no item.

    Returns
    -------
    Publication
        The list and its record.

    Raises
    ------
    OverspentError
        If the ledger has too little left.
    LedgerError
        If the ledger cannot be used, or protects another change of the data.
    ValueError
        If counts, list and mechanism do not fit together, such as a guarantee for users of few
        items and a log in which users have more.

    Examples
    --------
    >>> from dptopk import Ledger, PNFInverseSensitivitySet, load_dataset, publish
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(f"{folder.name}/budget.sqlite", 2, 1e-6, "one buyer joins or leaves")
    >>> games = load_dataset("games")  # its list of items is public here
    >>> top = publish(games, PNFInverseSensitivitySet(10, 0.5), ledger, items=games.items)
    >>> len(top.items), ledger.left.epsilon
    (10, 1.5)
    >>> folder.cleanup()
    """
    drawn_of = checked_counts(counts, mechanism, items)
    n_users, of_users, max_items, where = None, "", None, ""
    most = mechanism.guarantee.max_items
    if isinstance(counts, EventCounts):
        report, users = counts.report, counts.report.items_of_users
        n_users, of_users = report.n_users, report.of_users
        max_items, where = report.max_items, report.where
        contribution = contribution or report.contribution
        against = most and users and users.against_bound(max_items, most)
        if against:
            raise ValueError(f"mechanism must fit the counts, got {mechanism.label}: {against}")
    doubt = doubt_about(counts, n_users, of_users)
    if not drawn_of.counts.any():
        doubt = "the data have no item of the list, as where names are written otherwise"
    if doubt and not counts_are_right:
        raise ValueError(
            f"counts must be those that are meant, and {doubt}: add counts_are_right=True if they "
            "are"
        )
    title = title or counts.name or "counts"
    part = of_part(where)
    if not title.endswith(part.removeprefix(" where ")):
        title += part

    def record(paid: str, released: int | None = None) -> str:
        guarantee = mechanism.guarantee
        return registry_record(
            mechanism,
            title,
            n_items=drawn_of.d if guarantee.fixed_items else None,
            public=public,
            date=datetime.date.today(),
            unit=unit,
            contribution=contribution or Contribution.ASSUMED,
            max_items=max_items,
            where=where,
            drawn=_DRAWN.format(version=version()),
            paid=paid,
            released=released,
            purpose=one_line("purpose", purpose, empty=True),
        )

    import pandas  # noqa: F401 - slow to load, and the list is lost if killed after entry

    record("")  # whatever cannot be written fails before anything is spent
    entry = ledger.enter(drawn_of, mechanism, title, purpose=purpose, author=author)
    released = mechanism.released_exactly(drawn_of, SYSTEM_BITS)
    names = tuple(drawn_of.names(released.positions[0]))
    noisy = None
    if released.counts is not None:
        noisy = tuple(int(count) for count in released.counts[0, : len(names)])
    return Publication(names, noisy, mechanism, entry, record(_paid(ledger, entry), len(names)))


def checked_counts(
    counts: ItemCounts, mechanism: Mechanism, items: Iterable[str] | None
) -> ItemCounts:
    """Return the counts of the items of the public list, from which a release is drawn."""
    check_mechanism("mechanism", mechanism)
    if not isinstance(counts, ItemCounts):
        raise TypeError(f"counts must be ItemCounts, got {type(counts).__name__}")
    if mechanism.why_not_exact:
        raise ValueError(
            f"mechanism must be one that can be drawn exactly, got {mechanism.label}: "
            f"{mechanism.why_not_exact}"
        )
    if items is None and mechanism.guarantee.fixed_items:
        raise ValueError(
            "items must be a list that was fixed without the data, since the guarantee of "
            f"{mechanism.label} holds only for such a list; the list in the data is not one: a "
            "user who adds a new item would change which outputs are possible"
        )
    if items is not None:
        counts = on_public_list(counts, items).counts
    by_name = dict(sorted(counts))
    checked = ItemCounts([*by_name.values()], [*by_name], counts.name)
    mechanism.check(checked)
    return checked


def _paid(ledger: Ledger, entry: Entry) -> str:
    total = f"ε = {compact(ledger.epsilon)}"
    if ledger.delta:
        total += f" and δ = {compact(ledger.delta)}"
    return (
        f"Release {entry.number} of a ledger that protects “{ledger.protects}”: all releases "
        f"charged to it are together differentially private with {total}, by a privacy filter "
        "under which each release, its ε included, may depend on those before it."
    )
