"""Test that unreadable files are refused in one sentence, and that no input crashes."""

import gc
import io
import re
import tracemalloc
import zipfile

import pytest
from hostile_files import hostile_files
from hypothesis import given, strategies as st

from dptopk.data import ingest
from dptopk.data.ingest import IngestError, read_table

HOSTILE = hostile_files()


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_in_one_sentence(ingested, kind):
    filename, data, fragment = HOSTILE[kind]
    with pytest.raises(IngestError, match=re.escape(fragment)) as caught:
        ingested(data, filename)
    message = str(caught.value)
    assert message.endswith(".")
    assert message.isprintable()
    assert len(message) < 250


def test_there_are_many_kinds():
    assert len(HOSTILE) >= 40


def test_a_large_file_is_refused_by_its_size():
    with pytest.raises(IngestError, match="The file has 200 MB, more than the limit of 64 MB"):
        read_table(bytes(200 * 2**20), "large.csv")
    with pytest.raises(IngestError, match="has more than 64 MB, the limit: ") as caught:
        read_table(bytes(64 * 2**20 + 1))
    assert "dptopk counts FILE --user COLUMN --item COLUMN -o counts.csv" in str(caught.value)


@pytest.mark.parametrize("data", ["item,count\na,5\n", None, bytearray(b"a,5")])
def test_only_bytes_are_read(data):
    with pytest.raises(TypeError, match="data must be bytes"):
        read_table(data)


def test_a_log_without_any_item_is_refused():
    table = read_table(b"who,what\nann,\nbob, \n", "log.csv")
    with pytest.raises(IngestError, match="The column of items is empty: choose another column"):
        ingest.to_item_counts(table, "what", None, user_column="who", rows="users")


def test_names_that_take_more_memory_than_is_kept_are_refused(ingested, monkeypatch):
    plain = "".join(f"{'x' * 400}{number},1\n" for number in range(100))
    monkeypatch.setattr("dptopk.data.ingest._names.MAX_KEPT", 100_000)
    assert ingested(f"item,count\n{plain}".encode()).counts.d == 100
    with pytest.raises(IngestError, match="names of the 100 items take") as caught:
        ingested(f"item,count\n{plain.replace('xx', '🏆x')}".encode())
    assert str(caught.value).isprintable()


def test_what_is_kept_of_an_upload_is_little(ingested):
    """Counts, names and sentences; neither the text of the file nor its rows."""
    n = 20_000
    data = "item,count\n" + "".join(f"item {number},{number % 977}\n" for number in range(n))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    result = ingested(data.encode())
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert result.counts.d == n
    assert kept < 50 * n


def test_row_and_name_limits(ingested, monkeypatch):
    monkeypatch.setattr("dptopk.data.ingest._tables.MAX_ROWS", 3)
    assert ingested(b"item,count\na,1\nb,2\nc,3\n").counts.d == 3
    with pytest.raises(IngestError, match="more than 3 rows"):
        read_table(b"item,count\na,1\nb,2\n\n\n")
    assert ingested(b"item,count\n" + b"x" * 500 + b",3\nb,1\n").counts.d == 2


def test_columns_up_to_the_limit():
    row = ",".join(f"x{i}" for i in range(199))
    assert read_table(f"{row},count\n{row},5\n".encode()).count_column == 199


def test_a_zip_of_too_many_entries_is_not_even_listed():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(1_001):
            archive.writestr(str(number), b"")
    with pytest.raises(IngestError, match="more than 1,000 files"):
        read_table(packed.getvalue())


def test_a_zip_with_a_password_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", b"a,5")
    data = bytearray(packed.getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(IngestError, match="has a password"):
        read_table(bytes(data))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_words(ingested, refusal, data):
    assert refusal(ingested, data).endswith(".")


@given(st.text(alphabet='ab12,;\t"\n\r |.=-\u202e\x07é', max_size=60))
def test_any_table_like_text_is_read_or_refused_in_words(ingested, refusal, text):
    assert refusal(ingested, text.encode()).endswith(".")


def test_limits_are_those_documented():
    assert ingest.MAX_BYTES == 64 * 2**20
    assert (ingest.MAX_ROWS, ingest.MAX_COLUMNS, ingest.MAX_NAME) == (2_000_000, 200, 500)
