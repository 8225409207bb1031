"""Count the distinct users of each item in a log of events, by DuckDB.

A log has a row for each event: a user, an item, and whatever else.  Each user counts once for an
item, however many events there are, so that one user changes each count by at most 1; that is
what every promise here rests on.  With a bound on the items of a user ("contribution bounding",
Wilson et al. 2020, https://doi.org/10.2478/popets-2020-0025) a keyed hash chooses which are kept,
by nothing but the user's own items: one user still changes each count by at most 1, and at most so
many counts.

DuckDB reads files and tables in parallel and beyond memory: what exceeds its memory limit goes to a
folder for temporary files, which only this user can read and which is deleted at the end.  A log
whose pairs of users and items would exceed it is read several times, each time for the pairs of
some of the users, which are kept compressed in that folder.  SQLite files are read by Python's own
module, as DuckDB would fetch an extension.

Limits: delimited text is UTF-8 with a header.  Conditions are SQL, run as they are: never take one
from a stranger.  What a condition reads of delimited text has the types that DuckDB finds in the
first 20,480 rows.  A process that is killed leaves its temporary files, which hold users and items:
folders dptopk-* of the system's folder for such files.
"""

from __future__ import annotations

import csv
import datetime
import glob
import gzip
import io
import json
import math
import os
import re
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote as quoted_for_url

import numpy as np

from dptopk.core import validation
from dptopk.core.cancellation import Progress, no_progress, part_of, pause
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
    find_delimiter,
    guess_columns,
    pairs_said,
    plain,
    refuse_alike,
    refuse_other_types,
    shown,
    users_said,
)
from dptopk.data.spark_connection import SparkConnection, is_spark

if TYPE_CHECKING:
    import duckdb

PERIODS = ("day", "week", "month", "quarter", "year")
"""Lengths of a period of `counts_by_period`."""

FOLDER_ENDINGS = (("parquet", "pq"), ("csv", "csv.gz", "tsv", "tsv.gz", "txt", "txt.gz"))
"""Ends of names of the files of a folder that are read: those of Parquet, or else of text."""

_PREVIEWED = 1_000  # rows from which columns are guessed
_SHOWN_ROWS = 6
_POLL = 0.05  # seconds between two looks at whether a query is still wanted
_AT_ONCE = 100_000  # rows of SQLite handed on
_BEGINNING = 2**16  # bytes of a text that show its delimiter and header
_GZIP = b"\x1f\x8b"  # begins what is packed
_BYTES_OF_PAIR = 64  # of memory for a pair of a user and an item while pairs are told apart
_BYTES_OF_TEXT = (3, 12)  # likewise for a byte of delimited text, and of packed text
_UNITS = 2**40  # of a weight of 1: sums of whole numbers do not depend on their order
_N_SHOWN = 20  # names of columns or tables in a message
_LONGEST = 300  # characters of DuckDB's words in a message
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
        delimited text: CSV, TSV, also as gzip; Parquet; a SQLite or DuckDB database.  Or a table in
        memory, which is not copied: pandas, Polars, Arrow.  Beside ``engine``, a str names a table
        or view of it.
    user, item : str
        Columns that name the user and the item of an event.
    where : str, optional
        Only events that meet this condition, in SQL (of SQLite for its files).  It is run as it is.
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
        Read only files below this folder, for a source or condition that somebody else names: a
        symbolic link, "..", or a view of a database that leads elsewhere is refused.
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
    columns = _Columns.checked(user, item, where)
    if memory_limit is not None and engine is not None:
        raise ValueError("memory_limit is for DuckDB of our own: set that of engine itself")
    if within is not None and engine is not None:
        raise ValueError("within is for DuckDB of our own: restrict engine itself")
    listed = None if items is None else [str(one) for one in items]
    with _reading(source, engine, table, columns, memory_limit, progress, within) as (run, log):
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
) -> dict[datetime.date, EventCounts]:
    """Count the distinct users of each item in each day, week, month, quarter or year of a log.

    A user counts once for an item in each period, and ``max_items`` bounds the items of each: a
    promise for the list of one period is for a user in that period. Who stays for many periods is
    in as many lists, whose promises add up.

    Parameters
    ----------
    source, user, item, where, max_items, items, engine, table, key, memory_limit, progress
        As of `counts_from_events`, but of no SQLite file and not by Spark.  Left out, ``items`` are
        those of all periods together.
    time : str
        Column of dates or times, or of text that is written as 2026-01-31.
    period : {"day", "week", "month", "quarter", "year"}, optional
        Length of a period; weeks begin on Mondays.

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
    whole = _Columns.checked(user, item, where)
    with _reading(source, engine, table, whole, memory_limit, None) as (run, log):
        there = _columns_of_periods(run, log)
        if time not in there:
            raise IngestError(
                f"time must be a column of the log, got {time!r}: it has "
                f"{_named([*there], 'column', 'columns')}."
            )
        _check_columns(whole, [*there])
        if where is not None:
            _check_condition(run, log.sql, whole)
        begin = _beginning(time, period)
        condition = f"{whole.condition}{' AND' if where else 'WHERE'} {_quoted(time)} IS NOT NULL"
        if not there[time].startswith(("DATE", "TIMESTAMP")):
            _check_times(run, log.sql, time, condition, [*there])
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
            part = _Runner(run.connection, told_part, run.on_disk)
            columns, name = _Columns(user, item, within), f"{log.name}, {period} of {day}"
            try:
                counts = _counted(part, log, columns, max_items, listed, False, None, key, name)
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
    columns = _Columns.checked(user, item, where)
    listed = None if items is None else [str(one) for one in items]
    with _reading(source, engine, table, columns, memory_limit, progress) as (run, log):
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
) -> ItemsOfUsers:
    """Count in how many days, weeks, months, quarters or years each user of a log has events.

    Parameters
    ----------
    source, user, time, period, where, engine, table, memory_limit, progress
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
    columns = _Columns(user, time, where)
    with _reading(source, engine, table, columns, memory_limit, progress) as (run, log):
        there = _columns_of_periods(run, log)
        _check_columns(columns, [*there])
        condition = f"{columns.condition}{' AND' if where else 'WHERE'} "
        condition += f"{_quoted(time)} IS NOT NULL"
        levels = run(
            "SELECT m, count(*) FROM (SELECT u, count(DISTINCT p) AS m FROM (SELECT "
            f"{_cell(user, there)} AS u, {_beginning(time, period)} AS p FROM {log.sql} "
            f"{condition}) WHERE trim(CAST(u AS VARCHAR), {_text(_SPACES)}) <> '' GROUP BY u) "
            "GROUP BY m ORDER BY m",
            until=1.0,
        )
    if not levels:
        raise IngestError(f"There are no events with a user and a time in {log.words}.")
    return ItemsOfUsers(tuple(m for m, _ in levels), tuple(n for _, n in levels))


@dataclass(frozen=True)
class LogPreview:
    """Beginning of a log of events: its columns and first rows, as text that may be anything.

    Attributes
    ----------
    tables : tuple of str
        Tables and views of a database; empty for other files.
    columns : tuple of str
        Names of the columns, of the first table if none was asked for.
    rows : tuple of tuple of str
        First rows.
    user, item : int or None
        Positions of the columns that seem to name users and items.
    """

    tables: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    user: int | None
    item: int | None


def preview_log(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    table: str | None = None,
    within: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> LogPreview:
    """Read the columns and first rows of a log of events in files.

    Parameters
    ----------
    source, table, within, progress
        As of `counts_from_events`, but of no table in memory.

    Returns
    -------
    LogPreview

    Raises
    ------
    IngestError, ModuleNotFoundError
        As of `counts_from_events`.
    """
    root = None if within is None else os.path.realpath(within)
    with _connected(None, None, progress, root) as run, ExitStack() as stack:
        given = [source] if isinstance(source, str | os.PathLike) else source
        paths = _paths([os.fspath(one) for one in given], root)
        kind, tables = _kind_of(paths), [""]
        if kind == "SQLite":
            file, tables = stack.enter_context(_sqlite_tables(paths[0]))
            chosen = _table(paths[0], table or next(iter(tables), None), tables)
            found = file.execute(f"SELECT * FROM {_quoted(chosen)} LIMIT {_PREVIEWED}")
            columns = [str(name) for name, *_ in found.description]
            rows = found.fetchall()
        else:
            if kind == "DuckDB":
                of_database = stack.enter_context(_duckdb_tables(run, paths[0]))
                tables = [*of_database]
                sql = of_database[_table(paths[0], table or next(iter(tables), None), tables)]
            else:
                sql = _parquet(paths) if kind == "Parquet" else _text_files(run, paths, None)
            columns = [*_columns_of(run, sql)]
            cells = ", ".join(f"CAST({_quoted(name)} AS VARCHAR)" for name in columns)
            rows = run(f"SELECT {cells} FROM {sql} LIMIT {_PREVIEWED}", until=1.0)
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    guess = guess_columns(columns, texts) if len(texts) > 1 and len(columns) > 1 else None
    return LogPreview(
        tuple(name for name in tables if name),
        tuple(columns),
        tuple(tuple(shown(cell) for cell in row) for row in texts[:_SHOWN_ROWS]),
        guess.user if guess else None,
        guess.item if guess else None,
    )


def within_period(time: str, period: str, day: datetime.date, where: str | None = None) -> str:
    """Return the SQL condition of events in the period that begins on a day."""
    within = f"{_beginning(time, period)} = DATE '{day}'"
    return within + (f" AND ({where}\n)" if where else "")


def _beginning(time: str, period: str) -> str:
    """Return the SQL of the first day of the period of a time."""
    return f"CAST(date_trunc('{period}', CAST({_quoted(time)} AS TIMESTAMP)) AS DATE)"


class _NothingLeftError(IngestError):
    """Events name no user and item of the list."""


@contextmanager
def _reading(
    source: Any,
    engine: duckdb.DuckDBPyConnection | None,
    table: str | None,
    columns: _Columns,
    memory_limit: str | None,
    progress: Progress | None,
    within: str | os.PathLike[str] | None = None,
) -> Iterator[tuple[_Runner, _Log]]:
    """Open a log for queries; what a database says of them becomes one sentence."""
    root = None if within is None else os.path.realpath(within)
    with (
        _connected(engine, memory_limit, progress, root) as run,
        _opened(run, engine is not None, source, table, columns, root) as log,
    ):
        yield run, log


@contextmanager
def _connected(
    engine: duckdb.DuckDBPyConnection | None,
    memory_limit: str | None,
    progress: Progress | None,
    root: str | None,
) -> Iterator[_Runner]:
    """Open a connection for queries, or take the one given."""
    import duckdb  # here: it takes longer to load than most of this package

    try:
        with ExitStack() as stack:
            connection: Any = engine
            if is_spark(engine):
                connection = stack.enter_context(closing(SparkConnection(engine)))
            elif engine is None:
                connection = stack.enter_context(_own_connection(memory_limit, root))
            yield _Runner(connection, progress or no_progress, on_disk=engine is None)
    except duckdb.OutOfMemoryException as error:
        raise IngestError(
            f"Counting takes more memory than it may ({_line(error)}): set a larger memory_limit, "
            "or TMPDIR to a folder on a disk with more space."
        ) from error
    except sqlite3.Error as error:
        raise IngestError(
            f"The database cannot be read ({_line(error)}): copy it again from where it is whole."
        ) from error
    except duckdb.Error as error:
        raise IngestError(
            _explained(str(error)) or f"The events could not be read: {_line(error)}."
        ) from error


class _Columns(NamedTuple):
    """Columns and condition for reading a log."""

    user: str
    item: str
    where: str | None

    @classmethod
    def checked(cls, user: str, item: str, where: str | None) -> _Columns:
        """Return the columns; raise if users and items are to be in one."""
        if user == item:
            raise ValueError(f"user and item must be two columns, got {user!r} for both")
        return cls(user, item, where)

    @property
    def condition(self) -> str:
        """Condition as SQL after FROM; it may end in a comment, and is no further statement."""
        if self.where is None:
            return ""
        import duckdb

        condition = f"WHERE ({self.where}\n)"
        try:
            n_statements = len(duckdb.extract_statements(f"SELECT 1 {condition}"))
        except duckdb.ParserException as error:
            raise _not_a_condition(self, error) from error
        if n_statements != 1:
            raise _not_a_condition(self, ValueError("it is more than one statement"))
        return condition


class _Log(NamedTuple):
    """Source of events: an SQL expression, and its name.

    ``filtered`` tells that the condition has been applied, ``text_needs`` how many bytes of memory
    the pairs of delimited text take at most, about.
    """

    sql: str
    words: str
    name: str
    filtered: bool = False
    text_needs: int = 0


class _Runner:
    """Runner of queries in a thread, with progress and cancellation.

    ``connection`` is of DuckDB, or a `SparkConnection`; ``on_disk`` tells that tables of it which
    are not temporary are in a file of ours.
    """

    def __init__(self, connection: Any, progress: Progress, on_disk: bool = False):
        self.connection, self.on_disk = connection, on_disk
        self.kind = "TEMP TABLE"
        self._progress, self._begin = progress, 0.0

    def __call__(self, sql: str, parameters: object = None, until: float = 0.0) -> list[Any]:
        """Return the rows of a query; after it the share ``until`` of all work is done."""
        end, done = max(until, self._begin), 0.0  # DuckDB's progress may fall within a query
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(lambda: self.connection.execute(sql, parameters).fetchall())
            try:
                while wait([asked], _POLL).not_done:
                    pause()
                    done = max(done, min(self.connection.query_progress() / 100.0, 1.0))
                    self._progress(self._begin + done * (end - self._begin))
            except BaseException:
                while wait([asked], _POLL).not_done:  # it may not have begun
                    self.connection.interrupt()
                raise
        pause()
        self._begin = end
        self._progress(end)
        rows: list[Any] = asked.result()
        return rows


@contextmanager
def _own_connection(
    memory_limit: str | None, root: str | None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in a temporary folder, without extensions; temporary tables are in memory.

    It then reads only files below ``root``, if one is given, whatever a view or condition says.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="dptopk-", ignore_cleanup_errors=True) as folder:
        config: dict[str, Any] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
            "python_enable_replacements": False,
        }
        file = os.path.join(folder, "pairs.duckdb")
        with duckdb.connect(file, config=config) as connection:
            connection.execute("SET enable_progress_bar_print = false")  # `python -c` has it
            if memory_limit is not None:
                try:
                    connection.execute(f"SET memory_limit = {_text(memory_limit)}")
                except duckdb.Error as error:
                    raise ValueError(
                        f"memory_limit must be a size such as '4GB', got {memory_limit!r}"
                    ) from error
            if root is not None:
                connection.execute(f"SET allowed_directories = [{_text(os.path.join(root, ''))}]")
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
            yield connection


@contextmanager
def _opened(
    run: _Runner,
    of_engine: bool,
    source: Any,
    table: str | None,
    columns: _Columns,
    root: str | None,
) -> Iterator[_Log]:
    """Make a source readable by the connection while it is counted."""
    connection = run.connection
    if isinstance(connection, SparkConnection):
        yield _Log(*connection.opened(source, columns.where), filtered=True)
        return
    if of_engine and isinstance(source, str):
        yield _Log(_identifier(source), f'table "{source}"', source)
        return
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and all(isinstance(p, str | os.PathLike) for p in source):
        paths = _paths([os.fspath(one) for one in source], root)
        name = Path(os.fspath(source[0])).name.split(".")[0].strip("*?-_ ") or "events"
        kind = _kind_of(paths)
        if kind in ("DuckDB", "SQLite") and len(paths) > 1:
            raise ValueError(f"source must be one database, got {len(paths)} {kind} files")
        if kind not in ("DuckDB", "SQLite") and table is not None:
            raise ValueError(f"table is of databases, and {paths[0]} is {kind}: leave it out")
        of_files = {"DuckDB": _duckdb_file, "SQLite": _sqlite_file}.get(kind)
        if of_files is not None:
            with of_files(run, paths[0], table, columns) as (sql, words):
                yield _Log(sql, words, name, filtered=kind == "SQLite")
            return
        many = f"{len(paths):,} files of {kind}, {paths[0]} to {paths[-1]}"
        words = many if len(paths) > 1 else f"{paths[0]} ({kind})"
        if kind == "Parquet":
            yield _Log(_parquet(paths), words, name)
        else:
            sql = _text_files(run, paths, columns[:2])
            yield _Log(sql, words, name, text_needs=sum(map(_text_needs, paths)))
        return
    try:
        connection.register("dptopk_events", source)
    except Exception as error:  # whatever DuckDB says of a type that it does not know
        raise TypeError(
            "source must be a path, a list of paths, or a table of pandas, Polars or Arrow, got "
            f"{type(source).__name__}"
        ) from error
    try:
        kind = f"{type(source).__module__.partition('.')[0]} {type(source).__name__}"
        yield _Log("dptopk_events", f"a table ({kind})", "events")
    finally:
        connection.unregister("dptopk_events")


def _paths(source: Sequence[str], root: str | None) -> list[str]:
    """Return the files that a source names, all of them below ``root`` if there is one."""
    if root is not None:
        for one in source:
            if "\0" in one or not is_below(one, root):
                raise _outside(one)  # before anything is looked for there
    paths = [path for one in source for path in _files(one)]
    if not paths:
        raise ValueError("source must name a file at least, got none")
    return paths if root is None else [_resolved(path, root) for path in paths]


def _resolved(path: str, root: str) -> str:
    """Return a path without symbolic links, which must be of a file below the root."""
    real = os.path.realpath(path)
    if not is_below(real, root):
        raise _outside(path)
    if not os.path.isfile(real):  # reading from a pipe might never end
        raise IngestError(f"{path} is no file.")
    return real if os.path.isabs(path) else os.path.relpath(real)


def is_below(path: str, root: str) -> bool:
    """Return whether a path leads below a folder, with symbolic links resolved in both."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _outside(path: str) -> IngestError:
    return IngestError(f"{shown(path, _LONGEST)} is outside of the folder whose files may be read.")


def _files(path: str) -> list[str]:
    """Return the files of a path: itself, those of a folder, or those that match a pattern."""
    if os.path.isdir(path):
        for endings in FOLDER_ENDINGS:
            fits = (f"{glob.escape(path)}/**/*.{ending}" for ending in endings)
            found = sorted({file for one in fits for file in glob.glob(one, recursive=True)})
            if found:
                return found
        raise IngestError(f"The folder {path} holds no Parquet, CSV or TSV files.")
    found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise IngestError(f"There is no file {path}.")
    return found


def _kind_of(paths: Sequence[str]) -> str:
    """Return the kind of the files by their first bytes; raise for mixed or unknown kinds."""
    kinds = {}
    for path in paths:
        try:
            with open(path, "rb") as opened:
                begin = opened.read(_BEGINNING)
        except OSError as error:
            raise IngestError(f"{path} cannot be read: {error.strerror}.") from error
        if begin[:4] == b"PAR1":
            kinds["Parquet"] = path
        elif begin[:15] == b"SQLite format 3":
            kinds["SQLite"] = path
        elif begin[8:12] == b"DUCK":
            kinds["DuckDB"] = path
        elif begin[:2] == b"PK":
            raise IngestError(
                f"{path} is a zip archive or an Excel workbook: unpack it, or save it as CSV."
            )
        else:
            if begin[:2] != _GZIP:
                refuse_other_types(begin, path)
            kinds["delimited text"] = path
    if len(kinds) > 1:
        one, other = list(kinds.items())[:2]
        raise IngestError(
            f"The files are of different kinds, {one[1]} is {one[0]} and {other[1]} {other[0]}: "
            "count them one by one."
        )
    return next(iter(kinds))


def _parquet(paths: Sequence[str]) -> str:
    return f"read_parquet({_list(paths)}, union_by_name=true)"


def _text_files(run: _Runner, paths: Sequence[str], names: Sequence[str] | None) -> str:
    """Return the SQL of delimited text, with an explicit dialect so that no row is skipped.

    Columns of these names, or all without any, are text: 007 is not 7, and one more row must not
    change what others are.
    """
    with open(paths[0], "rb") as opened:
        packed = opened.read(2) == _GZIP
    try:
        with gzip.open(paths[0]) if packed else open(paths[0], "rb") as opened:
            begin = opened.read(_BEGINNING).decode("utf-8-sig", "replace")
    except (EOFError, OSError, zlib.error) as error:
        raise IngestError(f"{paths[0]} is damaged or cut off ({error}): copy it again.") from error
    if not begin.strip():
        raise IngestError(f"{paths[0]} is empty: it has no header and no event.")
    delimiter = find_delimiter(begin)
    header = next(csv.reader(io.StringIO(begin), delimiter=delimiter), [])
    for name in names or ():
        if (n := [cell.strip() for cell in header].count(name)) > 1:
            raise IngestError(f"{paths[0]} has {n} columns named {name!r}: rename all but one.")
    options = [
        _list(paths),
        f"delim={_text(delimiter)}",
        "header=true, quote='\"', escape='\"', comment='', skip=0, strict_mode=true",
        "union_by_name=true",
        *(["compression='gzip'"] if packed else []),
    ]
    if names is None:
        options.append("all_varchar=true")
    else:
        there = _columns_of(run, f"read_csv({', '.join(options)})")
        types = [f"{_text(name)}: 'VARCHAR'" for name in names if name in there]
        options += [f"types={{{', '.join(types)}}}"] if types else []
    return f"read_csv({', '.join(options)})"


def _text_needs(path: str) -> int:
    """Return about how many bytes of memory the pairs of a delimited text take at most."""
    with open(path, "rb") as opened:
        packed = opened.read(2) == _GZIP
    return _BYTES_OF_TEXT[packed] * os.path.getsize(path)


@contextmanager
def _duckdb_file(
    run: _Runner, path: str, table: str | None, columns: _Columns
) -> Iterator[tuple[str, str]]:
    """Attach a DuckDB database, read-only, and choose its table."""
    with _duckdb_tables(run, path) as tables:
        chosen = _table(path, table, list(tables))
        yield tables[chosen], f'table "{chosen}" of {path} (DuckDB)'


@contextmanager
def _duckdb_tables(run: _Runner, path: str) -> Iterator[dict[str, str]]:
    """Attach a DuckDB database, read-only; yield the SQL of its tables and views by name."""
    run(f"ATTACH {_text(path)} AS dptopk_file (READ_ONLY)")
    try:
        tables = run(
            "SELECT schema_name, table_name FROM duckdb_tables() "
            "WHERE database_name = 'dptopk_file' "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
            "WHERE database_name = 'dptopk_file' AND NOT internal ORDER BY ALL"
        )
        yield {
            name
            if schema == "main"
            else f"{schema}.{name}": f"dptopk_file.{_quoted(schema)}.{_quoted(name)}"
            for schema, name in tables
        }
    finally:
        run.connection.execute("DETACH dptopk_file")


@contextmanager
def _sqlite_tables(path: str) -> Iterator[tuple[sqlite3.Connection, list[str]]]:
    """Open a SQLite database, read-only, with the names of its tables and views."""
    url = f"file:{quoted_for_url(os.path.abspath(path))}?mode=ro"
    with closing(sqlite3.connect(url, uri=True)) as file:
        listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        yield file, [name for (name,) in file.execute(listed)]


@contextmanager
def _sqlite_file(
    run: _Runner, path: str, table: str | None, columns: _Columns
) -> Iterator[tuple[str, str]]:
    """Copy the events of a SQLite database that meet the condition, in batches."""
    import pandas as pd

    with _sqlite_tables(path) as (file, tables):
        chosen = _table(path, table, tables)
        info = file.execute("SELECT name FROM pragma_table_info(?)", [chosen])
        _check_columns(columns, [name for (name,) in info])
        user, item = map(_quoted, columns[:2])
        cells = f"CAST({user} AS TEXT), CAST({item} AS TEXT)"
        try:
            rows = file.execute(f"SELECT {cells} FROM {_quoted(chosen)} {columns.condition}")
        except sqlite3.Error as error:
            raise _not_a_condition(columns, error) from error
        run(f"CREATE OR REPLACE TEMP TABLE dptopk_events ({user} VARCHAR, {item} VARCHAR)")
        try:
            while some := rows.fetchmany(_AT_ONCE):
                pause()
                frame = pd.DataFrame(some, dtype=object)
                run.connection.register("dptopk_rows", frame)
                run("INSERT INTO dptopk_events SELECT * FROM dptopk_rows")
                run.connection.unregister("dptopk_rows")
            yield "dptopk_events", f'table "{chosen}" of {path} (SQLite)'
        finally:
            run.connection.execute("DROP TABLE IF EXISTS dptopk_events")


def _table(path: str, asked: str | None, tables: list[str]) -> str:
    """Return the table that is asked for, or the only one."""
    if asked in tables:
        return str(asked)
    if asked is None and len(tables) == 1:
        return tables[0]
    there = f"has {_named(tables, 'table', 'tables')}" if tables else "has no table"
    which = "name one with table" if asked is None else f"has no table {asked!r}"
    raise IngestError(
        f"The database {path} {there}: {which}."
        if asked is None
        else f"The database {path} {which}: it {there}."
    )


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
    run: _Runner,
    log: _Log,
    columns: _Columns,
    listed: list[str] | None,
    normalize: bool,
    nulls: str | None,
) -> Iterator[_Pairs]:
    """Make the distinct pairs of users and items: without missing names, and on the list."""
    there = _columns_of(run, log.sql)
    _check_columns(columns, list(there))
    if columns.where is not None and not log.filtered:
        _check_condition(run, log.sql, columns)
    condition = "" if log.filtered else columns.condition
    with ExitStack() as stack:
        for made in ("pairs", "sizes", "listed", "clean"):
            drop = f"DROP TABLE IF EXISTS dptopk_{made}"
            stack.callback(run.connection.execute, drop)
        # 1. the distinct pairs of a user and an item, with their number of rows
        user = _cell(columns.user, there)
        parts = _parts(run, log)
        run.kind = "TEMP TABLE" if len(parts) == 1 else "TABLE"
        rows = (
            f"SELECT {user} AS u, CAST({_quoted(columns.item)} AS VARCHAR) AS i FROM {log.sql} "
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


def _parts(run: _Runner, log: _Log) -> list[str]:
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
    run: _Runner,
    log: _Log,
    columns: _Columns,
    max_items: int | None,
    listed: list[str] | None,
    normalize: bool,
    nulls: str | None,
    key: str,
    name: str | None,
    by_bound: bool = False,
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
            every = _under_bounds(run, log, pairs, None, key, name)
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
    run: _Runner,
    log: _Log,
    columns: _Columns,
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
    run: _Runner,
    log: _Log,
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
    return f"md5_number(concat({_text(key)}, chr(31), CAST(u AS VARCHAR), chr(31), i)), i"


def _without_missing(
    run: _Runner, columns: _Columns, user_is_text: bool, nulls: str | None
) -> list[str]:
    """Drop pairs without a user or an item, and report the number of rows."""
    # RE2 takes a tenth of the time of trim() and lower()
    space = f"[{_SPACES}]*"
    words = f"(?i){space}(?:{'|'.join(map(re.escape, sorted(SPELLED)))})?{space}"
    missing = {
        place: f"({place} IS NULL OR regexp_full_match({place}, {_text(words)}))"
        if text
        else f"{place} IS NULL"
        for place, text in (("i", True), ("u", user_is_text))
    }
    found = []
    for label, place in ((columns.item, "i"), (columns.user, "u")):
        rows = run(
            f"SELECT trim(coalesce(CAST({place} AS VARCHAR), ''), {_text(_SPACES)}), "
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
        notes.append(f"{plural(without, 'row')} without a user left out.")
    if answer == LEAVE_OUT and notes:
        _drop(run, f"{missing['u']} OR {missing['i']}")
    elif notes:
        blank = f"({{0}} IS NULL OR regexp_full_match({{0}}, '{space}'))".format
        _drop(run, blank("u") if user_is_text else missing["u"])
        _regroup(run, "u", f"CASE WHEN {blank('i')} THEN {_text(BLANK)} ELSE i END")
    return notes


def _drop(run: _Runner, condition: str) -> None:
    """Rebuild the pairs without those that meet a condition.

    After DELETE, DuckDB (2.0) would hold 16 kB in memory for every 2,048 rows that lost one.
    """
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT * FROM dptopk_pairs "
        f"WHERE ({condition}) IS NOT TRUE"
    )


def _regroup(run: _Runner, user: str, item: str) -> None:
    """Rebuild the pairs from expressions for users and items."""
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT {user} AS u, {item} AS i, "
        "sum(n) AS n FROM dptopk_pairs GROUP BY ALL"
    )


def _tidied(run: _Runner, user_is_text: bool) -> tuple[list[str], int, int]:
    """Trim users, trim and clean items as those of uploads; report how many names changed.

    Returns sentences, the number of items that lost spaces, and of those that were cleaned.
    """
    notes = []
    if user_is_text:
        odd = f"regexp_matches(u, {_text(_EDGES)})"
        ((n_users,),) = run(f"SELECT count(DISTINCT u) FROM dptopk_pairs WHERE {odd}")
        if n_users:
            _regroup(run, f"trim(u, {_text(_SPACES)})", "i")
            notes.append(users_said(n_users))
    odd = f"regexp_matches(i, {_text(_UNTIDY)})"
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
        (n_trimmed, "item lost", "items lost", "spaces around the name"),
        (n_cleaned, "item has", "items have", "control or invisible characters: as uploads mark"),
        (n_empty, "item has", "items have", "no visible character in the name: left out"),
    )
    notes += [f"{plural(n, one, many)} {words}." for n, one, many, words in said if n]
    return notes, n_trimmed, n_cleaned


def _look_alikes(run: _Runner) -> list[str]:
    """Return a sentence on items that differ only in case, spaces or the encoding of accents."""
    groups = run(
        "SELECT min(i), max(i), count(*) OVER () FROM (SELECT DISTINCT i FROM "
        f"dptopk_pairs) GROUP BY {_alike('i')} HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    )
    return [
        f"{alike_said(n, [one, other])} They stay apart, unless names are normalized."
        for one, other, n in groups
    ]


def _alike(cell: str) -> str:
    """Return the SQL of text in lower case, with single spaces and normalized accents."""
    return f"lower(trim(regexp_replace(nfc_normalize({cell}), '\\s+', ' ', 'g'), ' '))"


def _normalized(run: _Runner) -> list[str]:
    """Merge users and items whose names are alike, and report how many."""
    sizes = "SELECT count(DISTINCT u), count(DISTINCT i) FROM dptopk_pairs"
    ((users, items),) = run(sizes)
    _regroup(run, _alike("CAST(u AS VARCHAR)"), _alike("i"))
    ((users_left, items_left),) = run(sizes)
    return [
        "Names were put in small letters with single spaces: "
        f"{plural(users, 'user')} became {users_left:,}, "
        f"{plural(items, 'item')} {items_left:,}."
    ]


def _made_alike(run: _Runner, names: list[str]) -> list[str]:
    run("CREATE OR REPLACE TEMP TABLE dptopk_listed AS SELECT unnest(?) AS i", [names])
    alike = dict(run(f"SELECT i, {_alike('i')} FROM dptopk_listed"))
    return [alike[name] for name in names]


def _of_list(run: _Runner, listed: list[str]) -> list[str]:
    """Drop the items that are not on the list, and report the change."""
    if not listed or len(set(listed)) < len(listed):
        twice = [name for name, n in Counter(listed).most_common(1) if n > 1]
        raise ValueError(
            f"items must hold each item once, got {twice[0]!r} again"
            if twice
            else "items must hold an item at least, got none"
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


def _columns_of_periods(run: _Runner, log: _Log) -> dict[str, str]:
    """Return the columns of a log, with their types, if its events can be told by their times."""
    if log.filtered:
        raise ValueError(
            "source must be no SQLite file or table of Spark: of those only counts are made"
        )
    return _columns_of(run, log.sql)


def _columns_of(run: _Runner, sql: str) -> dict[str, str]:
    """Return the columns of an expression, with their types."""
    return {str(name): str(kind) for name, kind, *_ in run(f"DESCRIBE SELECT * FROM {sql}")}


def _check_times(run: _Runner, sql: str, time: str, condition: str, there: Sequence[str]) -> None:
    """Raise unless a column holds dates or times, or text that is written as they are."""
    wrong = run(
        f"SELECT CAST({_quoted(time)} AS VARCHAR) FROM {sql} {condition} AND "
        f"TRY_CAST(CAST({_quoted(time)} AS VARCHAR) AS TIMESTAMP) IS NULL LIMIT 1"
    )
    if wrong:
        others = _named([name for name in there if name != time], "column", "columns")
        raise IngestError(
            f'Column "{shown(time)}" holds "{shown(wrong[0][0])}", which is no date such as '
            f"2026-01-31: choose the column with the time of an event, among {others}."
        )


def _check_columns(columns: _Columns, there: list[str]) -> None:
    for argument, name in (("user", columns.user), ("item", columns.item)):
        if name not in there:
            raise IngestError(
                f"{argument} must be a column of the log, got {name!r}: it has "
                f"{_named(there, 'column', 'columns')}."
            )


def _check_condition(run: _Runner, sql: str, columns: _Columns) -> None:
    import duckdb

    try:
        run(f"DESCRIBE SELECT * FROM {sql} {columns.condition}")
    except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException) as error:
        raise _not_a_condition(columns, error) from error


def is_plain_condition(where: str) -> bool:
    """Return whether a condition only compares columns and constants.

    One of a file that somebody sends may be run if so: it has no query of its own, which could
    read other files, and of functions only those that compute.
    """
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
        try:
            _Columns("", "", where).condition  # noqa: B018 - raises for what is no condition
            asked = [f"SELECT 1 FROM t WHERE ({where}\n)"]
            ((text,),) = connection.execute("SELECT json_serialize_sql(?)", asked).fetchall()
        except (duckdb.Error, ValueError):
            return False
    statements = json.loads(text).get("statements", [])
    parts = [one["node"]["where_clause"] for one in statements]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if part.get("class", "CONSTANT") not in _PLAIN_PARTS:
                return False
            if part.get("class") == "FUNCTION" and part["function_name"] not in _PLAIN_FUNCTIONS:
                return False
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return bool(statements)


_PLAIN_PARTS = frozenset(
    {"BETWEEN", "CASE", "CAST", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"}
    | {"FUNCTION", "OPERATOR", "TYPE"}
)
_PLAIN_FUNCTIONS = frozenset(
    {*"+-*/%", "~~", "!~~", "~~*", "!~~*", "abs", "contains", "date_part", "date_trunc", "day"}
    | {"hour", "length", "lower", "month", "prefix", "quarter", "regexp_matches", "round", "suffix"}
    | {"strftime", "strptime", "substring", "trim", "upper", "week", "weekday", "year"}
)


def _not_a_condition(columns: _Columns, error: Exception) -> ValueError:
    return ValueError(
        f"where must be a condition in SQL on columns of the log, got {columns.where!r}: "
        f"{_line(error)}"
    )


def _cell(column: str, there: dict[str, str]) -> str:
    """Return the SQL of a user for grouping, with NaN as NULL and categories as text."""
    cell, kind = _quoted(column), there[column]
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} END"
    return f"CAST({cell} AS VARCHAR)" if kind.startswith("ENUM") else cell


def _named(names: Sequence[str], one: str, many: str) -> str:
    told = ", ".join(f'"{shown(name)}"' for name in names[:_N_SHOWN])
    more = f" and {len(names) - _N_SHOWN} more" if len(names) > _N_SHOWN else ""
    return f"the {one if len(names) == 1 else many} {told}{more}"


def _quoted(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _identifier(name: str) -> str:
    """Quote the name of a table, with its schema and database if they are given."""
    return ".".join(map(_quoted, name.split(".")))


def _text(value: str) -> str:
    """Quote text as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def _list(paths: Sequence[str]) -> str:
    """Return the paths as an SQL list, with pattern characters escaped."""
    return f"[{', '.join(_text(glob.escape(path)) for path in paths)}]"


def _line(error: Exception) -> str:
    """Return the first line of a database's error, without its kind and its advice."""
    words = str(error).partition("\n\n")[0].partition("\nPossible")[0]
    return shown(_KIND.sub("", words), _LONGEST).rstrip(".")


def _explained(error: str) -> str:
    """Return what is wrong with a file, where, and how to mend it; empty if it is not known.

    ``error`` is DuckDB's, which names a file and often a line; where it names none, the first rows
    are read for it.
    """
    named = _OF_FILE.search(error)
    path = named[1] or named[2] if named else ""
    if "Parquet" in error or "parquet" in error:
        of = _OF_PARQUET.search(error)
        return (
            f"{of[1] if of else 'A file'} is no whole Parquet file: it is damaged or cut off; copy "
            "or write it again."
        )
    if "Error when sniffing" in error and path:
        delimiter = _DELIMITER.search(error)
        return _wrong_row(path, delimiter[1] if delimiter else ",")
    line = _AT_LINE.search(error)
    if line is None or not path:
        return ""
    at = f"{path}, line {int(line[1]):,}"
    if "not utf-8" in error:
        return f"{at}{_NOT_UTF8}"
    if cells := _CELLS.search(error):
        return f"{at}{_WIDTH.format(found=plural(int(cells[2]), 'cell'), width=cells[1])}"
    if "unterminated quote" in error or "quote should be followed" in error:
        return f"{at}{_UNCLOSED}"
    if value := _VALUE.search(error):
        return (
            f'{at}: "{shown(value[2])}" in column "{shown(value[1])}" is not a number or date as '
            "in the rows before it: correct it, or leave this column out of the condition."
        )
    return ""


def _wrong_row(path: str, delimiter: str) -> str:
    """Return what is wrong with the first of a text's rows that has another shape."""
    with open(path, "rb") as opened:
        packed = opened.read(2) == _GZIP
    try:
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=delimiter, strict=True)
            width = len(next(rows, []))
            for cells in islice(rows, _SAMPLED):
                pause()
                if len(cells) != width:
                    found = plural(len(cells), "cell")
                    words = _WIDTH.format(found=found, width=width)
                    return f"{path}, line {rows.line_num:,}{words}"
    except UnicodeDecodeError:
        return f"{path}{_NOT_UTF8}"
    except csv.Error:
        return f"{path}, line {rows.line_num:,}{_UNCLOSED}"
    return f"{path} cannot be split into columns: correct its quotation marks and delimiters."


_KIND = re.compile(r"^(?:\w+ )+Error: ")
_OF_FILE = re.compile(r'file "([^"\n]+)"|^  file = (.+)$', re.MULTILINE)
_OF_PARQUET = re.compile(r"file ['\"]([^'\"\n]+)")
_DELIMITER = re.compile(r"Delimiter Candidates: '(.)'")
_AT_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_VALUE = re.compile(r'converting column "(.+?)"\. Could not convert string "(.*?)" to')
_SAMPLED = 30_000  # rows, more than DuckDB looks at before it reads
_NOT_UTF8 = (
    ": the text is not UTF-8: save it as UTF-8, for instance with "
    "iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv."
)
_WIDTH = (
    ": {found}, where the header has {width}: correct the line, or put quotation marks around a "
    "cell with the delimiter in it."
)
_UNCLOSED = (
    ": a quotation mark is not closed, or stands inside a cell: close it, and double every mark "
    "inside a name."
)
