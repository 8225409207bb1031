"""Recognize counts that their publisher suppressed, such as <5, 1-9, * or [c], and ask about them.

Tables of health and census offices hide small counts and cap large ones.  Cells are taken for
suppressed counts only in a column whose other cells are numbers.

Limits: marks of a few languages; a letter alone, as in x, only where it recurs.
"""

import re
from collections import Counter
from collections.abc import Sequence

from dptopk.core.numerals import plural
from dptopk.data.ingest._error import LEAVE_OUT, MAX_READ_AS, Ambiguity, Dialogue
from dptopk.data.ingest._plain import shown, some_of
from dptopk.data.ingest._tables import like_a_number
from dptopk.data.ingest._text_column import TextColumn

_NUMBER = r"\d[\d,.]{0,11}"
_SUPPRESSED = re.compile(
    rf"(?:<|(?:less|fewer) than|under|unter|weniger als)\s*(?P<below>{_NUMBER})"
    rf"|(?:≤|<=|\d+\s*[-–]\s*)\s*(?P<most>{_NUMBER})"
    rf"|(?:>|≥|>=)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|or more)"
    r"|\*+|\.{2,3}|…|:|[–—/]|[cdsx]|[(\[][a-z]{1,4}[)\]]|suppressed|confidential|withheld|geheim",
    re.IGNORECASE,
)
_SHOWN = 4  # marks that are quoted


def is_suppressed(cell: str) -> bool:
    """Return whether a cell is written as suppressed counts are."""
    return _SUPPRESSED.fullmatch(cell.strip()) is not None


def ask_suppressed(
    columns: Sequence[TextColumn], labels: str, asked: Dialogue
) -> tuple[str, frozenset[str]]:
    """Ask how to read suppressed counts in columns; return that, and how they are written.

    ``labels`` name the columns.
    """
    answer = asked.answers.get("suppressed")
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
        return LEAVE_OUT, frozenset()
    options = {LEAVE_OUT: "leave these rows out", "0": "read each as 0"}
    largest = {_largest(mark) for mark in marks}
    if len(largest) == 1 and 0 < (most := largest.pop()) <= MAX_READ_AS:
        options[str(most)] = f"read each as {most}, the largest count that it may be"
    if answer is not None:
        options.setdefault(answer, f"read each as {answer}")
    some = some_of((f'"{shown(mark)}" in {plural(n, "row")}' for mark, n in marks.items()), _SHOWN)
    question = Ambiguity("suppressed", f"Counts are suppressed in {labels}: {some}.", options)
    answer = asked.ask(question)
    done = "These rows were left out" if answer == LEAVE_OUT else f"Each was read as {answer}"
    asked.notes.append(
        f"{question.sentence} {done}. One user may change such a count by more than 1, as its size "
        "decides whether it is suppressed."
    )
    return answer, frozenset(marks)


def _largest(mark: str) -> int:
    """Return the largest count that a mark may stand for; 0 if it does not tell."""
    match = _SUPPRESSED.fullmatch(mark)
    assert match is not None
    below, most = (re.sub(r"\D", "", match[name] or "") for name in ("below", "most"))
    return int(below) - 1 if below else int(most or 0)
