"""Run SQL in a thread, with progress and cancellation, and quote what goes into it."""

import glob
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from dptopk.core.cancellation import Progress, pause
from dptopk.data.ingest._plain import shown

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

_POLL = 0.05  # seconds between two looks at whether a query is still wanted
_MOST_SAID = 300  # characters of a database's words in a message
_KIND = re.compile(r"^(?:\w+ )+Error: ")  # with which these begin


class QueryRunner:
    """Runner of queries of DuckDB, or a `SparkConnection`, in a thread, which may be cancelled.

    ``on_disk`` tells that tables which are not temporary are in a file of ours.
    """

    def __init__(self, connection: Any, progress: Progress, on_disk: bool = False):
        self.connection, self.on_disk = connection, on_disk
        self.kind = "TEMP TABLE"
        self._progress, self._begin = progress, 0.0

    def __call__(self, sql: str, parameters: object = None, until: float = 0.0) -> list[Any]:
        """Return the rows of a query; after it the share ``until`` of all work is done."""
        rows: list[Any] = self._fetched(sql, parameters, until, "fetchall")
        return rows

    def columns(self, sql: str, until: float = 0.0) -> list[Any]:
        """Return the columns of a query as arrays; as `__call__` does its rows."""
        return [*self._fetched(sql, None, until, "fetchnumpy").values()]

    def _fetched(self, sql: str, parameters: object, until: float, fetch: str) -> Any:
        end, done = max(until, self._begin), 0.0  # DuckDB's progress may fall within a query
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(lambda: getattr(self.connection.execute(sql, parameters), fetch)())
            try:
                while wait([future], _POLL).not_done:
                    pause()
                    done = max(done, min(self.connection.query_progress() / 100.0, 1.0))
                    self._progress(self._begin + done * (end - self._begin))
            except BaseException:
                while wait([future], _POLL).not_done:  # it may not have begun
                    self.connection.interrupt()
                raise
        pause()
        self._begin = end
        self._progress(end)
        return future.result()


class Column(NamedTuple):
    """Column of an expression: its name in SQL, and its type."""

    name: str
    kind: str

    @property
    def is_text(self) -> bool:
        """True for text, whose spaces and words for a missing value count."""
        return self.kind.startswith(("VARCHAR", "ENUM"))

    @property
    def of_elements(self) -> str:
        """Type of the elements of lists; empty for other types."""
        element, bracket, _ = self.kind.rpartition("[")
        return element if bracket and self.kind.endswith("]") else ""


def columns_of(run: QueryRunner, sql: str, names: Sequence[str] = ()) -> dict[str, Column]:
    """Return the columns of an expression by their names in its file, if those are given.

    Where names differ by case alone, as ID and id, DuckDB calls the second id_1.
    """
    columns: dict[str, Column] = {}
    for place, (name, kind, *_) in enumerate(run(f"DESCRIBE SELECT * FROM {sql}")):
        named = names[place] if place < len(names) else name
        numbered = named not in columns and name.lower().startswith(f"{named.lower()}_")
        columns[named if numbered else str(name)] = Column(str(name), str(kind))
    return columns


def user_as_sql(column: Column) -> str:
    """Return the SQL of a user for grouping, with NaN as NULL and text by its characters."""
    cell = quoted(column.name)
    if column.kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} END"
    return _as_text(cell) if column.is_text else cell


def item_as_sql(column: Column) -> str:
    """Return the SQL of an item as text; of a list, one row an element, and one of none."""
    cell = quoted(column.name)
    if column.of_elements:
        listed = f"CAST({cell} AS VARCHAR[])"  # also of an array, which is of one length
        cell = f"unnest(CASE WHEN len({cell}) > 0 THEN {listed} ELSE [NULL] END)"
    return _as_text(cell)


def _as_text(cell: str) -> str:
    """Return the SQL of a cell as text that only the same characters equal, whatever its column."""
    return f"CAST({cell} AS VARCHAR) COLLATE C"


def quoted(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """Quote text as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def restricted_connection(
    database: str = ":memory:", paths: Sequence[str] = (), **settings: Any
) -> "duckdb.DuckDBPyConnection":
    """Open a database of our own, which loads no extension and reads no files but these.

    Its configuration is locked.  ``settings`` are those of `duckdb.connect`.
    """
    import duckdb

    connection = duckdb.connect(
        database,
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
            "python_enable_replacements": False,
            "temp_directory": "",
            **settings,
        },
    )
    # as they are asked for: escaped where they are patterns; and the log of a database
    allowed = {name for path in paths for name in (path, glob.escape(path), f"{path}.wal")}
    connection.execute("SET TimeZone = 'UTC'")  # not that of the machine
    connection.execute("SET enable_progress_bar_print = false")  # `python -c` has it
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, allowed))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def in_memory(rows: "pd.DataFrame", progress: Progress) -> Iterator[QueryRunner]:
    """Open a database in memory that reads a table named dptopk_rows, and nothing else."""
    # each thread takes address space, which is limited where strangers' files are read
    with restricted_connection(threads=2, memory_limit="1GB") as connection:
        connection.register("dptopk_rows", rows)
        yield QueryRunner(connection, progress)


def first_line(error: Exception) -> str:
    """Return the first line of a database's error, without its kind and its advice."""
    words = re.split(r"\n\n|\nPossible|Candidate functions", str(error))[0]
    return shown(_KIND.sub("", words.rstrip()), _MOST_SAID).rstrip(".")
