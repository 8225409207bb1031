"""Report on how counts were read, what was changed, and how much one user can change a count."""

import re
from dataclasses import dataclass, replace
from enum import Enum

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural, singular
from dptopk.data.ingest._error import Ambiguity, Reply
from dptopk.data.ingest._items_of_users import CountsByBound, ItemsOfUsers, pairs_said
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._words import WORDS

MAX_UNIT = 24  # largest number of characters of a unit

_USERS, _EVENTS = "users", "events"
_PLURAL = re.compile(r"[^\W\d_]{2,}(?:[^\W\d_ius]s)|[^\W\d_a-z]\w+en")  # loans, Ausleihen; no class
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}")
_N_LARGEST = 5
_LONGEST = 200  # characters of a condition beside a name


class Contribution(Enum):
    """Evidence for how much one user can change a count."""

    COUNTED = Reply.COUNTED
    """Distinct users were counted here: each changes a count by at most 1."""

    STATED = Reply.STATED
    """Counts of distinct users, as declared by the person who gave the data."""

    ASSUMED = "assumed"
    """Nobody said anything: it is assumed."""

    SEVERAL = Reply.SEVERAL
    """One user may have several of what was counted or summed, or move a suppressed count."""

    @property
    def sentence(self) -> str:
        """Meaning of a privacy guarantee for these data, in a sentence."""
        return _SENTENCES[self]

    def caveat(self, unit: str) -> str:
        """Return the limits of a guarantee on these data; empty where distinct users were counted.

        ``unit`` is what the counts are numbers of.  Who counts m times is m neighbours away.
        """
        return _CAVEATS[self].format(unit=unit, one=self.protects(unit))

    def protects(self, unit: str) -> str:
        """Return the privacy unit in the singular; empty if the unit is a user.

        ``unit`` is what the counts are numbers of.  A row may count for many of them, so that
        it is one of them and not one row.
        """
        if self.holds:
            return ""
        return "unit of a count" if unit in WORDS["people"] else singular(unit)

    @property
    def holds(self) -> bool:
        """True unless one user is known to count several times."""
        return self is not Contribution.SEVERAL


_SENTENCES = {
    Contribution.COUNTED: (
        "Sensitivity: distinct users were counted for each item, so one user changes each count by "
        "at most 1."
    ),
    Contribution.STATED: (
        "Sensitivity: you stated that these counts already include each user at most once per "
        "item. If a user is in several rows of an item, the real privacy loss is larger."
    ),
    Contribution.ASSUMED: (
        "Sensitivity: one user is taken to change each count by at most 1. If rows count events, "
        "summed rows share users, or what one user wrote decides how others are read, the real "
        "privacy loss is larger."
    ),
    Contribution.SEVERAL: (
        "Sensitivity: one user may change a count by more than 1, as something else than users was "
        "counted, rows of one user may have been added up, or suppressed counts were given. The "
        "guarantee is for one unit of each count, and not for a whole user."
    ),
}

_MORE = (
    "for a user who counts up to m times for one item, ε is m times as large, and δ, if there is "
    "one, more than m times."
)
_CAVEATS = {
    Contribution.COUNTED: "",
    Contribution.STATED: (
        f"You stated that these counts of {{unit}} include each user at most once per item: {_MORE}"
    ),
    Contribution.ASSUMED: (
        f"One user is assumed to change each of these counts of {{unit}} by at most 1: {_MORE}"
    ),
    Contribution.SEVERAL: (
        "On these data, one user may change a count by more than 1. The guarantee holds for one "
        f"{{one}} of each item and does not hold for a whole user: {_MORE}"
    ),
}


def unit_of(header: str, contribution: Contribution) -> str:
    """Guess the unit, in the plural, from the header of the counts and the kind of rows.

    A header that says nothing leaves it at users.  Where one user may be in several rows it
    is units of that column, of which a row may hold many, or events where rows were counted.
    """
    if contribution is Contribution.COUNTED:
        return _USERS
    known = WORDS["people"] | WORDS["units"]
    units: list[str] = [word for word in re.findall(r"[^\W_]+", header.lower()) if word in known]
    if len(units) == 1:
        return units[0]
    words = header.replace("_", " ").split()
    left = [word for word in words if word.lower() not in WORDS["no_units"]]
    if len(left) == 1 and _PLURAL.fullmatch(left[0]):
        return checked_unit(left[0].lower() if left[0].endswith("s") else left[0]) or _USERS
    if contribution is not Contribution.SEVERAL:
        return _USERS
    return (checked_unit(f"units of {' '.join(words)}") or "units") if words else _EVENTS


def checked_unit(text: str) -> str | None:
    """Return a unit if it is one to three short words of letters; else None.

    Such words are safe wherever numbers stand: in markdown, in figures, in file names.
    """
    unit = " ".join(text.split())
    return unit if len(unit) <= MAX_UNIT and _LETTERS.fullmatch(unit) else None


def of_part(where: str | None) -> str:
    """Return words on a condition that go behind the name of a log; empty without one."""
    return f" where {shown(where, _LONGEST)}" if where else ""


def doubt_about(counts: ItemCounts, n_users: int | None, of_users: str = "") -> str:
    """Return what suggests that columns were taken for others, in a clause; or nothing.

    ``n_users`` is the number of users of a log, and ``of_users`` what is said of their names (see
    `IngestReport`), where they are known.
    """
    values = counts.counts
    if of_users:
        return of_users
    if values.max() <= 1:
        return "no item has a count above 1, as where each row is read as an item of its own"
    some = values[values > 0]
    if some.size > 1 and some.min() == some.max():
        return "all counts above zero are equal, as where another column is read"
    if n_users is not None and (values > 0).sum() > n_users:
        return "there are more items than users, as where their columns are exchanged"
    return ""


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
    of_users : str
        That the column taken for users holds dates or times, where it does.
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
    of_users: str = ""

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
        sentence = pairs_said(*of, max_items, before - now)
        former = pairs_said(*of, report.max_items, before - after)
        made = former[0].partition(" became ")[2]
        changes: list[str] = []
        for one in report.changes:
            changes += [] if one in former[1:] else [one]
            # a survey keeps rows that became no pair, too
            changes += sentence[1:] if one.partition(" became ")[2] == made else []
        cut = sentence[-1] if now < before else ""
        bounded_report = replace(report, changes=tuple(changes), max_items=max_items, cut=cut)
        return IngestResult(counts, bounded_report)

    @property
    def confirmation(self) -> tuple[str, ...]:
        """Sentences to check before the counts are used; they quote the largest counts."""
        counts, report = self.counts, self.report
        users = report.items_of_users
        left_out = report.rows_read - report.rows_kept - report.blank_rows
        why = [report.on_list] if report.on_list else []
        why += [  # what can be undone
            one.sentence
            for one in report.questions
            if one.key in ("nulls", "suppressed", "total") and one.answer == Reply.LEAVE_OUT
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
            *([f"Check the columns: {self.doubt}."] if self.doubt else []),
            *([" ".join([f"Left out: {plural(left_out, 'row')}.", *why])] if left_out else []),
        )

    @property
    def doubt(self) -> str:
        """Clause on what suggests that columns were taken for others; empty if nothing does."""
        return doubt_about(self.counts, self.report.n_users, self.report.of_users)

    @property
    def largest(self) -> str:
        """Sentence that quotes the largest counts, without any noise."""
        counts = self.counts
        top = [
            f'"{shown(counts.items[place])}" {counts.counts[place]:,}'
            for place in counts.order[:_N_LARGEST]
        ]
        return f"Largest counts: {', '.join(top)}."
