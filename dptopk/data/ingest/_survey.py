"""Read a survey: a table with a column of yes and no for each item and a row for each user."""

import re
from collections.abc import Iterator, Mapping, Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._assemble import Cells, assemble
from dptopk.data.ingest._columns import DATE, counts_people
from dptopk.data.ingest._error import Ambiguity, Dialogue, IngestError, Reply
from dptopk.data.ingest._names import by_spelling, numbers_as_listed
from dptopk.data.ingest._plain import examples
from dptopk.data.ingest._report import Contribution, IngestResult
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import says_total
from dptopk.data.ingest._yes_no import Answers, answers_in, one_word_or_blank
from dptopk.data.ingest.reading import ColumnPlaces, RawTable

_FEWEST = 3  # columns of yes and no that are asked about, whichever column is read
_IDENTIFIER = re.compile(r"[\w.@+-]+")
_MOSTLY = 0.7  # of the cells that name users are different, at least
_SELDOM = 0.1  # of the cells are, at least, where each user may be in few rows
_RECURS = 0.9  # of the cells are different at most, where names recur more than by chance
_NO_YES = Answers((), [])  # of a column without any answer
_AGES = {"age", "alter", "âge", "edad"}


def may_be_survey(table: RawTable, columns: ColumnPlaces, dialogue: Dialogue) -> bool:
    """Return whether many columns say yes and no, and one of them or none is to be read.

    Or most columns do, beside guessed columns, such as remarks and ages, and one row a user.  Few
    are enough where it was answered, and two where one of them would be read as the items.
    """
    item, count, user = columns
    if dialogue.answers.get("survey") == Reply.YES:
        if not (table.yes_no or dialogue.known):
            raise IngestError(
                "No column says yes and no, such as yes or no, 1 or 0, x or nothing, so that this "
                "is no survey: write the answers so, or leave the answer survey=yes out."
            )
        return True
    if len(table.yes_no) < _FEWEST:
        return item in table.yes_no and len(table.yes_no) > 1  # whose items would be yes and no
    if {item, count} & {*table.yes_no} or (table.problem and {count, user} == {None}):
        return True
    counted = count is not None and counts_people(table.columns[count])
    if (item, count) != (table.item_column, table.count_column) or counted:
        return False
    users = None if user is None else table.beginning().cells(user)
    once = users is None or len(users.texts) >= _RECURS * len(users)
    return once and 2 * len(table.yes_no) > len(table.columns)


class Survey(NamedTuple):
    """Survey, whose items are columns.

    With a public list, each cell is judged alone: the items are the columns of listed labels, or
    the listed names in cells where no label is listed.  Without, the columns and the words for yes
    are found by the answers in them, a row of totals below is left out, and so a user can change
    what is counted of others.
    """

    table: RawTable
    user: int | None  # position of the column that names users, None where each row is one
    users: TextColumn
    columns: dict[int, TextColumn]  # the others, by position
    answers: dict[int, Answers]  # those of them that say yes and no
    listed: AbstractSet[str] = frozenset()
    assumed: bool = False  # whether what all answers say decides who is a user or what says yes

    @classmethod
    def of(cls, table: RawTable, user: int | None, known: AbstractSet[str]) -> "Survey":
        """Return the survey that a table is, with a column of users, if one is chosen or there.

        ``known`` are the names on a public list, if there is one.
        """
        every = {column: table.cells(column) for column in range(len(table.columns))}
        labels = {column: table.columns[column].strip() for column in every}
        read = numbers_as_listed(labels.values(), known) if known else {}
        labels = {column: read.get(label, label) for column, label in labels.items()}
        named, user = user, column_of_users(table) if user is None else user
        if named is None and user is not None and labels[user] in known:
            user = None  # it is an item
        if known:
            users = _users(every, user)
            items = [column for column in every if labels[column] in known]  # without that of users
            answers = {one: Answers.of_item(labels[one], every[one]) for one in items}
            return cls(table, user, users, every, answers, known, named != user)
        before = range(min(table.yes_no))  # a remark behind the answers that says total is one
        if any(says_total(every[column][-1]) for column in before):
            rows = np.arange(table.n_rows - 1)
            every = {column: cells.at(rows) for column, cells in every.items()}
        users = _users(every, user)
        answers = answers_in(every, table.columns)
        return cls(table, user, users, every, answers, assumed=True)

    @property
    def question(self) -> Ambiguity:
        """Question whether columns of yes and no are items."""
        table = self.table
        user = "" if self.user is None else table.columns[self.user]
        who = "each row" if self.user is None else f'each name in column "{user}"'
        also = "".join(f" {said}: no answer." for said in self._others_said())
        also += self._recurring
        more = [] if self.listed else [place for place in self.columns if place not in self.answers]
        also += f" Others say more or nothing: {table.labels(more)}." if more else ""
        yes = examples(word for said in self.answers.values() for word in said.yes)
        columns = f"{len(self.answers)} columns say yes or no: {table.labels([*self.answers])}."
        if self.listed and not self.answers:
            columns, yes = "No heading is on the public list.", "a name on it"
        return Ambiguity(
            "survey",
            f"{columns}{also}",
            {
                Reply.YES: f"each of them is an item, and {who} is a user: count who says {yes}",
                Reply.NO: "none of them is: read the chosen columns",
            },
            how=f"say whether each of them is an item, and {who} a user, or choose other columns",
        )

    def counts(
        self, dialogue: Dialogue, name: str, max_items: int | None, progress: Progress | None
    ) -> IngestResult:
        """Count who says yes in each column of yes and no."""
        table, notes = self.table, dialogue.notes
        if len(self.users) < table.n_rows:
            notes.append("The last row was left out: it is a total.")
        names, places = self._of_list(notes) if self.listed else self._of_answers(notes)
        dialogue.known = frozenset(names)
        notes += [f"{said}: read as no answer." for said in self._others_said()]
        if self.user is None:
            note = "Each row was read as one user: nobody may be in two rows."
            notes.append(f"{note}{self._recurring}")
        every = np.column_stack(places or [np.full(len(self.users), -1)])
        rows, columns = (every >= 0).nonzero()
        if self.listed and not rows.size:
            raise IngestError(
                "No cell below a listed heading says yes, as in yes, 1, x or the heading: write "
                "the answers so, or list what the cells say."
                if self.answers
                else "Neither headings nor cells are on the public list: list one of them."
            )
        items, users = TextColumn(names, every[rows, columns]), self.users.at(rows)
        n_nothing = len(self.users) - np.unique(rows).size
        if n_nothing:
            notes.append(f"{plural(n_nothing, 'row')} said yes to no item.")
        reading = (
            f"{plural(table.n_rows, 'row was', 'rows were')} read; each column of yes and no is an "
            "item, and its count the number of users who say yes."
        )
        result = assemble(
            Cells(rows + 1, lambda *_: "The header", items, users=users),
            name,
            reading,
            table.n_rows + table.n_blank,
            dialogue,
            n_blank=table.n_blank,
            columns=("", "" if self.user is None else table.columns[self.user]),
            contribution=Contribution.COUNTED,
            max_items=max_items,
            keep_unused=True,
            progress=part_of(progress, 0.4, 1.0),
        )
        report = replace(result.report, rows_kept=result.report.rows_kept + n_nothing)
        if self.assumed:
            report = replace(report, contribution=Contribution.ASSUMED)
        elif self.user is None:  # which nothing in the table shows
            report = replace(report, contribution=Contribution.STATED)
        return replace(result, report=report)

    def _of_list(self, notes: list[str]) -> tuple[list[str], list[IntArray]]:
        """Return the items on the public list, and which of them each row has in each column."""
        table = self.table
        if self.answers:
            notes.append(f"Items are {table.labels([*self.answers])}, which are on the list.")
            return self._of_columns(self.answers)
        notes.append("Items are cells that are on the list, as no heading is.")
        names = sorted(self.listed)
        texts = {text.strip() for cells in self.columns.values() for text in cells.texts}
        place = {name: n for n, name in enumerate(names)}
        place |= {it: place.get(read, -1) for it, read in numbers_as_listed(texts, names).items()}
        return names, [
            np.array([place.get(text.strip(), -1) for text in cells.texts])[cells.codes]
            for cells in self.columns.values()
        ]

    def _of_columns(self, items: Mapping[int, Answers]) -> tuple[list[str], list[IntArray]]:
        """Return the labels of items, and which of them each row has in each of their columns."""
        labels = [self.table.columns[column].strip() for column in items]
        read = numbers_as_listed(labels, self.listed) if self.listed else {}
        return [read.get(label, label) for label in labels], [
            np.where(said.rows_that_say_yes(self.columns[column]), place, -1)
            for place, (column, said) in enumerate(items.items())
        ]

    def _of_answers(self, notes: list[str]) -> tuple[list[str], list[IntArray]]:
        """Return the items that the answers tell, and which each row has in each of their columns.

        They are the columns of yes and no; their names are the labels, or the words that stand for
        yes, where each column has its own and none is a usual word for yes.
        """
        table = self.table
        blank_is_no = any(one_word_or_blank(self.columns[column].texts) for column in self.answers)
        items = {
            column: self.answers.get(column, _NO_YES)
            for column, cells in self.columns.items()
            if column in self.answers or (blank_is_no and not any(map(str.strip, cells.texts)))
        }
        labels, places = self._of_columns(items)
        names = self._names(dict(zip(items, labels, strict=True)))
        notes.append(
            f"Items are {'' if names == labels else 'what is said in '}{table.labels([*items])}. "
            "To leave out one that is none, such as consent, give a public list of items, or "
            "delete its column."
        )
        if without := [column for column in self.columns if column not in items]:
            held = table.labels(without)
            notes.append(f"Not items, as they say more than yes, no and few other words: {held}.")
        notes.append(
            "Which columns are items and what says yes was found in the answers, where one user "
            "can change it for all: with a public list of items each answer is judged alone."
        )
        return names, places

    @property
    def _recurring(self) -> str:
        """Sentence on a column that may name the users, each in several rows; empty without one."""
        table = self.table
        for column, different, n_filled in _codes(table) if self.user is None else ():
            if n_filled > different >= _SELDOM * n_filled and not _of_ages(table, column):
                return (
                    f" Column {table.labels([column])} holds {different:,} different names in "
                    f"{plural(n_filled, 'row')}: if they are of users, choose it as their column."
                )
        return ""

    def _names(self, labels: Mapping[int, str]) -> list[str]:
        """Return the names of items: the labels, or the words that stand for yes."""
        yes = {column: answer.yes for column, answer in self.answers.items()}
        usual = any(answer.usual for answer in self.answers.values())
        if usual or len({*yes.values()}) < max(2, len(yes)):
            return [*labels.values()]
        cells = {cell.strip() for column in yes for cell in self.columns[column].texts}
        written = {cell.casefold(): cell for cell in sorted(cells, key=by_spelling, reverse=True)}
        return [
            label if yes.get(column, ()) in ((), (label.casefold(),)) else written[yes[column][0]]
            for column, label in labels.items()
        ]

    def _others_said(self) -> list[str]:
        """Return which columns say something beside yes and no, and what."""
        places: dict[str, list[int]] = {}
        for column, answer in self.answers.items():
            if answer.others:
                places.setdefault(examples(answer.others), []).append(column)
        return [f"{self.table.labels(some)} also said {others}" for others, some in places.items()]


def _users(every: dict[int, TextColumn], user: int | None) -> TextColumn:
    """Take the column that names users out of all, or return each row as one."""
    if user is not None:
        return every.pop(user)
    n_rows = len(every[0])
    return TextColumn([*map(str, range(n_rows))], np.arange(n_rows))


def column_of_users(table: RawTable) -> int | None:
    """Return the column that names users beside columns of yes and no, if there is one.

    Else the first of those before them whose cells are codes or single words, mostly different.
    """
    others = [column for column in table.identifiers if column not in table.yes_no]
    if others:
        return others[0]
    named = (column for column, n, n_filled in _codes(table) if n >= _MOSTLY * n_filled)
    column = next(named, None)
    return None if column is None or _of_ages(table, column) else column


def _codes(table: RawTable) -> Iterator[tuple[int, int, int]]:
    """Yield the columns of codes or single words before the answers, looking at the first rows.

    With each comes how many are different, and how many cells are filled.
    """
    beginning = table.beginning()
    for column in range(min(table.yes_no, default=0)):
        cells = [*filter(None, map(str.strip, beginning.cells(column).texts))]
        n_filled = int(beginning.cells(column).rows_where(str.strip).sum())
        named = all(map(_IDENTIFIER.fullmatch, cells)) and not all(map(DATE.fullmatch, cells))
        if len(cells) > 1 and named:
            yield column, len(cells), n_filled


def _of_ages(table: RawTable, column: int) -> bool:
    return table.columns[column].strip().casefold() in _AGES
