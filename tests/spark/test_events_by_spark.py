"""Test that Spark counts as DuckDB does, and that one user moves each count by at most 1."""

import threading
import time

import numpy as np
import pandas as pd
import pytest

from dptopk import counts_by_bound, counts_by_period, counts_from_events
from dptopk.core import cancellation
from dptopk.data.ingest import IngestError

USERS = ["ann", "bob", "cy", "dee", "7", "007", None, "NULL", " ", "o'x\\", "ann ", "7.0", "НЕТ"]
ITEMS = [*"abcdefgh", "A", "a ", "7", "07", "é", "e\u0301", None, "nan", "", "q\u200b", 'it\'s "x"']
OPTIONS = {
    "plain": {},
    "bound": {"max_items": 2},
    "bound by another key": {"max_items": 3, "key": "k'\\"},
    "public list": {"items": ["a", "nobody", "7"], "max_items": 2},
    "normalized": {"normalize": True, "max_items": 2},
    "kept": {"nulls": "keep"},
    "condition": {"where": "i <> 'b' AND n < 40"},
}
SCHEMA = "u STRING, i STRING, n BIGINT"


def random_log(seed: int) -> pd.DataFrame:
    """Log with duplicates, missing and odd names, and a user of many rows and items."""
    rng = np.random.default_rng(seed)
    n = 60
    rows = [
        (USERS[user], ITEMS[item], int(number))
        for number, (user, item) in enumerate(
            zip(rng.integers(len(USERS), size=n), rng.integers(len(ITEMS), size=n), strict=True)
        )
    ]
    rows += [("eve", f"item {number % 30}", 1) for number in range(200)]
    return pd.DataFrame(rows, columns=["u", "i", "n"], dtype=object)


def table_of(spark, log: pd.DataFrame):
    return spark.createDataFrame([tuple(row) for row in log.to_numpy().tolist()], SCHEMA)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_spark_counts_and_says_what_duckdb_does(spark, options):
    log, options = random_log(len(str(options))), {"nulls": "leave out"} | options
    by_spark = counts_from_events(table_of(spark, log), "u", "i", engine=spark, **options)
    by_duckdb = counts_from_events(log, "u", "i", **options)
    assert by_spark.items == by_duckdb.items
    assert by_spark.counts.tolist() == by_duckdb.counts.tolist()
    assert by_spark.report.items_of_users == by_duckdb.report.items_of_users
    assert by_spark.report.changes == by_duckdb.report.changes


def test_names_of_a_column_without_case_are_apart(spark):
    rows = [("zoe", "TEA"), (" bob", "tea"), ("Bob", "tea"), ("cy", "tea")]
    schema = "u STRING COLLATE UTF8_LCASE, i STRING COLLATE UTF8_LCASE"
    counts = counts_from_events(spark.createDataFrame(rows, schema), "u", "i", engine=spark)
    assert dict(counts) == {"TEA": 1, "tea": 3}


def test_counts_under_every_bound_are_those_of_duckdb(spark):
    log = random_log(1)
    table_of(spark, log).createOrReplaceTempView("events_of_2026")
    how = {"name": "log", "nulls": "leave out"}
    by_spark = counts_by_bound("events_of_2026", "u", "i", engine=spark, **how)
    assert by_spark.identity == counts_by_bound(log, "u", "i", **how).identity
    spark.catalog.dropTempView("events_of_2026")
    assert spark.catalog.listTables() == []  # nothing of ours is left
    assert not [one for one in spark.catalog.listFunctions() if one.name.startswith("dptopk")]


@pytest.mark.parametrize("max_items", [None, 2])
def test_a_user_moves_every_count_by_one_at_most_and_in_one_direction(spark, max_items):
    log = random_log(2)

    def counts(of: pd.DataFrame) -> dict[str, int]:
        how = {"max_items": max_items, "nulls": "leave out", "engine": spark}
        return dict(counts_from_events(table_of(spark, of), "u", "i", **how))

    whole = counts(log)
    for user in ("eve", "ann", "007"):
        is_user = log["u"].astype(str).str.strip() == user
        without = counts(log[~is_user])
        lost = {item: n - without.get(item, 0) for item, n in whole.items()}
        assert set(lost.values()) <= {0, 1}
        assert 1 <= sum(lost.values()) <= (max_items or np.inf)


def test_what_is_wrong_is_said_in_a_sentence(spark):
    table = table_of(spark, random_log(3))
    with pytest.raises(ValueError, match="where must be a condition in SQL on columns of the log"):
        counts_from_events(table, "u", "i", "nope > 1", engine=spark)
    with pytest.raises(ValueError, match="it has a query of its own"):
        counts_from_events(table, "u", "i", "i IN (SELECT 'a')", engine=spark)
    with pytest.raises(ValueError, match='source must name a table of Spark, got table "nowhere"'):
        counts_from_events("nowhere", "u", "i", engine=spark)
    with pytest.raises(TypeError, match="the name of a table or a DataFrame where engine is Spark"):
        counts_from_events(random_log(3), "u", "i", engine=spark)
    with pytest.raises(IngestError, match="user must be a column of the log, got 'who'"):
        counts_from_events(table, "who", "i", engine=spark)
    with pytest.raises(ValueError, match="must not be an SQLite file or a table of Spark"):
        counts_by_period(table, "u", "i", "n", engine=spark)
    assert spark.catalog.listTables() == []


def test_counting_is_ended_at_once(spark):
    """A query of minutes ends when whoever waits for it leaves."""
    long = spark.range(10**11).selectExpr("CAST(id AS STRING) AS u", "CAST(id % 7 AS STRING) AS i")
    begun = time.monotonic()
    done = threading.Event()

    class LeftError(Exception):
        pass

    def leave() -> None:
        if time.monotonic() - begun > 3:
            done.set()
            raise LeftError

    with cancellation.on_pause(leave, 0.0), pytest.raises(LeftError):
        counts_from_events(long, "u", "i", engine=spark)
    assert done.is_set()
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()
