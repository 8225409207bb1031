"""Run the SQL of counting on Apache Spark.

`dptopk.data.events` writes one SQL text, which DuckDB runs as it is.  Spark differs in the
quotation marks of names and text, in a few types and functions, and in temporary tables, which are
views of stored rows here; these are translated, token by token.  So there is one definition of the
counts for both: expressions of Ibis would be a second one.

Limits: a condition of a user is Spark's own SQL and is not translated.  Users and items are text,
whole numbers or dates: other numbers are written as text in another way than by DuckDB.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from dptopk.data.conditions import OWN_QUERY, not_a_condition
from dptopk.data.ingest import IngestError, shown

_TOKENS = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\bVARCHAR\b|\bCOLLATE C\b|\b[a-z_0-9]+(?=\()"
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`", re.DOTALL)  # by Spark
_OWN_QUERY = re.compile(r"\bselect\b|\(\s*(?:from|table)\b", re.IGNORECASE)
_SPELLED = {"VARCHAR": "STRING", "COLLATE C": "COLLATE UTF8_BINARY"}
_FUNCTIONS = {
    # DuckDB compares the last byte of the hash first
    "md5_number": "(x STRING) RETURNS STRING "
    r"RETURN regexp_replace(reverse(md5(x)), '(.)(.)', '$2$1')",
    "regexp_full_match": "(x STRING, p STRING) RETURNS BOOLEAN "
    r"RETURN x RLIKE concat('(?u)\\A(?:', p, ')\\z')",  # of any letters, as in DuckDB
    "regexp_matches": "(x STRING, p STRING) RETURNS BOOLEAN RETURN x RLIKE p",
    "regexp_replace": "(x STRING, p STRING, made STRING, flags STRING) RETURNS STRING "
    "RETURN regexp_replace(x, p, made)",
    "trim": "(x STRING, signs STRING) RETURNS STRING RETURN btrim(x, signs)",
}
"""Functions of DuckDB that Spark lacks or spells in another way, as functions dptopk_NAME of it."""

_NFC = "nfc_normalize"
_MADE = re.compile(r"CREATE OR REPLACE TEMP TABLE (\w+) AS (.*)", re.DOTALL)
_LISTS = re.compile(r"SELECT ((?:unnest\(\?\) AS \w+(?:, )?)+)$")
_DROPPED = re.compile(r"DROP TABLE IF EXISTS (\w+)")


def is_spark(engine: object) -> bool:
    """Return whether an engine is a session of Spark, without importing it."""
    return type(engine).__module__.startswith("pyspark.")


class SparkConnection:
    """Session of Spark with those methods of a connection of DuckDB that counting calls."""

    def __init__(self, session: Any):
        self._session = session
        self._stored: dict[str, Any] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._tag = f"dptopk-{uuid4()}"
        for name, body in _FUNCTIONS.items():
            session.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION dptopk_{name}{body}")
        session.udf.register(f"dptopk_{_NFC}", lambda text: unicodedata.normalize("NFC", text))

    def opened(self, source: Any, where: str | None) -> tuple[str, str, str]:
        """Name the events of a table or DataFrame that meet a condition: SQL, words and name."""
        from pyspark.errors import PySparkException

        words, name = "a DataFrame of Spark", "events"
        if isinstance(source, str):
            words, name = f'table "{source}" of Spark', source
            try:
                source = self._session.table(source)
            except PySparkException as error:
                raise ValueError(f"source must name a table of Spark, got {words}") from error
        elif not is_spark(source):
            raise TypeError(
                "source must be the name of a table or a DataFrame where engine is Spark, got "
                f"{type(source).__name__}"
            )
        if where is not None:
            if _OWN_QUERY.search(_QUOTED.sub("", where)):
                raise not_a_condition(where, ValueError(OWN_QUERY))
            try:
                source = source.filter(where)
            except PySparkException as error:
                raise not_a_condition(where, ValueError(_line(error))) from error
        self.register("dptopk_events", source)
        return "dptopk_events", words, name

    def close(self) -> None:
        """Drop what was stored, the events, and the functions."""
        self.unregister("dptopk_events")
        for name in [*self._stored]:
            self._drop(name)
        for name in (*_FUNCTIONS, _NFC):
            self._session.sql(f"DROP TEMPORARY FUNCTION IF EXISTS dptopk_{name}")

    def execute(self, sql: str, parameters: Sequence[Any] | None = None) -> "SparkConnection":
        """Run a statement of DuckDB's SQL; raise `IngestError` if Spark cannot run it."""
        from pyspark.errors import PySparkException

        self._session.sparkContext.addJobTag(self._tag)
        try:
            self._rows = self._run(sql, parameters)
        except PySparkException as error:
            raise IngestError(f"Spark could not count the events: {_line(error)}.") from error
        finally:
            self._session.sparkContext.removeJobTag(self._tag)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows of the last statement."""
        return self._rows

    def fetchnumpy(self) -> dict[int, Any]:
        """Return the columns of the last statement as arrays, by their positions."""
        return dict(enumerate(map(np.array, zip(*self._rows, strict=True))))

    def query_progress(self) -> float:
        """Return -1: how much of a statement is done is not known."""
        return -1.0

    def interrupt(self) -> None:
        """End the statement that runs."""
        self._session.sparkContext.cancelJobsWithTag(self._tag)

    def register(self, name: str, table: Any) -> None:
        """Give a DataFrame a name."""
        table.createOrReplaceTempView(name)

    def unregister(self, name: str) -> None:
        """Drop that name."""
        self._session.catalog.dropTempView(name)

    def _run(self, sql: str, parameters: Sequence[Any] | None) -> list[tuple[Any, ...]]:
        if dropped := _DROPPED.fullmatch(sql):
            self._drop(dropped[1])
            return []
        made = _MADE.fullmatch(sql)
        if made is not None:
            self._store(made[1], self._selected(made[2], parameters))
            return []
        rows = [tuple(row) for row in self._selected(sql, parameters).collect()]
        if sql.startswith("DESCRIBE"):
            return [
                (name, "VARCHAR" if kind.startswith("string") else kind.upper())  # of any collation
                for name, kind, *_ in rows
            ]
        return rows

    def _selected(self, sql: str, parameters: Sequence[Any] | None) -> Any:
        """Return the DataFrame of a query; ``parameters`` are lists."""
        if parameters is None:
            return self._session.sql(translated(sql))
        lists = _LISTS.fullmatch(sql)
        if lists is None:
            exploded = translated(sql).replace("unnest(?)", "explode(?)")
            return self._session.sql(exploded, args=[*parameters])
        names = re.findall(r"AS (\w+)", lists[1])
        schema = ", ".join(f"{name} STRING" for name in names)
        return self._session.createDataFrame([*zip(*parameters, strict=True)], schema)

    def _store(self, name: str, table: Any) -> None:
        stored = table.persist()
        stored.count()  # now: what it is made of may be dropped
        before = self._stored.pop(name, None)
        stored.createOrReplaceTempView(name)
        self._stored[name] = stored
        if before is not None:
            before.unpersist()

    def _drop(self, name: str) -> None:
        self._session.catalog.dropTempView(name)
        if (stored := self._stored.pop(name, None)) is not None:
            stored.unpersist()


def _line(error: Exception) -> str:
    return shown(str(error).partition("\n")[0], 300).rstrip(".")


def translated(sql: str) -> str:
    """Return a query of `dptopk.data.events` in the SQL of Spark."""
    return _TOKENS.sub(lambda token: _token(token[0]), sql)


def _token(token: str) -> str:
    if token[0] == "'":
        text = token[1:-1].replace("''", "'").replace("\\", "\\\\").replace("'", "\\'")
        return f"'{text}'"
    if token[0] == '"':
        name = token[1:-1].replace('""', '"').replace("`", "``")
        return f"`{name}`"
    return f"dptopk_{token}" if token in _FUNCTIONS or token == _NFC else _SPELLED.get(token, token)
