"""From the columns of a table to counts of users."""

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from dptopk import _validate
from dptopk.ingest._cells import Answers, Given, IngestResult, assemble
from dptopk.ingest._contribution import Contribution
from dptopk.ingest._decimals import shown_decimals
from dptopk.ingest._error import IngestError, Question, UnclearError
from dptopk.ingest._names import APART, MERGE
from dptopk.ingest._numbers import COMMA, DOWN, NEAREST, POINT
from dptopk.ingest._plain import number, plain, shown
from dptopk.ingest._progress import Told, part
from dptopk.ingest._tables import DELIMITERS
from dptopk.ingest._totals import KEEP, LEAVE_OUT, total_row
from dptopk.ingest.reading import RawTable

MAX_TITLE = 60
"""Largest number of characters in the name of the data that a file name gives."""

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "rows": tuple(known.value for known in Contribution if known is not Contribution.ASSUMED),
    "decimal": (POINT, COMMA),
    "rounding": (NEAREST, DOWN),
    "total": (LEAVE_OUT, KEEP),
    "twins": (APART, MERGE),
}
"""Arguments of `to_item_counts` that answer a `Question`, and the answers to each."""

_ENDINGS = (".gz", ".zip", ".csv", ".tsv", ".txt", ".tab", ".xlsx", ".xlsm")
_NOT_IN_TITLES = re.compile(
    r"[^\w ,’'.-]|_"  # markup, and what stands for a space
    r"|(?<![^\W_])[-'.]|[-'.](?![^\W_])"  # marks that are not inside a word
)


def to_item_counts(
    table: RawTable,
    item_column: int | str | None,
    count_column: int | str | None,
    name: str = "",
    *,
    user_column: int | str | None = None,
    rows: str | None = None,
    decimal: str | None = None,
    rounding: str | None = None,
    total: str | None = None,
    twins: str | None = None,
    progress: Told | None = None,
) -> IngestResult:
    """Read items and counts from the columns of a table.

    Parameters
    ----------
    table : RawTable
        From `read_table`.
    item_column : int, str or None
        Position or label of the column with the item names; None numbers the items.
    count_column : int, str or None
        Position or label of the column with the counts, in users; None counts the rows.
    name : str, optional
        What to call the data; left out, the name of the file without its ending.
    user_column : int, str or None
        Position or label of a column that names the user of a row, if there is one.
    rows : {"users", "stated", "events"}, optional
        What several rows of an item mean where there is a user column: "users" counts its
        distinct users; "stated" sums the rows, of which no two are of one user; "events" sums
        them though a user may be in several, so that no promise holds for one user. Where the
        column shows a user in several rows of an item, or rows of one user that count more than
        1, "stated" is taken for "events", and said.
    decimal : {".", ","}, optional
        The mark of decimals, where neither the counts nor shares in percent beside them tell.
    rounding : {"nearest", "down"}, optional
        What becomes of counts that are not whole.
    total : {"leave out", "keep"}, optional
        What becomes of a last row that looks like a total.
    twins : {"apart", "merge"}, optional
        What becomes of names that look alike.
    progress : callable, optional
        Told the share done, often; may raise, which ends the reading.

    Returns
    -------
    IngestResult
        ``counts`` in the order of first appearance, and the ``report``.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    UnclearError
        Likewise, if one of the arguments above is needed because two readings are possible.
    ValueError
        If one of them is none of its answers.
    """
    answers = (rows, decimal, rounding, total, twins)
    for (key, allowed), answer in zip(ANSWERS.items(), answers, strict=True):
        if answer is not None:
            _validate.choice(key, answer, allowed)
    places = [
        None if column is None else _position(table, column)
        for column in (item_column, count_column, user_column)
    ]
    item, count, user = places
    _refuse_twice(table, places)
    if item is None and count is None:
        raise IngestError("There is neither a column of items nor of counts: choose one of them.")
    row_numbers, columns, n_blank = _columns(table, places, part(progress, 0.0, 0.3))
    names, cells, users = columns
    labels = {
        "item": "" if item is None else table.columns[item],
        "count": "" if count is None else table.columns[count],
    }

    def where(i: int, part: str) -> str:
        return f'Row {row_numbers[i]:,}, column "{labels[part]}"'

    questions: list[Question] = []
    notes = list(table.notes)
    beside = None if cells is None else shown_decimals(table)
    if beside is not None:
        decimal = decimal or beside.mark
    if names is not None and cells is not None and rows != Contribution.COUNTED.value:
        last = total_row(names, cells, where, total, decimal, part(progress, 0.3, 0.4))
        if last is not None:
            questions.append(last)
            if last.answer == LEAVE_OUT:
                notes.append(f"{last.sentence[:-1]}; it was taken for a total and left out.")
                names, cells = names[:-1], cells[:-1]
                users = users and users[:-1]
            else:
                notes.append(f"{last.sentence[:-1]}; it was kept as an item.")
    contribution = Contribution.ASSUMED
    if users is not None and names is not None and len(set(map(str.strip, names))) < len(names):
        question = _rows(table, user, count, rows)
        questions.append(question)
        if rows is None:
            raise UnclearError(
                f"{question.sentence[:-1]}: say whether its distinct users are to be counted for "
                "each item.",
                tuple(questions),
            )
        contribution = Contribution(rows)
    counted = contribution is Contribution.COUNTED
    if counted and users is not None and names is not None:
        names, users, without = _with_user(names, users)
        notes += [f"{number(without, 'row', 'rows')} without a user left out."] if without else []
        if count is not None:
            unused = f'Column "{table.columns[count]}" is not used: a user counts once for an item.'
            notes.append(unused)
        cells = None
    given = Given(
        names,
        cells,
        where,
        (_how_read(table, item, None if counted else count, user if counted else None),),
        tuple(notes),
        n_blank,
        users if counted else None,
        users if contribution is Contribution.STATED else None,
        contribution,
        tuple(questions),
    )
    result = assemble(
        given, name or _title(table), Answers(decimal, rounding, twins), part(progress, 0.4, 1.0)
    )
    report = result.report
    if beside is None or not any(
        question.key == "decimal" and question.answer == beside.mark
        for question in report.questions
    ):
        return result
    return replace(result, report=replace(report, changes=(*report.changes, beside.sentence)))


def _refuse_twice(table: RawTable, places: list[int | None]) -> None:
    """Refuse one column for two things."""
    words = ("Items", "counts", "users")
    used = [(place, word) for place, word in zip(places, words, strict=True) if place is not None]
    for i, (place, word) in enumerate(used):
        for other, other_word in used[:i]:
            if place == other:
                raise IngestError(
                    f"{other_word.capitalize()} and {word} are both read from column "
                    f'"{table.columns[place]}": choose two different columns, or none for one.'
                )


def _columns(
    table: RawTable, places: list[int | None], told: Told
) -> tuple[Sequence[int], list[list[str] | None], int]:
    """Row numbers and the cells of each column, and how many rows are blank."""
    row_numbers = array("q")  # a list of them takes four times as much
    found: list[list[str] | None] = [None if place is None else [] for place in places]
    wanted = [
        (place, cells)
        for place, cells in zip(places, found, strict=True)
        if place is not None and cells is not None
    ]
    n_blank = 0
    for row, record in table.rows(told):
        if not record:
            n_blank += 1
            continue
        row_numbers.append(row)
        for place, cells in wanted:
            cells.append(record[place])
    return row_numbers, found, n_blank


def _rows(table: RawTable, user: int | None, count: int | None, answer: str | None) -> Question:
    """Ask what the rows of an item mean, as a column beside names users."""
    column = table.columns[user or 0]
    sentence = f'Items occur in several rows, and column "{column}" seems to name users.'
    made = "sum them" if count is not None else "count the rows"
    options = {
        Contribution.COUNTED.value: "count the distinct users of each item",
        Contribution.STATED.value: f"the rows count users already, each once: {made}",
        Contribution.SEVERAL.value: (
            f"one user may be in several rows: {made} all the same; no promise for a user holds"
        ),
    }
    return Question(
        "rows",
        "What do several rows of an item mean?",
        sentence,
        options,
        answer,
        suggested=Contribution.COUNTED.value,
    )


def _with_user(names: list[str], users: list[str]) -> tuple[list[str], list[str], int]:
    """Leave out the rows without a user, and say how many."""
    users = [user.strip() for user in users]
    if "" not in users:
        return names, users, 0
    pairs = [(name, user) for name, user in zip(names, users, strict=True) if user]
    if not pairs:
        raise IngestError("The column of users is empty: choose another column.")
    kept_names, kept_users = map(list, zip(*pairs, strict=True))
    return kept_names, kept_users, len(users) - len(pairs)


def _position(table: RawTable, column: int | str) -> int:
    """Position of a column given by position or label."""
    if isinstance(column, str) and column in table.columns:
        return table.columns.index(column)
    if isinstance(column, int) and 0 <= column < len(table.columns):
        return column
    options = ", ".join(f'"{label}"' for label in table.columns[:10])
    raise IngestError(f"There is no column {column!r}: choose one of {options}.")


def _how_read(table: RawTable, item: int | None, count: int | None, user: int | None) -> str:
    """One sentence on what was read how."""
    separated = ""
    if table.sheet:
        kind = f'sheet "{shown(table.sheet)}" of an Excel workbook'
    else:
        kind = f"{table.encoding} text"
        if len(table.columns) > 1:
            separated = f", columns separated by {DELIMITERS[table.delimiter]}"
    names = "are numbered" if item is None else f'from column "{table.columns[item]}"'
    top = "the first row is the header" if table.header else "there is no header"
    made = f'counts from column "{table.columns[count]}"' if count is not None else "rows counted"
    if user is not None:
        made = f'counts are the distinct users of column "{table.columns[user]}"'
    read = number(table.n_rows, "row was", "rows were")
    return f"{read} read as {kind}{separated}; {top}; items {names}, {made}."


def _title(table: RawTable) -> str:
    """What to call the data: the file's name without folders, endings and markup."""
    name = PurePosixPath(table.filename.replace("\\", "/")).name
    for ending in _ENDINGS:  # packed ones first
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    if len(table.sheets) > 1:
        name = f"{name}, {table.sheet}"
    words = _NOT_IN_TITLES.sub(" ", plain(name[: 4 * MAX_TITLE])).split()
    return shown(" ".join(words), MAX_TITLE) or "uploaded"
