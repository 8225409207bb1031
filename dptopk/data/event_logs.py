"""Open a log of events for queries by DuckDB: files, databases and tables in memory.

DuckDB reads files and tables in parallel and beyond memory: what exceeds its memory limit goes to a
folder for temporary files, which only this user can read and which is deleted at the end.  SQLite
files are read by Python's own module, as DuckDB would fetch an extension.  What a database says of
a log that it cannot read becomes one sentence.  Our own DuckDB reads the files of the log and no
other, whatever a view or a condition says.

What DuckDB does not open itself, a workbook, a zip archive or text that is not UTF-8, is read by
`read_table`, within the limits of uploads, and written as delimited text into that folder.

Limits: delimited text has a header; titles may stand above it, but no notes below.  A condition is
one expression in SQL, run as it is: one from a stranger goes through `conditions.plain_condition`
first.  Delimited text has no types: what a condition compares is read as `conditions.as_compared`
says; dates that do not begin with the year are text.  A process that is killed leaves its temporary
files, which hold users and items: folders dptopk-* of the system's folder for such files.
"""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import io
import os
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote as quoted_for_url

from dptopk.core.cancellation import Progress, no_progress, part_of
from dptopk.core.numerals import plural
from dptopk.data import conditions, ingest
from dptopk.data.ingest.queries import (
    Column,
    QueryRunner,
    columns_of,
    first_line,
    literal,
    quoted,
    restricted_connection,
)
from dptopk.data.ingest.reading import MAX_TITLES, N_SHAPE, in_short, n_titles, rows_left_out
from dptopk.data.spark_connection import SparkConnection, is_spark

if TYPE_CHECKING:
    import duckdb

    from dptopk.data.events import EventLog

FOLDER_ENDINGS = (("parquet", "pq"), ("csv", "csv.gz", "tsv", "tsv.gz", "txt", "txt.gz"))
"""Ends of names of the files of a folder that are read: those of Parquet, or else of text."""
_PREVIEWED = 1_000  # rows from which columns are guessed
_SHOWN_ROWS = 6
_AT_ONCE = 100_000  # rows of SQLite handed on
_BEGINNING = 2**16  # bytes of a text that show its delimiter and header
_PIECE = 2**20  # bytes whose encoding is looked at, at a time
_GZIP = b"\x1f\x8b"  # begins what is packed
_BYTES_OF_TEXT = (3, 12)  # of memory for the pairs of a byte of text, at most, and of packed text
_N_SHOWN = 20  # names of columns or tables in a message
_LONGEST = 300  # characters of DuckDB's words in a message


@dataclass(frozen=True)
class LogPreview:
    """Beginning of a log of events: its columns and first rows, as text that may be anything.

    ``user``, ``item`` and ``time`` are positions of the columns that seem to hold those of events;
    of a SQLite file, of which no periods are counted, there is no time.
    """

    tables: tuple[str, ...]  # of a database, or sheets of a workbook, the one shown first
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    user: int | None
    item: int | None
    time: int | None = None


def preview_log(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    table: str | None = None,
    within: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> LogPreview:
    """Read the columns and first rows of a log of events in files.

    Arguments and errors are those of `counts_from_events`, but of no table in memory.
    """
    paths = _paths(source, within)
    with ExitStack() as stack:
        files = _readable(stack, paths, table, progress, first=True)
        in_order = {"preserve_insertion_order": True}  # else other rows may come first each time
        connected = _connected(None, None, files.progress, files.paths, **in_order)
        run = stack.enter_context(connected)
        kind, names = files.kind, [""]
        tables: Collection[str] = files.sheets
        if kind == "SQLite":
            file, tables = _sqlite_tables(stack, paths[0])
            chosen = _table(paths[0], table, tables, first=True)
            preview = file.execute(f"SELECT * FROM {quoted(chosen)} LIMIT {_PREVIEWED}")
            columns = [str(name) for name, *_ in preview.description]
            rows = preview.fetchall()
        else:
            if kind == "DuckDB":
                tables = of_database = _duckdb_tables(stack, run, paths[0])
                sql = of_database[_table(paths[0], table, tables, first=True)]
            else:
                of_text = kind != "Parquet"
                sql, names, *_ = _text_files(files) if of_text else _parquet(run, files.paths)
            there = columns_of(run, sql, names)
            columns = [*there]
            cells = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name, _ in there.values())
            rows = run(f"SELECT {cells} FROM {sql} LIMIT {_PREVIEWED}", until=1.0)
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    guess = ingest.guess_columns(columns, texts) if len(texts) > 1 and len(columns) > 1 else None
    return LogPreview(
        tuple(name for name in tables if name),
        tuple(columns),
        tuple(tuple(ingest.shown(cell) for cell in row) for row in texts[:_SHOWN_ROWS]),
        guess.user_column if guess else None,
        guess.item_column if guess else None,
        guess.time_column if guess and kind != "SQLite" else None,
    )


@contextmanager
def open_log(event_log: EventLog, time: str | None = None) -> Iterator[tuple[QueryRunner, OpenLog]]:
    """Open a log for queries, with its columns checked; a database's errors become sentences.

    ``time`` is the column of times where periods are.
    """
    if event_log.user == event_log.item:
        raise ValueError(f"user and item must be two columns, got {event_log.user!r} for both")
    source, engine, where = event_log.source, event_log.engine, event_log.where
    paths = [] if _is_table(source, engine) else _paths(source, event_log.within)
    named: set[str] = set()
    if where is not None and not is_spark(engine):
        try:
            named = conditions.columns_named(where)
        except ValueError as error:
            raise conditions.not_a_condition(where, error) from error
    with ExitStack() as stack:
        files = _readable(stack, paths, event_log.table, event_log.progress)
        run = stack.enter_context(
            _connected(engine, event_log.memory_limit, files.progress, files.paths)
        )
        log = _opened(stack, run, event_log, time, paths, files)
        there = columns_of(run, log.sql, log.names)
        _check_columns(event_log, there, log.names)
        if type(source).__module__.partition(".")[0] == "pandas":
            _check_objects(source, {*map(str.lower, _columns_read(event_log, time))} | named)
        alike = [name for name in there if sum(name.lower() == one.lower() for one in there) > 1]
        if named & {name.lower() for name in alike}:
            words = f"it cannot tell {list_names(alike, 'column', 'columns')} apart, rename them"
            raise conditions.not_a_condition(where, ValueError(words))
        if where is not None and not log.filtered:
            conditions.check_dates(run, log.sql, where, named)
            if log.text_needs:
                texts = {
                    there[name].name for name in (event_log.user, event_log.item) if name != time
                }
                sql, notes = conditions.as_compared(run, log.sql, where, texts)
                log = log._replace(sql=sql, notes=[*log.notes, *notes])
                there = columns_of(run, log.sql, log.names)
            conditions.check_condition(
                run, log.sql, where, conditions.HINT if log.text_needs else ""
            )
        if time is not None:
            _check_time(time, there, log.filtered)
        yield run, log._replace(columns=there)


def _is_table(source: Any, engine: object) -> bool:
    """Return whether a source is a table in memory or of an engine, and names no files."""
    if isinstance(source, str | os.PathLike):
        return is_spark(engine) or (engine is not None and isinstance(source, str))
    several = isinstance(source, list | tuple)
    return not (several and all(isinstance(path, str | os.PathLike) for path in source))


@contextmanager
def _connected(
    engine: duckdb.DuckDBPyConnection | None,
    memory_limit: str | None,
    progress: Progress | None,
    paths: Sequence[str],
    **settings: Any,
) -> Iterator[QueryRunner]:
    import duckdb  # here: it takes longer to load than most of this package

    try:
        with ExitStack() as stack:
            connection: Any = engine
            if is_spark(engine):
                connection = stack.enter_context(closing(SparkConnection(engine)))
            elif engine is None:
                connection = _own_connection(stack, memory_limit, paths, settings)
            yield QueryRunner(connection, progress or no_progress, on_disk=engine is None)
    except duckdb.OutOfMemoryException as error:
        raise ingest.IngestError(
            f"Counting needs more memory than is allowed ({first_line(error)}): set a larger "
            "memory_limit, or set TMPDIR to a folder on a disk with more space."
        ) from error
    except sqlite3.Error as error:
        how = "copy it again from an intact original"
        if "decode to UTF-8" in str(error):
            how = "correct that text, or leave it out, a BLOB by where=\"typeof(column) <> 'blob'\""
        raise ingest.IngestError(
            f"The database cannot be read ({first_line(error)}): {how}."
        ) from error
    except duckdb.Error as error:
        raise ingest.IngestError(
            _explained(str(error)) or f"The events could not be read: {first_line(error)}."
        ) from error


def condition_of(log: EventLog) -> str:
    """Return the condition of a log as SQL after FROM; it may end in a comment."""
    return "" if log.where is None else f"WHERE ({log.where}\n)"


def _columns_read(log: EventLog, time: str | None) -> list[str]:
    return [*filter(None, (log.user, log.item, time))]


class OpenLog(NamedTuple):
    """Source of events: an SQL expression, what it is called in messages, and its name."""

    sql: str
    words: str
    name: str
    filtered: bool = False  # whether the condition has been applied
    text_needs: int = 0  # bytes of memory for the pairs of delimited text, at most, about
    names: Sequence[str] = ()  # columns as the source has them, where DuckDB calls them otherwise
    notes: Sequence[str] = ()  # sentences on its reading
    columns: Mapping[str, Column] = {}


class _Files(NamedTuple):
    """Files that DuckDB opens, with their kind."""

    kind: str
    paths: Sequence[str]
    progress: Progress | None  # of what is left to do
    sheets: Sequence[str] = ()  # of a workbook, that which was read first
    notes: Sequence[str] = ()  # sentences on what `read_table` read
    written: bool = False  # from that


def _readable(
    stack: ExitStack,
    paths: Sequence[str],
    sheet: str | None,
    progress: Progress | None,
    first: bool = False,
) -> _Files:
    """Write what DuckDB does not open as delimited text into a temporary folder.

    Of sheets that may all be meant, the ``first`` is taken on request.
    """
    kind = _kind_of(paths) if paths else ""
    if kind != _OTHER:
        return _Files(kind, paths, progress)
    folder = stack.enter_context(_temporary_folder())
    written = [os.path.join(folder, f"{n}.csv") for n in range(len(paths))]
    notes: dict[str, None] = {}
    for n, (path, text) in enumerate(zip(paths, written, strict=True)):
        share = part_of(progress, 0.3 * n / len(paths), 0.3 * (n + 1) / len(paths))
        table = _table_of(path, sheet, share, first)
        with open(text, "w", encoding="utf-8", newline="") as opened:
            lines = csv.writer(opened, lineterminator="\n")
            lines.writerow(table.columns)
            lines.writerows(table.rows())
        notes |= dict.fromkeys(table.notes)
    kind = table.encoding if table.sheet else f"{table.encoding} text"
    sheets = sorted(table.sheets, key=table.sheet.__ne__)
    return _Files(kind, written, part_of(progress, 0.3, 1.0), sheets, [*notes], written=True)


def _table_of(path: str, sheet: str | None, progress: Progress, first: bool) -> ingest.RawTable:
    with open(path, "rb") as opened:
        data = opened.read(ingest.MAX_BYTES + 1)
    try:
        table = ingest.read_table(data, path, header=True, sheet=sheet, progress=progress)
    except ingest.UnclearError as error:
        if first:
            return _table_of(path, next(iter(error.questions[-1].options)), progress, first)
        raise ingest.IngestError(f"table must name a sheet of {path}: {error}") from error
    except ingest.IngestError as error:
        words = str(error).replace(ingest.COUNT_FIRST, "save it as CSV in UTF-8 or as Parquet")
        raise ingest.IngestError(f"{path} cannot be read: {words}") from error
    if sheet is not None and not table.sheet:
        raise _not_of_tables(path, f"{table.encoding} text")
    return table


def _own_connection(
    stack: ExitStack, memory_limit: str | None, paths: Sequence[str], settings: dict[str, Any]
) -> duckdb.DuckDBPyConnection:
    """Open a database in a temporary folder; temporary tables are in memory."""
    import duckdb

    folder = stack.enter_context(_temporary_folder())
    database, settings["temp_directory"] = os.path.join(folder, "pairs.duckdb"), folder
    if memory_limit is not None:
        settings["memory_limit"] = memory_limit
    try:
        return stack.enter_context(restricted_connection(database, paths, **settings))
    except duckdb.ParserException as error:
        raise ValueError(
            f"memory_limit must be a size such as '4GB', got {memory_limit!r}"
        ) from error


def _not_of_tables(path: str, kind: str) -> ValueError:
    return ValueError(
        f"table is for databases and workbooks only, and {path} is {kind}: leave it out"
    )


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="dptopk-", ignore_cleanup_errors=True)
    except OSError as error:
        raise ingest.IngestError(
            f"Counting needs a folder for temporary files, which cannot be made ({error.strerror}):"
            " set TMPDIR to a folder on a disk with more space."
        ) from error


def _opened(
    stack: ExitStack,
    run: QueryRunner,
    log: EventLog,
    time: str | None,
    paths: Sequence[str],
    files: _Files,
) -> OpenLog:
    """Make a source readable by the connection until the stack is left."""
    connection, source, table = run.connection, log.source, log.table
    if isinstance(connection, SparkConnection):
        return OpenLog(*connection.opened(source, log.where), filtered=True)
    if log.engine is not None and isinstance(source, str):
        sql = ".".join(map(quoted, source.split(".")))  # with its schema and database, if given
        return OpenLog(sql, f'table "{source}"', source)
    if not paths:
        return _of_memory(stack, connection, source)
    first = source if isinstance(source, str | os.PathLike) else source[0]
    name = Path(os.fspath(first)).name.split(".")[0].strip("*?-_ ") or "events"
    kind = files.kind
    if kind in ("DuckDB", "SQLite") and len(paths) > 1:
        raise ValueError(f"source must be one database, got {len(paths)} {kind} files")
    if kind in ("Parquet", _TEXT) and table is not None:
        raise _not_of_tables(paths[0], kind)
    if kind == "DuckDB":
        tables = _duckdb_tables(stack, run, paths[0])
        chosen = _table(paths[0], table, tables)
        return OpenLog(tables[chosen], f'table "{chosen}" of {paths[0]} (DuckDB)', name)
    if kind == "SQLite":
        words = _copy_sqlite(stack, run, paths[0], log)
        return OpenLog("dptopk_events", words, name, filtered=True)
    many = f"{len(paths):,} files of {kind}, {paths[0]} to {paths[-1]}"
    words = many if len(paths) > 1 else f"{paths[0]} ({kind})"
    if kind == "Parquet":
        sql, names = _parquet(run, paths, _columns_read(log, time))
        return OpenLog(sql, words, name, names=names)
    sql, names, titles = _text_files(files, _columns_read(log, time), paths)
    needed = sum(_BYTES_OF_TEXT[_is_packed(path)] * os.path.getsize(path) for path in files.paths)
    notes = [*files.notes, *titles]
    return OpenLog(sql, words, name, text_needs=needed, names=names, notes=notes)


def _of_memory(stack: ExitStack, connection: Any, source: Any) -> OpenLog:
    names = []
    try:
        if hasattr(source, "collect_schema"):  # Polars, whose integers of 128 bits DuckDB refuses
            schema = source.collect_schema()
            names = [*schema]
            wide = {name: str for name in names if str(schema[name]).endswith("Int128")}
            source = source.cast(wide) if wide else source
        elif hasattr(source, "schema"):  # Arrow
            names = source.schema.names
        elif hasattr(source, "columns"):
            names = [*map(str, source.columns)]
        connection.register("dptopk_events", source)
    except Exception as error:  # whatever DuckDB says of a type that it does not know
        raise TypeError(
            "source must be a path, a list of paths, or a table of pandas, Polars or Arrow, got "
            f"{type(source).__name__}"
        ) from error
    stack.callback(connection.unregister, "dptopk_events")
    kind = f"{type(source).__module__.partition('.')[0]} {type(source).__name__}"
    return OpenLog("dptopk_events", f"a table ({kind})", "events", names=names)


def _paths(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    within: str | os.PathLike[str] | None,
) -> list[str]:
    """Return the files that a source names, all of them below ``within`` if it is given."""
    root = None if within is None else os.path.realpath(within)
    given = [source] if isinstance(source, str | os.PathLike) else source
    named = [os.fspath(one) for one in given]
    if root is not None:
        for one in named:
            if "\0" in one or not is_below(one, root):
                raise _outside(one)
    paths = [path for one in named for path in _files(one)]
    if not paths:
        raise ValueError("source must name at least one file, got none")
    return paths if root is None else [_resolved(path, root) for path in paths]


def _resolved(path: str, root: str) -> str:
    """Return a path without symbolic links, which must be of a file below the root."""
    real = os.path.realpath(path)
    if not is_below(real, root):
        raise _outside(path)
    if not os.path.isfile(real):  # reading from a pipe might never end
        raise ingest.IngestError(f"{path} is not a file.")
    return real if os.path.isabs(path) else os.path.relpath(real)


def is_below(path: str, root: str) -> bool:
    """Return whether a path leads below a folder, with symbolic links resolved in both."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _outside(path: str) -> ingest.IngestError:
    return ingest.IngestError(
        f"{ingest.shown(path, _LONGEST)} is outside the folder whose files may be read."
    )


def _files(path: str) -> list[str]:
    """Return the files of a path: itself, those of a folder, or those that match a pattern."""
    if os.path.isdir(path):
        for endings in FOLDER_ENDINGS:
            fits = (f"{glob.escape(path)}/**/*.{ending}" for ending in endings)
            paths = sorted({file for one in fits for file in glob.glob(one, recursive=True)})
            if paths:
                return paths
        raise ingest.IngestError(f"The folder {path} holds no Parquet, CSV or TSV files.")
    paths = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not paths:
        raise ingest.IngestError(f"There is no file {path}.")
    return paths


def _kind_of(paths: Sequence[str]) -> str:
    """Return the kind of the files by their first bytes; raise for mixed or unknown kinds."""
    kinds = {}
    for path in paths:
        try:
            with open(path, "rb") as opened:
                begin = opened.read(_BEGINNING)
        except OSError as error:
            raise ingest.IngestError(f"{path} cannot be read: {error.strerror}.") from error
        if begin[:4] == b"PAR1":
            kinds["Parquet"] = path
        elif kind := ingest.database_kind(begin):
            kinds[kind] = path
        elif begin[:4] == b"PK\3\4" or not _is_utf8(path):
            kinds[_OTHER] = path
        else:
            if begin[:2] != _GZIP:
                ingest.refuse_other_types(begin, path)
            kinds[_TEXT] = path
    if len(kinds) > 1:
        one, other = list(kinds.items())[:2]
        raise ingest.IngestError(
            f"The files are of different kinds, {one[1]} is {one[0]} and {other[1]} {other[0]}: "
            "count them one by one."
        )
    return next(iter(kinds))


_TEXT = "delimited text"
_OTHER = "a workbook, a zip archive or text that is not UTF-8"
"""Kind of files that `read_table` reads and DuckDB does not."""


def _is_packed(path: str) -> bool:
    with open(path, "rb") as opened:
        return opened.read(2) == _GZIP


def _unpacked(path: str) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path) if _is_packed(path) else open(path, "rb")


def _is_utf8(path: str) -> bool:
    """Return whether a text is UTF-8, or larger than what could be read otherwise."""
    if os.path.getsize(path) > ingest.MAX_BYTES:
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    left = ingest.MAX_BYTES
    try:
        with _unpacked(path) as opened:
            while left > 0 and (piece := opened.read(_PIECE)):
                if b"\0" in piece:  # UTF-16, most likely
                    return False
                decoder.decode(piece)
                left -= len(piece)
    except UnicodeDecodeError:
        return False
    except (EOFError, OSError, zlib.error) as error:
        raise ingest.IngestError(
            f"{path} is damaged or cut off ({error}): copy it again."
        ) from error
    return left <= 0 or not decoder.getstate()[0]


def _parquet(
    run: QueryRunner, paths: Sequence[str], read: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return the SQL of Parquet files, and the names of the columns of the first.

    Where columns are ``read``, all files must have them.
    """
    looked_at = paths if read else paths[:1]
    alike = run(
        "SELECT min(file_name), names, children FROM (SELECT file_name, list(name ORDER BY "
        "column_id) AS names, list(num_children ORDER BY column_id) AS children FROM "
        f"parquet_schema({_list(looked_at)}) GROUP BY file_name) GROUP BY names, children "
        f"ORDER BY bool_or(file_name = {literal(paths[0])}) DESC"
    )
    headers: dict[str, list[str]] = {}
    for path, names, children in alike:
        header, within = headers.setdefault(path, []), 0  # a column, and then what is within it
        for name, n_children in list(zip(names, children, strict=True))[1:]:
            header += [] if within else [name]
            within += (n_children or 0) - (within > 0)
    _check_headers(headers, read)
    return (
        f"read_parquet({_list(paths)}, union_by_name=true, binary_as_string=true)",
        next(iter(headers.values())),
    )


def _check_headers(headers: Mapping[str, Sequence[str]], read: Sequence[str]) -> None:
    """Raise if a file lacks a column that is read of another, as all its rows would be left out.

    A column that no file has is said to be none of the log.
    """
    for name in read:
        there = {path: name.lower() in map(str.lower, header) for path, header in headers.items()}
        if any(there.values()) and not all(there.values()):
            with_it, without = (next(p for p in there if there[p] is one) for one in (True, False))
            raise ingest.IngestError(
                f'{without} has no column "{ingest.shown(name)}", as {with_it} has, but '
                f"{list_names(headers[without], 'column', 'columns')}: write its header and cells "
                "like those of the other, or leave the file out."
            )


def _text_files(
    files: _Files, read: Sequence[str] = (), given: Sequence[str] = ()
) -> tuple[str, list[str], list[str]]:
    """Return the SQL of delimited text, with an explicit dialect so that no row is skipped.

    All columns are text: 007 is not 7, and one more row must not change what others are.  The names
    in the header come with it, and sentences on its reading.  Where columns are ``read``, of users
    and items first, all files must have them; ``given`` are the files as they are called, where
    those that are read were written from them.
    """
    names, paths = read[:2], files.paths
    beginning = _beginning(paths[0], names, written=files.written)
    if read and len(paths) > 1:
        headers = {}
        for path, called in zip(paths, given, strict=True):
            try:
                one = _beginning(path, names, beginning.delimiter, written=files.written)
            except ingest.IngestError:  # an empty file has no row to lose
                continue
            headers[called] = [*map(str.strip, one.header)]
            if one.n_lines != beginning.n_lines:
                raise ingest.IngestError(
                    f"{given[0]} has {plural(beginning.n_lines, 'line')} above its header and "
                    f"{called} {one.n_lines:,}: delete the lines above the headers, or count the "
                    "files one by one."
                )
        _check_headers(headers, read)
    packed = {*map(_is_packed, paths)}  # where some are, their names tell which
    header = [*map(str.strip, beginning.header)]
    options = [
        _list(paths),
        f"delim={literal(beginning.delimiter)}, skip={beginning.n_lines}",
        "header=true, quote='\"', escape='\"', comment='', strict_mode=true",
        "union_by_name=true, all_varchar=true",
        *([f"compression='{'gzip' if True in packed else 'none'}'"] if len(packed) == 1 else []),
    ]
    notes = [rows_left_out("above", beginning.titles)] if beginning.titles else []
    return f"read_csv({', '.join(options)})", header, notes


class _Beginning(NamedTuple):
    """Delimiter, header and titles of a text, and the number of lines above the header."""

    delimiter: str
    header: list[str]
    titles: list[str]
    n_lines: int


def _beginning(
    path: str, names: Sequence[str] = (), delimiter: str = "", *, written: bool = False
) -> _Beginning:
    """Find the header of delimited text: the row with these names, or the one below titles.

    Of text that was ``written`` here it is the first row, with commas.
    """
    with _unpacked(path) as opened:
        text = ingest.unix_lines(opened.read(_BEGINNING).decode("utf-8-sig", "replace"))
    delimiter = "," if written else delimiter or ingest.find_delimiter(text)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    begins = {n: row for n, row in enumerate(islice(reader, N_SHAPE)) if any(map(str.strip, row))}
    rows = [*begins.values()]
    if not rows:
        raise ingest.IngestError(f"{path} is empty: it has no header and no event.")
    wanted = {*map(str.lower, names)}
    named = (
        n
        for n, row in enumerate(rows[: MAX_TITLES + 1] if wanted else ())
        if wanted <= {cell.strip().lower() for cell in row}
    )
    n = 0 if written else next(named, None)
    n = n_titles(rows) if n is None else n
    return _Beginning(delimiter, rows[n], [*map(in_short, rows[:n])], [*begins][n])


def begins_with_year(column: str) -> str:
    """Return the SQL of whether the text of a cell begins with four digits."""
    return f"regexp_matches(CAST({quoted(column)} AS VARCHAR), '^\\s*[0-9]{{4}}')"


def _duckdb_tables(stack: ExitStack, run: QueryRunner, path: str) -> dict[str, str]:
    """Attach a DuckDB database, read-only; return the SQL of its tables and views by name."""
    run(f"ATTACH {literal(path)} AS dptopk_file (READ_ONLY)")
    stack.callback(run.connection.execute, "DETACH dptopk_file")
    tables = run(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'dptopk_file' "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
        "WHERE database_name = 'dptopk_file' AND NOT internal ORDER BY ALL"
    )
    names = [name if schema == "main" else f"{schema}.{name}" for schema, name in tables]
    return {
        name: f"dptopk_file.{quoted(schema)}.{quoted(table)}"
        for name, (schema, table) in zip(names, tables, strict=True)
    }


def _sqlite_tables(stack: ExitStack, path: str) -> tuple[sqlite3.Connection, list[str]]:
    """Open a SQLite database, read-only; return the names of its tables and views, too."""
    url = f"file:{quoted_for_url(os.path.abspath(path))}?mode=ro"
    file = stack.enter_context(closing(sqlite3.connect(url, uri=True)))
    listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    return file, [name for (name,) in file.execute(listed)]


_DATES = re.compile(r"\bAS\s+(?:DATE|TIME)", re.IGNORECASE)
"""Casts that SQLite would read as those to numbers."""

_ROW_IDS = ("rowid", "oid", "_rowid_")  # names by which SQLite knows the number of a row


def _copy_sqlite(stack: ExitStack, run: QueryRunner, path: str, log: EventLog) -> str:
    """Copy the events of a SQLite database that meet the condition, in batches; say of which."""
    import pandas as pd

    file, tables = _sqlite_tables(stack, path)
    chosen, where = _table(path, log.table, tables), log.where
    info = file.execute("SELECT name FROM pragma_table_xinfo(?)", [chosen])  # generated ones, too
    there = {name: Column(name, "") for (name,) in info}
    _check_columns(log, there)
    user, item = map(quoted, (log.user, log.item))
    cells = f"CAST({user} AS TEXT), CAST({item} AS TEXT)"
    if where is not None and _DATES.search(where):
        raise conditions.not_a_condition(where, ValueError("SQLite has no dates, compare text"))
    if where is not None:
        known = {name.lower() for name in (*there, chosen, "main", *_ROW_IDS)}
        other = conditions.columns_named(where) - known
        if other & {name.lower() for name in tables}:  # u IN other_table
            raise conditions.not_a_condition(where, ValueError(conditions.OWN_QUERY))
        for name in sorted(other):
            if quoted(name) in where.lower():  # which SQLite would read as text
                words = f"there is no column {quoted(name)}; text stands between single quotes"
                raise conditions.not_a_condition(where, ValueError(words))
    try:
        rows = file.execute(f"SELECT {cells} FROM {quoted(chosen)} {condition_of(log)}")
    except sqlite3.Error as error:
        raise conditions.not_a_condition(where, error) from error
    run(f"CREATE OR REPLACE TEMP TABLE dptopk_events ({user} VARCHAR, {item} VARCHAR)")
    stack.callback(run.connection.execute, "DROP TABLE IF EXISTS dptopk_events")
    while some := rows.fetchmany(_AT_ONCE):
        frame = pd.DataFrame(some, dtype=object)
        run.connection.register("dptopk_rows", frame)
        run("INSERT INTO dptopk_events SELECT * FROM dptopk_rows")
        run.connection.unregister("dptopk_rows")
    return f'table "{chosen}" of {path} (SQLite)'


def _table(path: str, table_name: str | None, tables: Collection[str], first: bool = False) -> str:
    """Return the table that is asked for, or else the only one, or the first on request."""
    for name in tables:
        if name == table_name or (table_name is None and (first or len(tables) == 1)):
            return name
    there = f"has {list_names([*tables], 'table', 'tables')}" if tables else "has no table"
    got = "none" if table_name is None else repr(table_name)
    raise ingest.IngestError(
        f"table must name a table of the database {path}, got {got}: it {there}."
    )


def _check_column(argument: str, name: str, there: Mapping[str, Column]) -> None:
    if name not in there:
        raise ingest.IngestError(
            f"{argument} must be a column of the log, got {name!r}: it has "
            f"{list_names([*there], 'column', 'columns')}."
        )


def _check_time(time: str, there: Mapping[str, Column], filtered: bool) -> None:
    if filtered:
        raise ValueError(
            "source must not be an SQLite file or a table of Spark: only counts are made from those"
        )
    _check_column("time", time, there)
    if there[time].name != time:
        raise ingest.IngestError(
            "time must be a column whose name differs from others by more than case, got "
            f"{time!r}: rename it."
        )


def _check_columns(log: EventLog, there: Mapping[str, Column], names: Sequence[str] = ()) -> None:
    """Raise unless the columns of users and items are there, once each, and hold names."""
    for argument, name in (("user", log.user), ("item", log.item)):
        _check_column(argument, name, there)
        if (n := [*names].count(name)) > 1:
            raise ingest.IngestError(
                f"{argument} must be one column of the log, which has {n} columns named {name!r}: "
                "rename all but one."
            )
        kind = (argument == "item" and there[name].of_elements) or there[name].kind
        if _NO_NAME.match(kind):
            raise ingest.IngestError(
                f"{argument} must be a column of names, and {name!r} is of the type "
                f"{ingest.shown(there[name].kind, _LONGEST)}: write what names the {argument} into "
                "a column of text or numbers."
            )


def _check_objects(table: Any, read: set[str]) -> None:
    """Raise if a column of a pandas table that is read has objects of several types.

    DuckDB takes one type for all from a sample, by which each is named: one cell would rename all
    others, such as 007 where the sample has whole numbers.
    """
    from pandas.api.types import infer_dtype

    for name, cells in table.items():
        if str(name).lower() not in read or cells.dtype != object:
            continue
        if infer_dtype(cells) == "string":  # which is found ten times as fast
            continue
        cells = cells.dropna()
        if len({*map(type, cells)}) == 1:  # lists are of what they hold
            cells = cells.explode().dropna()
        types = {*map(type, cells)}
        words = sorted(f"of {one.__name__}" for one in types)
        if types == {Decimal} and len({cell.as_tuple().exponent for cell in cells}) > 1:
            words.append("of Decimal of another scale")
        if len(words) > 1:
            raise ingest.IngestError(
                f'The column "{ingest.shown(str(name))}" has cells {words[0]} and {words[1]}, '
                "whose names would depend on each other: make all of one type, for instance with "
                "astype(str)."
            )


_NO_NAME = re.compile(r"(STRUCT|MAP|UNION|VARIANT|BLOB|BINARY|ARRAY|GEOMETRY)\b|.*\]$", re.DOTALL)
"""Types of DuckDB and Spark of which a value is no name of a user or an item."""


def list_names(names: Sequence[str], one: str, many: str) -> str:
    """Return the number of names, of which the first are quoted, for a message."""
    return f"the {one if len(names) == 1 else many} {ingest.quoted_names(names, _N_SHOWN)}"


def _list(paths: Sequence[str]) -> str:
    """Return the paths as an SQL list, with pattern characters escaped."""
    return f"[{', '.join(literal(glob.escape(path)) for path in paths)}]"


def _explained(error: str) -> str:
    """Return what is wrong with a file, where, and how to mend it; empty if it is not known.

    ``error`` is DuckDB's, which names a file and often a line; where it names none, the first rows
    are read for it.
    """
    named = _OF_FILE.search(error)
    path = named[1] or named[2] if named else ""
    if "Invalid string encoding" in error:
        return ingest.NO_TEXT
    if typed := _OF_TYPE.search(error):
        return (
            f'Column "{ingest.shown(typed[2])}" of {typed[1]} is of the type {typed[3]}, and of '
            f"another file {typed[4]}: write it as one type, or count the files one by one."
        )
    if any(words in error for words in ("Parquet", "parquet", "No magic bytes")):
        of = _OF_PARQUET.search(error)
        return (
            f"{of[1] if of else 'A file'} is not a complete Parquet file: it is damaged or cut "
            "off; copy or write it again."
        )
    if "Error when sniffing" in error and path:
        delimiter = _DELIMITER.search(error)
        return _wrong_row(path, delimiter[1] if delimiter else ",")
    line = _AT_LINE.search(error)
    if line is None or not path:
        return ""
    at = f"{path}, line {int(line[1]):,}"
    if "not utf-8" in error:
        return f"{at}{_not_utf8(path)}"
    if cells := _CELLS.search(error):
        return f"{at}{_WIDTH.format(found=plural(int(cells[2]), 'cell'), width=cells[1])}"
    if "unterminated quote" in error or "quote should be followed" in error:
        return f"{at}{_UNCLOSED}"
    return ""


def _not_utf8(path: str) -> str:
    """Say in which encoding a text is that is not UTF-8."""
    with _unpacked(path) as opened:
        codec, name = ingest.encoding_of(opened.read(ingest.MAX_BYTES))
    return (
        f": the text is not UTF-8, but probably {name}: save it as UTF-8, for instance with "
        f"iconv -f {codec.upper()} -t UTF-8 old.csv > new.csv."
    )


def _wrong_row(path: str, delimiter: str) -> str:
    """Return what is wrong with the first of a text's rows that has another shape."""
    for above in dict.fromkeys([_beginning(path).n_lines, 0]):
        try:
            with _unpacked(path) as opened:
                text = io.TextIOWrapper(opened, encoding="utf-8-sig", newline="")
                rows = csv.reader(islice(text, above, None), delimiter=delimiter, strict=True)
                width = len(next(rows, []))
                for cells in islice(rows, _SAMPLED):
                    if cells and len(cells) != width:  # a blank line is no row
                        words = _WIDTH.format(found=plural(len(cells), "cell"), width=width)
                        return f"{path}, line {above + rows.line_num:,}{words}"
        except UnicodeDecodeError:
            return f"{path}{_not_utf8(path)}"
        except csv.Error:
            return f"{path}, line {above + rows.line_num:,}{_UNCLOSED}"
    return f"{path} cannot be split into columns: correct its quotation marks and delimiters."


_OF_FILE = re.compile(r'file "([^"\n]+)"|^  file = (.+)$', re.MULTILINE)
_OF_PARQUET = re.compile(r"file ['\"]([^'\"\n]+)")
_OF_TYPE = re.compile(
    r'In file "([^"\n]+)" the column "(.+)" has type (.+), but .+ to read it as type (.+)\.'
)
_DELIMITER = re.compile(r"Delimiter Candidates: '(.)'")
_AT_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_SAMPLED = 30_000  # rows, more than DuckDB looks at before it reads
_WIDTH = (
    ": {found}, where the header has {width}: correct the line, or put quotation marks around any "
    "cell that contains the delimiter."
)
_UNCLOSED = (
    ": a quotation mark is not closed, or stands inside a cell: close it, and double every mark "
    "inside a name."
)
