"""Count the distinct users of each item in a log of events, by DuckDB.

A log has a row for each event: a user, an item, and whatever else.  `user_counts` says what is
counted and which items of a user a bound keeps, `event_logs` how files are opened.  A log whose
pairs of users and items would exceed DuckDB's memory limit is read several times, each time for the
pairs of some of the users, which are kept compressed in a folder for temporary files.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from dptopk.core import validation
from dptopk.core.cancellation import Progress, no_progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.data import ingest
from dptopk.data.conditions import plain_condition
from dptopk.data.event_logs import OpenLog, begins_with_year, condition_of, list_names, open_log
from dptopk.data.ingest.queries import (
    Column,
    QueryRunner,
    in_memory,
    item_as_sql,
    literal,
    quoted,
    user_as_sql,
)
from dptopk.data.ingest.user_counts import BARE, Rows, count_users, missing_user, without_point

if TYPE_CHECKING:
    from dptopk.accounting.sparse_gaussian import DiscoveredItems

_MOST_CELLS = 2**21  # counts of all periods under all bounds
PERIODS = ("day", "week", "month", "quarter", "year")
"""Lengths of a period of `counts_by_period`."""
_N_LOOKED_AT = 20_000  # names that may be lists of items
_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")


class EventCounts(ItemCounts):
    """Counts of a log of events, with a ``report`` on how they were made.

    ``report`` is an `dptopk.data.ingest.IngestReport`: rows read and kept, what was left out, how
    many items users have, what a bound removed, and all of it in sentences.
    """

    def __init__(self, counts: ItemCounts, report: ingest.IngestReport):
        super().__init__(counts.counts, counts.items, counts.name)
        self._report = report

    @property
    def report(self) -> ingest.IngestReport:
        """Report on the counting; its sentences may quote the data: show them as plain text."""
        return self._report


@dataclass(frozen=True, eq=False)
class CountsByPeriod:
    """Counts of each period of a log by itself, under every bound on the items of a user in it.

    Attributes
    ----------
    period : str
        Length of a period, such as "week".
    series : mapping of datetime.date to CountsByBound
        By the first day of each period, in order, all of the same items; under the bounds of
        ``by_bound``.
    day : datetime.date
        First day of the period with the median number of pairs of a user and an item.
    by_bound : CountsByBound
        Of that period and its own items.
    stays : ItemsOfUsers
        Users by the number of periods in which they have events.
    """

    period: str
    series: Mapping[datetime.date, ingest.CountsByBound]
    day: datetime.date
    by_bound: ingest.CountsByBound
    stays: ingest.ItemsOfUsers


def median_period(series: Mapping[datetime.date, ItemCounts]) -> datetime.date:
    """Return the first day of the period with the median number of pairs."""
    by_size = sorted(series, key=lambda day: int(series[day].counts.sum()))
    return by_size[len(by_size) // 2]


@dataclass(frozen=True, eq=False)
class EventLog:
    """Log of events: a row for each event, with a user, an item, and whatever else.

    Attributes
    ----------
    source : str, Path, sequence of them, or a table
        A file or several, a pattern such as ``logs/2026-*.parquet``, or a folder of Parquet or
        delimited text. Files are of those of `LOG_FORMATS`: what DuckDB does not open, such as a
        workbook or text that is not UTF-8, within the limits of uploads. Views and conditions of a
        database read no other file unless ``engine`` lets them. Or a table in memory, which is not
        copied: pandas, Polars, Arrow.  Beside ``engine``, a str names a table or view of it.
    user, item : str
        Columns that name the user and the item of an event.
    where : str, optional
        Only events that meet this condition, one line of SQL (of SQLite for its files).  It
        has no query of its own, by which a user could decide on the events of others, and is run
        as it is.
    engine : duckdb.DuckDBPyConnection or pyspark.sql.SparkSession, optional
        Where to count: a connection with settings, extensions and databases of yours, or Spark,
        whose ``source`` is the name of a table or a DataFrame, and ``where`` in Spark's SQL.
    table : str, optional
        The table or view of a database file, as "name" or "schema.name", or the sheet of a
        workbook, if it has several.
    normalize : bool, optional
        Make users and items one that differ in case, spaces or the encoding of accents.
    nulls : {"leave out", "keep"}, optional
        What becomes of users and items that are spelled out as NULL, nan, None and the like. Left
        out by default, but for items on a public list; without one it takes an answer where such
        an item is among the 10 largest. Users that are blank are always left out.
    twins : {"apart", "merge"}, optional
        What becomes of items whose names look alike, as by case, spaces, accents; by default each
        is an item.  Those that are merged take the name on the public list; without one, the
        shortest of theirs, in small letters if there is such a one: it may be of only one user.
    users_alike : {"apart", "merge"}, optional
        What becomes of users whose e-mail addresses differ only by the case of letters; by default
        each is a user.
    key : str, optional
        Of the hash that chooses items under a bound: the same log and key keep the same.
    name : str, optional
        What to call the data; left out, the name of the file or folder without its ending, and the
        condition.
    memory_limit : str, optional
        The most memory that DuckDB takes, such as "4GB"; left out, 80% of what there is.
    progress : callable, optional
        Called with the share done, in [0, 1], often; may raise, which ends the counting.
    within : str or Path, optional
        Read only files below this folder, for a source that somebody else names: a symbolic link
        or ".." that leads elsewhere is refused.
    dates : {"day-first", "month-first"}, optional
        How times such as 01.02.2026 or 1/2/2026 9:30 PM are read; left out, the order that all of
        them allow, if they allow only one: those of two users, where some allow both.

    Raises
    ------
    IngestError
        By its methods, if the log cannot be read, or nothing is left of it: a ValueError. An
        `UnclearError` names the argument that has to be given.
    ModuleNotFoundError
        By its methods, if DuckDB is not installed.

    Examples
    --------
    >>> from dptopk.data import EventLog
    >>> import pandas as pd
    >>> table = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "tea", "tea"]})
    >>> counts = EventLog(table, user="who", item="what").counts()
    >>> list(counts), counts.report.n_users
    ([('tea', 2)], 2)
    """

    source: Any
    user: str
    item: str
    where: str | None = None
    _: KW_ONLY
    engine: Any = None
    table: str | None = None
    normalize: bool = False
    nulls: str | None = None
    twins: str | None = None
    users_alike: str | None = None
    key: str = ""
    name: str | None = None
    memory_limit: str | None = None
    progress: Progress | None = field(default=None, repr=False)
    within: str | os.PathLike[str] | None = None
    dates: str | None = None
    _written: str | None = field(default=None, repr=False)  # how reports write the condition

    def __post_init__(self) -> None:
        for name in ("nulls", "twins", "users_alike", "dates"):
            if getattr(self, name) is not None:
                validation.choice(name, getattr(self, name), ingest.KINDS[name].answers)
        for name in ("memory_limit", "within"):
            if getattr(self, name) is not None and self.engine is not None:
                rest = "set that of engine itself" if name == "memory_limit" else "restrict engine"
                raise ValueError(f"{name} applies only to dptopk's own DuckDB: {rest}")

    def with_plain_condition(self) -> EventLog:
        """Return the log with a stranger's condition: run as `plain_condition` writes it anew.

        Names and reports write it as it was given.
        """
        if self.where is None:
            return self
        return replace(self, where=plain_condition(self.where), _written=self.where)

    @property
    def _condition(self) -> str:
        """The condition as it was given, and the period; empty without them."""
        return (self.where if self._written is None else self._written) or ""

    def counts(
        self,
        max_items: int | None = None,
        items: Iterable[str] | None = None,
        by_bound: bool | Sequence[int] = False,
    ) -> EventCounts:
        """Count the distinct users of each item.

        Parameters
        ----------
        max_items : int, optional
            Keep at most so many of each user's distinct items.
        items : iterable of str, optional
            The public list of items: those that nobody has count 0, others are dropped.  Left out,
            the items are those of the log, which no promise for a fixed list covers.
        by_bound : bool or sequence of int, optional
            Count under every bound as well, or under these, ``bounds`` of `by_bound`:
            ``report.by_bound``.

        Returns
        -------
        EventCounts
            Counts in users: in the order of ``items``, else by name; with their ``report``.
        """
        with self._opened() as (run, log, _):
            return self._counted(run, log, _checked(max_items), items, by_bound)

    def by_bound(
        self, bounds: Sequence[int] | None = None, items: Iterable[str] | None = None
    ) -> ingest.CountsByBound:
        """Count the distinct users of each item under several bounds on the items of a user.

        Parameters
        ----------
        bounds : sequence of int, optional
            The bounds, ascending; left out, steps from 1 to the most items that any user has.
            Those that no user exceeds are left out, and the number that the largest user has is
            added.
        items : iterable of str, optional
            As of `counts`, of whose ``max_items`` the counts under a bound are.

        Returns
        -------
        CountsByBound
        """
        counts = self.counts(None, items, True if bounds is None else bounds).report.by_bound
        assert counts is not None  # asked for
        return counts

    def discover(
        self,
        epsilon: float,
        delta: float,
        max_items: int,
        rng: np.random.Generator,
        weighted: bool = True,
    ) -> DiscoveredItems:
        """Find items with (epsilon, delta)-differential privacy, without a list of all items.

        Neighbors differ in one user, added or removed, with any number of items.  Each user keeps
        at most so many, chosen by a keyed hash of nothing but the user's own; every item that is
        left gets Gaussian noise, and comes out above a threshold.  All but what is returned is
        private.  Names for missing values, such as NA, are left out unless ``nulls`` keeps them.

        Parameters
        ----------
        epsilon, delta : float
            Privacy budget, as of `SparseGaussian`.
        max_items : int
            Keep at most so many of each user's distinct items: to be chosen without these data.
        rng : numpy.random.Generator
            Source of the noise: floats under a seed, for exploration.
        weighted : bool, optional
            If a user of t items adds 1 / √t to each, else 1.

        Returns
        -------
        DiscoveredItems

        Raises
        ------
        ValueError
            If ``twins`` is "merge": one user may give a merged item its name, which no promise
            covers.
        """
        from dptopk.accounting.sparse_gaussian import SparseGaussian  # SciPy is slow to load

        mechanism = SparseGaussian(epsilon, delta, max_items, weighted)
        rng = validation.generator("rng", rng)
        return self.for_discovery(max_items).discover(mechanism, rng)

    def for_discovery(self, max_items: int) -> ingest.CountsByBound:
        """Count under one bound, so that no user renames or removes the items of others.

        Names for missing values are left out unless ``nulls`` keeps them, whatever others there
        are; ``twins`` that are merged are refused.
        """
        if self.twins == "merge":
            raise ValueError(
                'twins must not be "merge" where items are discovered, as one user may give a '
                "merged item its name: use normalize=True, which reads each name by itself"
            )
        return replace(self, nulls=self.nulls or "leave out").by_bound([max_items])

    def by_period(
        self,
        time: str,
        period: str = "week",
        max_items: int | None = None,
        items: Iterable[str] | None = None,
        by_bound: bool | Sequence[int] = False,
    ) -> dict[datetime.date, EventCounts]:
        """Count the distinct users of each item in each day, week, month, quarter or year.

        A user counts once for an item in each period, and ``max_items`` bounds the items of each: a
        promise for the list of one period is for a user in that period. Who stays for many periods
        is in as many lists, whose promises add up.

        Parameters
        ----------
        time : str
            Column of dates or times, or of text that is written as 2026-01-31 or as ``dates``
            says; times with a time zone are taken in UTC. Not of an SQLite file, and not by Spark.
        period : {"day", "week", "month", "quarter", "year"}, optional
            Length of a period; weeks begin on Mondays.
        max_items, items
            As of `counts`. Left out, ``items`` are those of all periods together.
        by_bound : bool or sequence of int, optional
            Count each period under every bound as well, or under these: ``bounds`` of `by_bound`.

        Returns
        -------
        dict of datetime.date to EventCounts
            By the first day of each period that has events, in order, all of the same items.
        """
        max_items = _checked(max_items)
        log_alone = replace(self, progress=None)  # each period reports its own share
        with log_alone._opened(time, period) as (run, log, begin):
            timed = self._timed(log.columns[time])
            periods = run(
                f"SELECT DISTINCT {begin} FROM {log.sql} {condition_of(timed)} ORDER BY 1"
            )
            if not periods:
                raise ingest.IngestError(f"There are no events with a time in {log.words}.")
            listed = [*(timed._counted(run, log).items if items is None else items)]
            series = {}
            for done, (day,) in enumerate(periods):
                told_part = part_of(self.progress, done / len(periods), (done + 1) / len(periods))
                part = QueryRunner(run.connection, told_part, run.on_disk)
                on_day = self._of_day(log, begin, period, day)
                with suppress(ingest.NothingLeftError):
                    series[day] = on_day._counted(part, log, max_items, listed, by_bound)
            return series

    def periods_of_users(self, time: str, period: str = "week") -> ingest.ItemsOfUsers:
        """Count in how many days, weeks, months, quarters or years each user has events.

        Parameters are those of `by_period`.

        Returns
        -------
        ItemsOfUsers
            Its ``sizes`` are numbers of periods.
        """
        if time == self.user:
            raise ValueError(f"user and time must be two columns, got {time!r} for both")
        with replace(self, item=time)._opened(time, period) as (run, log, begin):
            user = log.columns[self.user]
            without = missing_user("u", user.is_text, self.nulls != ingest.Reply.KEEP)
            one = without_point(BARE) if user.is_text else "u"  # one user, as counts have it
            levels = run(
                f"SELECT m, count(*) FROM (SELECT {one} AS one, count(DISTINCT p) AS m FROM "
                f"(SELECT DISTINCT {user_as_sql(user)} AS u, {begin} AS p FROM {log.sql} "
                f"{condition_of(self._timed(log.columns[time]))}) "
                f"WHERE ({without}) IS NOT TRUE GROUP BY one) GROUP BY m ORDER BY m",
                until=1.0,
            )
        if not levels:
            raise ingest.IngestError(f"There are no events with a user and a time in {log.words}.")
        return ingest.ItemsOfUsers(tuple(m for m, _ in levels), tuple(n for _, n in levels))

    def each_period(
        self, time: str, period: str = "week", items: Sequence[str] | None = None
    ) -> CountsByPeriod:
        """Count the users of each item in each period, under every bound.

        A release is of one period, so that the bound on the items of a user is that of the period
        with the median number of pairs of a user and an item.  Parameters are those of `by_period`;
        left out, ``items`` are for that period its own.

        Raises
        ------
        IngestError
            If there are more than 2 million counts under all bounds.
        """

        def part(log: EventLog, begin: float, end: float) -> EventLog:
            return replace(log, progress=part_of(self.progress, begin, end))

        counts = part(self, 0.0, 0.3).by_period(time, period, items=items)
        day = median_period(counts)
        of_day = part(self.of_period(time, period, day), 0.3, 0.4).by_bound(items=items)
        if len(counts) * len(of_day.bounds) * counts[day].d > _MOST_CELLS:
            raise ingest.IngestError(
                f"{plural(len(counts), period)} of {plural(counts[day].d, 'item')} are more counts "
                "than are kept here: choose a longer period, or use `dptopk users EVENTS --user … "
                "--item … --time …`."
            )
        each = part(self, 0.4, 0.9)
        bounded = each.by_period(time, period, items=items, by_bound=of_day.bounds)
        series = {}
        for one, found in bounded.items():
            assert found.report.by_bound is not None  # asked for
            series[one] = found.report.by_bound
        stays = part(self, 0.9, 1.0).periods_of_users(time, period)
        return CountsByPeriod(period, series, day, of_day, stays)

    def of_period(self, time: str, period: str, day: datetime.date) -> EventLog:
        """Return the log of only those events in the period that begins on a day.

        ``time`` and ``period`` are those of `by_period`.
        """
        with replace(self, progress=None)._opened(time, period) as (_, log, begin):
            return self._of_day(log, begin, period, day)

    def _of_day(self, log: OpenLog, begin: str, period: str, day: datetime.date) -> EventLog:
        named, of_day = self._called(log), f"{period} of {day}"
        part = ", ".join(filter(None, (self._condition, of_day)))
        here = self._of_events(f"{begin} = DATE '{day}'")
        return replace(here, name=f"{named}, {of_day}", _written=part)

    def _of_events(self, condition: str) -> EventLog:
        """Return the log of only those events that meet a condition, too."""
        also = "" if self.where is None else f" AND ({self.where}\n)"
        return replace(self, where=f"{condition}{also}", _written=self._condition)

    def _called(self, log: OpenLog) -> str:
        """Return what the counts are called, which says what part of the log they are of."""
        return f"{log.name}{ingest.of_part(self._condition)}" if self.name is None else self.name

    def _timed(self, time: Column) -> EventLog:
        """Return the log of only those events that have a time, which is no blank text."""
        cell = quoted(time.name)
        blank = f" AND regexp_matches({cell}, '\\S')" if time.is_text else ""
        return self._of_events(f"{cell} IS NOT NULL{blank}")

    def _counted(
        self,
        run: QueryRunner,
        log: OpenLog,
        max_items: int | None = None,
        items: Iterable[str] | None = None,
        by_bound: bool | Sequence[int] = False,
    ) -> EventCounts:
        answers = {"nulls": self.nulls, "twins": self.twins, "users_alike": self.users_alike}
        dialogue = ingest.Dialogue(answers, log.notes, items, normalize=self.normalize)
        user, item = log.columns[self.user], log.columns[self.item]
        condition = "" if log.filtered else condition_of(self)
        rows = Rows(
            f"SELECT {user_as_sql(user)} AS u, {item_as_sql(item)} AS i FROM {log.sql} {condition}",
            self.user,
            self.item,
            user.is_text,
            log.words,
            self._called(log),
            log.text_needs,
            met="" if self.where is None else " that meet the condition",
        )
        counted = count_users(run, rows, dialogue, max_items, self.key, by_bound)
        report = counted.report
        read = plural(report.rows_read, "event was", "events were")
        lists = item.of_elements and ", one row per element of its lists"
        reading = (
            f"{read} read from {log.words}{ingest.of_part(self.where)}; items from column "
            f'"{self.item}"{lists}, counts are the distinct users of column "{self.user}".'
        )
        changes = report.changes
        if self.twins is None and any(one.key == "twins" for one in report.questions):
            changes += ('To merge them: twins="merge".',)
        names = counted.counts.items[:_N_LOOKED_AT]
        if items is None and (lists := ingest.example_of_lists(names)):
            changes += (
                f'Column "{self.item}" may hold several items in a cell, such as '
                f'"{ingest.shown(lists)}", and each cell was counted as one item: to split them, '
                f"read the file as a table (--data) of at most {ingest.MAX_BYTES // 2**20} MB, or "
                "write a row for each user and item.",
            )
        if ingest.says_yes_or_no(names):
            changes += (
                f'Column "{self.item}" holds {ingest.examples(names)}: if each column of a survey '
                "is an item, read the file as a table (--data, or to_item_counts in Python) with "
                "the answer survey=yes.",
            )
        where = ingest.plain(self._condition)
        report = replace(report, reading=(reading,), changes=changes, where=where)
        return EventCounts(counted.counts, report)

    @contextmanager
    def _opened(
        self, time: str | None = None, period: str = PERIODS[0]
    ) -> Iterator[tuple[QueryRunner, OpenLog, str]]:
        """Open the log for queries; of a time, yield the SQL of the first day of its period."""
        validation.choice("period", period, PERIODS)
        if len(self._condition.splitlines()) > 1:  # a comment would end elsewhere where it is shown
            raise ValueError("where must be one line: write its line breaks as spaces")
        with open_log(self, time) as (run, log):
            begin = ""
            if time is not None:
                timed = self._timed(log.columns[time])
                dates, in_zones = _order_of_dates(run, log, timed, time)
                read = _as_time(log.columns[time], dates, in_zones)
                if in_zones:
                    zoned = f'Column "{ingest.shown(time)}" has times with a time zone'
                    log = log._replace(notes=[*log.notes, f"{zoned}: periods are in UTC."])
                begin = f"CAST(date_trunc('{period}', {read}) AS DATE)"
            yield run, log, begin


class LogOptions(TypedDict, total=False):
    """Arguments of `EventLog` by name, which all functions of a log take."""

    engine: Any
    table: str | None
    normalize: bool
    nulls: str | None
    twins: str | None
    users_alike: str | None
    key: str
    name: str | None
    memory_limit: str | None
    progress: Progress | None
    within: str | os.PathLike[str] | None
    dates: str | None


def counts_from_events(
    source: Any,
    user: str,
    item: str,
    where: str | None = None,
    max_items: int | None = None,
    items: Iterable[str] | None = None,
    *,
    by_bound: bool | Sequence[int] = False,
    **options: Unpack[LogOptions],
) -> EventCounts:
    """Count the distinct users of each item in a log of events: `EventLog.counts`.

    Examples
    --------
    >>> from dptopk import counts_from_events
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "tea", "tea"]})
    >>> counts = counts_from_events(log, user="who", item="what")
    >>> list(counts), counts.report.n_users
    ([('tea', 2)], 2)
    """
    return EventLog(source, user, item, where, **options).counts(max_items, items, by_bound)


def counts_by_period(
    source: Any,
    user: str,
    item: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    max_items: int | None = None,
    items: Iterable[str] | None = None,
    *,
    by_bound: bool | Sequence[int] = False,
    **options: Unpack[LogOptions],
) -> dict[datetime.date, EventCounts]:
    """Count the distinct users of each item in each period of a log: `EventLog.by_period`.

    Examples
    --------
    >>> from dptopk import counts_by_period
    >>> import pandas as pd
    >>> days = pd.to_datetime(["2026-01-05", "2026-01-11", "2026-01-12"])
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea"] * 3, "at": days})
    >>> series = counts_by_period(log, user="who", item="what", time="at")
    >>> [(str(monday), dict(counts)) for monday, counts in series.items()]
    [('2026-01-05', {'tea': 1}), ('2026-01-12', {'tea': 1})]
    """
    return EventLog(source, user, item, where, **options).by_period(
        time, period, max_items, items, by_bound
    )


def counts_by_bound(
    source: Any,
    user: str,
    item: str,
    where: str | None = None,
    bounds: Sequence[int] | None = None,
    items: Iterable[str] | None = None,
    **options: Unpack[LogOptions],
) -> ingest.CountsByBound:
    """Count the distinct users of each item of a log under several bounds: `EventLog.by_bound`.

    Examples
    --------
    >>> from dptopk import counts_by_bound
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "jam", "tea"]})
    >>> by_bound = counts_by_bound(log, user="who", item="what")
    >>> by_bound.bounds, by_bound.values.sum(axis=1).tolist()
    ((1, 2), [2, 3])
    """
    return EventLog(source, user, item, where, **options).by_bound(bounds, items)


def discover_items(
    source: Any,
    user: str,
    item: str,
    epsilon: float,
    delta: float,
    max_items: int,
    rng: np.random.Generator,
    where: str | None = None,
    weighted: bool = True,
    **options: Unpack[LogOptions],
) -> DiscoveredItems:
    """Find items of a log privately, without a list of all items: `EventLog.discover`.

    Examples
    --------
    >>> from dptopk import discover_items
    >>> import numpy as np
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": range(101), "what": ["tea"] * 100 + ["rum"]})
    >>> found = discover_items(log, "who", "what", 1.0, 1e-6, 3, np.random.default_rng(0))
    >>> found.items, found.amounts.round(1).tolist()
    (('tea',), [99.4])
    """
    return EventLog(source, user, item, where, **options).discover(
        epsilon, delta, max_items, rng, weighted
    )


def periods_of_users(
    source: Any,
    user: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    **options: Unpack[LogOptions],
) -> ingest.ItemsOfUsers:
    """Count in how many periods each user of a log has events: `EventLog.periods_of_users`."""
    return EventLog(source, user, time, where, **options).periods_of_users(time, period)


def counts_of_periods(
    source: Any,
    user: str,
    item: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    items: Sequence[str] | None = None,
    **options: Unpack[LogOptions],
) -> CountsByPeriod:
    """Count each period of a log under every bound: `EventLog.each_period`."""
    return EventLog(source, user, item, where, **options).each_period(time, period, items)


def periods_of_table(
    table: ingest.RawTable,
    columns: ingest.ColumnPlaces,
    time: int,
    period: str,
    /,
    items: Sequence[str] | None = None,
    split: str | None = None,
    survey: str | None = None,
    **options: Unpack[LogOptions],
) -> CountsByPeriod:
    """Count each period of an uploaded log under every bound, as `counts_of_periods` does.

    ``columns`` are positions of those of items, of counts, which are not used, and of users;
    ``time`` is that of the dates.  ``split`` and ``survey`` are answers to the questions of
    `to_item_counts`.
    """
    import pandas as pd

    item, _, user = columns
    if item is None or user is None:
        raise ValueError(f"columns must have one of items and one of users, got {columns}")
    dialogue = ingest.Dialogue({"split": split, "survey": survey}, listed=items)
    if survey != ingest.Reply.NO and ingest.may_be_survey(table, columns, dialogue):
        raise ingest.IngestError(
            "Periods of a survey, whose items are columns of yes and no, are not counted: choose "
            "no column of times, or answer survey=no to count the chosen columns."
        )
    if item in table.lists:
        raise ingest.IngestError(
            f'Periods of column "{ingest.shown(table.columns[item])}", which holds lists, are '
            "counted by counts_by_period only: choose no column of times."
        )
    names = [table.columns[place] for place in (user, item, time)]
    cells = [table.cells(place) for place in (user, item, time)]
    if (how_split := ingest.ask_pieces(cells[1], names[1], dialogue)) != ingest.Reply.WHOLE:
        pieces, of_cells = ingest.split_cells(cells[1], how_split, dialogue.known)
        cells = [cells[0].at(of_cells), pieces, cells[2].at(of_cells)]
    texts = [np.array([text.strip() or None for text in one.texts], object) for one in cells]
    rows = [text[one.codes] for text, one in zip(texts, cells, strict=True)]
    log = pd.DataFrame(dict(zip(names, rows, strict=True)))
    events = EventLog("dptopk_rows", *names[:2], **options)
    with in_memory(log, no_progress) as run:
        return replace(events, engine=run.connection).each_period(names[2], period, items)


def _as_time(column: Column, dates: str | None, in_zones: bool = False) -> str:
    """Return the SQL of a time in a column, NULL where a text is none.

    Where some are ``in_zones``, those are in UTC, whatever the connection's own zone.
    """
    cell = quoted(column.name)
    if _is_typed(column):
        return f"({cell} AT TIME ZONE 'UTC')" if in_zones else f"CAST({cell} AS TIMESTAMP)"
    text = f"CAST({cell} AS VARCHAR)"
    if dates is not None:
        marked = [_WRITTEN[dates].format(mark) for mark in "./-"]
        formats = [literal(date + clock) for date in marked for clock in _CLOCKS]
        return f"try_strptime({text}, [{', '.join(formats)}])"
    if not in_zones:
        return f"TRY_CAST({text} AS TIMESTAMP)"
    zoned = f"TRY_CAST(regexp_replace({text}, ' ([+-])', '\\1') AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    return (
        f"coalesce(CASE WHEN regexp_matches({text}, {_ZONE}) THEN {zoned} END, "
        f"TRY_CAST({text} AS TIMESTAMP))"
    )


def _is_typed(column: Column) -> bool:
    return column.kind.startswith(("DATE", "TIMESTAMP"))


_YEAR_FIRST = "year-first"
_WRITTEN = {**ingest.DATES, _YEAR_FIRST: "%Y{0}%m{0}%d"}
"""Formats of dates that are not as in 2026-01-31, such as 2026.01.31."""
_ZONE = r"':\d\d(\.\d+)? ?(Z|[+-]\d\d|[A-Z][A-Za-z_/]{2,})'"
"""Pattern in SQL of what follows a time in a zone, such as Z, +02:00, UTC or Europe/Berlin."""


def _checked(max_items: int | None) -> int | None:
    return None if max_items is None else validation.integer("max_items", max_items, low=1)


def _order_of_dates(
    run: QueryRunner, log: OpenLog, timed: EventLog, time: str
) -> tuple[str | None, bool]:
    """Return the order of dates of a column, and whether some times have a zone.

    The order is None where dates are as in 2026-01-31, or typed.  ``timed`` are the events that
    have a time.  Where some dates allow two orders, those of two users must allow one only, else
    it is asked: one user alone does not decide how the dates of others are read.
    """
    column = log.columns[time]
    if _is_typed(column):
        return None, column.kind.endswith("TIME ZONE")
    dates = timed.dates
    cell = f"CAST({quoted(time)} AS VARCHAR)"
    four_digits = f"regexp_matches({cell}, '^\\s*\\d+[-./]\\d+[-./]\\d{{4}}')"  # not 01.02.26
    tried: dict[str | None, str] = {
        None: f"CASE WHEN {begins_with_year(time)} THEN {_as_time(column, None)} END"
    }
    for order in ingest.DATES:
        tried[order] = f"CASE WHEN {four_digits} THEN {_as_time(column, order)} END"
    dotted = f"substr({cell}, 5, 1) = '.' AND {begins_with_year(time)}"
    tried[_YEAR_FIRST] = f"CASE WHEN {dotted} THEN {_as_time(column, _YEAR_FIRST)} END"
    read = ", ".join(f"{sql} AS t{n}" for n, sql in enumerate(tried.values()))
    user = user_as_sql(log.columns[timed.user])
    cells = f"(SELECT {user} AS u, {cell} AS c, {read} FROM {log.sql} {condition_of(timed)})"
    who, of_one = f"lower({without_point(BARE)})", "FILTER ((t1 IS NULL) <> (t2 IS NULL))"
    ((n, in_zones, *fit, example, one_user),) = run(
        f"SELECT count(*), bool_or(regexp_matches(c, {_ZONE})), count(t0), count(t1), count(t2), "
        "count(t3), min(c) FILTER (t1 IS NOT NULL AND t2 IS NOT NULL AND t1 <> t2), "
        f"(min({who}) {of_one}) = (max({who}) {of_one}) FROM {cells}"
    )
    possible = [order for order, n_fit in zip(tried, fit, strict=True) if n_fit == n]
    if None in possible:
        return None, bool(in_zones)
    if _YEAR_FIRST in possible:
        return _YEAR_FIRST, False
    if dates in possible:
        return dates, False
    if dates is None and possible and (example is None or one_user is False):  # 02.02.2026
        return possible[0], False
    if not possible or dates is not None:
        other = f"t{[*tried].index(dates)} IS NULL" if dates else "coalesce(t0, t1, t2, t3) IS NULL"
        wrong = run(
            f"SELECT c FROM {cells} ORDER BY {other} DESC, t0 IS NULL DESC, t1 IS NULL DESC LIMIT 1"
        )
        others = [name for name in log.columns if name not in (timed.user, timed.item, time)]
        among = f", among {list_names(others, 'column', 'columns')}" if len(others) > 1 else ""
        like = f"a {dates} date" if dates else "a date such as 2026-01-31"
        raise ingest.IngestError(
            f'Column "{ingest.shown(time)}" holds "{ingest.shown(wrong[0][0])}", which is not '
            f"{like}: choose the column with the time of an event{among}."
        )
    ((_, *days),) = run(f"SELECT c, t1, t2 FROM {cells} WHERE c = ? LIMIT 1", [example])
    options = {order: f"{day:%Y-%m-%d}" for order, day in zip(ingest.DATES, days, strict=True)}
    sentence = f'Column "{ingest.shown(time)}" holds dates such as "{ingest.shown(example)}"'
    raise ingest.UnclearError(
        f"dates must be {' or '.join(ingest.DATES)}: {sentence[0].lower()}{sentence[1:]}, which "
        f"may be {' or '.join(options.values())}.",
        (ingest.Ambiguity("dates", f"{sentence}.", options),),
    )
