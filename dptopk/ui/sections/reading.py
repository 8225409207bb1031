"""Describe how likely each name of a published list is in the true top k.

List and record are uploaded, and read in a process of their own, within the limits of uploads.  A
record sets mechanism, k, ε and so on as their controls would, once, so that the address holds them;
names stay in the session.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.core.numerals import NEARLY_CERTAIN, SMALLEST_PERCENTAGE, share
from dptopk.core.parameters import EPSILON
from dptopk.data import sources
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.publishing.assessment import RANK_LEVEL, ListAssessment, assess_list, names_missing
from dptopk.publishing.published_files import (
    MAX_LIST_BYTES,
    PublishedFileError,
    PublishedRecord,
    check_of_one_release,
    read_published_list,
    read_record,
)
from dptopk.questions import settings
from dptopk.questions.origin import Origin
from dptopk.questions.release import released
from dptopk.questions.view import View
from dptopk.ui import address, keys, results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, frequency, joined, plain, plural
from dptopk.ui.server import work
from dptopk.ui.show import Button, Chart, Offer, Table, Tile

MEANING = (
    "They state how often a release with these settings is right, if the private counts have the "
    "shape of the supposed ones, on which the mechanism is run. If the private counts are closer "
    "together, the names are less certain. Read as the chance that *this* list is right, they hold "
    "for a reader who takes the supposed counts for the true ones but does not know which item has "
    "which count. Diamonds, and the columns on supposed counts, use the names as well: they give "
    "the probability that each name is released if every item has its supposed count. None of them "
    "accounts for mistakes made before the release, such as in collecting the data."
)
_MOST_DRAWS, _FEWEST_DRAWS = 5_000, 500
_PLACES = 100_000  # drawn in all, where many are released: seconds at most
_MOST_ROWS = 50  # names in the figure; the table has all
_RARE = 1e-6  # below this, a sentence says so in words
_TINY = 1e-9  # below this, differences of exact chances have no digits
_READING = "published-files"
_RECORD = (".yaml", ".yml")


@dataclass(frozen=True)
class Published:
    """Names and record of a release, as far as their files were given."""

    names: tuple[str, ...] | None = None
    record: PublishedRecord | None = None


@dataclass(frozen=True)
class JudgedList:
    """The list that is judged, and the mechanism that released it."""

    names: tuple[str, ...]
    mechanism: Mechanism
    published: Published


def _refuse(why: str) -> NoReturn:
    show.problem("This list cannot be judged", why)
    show.done()


def choose(view: View, place: Any) -> JudgedList:
    """Draw the controls of the page; end it if there is no list that can be judged."""
    with place:
        published = _uploaded(st)
        key = inputs.explained(st)
    if isinstance(published, str):
        _refuse(published)
    kind = next(kind for kind in MECHANISMS.values() if kind.card.key == key)
    mechanism = view.build_on(kind, view.k, view.counts)
    if isinstance(mechanism, str):
        _refuse(mechanism)
    names = published.names
    if names is None:
        position = results.remembered(
            released, view.counts, mechanism, view.seed, size=mechanism.k
        ).positions
        names = tuple(view.counts.names(position))
    if not names:
        _refuse(
            f"{mechanism.label} released nothing in this example, drawn from {view.source.title}. "
            "This happens more often at a small ε: choose a larger ε or another seed, or add a "
            "published list."
        )
    if len(names) > view.counts.d:
        _refuse(
            f"The list has {len(names):,} names, but the chosen data have only "
            f"{view.counts.d:,} items: choose data with more items."
        )
    return JudgedList(names, mechanism, published)


def _assessed(
    names: tuple[str, ...], counts: ItemCounts, mechanism: Mechanism, n: int, seed: int
) -> ListAssessment | str:
    """Return the chances of a list, or the reason if there are none."""
    try:
        return assess_list(counts, mechanism, names, n=n, seed=seed)
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."


def assessed(view: View, judged: JudgedList) -> ListAssessment:
    """Compute the chances of a list; end the page if there are none."""
    n_draws = _n_draws(judged.mechanism)
    # names first: what is read of strangers' names is shared with nobody
    result = results.remembered(
        _assessed,
        judged.names,
        view.counts,
        judged.mechanism,
        n_draws,
        view.seed,
        size=n_draws,
        doing="Computing how often such a list is right",
    )
    if isinstance(result, str):
        _refuse(result)
    return result


def origin_of(view: View, judged: JudgedList, result: ListAssessment) -> Origin:
    """Return the origin of the chances."""
    how: dict[str, Any] = {"more": {"names": len(judged.names)}}
    if result.n_draws:
        runs_are = "draws where no closed form is known"
        how |= {"runs": result.n_draws, "runs_are": runs_are, "seed": view.seed}
    computed = "simulated" if result.n_draws else "exact"
    return view.origin((judged.mechanism,), computed, **how)


def _n_draws(mechanism: Mechanism) -> int:
    return min(_MOST_DRAWS, max(_FEWEST_DRAWS, _PLACES // mechanism.k))


def headline(view: View, judged: JudgedList, result: ListAssessment) -> str:
    """Say which list is judged, and under which supposition."""
    n = len(judged.names)
    title = plain(view.source.title)
    supposed = f"**Supposed**: private counts like those of {title}"
    if judged.published.names is None:
        return (
            f"**Example**, drawn here from {title} by {judged.mechanism.label}. {supposed}; choose "
            "others in the line above."
        )
    some = f"{result.n_known:,} of its names"
    known = {0: "none of its names", n: "all its names"}.get(result.n_known, some)
    settings_from = "without a record: set what its publisher states"
    settings_from = "as stated in its record" if judged.published.record else settings_from
    return (
        f"**Your list**: {plural(n, 'name')}, by {judged.mechanism.label} at ε = "
        f"{compact(judged.mechanism.epsilon)}, {settings_from}. {supposed}, which have {known}; "
        "choose others in the line above."
    )


def warning(view: View, judged: JudgedList, result: ListAssessment) -> str:
    """Say so if the list was added and the supposed counts lack some of its names."""
    if judged.published.names is None or not view.source.items_of_data:
        return ""
    other = "Upload counts of the same kind, such as last year's, or choose a shape in the line"
    missing = names_missing(result, view.counts, plain)
    return missing and f"{missing} {other} above."


def title(result: ListAssessment, *, missing: bool = False) -> str:
    """Say how many names belong to the true top, on average, or of places if any is missing."""
    n, mean = len(result.names), f"{result.n_right:.1f}"
    if result.certain:
        return f"All of these {n} names are right" if n > 1 else "This name is right"
    lacking = f", but the supposed counts lack {n - result.n_known} of these" if missing else ""
    if n == 1:
        often = f"has the largest count in {_often(result.exact_set)}"
        missed = f"The name on such lists {often}, but the supposed counts lack this one"
        return missed if missing else f"This name {often}"
    which = f"{n} names on such lists" if missing else f"these {n} names"
    many = "Nearly all" if mean == f"{n:.1f}" else f"About {mean}"  # all only where it is certain
    return (
        f"{'Hardly any' if mean == '0.0' else many} of {which} belong to the true top {n}{lacking}"
    )


def verdict(result: ListAssessment) -> str:
    """Return the answer of the page in a sentence or two."""
    n = len(result.names)
    if result.certain:
        return f"**Right**: {result.mechanism.label} releases a true top {n}, or nothing."
    right = f"all {n} names belong to the true top {n}" if n > 1 else "it has the largest count"
    words = "If the private counts are like the supposed ones, "
    words += f"**{right}** in {_often(result.exact_set)}."
    pairs = [(name.in_order, name.place) for name in result.names if name.in_order and name.place]
    if pairs:
        in_order, place = min(pairs, key=lambda pair: pair[0].value)
        words += (
            f" The least certain order is that of places {place} and {place + 1}, which is right "
            f"in {_often(in_order)}."
        )
    return words


def _often(chance: Estimate) -> str:
    """Return how often an event happens, in words for who reads no powers of ten.

    Near 0 and 1 a simulated chance is told by the end of its interval: draws that are all alike
    leave some doubt.
    """
    if chance.high < _RARE:
        return "fewer than one in a million releases"
    if chance.low > 1 - _RARE:
        return "more than 99.9999% of releases"
    value, than = chance.value, ""
    if not chance.exact and value < SMALLEST_PERCENTAGE:
        value, than = chance.high, "fewer than "
    elif not chance.exact and value > 1 - SMALLEST_PERCENTAGE:
        value, than = chance.low, "more than "
    if value < SMALLEST_PERCENTAGE:
        return f"{than}{frequency(math.log(value))} releases"
    return f"{than}{share(value)} of releases"


def back(judged: JudgedList) -> Offer | None:
    """Offer the settings of the record, if others are chosen."""
    record = judged.published.record
    if record is None or record.mechanism == judged.mechanism:
        return None
    button = Button("Use those of the record", "take-record", partial(take, record.mechanism))
    return Offer("The settings are no longer those of the record.", button, ":material/undo:")


def tiles(result: ListAssessment) -> list[Tile]:
    """Return tiles with the chances of the list as a whole."""
    n = len(result.names)
    largest = "Chance that no item has a larger count"
    first_two = result.names[0].in_order
    every = f"All {n} names belong", f"Chance that these are the true top {n}, in any order."
    chances = (
        (result.exact_set, *(every if n > 1 else ("The name belongs", f"{largest}."))),
        (result.first, "No. 1 is the largest", f"{largest} than the one at place 1."),
        (first_two, "Nos. 1 and 2 in order", "Chance that the two are not in the wrong order."),
        (result.exact_sequence if n > 1 else None, "All in the right order", None),
    )

    def value(chance: Estimate) -> str:
        small = chance.exact and _TINY <= chance.value < SMALLEST_PERCENTAGE
        return frequency(math.log(chance.value)) if small else _value(chance, result)

    return [
        Tile(label, value(number), number.how, help)
        for number, label, help in chances
        if number is not None
    ]


def _words(chance: Estimate | None, result: ListAssessment) -> str:
    """Write a chance, with its interval if it is simulated; a dash if it is not known."""
    if chance is None:
        return "–"
    return _value(chance, result) if chance.exact or _unseen(chance) else chance.text


def _value(chance: Estimate, result: ListAssessment) -> str:
    """Write a chance, never as a false 0 or 1."""
    _, low, high = chance.parts
    if _unseen(chance):
        return f"< {high}" if chance.value < SMALLEST_PERCENTAGE else f"> {low}".replace("> >", ">")
    if not chance.exact or result.certain or _TINY <= chance.value <= 1 - _TINY:
        return chance.brief
    return "< 1e-9" if chance.value < _TINY else NEARLY_CERTAIN


def _unseen(chance: Estimate) -> bool:
    """Return whether no draw shows if a chance that is next to 0 or 1 is that of the right ones."""
    never = chance.value < SMALLEST_PERCENTAGE and chance.value == chance.low
    return not chance.exact and (never or chance.value == chance.high)


def chart(result: ListAssessment, origin: Origin, tiles: Sequence[Tile]) -> Chart:
    """Return the chart of the chance of each name."""
    n = len(result.names)
    rows = result.names[:_MOST_ROWS]
    chances = [name.in_top for name in rows]
    listed = [name.listed for name in rows]
    figure = figures.name_chances(
        [name.item for name in rows],
        [name.place for name in rows],
        np.array([(one.value, one.low, one.high) for one in chances]),
        [_words(one, result) for one in chances],
        f"in the true top {n}" + (", by its place" if result.mechanism.outputs.ordered else ""),
        np.array([np.nan if one is None else one.value for one in listed])
        if result.n_known
        else None,
        [_words(one, result) for one in listed],
        narrow=show.is_narrow(),
    )
    weakest = min(result.names, key=lambda name: name.in_top.value)
    least = _value(weakest.in_top, result)
    each = f"the least is {least}" if n > 1 else least
    numbers = "; ".join(f"{tile.label}: {tile.value}" for tile in tiles)
    finding = f"Chance of belonging to the true top {n}: {each}. {numbers}."
    cut = f" The first {_MOST_ROWS} of {n} names." if n > _MOST_ROWS else ""
    return Chart(
        figure,
        "names",
        f"Chance of each name to be in the true top {n}.{cut}",
        origin,
        height=figures.height_of_rows(len(rows)) if len(rows) > 12 else 420,
        least=100 + 18 * len(rows),
        finding=finding,
    )


def caption(result: ListAssessment) -> str:
    """Explain the marks of the chart."""
    n = len(result.names)
    words = f"Bars: how often the name at this place is in the true top {n}."
    if not result.mechanism.outputs.ordered:
        words = (
            f"Bars: how often a released name is in the true top {n}; a set has no order, so it is "
            "the same for all."
        )
    if result.n_known:
        words += (
            " Diamonds: how often the name is released, if all counts are exactly as supposed; one "
            "far to the left is improbable at its supposed count, which may have changed."
        )
    return words


def rests_on(view: View, judged: JudgedList, result: ListAssessment) -> str:
    """Say what is exact and what the record and the supposed counts disagree on."""
    words = ["All chances on this page are exact."]
    if result.n_draws:
        words = [
            f"Some chances of {judged.mechanism.label} have no closed form here: they are "
            f"simulated with {result.n_draws:,} draws, with 95% intervals in brackets."
        ]
    if judged.mechanism.outputs.short:
        words.append(f"They are for lists of {plural(len(judged.names), 'name')}, like this one.")
    if judged.mechanism.outputs.counted:
        words.append("The noisy counts that were published beside the names are not used.")
    record = judged.published.record
    if record and record.n_items and record.n_items != view.counts.d:
        words.append(
            f"The record states {record.n_items:,} items, but {view.counts.d:,} are supposed: with "
            "more items, more names can enter by chance."
        )
    if judged.published.names is not None and not result.n_known and not view.source.items_of_data:
        words.append("The supposed counts have none of the names, so only their shape is used.")
    if view.source.brought or view.source.title == sources.choices()[sources.DEFAULT]:
        words.append(
            "If no similar counts are known, suppose a shape: Synthetic: Zipf as data, with "
            "an exponent and a number of items."
        )
    return " ".join(words)


def names(result: ListAssessment, origin: Origin, unit: str) -> Table:
    """Tabulate the chances name by name."""
    n, level = len(result.names), f"{RANK_LEVEL:.0%}"
    frame = result.frame
    column = f"in the true top {n}"
    words: dict[str, list[str]] = {column: [_words(name.in_top, result) for name in result.names]}
    table = frame[[one for one in ("place", "item") if one in frame]].copy()
    table[column] = frame[column]
    ranks = (dict.fromkeys(f"{end:,}" for end in name.ranks) for name in result.names)
    table[f"true rank ({level})"] = [" to ".join(ends) for ends in ranks]
    if "not below the next" in frame and n > 1:
        table["not below the next"] = frame["not below the next"]
        words["not below the next"] = [_words(name.in_order, result) for name in result.names]
    if result.n_known:
        table[f"supposed count ({unit})"] = frame["supposed count"]
        for one in ("supposed rank", "released at that count"):
            table[one] = frame[one]
        words["released at that count"] = [_words(name.listed, result) for name in result.names]
    return Table(table, "names", "Chances name by name", origin, frame, words=words)


def others(result: ListAssessment, origin: Origin, unit: str) -> tuple[str, Table | None]:
    """Name the likeliest items that are not on the list, and tabulate them if there are any."""
    supposed = "If all counts are as supposed,"
    if not result.others:
        only = "Other likely names can be given only if the supposed counts have the names on the"
        return f"{only} list.", None
    likeliest = [item for item in result.others[:3] if item.listed.value > 0]
    names = [f"{plain(item.item)} ({_value(item.listed, result)})" for item in likeliest]
    can = "can be" if result.certain else "is likely to be"
    sentence = f"{supposed} no other name {can} released."
    if names:
        sentence = f"{supposed} likeliest to come next: {joined(names)}."
    frame = pd.DataFrame(
        {
            "item not on the list": item.item,
            f"supposed count ({unit})": item.count,
            "supposed rank": item.rank,
            "released": item.listed.value,
            "released, low": item.listed.low,
            "released, high": item.listed.high,
        }
        for item in result.others
    )
    words = {"released": [_words(item.listed, result) for item in result.others]}
    table, title = frame.iloc[:, :4], "Items that are not on the list"
    return sentence, Table(table, "others", title, origin, frame, words=words)


def code(view: View, judged: JudgedList) -> str:
    """Return lines that print the chances of the list."""
    if judged.published.names is None:
        names = "counts.names(mechanisms[0].sample(counts, 1, rng)[0])"
        names = f"rng = generator_for(mechanisms[0], {view.seed})\nnames = {names}"
    else:
        names = f"names = [\n{''.join(f'    {name!r},{chr(10)}' for name in judged.names)}]"
    body = f"""
{names}
found = assess_list(counts, mechanisms[0], names, n={_n_draws(judged.mechanism)}, seed={view.seed})
print(found.exact_set.value, found.n_right)
print(found.frame.to_string())
"""
    return snippets.small(view.source.python, (judged.mechanism,), body)


def _uploaded(place: Any) -> Published | str:
    """Draw the uploader; return what was read, or the reason if a file cannot be read."""
    inside = place.popover("Add a list and its record", icon=":material/upload_file:")
    files = inside.file_uploader(
        "The list (CSV) and its record (YAML), as published",
        accept_multiple_files=True,
        max_upload_size=max(1, MAX_LIST_BYTES // 2**20),
        key="published-files",
    )
    ids, before = tuple(file.file_id for file in files), st.session_state.get(keys.PUBLISHED)
    with inside.container():
        read = partial(_read, files, ids)
        published: Published | str | None = work.read_once(keys.PUBLISHED, _READING, ids, read)
    if isinstance(published, Published) and st.session_state[keys.PUBLISHED] is not before:
        st.rerun()  # the control line was drawn before the record was read
    return published or Published()


def take(mechanism: Mechanism) -> None:
    """Set mechanism, k, ε and so on as a record says; a callback, too."""
    parameters = {p.key: getattr(mechanism, p.key) for p in mechanism.card.parameters}
    address.choose(settings.mechanism(), mechanism.card.key)
    address.choose(settings.NEIGHBORS, mechanism.neighbors.value)
    address.choose(settings.K, mechanism.k)
    address.choose(EPSILON, mechanism.epsilon)
    for key, parameter in settings.of_mechanisms().items():
        if key in parameters:
            address.choose(parameter, parameters[key])


def _read(files: list[Any], ids: tuple[Any, ...]) -> Published:
    """Read at most one file of each kind, told apart by the ends of their names, and set it."""
    read: dict[bool, Any] = {}
    for file in files:
        is_record = file.name.casefold().endswith(_RECORD)
        if is_record in read:
            kind = "records" if is_record else "lists"
            raise PublishedFileError(
                f"two {kind} were added: keep one of them, and the other file that belongs to it"
            )
        function = read_record if is_record else read_published_list
        read[is_record] = work.stoppable(_READING, ids, file.file_id, function, file.getvalue())
    listed, record = read.get(False), read.get(True)
    if listed is not None and record is not None:
        check_of_one_release(listed, record.mechanism)
    names = None if listed is None else listed.names
    k = record.mechanism.k if record else len(names or ())
    if k > settings.MAX_K:
        raise PublishedFileError(
            f"the list has k = {k:,}, but this page reads up to {settings.MAX_K}"
        )
    if record:
        take(record.mechanism)
    else:
        address.choose(settings.K, k)
    return Published(names, record)
