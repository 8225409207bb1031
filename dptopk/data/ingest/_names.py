"""Clean item names, and find repeated ones and those that only look alike.

Names are kept as they are, markup, formulas and links included; pages must show them as plain
text.  Only what could garble or hide in a line is changed, and reported: spaces around a name are
trimmed, line breaks and tabs become spaces, control characters are removed, invisible characters
become marks.

Blank names were left out or named before (see `_missing`); one of which nothing is left after
cleaning is refused, and so is a name over `MAX_NAME` characters: cutting could make two items one.
Names that differ only in case, spaces, accents' encoding, invisible characters or
look-alike letters stay apart unless they are to be merged.
"""

import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.core.validation import MAX_COUNT
from dptopk.data.ingest._error import IngestError, Question
from dptopk.data.ingest._plain import (
    hides_something,
    in_latin,
    is_plain,
    plain,
    shown,
    spelled,
)
from dptopk.data.ingest._progress import STEP, with_progress

MAX_NAME = 500
"""Largest number of characters in an item name."""

MAX_KEPT = 128 * 2**20
"""Most memory for the distinct names of one table, in bytes: an upload is kept while it is used.

Names of a file of `MAX_BYTES` stay below it, unless many of their characters are marked: the mark
of an invisible one takes four to six times its bytes.
"""

MERGE, APART = "merge", "apart"

_TWINS = {
    APART: "keep them apart",
    MERGE: "merge them under the name with the most users; a user who is in both counts {}",
}
_N_GROUPS, _N_TWINS = 50, 6  # groups of names that look alike, and names of each, that are told
_UNSEEN = re.compile(
    r"‹U\+[0-9A-F]+›"  # our mark of what cannot be seen
    "|[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # a joiner, and selectors of how it looks
)


class Names(NamedTuple):
    """Item names, with numbers of those trimmed, cleaned, and with hidden characters."""

    texts: list[str]
    n_trimmed: int = 0
    n_cleaned: int = 0
    n_hidden: int = 0


class Distinct(NamedTuple):
    """Distinct names in order of appearance, with the index of each given name."""

    names: list[str]
    codes: IntArray

    @property
    def n_repeated(self) -> int:
        """Number of names that occur more than once."""
        return int(np.count_nonzero(np.bincount(self.codes) > 1))


def clean_names(names: list[str], where: Callable[[int, str], str], progress: Progress) -> Names:
    """Trim and clean names; refuse blank and overlong ones."""
    texts = list(map(str.strip, with_progress(names, part_of(progress, 0.0, 0.2))))
    n_trimmed = sum(map(operator.ne, with_progress(texts, part_of(progress, 0.2, 0.3)), names))
    n_cleaned = n_hidden = 0
    for start in range(0, len(texts), STEP):
        progress(0.3 + 0.6 * start / len(texts))
        trimmed = texts[start : start + STEP]
        if is_plain("".join(trimmed)):
            continue
        cleaned = texts[start : start + STEP] = list(map(plain, trimmed))
        n_hidden += sum(map(hides_something, trimmed))
        n_cleaned += sum(
            one != other and not hides_something(other)
            for one, other in zip(cleaned, trimmed, strict=True)
        )
    if "" in texts:
        raise IngestError(
            f"{where(texts.index(''), 'item')}: the item has no name; name it, or delete the row."
        )
    lengths = list(map(len, with_progress(texts, part_of(progress, 0.9, 1.0))))
    if max(lengths) > MAX_NAME:
        first = next(i for i, length in enumerate(lengths) if length > MAX_NAME)
        raise IngestError(
            f"{where(first, 'item')}: the item name has {lengths[first]:,} characters, more than "
            f"the limit of {MAX_NAME}; shorten it, or check the quotation marks."
        )
    return Names(texts, n_trimmed, n_cleaned, n_hidden)


def distinct_names(names: list[str], progress: Progress) -> Distinct:
    """Number the names in order of appearance."""
    positions: dict[str, int] = {}
    codes = np.fromiter(
        (positions.setdefault(name, len(positions)) for name in with_progress(names, progress)),
        dtype=np.int64,
        count=len(names),
    )
    return Distinct(list(positions), codes)


def kept_names(names: list[str], progress: Progress) -> ItemNames:
    """Pack the names; raise if they would take too much memory."""
    kept = ItemNames(with_progress(names, progress))
    if kept.n_bytes > MAX_KEPT:
        raise IngestError(
            f"The names of the {len(names):,} items take {kept.n_bytes / 2**20:,.0f} MB of memory, "
            f"more than the limit of {MAX_KEPT // 2**20} MB: shorten them, and remove invisible "
            "characters."
        )
    return kept


def merged_twins(
    distinct: Distinct, values: IntArray, answer: str | None, once: bool, progress: Progress
) -> tuple[Distinct, Question | None]:
    """Find names that look alike, and merge them if the answer is to.

    ``values`` are the counts of the rows: the twin with the largest sum gives its name.  ``once``
    tells whether a user who is in both will count once.
    """
    likeness: dict[str, list[int]] = {}
    for code, name in enumerate(with_progress(distinct.names, progress)):
        likeness.setdefault(_likeness(name), []).append(code)
    twins = [group for group in likeness.values() if len(group) > 1]
    if not twins:
        return distinct, None
    question = Question(
        "twins",
        "Names that look alike",
        alike_said(len(twins), [distinct.names[code] for code in twins[0]]),
        {key: words.format("once" if once else "twice") for key, words in _TWINS.items()},
        answer or APART,
        needed=False,
        found=_twin_lines(distinct, twins) if len(twins) > 1 or len(twins[0]) > 2 else (),
    )
    if answer != MERGE:
        return distinct, question
    sums = np.bincount(distinct.codes, weights=values, minlength=len(distinct.names))
    heir = np.arange(len(distinct.names))
    for group in twins:
        heir[group] = max(group, key=lambda code: (sums[code], -code))
    kept = np.unique(heir)
    places = np.searchsorted(kept, heir)
    merged = Distinct([distinct.names[code] for code in kept], places[distinct.codes])
    return merged, question


def alike_said(n_groups: int, names: list[str]) -> str:
    """Return a sentence on groups of names that look alike, with two names of one of them."""
    groups = plural(n_groups, "group of names looks", "groups of names look")
    return f"{groups} alike, such as {' and '.join(_told_apart(names[:2]))}."


def refuse_alike(pairs: Sequence[tuple[str, str]]) -> None:
    """Raise if there are names of a list and of the data that only look alike.

    ``pairs`` are names of the list that the data lack, each with a name of the data that the list
    lacks: the one would count 0 and the other be left out.

    Raises
    ------
    IngestError
        Naming the first of them.
    """
    if not pairs:
        return
    listed, of_data = _told_apart([*pairs[0]])
    more = f", and so do {plural(len(pairs) - 1, 'other name')}"
    raise IngestError(
        f"The list of items has {listed} and the data have {of_data}, which differ only in case, "
        f"spaces, the encoding of accents or look-alike letters{more if len(pairs) > 1 else ''}: "
        "the listed item would count 0. Write them the same way in both; if they are two items, "
        f"leave the rows of {of_data} out of the data."
    )


def alike_pairs(listed: Iterable[str], names: Iterable[str]) -> list[tuple[str, str]]:
    """Return names of a list that are not among ``names``, each with one that looks like it."""
    there, on_list = set(names), set(listed)
    lacking = {_likeness(name): name for name in sorted(on_list - there)}
    if not lacking:
        return []
    others = {_likeness(name): name for name in sorted(there - on_list)}
    return [(name, others[like]) for like, name in lacking.items() if like in others]


def _twin_lines(distinct: Distinct, twins: list[list[int]]) -> tuple[str, ...]:
    """Return a line for each group of look-alike names, with the number of groups left out."""
    lines = []
    for group in twins[:_N_GROUPS]:
        names = _told_apart([distinct.names[code] for code in group[:_N_TWINS]])
        more = f", and {len(group) - _N_TWINS:,} more" if len(group) > _N_TWINS else ""
        lines.append(", ".join(names) + more)
    if len(twins) > _N_GROUPS:
        lines.append(f"and {len(twins) - _N_GROUPS:,} more groups")
    return tuple(lines)


def _told_apart(names: list[str]) -> list[str]:
    """Return names in quotation marks, with hidden differences marked."""
    texts = [shown(name, 30) for name in names]
    if len({text.casefold() for text in texts}) > 1 and not "".join(texts).isascii():
        texts = [spelled(text) for text in texts]
    return [f'"{text}"' for text in texts]


def summed(distinct: Distinct, values: IntArray) -> IntArray:
    """Sum the counts of equal names; refuse sums above `MAX_COUNT`."""
    # Two halves of the digits, so that no sum comes near the limits of float64 or int64.
    high = np.bincount(distinct.codes, weights=values >> 26).astype(np.int64)
    low = np.bincount(distinct.codes, weights=values & (2**26 - 1)).astype(np.int64)
    high += low >> 26
    low &= 2**26 - 1
    too_large = (high > MAX_COUNT >> 26) | ((high == MAX_COUNT >> 26) & (low > 0))
    if too_large.any():
        first = int(np.argmax(too_large))
        raise IngestError(
            f'The counts of "{shown(distinct.names[first])}", which occurs more than once, add up '
            f"to {(int(high[first]) << 26) + int(low[first]):,}, above the largest count accepted, "
            f"{MAX_COUNT:,}: correct its rows."
        )
    return np.asarray((high << 26) + low, dtype=np.int64)


def distinct_pairs(distinct: Distinct, users: list[str], progress: Progress) -> IntArray:
    """Count the distinct users of each name."""
    people = distinct_names(users, progress)
    pairs = np.unique(distinct.codes * len(people.names) + people.codes)
    return np.bincount(pairs // len(people.names), minlength=len(distinct.names)).astype(np.int64)


def _likeness(name: str) -> str:
    """Return a name without differences that are hard to see."""
    if name.isascii():
        return " ".join(name.casefold().split()) if not name.islower() or " " in name else name
    text = unicodedata.normalize("NFKC", _UNSEEN.sub("", name))
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(in_latin(seen).casefold().split())
