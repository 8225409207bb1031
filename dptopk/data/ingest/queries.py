"""Run SQL in a thread, with progress and cancellation, and quote what goes into it."""

import glob
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dptopk.core.cancellation import Progress, pause

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

_POLL = 0.05  # seconds between two looks at whether a query is still wanted


class QueryRunner:
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


def columns_of(run: QueryRunner, sql: str) -> dict[str, str]:
    """Return the columns of an expression, with their types."""
    return {str(name): str(kind) for name, kind, *_ in run(f"DESCRIBE SELECT * FROM {sql}")}


def user_as_sql(column: str, there: dict[str, str]) -> str:
    """Return the SQL of a user for grouping, with NaN as NULL and categories as text."""
    cell, kind = quoted(column), there[column]
    if kind in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} END"
    return f"CAST({cell} AS VARCHAR)" if kind.startswith("ENUM") else cell


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
    asked = {name for path in paths for name in (path, glob.escape(path), f"{path}.wal")}
    connection.execute("SET enable_progress_bar_print = false")  # `python -c` has it
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, asked))}]")
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
