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
from dptopk.data.ingest._error import Question
from dptopk.data.ingest._items_of_users import CountsByBound, ItemsOfUsers
from dptopk.data.ingest._names import (
    MERGE,
    Distinct,
    Names,
    clean_names,
    distinct_names,
    distinct_pairs,
    kept_names,
    merged_twins,
    summed,
)
from dptopk.data.ingest._numbers import Wholes, whole_numbers
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._totals import LEAVE_OUT, says_total
from dptopk.data.ingest._users import Counted, count_users

_N_LARGEST = 5
_APART = "They were kept apart."
_MERGED = "They were merged; a user who is in both counts {}."


@dataclass(frozen=True)
class IngestReport:
    """Report on how counts were read and what was changed, in numbers and sentences.

    Sentences may quote the data: show them as plain text, not as markup.

    Attributes
    ----------
    contribution : Contribution
        How often one user may count for an item, as far as it is known.
    questions : tuple of Question
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
    questions: tuple[Question, ...] = ()
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
    None numbers the items; ``cells`` None makes every row count 1; ``users``, if given, are
    counted instead of rows.  ``only_column`` says that there is none beside the counts.
    """

    names: list[str] | None
    cells: list[str] | None
    where: Callable[[int, str], str]
    reading: tuple[str, ...]
    changes: tuple[str, ...] = ()
    blank_rows: int = 0
    left_out: int = 0
    split_off: int = 0  # items beyond the first of their cell
    max_items: int | None = None
    users: list[str] | None = None
    beside: list[str] | None = None  # users of rows that are said to be of one user each
    contribution: Contribution = Contribution.ASSUMED
    questions: tuple[Question, ...] = ()
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
    if given.cells is not None and given.users is None:
        wholes = whole_numbers(
            given.cells,
            given.where,
            answers.decimal,
            answers.rounding,
            part_of(progress, 0.0, 0.3),
            given.only_column,
        )
    values, cleaned, n_repeated = wholes.values, Names([]), 0
    questions = [*given.questions, *wholes.questions]
    contribution, against = given.contribution, ""
    counted: Counted | None = None
    items: ItemNames | None = None
    alike = ""
    if given.names is not None:
        cleaned = clean_names(given.names, given.where, part_of(progress, 0.3, 0.6))
        distinct = distinct_names(cleaned.texts, part_of(progress, 0.6, 0.7))
        once = given.users is not None
        distinct, twins = merged_twins(
            distinct, values, answers.twins, once, part_of(progress, 0.7, 0.8)
        )
        if twins is not None:
            questions.append(twins)
            merged = twins.answer == MERGE
            done = _MERGED.format("once" if once else "twice") if merged else _APART
            alike = f"{twins.sentence} {done}"
            if merged and _may_share_users(given):
                contribution = Contribution.SEVERAL
        n_repeated = distinct.n_repeated
        items = kept_names(distinct.names, part_of(progress, 0.9, 1.0))
        people_progress = part_of(progress, 0.8, 0.85)
        if given.users is not None:
            counted = count_users(
                distinct,
                given.users,
                given.max_items,
                people_progress,
                given.n_rows - given.split_off,
            )
            values = counted.values
        elif len(distinct.names) < values.size:
            values = summed(distinct, values)
        check_progress = part_of(progress, 0.85, 0.9)
        against = _against(distinct, wholes.values, given.beside or [], check_progress)
    if against:
        contribution = Contribution.SEVERAL
        questions = [
            replace(asked, sentence=f"{asked.sentence} {against}") if asked.key == "rows" else asked
            for asked in questions
        ]
    summing = "" if counted else _summing(given, n_repeated, values.size)
    changes = [
        *given.changes,
        *_cleanings(given, cleaned),
        *(counted.sentences if counted else [summing] if summing else []),
        *wholes.notes,
        *([alike] if alike else []),
        *([against] if against else []),
        *_odd(items, values),
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
        items_of_users=None if counted is None else counted.items_of_users,
        max_items=None if counted is None else given.max_items,
        summing=summing,
        cut="" if counted is None else counted.cut,
        by_bound=_named(counted, items, name),
    )
    return IngestResult(ItemCounts(values, items, name), report)


def _named(counted: Counted | None, items: ItemNames | None, name: str) -> CountsByBound | None:
    """Return the counts under every bound with the names of their items."""
    if counted is None or counted.by_bound is None:
        return None
    by_bound = counted.by_bound
    return replace(by_bound, counts=ItemCounts(by_bound.counts.counts, items, name))


def _against(distinct: Distinct, in_rows: IntArray, users: list[str], progress: Progress) -> str:
    """Describe evidence that the rows do not count distinct users; empty if there is none."""
    named = np.array([bool(user.strip()) for user in users], dtype=bool)
    if not named.any():
        return ""
    of_named = Distinct(distinct.names, distinct.codes[named])
    people = [user.strip() for user in users if user.strip()]
    repeated = len(people) - int(distinct_pairs(of_named, people, progress).sum())
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


def _may_share_users(given: Given) -> bool:
    """Return whether one user may occur in rows of two items."""
    named = given.beside and all(user.strip() for user in given.beside)
    return given.users is None and not named


def _cleanings(given: Given, cleaned: Names) -> list[str]:
    said = [
        (given.blank_rows, "blank row was left out", "blank rows were left out"),
        (
            cleaned.n_trimmed,
            "name had spaces around it, now removed",
            "names had spaces around them, now removed",
        ),
        (
            cleaned.n_cleaned,
            "name had line breaks or control characters, now spaces or removed",
            "names had line breaks or control characters, now spaces or removed",
        ),
        (
            cleaned.n_hidden,
            "name holds invisible characters, now shown as marks such as ‹U+200B›",
            "names hold invisible characters, now shown as marks such as ‹U+200B›",
        ),
    ]
    return [f"{plural(n, one, many)}." for n, one, many in said if n]


def _summing(given: Given, n_repeated: int, n_items: int) -> str:
    if not n_repeated:
        return ""
    left = plural(n_items, "item")
    if given.cells is None:
        return f"The rows of each item were counted, which makes {left}."
    one = f"name occurs more than once: its counts were summed, which leaves {left}"
    many = f"names occur more than once: their counts were summed, which leaves {left}"
    return f"{plural(n_repeated, one, many)}; a user in two rows of a name counts twice."


def _odd(names: Sequence[str] | None, values: IntArray) -> list[str]:
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
