"""Test how SQL is translated for Spark; `tests/spark` counts by it."""

import duckdb
import pytest

from dptopk.data.spark_connection import is_spark, translated


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT 'it''s \\s VARCHAR trim(' AS \"a\"\"`b\"",
            "SELECT 'it\\'s \\\\s VARCHAR trim(' AS `a\"``b`",
        ),
        ('CAST("trim(" AS VARCHAR)', "CAST(`trim(` AS STRING)"),
        (
            'CAST("COLLATE C" AS VARCHAR) COLLATE C',
            "CAST(`COLLATE C` AS STRING) COLLATE UTF8_BINARY",
        ),
        ("lower(trim(nfc_normalize(i), ' '))", "lower(dptopk_trim(dptopk_nfc_normalize(i), ' '))"),
        ("md5_number(concat('', i)), count(*)", "dptopk_md5_number(concat('', i)), count(*)"),
        ("SELECT trim FROM regexp_matches", "SELECT trim FROM regexp_matches"),
    ],
)
def test_names_texts_types_and_functions_are_translated_and_nothing_else(sql, expected):
    assert translated(sql) == expected


def test_a_session_of_spark_is_told_by_its_module():
    made = type("SparkSession", (), {"__module__": "pyspark.sql.session"})()
    assert is_spark(made)
    with duckdb.connect() as connection:
        assert not is_spark(connection)
    assert not is_spark(None)
