"""Convert table cells to `ItemCounts`, with cleaned names and one count per item."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.data.ingest._contribution import Contribution
from dptopk.data.ingest._error import Ambiguity
from dptopk.data.ingest._items_of_users import CountsByBound, ItemsOfUsers
from dptopk.data.ingest._names import (
    Names,
    clean_names,
    cleaning_notes,
    kept_names,
    refuse_unusable,
    summed,
    twins_of,
)
from dptopk.data.ingest._numbers import Wholes, whole_numbers
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._totals import LEAVE_OUT, says_total

_N_LARGEST = 5


@dataclass(frozen=True)
class IngestReport:
    """Report on how counts were read and what was changed, in numbers and sentences.

    Sentences may quote the data: show them as plain text, not as markup.

    Attributes
    ----------
    contribution : Contribution
        How often one user may count for an item, as far as it is known.
    questions : tuple of Ambiguity
        What was asked or may be undone, with the answers taken.
    items_of_users : ItemsOfUsers or None
        How many items users have, where distinct users were counted; before any cut.
    max_items : int or None
        How many items of each user were kept at most, where that was asked.
    summing : str
        That counts of a name in several rows were summed, where they were.
    cut : str
        What ``max_items`` removed before users were counted, where it removed anything.
    by_bound : CountsByBound or None
        The counts under every bound on the items of a user, of an upload whose distinct users were
        counted; before any cut.
    """

    rows_read: int
    rows_kept: int
    blank_rows: int
    duplicate_names: int
    names_trimmed: int
    names_cleaned: int
    reading: tuple[str, ...]
    changes: tuple[str, ...]
    contribution: Contribution = Contribution.ASSUMED
    questions: tuple[Ambiguity, ...] = ()
    items_of_users: ItemsOfUsers | None = None
    max_items: int | None = None
    summing: str = ""
    cut: str = ""
    by_bound: CountsByBound | None = None

    @property
    def n_users(self) -> int | None:
        """Number of users, where distinct users were counted."""
        return None if self.items_of_users is None else self.items_of_users.n_users

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences: how the data were read, then what was changed or is unusual."""
        return self.reading + self.changes


@dataclass(frozen=True)
class IngestResult:
    """Counts with the report on how they were read."""

    counts: ItemCounts
    report: IngestReport

    @property
    def confirmation(self) -> tuple[str, ...]:
        """Sentences to check before the counts are used; they quote the largest counts."""
        counts, report = self.counts, self.report
        users = report.items_of_users
        left_out = report.rows_read - report.rows_kept - report.blank_rows
        sizes = [
            plural(report.rows_read - report.blank_rows, "row"),
            *([] if users is None else [plural(users.n_users, "user")]),
            plural(counts.d, "item"),
        ]
        return (
            f"{', '.join(sizes)}.",
            *([] if users is None else [users.sentence]),
            self.largest,
            *([self._left_out(left_out)] if left_out else []),
        )

    @property
    def largest(self) -> str:
        """Sentence that quotes the largest counts, without any noise."""
        counts = self.counts
        top = [
            f'"{shown(counts.items[place])}" {counts.counts[place]:,}'
            for place in counts.order[:_N_LARGEST]
        ]
        return f"Largest counts: {', '.join(top)}."

    def _left_out(self, n_rows: int) -> str:
        """Return the number of rows left out, and why where that can be undone, in words."""
        undone = [
            asked.sentence
            for asked in self.report.questions
            if asked.key in ("nulls", "suppressed", "total") and asked.answer == LEAVE_OUT
        ]
        return " ".join([f"Left out: {plural(n_rows, 'row')}.", *undone])


@dataclass(frozen=True)
class Answers:
    """Answers to the questions of the reader by key; None for a question without an answer."""

    decimal: str | None = None
    rounding: str | None = None
    twins: str | None = None


@dataclass(frozen=True)
class Given:
    """Cells as they were found, with notes on them.

    ``where(i, part)`` tells in words where cell i of the part "item" or "count" is.  ``names``
    None numbers the items; ``cells`` None makes every row count 1.  ``only_column`` says that there
    is none beside the counts.
    """

    names: TextColumn | None
    cells: TextColumn | None
    where: Callable[[int, str], str]
    reading: tuple[str, ...]
    changes: tuple[str, ...] = ()
    blank_rows: int = 0
    left_out: int = 0
    split_off: int = 0  # items beyond the first of their cell
    beside: TextColumn | None = None  # users of rows that are said to be of one user each
    contribution: Contribution = Contribution.ASSUMED
    questions: tuple[Ambiguity, ...] = ()
    only_column: bool = False

    @property
    def n_rows(self) -> int:
        """Number of items of all cells, which is that of rows unless cells were split."""
        return len(self.cells or self.names or ())


def assemble(
    given: Given, name: str, answers: Answers = Answers(), progress: Progress | None = None
) -> IngestResult:
    """Convert name and count cells to counts, with a report."""
    wholes = Wholes(np.ones(given.n_rows, dtype=np.int64), (), ())
    if given.cells is not None:
        wholes = whole_numbers(
            given.cells,
            given.where,
            answers.decimal,
            answers.rounding,
            part_of(progress, 0.0, 0.5),
            given.only_column,
        )
    values, n_repeated = wholes.values, 0
    questions = [*given.questions, *wholes.questions]
    contribution, against, alike = given.contribution, "", ""
    items: ItemNames | None = None
    cleaned = Names([])
    if given.names is not None:
        check = part_of(progress, 0.5, 0.9)
        raw = given.names
        cleaned = clean_names(raw.texts)
        refuse_unusable(cleaned.texts, lambda i, part: given.where(raw.first[i], part))
        distinct = raw.renamed(cleaned.texts)
        check(0.6)
        sums = np.bincount(distinct.codes, weights=values).tolist()
        twins = twins_of(distinct.texts, sums, answers.twins, once=False)
        if twins is not None:
            questions.append(twins.question)
            alike = twins.sentence
            if twins.heirs:
                distinct = distinct.renamed([twins.heirs.get(n, n) for n in distinct.texts])
                if given.beside is None or not all(map(str.strip, given.beside.texts)):
                    contribution = Contribution.SEVERAL
        n_repeated = sum(n > 1 for n in distinct.times)
        if len(distinct.texts) < values.size:
            values = summed(distinct, values)
        against = _against(distinct, wholes.values, given.beside)
        items = kept_names(distinct.texts, part_of(progress, 0.9, 1.0))
    if against:
        contribution = Contribution.SEVERAL
        questions = [
            replace(asked, sentence=f"{asked.sentence} {against}") if asked.key == "rows" else asked
            for asked in questions
        ]
    summing = _summing(given, n_repeated, values.size)
    changes = [
        *given.changes,
        *blank_notes(given.blank_rows),
        *cleaning_notes(cleaned),
        *([summing] if summing else []),
        *wholes.notes,
        *([alike] if alike else []),
        *([against] if against else []),
        *odd_counts(items, values),
    ]
    report = IngestReport(
        rows_read=given.n_rows - given.split_off + given.blank_rows + given.left_out,
        rows_kept=given.n_rows - given.split_off,
        blank_rows=given.blank_rows,
        duplicate_names=n_repeated,
        names_trimmed=cleaned.n_trimmed,
        names_cleaned=cleaned.n_cleaned + cleaned.n_hidden,
        reading=given.reading,
        changes=tuple(changes),
        contribution=contribution,
        questions=tuple(questions),
        summing=summing,
    )
    return IngestResult(ItemCounts(values, items, name), report)


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


def blank_notes(n_rows: int) -> list[str]:
    """Return a sentence on blank rows, if there are any."""
    left = plural(n_rows, "blank row was left out", "blank rows were left out")
    return [f"{left}."] if n_rows else []


def _summing(given: Given, n_repeated: int, n_items: int) -> str:
    if not n_repeated:
        return ""
    left = plural(n_items, "item")
    if given.cells is None:
        return f"The rows of each item were counted, which makes {left}."
    one = f"name occurs more than once: its counts were summed, which leaves {left}"
    many = f"names occur more than once: their counts were summed, which leaves {left}"
    return f"{plural(n_repeated, one, many)}; a user in two rows of a name counts twice."


def odd_counts(names: Sequence[str] | None, values: IntArray) -> list[str]:
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
