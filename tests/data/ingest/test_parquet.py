"""Test that Parquet files give the same counts as text of the same content."""

import io

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from dptopk.data.ingest import IngestError, UnclearError, _parquet, read_table, to_item_counts


def packed(table: pa.Table) -> bytes:
    content = io.BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


def test_counts_are_those_of_the_same_csv(ingested, as_dict):
    frame = pd.DataFrame(
        {"item": ["pear", 'a "b", c', "two\r\nlines"], "users": [123456789012, 2, 1]}
    )
    of_parquet = ingested(packed(pa.Table.from_pandas(frame)), "fruit.parquet")
    of_csv = ingested(frame.to_csv(index=False).encode(), "fruit.csv")
    assert as_dict(of_parquet) == as_dict(of_csv)
    assert of_parquet.report.reading == (
        '3 rows were read as Parquet; the first row is the header; items from column "item", '
        'counts from column "users".',
    )
    assert of_parquet.counts.name == "fruit.parquet" or of_parquet.counts.name == "fruit"


def test_missing_and_binary_cells_and_nested_columns(said):
    log = pa.table(
        {
            "who": pa.array([b"ann", b"bob", None, b"cy"]),
            "what": ["tea", "tea", "tea", None],
            "tags": [[1], [2], [], None],
            "more": [{"a": 1}] * 4,
            "amount": [1.5, float("nan"), None, 2.0],
        }
    )
    table = read_table(packed(log), "log.parquet")
    assert table.columns == ("who", "what", "tags", "amount")
    result = to_item_counts(table, "what", None, user_column="who", rows="users")
    assert dict(result.counts) == {"tea": 2}
    assert 'Columns of structures were left out: "more" (struct<a: int64>).' in said(result)
    assert table.preview[1] == ("bob", "tea", "2", "")
    with pytest.raises(IngestError, match='Column "tags" holds lists, which are no users'):
        to_item_counts(table, "what", None, user_column="tags")


@pytest.mark.parametrize("users", [pa.array([5, 12], pa.decimal128(10, 3)), pa.array([5.0, 12.0])])
def test_the_point_of_numbers_with_a_type_marks_no_thousands(ingested, as_dict, users):
    table = pa.table({"item": ["a", "b"], "users": users})
    assert as_dict(ingested(packed(table))) == {"a": 5, "b": 12}
    with pytest.raises(UnclearError, match="is not a whole number") as asked:
        ingested(packed(table.set_column(1, "users", pa.array([12.345, 1.5]))))
    assert asked.value.questions[-1].key == "rounding"
    text = table.set_column(1, "users", pa.array(["5.000", "12.000"]))
    with pytest.raises(UnclearError, match="thousands separator or a decimal mark"):
        ingested(packed(text))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PAR1" + bytes(50) + b"PAR1", "The Parquet file is damaged"),
        (
            packed(pa.Table.from_arrays([pa.array([1])] * 3, ["a", "b", "b"])),
            'columns named "b": ren',
        ),
        (packed(pa.table({"tags": [[[1]]]})), "0 columns that are not structures"),
        (packed(pa.table({f"c{n}": [1] for n in range(201)})), "201 columns"),
    ],
    ids=["damaged", "twice", "nested", "wide"],
)
def test_what_is_no_table_is_refused(content, words):
    with pytest.raises(IngestError, match=words):
        read_table(content, "log.parquet")


def test_a_large_one_is_told_the_command(monkeypatch):
    content = packed(pa.table({"item": ["a" * 50] * 100, "count": range(100)}))
    for name, limit in (("MAX_ROWS", 99), ("MAX_BYTES", 1_000)):
        with monkeypatch.context() as patched:
            patched.setattr(_parquet, name, limit)
            with pytest.raises(IngestError, match="dptopk counts FILE --user COLUMN"):
                read_table(content, "log.parquet")
