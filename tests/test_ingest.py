"""Reading files, tables and typed text; refusing what cannot be read; CSV for download."""

import csv
import gzip
import importlib.util
import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dptopk import ItemCounts, ingest
from dptopk.export import csv_escaped
from dptopk.ingest import IngestError, from_cells, parse_typed, read_table, to_item_counts
from dptopk.ingest._plain import plain


def _beside(name: str):
    """Import a module that lies beside this file, however pytest imports tests."""
    place = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOSTILE = _beside("hostile_files").hostile_files()


def ingested(data: bytes, filename: str = "data.csv", **options):
    """Read a file the way the app does, with the guesses as they are."""
    table = read_table(data, filename, **options)
    return to_item_counts(table, table.item_column, table.count_column)


def as_dict(result) -> dict[str, int]:
    return dict(zip(result.counts.items, result.counts.counts.tolist(), strict=True))


def refusal(read, argument) -> str:
    """Message of the refusal, or a full stop."""
    try:
        read(argument)
    except IngestError as error:
        return str(error)
    return "."


def said(result) -> str:
    return " ".join(result.report.sentences)


# What must be refused


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_in_one_sentence(kind):
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
    with pytest.raises(IngestError, match="The file has 200 MB, the largest accepted has 64 MB"):
        read_table(bytes(200 * 2**20), "large.csv")


@pytest.mark.parametrize("data", ["item,count\na,5\n", None, bytearray(b"a,5")])
def test_only_bytes_are_read(data):
    with pytest.raises(TypeError, match="data must be bytes"):
        read_table(data)


def test_row_and_name_limits(monkeypatch):
    monkeypatch.setattr("dptopk.ingest._tables.MAX_ROWS", 3)
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
def test_any_bytes_are_read_or_refused_in_words(data):
    assert refusal(ingested, data).endswith(".")


@given(st.text(alphabet='ab12,;\t"\n\r |.=-\u202e\x07é', max_size=60))
def test_any_table_like_text_is_read_or_refused_in_words(text):
    assert refusal(ingested, text.encode()).endswith(".")


# What must be read

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]),
    min_size=1,
    max_size=30,
).filter(lambda name: name == plain(name) and name)
COUNTS = st.integers(0, 2**53)


def _written(pairs, delimiter, codec, line_end) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(["item", "count"])
    writer.writerows(pairs)
    return out.getvalue().encode(codec)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"])
@settings(max_examples=25)
@given(
    table=st.dictionaries(NAMES, COUNTS, min_size=1, max_size=8),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_round_trip(delimiter, codec, table, line_end):
    data = _written(table.items(), delimiter, codec, line_end)
    raw = read_table(data, "x.csv", delimiter=delimiter)
    result = to_item_counts(raw, "item", "count", "x")
    assert result.counts == ItemCounts(list(table.values()), list(table), "x")
    assert result.report.rows_read == len(table)


@given(
    table=st.dictionaries(
        st.text("abcXYZ äöüß ", min_size=1, max_size=12).filter(lambda name: name.strip() == name),
        COUNTS,
        min_size=1,
    )
)
def test_round_trip_in_windows_1252(table):
    table["Käse"] = 7
    result = ingested(_written(table.items(), ",", "cp1252", "\r\n"))
    assert as_dict(result) == table
    assert "read as Windows-1252" in said(result)


@pytest.mark.parametrize(
    ("data", "delimiter", "expected"),
    [
        (b"item,count\na,5\nb,3\n", ",", {"a": 5, "b": 3}),
        (b"item;count\na, b;5\nc, d;3\n", ";", {"a, b": 5, "c, d": 3}),
        (b"item\tcount\na, b\t5\nc; d\t3\n", "\t", {"a, b": 5, "c; d": 3}),
        (b"item|count\na|5\nb|3", "|", {"a": 5, "b": 3}),
        (b"genres,n\nComedy|Drama,5\nWar|Drama,3\n", ",", {"Comedy|Drama": 5, "War|Drama": 3}),
        (b"Comedy|Drama,5\nWar|Drama,3\n", ",", {"Comedy|Drama": 5, "War|Drama": 3}),
        (b"sep=;\r\nitem;count\r\na;5\r\nb;3\r\n", ";", {"a": 5, "b": 3}),
        (b'"item", "count"\n"a, b", "5"\n"c", "3"\n', ",", {"a, b": 5, "c": 3}),
        (b'item,count\n"5"" disk",5\n5" disk,3\n', ",", {'5" disk': 8}),
    ],
)
def test_delimiters_and_quotes(data, delimiter, expected):
    assert read_table(data).delimiter == delimiter
    assert as_dict(ingested(data)) == expected


@pytest.mark.parametrize(
    ("codec", "mark", "encoding"),
    [
        ("utf-8", b"", "UTF-8"),
        ("utf-8", b"\xef\xbb\xbf", "UTF-8 with byte order mark"),
        ("utf-16-le", b"\xff\xfe", "UTF-16 (little endian)"),
        ("utf-16-be", b"\xfe\xff", "UTF-16 (big endian)"),
        ("utf-16-le", b"", "UTF-16"),
        ("utf-16-be", b"", "UTF-16"),
        ("utf-32-le", b"\xff\xfe\0\0", "UTF-32"),
        ("cp1252", b"", "Windows-1252"),
    ],
)
def test_encodings(codec, mark, encoding):
    result = ingested(mark + "item,count\nKäse,5\nÖl,3\n".encode(codec))
    assert as_dict(result) == {"Käse": 5, "Öl": 3}
    assert f"read as {encoding} text" in said(result)


def test_utf16_without_mark_in_chinese():
    result = ingested("item,count\n北京市朝阳区,12\n上海市,7\n".encode("utf-16-le"))
    assert as_dict(result) == {"北京市朝阳区": 12, "上海市": 7}


@pytest.mark.parametrize("junk", [{}, {"__MACOSX/._a.csv": b"x", ".DS_Store": b"x", "d/": b""}])
def test_archives(junk):
    table = b"item,count\na,5\nb,3\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"d/a.csv": table, **junk}.items():
            archive.writestr(name, content)
    result = ingested(packed.getvalue(), "a.zip")
    assert as_dict(result) == {"a": 5, "b": 3}
    assert "zip archive" in said(result)
    result = ingested(gzip.compress(table), "data.csv.gz")
    assert as_dict(result) == {"a": 5, "b": 3}
    assert result.counts.name == "data"


@pytest.mark.parametrize(
    ("text", "item", "count", "header"),
    [
        ("item,count\na,5\nb,3\n", "item", "count", True),
        ("a,5\nb,3\n", "column 1", "column 2", False),
        ("5,a\n3,b\n", "column 2", "column 1", False),
        ("a,b\n5,3\n7,4\n", "a", "b", True),
        (",name,votes\n0,a,5\n1,b,3\n2,c,9\n", "name", "votes", True),
        ("0,a,5\n1,b,3\n2,c,9\n", "column 2", "column 3", False),
        ("id,title,year,ratings_count\n7,a,1999,5\n9,b,2001,3\n", "title", "ratings_count", True),
        ("ratingsCount,isbn,title\n5,111,a\n3,222,b\n", "title", "ratingsCount", True),
        ("product,price,purchases\na,9.99,5\nb,1.50,3\n", "product", "purchases", True),
        ("movieId,views\n7,5\n9,3\n", "movieId", "views", True),
        ("name,2023,2024\na,5,6\nb,3,4\n", "name", "2024", True),
        ("species,country,n_users\nowl,FR,5\nfox,FR,3\n", "species", "n_users", True),
        ("name,count,count\na,5,6\nb,3,4\n", "name", "count (column 3)", True),
        ("name,score\na,5\nb,3\n", "name", "score", True),
        ("count\n5\n3\n", None, "count", True),
        ("5\n3\n", None, "column 1", False),
    ],
)
def test_guesses(text, item, count, header):
    table = read_table(text.encode())
    assert table.header is header
    assert table.columns[table.count_column] == count
    assert (None if table.item_column is None else table.columns[table.item_column]) == item


@pytest.mark.parametrize(
    "text",
    [
        "user,item\n1,20\n1,30\n",
        "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n1,1029,3.0,1260759179\n",
        "user,item\nann,apple\nbob,pear\n",
    ],
)
def test_lists_of_users_and_items_are_refused(text):
    with pytest.raises(IngestError, match="must be counted first"):
        read_table(text.encode())


def test_guesses_can_be_overruled():
    data = b"name,first,second\na,5,6\nb,3,4\n"
    table = read_table(data)
    assert as_dict(to_item_counts(table, 0, 1)) == {"a": 5, "b": 3}
    assert as_dict(to_item_counts(table, "name", "second")) == {"a": 6, "b": 4}
    assert as_dict(to_item_counts(table, None, 2)) == {"item 1": 6, "item 2": 4}
    assert as_dict(to_item_counts(table, 1, 2)) == {"5": 6, "3": 4}
    with pytest.raises(IngestError, match='both read from column "first"'):
        to_item_counts(table, 1, 1)
    with pytest.raises(IngestError, match="There is no column 'third': choose one of \"name\""):
        to_item_counts(table, 0, "third")
    with pytest.raises(IngestError, match="There is no column 3"):
        to_item_counts(table, 0, 3)
    with pytest.raises(IngestError, match='Row 2, column "name": "a" is not a number'):
        to_item_counts(table, 1, 0)


def test_header_and_delimiter_can_be_overruled():
    assert as_dict(ingested(b"item,5\nb,3\n", header=False)) == {"item": 5, "b": 3}
    assert as_dict(ingested(b"a,5\nb,3\n", header=True)) == {"b": 3}
    assert as_dict(ingested(b"a;x,5\nb;y,3\n", delimiter=",")) == {"a;x": 5, "b;y": 3}
    with pytest.raises(ValueError, match="delimiter must be one of"):
        read_table(b"a 5\n", delimiter=" ")


def test_the_raw_table():
    table = read_table(b"item,count\n\na,5\n" + b"b" * 300 + b",3\n", "C:\\my data\\x.CSV")
    assert table.columns == ("item", "count")
    assert table.n_rows == 2
    assert table.preview == (("a", "5"), ("b" * 79 + "…", "3"))
    assert (table.delimiter, table.encoding) == (",", "UTF-8")
    assert "bbb" not in repr(table).replace("b" * 79, "")
    assert to_item_counts(table, 0, 1).counts.name == "x"
    assert to_item_counts(table, 0, 1, "mine").counts.name == "mine"


def test_digests_tell_files_apart():
    digests = {
        read_table(b"item,5\nb,3\n").digest,
        read_table(b"item,5\nb,4\n").digest,
        read_table(b"item,5\nb,3\n", header=False).digest,
        read_table(b"item,5\nb,3\n", "other name.csv").digest,
    }
    assert len(digests) == 3


# The report


def test_duplicates_are_summed_and_reported():
    result = ingested(b"item,count\na,5\nb,3\na,2\nb,1\nc,9\n")
    assert as_dict(result) == {"a": 7, "b": 4, "c": 9}
    assert result.report.duplicate_names == 2
    assert "2 names occur more than once: their counts were summed" in said(result)
    assert "leaves 3 items" in said(result)


def test_sums_of_large_counts_are_exact():
    half = 2**52
    pairs = "".join(f"a{i},{half - 1}\na{i},{half + 1}\n" for i in range(500))
    result = ingested(f"item,count\n{pairs}b,{2**53 - 1}\nb,1\nc,{2**53 - 3}\nc,2\n".encode())
    assert set(result.counts.counts[:501].tolist()) == {2**53}
    assert result.counts.counts[501] == 2**53 - 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("item,count\na,5\n\n , \nb,3\n", "2 blank rows were left out."),
        ("item,count\n a ,5\nb,3\n", "1 name lost spaces around it."),
        ('item,count\n"a\nb",5\nb,3\n', "1 name had line breaks or control characters"),
        ("item,count\na\x07b,5\nb,3\n", "1 name had line breaks or control characters"),
        ("item,count\na,12.0\nb,3.\n", "2 counts written with decimals, as in 12.0, were read"),
        (
            "item,count,\na,5,\nb,3,,,\n",
            "Blank cells beyond the last column were left out in 1 row",
        ),
        ("item,count\na,5\nb,5\n", "All 2 counts are equal"),
        ("item,count\na,5\n", "There is only one item"),
        ("item,count\na,5\nb,3\nTotal,8\n", 'The item "Total" counts as much as all others'),
        ("a,5\nb,3\n", "there is no header"),
        ("count\n5\n3\n", "items are numbered"),
        ("item;count\na;5\nb;3\n", "columns separated by semicolon"),
    ],
)
def test_the_report_says(text, sentence):
    assert sentence in said(ingested(text.encode()))


def test_a_plain_file_has_nothing_to_report_but_how_it_was_read():
    report = ingested(b"item,count\na,5\nb,3\n").report
    assert len(report.reading) == 1
    assert report.changes == ()
    assert (report.rows_read, report.rows_kept, report.blank_rows) == (2, 2, 0)


def test_row_numbers_are_those_of_a_spreadsheet():
    text = 'sep=,\nitem,count\n\n"a\nb",5\nc,x\n'
    with pytest.raises(IngestError, match='Row 5, column "count": "x"'):
        ingested(text.encode())


def test_all_faulty_counts_are_numbered():
    with pytest.raises(IngestError, match=r"Row 2, .* \(2 more with such a problem\)\.$"):
        ingested(b"item,count\na,-1\nb,\nc,5\nd,1.5\ne,5\nf,5\ng,7\n")


# Names and counts


@pytest.mark.parametrize(
    "name",
    [
        "<b>bold</b><script>alert(1)</script>",
        "![](http://x.invalid/a.png)",
        "[link](javascript:alert(1))",
        "$\\frac{1}{0}$ :red[text] `code`",
        '=HYPERLINK("http://x.invalid","a")',
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "-1+1",
        "NA",
        "null",
        "NaN",
        "None",
        "TRUE",
        "1e5",
        "007",
        "…,;|'\"",
        "\u0645\u0631\u062d\u0628\u0627 \u200f x",
        "👩\u200d👩\u200d👧",
        "a\u00a0b",
        "x" * 500,
    ],
)
def test_names_are_kept_verbatim(name):
    name = name.strip()
    data = _written([(name, 5), ("other", 3)], ",", "utf-8", "\n")
    assert as_dict(ingested(data)) == {name: 5, "other": 3}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\nb", "a b"),
        ("a\tb", "a b"),
        ("a \r\n\r\n b", "a   b"),
        ("a\x1b[31mb", "a[31mb"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("\ufeffa", "a"),
        ("a\x7f\x9fb", "ab"),
        ("a\u2028b", "a b"),
    ],
)
def test_what_garbles_a_line_is_removed(raw, clean):
    data = _written([(raw, 5), ("other", 3)], ",", "utf-8", "\n")
    result = ingested(data)
    assert as_dict(result) == {clean: 5, "other": 3}
    assert result.report.names_cleaned == 1


@pytest.mark.parametrize("cell", ["5", " 5 ", "+5", "005", "5.0", "5.", "5.000000", '"5"'])
def test_whole_numbers(cell):
    assert as_dict(ingested(f"item,count\na,{cell}\nb,3\n".encode())) == {"a": 5, "b": 3}


def test_the_largest_count():
    data = b"item,count\na,9007199254740992\nb,00000000000000000000009007199254740992.0\n"
    assert ingested(data).counts.counts.tolist() == [2**53, 2**53]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("", "the count is missing"),
        ("  ", "the count is missing"),
        ("null", "stands for a missing count"),
        ("-", "stands for a missing count"),
        ("NaN", "stands for a missing count"),
        ("-1", "is negative"),
        ("−1", "is negative"),
        ("(5)", "is negative"),
        ("-0.5", "is negative"),
        ("0.5", "is not a whole number"),
        (".5", "is not a whole number"),
        ("12,5", "is not a whole number"),
        ("5.000", "may have a thousands separator"),
        ("1 234", "may have a thousands separator"),
        ("1\u202f234", "may have a thousands separator"),
        ("1'234'567", "may have a thousands separator"),
        ("1.234,50", "may have a thousands separator"),
        ("-inf", "is not finite"),
        ("Infinity", "is not finite"),
        ("1E+09", "scientific notation"),
        ("9007199254740993.0", "is too large"),
        ("9" * 5_000, "is too large"),
        ("9" * 100_000 + "x", "is too large"),
        ("१२", "digits 0 to 9"),
        ("５", "digits 0 to 9"),
        ("²", "is not a number"),
        ("0x10", "is not a number"),
        ("5 users", "is not a number"),
        ("$5", "is not a number"),
        ("TRUE", "is not a number"),
        ("=1+1", "is not a number"),
    ],
)
def test_other_counts_are_refused(cell, words):
    data = _written([("a", 5), ("b", cell), ("c", 3)], ",", "utf-8", "\n")
    with pytest.raises(IngestError, match=f'Row 3, column "count": .*({words})'):
        ingested(data)


# Edited tables


def test_cells_of_an_edited_table():
    result = from_cells(
        ["a", None, 7, "b", np.nan], [5, None, 12.0, np.int64(3), pd.NA], name="mine"
    )
    assert as_dict(result) == {"a": 5, "7": 12, "b": 3}
    assert result.counts.name == "mine"
    assert result.report.blank_rows == 2


@pytest.mark.parametrize(
    ("items", "counts", "message"),
    [
        ([], [], "The table has no filled row"),
        ([None], [np.nan], "The table has no filled row"),
        (["a", ""], [5, 3], "Row 2: the item has no name"),
        (["a", "b"], [5, None], "Row 2: the count is missing"),
        (["a", None, "b"], [5, None, -1.0], 'Row 3: "-1" is negative'),
        (["a", "b"], [5, 0.5], "is not a whole number"),
        (["a", "b"], [5, 1e300], "is too large"),
        (["a", "b"], [5, np.inf], "is not finite"),
    ],
)
def test_faulty_cells_of_an_edited_table(items, counts, message):
    with pytest.raises(IngestError, match=message):
        from_cells(items, counts)


# Typed text


@pytest.mark.parametrize(
    "text",
    [
        "100, 90, 80",
        "100 90 80",
        "100;90;80",
        "100\n90\n80",
        "100,\n90, 80\n",
        "100\t90\t80",
        " 100,90,80, ",
    ],
)
def test_typed_counts(text):
    result = parse_typed(text)
    assert as_dict(result) == {"item 1": 100, "item 2": 90, "item 3": 80}
    assert result.counts.name == "typed"
    assert "3 counts were typed; the items are numbered." in said(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apple 12\npear 5", {"apple": 12, "pear": 5}),
        ("apple, 12\n\npear,5\n", {"apple": 12, "pear": 5}),
        ("apple\t12\r\npear\t5", {"apple": 12, "pear": 5}),
        ("apple: 12\npear = 5", {"apple": 12, "pear": 5}),
        ("item,count\napple,12\npear,5", {"apple": 12, "pear": 5}),
        ("granny smith 12\nThe Good, the Bad 5", {"granny smith": 12, "The Good, the Bad": 5}),
        ('"Matrix, The", 278\nHeat, 5', {"Matrix, The": 278, "Heat": 5}),
        ("7\t12\n8\t5", {"7": 12, "8": 5}),
        ("Apollo 13, 120\nHeat, 5", {"Apollo 13": 120, "Heat": 5}),
        ("apple 12\napple 3\npear 2", {"apple": 15, "pear": 2}),
        ("=1+1\t5\n<b>x</b>\t3", {"=1+1": 5, "<b>x</b>": 3}),
    ],
)
def test_typed_items(text, expected):
    assert as_dict(parse_typed(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Nothing is typed"),
        (" \n ,, \n", "Nothing is typed"),
        ("\x1f", "Nothing is typed"),
        ("100, -5", 'Line 1: "-5" is negative'),
        ("100\n2.5", 'Line 2: "2.5" is not a whole number'),
        ("100, 1e400", "scientific notation"),
        ("100, ٣", "digits 0 to 9"),
        ("1,234, 90, 80", '"1,234" may be one number'),
        ("1,234\n90\n80", '"1,234" may be one number'),
        ("7 12\n8 5", "Every line holds two numbers"),
        ("apple 1,234\npear 5", "Line 1: it is not clear where the count begins"),
        ("apple 1 234\npear 5", "Line 1: it is not clear where the count begins"),
        ("apple\npear", 'Line 1: "apple" lacks an item or a count'),
        ("apple 5\npear,", 'Line 2: "pear," lacks an item or a count'),
        ("apple 5\n12", 'Line 2: "12" lacks an item or a count'),
        ("apple 5\npear many", 'Line 2: "many" is not a number'),
        ("a\tb\t5\nc\td\t5", "Line 1 has 3 columns"),
        ("x" * 1_000_001, "The text has 1,000,001 characters"),
    ],
)
def test_faulty_typed_text(text, message):
    with pytest.raises(IngestError, match=re.escape(message)):
        parse_typed(text)


@given(st.text(max_size=80))
def test_any_typed_text_is_read_or_refused_in_words(text):
    assert refusal(parse_typed, text).endswith(".")


def test_typed_text_must_be_text():
    with pytest.raises(TypeError, match="text must be a string"):
        parse_typed(b"1, 2")


# CSV for download


def test_formulas_are_disarmed_and_numbers_stay_numbers():
    frame = pd.DataFrame(
        {
            "item": ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", " =1", "a=1", 'q"', "a,b"],
            "error": [-1.5] * 11,
            "count": [-5] * 11,
        }
    )
    before = frame.copy()
    rows = list(csv.reader(io.StringIO(csv_escaped(frame), newline="")))
    assert [row[0] for row in rows[1:]] == [
        "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "'＝1", "' =1", "a=1", 'q"', "a,b",
    ]  # fmt: skip
    assert rows[0] == ["item", "error", "count"]
    assert all(row[1:] == ["-1.5", "-5"] for row in rows[1:])
    assert frame.equals(before)


def test_column_names_mixed_and_categorical_columns():
    frame = pd.DataFrame(
        [["=a", -1, "=c", None], ["b", "=x", "=c", "ok"]], columns=["=n", "n", "n", "m"]
    )
    frame["kind"] = pd.Categorical(["-x", "y"])
    lines = csv_escaped(frame).splitlines()
    assert lines[0] == '"\'=n","n","n","m","kind"'
    assert lines[1].startswith('"\'=a",-1,"\'=c",')
    assert lines[1].endswith('"\'-x"')
    assert lines[2] == '"b","\'=x","\'=c","ok","y"'


@given(st.dictionaries(NAMES, COUNTS, min_size=1, max_size=6))
def test_a_download_can_be_uploaded_again(table):
    frame = pd.DataFrame({"item": list(table), "count": list(table.values())})
    result = ingested(csv_escaped(frame).encode("utf-8-sig"))
    assert [item.removeprefix("'") for item in result.counts.items] == [
        item.removeprefix("'") for item in table
    ]
    assert result.counts.counts.tolist() == list(table.values())


def test_limits_are_those_documented():
    assert ingest.MAX_BYTES == 64 * 2**20
    assert (ingest.MAX_ROWS, ingest.MAX_COLUMNS, ingest.MAX_NAME) == (2_000_000, 200, 500)
