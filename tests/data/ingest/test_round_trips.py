"""Test that written files are read back with the same names and counts."""

import re

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from dptopk import ItemCounts
from dptopk.data import tables
from dptopk.data.ingest import read_table, to_item_counts
from dptopk.data.ingest._names import POINTED  # whole numbers such as 7.0, which are read as 7
from dptopk.data.ingest._plain import plain
from dptopk.data.tables import csv_escaped, workbook
from dptopk.questions.origin import Origin

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]),
    min_size=1,
    max_size=30,
).filter(lambda name: name == plain(name) and name and not re.fullmatch(POINTED, name))
COUNTS = st.integers(0, 2**53)

KEPT = {"nulls": "keep", "total": "keep", "split": "none"}
"""Answers by which every name stays as it is."""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"])
@settings(max_examples=25)
@given(
    table=st.dictionaries(NAMES, COUNTS, min_size=1, max_size=8),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_round_trip(written, delimiter, codec, table, line_end):
    data = written(table.items(), delimiter, codec, line_end)
    raw = read_table(data, "x.csv", delimiter=delimiter)
    result = to_item_counts(raw, "item", "count", "x", **KEPT)
    assert result.counts == ItemCounts(list(table.values()), list(table), "x")
    assert result.report.rows_read == len(table)


@given(
    table=st.dictionaries(
        st.text("abcXYZ äöüß ", min_size=1, max_size=12).filter(lambda name: name.strip() == name),
        COUNTS,
        min_size=1,
    )
)
def test_round_trip_in_windows_1252(ingested, as_dict, said, written, table):
    table["Käse"] = 7
    result = ingested(written(table.items(), ",", "cp1252", "\r\n"), answers=KEPT)
    assert as_dict(result) == table
    assert "read as Windows-1252" in said(result)


@pytest.mark.parametrize("parquet", [False, True])
@given(table=st.dictionaries(NAMES, COUNTS, min_size=1, max_size=6))
def test_a_download_can_be_uploaded_again(ingested, parquet, table):
    table |= {"NA": 4, "-": 1, "=a": 3, "'=a": 2, "''=a": 1, "'a": 0}  # no two of them become one
    counts = ItemCounts(list(table.values()), list(table))
    frame = pd.DataFrame({"item": counts.items, "count": counts.counts})
    told = Origin("Mine", counts, (), "true counts").added_to(frame)
    data = tables.parquet(told, {}) if parquet else csv_escaped(told).encode("utf-8-sig")
    result = ingested(data, answers={"total": "keep", "split": "none"})
    assert dict(zip(result.counts.items, result.counts.counts.tolist(), strict=True)) == table


def test_a_workbook_can_be_uploaded_again():
    counts = ItemCounts([1, 5], ["NA", "tea"])
    about = {"title": "Users", "data": "log", "made_on": "2026-11-27", "seed": 1}
    book = workbook({"item": [*counts.items], "users": counts.counts.tolist()}, about)
    table = read_table(book, "mine.xlsx")  # its other sheet has more rows
    assert table.columns == ("item", "users")
    assert dict(to_item_counts(table, 0, 1).counts) == dict(counts)
