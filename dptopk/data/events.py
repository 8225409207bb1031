"""Count the distinct users of each item in a log of events, by DuckDB.

A log has a row for each event: a user, an item, and whatever else.  Each user counts once for an
item, however many events there are, so that one user changes each count by at most 1; that is
what every promise here rests on.  With a bound on the items of a user ("contribution bounding",
Wilson et al. 2020, https://doi.org/10.2478/popets-2020-0025) a keyed hash chooses which are kept,
by nothing but the user's own items: one user still changes each count by at most 1, and at most so
many counts.

DuckDB works in parallel and beyond memory: what exceeds its memory limit goes to a folder for
temporary files (see `event_logs`).  A log whose pairs of users and items would exceed it is read
several times, each time for the pairs of some of the users, which are kept compressed in that
folder.
"""

from __future__ import annotations

import datetime
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dptopk.core import validation
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.data.ingest import (
    ANSWERS,
    BLANK,
    LEAVE_OUT,
    MOST_EXPLAINED,
    SPELLED,
    Contribution,
    CountsByBound,
    IngestError,
    IngestReport,
    ItemsOfUsers,
    alike_said,
    ask_missing,
    bound_steps,
    checked_bounds,
    pairs_said,
    plain,
    refuse_alike,
    shown,
    users_said,
)

if TYPE_CHECKING:
    pass
from dptopk.data.event_logs import (
    EventLog,
    LogColumns,
    QueryRunner,
    check_columns,
    check_condition,
    columns_of,
    list_names,
    literal,
    open_log,
    quoted,
    user_as_sql,
)

PERIODS = ("day", "week", "month", "quarter", "year")
"""Lengths of a period of `counts_by_period`."""
_BYTES_OF_PAIR = 64  # of memory for a pair of a user and an item while pairs are told apart
_UNITS = 2**40  # of a weight of 1: sums of whole numbers do not depend on their order
_SPACES = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())
_EDGES = f"^[{_SPACES}]|[{_SPACES}]$"
_UNTIDY = rf"{_EDGES}|[\p{{C}}\p{{Zl}}\p{{Zp}}\x{{115f}}\x{{1160}}\x{{3164}}\x{{ffa0}}]"
"""Pattern, for RE2, of the characters in names that `plain` changes."""


class EventCounts(ItemCounts):
    """Counts of a log of events, with a ``report`` on how they were made.

    ``report`` is an `dptopk.data.ingest.IngestReport`: rows read and kept, what was left out, how
    many items users have, what a bound removed, and all of it in sentences.
    """

    def __init__(
        self, counts: Sequence[int], items: Sequence[str], name: str, report: IngestReport
    ):
        super().__init__(counts, items, name)
        self._report = report

    @property
    def report(self) -> IngestReport:
        """Report on the counting; its sentences may quote the data: show them as plain text."""
        return self._report


def counts_from_events(
    source: Any,
    user: str,
    item: str,
    where: str | None = None,
    max_items: int | None = None,
    items: Iterable[str] | None = None,
    engine: Any = None,
    *,
    table: str | None = None,
    normalize: bool = False,
    nulls: str | None = None,
    key: str = "",
    name: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    within: str | os.PathLike[str] | None = None,
    by_bound: bool = False,
) -> EventCounts:
    """Count the distinct users of each item in a log of events.

    Parameters
    ----------
    source : str, Path, sequence of them, or a table
        A file or several, a pattern such as "logs/2026-*.parquet", or a folder of Parquet or
        delimited text: CSV, TSV, also as gzip; Parquet; a SQLite or DuckDB database, whose views
        and conditions read no other file unless ``engine`` lets them.  Or a table in
        memory, which is not copied: pandas, Polars, Arrow.  Beside ``engine``, a str names a table
        or view of it.
    user, item : str
        Columns that name the user and the item of an event.
    where : str, optional
        Only events that meet this condition, one expression in SQL (of SQLite for its files).  It
        is run as it is.
    max_items : int, optional
        Keep at most so many of each user's distinct items.
    items : iterable of str, optional
        The public list of items: those that nobody has count 0, others are dropped.  Left out, the
        items are those of the log, which no promise for a fixed list covers.
    engine : duckdb.DuckDBPyConnection or pyspark.sql.SparkSession, optional
        Where to count: a connection with settings, extensions and databases of yours, or Spark,
        whose ``source`` is the name of a table or a DataFrame, and ``where`` in Spark's SQL.
    table : str, optional
        The table or view of a database file, as "name" or "schema.name", if it has several.
    normalize : bool, optional
        Make users and items one that differ in case, spaces or the encoding of accents.
    nulls : {"leave out", "keep"}, optional
        What becomes of users and items that are spelled out as NULL, nan, None and the like; left
        out by default. Users that are blank are always left out.
    key : str, optional
        Of the hash that chooses items under ``max_items``: the same log and key keep the same.
    name : str, optional
        What to call the data; left out, the name of the file or folder without its ending.
    memory_limit : str, optional
        The most memory that DuckDB takes, such as "4GB"; left out, 80% of what there is.
    progress : callable, optional
        Called with the share done, in [0, 1], often; may raise, which ends the counting.
    within : str or Path, optional
        Read only files below this folder, for a source that somebody else names: a symbolic link
        or ".." that leads elsewhere is refused.
    by_bound : bool, optional
        Count under every bound as well, as `counts_by_bound` does: ``report.by_bound``.

    Returns
    -------
    EventCounts
        Counts in users: in the order of ``items``, else by name; with their ``report``.

    Raises
    ------
    IngestError
        If the log cannot be read, or nothing is left of it: a ValueError.
    ModuleNotFoundError
        If DuckDB is not installed.

    Examples
    --------
    >>> from dptopk import counts_from_events
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "tea", "tea"]})
    >>> counts = counts_from_events(log, user="who", item="what")
    >>> list(counts), counts.report.n_users
    ([('tea', 2)], 2)
    """
    if max_items is not None:
        validation.integer("max_items", max_items, low=1)
    if nulls is not None:
        validation.choice("nulls", nulls, ANSWERS["nulls"])
    columns = LogColumns.checked(user, item, where)
    if memory_limit is not None and engine is not None:
        raise ValueError(
            "memory_limit applies only to dptopk's own DuckDB: set that of engine itself"
        )
    if within is not None and engine is not None:
        raise ValueError("within applies only to dptopk's own DuckDB: restrict engine itself")
    listed = None if items is None else [str(one) for one in items]
    with open_log(source, engine, table, columns, memory_limit, progress, within) as (run, log):
        return _counted(run, log, columns, max_items, listed, normalize, nulls, key, name, by_bound)


def counts_by_period(
    source: Any,
    user: str,
    item: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    max_items: int | None = None,
    items: Iterable[str] | None = None,
    engine: Any = None,
    *,
    table: str | None = None,
    key: str = "",
    memory_limit: str | None = None,
    progress: Progress | None = None,
    within: str | os.PathLike[str] | None = None,
    by_bound: bool | Sequence[int] = False,
) -> dict[datetime.date, EventCounts]:
    """Count the distinct users of each item in each day, week, month, quarter or year of a log.

    A user counts once for an item in each period, and ``max_items`` bounds the items of each: a
    promise for the list of one period is for a user in that period. Who stays for many periods is
    in as many lists, whose promises add up.

    Parameters
    ----------
    source, user, item, where, max_items, items, engine, table, key, memory_limit, progress, within
        As of `counts_from_events`, but of no SQLite file and not by Spark.  Left out, ``items`` are
        those of all periods together.
    time : str
        Column of dates or times, or of text that is written as 2026-01-31.
    period : {"day", "week", "month", "quarter", "year"}, optional
        Length of a period; weeks begin on Mondays.
    by_bound : bool or sequence of int, optional
        Count each period under every bound as well, or under these: ``bounds`` of
        `counts_by_bound`.

    Returns
    -------
    dict of datetime.date to EventCounts
        By the first day of each period that has events, in order, all of the same items.

    Raises
    ------
    IngestError, TypeError, ValueError, ModuleNotFoundError
        As of `counts_from_events`.

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
    validation.choice("period", period, PERIODS)
    if max_items is not None:
        validation.integer("max_items", max_items, low=1)
    listed = None if items is None else [str(one) for one in items]
    whole = LogColumns.checked(user, item, where)
    with open_log(source, engine, table, whole, memory_limit, None, within) as (run, log):
        there = _columns_of_periods(run, log)
        if time not in there:
            raise IngestError(
                f"time must be a column of the log, got {time!r}: it has "
                f"{list_names([*there], 'column', 'columns')}."
            )
        check_columns(whole, [*there])
        if where is not None:
            check_condition(run, log.sql, whole)
        begin = _beginning(time, period)
        condition = f"{whole.condition}{' AND' if where else 'WHERE'} {quoted(time)} IS NOT NULL"
        if not there[time].startswith(("DATE", "TIMESTAMP")):
            others = [name for name in there if name not in (user, item, time)]
            _check_times(run, log.sql, time, condition, others)
        found = run(f"SELECT DISTINCT {begin} FROM {log.sql} {condition} ORDER BY 1")
        if not found:
            raise IngestError(f"There are no events with a time in {log.words}.")
        if listed is None:
            both = whole._replace(where=condition.removeprefix("WHERE "))
            listed = [*_counted(run, log, both, None, None, False, None, key, None).items]
        series = {}
        for done, (day,) in enumerate(found):
            within = within_period(time, period, day, where)
            n = len(found)
            told_part = part_of(progress, done / n, (done + 1) / n)
            part = QueryRunner(run.connection, told_part, run.on_disk)
            columns, name = LogColumns(user, item, within), f"{log.name}, {period} of {day}"
            try:
                counts = _counted(
                    part, log, columns, max_items, listed, False, None, key, name, by_bound
                )
            except _NothingLeftError:
                continue
            series[day] = counts
        return series


def counts_by_bound(
    source: Any,
    user: str,
    item: str,
    where: str | None = None,
    bounds: Sequence[int] | None = None,
    items: Iterable[str] | None = None,
    engine: Any = None,
    *,
    table: str | None = None,
    normalize: bool = False,
    nulls: str | None = None,
    key: str = "",
    name: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> CountsByBound:
    """Count the distinct users of each item under several bounds on the items of a user at once.

    Parameters
    ----------
    source, user, item, where, items, engine, table, normalize, nulls, key, name, memory_limit, \
progress
        As of `counts_from_events`: counts under a bound are those of its ``max_items``.
    bounds : sequence of int, optional
        The bounds, ascending; left out, steps from 1 to the most items that any user has.  Those
        that no user exceeds are left out, and the number that the largest user has is added.

    Returns
    -------
    CountsByBound

    Raises
    ------
    IngestError, TypeError, ValueError, ModuleNotFoundError
        As of `counts_from_events`.

    Examples
    --------
    >>> from dptopk import counts_by_bound
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": ["ann", "ann", "bob"], "what": ["tea", "jam", "tea"]})
    >>> by_bound = counts_by_bound(log, user="who", item="what")
    >>> by_bound.bounds, by_bound.values.sum(axis=1).tolist()
    ((1, 2), [2, 3])
    """
    columns = LogColumns.checked(user, item, where)
    listed = None if items is None else [str(one) for one in items]
    with open_log(source, engine, table, columns, memory_limit, progress) as (run, log):
        return _counted_by_bound(run, log, columns, bounds, listed, normalize, nulls, key, name)


def periods_of_users(
    source: Any,
    user: str,
    time: str,
    period: str = "week",
    where: str | None = None,
    engine: Any = None,
    *,
    table: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    within: str | os.PathLike[str] | None = None,
) -> ItemsOfUsers:
    """Count in how many days, weeks, months, quarters or years each user of a log has events.

    Parameters
    ----------
    source, user, time, period, where, engine, table, memory_limit, progress, within
        As of `counts_by_period`.

    Returns
    -------
    ItemsOfUsers
        Its ``sizes`` are numbers of periods.

    Raises
    ------
    IngestError, TypeError, ValueError, ModuleNotFoundError
        As of `counts_from_events`.

    Examples
    --------
    >>> from dptopk.data import periods_of_users
    >>> import pandas as pd
    >>> days = pd.to_datetime(["2026-01-05", "2026-01-11", "2026-01-12", "2026-01-12"])
    >>> log = pd.DataFrame({"who": ["ann", "ann", "ann", "bob"], "at": days})
    >>> found = periods_of_users(log, user="who", time="at")
    >>> found.sizes, found.users
    ((1, 2), (1, 1))
    """
    validation.choice("period", period, PERIODS)
    columns = LogColumns(user, time, where)
    with open_log(source, engine, table, columns, memory_limit, progress, within) as (run, log):
        there = _columns_of_periods(run, log)
        check_columns(columns, [*there])
        condition = f"{columns.condition}{' AND' if where else 'WHERE'} "
        condition += f"{quoted(time)} IS NOT NULL"
        levels = run(
            "SELECT m, count(*) FROM (SELECT u, count(DISTINCT p) AS m FROM (SELECT "
            f"{user_as_sql(user, there)} AS u, {_beginning(time, period)} AS p FROM {log.sql} "
            f"{condition}) WHERE trim(CAST(u AS VARCHAR), {literal(_SPACES)}) <> '' GROUP BY u) "
            "GROUP BY m ORDER BY m",
            until=1.0,
        )
    if not levels:
        raise IngestError(f"There are no events with a user and a time in {log.words}.")
    return ItemsOfUsers(tuple(m for m, _ in levels), tuple(n for _, n in levels))


def within_period(time: str, period: str, day: datetime.date, where: str | None = None) -> str:
    """Return the SQL condition of events in the period that begins on a day."""
    within = f"{_beginning(time, period)} = DATE '{day}'"
    return within + (f" AND ({where}\n)" if where else "")


def _beginning(time: str, period: str) -> str:
    """Return the SQL of the first day of the period of a time."""
    return f"CAST(date_trunc('{period}', CAST({quoted(time)} AS TIMESTAMP)) AS DATE)"


class _NothingLeftError(IngestError):
    """Events name no user and item of the list."""


class _Pairs(NamedTuple):
    """Distinct pairs of users and items in the tables dptopk_pairs and dptopk_sizes.

    ``listed`` is the public list with clean names, ``of_users`` how many items users have, and
    ``parts`` are conditions in SQL on users ``u``, of which each user meets one: what sorts all
    pairs of a part stays within memory.
    """

    n_rows: int
    n_kept: int
    n_pairs: int
    n_trimmed: int
    n_cleaned: int
    notes: list[str]
    listed: list[str] | None
    of_users: ItemsOfUsers
    parts: list[str]


@contextmanager
def _paired(
    run: QueryRunner,
    log: EventLog,
    columns: LogColumns,
    listed: list[str] | None,
    normalize: bool,
    nulls: str | None,
) -> Iterator[_Pairs]:
    """Make the distinct pairs of users and items: without missing names, and on the list."""
    there = columns_of(run, log.sql)
    check_columns(columns, list(there))
    if columns.where is not None and not log.filtered:
        check_condition(run, log.sql, columns)
    condition = "" if log.filtered else columns.condition
    with ExitStack() as stack:
        for made in ("pairs", "sizes", "listed", "clean"):
            drop = f"DROP TABLE IF EXISTS dptopk_{made}"
            stack.callback(run.connection.execute, drop)
        # 1. the distinct pairs of a user and an item, with their number of rows
        user = user_as_sql(columns.user, there)
        parts = _parts(run, log)
        run.kind = "TEMP TABLE" if len(parts) == 1 else "TABLE"
        rows = (
            f"SELECT {user} AS u, CAST({quoted(columns.item)} AS VARCHAR) AS i FROM {log.sql} "
            f"{condition}"
        )
        for done, part in enumerate(parts, 1):
            pairs = f"SELECT u, i, count(*) AS n FROM ({rows}) WHERE {part} GROUP BY ALL"
            into = f"CREATE OR REPLACE {run.kind} dptopk_pairs AS"
            run(
                f"{into if done == 1 else 'INSERT INTO dptopk_pairs'} {pairs}",
                until=0.7 * done / len(parts),
            )
        ((n_rows,),) = run("SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM dptopk_pairs")
        if not n_rows:
            met = "" if columns.where is None else " that meet the condition"
            raise IngestError(f"There are no events{met} in {log.words}.")
        # 2. without those that miss a user or an item, and with names made alike, if asked
        user_is_text = there[columns.user].startswith(("VARCHAR", "ENUM"))
        notes = _without_missing(run, columns, user_is_text, nulls)
        tidied, n_trimmed, n_cleaned = _tidied(run, user_is_text)
        notes += [*tidied, *(_normalized(run) if normalize else [])]
        # 3. of the public list only, if there is one
        if listed is not None:
            listed = list(map(plain, listed))
            listed = _made_alike(run, listed) if normalize else listed
            notes += _of_list(run, listed)
        notes += _look_alikes(run)
        ((n_kept, n_pairs),) = run(
            "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*) FROM dptopk_pairs"
        )
        if not n_pairs:
            raise _NothingLeftError(
                f"No event of {log.words} names a user and an item"
                f"{'' if listed is None else ' of the list'}: choose other columns."
            )
        run(
            f"CREATE OR REPLACE {run.kind} dptopk_sizes AS "
            "SELECT u, count(*) AS m FROM dptopk_pairs GROUP BY u",
            until=0.8,
        )
        levels = run("SELECT m, count(*) FROM dptopk_sizes GROUP BY m ORDER BY m")
        of_users = ItemsOfUsers(tuple(m for m, _ in levels), tuple(n for _, n in levels))
        yield _Pairs(n_rows, n_kept, n_pairs, n_trimmed, n_cleaned, notes, listed, of_users, parts)


def _parts(run: QueryRunner, log: EventLog) -> list[str]:
    """Return conditions on users ``u`` that part a log so that the pairs of each fit into memory.

    One that holds for all, where they all fit, or where the engine is not ours.
    """
    if not run.on_disk:
        return ["TRUE"]
    needed = log.text_needs
    if not needed:
        ((n_rows,),) = run(f"SELECT count(*) FROM {log.sql}")
        needed = _BYTES_OF_PAIR * n_rows
    ((limit,),) = run("SELECT parse_formatted_bytes(current_setting('memory_limit'))")
    n_parts = max(math.ceil(needed / limit), 1)
    return [f"hash(u) % {n_parts} = {part}" for part in range(n_parts)] if n_parts > 1 else ["TRUE"]


def _counted(
    run: QueryRunner,
    log: EventLog,
    columns: LogColumns,
    max_items: int | None,
    listed: list[str] | None,
    normalize: bool,
    nulls: str | None,
    key: str,
    name: str | None,
    by_bound: bool | Sequence[int] = False,
) -> EventCounts:
    """Count users per item: distinct pairs without missing names, on the list, bounded."""
    every = None
    with _paired(run, log, columns, listed, normalize, nulls) as pairs:
        # 4. of each user at most so many items
        kept = ["SELECT i, 1 AS c FROM dptopk_pairs"]
        if max_items is not None and pairs.of_users.sizes[-1] > max_items:
            kept = [_bounded(max_items, key, part) for part in pairs.parts]
        # 5. the users of each item
        users = "CAST(sum(c) AS BIGINT)"
        until = 0.9 if by_bound else 1.0
        tally: Counter[str] = Counter()
        for done, of_part in enumerate(kept, 1):
            rows = run(
                f"SELECT i, {users} FROM ({of_part}) GROUP BY i",
                until=0.8 + (until - 0.8) * done / len(kept),
            )
            tally.update(dict(rows))
        if by_bound:
            bounds = None if by_bound is True else by_bound
            every = _under_bounds(run, log, pairs, bounds, key, name)
    counts = dict(sorted(tally.items()))
    left_out = pairs.n_pairs - sum(counts.values())
    said = pairs_said(pairs.n_kept, pairs.n_pairs, pairs.of_users, max_items, left_out)
    items = list(counts) if pairs.listed is None else pairs.listed
    read = plural(pairs.n_rows, "event was", "events were")
    where = "" if columns.where is None else f" where {shown(columns.where, 200)}"
    report = IngestReport(
        rows_read=pairs.n_rows,
        rows_kept=pairs.n_kept,
        blank_rows=0,
        duplicate_names=0,
        names_trimmed=pairs.n_trimmed,
        names_cleaned=pairs.n_cleaned,
        reading=(
            f'{read} read from {log.words}{where}; items from column "{columns.item}", counts are '
            f'the distinct users of column "{columns.user}".',
        ),
        changes=(*pairs.notes, *said),
        contribution=Contribution.COUNTED,
        items_of_users=pairs.of_users,
        max_items=max_items,
        cut=said[-1] if left_out else "",
        by_bound=every,
    )
    values = [counts.get(item, 0) for item in items]
    return EventCounts(values, items, log.name if name is None else name, report)


def _counted_by_bound(
    run: QueryRunner,
    log: EventLog,
    columns: LogColumns,
    bounds: Sequence[int] | None,
    listed: list[str] | None,
    normalize: bool,
    nulls: str | None,
    key: str,
    name: str | None,
) -> CountsByBound:
    """Count users per item under every bound."""
    with _paired(run, log, columns, listed, normalize, nulls) as pairs:
        return _under_bounds(run, log, pairs, bounds, key, name)


def _under_bounds(
    run: QueryRunner,
    log: EventLog,
    pairs: _Pairs,
    bounds: Sequence[int] | None,
    key: str,
    name: str | None,
) -> CountsByBound:
    """Count users under every bound: each pair by its place in the order of its user."""
    steps = bound_steps(pairs.of_users) if bounds is None else checked_bounds(bounds)
    steps = [*(step for step in steps if step < pairs.of_users.sizes[-1])]
    steps.append(pairs.of_users.sizes[-1])
    sums = [
        f"count(*) FILTER (WHERE r <= {step}), CAST(coalesce(sum(CAST(round({_UNITS} / "
        f"sqrt(least(m, {step}))) AS BIGINT)) FILTER (WHERE r <= {step}), 0) AS DOUBLE)"
        for step in steps
    ]
    rows = [
        row
        for done, part in enumerate(pairs.parts, 1)
        for row in run(
            f"SELECT i, {', '.join(sums)} FROM (SELECT i, m, row_number() OVER "
            f"(PARTITION BY u ORDER BY {_order_of_items(key)}) AS r FROM dptopk_pairs JOIN "
            f"dptopk_sizes USING (u) WHERE {part}) GROUP BY i",
            until=0.9 + 0.05 * done / len(pairs.parts),
        )
    ]
    named = sorted({item for item, *_ in rows}) if pairs.listed is None else pairs.listed
    place = {item: n for n, item in enumerate(named)}
    values = np.zeros((len(steps), len(named)), dtype=np.int64)
    weights = np.zeros(values.shape)
    for item, *found in rows:
        values[:, place[item]] += found[::2]
        weights[:, place[item]] += found[1::2]
    weights /= _UNITS
    counts = ItemCounts(values[-1], named, log.name if name is None else name)
    largest = counts.order[:MOST_EXPLAINED]
    of_holders = run(
        "SELECT i, m, count(*) FROM dptopk_pairs JOIN dptopk_sizes USING (u) WHERE i IN "
        "(SELECT unnest(?)) GROUP BY ALL ORDER BY ALL",
        [[counts.items[position] for position in largest]],
        until=1.0,
    )
    holders: dict[int, tuple[list[int], list[int]]] = {int(p): ([], []) for p in largest}
    for item, size, n in of_holders:
        holders[place[item]][0].append(size)
        holders[place[item]][1].append(n)
    return CountsByBound.of(counts, steps, values, weights, holders, pairs.of_users)


def _bounded(max_items: int, key: str, part: str) -> str:
    """Return the SQL of bounded pairs of some users: all items, or the first by a keyed MD5."""
    order = _order_of_items(key)
    pairs = "FROM dptopk_pairs JOIN dptopk_sizes USING (u)"
    # a window, as DuckDB has those on disk where memory ends, which it has not of min_by()
    return (
        f"SELECT i, 1 AS c {pairs} WHERE {part} AND m <= {max_items} UNION ALL SELECT i, 1 FROM "
        f"(SELECT i, row_number() OVER (PARTITION BY u ORDER BY {order}) AS r {pairs} "
        f"WHERE {part} AND m > {max_items}) WHERE r <= {max_items} "
        f"UNION ALL SELECT DISTINCT i, 0 FROM dptopk_pairs WHERE {part}"
    )


def _order_of_items(key: str) -> str:
    """Return the SQL of the order in which items of a user are kept: of a keyed hash."""
    return f"md5_number(concat({literal(key)}, chr(31), CAST(u AS VARCHAR), chr(31), i)), i"


def _without_missing(
    run: QueryRunner, columns: LogColumns, user_is_text: bool, nulls: str | None
) -> list[str]:
    """Drop pairs without a user or an item, and report the number of rows."""
    # RE2 takes a tenth of the time of trim() and lower()
    space = f"[{_SPACES}]*"
    words = f"(?i){space}(?:{'|'.join(map(re.escape, sorted(SPELLED)))})?{space}"
    missing = {
        place: f"({place} IS NULL OR regexp_full_match({place}, {literal(words)}))"
        if text
        else f"{place} IS NULL"
        for place, text in (("i", True), ("u", user_is_text))
    }
    found = []
    for label, place in ((columns.item, "i"), (columns.user, "u")):
        rows = run(
            f"SELECT trim(coalesce(CAST({place} AS VARCHAR), ''), {literal(_SPACES)}), "
            f"CAST(sum(n) AS BIGINT) FROM dptopk_pairs WHERE {missing[place]} "
            "GROUP BY 1 ORDER BY 1 DESC"
        )
        found.append((label, Counter(dict(rows))))
    (_, of_items), (_, of_users) = found
    without = of_users.pop("", 0)
    notes = []
    answer = nulls or LEAVE_OUT
    if of_items or of_users:
        question = ask_missing(found, (), answer, True)
        done = "These rows were left out." if answer == LEAVE_OUT else "They were kept as names."
        notes.append(f"{question.sentence} {done}")
    if without:
        who = plural(without, "row without a user was", "rows without a user were")
        notes.append(f"{who} left out.")
    if answer == LEAVE_OUT and notes:
        _drop(run, f"{missing['u']} OR {missing['i']}")
    elif notes:
        blank = f"({{0}} IS NULL OR regexp_full_match({{0}}, '{space}'))".format
        _drop(run, blank("u") if user_is_text else missing["u"])
        _regroup(run, "u", f"CASE WHEN {blank('i')} THEN {literal(BLANK)} ELSE i END")
    return notes


def _drop(run: QueryRunner, condition: str) -> None:
    """Rebuild the pairs without those that meet a condition.

    After DELETE, DuckDB (2.0) would hold 16 kB in memory for every 2,048 rows that lost one.
    """
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT * FROM dptopk_pairs "
        f"WHERE ({condition}) IS NOT TRUE"
    )


def _regroup(run: QueryRunner, user: str, item: str) -> None:
    """Rebuild the pairs from expressions for users and items."""
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT {user} AS u, {item} AS i, "
        "sum(n) AS n FROM dptopk_pairs GROUP BY ALL"
    )


def _tidied(run: QueryRunner, user_is_text: bool) -> tuple[list[str], int, int]:
    """Trim users, trim and clean items as those of uploads; report how many names changed.

    Returns sentences, the number of items that lost spaces, and of those that were cleaned.
    """
    notes = []
    if user_is_text:
        odd = f"regexp_matches(u, {literal(_EDGES)})"
        ((n_users,),) = run(f"SELECT count(DISTINCT u) FROM dptopk_pairs WHERE {odd}")
        if n_users:
            _regroup(run, f"trim(u, {literal(_SPACES)})", "i")
            notes.append(users_said(n_users))
    odd = f"regexp_matches(i, {literal(_UNTIDY)})"
    found = [name for (name,) in run(f"SELECT DISTINCT i FROM dptopk_pairs WHERE {odd}")]
    clean = {name: plain(name) for name in found if plain(name) != name}
    if not clean:
        return notes, 0, 0
    run(
        "CREATE OR REPLACE TEMP TABLE dptopk_clean AS SELECT unnest(?) AS i, unnest(?) AS clean",
        [[*clean], [*clean.values()]],
    )
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT u, coalesce(clean, i) AS i, "
        "sum(n) AS n FROM dptopk_pairs LEFT JOIN dptopk_clean USING (i) "
        "WHERE clean IS NULL OR clean <> '' GROUP BY ALL"
    )
    n_empty = sum(not name for name in clean.values())
    n_trimmed = sum(name.strip() == made for name, made in clean.items()) - n_empty
    n_cleaned = len(clean) - n_trimmed - n_empty
    said = (
        (n_trimmed, "item had", "items had", "spaces around the name, now removed"),
        (n_cleaned, "item has", "items have", "control or invisible characters: as uploads mark"),
        (n_empty, "item has", "items have", "no visible character in the name: left out"),
    )
    notes += [f"{plural(n, one, many)} {words}." for n, one, many, words in said if n]
    return notes, n_trimmed, n_cleaned


def _look_alikes(run: QueryRunner) -> list[str]:
    """Return a sentence on items that differ only in case, spaces or the encoding of accents."""
    groups = run(
        "SELECT min(i), max(i), count(*) OVER () FROM (SELECT DISTINCT i FROM "
        f"dptopk_pairs) GROUP BY {_alike('i')} HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    )
    return [
        f"{alike_said(n, [one, other])} They were kept apart; normalize names to merge them."
        for one, other, n in groups
    ]


def _alike(cell: str) -> str:
    """Return the SQL of text in lower case, with single spaces and normalized accents."""
    return f"lower(trim(regexp_replace(nfc_normalize({cell}), '\\s+', ' ', 'g'), ' '))"


def _normalized(run: QueryRunner) -> list[str]:
    """Merge users and items whose names are alike, and report how many."""
    sizes = "SELECT count(DISTINCT u), count(DISTINCT i) FROM dptopk_pairs"
    ((users, items),) = run(sizes)
    _regroup(run, _alike("CAST(u AS VARCHAR)"), _alike("i"))
    ((users_left, items_left),) = run(sizes)
    return [
        f"Names were put in lower case with single spaces: {plural(users, 'user')} became "
        f"{users_left:,}, {plural(items, 'item')} {items_left:,}."
    ]


def _made_alike(run: QueryRunner, names: list[str]) -> list[str]:
    run("CREATE OR REPLACE TEMP TABLE dptopk_listed AS SELECT unnest(?) AS i", [names])
    alike = dict(run(f"SELECT i, {_alike('i')} FROM dptopk_listed"))
    return [alike[name] for name in names]


def _of_list(run: QueryRunner, listed: list[str]) -> list[str]:
    """Drop the items that are not on the list, and report the change."""
    if not listed or len(set(listed)) < len(listed):
        twice = [name for name, n in Counter(listed).most_common(1) if n > 1]
        raise ValueError(
            f"items must name each item once, got {twice[0][:80]!r} twice"
            if twice
            else "items must name at least one item, got none"
        )
    run("CREATE OR REPLACE TEMP TABLE dptopk_listed AS SELECT unnest(?) AS i", [listed])
    unlisted = "i NOT IN (SELECT i FROM dptopk_listed)"
    outside = f"FROM dptopk_pairs WHERE {unlisted}"
    ((n_items, n_rows),) = run(
        f"SELECT count(DISTINCT i), CAST(coalesce(sum(n), 0) AS BIGINT) {outside}"
    )
    if n_items:
        refuse_alike(
            run(
                f"SELECT listed.i, any_value(other.i) FROM dptopk_listed listed JOIN (SELECT "
                f"DISTINCT i {outside}) other ON {_alike('listed.i')} = {_alike('other.i')} WHERE "
                "listed.i NOT IN (SELECT i FROM dptopk_pairs) GROUP BY 1 ORDER BY 1 DESC"
            )
        )
        _drop(run, unlisted)
    ((n_there,),) = run("SELECT count(DISTINCT i) FROM dptopk_pairs")
    said = [f"The list has {plural(len(listed), 'item')}."]
    if n_there < len(listed):
        absent = len(listed) - n_there
        have = "has no user and counts" if absent == 1 else "have no user and count"
        said.append(f"{absent:,} of them {have} 0.")
    if n_items:
        said.append(
            f"{plural(n_items, 'other item')} of the log, in "
            f"{plural(n_rows, 'row')}, {'was' if n_items == 1 else 'were'} dropped."
        )
    return [" ".join(said)]


def _columns_of_periods(run: QueryRunner, log: EventLog) -> dict[str, str]:
    """Return the columns of a log, with their types, if its events can be told by their times."""
    if log.filtered:
        raise ValueError(
            "source must not be an SQLite file or a table of Spark: only counts are made from those"
        )
    return columns_of(run, log.sql)


def _check_times(
    run: QueryRunner, sql: str, time: str, condition: str, others: Sequence[str]
) -> None:
    """Raise unless a column holds dates or times, or text that is written as they are."""
    wrong = run(
        f"SELECT CAST({quoted(time)} AS VARCHAR) FROM {sql} {condition} AND "
        f"TRY_CAST(CAST({quoted(time)} AS VARCHAR) AS TIMESTAMP) IS NULL LIMIT 1"
    )
    if wrong:
        among = f", among {list_names(others, 'column', 'columns')}" if len(others) > 1 else ""
        raise IngestError(
            f'Column "{shown(time)}" holds "{shown(wrong[0][0])}", which is not a date such as '
            f"2026-01-31: choose the column with the time of an event{among}."
        )
