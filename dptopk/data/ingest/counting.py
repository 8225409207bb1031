"""Count users per item from the columns of a table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from dptopk.core import validation
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._assemble import Cells, assemble
from dptopk.data.ingest._columns import counts_people, may_name_users, names_no_unit
from dptopk.data.ingest._error import ANSWERS, Ambiguity, Dialogue, IngestError, Reply, UnclearError
from dptopk.data.ingest._missing import is_missing
from dptopk.data.ingest._numbers import ask_suppressed, whole_numbers
from dptopk.data.ingest._pieces import LISTS, ask_pieces, split_cells
from dptopk.data.ingest._plain import examples, plain, shown
from dptopk.data.ingest._report import Contribution, IngestReport, IngestResult
from dptopk.data.ingest._survey import Survey, column_of_users, may_be_survey
from dptopk.data.ingest._tables import DELIMITERS, like_a_number
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import says_total, total_rows
from dptopk.data.ingest.reading import N_SAMPLED, ColumnPlaces, RawTable

MAX_TITLE = 60  # largest number of characters in the name of the data that a file name gives

_MANY_ALIKE = 3  # columns, of which to take one would be a guess, whoever names it
_OF_WHAT = "What do the counts count?"
_OF_NUMBERS = {
    Reply.STATED: "a number counts users, each of whom counts once for an item",
    Reply.SEVERAL: "a number counts something else, such as events or money, of which one user may "
    "have several; no guarantee then holds for a user",
}
_ENDINGS = (".gz", ".zip", ".csv", ".tsv", ".txt", ".tab", ".xlsx", ".xlsm")
_NOT_IN_TITLES = re.compile(
    r"[^\w ,’'.-]|_"  # markup, and what stands for a space
    r"|(?<![^\W_])[-'.]|[-'.](?![^\W_])"  # marks that are not inside a word
)
_N_LOOKED_AT = 1_000
_THREE_DECIMALS = re.compile(r"-?\d+\.\d{3}")
# three digits after the mark could be thousands
_SHARE = re.compile(r"[-+−]?\d{1,3}([.,])(?:\d{1,2}|\d{4,9})\s?[%‰]")
_BOTH = re.compile(
    r"[^\w.,]*\d{1,3}(?:\.\d{3})+(,)\d+\D{0,4}|[^\w.,]*\d{1,3}(?:,\d{3})+(\.)\d+\D{0,4}"
)


def to_item_counts(
    table: RawTable,
    item_column: int | str | None,
    count_column: int | str | None,
    name: str = "",
    *,
    user_column: int | str | None = None,
    max_items: int | None = None,
    listed: Iterable[str] | None = None,
    progress: Progress | None = None,
    **answers: str | None,
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
    max_items : int, optional
        How many items of each user are kept at most, where distinct users are counted: what a
        promise for users of so many items rests on. A fixed hash of the names chooses them.
    listed : iterable of str, optional
        The public list of items: those that the data lack count 0, others are dropped, of a log
        before the items of a user are cut to ``max_items``. Its names are never missing, as NA or
        None would be. Left out, the items are those of the data, which no promise for a fixed list
        covers.
    progress : callable, optional
        Called with the share done, often; may raise, which ends the reading.
    **answers : str
        Answers to questions about the file, of those in `ANSWERS`:

        - items: which of several columns holds the items, by its number from 1.
        - survey: "yes" takes columns that say yes and no for items, and each row, or each name in a
          column of users, for a user; "no" reads the chosen columns.
        - several: of columns that may all hold the counts "one" takes the given one, "sum" the sum
          of those that are not sums of others, "parts" without those called totals either; blank
          cells count as 0, and no promise holds for one user.
        - split: at which separators cells that list items are split, as in "tea; milk", or "none";
          with "options" and no list, what one user writes may part what others have.
        - rows: several rows of an item are counted as distinct "users", or summed: as of users who
          are "stated" to be in one row each, unless the file shows otherwise, or as "events" of
          which one user may have several. Without a column of users "users" takes the one that the
          question names, and "items" swaps it with that of the items.
        - decimal: the mark of decimals, where the file does not tell.
        - rounding: "nearest" or "down", of counts that are not whole.
        - total: "leave out" or "keep" rows that look like totals.
        - twins, users_alike: "merge" names that look alike, or users whose e-mail addresses differ
          by case, or keep them "apart".
        - nulls: "leave out" or "keep" rows whose item, or counted user, is blank or spelled out as
          in NULL, nan, None; asked where it matters.
        - suppressed: "leave out" rows whose count its publisher suppressed, as in "<5" or "*", or
          read each as this number.

    Returns
    -------
    IngestResult
        ``counts`` in the order of ``listed``, else of first appearance, and the ``report``.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    UnclearError
        Likewise, if one of the arguments above is needed because two readings are possible.
    ValueError
        If one of them is none of its answers.
    """
    for key, given in answers.items():
        if key not in ANSWERS:
            raise TypeError(f"to_item_counts() got an unexpected keyword argument {key!r}")
        if given is not None:
            validation.choice(key, given, ANSWERS[key])
    if max_items is not None:
        validation.integer("max_items", max_items, low=1)
    named = item_column, count_column, user_column
    item, count, user = (_position(table, one) for one in named)
    dialogue = Dialogue(answers, table.notes, listed)
    try:
        return _counted_in(
            table, (item, count, user), name or _title(table), dialogue, max_items, progress
        )
    except IngestError as error:
        error.questions = tuple(dialogue.questions)
        raise


def _counted_in(
    table: RawTable,
    places: ColumnPlaces,
    name: str,
    dialogue: Dialogue,
    max_items: int | None,
    progress: Progress | None,
) -> IngestResult:
    answer = dialogue.answers.get
    # 1. the columns that are meant, and those to sum
    if may_be_survey(table, places, dialogue):
        survey = Survey.of(table, places[-1], dialogue.known)
        if dialogue.ask(survey.question) == Reply.YES:
            return survey.counts(dialogue, name, max_items, progress)
    chosen = _confirmed_columns(table, places, dialogue)
    readings = _readings(table, chosen)
    if answer("rows") in (Reply.COUNTED, Reply.ITEMS) and chosen[0] is not None and not readings:
        del dialogue.answers["rows"]  # no column names users, so that it is asked again
    rows = dialogue.answers.get("rows")
    swapped = rows in readings
    item, count, user = readings.get(rows or "", chosen)
    to_count = swapped or rows == Reply.COUNTED
    unused = to_count and None not in (item, user)  # counts beside users who are counted
    summed = _summed_columns(table, (item, count, user), dialogue)
    # 2. their cells
    label = "" if item is None else table.columns[item]
    header = "" if count is None else table.columns[count]
    looking = part_of(progress, 0.0, 0.4)
    names = None if item is None else table.cells(item)
    if table.ours and names is not None:
        dialogue.known = frozenset(map(str.strip, names.texts))  # names that were kept
    unclear = rows is None and None not in (count, user)
    if unclear and names is not None and _repeated(names, dialogue):
        dialogue.ask(_rows(table, chosen))  # before numbers are read that may be no counts
    cells = Cells(
        table.row_numbers,
        lambda row, part: (
            f'{_row_of(table, row)}, column "{shown(label if part == "item" else header)}"'
        ),
        names=names,
        counts=None if count is None or unused else _numbers(table, count),
        users=None if user is None else table.cells(user),
        summed=tuple(_numbers(table, place) for place in summed),
    )
    looking(0.5)
    if not to_count:
        some = table.labels(summed or [place for place in [count] if place is not None])
        cells = _without_suppressed(cells, some, dialogue)
    mark, value = ("", "") if cells.counts is None else shown_decimals(table)
    dialogue.answers["decimal"] = answer("decimal") or mark or None
    if summed:
        added = [table.columns[place] for place in summed]
        cells = replace(cells, counts=_added(cells, added, dialogue), summed=())
    # 3. without totals, and one item a cell
    if cells.names is not None and cells.counts is not None and not to_count:
        totals = total_rows(cells.names, cells.counts, cells.where, dialogue)
        if totals:
            cells = cells.at(np.delete(np.arange(cells.row_numbers.size), totals))
    parted = False
    if cells.names is not None:
        split = LISTS if item in table.lists else ask_pieces(cells.names, label, dialogue)
        if split == LISTS:
            dialogue.notes.append(
                f'Column "{label}" holds lists: it was read as one row per element.'
            )
        if split != Reply.WHOLE:
            names, of_cells = split_cells(cells.names, split, dialogue.known)
            cells = replace(cells.at(of_cells), names=names)
        parted = split == Reply.OPTIONS and not dialogue.known
    # 4. what several rows of an item mean
    contribution = Contribution.ASSUMED
    repeated = cells.names is not None and _repeated(cells.names, dialogue)
    question = None if repeated or summed else _counted(table, chosen, cells, rows)
    if question is None and (swapped or repeated):
        question = _rows(table, chosen)
    if question is not None:
        dialogue.ask(question)
        contribution = Contribution.COUNTED if swapped else Contribution(rows)
    elif None not in (item, user) and (count is None or to_count) and not summed:
        contribution = Contribution.COUNTED
    elif table.problem and count is None:
        raise IngestError(table.problem)
    if (summed and contribution in (Contribution.ASSUMED, Contribution.STATED)) or any(
        question.key == "suppressed" for question in dialogue.questions
    ):
        contribution = Contribution.SEVERAL
    # 5. the counts
    counted = contribution is Contribution.COUNTED and None not in (cells.names, cells.users)
    if counted and count is not None:
        dialogue.notes.append(f'Column "{header}" is not used: a user counts once for an item.')
    if max_items is not None and not counted:
        raise IngestError(
            "To limit the items of each user, distinct users must be counted: choose the column "
            "that names them."
        )
    if contribution is Contribution.ASSUMED and table.header and names_no_unit(header):
        dialogue.questions.append(unsaid := _unsaid(header))
        dialogue.notes.append(unsaid.sentence)
    made = (item, None, user) if counted else (item, count, None)
    result = assemble(
        cells,
        name,
        _how_read(table, made, summed),
        table.n_rows + table.n_blank,
        dialogue,
        n_blank=table.n_blank,
        columns=(label, "" if user is None else table.columns[user]),
        contribution=contribution,
        max_items=max_items,
        only_column=len(table.columns) == 1,
        progress=part_of(progress, 0.4, 1.0),
    )
    report = result.report
    if parted and report.contribution is not Contribution.SEVERAL:
        report = replace(report, contribution=Contribution.ASSUMED)
    if mark and any(one.key == "decimal" and one.answer == mark for one in report.questions):
        report = replace(report, changes=(*report.changes, value))
    return replace(result, report=report)


def proposed_counts(
    table: RawTable,
    columns: ColumnPlaces,
    answers: Mapping[str, Any],
    items: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> IngestResult:
    """Read counts as `to_item_counts` does, with the proposed answers to open questions.

    ``answers`` are those given, and ``max_items``; ``items`` is a public list, if there is one.
    """
    item, count, user = columns
    ask_which_of_two(table, columns, answers)
    how = {"user_column": user, "listed": items, "progress": progress, **answers}
    try:
        return to_item_counts(table, item, count, **how)
    except UnclearError as error:
        question = error.questions[-1]
        if question.suggested is None:
            raise
        taken = {**answers, question.key: question.suggested}
        return proposed_counts(table, columns, taken, items, progress)


def ask_which_of_two(table: RawTable, columns: ColumnPlaces, answers: Mapping[str, Any]) -> None:
    """Raise `UnclearError` if the column of counts is a guess among two.

    `to_item_counts` takes the one that it is given, as whoever writes a script has chosen it.
    """
    _, count, user = columns
    guessed = count is not None and count == table.count_column and user is None
    answered = "several" in answers or answers.get("survey") == Reply.YES
    if guessed and len(table.alike) == 2 and not answered:
        _ask_which(table, Dialogue())


def _row_of(table: RawTable, row: int) -> str:
    """Return which row it is, and that it may be the header where it has words below a title."""
    top, *below = table.row_numbers[:2].tolist()
    if table.header or [row] != below or any(map(like_a_number, table.preview[1])):
        return f"Row {row:,}"
    title = f"if row {top} is a title, put quotation marks around it"
    return f"Row {row:,} (the header, perhaps: {title})"


def _numbers(table: RawTable, place: int) -> TextColumn:
    """Return the cells of a column of counts.

    Three decimals could be thousands: a fourth digit says that they are not, where it is known.
    """
    cells = table.cells(place)
    if place not in table.decimals:
        return cells
    return cells.renamed([f"{c}0" if _THREE_DECIMALS.fullmatch(c) else c for c in cells.texts])


def _confirmed_columns(table: RawTable, chosen: ColumnPlaces, dialogue: Dialogue) -> ColumnPlaces:
    """Return the columns of items, counts and users, of which the guessed items are asked for."""
    item, count, user = chosen
    _refuse_twice(table, chosen)
    if item is None and count is None:
        raise IngestError(
            "There is neither a column of items nor one of counts: choose one of them."
        )
    if table.items and item == table.item_column:
        question = _which_items(table, chosen)
        item = _position(table, int(dialogue.ask(question)) - 1)
        count = None if count == item else count
        _refuse_twice(table, (item, count, user))
    return item, count, user


def _summed_columns(table: RawTable, columns: ColumnPlaces, dialogue: Dialogue) -> tuple[int, ...]:
    """Return the columns of counts to sum, where several may hold counts; else none."""
    _, count, user = columns
    few = len(table.alike) < (2 if dialogue.answers.get("several") else _MANY_ALIKE)
    if count != table.count_column or user is not None or few:
        return ()
    answer = _ask_which(table, dialogue)
    if answer == Reply.ONE:
        return ()
    left = table.totals if answer == Reply.SUM else {*table.totals, *_called_totals(table)}
    return tuple(place for place in table.alike if place not in left)


def _refuse_twice(table: RawTable, places: ColumnPlaces) -> None:
    """Raise if one column is chosen for two purposes, or lists for counts or users."""
    for place, word in zip(places[1:], ("counts", "users"), strict=True):
        if place in table.lists:
            raise IngestError(
                f"Column {table.labels([place or 0])} holds lists, which are no {word}: choose "
                "another column."
            )
    words = ("Items", "counts", "users")
    used = [(place, word) for place, word in zip(places, words, strict=True) if place is not None]
    for (other, other_word), (place, word) in combinations(used, 2):
        if place == other:
            raise IngestError(
                f"{other_word.capitalize()} and {word} are both read from column "
                f"{table.labels([place])}: choose two different columns, or none for one."
            )


def _readings(table: RawTable, places: ColumnPlaces) -> dict[str, ColumnPlaces]:
    """Return the columns of items, counts and users for each answer that changes them.

    Where no column of users is given it is one that looks like identifiers, else that of the
    counts, else the only other one, or that of a survey.
    """
    item, count, user = places
    if user is not None:
        return {Reply.ITEMS: (user, count, item)}
    if item is None:
        return {}
    others = [c for c in range(len(table.columns)) if c != item]
    user = next((c for c in others if c in table.identifiers), count)
    if user is None and len(others) == 1:
        (user,) = others
    if user is None:
        user = column_of_users(table)
    if user is None or user == item:
        return {}
    return {Reply.COUNTED: (item, None, user), Reply.ITEMS: (user, None, item)}


def _rows(table: RawTable, places: ColumnPlaces) -> Ambiguity:
    item, count, user = places
    made = "count the rows" if count is None else f"sum column {table.labels([count])}"
    several = f"one user may be in several rows: {made} anyway; no guarantee then holds for a user"
    if user is not None:
        seems = "seems" if user == table.user_column else "is chosen"
        kept_rows = (
            f"Items from column {table.labels([item or 0])} occur in several rows, and column "
            f"{table.labels([user])} {seems} to name users."
        )
        options = {
            Reply.COUNTED: "count the distinct users of each item",
            Reply.STATED: f"the rows already count users, each once: {made}",
            Reply.SEVERAL: several,
        }
        if table.header:
            how = "say whether its distinct users are to be counted for each item"
            return Ambiguity("rows", kept_rows, options, suggested=Reply.COUNTED, how=how)
        either = _either(table, user, item)
        swapped = {Reply.ITEMS: (user, count, item)}
        return Ambiguity("rows", kept_rows, either | options | either, columns=swapped)
    kept_rows = f"Items occur in several rows of column {table.labels([item or 0])}"
    each = (
        {
            Reply.STATED: "a row holds a count of users, none of whom is in another row: sum them",
            Reply.SEVERAL: f"a row holds a count or an amount, and {several}",
        }
        if count is not None
        else {Reply.STATED: "each row is one more user: count the rows", Reply.SEVERAL: several}
    )
    readings = _readings(table, places)
    if not readings:
        kept_rows += ", and no column is chosen that holds counts or names users."
        return Ambiguity("rows", kept_rows, each)
    _, _, other = readings[Reply.COUNTED]
    assert other is not None
    hinted = other in table.identifiers
    may = "name users"
    if count == other:
        may = "name users or hold counts" if hinted else "hold counts or name users"
    elif count is not None:
        may += f", and column {table.labels([count])} may hold counts"
    looks = ", which looks like identifiers," if hinted else ""
    kept_rows += f", and column {table.labels([other])}{looks} may {may}."
    named = _either(table, other, item)
    options = named | each if hinted or count is None else each | named
    return Ambiguity("rows", kept_rows, options, columns=readings)


def _either(table: RawTable, user: int | None, item: int | None) -> dict[str, str]:
    """Say for both answers which column holds users and which items, with examples of both."""

    def roles(*places: int | None) -> str:
        return ", ".join(
            f"{role} are in column {table.labels([place])} "
            f"({examples(row[place] for row in table.preview)})"
            for role, place in zip(("users", "items"), places, strict=True)
            if place is not None
        )

    counted = f"{roles(user, item)}: count the distinct users of each item"
    return {Reply.COUNTED: counted, Reply.ITEMS: f"{roles(item, user)}: likewise"}


def _which_items(table: RawTable, places: ColumnPlaces) -> Ambiguity:
    _, count, user = places
    options = {}  # the same once it is answered: the dialog knows an answer by its words
    beginning = table.beginning()
    of_rows = f" in the first {N_SAMPLED:,} rows" if table.n_rows > N_SAMPLED else ""
    for place in table.items:
        there = {cell.strip(): 0 for cell in beginning.cells(place).texts if not is_missing(cell)}
        different = plural(len(there), "name", "different names")
        options[str(place + 1)] = (
            f"column {table.labels([place])}: {different}{of_rows}: {examples(there)}"
        )
    return Ambiguity(
        "items",
        f"Items may be in {table.labels(table.items)}.",
        options,
        columns={
            str(place + 1): (place, None if count == place else count, user)
            for place in table.items
        },
    )


def _counted(
    table: RawTable, places: ColumnPlaces, cells: Cells, answer: str | None
) -> Ambiguity | None:
    """Ask what the numbers beside items that never repeat count; None if they count users."""
    item, count, user = places
    names, numbers = cells.names, cells.counts or cells.users
    if count is None or user is not None or answer == Reply.ITEMS:
        return None
    if names is None or numbers is None or not any(map(like_a_number, numbers.texts)):
        return None  # whoever reads the counts says so
    column = table.columns[count]
    header = column if table.header else ""
    named = may_name_users(header, [*names], [*numbers])
    if not named and answer is None and (not header or counts_people(header)):
        return None
    if not named and answer != Reply.COUNTED and names_no_unit(header):
        return _unsaid(header)
    readings = _readings(table, places)
    options = {**_OF_NUMBERS}
    if named or answer == Reply.COUNTED:
        _, _, other = readings[Reply.COUNTED]
        options[Reply.COUNTED] = _either(table, other, item)[Reply.COUNTED]
    may = "hold counts or name users" if named else "count something else than users"
    return Ambiguity(
        "rows",
        f'Column "{column}" may {may}.',
        options,
        columns=readings,
        label=_OF_WHAT,
        how="say what its numbers are, or choose other columns",
    )


def _unsaid(header: str) -> Ambiguity:
    """Ask what numbers count whose header says only that they count; users, if nobody says."""
    return Ambiguity(
        "rows",
        f'Column "{header}" does not say what it counts: users were assumed, each once for an '
        "item. It may count rows or events, as value_counts() does.",
        _OF_NUMBERS,
        needed=False,
        matters=True,
        label=_OF_WHAT,
        unanswered="not known: users are assumed",
    )


def _without_suppressed(cells: Cells, labels: str, dialogue: Dialogue) -> Cells:
    """Leave out rows with suppressed counts, or read each as a number, and note it."""
    counts = cells.summed or tuple(filter(None, [cells.counts]))
    answer, marks = ask_suppressed(counts, labels, dialogue)
    if not marks:
        return cells
    if answer == Reply.LEAVE_OUT:
        hidden = [column.rows_where(lambda cell: cell.strip() in marks) for column in counts]
        keep = ~np.any(hidden, axis=0)
        if not keep.any():
            raise IngestError("Every row has a suppressed count: read each as a number instead.")
        return cells.at(keep)
    counts = tuple(
        column.renamed([answer if cell.strip() in marks else cell for cell in column.texts])
        for column in counts
    )
    return replace(cells, summed=counts) if cells.summed else replace(cells, counts=counts[0])


def _repeated(names: TextColumn, dialogue: Dialogue) -> bool:
    """Return whether an item occurs in several rows, apart from missing names that are dropped."""
    kept = dialogue.answers.get("nulls") == Reply.KEEP

    def in_several(column: TextColumn) -> bool:
        """Return whether a name is that of several rows."""
        of_name = zip(column.texts, column.times, strict=True)
        return any(n > 1 and (kept or not is_missing(name, dialogue.known)) for name, n in of_name)

    return in_several(names) or in_several(names.renamed([*map(str.strip, names.texts)]))


def _position(table: RawTable, column: int | str | None) -> int | None:
    if column is None:
        return None
    if isinstance(column, str) and column in table.columns:
        return table.columns.index(column)
    if isinstance(column, int) and 0 <= column < len(table.columns):
        return column
    options = table.labels(range(len(table.columns)))
    raise IngestError(f"There is no column {column!r}: choose one of {options}.")


def _ask_which(table: RawTable, dialogue: Dialogue) -> str:
    first = table.labels(table.alike)
    sentence = f"{len(table.alike)} columns may hold the counts: {first}"
    parts = [place for place in table.alike if place not in table.totals]
    options = {
        Reply.ONE: f'"{shown(table.columns[table.count_column or 0])}" alone; to take another, '
        "choose it as the column of the counts",
        Reply.SUM: "the sum of all: one user may be in several; no guarantee then holds for a user",
    }
    if table.totals:
        sums = table.labels(table.totals)
        sentence += f"; the sum of others is in {sums}"
        options[Reply.SUM] = (
            f"the sum of the {len(parts)} columns that are not sums of others: one user may be in "
            "several; no guarantee then holds for a user"
        )
    called = _called_totals(table)
    if called:
        sentence += f"; called a total, but not the sum of the others: {table.labels(called)}"
        options[Reply.PARTS] = "the sum of those that are not called totals; likewise"
    return dialogue.ask(Ambiguity("several", f"{sentence}.", options))


def _called_totals(table: RawTable) -> list[int]:
    return [
        place
        for place in table.alike
        if place not in table.totals and says_total(table.columns[place])
    ]


def _added(cells: Cells, labels: Sequence[str], dialogue: Dialogue) -> TextColumn:
    """Return the row sums of several columns of counts; blank cells count as 0."""
    total = np.zeros(len(cells.row_numbers), dtype=np.int64)
    n_blank = 0
    for label, column in zip(labels, cells.summed, strict=True):
        n_blank += len(column) - int(column.rows_where(str.strip).sum())
        filled = column.renamed([cell if cell.strip() else "0" for cell in column.texts])

        def where(i: int, _: str, label: str = label) -> str:
            return f'Row {cells.row_numbers[i]:,}, column "{shown(label)}"'

        values, notes = whole_numbers(filled, where, dialogue)
        dialogue.notes += [f'Column "{shown(label)}": {note}' for note in notes]
        total += values
    if n_blank:
        dialogue.notes.append(f"{plural(n_blank, 'blank cell')} counted as 0.")
    return TextColumn.of(map(str, total.tolist()))


def header_of_counts(table: RawTable, count: int | None, report: IngestReport) -> str:
    """Return the header of the column of counts; empty where others were summed.

    Where distinct users were counted, it is what they are called.
    """
    if report.n_users is not None:
        return "users"
    others = {("several", Reply.SUM), ("several", Reply.PARTS)}
    made = not others.isdisjoint((asked.key, asked.answer) for asked in report.questions)
    return "" if count is None or made else table.columns[count]


def _how_read(table: RawTable, columns: ColumnPlaces, added: Sequence[int]) -> str:
    item, count, user = columns
    separated = ""
    if table.sheet:
        kind = f'sheet "{shown(table.sheet)}" of an Excel workbook'
    else:
        kind = "Parquet" if table.encoding == "Parquet" else f"{table.encoding} text"
        if len(table.columns) > 1 and table.encoding != "Parquet":
            separated = f", columns separated by {DELIMITERS[table.delimiter]}"
    names = "are numbered" if item is None else f"from column {table.labels([item])}"
    top = "the first row is the header" if table.header else "there is no header"
    made = f"counts from column {table.labels([count])}" if count is not None else "rows counted"
    if added:
        first, last = table.labels(added[:1]), table.labels(added[-1:])
        made = f"counts are the sums of {len(added)} columns, {first} to {last}"
    if user is not None:
        made = f"counts are the distinct users of column {table.labels([user])}"
    read = plural(table.n_rows, "row was", "rows were")
    return f"{read} read as {kind}{separated}; {top}; items {names}, {made}."


def _title(table: RawTable) -> str:
    """Return a name for the data: the file's name without folders, endings and markup."""
    name = PurePosixPath(table.filename.replace("\\", "/")).name
    for ending in _ENDINGS:  # packed ones first
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    if len(table.sheets) > 1:
        name = f"{name}, {table.sheet}"
    words = _NOT_IN_TITLES.sub(" ", plain(name[: 4 * MAX_TITLE])).split()
    return shown(" ".join(words), MAX_TITLE) or "uploaded"


def shown_decimals(table: RawTable) -> tuple[str, str]:
    """Return the decimal mark of all percentages and of all numbers that have both marks.

    With a sentence that says where it was seen; both are empty if there are no such cells, or of
    both kinds.
    """
    by_mark: dict[str, tuple[str, str]] = {}
    beginning = table.beginning(_N_LOOKED_AT)
    for place, label in enumerate(table.columns):
        for cell in beginning.cells(place).texts:
            text = cell.strip()[:30]
            match = _SHARE.fullmatch(text) or _BOTH.fullmatch(text)
            if match:
                mark = next(filter(None, match.groups()))
                by_mark.setdefault(mark, (label, cell.strip()))
    if len(by_mark) != 1:
        return "", ""
    ((mark, (label, cell)),) = by_mark.items()
    words = {",": "the comma marks decimals", ".": "the point marks decimals"}[mark]
    return mark, (
        f'Column "{label}" has "{shown(cell)}", so {words}, and the counts were read in the same '
        "way."
    )
