"""Make `ItemCounts` of cells: names under one spelling, then users counted or counts summed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.data.ingest._contribution import Contribution
from dptopk.data.ingest._error import Ambiguity, IngestError, UnclearError
from dptopk.data.ingest._missing import NameAnswers, answer_missing, is_missing, missing
from dptopk.data.ingest._names import packed_names, refuse_unusable, spell, summed
from dptopk.data.ingest._numbers import Wholes, whole_numbers
from dptopk.data.ingest._progress import with_progress
from dptopk.data.ingest._report import IngestReport, IngestResult
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import says_total
from dptopk.data.ingest.queries import in_memory
from dptopk.data.ingest.user_counts import NothingLeftError, Rows, count_users


@dataclass(frozen=True)
class Given:
    """Cells as they were found, with notes on them.

    ``names`` None numbers the items, ``cells`` None makes every row count 1; ``users`` are who is
    in each row.  ``where`` tells in words where a cell of the part "item" or "count" is.
    ``columns`` are what those of items and users are called; None where no name can be missing.
    ``row_numbers`` are the same for several items of one row.  ``n_read`` counts rows with those
    left out.
    """

    names: TextColumn | None
    cells: TextColumn | None
    where: Callable[[int, str], str]
    reading: tuple[str, ...]
    n_read: int
    changes: tuple[str, ...] = ()
    blank_rows: int = 0
    users: TextColumn | None = None
    columns: tuple[str, str] | None = None
    row_numbers: IntArray | None = None
    contribution: Contribution = Contribution.ASSUMED
    questions: tuple[Ambiguity, ...] = ()
    only_column: bool = False

    @property
    def counted(self) -> bool:
        """True if distinct users are to be counted."""
        of_users = self.names is not None and self.users is not None
        return of_users and self.contribution is Contribution.COUNTED

    def at(self, rows: IntArray) -> "Given":
        """Return some cells, by their positions."""
        names, cells, users = (
            column and column.at(rows) for column in (self.names, self.cells, self.users)
        )
        numbers = None if self.row_numbers is None else self.row_numbers[rows]
        where = self.where
        return replace(
            self,
            names=names,
            cells=cells,
            users=users,
            row_numbers=numbers,
            where=lambda i, part: where(int(rows[i]), part),
        )


class Answers(NamedTuple):
    """Answers to the questions on numbers and names; None for a question without an answer."""

    decimal: str | None = None
    rounding: str | None = None
    names: NameAnswers = NameAnswers()
    max_items: int | None = None


def assemble(
    given: Given, name: str, answers: Answers | None = None, progress: Progress | None = None
) -> IngestResult:
    """Count the distinct users of each item, or sum the counts of each name, with a report."""
    progress = part_of(progress, 0.0, 1.0)
    result = (_users if given.counted else _sums)(given, name, answers or Answers(), progress)
    report, counts = result.report, result.counts
    items = None if given.names is None else counts.items
    changes = (*report.changes, *_odd_counts(items, counts.counts))
    return replace(
        result,
        report=replace(
            report,
            rows_read=given.n_read,
            blank_rows=given.blank_rows,
            reading=given.reading,
            changes=changes,
        ),
    )


def _users(given: Given, name: str, answers: Answers, progress: Progress) -> IngestResult:
    """Count the distinct users of each item, in the order in which the items appear."""
    import pandas as pd  # here: only who has users needs it

    names, users, row_numbers = given.names, given.users, given.row_numbers
    assert names is not None
    assert users is not None
    assert given.columns is not None
    assert row_numbers is not None
    filled = [place for place, name in enumerate(names.texts) if name.strip()]
    refuse_unusable(
        [names.texts[place] for place in filled],
        lambda place: given.where(names.first[filled[place]], "item"),
    )
    of_rows = np.diff(row_numbers, prepend=0) != 0  # the first piece of each cell
    u, i = (pd.Categorical.from_codes(one.codes, pd.Index(one.texts)) for one in (users, names))
    frame = pd.DataFrame({"u": u, "i": i, "n": of_rows.astype(np.int64)})
    sql = "SELECT CAST(u AS VARCHAR) AS u, CAST(i AS VARCHAR) AS i, n FROM dptopk_rows"
    item, user = given.columns
    rows = Rows(sql, user, item, True, "the file", name, counted=True)
    try:
        with in_memory(frame, progress) as run:
            result = count_users(
                run, rows, answers.names, answers.max_items, by_bound=None, order=names.texts
            )
    except UnclearError as error:
        raise error.after(given.questions) from error
    except NothingLeftError as error:
        empty = "users" if all(map(is_missing, users.texts)) else "items"
        raise IngestError(f"The column of {empty} is empty: choose another column.") from error
    packed_names(result.counts.items)
    report = result.report
    changes = (*given.changes, *_blank_notes(given.blank_rows), *report.changes)
    questions = (*given.questions, *report.questions)
    return replace(result, report=replace(report, changes=changes, questions=questions))


def _sums(given: Given, name: str, answers: Answers, progress: Progress) -> IngestResult:
    """Sum the counts of each name, in the order in which the names appear."""
    notes, questions = [*given.changes], [*given.questions]
    if given.names is not None and given.columns is not None:
        given = _without_missing(given, answers.names, questions, notes)
    names, cells, users = given.names, given.cells, given.users
    ones = np.ones(len(cells or names or ()), dtype=np.int64)
    wholes = Wholes(ones, (), ())
    if cells is not None:
        how = answers.decimal, answers.rounding, part_of(progress, 0.0, 0.5), given.only_column
        wholes = whole_numbers(cells, given.where, *how)
        questions += wholes.questions
    values, n_repeated, spelling = wholes.values, 0, None
    items: ItemNames | None = None
    contribution, against = given.contribution, ""
    notes += _blank_notes(given.blank_rows)
    alike: list[str] = []
    if names is not None:
        sums = np.bincount(names.codes, weights=values, minlength=len(names.texts)).tolist()
        size_of = dict(zip(names.texts, sums, strict=True))
        first = dict(zip(names.texts, names.first, strict=True))
        spelling = spell(
            size_of, {}, answers.names, False, lambda name: given.where(first[name], "item")
        )
        part_of(progress, 0.5, 0.9)(0.6)
        alike = spelling.alike
        questions += spelling.questions
        distinct = names.renamed([spelling.renamed.get(name, name) for name in names.texts])
        if spelling.heirs and (users is None or not all(map(str.strip, users.texts))):
            contribution = Contribution.SEVERAL
        n_repeated = sum(n > 1 for n in distinct.times)
        if len(distinct.texts) < values.size:
            values = summed(distinct, values)
        if given.contribution is Contribution.STATED:
            against = _against(distinct, wholes.values, users)
        items = packed_names(with_progress(distinct.texts, part_of(progress, 0.9, 1.0)))
        notes += spelling.notes
    if against:
        contribution = Contribution.SEVERAL
        questions = [
            replace(asked, sentence=f"{asked.sentence} {against}") if asked.key == "rows" else asked
            for asked in questions
        ]
    summing = _summing(cells is None, n_repeated, values.size)
    changes = [*notes, summing, *wholes.notes, *alike, against]
    numbers = given.row_numbers
    report = IngestReport(
        rows_read=0,
        rows_kept=wholes.values.size if numbers is None else len(np.unique(numbers)),
        blank_rows=0,
        duplicate_names=n_repeated,
        names_trimmed=spelling.n_trimmed if spelling else 0,
        names_cleaned=spelling.n_cleaned if spelling else 0,
        reading=(),
        changes=tuple(filter(None, changes)),
        contribution=contribution,
        questions=tuple(questions),
        summing=summing,
    )
    return IngestResult(ItemCounts(values, items, name), report)


def _without_missing(
    given: Given, answers: NameAnswers, questions: list[Ambiguity], notes: list[str]
) -> Given:
    """Leave out rows without an item, or keep them, and note or ask about them."""
    names, users = given.names, given.users
    assert names is not None
    assert given.columns is not None
    of_users = missing({} if users is None else users.n_rows)
    of_users[""] = 0  # a row counts whoever is named in it
    n_rows = names.n_rows
    sizes = None if given.cells is not None else lambda: n_rows
    try:
        found = answer_missing(given.columns, n_rows, of_users, sizes, answers)
    except UnclearError as error:
        blank = np.flatnonzero(~names.rows_where(str.strip))
        at = "".join(f"{given.where(row, 'item')}: the item has no name; " for row in blank[:1])
        raise UnclearError(f"{at}{error}", (*questions, *error.questions)) from error
    questions += found.questions
    notes += found.notes
    if users is not None:
        nobody = is_missing if found.leave_out else lambda user: not user.strip()
        people = ["" if nobody(user) else user for user in users.texts]
        given = replace(given, users=users.renamed(people))
    if not found.renamed:
        return given
    names = names.renamed([found.renamed.get(name, name) for name in names.texts])
    if not any(names.texts):
        raise IngestError("The column of items is empty: choose another column.")
    return replace(given, names=names).at(np.flatnonzero(names.rows_where(bool)))


def _against(distinct: TextColumn, in_rows: IntArray, users: TextColumn | None) -> str:
    """Describe evidence that the rows do not count distinct users; empty if there is none."""
    if users is None or not any(map(str.strip, users.texts)):
        return ""
    people = users.renamed([*map(str.strip, users.texts)])
    named = people.rows_where(bool)
    pairs = np.unique(distinct.codes[named] * len(people.texts) + people.codes[named])
    repeated = int(named.sum()) - pairs.size
    many = int(np.count_nonzero(in_rows[named] > 1))
    again = f"{plural(repeated, 'row repeats', 'rows repeat')} a user and an item of another row"
    more = f"{plural(many, 'row of one user counts', 'rows of one user each count')} more than 1"
    seen = [words for n, words in ((repeated, again), (many, more)) if n]
    if not seen:
        return ""
    return (
        "The file itself contradicts the statement that its rows already count users: "
        f"{' and '.join(seen)}. No guarantee holds for a user unless distinct users are counted."
    )


def _blank_notes(n_rows: int) -> list[str]:
    """Return a sentence on blank rows, if there are any."""
    left = plural(n_rows, "blank row was left out", "blank rows were left out")
    return [f"{left}."] if n_rows else []


def _summing(rows: bool, n_repeated: int, n_items: int) -> str:
    if not n_repeated:
        return ""
    left = plural(n_items, "item")
    if rows:
        return f"The rows of each item were counted, which makes {left}."
    one = f"name occurs more than once: its counts were summed, which leaves {left}"
    many = f"names occur more than once: their counts were summed, which leaves {left}"
    return f"{plural(n_repeated, one, many)}; a user in two rows of a name counts twice."


def _odd_counts(names: Sequence[str] | None, values: IntArray) -> list[str]:
    """Return sentences on data that are valid but may not be what was meant."""
    if values.size == 1:
        return ["There is only one item, so there is nothing to select."]
    if values.min() == values.max():
        return [f"All {values.size:,} counts are equal: every selection is a true top k."]
    top = int(np.argmax(values))
    if (
        names is not None
        and says_total(names[top])
        and 2 * int(values[top]) == sum(values.tolist())
    ):
        return [
            f'The item "{names[top]}" has the same count as all others together: if it is '
            "their total, delete its row."
        ]
    return []
