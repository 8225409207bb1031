"""Parse counts with thousands separators, decimals or exponents.

A column is read one way throughout.  "12,345" may be twelve thousand or twelve and a bit; where
the rest of the column does not tell and the two readings differ, it is asked.  So is what to do
with decimals, as a count is a number of users.

Tables of health and census offices hide small counts and cap large ones, as in <5, 1-9, * or [c].
Cells are taken for suppressed counts only in a column whose other cells are numbers, and how they
are read is asked.  Limits: marks of a few languages; a letter alone, as in x, only where it recurs.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of, with_progress
from dptopk.core.numerals import plural
from dptopk.core.validation import MAX_COUNT
from dptopk.data.ingest._error import (
    COMMA,
    MAX_READ_AS,
    POINT,
    Ambiguity,
    Dialogue,
    IngestError,
    Reply,
)
from dptopk.data.ingest._missing import SPELLED
from dptopk.data.ingest._plain import shown, some_of
from dptopk.data.ingest._tables import like_a_number
from dptopk.data.ingest._text_column import TextColumn

_SPACES = "’'_ \u00a0\u2009\u202f"
_LONGEST = 100  # characters of a number, leading zeros apart


def _pattern(decimal: str, grouping: str) -> re.Pattern[str]:
    """Return the pattern of numbers with this decimal mark, in groups of three or Indian groups."""
    mark = f"[{re.escape(grouping)}{_SPACES}]"
    return re.compile(
        rf"\+?(?P<whole>[0-9]*|[1-9][0-9]{{0,2}}(?P<mark>{mark})[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
        rf"|[1-9][0-9]?(?:(?P<lakh>{mark})[0-9]{{2}})(?:(?P=lakh)[0-9]{{2}})*(?P=lakh)[0-9]{{3}})"
        rf"(?P<point>[{decimal}](?P<part>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]{{1,3}}))?"
    )


_PATTERNS = {POINT: _pattern(POINT, COMMA), COMMA: _pattern(COMMA, POINT)}
_THOUSANDS = re.compile(r"\+?\d{1,3}([,.]\d{3})+")
_MISSING = SPELLED | {"?", ".", "missing"}
_DECIMAL = {
    COMMA: "the comma marks decimals, the point thousands (1.234,5)",
    POINT: "the point marks decimals, the comma thousands (1,234.5)",
}
_ROUNDING = {
    Reply.NEAREST: "round to the nearest whole number, halves up",
    Reply.DOWN: "cut the decimals off",
}
_NUMBER = r"\d[\d,.]{0,11}"
_SUPPRESSED = re.compile(
    rf"(?:<|(?:less|fewer) than|under|unter|weniger als)\s*(?P<below>{_NUMBER})"
    rf"|(?:≤|<=|\d+\s*[-–]\s*)\s*(?P<most>{_NUMBER})"
    rf"|(?:>|≥|>=)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|or more)"
    r"|\*+|\.{2,3}|…|:|[–—/]|[cdsx]|[(\[][a-z]{1,4}[)\]]|suppressed|confidential|withheld|geheim",
    re.IGNORECASE,
)
_SHOWN = 4  # marks that are quoted

Where = Callable[[int, str], str]


class Parsed(NamedTuple):
    """Number, not negative, and how it was written."""

    value: Decimal
    grouped: bool
    scientific: bool
    decimals: bool  # whether it has a decimal mark

    def rounded(self, way: str) -> int:
        """Return the number rounded to the nearest integer, halves up, or rounded down."""
        return int(
            self.value.to_integral_value(ROUND_HALF_UP if way == Reply.NEAREST else ROUND_DOWN)
        )

    @property
    def is_whole(self) -> bool:
        """True for an integer, however it was written."""
        return self.value == self.rounded(Reply.DOWN)


def parsed(text: str, decimal: str) -> Parsed | None:
    """Parse a number with this decimal mark; None if it is none."""
    text = text.lstrip("0") if len(text) > _LONGEST else text
    if len(text) > _LONGEST:
        return None
    match = _PATTERNS[decimal].fullmatch(text)
    if match is None or not (match["whole"] or match["part"] or text[:1] == "0"):
        return None
    part = (match["part"] or "").rstrip("0")
    digits = re.sub(r"[^0-9]", "", match["whole"]) + part
    power = int(match["power"] or 0) - len(part)
    if not digits.strip("0"):
        power = 0
    elif power > _LONGEST:
        return None
    grouped = bool(match["mark"] or match["lakh"])
    value = Decimal(f"{digits or 0}e{power}")
    return Parsed(value, grouped, bool(match["power"]), match["point"] is not None)


def whole_numbers(
    cells: TextColumn,
    where: Where,
    dialogue: Dialogue,
    progress: Progress | None = None,
    only_column: bool = False,
) -> tuple[IntArray, list[str]]:
    """Parse counts; ask where two readings are possible and where there are decimals.

    Beside an ``only_column`` there is no other to choose.  Returns them with notes on how they were
    written.
    """
    column = cells.renamed([*map(str.strip, cells.texts)])
    texts = [*column.texts]
    odd = [
        i
        for i, text in enumerate(with_progress(texts, part_of(progress, 0.0, 0.2)))
        if len(text) > 16 or not (text.isascii() and text.isdecimal())
    ]
    points = [parsed(texts[i], POINT) for i in with_progress(odd, part_of(progress, 0.2, 0.4))]
    commas = [
        parsed(texts[i], COMMA) if "," in texts[i] or "." in texts[i] else one
        for i, one in zip(with_progress(odd, part_of(progress, 0.4, 0.6)), points, strict=True)
    ]
    readings = {POINT: points, COMMA: commas}
    mark = _mark(readings, column, odd, where, dialogue)
    numbers = readings[mark]
    bad = [i for i, one in zip(odd, numbers, strict=True) if one is None]
    if bad:
        _refuse(column, bad, where, mark, only_column)
    read = {i: one for i, one in zip(odd, numbers, strict=True) if one is not None}
    notes, rounding = _notes(read, column.times, mark), Reply.NEAREST
    broken = {i: one for i, one in read.items() if not one.is_whole}
    if broken:
        rounding = dialogue.ask(_rounding(column, [*broken], where, only_column))
        notes.append(_changed(broken, column.times, rounding))
    for i, one in read.items():
        value = one.rounded(rounding)
        texts[i] = str(value) if value <= MAX_COUNT else str(MAX_COUNT + 1)
    numbered = map(int, with_progress(texts, part_of(progress, 0.6, 1.0)))
    values = np.fromiter(numbered, dtype=np.int64, count=len(texts))
    large = np.flatnonzero(values > MAX_COUNT).tolist()
    if large:
        _refuse(column, large, where, mark if odd else POINT)
    return values[column.codes], notes


def _mark(
    readings: dict[str, list[Parsed | None]],
    column: TextColumn,
    odd: list[int],
    where: Where,
    dialogue: Dialogue,
) -> str:
    """Return the decimal mark of the column: as answered, as only one fits, or asked."""
    faulty = {
        mark: sum(column.times[i] for i, one in zip(odd, numbers, strict=True) if one is None)
        for mark, numbers in readings.items()
    }
    if faulty[POINT] != faulty[COMMA]:
        return min(faulty, key=lambda mark: faulty[mark])
    unlike = [
        i
        for i, one, other in zip(odd, readings[POINT], readings[COMMA], strict=True)
        if one is not None and other is not None and one.value != other.value
    ]
    if not unlike or faulty[POINT]:
        return POINT
    first = unlike[0]
    quoted = f'{where(column.first[first], "count")}: "{shown(column.texts[first])}"'
    several = sum(column.times[i] for i in unlike) > 1
    others = " (and more like it)" if several else ""  # a total may not be among them
    unclear = f"{quoted} may have a thousands separator or a decimal mark{others}"
    decimal = dialogue.answers.get("decimal")
    taken = "" if decimal is None else f"{quoted} has two readings{others}; {_DECIMAL[decimal]}."
    return dialogue.ask(Ambiguity("decimal", taken or f"{unclear}.", _DECIMAL, decimal))


def _rounding(column: TextColumn, broken: list[int], where: Where, only_column: bool) -> Ambiguity:
    n_more = sum(column.times[i] for i in broken) - 1
    more = f" ({n_more:,} more like it)" if n_more else ""
    sentence = (
        f'{where(column.first[broken[0]], "count")}: "{shown(column.texts[broken[0]])}" is not a '
        f"whole number{more}; a count is a number of users."
    )
    how = "round, or write whole numbers" if only_column else ""
    return Ambiguity("rounding", sentence, _ROUNDING, how=how)


def _changed(broken: dict[int, Parsed], times: list[int], rounding: str) -> str:
    """Return a sentence on the change by rounding."""
    change = sum(times[i] * (one.rounded(rounding) - one.value) for i, one in broken.items())
    n = sum(times[i] for i in broken)
    way = (
        "rounded to the nearest whole number, halves up" if rounding == Reply.NEAREST else "cut off"
    )
    return (
        f"{plural(n, 'count')} had decimals, now {way}; their sum changes by {float(change):+,.4g}."
    )


def _notes(read: dict[int, Parsed], times: list[int], mark: str) -> list[str]:
    each = [(one, times[i]) for i, one in read.items()]
    decimals = [(one, n) for one, n in each if one.decimals]
    notes = {
        "had thousands separators": sum(n for one, n in each if one.grouped),
        "had a decimal comma": sum(n for _, n in decimals) if mark == COMMA else 0,
        "had decimals of zeros, as in 12.0, now read as whole": sum(
            n for one, n in decimals if not one.scientific and one.is_whole
        ),
        "had scientific notation, now written out; digits already rounded away are lost": sum(
            n for one, n in each if one.scientific
        ),
    }
    return [f"{plural(n, 'count')} {what}." for what, n in notes.items() if n]


def _refuse(
    column: TextColumn, bad: list[int], where: Where, mark: str, only_column: bool = False
) -> None:
    """Raise for the first faulty count, with the number of them."""
    first = min(bad)
    n_more = sum(column.times[i] for i in bad) - 1
    more = f" ({n_more:,} more with such a problem)" if n_more else ""
    problem = _problem(column.texts[first], mark, only_column)
    raise IngestError(f"{where(column.first[first], 'count')}: {problem}{more}.")


def _problem(text: str, mark: str, only_column: bool) -> str:
    long = len(text) > _LONGEST
    text = text[:_LONGEST]  # enough to tell, and no pattern below is slow on so little
    quoted = f'"{shown(text)}"'
    if not text:
        return "the count is missing; write 0 or delete the row"
    if text.lower() in _MISSING:
        return f"{quoted} stands for a missing count; write 0 or delete the row"
    unsigned = text.lstrip("+-−–( ").rstrip(")")
    if text[0] in "-−–(" and (parsed(unsigned, POINT) or parsed(unsigned, COMMA)):
        return f"{quoted} is negative; correct it, as a count is a number of users, 0 or more"
    if text.lower().lstrip("+-") in ("inf", "infinity", "∞"):
        return f"{quoted} is not finite; write the count in digits"
    if parsed(text, mark) or (
        re.fullmatch(r"[0-9.,]+(e\+?[0-9]+)?", text, re.IGNORECASE)
        and (long or "e" in text.lower())
    ):
        return f"{quoted} is too large; correct it, as the largest count accepted is {MAX_COUNT:,}"
    if parsed(text, COMMA if mark == POINT else POINT) or _THOUSANDS.fullmatch(text):
        other = "point" if mark == COMMA else "comma"
        rest = "" if only_column else " of the column"
        return f"{quoted} uses the {other}, unlike the rest{rest}; write all counts the same way"
    if not text.isascii() and any(char.isdecimal() and not char.isascii() for char in text):
        return f"{quoted} is not written with the digits 0 to 9; use these digits"
    if only_column:
        return f"{quoted} is not a number; write the count in digits"
    return f"{quoted} is not a number; choose the column with the counts or correct the row"


def is_suppressed(cell: str) -> bool:
    """Return whether a cell is written as suppressed counts are."""
    return _SUPPRESSED.fullmatch(cell.strip()) is not None


def ask_suppressed(
    columns: Sequence[TextColumn], labels: str, dialogue: Dialogue
) -> tuple[str, frozenset[str]]:
    """Ask how to read suppressed counts in columns; return that, and how they are written.

    ``labels`` name the columns.
    """
    answer = dialogue.answers.get("suppressed")
    times: Counter[str] = Counter()
    for column in columns:
        for cell, n in zip(column.texts, column.times, strict=True):
            times[cell.strip()] += n
    marks = {
        cell: n
        for cell, n in times.items()
        if not cell.isdecimal() and is_suppressed(cell) and (n > 1 or not cell.isalpha())
    }
    numbers = times.keys() - marks.keys() - {""}
    if not marks or not numbers or not all(map(like_a_number, numbers)):
        return Reply.LEAVE_OUT, frozenset()
    options = {Reply.LEAVE_OUT: "leave these rows out", "0": "read each as 0"}
    largest = {_largest(mark) for mark in marks}
    if len(largest) == 1 and 0 < (most := largest.pop()) <= MAX_READ_AS:
        options[str(most)] = f"read each as {most}, the largest count that it may be"
    if answer is not None:
        options.setdefault(answer, f"read each as {answer}")
    some = some_of((f'"{shown(mark)}" in {plural(n, "row")}' for mark, n in marks.items()), _SHOWN)
    question = Ambiguity("suppressed", f"Counts are suppressed in {labels}: {some}.", options)
    answer = dialogue.ask(question)
    done = "These rows were left out" if answer == Reply.LEAVE_OUT else f"Each was read as {answer}"
    dialogue.notes.append(
        f"{question.sentence} {done}. One user can decide whether a count is suppressed, and so "
        "change it by more than 1."
    )
    return answer, frozenset(marks)


def _largest(mark: str) -> int:
    """Return the largest count that a mark may stand for; 0 if it does not tell."""
    match = _SUPPRESSED.fullmatch(mark)
    assert match is not None
    below, most = (re.sub(r"\D", "", match[name] or "") for name in ("below", "most"))
    return int(below) - 1 if below else int(most or 0)
