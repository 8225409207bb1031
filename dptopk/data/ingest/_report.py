"""Report on how counts were read, and what was changed."""

from dataclasses import dataclass, replace

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.data.ingest._contribution import Contribution
from dptopk.data.ingest._error import LEAVE_OUT, Ambiguity
from dptopk.data.ingest._items_of_users import CountsByBound, ItemsOfUsers, pairs_said
from dptopk.data.ingest._plain import shown

_N_LARGEST = 5
_LONGEST = 200  # characters of a condition beside a name


def of_part(where: str | None) -> str:
    """Return words on a condition that go behind the name of a log; empty without one."""
    return f" where {shown(where, _LONGEST)}" if where else ""


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
    on_list : str
        How many items of a public list the data have, and how many others were dropped.
    cut : str
        What ``max_items`` removed before users were counted, where it removed anything.
    by_bound : CountsByBound or None
        The counts under every bound on the items of a user, of an upload whose distinct users were
        counted; before any cut.
    where : str
        The condition in SQL that events of a log had to meet, where there was one.
    """

    rows_read: int = 0
    rows_kept: int = 0
    blank_rows: int = 0
    duplicate_names: int = 0
    reading: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    contribution: Contribution = Contribution.ASSUMED
    questions: tuple[Ambiguity, ...] = ()
    items_of_users: ItemsOfUsers | None = None
    max_items: int | None = None
    summing: str = ""
    on_list: str = ""
    cut: str = ""
    by_bound: CountsByBound | None = None
    where: str = ""

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

    def bounded(self, max_items: int | None) -> "IngestResult":
        """Return what reading the same with at most so many items of each user gives.

        ``max_items`` is one of the bounds of ``report.by_bound``, or None.
        """
        report, every = self.report, self.report.by_bound
        assert every is not None
        counts = every.counts if max_items is None else every.bounded(max_items)
        users = every.items_of_users
        before, after, now = map(users.n_pairs, (None, report.max_items, max_items))
        of = report.rows_kept, before, users
        said = pairs_said(*of, max_items, before - now)
        former = pairs_said(*of, report.max_items, before - after)
        made = former[0].partition(" became ")[2]
        changes: list[str] = []
        for one in report.changes:
            changes += [] if one in former[1:] else [one]
            # a survey keeps rows that became no pair, too
            changes += said[1:] if one.partition(" became ")[2] == made else []
        cut = said[-1] if now < before else ""
        found = replace(report, changes=tuple(changes), max_items=max_items, cut=cut)
        return IngestResult(counts, found)

    @property
    def confirmation(self) -> tuple[str, ...]:
        """Sentences to check before the counts are used; they quote the largest counts."""
        counts, report = self.counts, self.report
        users = report.items_of_users
        left_out = report.rows_read - report.rows_kept - report.blank_rows
        why = [report.on_list] if report.on_list else []
        why += [  # what can be undone
            asked.sentence
            for asked in report.questions
            if asked.key in ("nulls", "suppressed", "total") and asked.answer == LEAVE_OUT
        ]
        sizes = [
            plural(report.rows_read - report.blank_rows, "row"),
            *([] if users is None else [plural(users.n_users, "user")]),
            plural(counts.d, "item"),
        ]
        return (
            f"{', '.join(sizes)}.",
            *([] if users is None else [users.sentence]),
            self.largest,
            *([" ".join([f"Left out: {plural(left_out, 'row')}.", *why])] if left_out else []),
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
