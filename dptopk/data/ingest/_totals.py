"""Detect rows and columns that are totals or subtotals of others, by arithmetic.

A row that is called a total, or has no name, and is the sum of all others or of those since a
total above it, has one reading.  One that is called a total and adds nothing up has two, as has one
whose name only holds such a word and that adds up, which one user more could change; both are asked
about.  A last row that only is the sum of all others stays unless it is to be left out.  No item of
a public list is a total.  A column is a total if it is the sum of all others or of those since a
total before it, in every row.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from dptopk.core.array_types import FloatArray
from dptopk.data.ingest._error import COMMA, POINT, Ambiguity, Dialogue, IngestError, Reply
from dptopk.data.ingest._numbers import parsed, whole_numbers
from dptopk.data.ingest._plain import plain, shown, some_of
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._words import WORDS

_HINT = re.compile(
    r"(?<!\w)(?:(?:sub|sous|grand)?[- ]?tot(?:al[aes]?|als|aal|aux)|(?:\w*)summen?|gesamt\w*"
    r"|insgesamt|\w*ergebnis|sum|somme|suma|ensemble|overall|all|razem|ogółem|итого|всего)(?!\w)"
    "|[合总小総][计計]|[총합소]계",
    re.IGNORECASE,
)
_OPTIONS = {
    Reply.LEAVE_OUT: "a total: leave it out",
    Reply.KEEP: "an item like the others: keep it",
}
_SEVERAL_OPTIONS = {
    Reply.LEAVE_OUT: "totals: leave them out",
    Reply.KEEP: "items like the others: keep them",
}
_N_SHOWN = 4  # names that are quoted
_N_ROWS = 200  # that show which columns are totals
_CLEAR = 3  # rows of a column that is not called a total
_MOST_UNNAMED = 100_000  # rows among which subtotals without such a name are looked for


def says_total(name: str) -> bool:
    """Return whether a name is a word for a total."""
    if len(name) > 40 or not _HINT.search(name):
        return False
    return " ".join(plain(name).rstrip(":").casefold().split()) in WORDS["totals"]


def total_rows(
    names: TextColumn, cells: TextColumn, where: Callable[[int, str], str], dialogue: Dialogue
) -> tuple[int, ...]:
    """Ask which rows are totals, answered where only one reading is possible; return them."""
    if len(cells) < 3:
        return ()
    answer, decimal = dialogue.answers.get("total"), dialogue.answers.get("decimal")
    free = names.rows_where(lambda name: name.strip() not in dialogue.known)
    hinted = free & names.rows_where(lambda name: not name.strip() or _HINT.search(name))
    named: list[int] = np.flatnonzero(hinted).tolist()
    # without a count: a formula whose result was not saved
    empty = [i for i in named if not cells[i].strip() and says_total(names[i])]
    sums: list[int] = []
    adds_up = False
    for marks in [decimal] if decimal else [None, COMMA, POINT]:
        values = _values(cells, empty, where, marks)
        if values is not None:
            numbers, slack = values
            sums = _sums(numbers, named, slack)
            *others, last = numbers
            the_rest = last != 0 and abs(sum(others) - last) <= slack
            adds_up = the_rest and bool(free[-1]) and len(cells) - 1 not in sums
        if sums or adds_up or (values is not None and not marks):
            break  # where the mark is clear, another reads no other numbers
    called = [i for i in named if says_total(names[i]) and i not in {*sums, *empty}]
    unnamed = [] if sums or called or adds_up else _unnamed(values)
    unnamed = unnamed if all(free[unnamed]) else []
    by_chance = [i for i in sums if names[i].strip() and not says_total(names[i])]
    rows = tuple(sorted({*sums, *empty, *called, *unnamed, *([len(cells) - 1] * adds_up)}))
    if not rows:
        return ()
    taken = Reply.LEAVE_OUT if not (called or unnamed or by_chance or adds_up) else None
    if adds_up and len(rows) == 1:
        taken = Reply.KEEP  # it may be by chance
    is_open = answer is None and taken is None
    if rows == (len(cells) - 1,):
        what = "has no count" if empty else "is not the sum of the others"
        what = "is the sum of all others" if sums or adds_up else what
        quoted = f'"{shown(names[-1])}"' if names[-1].strip() else "without a name"
        sentence = f"{where(rows[0], 'item')}: the last row, {quoted}, {what}."
        label, options = f"Is the last row, {quoted}, a total?", _OPTIONS
    else:
        added = [*sums, *unnamed, *([len(cells) - 1] * adds_up)]
        parts = [
            _said(names, added, "a row that is the sum", "rows that are sums", " of others"),
            _said(names, empty, "a row", "rows", " without a count"),
            _said(
                names,
                called,
                "a row that is called a total and is not the sum of rows beside it",
                "rows that are called totals and are not sums of rows beside them",
            ),
        ]
        onward = ", and on" if len(rows) > 1 else ""
        sentence = f"{where(rows[0], 'item')}{onward}: {'; '.join(filter(None, parts))}."
        some = some_of((f'"{shown(names[i])}"' for i in rows), _N_SHOWN)
        label, options = f"Are these rows totals: {some}?", _SEVERAL_OPTIONS
    question = Ambiguity("total", sentence, options, answer or taken, needed=is_open, label=label)
    left_out = dialogue.ask(question) == Reply.LEAVE_OUT
    done = "treated as a total and left out" if left_out else "kept as an item"
    dialogue.notes.append(f"{sentence[:-1]}; {'each ' if len(rows) > 1 else ''}{done}.")
    return rows if left_out else ()


def _said(names: TextColumn, rows: Sequence[int], one: str, many: str, both: str = "") -> str:
    """Return the sentence on the rows for which something holds; empty if there are none."""
    some = some_of((f'"{shown(names[i])}"' for i in rows), _N_SHOWN)
    return f"{many if len(rows) > 1 else one}{both}: {some}" if rows else ""


def _values(
    cells: TextColumn, empty: Sequence[int], where: Callable[[int, str], str], decimal: str | None
) -> tuple[list[int], float] | None:
    """Return the counts and how far rounding may move a sum; None if they cannot be read."""
    if empty and np.count_nonzero(~cells.rows_where(str.strip)) == len(empty):
        cells = cells.renamed([cell if cell.strip() else "0" for cell in cells.texts])
    trial = Dialogue({"decimal": decimal, "rounding": Reply.NEAREST})
    try:
        values, _ = whole_numbers(cells, where, trial)
    except IngestError:  # whoever reads the counts says what is wrong with them
        return None
    rounded = any(question.key == "rounding" for question in trial.questions)
    return values.tolist(), len(cells) / 2 if rounded else 0


def _sums(values: Sequence[int], named: Sequence[int], slack: float) -> list[int]:
    """Return which of the rows are the sum of all others, or of those since a total above them."""
    rows: list[int] = []
    candidates = set(named)
    begins, so_far = [0], 0  # sums of all items above each total that was found
    for i, value in enumerate(values):
        if i in candidates and value and _since(begins, so_far, value, slack):
            rows.append(i)
            begins.append(so_far)
        else:
            so_far += value
    first = values[0] if values else 0
    if 0 in candidates and first and abs(so_far - 2 * first) <= slack:
        rows.insert(0, 0)  # the total of all stands first
    return rows


def _since(begins: Sequence[int], so_far: int, value: int, slack: float) -> bool:
    return any(
        so_far > begin and abs(so_far - begin - value) <= slack for begin in begins[-1_000:]
    ) or (so_far > 0 and abs(so_far - value) <= slack)


def _unnamed(values: tuple[list[int], float] | None) -> list[int]:
    """Return rows without such a name that are subtotals, and the last one their grand total."""
    if values is None or values[1] or len(values[0]) > _MOST_UNNAMED:
        return []
    *numbers, last = values[0]
    rows: list[int] = []
    run = n_run = all_of = 0
    for i, value in enumerate(numbers):
        if n_run > 1 and value and value == run:
            rows.append(i)
            run = n_run = 0
        else:
            run, n_run, all_of = run + value, n_run + 1, all_of + value
    return [*rows, len(numbers)] if rows and last and last == all_of else []


def total_columns(
    columns: Sequence[Sequence[str]], candidates: Sequence[int], labels: Sequence[str] | None
) -> tuple[tuple[int, ...], int | None]:
    """Return the columns that are row-wise sums of others, and the one that sums all others."""
    for mark in (POINT, COMMA):
        vectors = {}
        for c in candidates:
            vector = _vector(columns[c], mark)
            if vector is not None:
                vectors[c] = vector
        totals = _sum_columns(vectors, labels)
        if totals:
            all_of = np.sum([vector for c, vector in vectors.items() if c not in totals], axis=0)
            grand = (c for c in totals if np.allclose(all_of, vectors[c], rtol=1e-9, atol=0.011))
            return tuple(totals), next(grand, None)
    return (), None


def _sum_columns(vectors: dict[int, FloatArray], labels: Sequence[str] | None) -> list[int]:
    """Return the columns that are the sum of all others, or of those since a total before them."""

    def enough(c: int) -> bool:
        n_rows = int(np.count_nonzero(vectors[c]))
        return n_rows >= (1 if labels and _HINT.search(labels[c]) else _CLEAR)

    if len(vectors) < 3:
        return []
    totals: list[int] = []
    so_far = np.zeros(len(next(iter(vectors.values()))))
    begins = [(so_far, 0)]
    n_parts = 0
    for c, vector in vectors.items():
        if enough(c) and any(
            n_parts - n > 1 and np.allclose(so_far - begin, vector, rtol=1e-9, atol=0.011)
            for begin, n in begins
        ):
            totals.append(c)
            begins.append((so_far, n_parts))
        else:
            so_far, n_parts = so_far + vector, n_parts + 1
    if totals:
        return totals
    return [
        c
        for c, vector in vectors.items()
        if enough(c) and np.allclose(so_far, 2 * vector, rtol=1e-9, atol=0.011)
    ][:1]


def _vector(cells: Sequence[str], mark: str) -> FloatArray | None:
    """Return the first numbers of a column, blank ones as 0; None if some are none."""
    values = []
    for cell in cells[:_N_ROWS]:
        number = parsed(cell.strip() or "0", mark)
        if number is None:
            return None
        values.append(float(number.value))
    return np.array(values)
