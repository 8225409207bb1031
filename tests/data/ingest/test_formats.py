"""Test delimiters, quotation marks, encodings and archives that must be read."""

import gzip
import io
import zipfile

import pytest

from dptopk.data.ingest import read_table


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
        (b'item,count\n"5"" disk",5\n5" tape,3\n', ",", {'5" disk': 5, '5" tape': 3}),
    ],
)
def test_delimiters_and_quotes(ingested, as_dict, data, delimiter, expected):
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
def test_encodings(ingested, as_dict, said, codec, mark, encoding):
    result = ingested(mark + "item,count\nKäse,5\nÖl,3\n".encode(codec))
    assert as_dict(result) == {"Käse": 5, "Öl": 3}
    assert f"read as {encoding} text" in said(result)


def test_utf16_without_mark_in_chinese(ingested, as_dict):
    result = ingested("item,count\n北京市朝阳区,12\n上海市,7\n".encode("utf-16-le"))
    assert as_dict(result) == {"北京市朝阳区": 12, "上海市": 7}


@pytest.mark.parametrize("junk", [{}, {"__MACOSX/._a.csv": b"x", ".DS_Store": b"x", "d/": b""}])
def test_archives(ingested, as_dict, said, junk):
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
