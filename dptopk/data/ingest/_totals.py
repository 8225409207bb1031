"""Detect a last row that is the total of the others.

A row that is called a total, or has no name, and is the sum of all others has one reading; one
that is only called so, or only is the sum, has two, and stays unless it is to be left out.
"""

from collections.abc import Callable, Sequence

from dptopk.data.ingest._error import IngestError, Question
from dptopk.data.ingest._numbers import NEAREST, whole_numbers
from dptopk.data.ingest._plain import plain, shown
from dptopk.data.ingest._progress import Progress

LEAVE_OUT, KEEP = "leave out", "keep"

_WORDS = frozenset(
    [
        *("total", "totals", "sum", "all", "overall", "grand total", "sum total", "total sum"),
        *("gesamt", "summe", "gesamtsumme", "gesamtergebnis", "insgesamt", "total général"),
        *("somme", "suma", "total general", "totale", "totaal", "итого", "всего"),
        *("合计", "总计", "合計", "総計"),
    ]
)
_OPTIONS = {LEAVE_OUT: "a total: leave it out", KEEP: "an item like the others: keep it"}


def says_total(name: str) -> bool:
    """Return whether a name is a word for a total."""
    return " ".join(plain(name).rstrip(":").casefold().split()) in _WORDS


def total_row(
    names: Sequence[str],
    cells: Sequence[str],
    where: Callable[[int, str], str],
    answer: str | None,
    decimal: str | None,
    progress: Progress,
) -> Question | None:
    """Ask whether the last row is a total; answered where only one reading is possible."""
    if len(cells) < 3:
        return None
    name, cell = names[-1], cells[-1].strip()
    named = says_total(name)
    blank = not name.strip()
    # without a count: a formula whose result was not saved
    adds_up = _adds_up(cells, where, decimal, progress) if cell else named
    if not (named or adds_up):
        return None
    sure = adds_up and (named or blank)
    what = "adds up all others" if adds_up and cell else "does not add up the others"
    what = what if cell else "has no count"
    quoted = f'"{shown(name)}"' if not blank else "without a name"
    return Question(
        "total",
        "Is the last row a total?",
        f"{where(len(cells) - 1, 'item')}: the last row, {quoted}, {what}.",
        _OPTIONS,
        answer or (LEAVE_OUT if sure else KEEP),
        needed=False,
    )


def _adds_up(
    cells: Sequence[str], where: Callable[[int, str], str], decimal: str | None, progress: Progress
) -> bool:
    """Return whether the last count is the sum of the others."""
    try:
        wholes = whole_numbers(cells, where, decimal, NEAREST, progress)
    except IngestError:  # whoever reads the counts says what is wrong with them
        return False
    last = int(wholes.values[-1])
    others = sum(wholes.values[:-1].tolist())
    rounded = any(question.key == "rounding" for question in wholes.questions)
    return bool(last) and abs(others - last) <= (len(cells) / 2 if rounded else 0)
