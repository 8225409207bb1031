"""From cells to `ItemCounts`: clean names, whole numbers, duplicates summed.

Names are kept as they are, markup, formulas and links included; pages must show them
as plain text.  Only what could garble a line is changed, and reported: spaces around
a name are trimmed, line breaks and tabs become spaces, other control characters and
the characters that reverse the direction of the text around them are removed.

Refused rather than guessed: a blank name (as likely a total or a shifted row as an
item, and either would change who is on top), a name over `MAX_NAME` characters
(cutting could make two items one), and any count that is not plainly a whole number
("1,234" may be a thousand or one and a bit).
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dptopk._types import IntArray
from dptopk._validate import MAX_COUNT
from dptopk.counts import ItemCounts
from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import is_plain, number, plain, shown

MAX_NAME = 500
"""Largest number of characters in an item name."""

_EXACT = re.compile(r"\+?([0-9]+)(\.0*)?")
_THOUSANDS = re.compile(r"\+?\d{1,3}([,.'’_ \u00a0\u202f]\d{3})+([.,]\d*)?")
_MISSING = frozenset(
    ["-", "–", "—", "?", ".", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing"]
)
_TOTALS = frozenset(["total", "totals", "sum", "all", "grand total", "overall"])


@dataclass(frozen=True)
class IngestReport:
    """What was read and what was changed, in numbers and in plain sentences.

    Sentences may quote the data: show them as plain text, not as markup.
    """

    rows_read: int
    rows_kept: int
    blank_rows: int
    duplicate_names: int
    names_trimmed: int
    names_cleaned: int
    reading: tuple[str, ...]
    changes: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences: how the data were read, then what was changed or is odd."""
        return self.reading + self.changes


@dataclass(frozen=True)
class IngestResult:
    """Counts with the report on how they were read."""

    counts: ItemCounts
    report: IngestReport


class Names(NamedTuple):
    """Item names, and how many were trimmed or otherwise cleaned."""

    texts: list[str]
    n_trimmed: int = 0
    n_cleaned: int = 0


class Wholes(NamedTuple):
    """Counts, int64, and how many were written with decimals that are all zero."""

    values: IntArray
    n_decimal: int


class Distinct(NamedTuple):
    """Distinct names in order of appearance, their counts, how many occurred repeatedly."""

    names: list[str]
    values: IntArray
    n_repeated: int


def assemble(
    names: list[str] | None,
    cells: list[str],
    where: Callable[[int, str], str],
    name: str,
    reading: tuple[str, ...],
    changes: tuple[str, ...] = (),
    blank_rows: int = 0,
) -> IngestResult:
    """Make counts of name and count cells.

    ``where(i, part)`` tells in words where cell i of the part "item" or "count" is.
    ``names`` None numbers the items.  ``reading`` and ``changes`` are sentences that
    begin the report.
    """
    values, n_decimal = whole_numbers(cells, where)
    cleaned = Names([]) if names is None else clean_names(names, where)
    distinct = Distinct([], values, 0) if names is None else sum_duplicates(cleaned.texts, values)
    items = distinct.names or None
    left = number(distinct.values.size, "item", "items")
    said = [
        (blank_rows, "blank row was left out", "blank rows were left out"),
        (cleaned.n_trimmed, "name lost spaces around it", "names lost spaces around them"),
        (
            cleaned.n_cleaned,
            "name had line breaks or control characters, now spaces or removed",
            "names had line breaks or control characters, now spaces or removed",
        ),
        (
            distinct.n_repeated,
            f"name occurs more than once: its counts were summed, which leaves {left}",
            f"names occur more than once: their counts were summed, which leaves {left}",
        ),
        (
            n_decimal,
            "count written with decimals, as in 12.0, was read as whole",
            "counts written with decimals, as in 12.0, were read as whole",
        ),
    ]
    notes = [f"{number(n, one, many)}." for n, one, many in said if n]
    report = IngestReport(
        rows_read=len(cells) + blank_rows,
        rows_kept=len(cells),
        blank_rows=blank_rows,
        duplicate_names=distinct.n_repeated,
        names_trimmed=cleaned.n_trimmed,
        names_cleaned=cleaned.n_cleaned,
        reading=reading,
        changes=(*changes, *notes, *_odd(items, distinct.values)),
    )
    return IngestResult(ItemCounts(distinct.values, items, name), report)


def clean_names(names: list[str], where: Callable[[int, str], str]) -> Names:
    """Trim and clean names; refuse blank and overlong ones."""
    texts = list(map(str.strip, names))
    n_trimmed = sum(map(operator.ne, texts, names))
    n_cleaned = 0
    if not is_plain("".join(texts)):
        trimmed, texts = texts, list(map(plain, texts))
        n_cleaned = sum(map(operator.ne, texts, trimmed))
    if "" in texts:
        raise IngestError(
            f"{where(texts.index(''), 'item')}: the item has no name; name it, or delete the row."
        )
    lengths = list(map(len, texts))
    if max(lengths) > MAX_NAME:
        first = next(i for i, length in enumerate(lengths) if length > MAX_NAME)
        raise IngestError(
            f"{where(first, 'item')}: the item name has {lengths[first]:,} characters, the most "
            f"accepted is {MAX_NAME}; shorten it, or check the quotation marks."
        )
    return Names(texts, n_trimmed, n_cleaned)


def whole_numbers(cells: list[str], where: Callable[[int, str], str]) -> Wholes:
    """Read counts written in the digits 0 to 9, with or without decimals that are all zero."""
    texts = list(map(str.strip, cells))
    n_decimal = 0
    bad = []
    everything = "".join(texts)
    if "" in texts or not (everything.isascii() and everything.isdecimal()):
        for i, text in enumerate(texts):
            if text.isascii() and text.isdecimal():
                continue
            exact = _EXACT.fullmatch(text)
            if exact is None or _THOUSANDS.fullmatch(text):
                bad.append(i)
                texts[i] = "0"
            else:
                texts[i] = exact[1]
                n_decimal += exact[2] is not None
    largest = len(str(MAX_COUNT))
    if max(map(len, texts)) > largest:
        texts = [text.lstrip("0") or "0" for text in texts]
        bad += [i for i, text in enumerate(texts) if len(text) > largest]
        texts = [text[:largest] for text in texts]
    values = np.array(list(map(int, texts)), dtype=np.int64)
    bad += np.flatnonzero(values > MAX_COUNT).tolist()
    if bad:
        first = min(bad)
        n_more = len(set(bad)) - 1
        more = f" ({n_more:,} more with such a problem)" if n_more else ""
        raise IngestError(f"{where(first, 'count')}: {_problem(cells[first].strip())}{more}.")
    return Wholes(values, n_decimal)


def sum_duplicates(names: list[str], values: IntArray) -> Distinct:
    """Sum the counts of equal names; refuse sums above `MAX_COUNT`."""
    if len(set(names)) == len(names):
        return Distinct(names, values, 0)
    positions: dict[str, int] = {}
    codes = np.array([positions.setdefault(name, len(positions)) for name in names])
    distinct = list(positions)
    # Two halves of the digits, so that no sum comes near the limits of float64 or int64.
    high = np.bincount(codes, weights=values >> 26).astype(np.int64)
    low = np.bincount(codes, weights=values & (2**26 - 1)).astype(np.int64)
    high += low >> 26
    low &= 2**26 - 1
    too_large = (high > MAX_COUNT >> 26) | ((high == MAX_COUNT >> 26) & (low > 0))
    if too_large.any():
        first = int(np.argmax(too_large))
        raise IngestError(
            f'The counts of "{shown(distinct[first])}", which occurs more than once, add up to '
            f"{(int(high[first]) << 26) + int(low[first]):,}, above the largest count accepted, "
            f"{MAX_COUNT:,}: correct its rows."
        )
    return Distinct(distinct, (high << 26) + low, int(np.count_nonzero(np.bincount(codes) > 1)))


def _problem(text: str) -> str:
    """Say what is wrong with the text of a count and how to mend it."""
    text = text[:100]  # enough to tell, and no pattern below is slow on so little
    quoted = f'"{shown(text)}"'
    digits = text.lstrip("+-−–( ").replace(",", "").replace(".", "")
    if not text:
        return "the count is missing; write 0 or delete the row"
    if text.lower() in _MISSING:
        return f"{quoted} stands for a missing count; write 0 or delete the row"
    if text[0] in "-−–(" and digits[:1].isdigit():
        return f"{quoted} is negative; correct it, as a count is a number of users, 0 or more"
    if _EXACT.fullmatch(text) and not _THOUSANDS.fullmatch(text):
        return f"{quoted} is too large; correct it, as the largest count accepted is {MAX_COUNT:,}"
    if text.lower().lstrip("+-") in ("inf", "infinity", "∞"):
        return f"{quoted} is not finite; write the count in digits"
    if re.fullmatch(r"\+?[0-9]*[.,]?[0-9]+e[+-]?[0-9]+", text, re.IGNORECASE):
        return f"{quoted} is in scientific notation, which may lack digits; write all digits"
    if not text.isascii() and any(char.isdecimal() and not char.isascii() for char in text):
        return f"{quoted} is not written with the digits 0 to 9; write it with these"
    if _THOUSANDS.fullmatch(text):
        return f"{quoted} may have a thousands separator; write whole numbers as in 1234"
    if re.fullmatch(r"\+?[0-9]*[.,][0-9]+", text):
        return f"{quoted} is not a whole number; round it or choose another column"
    return f"{quoted} is not a number; choose the column with the counts or correct the row"


def _odd(names: list[str] | None, values: IntArray) -> list[str]:
    """Sentences on data that are fine but may not be what was meant."""
    if values.size == 1:
        return ["There is only one item, so there is nothing to select."]
    if values.min() == values.max():
        return [f"All {values.size:,} counts are equal: every selection is a true top k."]
    top = int(np.argmax(values))
    if (
        names is not None
        and names[top].casefold() in _TOTALS
        and 2 * int(values[top]) == sum(values.tolist())
    ):
        return [
            f'The item "{names[top]}" counts as much as all others together: if it is their '
            "total, delete its row."
        ]
    return []
