"""Read a survey: a table with a column of yes and no for each item and a row for each user."""

import re
from typing import NamedTuple

import numpy as np

from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._assemble import Cells, assemble
from dptopk.data.ingest._columns import counts_people
from dptopk.data.ingest._contribution import Contribution
from dptopk.data.ingest._error import NO, YES, Ambiguity, Dialogue
from dptopk.data.ingest._plain import examples
from dptopk.data.ingest._report import IngestResult
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import says_total
from dptopk.data.ingest._yes_no import (
    is_answered,
    one_word_or_blank,
    other_answers,
    rows_that_say_yes,
)
from dptopk.data.ingest.reading import ColumnPlaces, RawTable

_FEWEST = 3  # columns of yes and no that are asked about unasked
_N_NAMED = 12  # columns whose other answers are told
_CODE = re.compile(r"[\w.@+-]+")
_DATE = re.compile(r"\d{1,4}[.-]\d{1,2}[.-]\d{1,4}")
_MOSTLY = 0.7  # of the cells that name users are different, at least
_RECURS = 0.9  # of the cells are different at most, where names recur more than by chance
_AGES = {"age", "alter", "âge", "edad"}


def may_be_survey(table: RawTable, columns: ColumnPlaces, asked: Dialogue) -> bool:
    """Return whether many columns say yes and no, and one of them or none is to be read.

    Or most columns do, beside guessed columns, such as remarks and ages, and one row a user.  Few
    are enough where it was answered.
    """
    item, count, user = columns
    if asked.answers.get("survey") == YES and table.yes_no:
        return True
    if len(table.yes_no) < _FEWEST:
        return False
    if {item, count} & {*table.yes_no} or (table.problem and {count, user} == {None}):
        return True
    counted = count is not None and counts_people(table.columns[count])
    if (item, count) != (table.item_column, table.count_column) or counted:
        return False
    users = None if user is None else table.beginning().cells(user)
    once = users is None or len(users.texts) >= _RECURS * len(users)
    return once and 2 * len(table.yes_no) > len(table.columns)


class Survey(NamedTuple):
    """Survey without a row of totals below.

    ``user`` is the position of the column that names users, None where each row is one;
    ``columns`` are the others by position, and ``others`` says what few of their cells hold that
    is neither yes nor no.
    """

    table: RawTable
    user: int | None
    users: TextColumn
    columns: dict[int, TextColumn]
    others: dict[int, list[str]]

    @classmethod
    def of(cls, table: RawTable, user: int | None) -> "Survey":
        """Return the survey that a table is, with a column of users, if one is chosen or there."""
        every = {column: table.cells(column) for column in range(len(table.columns))}
        before = range(min(table.yes_no))  # a remark behind the answers that says total is one
        if any(says_total(every[column][-1]) for column in before):
            rows = np.arange(table.n_rows - 1)
            every = {column: cells.at(rows) for column, cells in every.items()}
        n_rows = len(every[0])
        user = _column_of_users(table) if user is None else user
        rows_as_users = TextColumn([*map(str, range(n_rows))], np.arange(n_rows))
        users = rows_as_users if user is None else every.pop(user)
        others = {column: said for column, cells in every.items() if (said := other_answers(cells))}
        return cls(table, user, users, every, others)

    @property
    def question(self) -> Ambiguity:
        """Question whether columns of yes and no are items."""
        table = self.table
        user = "" if self.user is None else table.columns[self.user]
        who = "each row" if self.user is None else f'each name in column "{user}"'
        almost = "".join(
            f' Nearly only: column "{table.columns[column]}", which also says '
            f"{examples(said)}: no answer."
            for column, said in [*self.others.items()][:_N_NAMED]
        )
        return Ambiguity(
            "survey",
            f"{len(table.yes_no)} columns hold only yes or no: "
            f"{table.labels(table.yes_no)}.{almost}",
            {
                YES: f"each of them is an item, and {who} is a user: count who says yes",
                NO: "none of them is: read the chosen columns",
            },
            how=f"say whether each of them is an item, and {who} a user, or choose other columns",
        )

    def counts(
        self, asked: Dialogue, name: str, max_items: int | None, progress: Progress | None
    ) -> IngestResult:
        """Count who says yes in each column of yes and no."""
        table, notes = self.table, asked.notes
        blank_is_no = any(
            one_word_or_blank(self.columns[column].texts)
            for column in self.columns.keys() & {*table.yes_no}
        )
        items = {
            column: cells
            for column, cells in self.columns.items()
            if is_answered(cells.texts)
            or column in self.others
            or (blank_is_no and not any(map(str.strip, cells.texts)))
        }
        labels = [table.columns[column] for column in items]
        asked.known = frozenset(labels)
        if len(self.users) < table.n_rows:
            notes.append("The last row was left out: it is a total.")
        notes.append(f"Items are {table.labels([*items])}.")
        if without := [column for column in self.columns if column not in items]:
            held = table.labels(without)
            notes.append(f"Not items, as they hold values other than yes and no: {held}.")
        for column, said in self.others.items():
            label = table.columns[column]
            notes.append(f'Column "{label}" also says {examples(said)}: read as no answer.')
        if self.user is None:
            notes.append("Each row was read as one user: nobody may be in two rows.")
        rows, places = np.column_stack([*map(rows_that_say_yes, items.values())]).nonzero()
        users = self.users.at(rows)
        reading = (
            f"{plural(table.n_rows, 'row was', 'rows were')} read; each column of yes and no is an "
            "item, and its count the number of users who say yes."
        )
        return assemble(
            Cells(rows + 1, lambda *_: "The header", TextColumn(labels, places), users=users),
            name,
            reading,
            table.n_rows + table.n_blank,
            asked,
            n_blank=table.n_blank,
            columns=("", "" if self.user is None else table.columns[self.user]),
            contribution=Contribution.COUNTED,
            max_items=max_items,
            keep_unused=True,
            progress=part_of(progress, 0.4, 1.0),
        )


def _column_of_users(table: RawTable) -> int | None:
    """Return the column that names users beside columns of yes and no, if there is one.

    Else the first of those before them whose cells are codes or single words, mostly different.
    """
    others = [column for column in table.identifiers if column not in table.yes_no]
    if others:
        return others[0]
    beginning = table.beginning()
    for column in range(min(table.yes_no)):
        cells = [*filter(None, map(str.strip, beginning.cells(column).texts))]
        n_filled = int(beginning.cells(column).rows_where(str.strip).sum())
        named = all(map(_CODE.fullmatch, cells)) and not all(map(_DATE.fullmatch, cells))
        if len(cells) > 1 and named and len(cells) >= _MOSTLY * n_filled:
            return column if table.columns[column].strip().casefold() not in _AGES else None
    return None
