"""Files that must be refused, each with words that its error message must contain.

Shared by the tests of `dptopk.data.ingest` and by tests that drive the app in a browser.  Some
unpack to much, or take long to read if nothing is done about it: `slow_files` makes those.
"""

import gzip
import io
import pickle
import random
import struct
import zipfile
from collections.abc import Callable
from functools import lru_cache

import openpyxl

MARKUP = "<img src=x onerror=alert(1)> ![](http://x.invalid/a.png) $\\frac{1}{0}$ [go](http://x)"


@lru_cache(maxsize=1)
def hostile_files() -> dict[str, tuple[str, bytes, str]]:
    """Return kind of file -> (file name, content, words that the message must hold)."""
    table = b"item,count\napple,5\npear,3\n"
    packed, book = gzip.compress(table), _zip({"xl/workbook.xml": b"<x/>"})
    return {
        "empty": ("empty.csv", b"", "The file is empty"),
        "blank": ("blank.csv", b"\n \n\t\n", "only blank space"),
        "header only": ("header.csv", b"item,count\n", "a header but no data"),
        "one column": ("one.csv", b"item\napple\npear\n", "only one column"),
        "wrong delimiter": ("caret.csv", b"item^count\napple^5\npear^3\n", "only one column"),
        "text counts": ("text.csv", b"item,count\napple,many\npear,few\n", "No column holds num"),
        "events": ("events.csv", b"user,item\n1,20\n1,30\n2,20\n", "its distinct users are to be"),
        "one text count": ("a.csv", b"item,count\na,5\nb,lots\nc,3\n", 'column "count": "lots"'),
        "missing count": ("a.csv", b"item,count\na,5\n\nb,\n", 'Row 4, column "count": the count'),
        "NA count": ("na.csv", b"item,count\na,5\nb,NA\n", '"NA" stands for a missing count'),
        "duplicates": ("sum.csv", b"item,count\na,5\na,1\n", "may hold counts or name users: say"),
        "blank name": ("a.csv", b"item,count\napple,5\n,3\n", 'Row 3, column "item": the item has'),
        "long name": ("long.csv", b"item,count\n" + b"x" * 501 + b",3\n", "501 characters"),
        "ragged": ("ragged.csv", b"item,count\nThe Good, the Bad,5\nb,3\n", "Row 2 has 3 cells"),
        "title with commas": (
            "wide.csv",
            b"Cases, wards, 2025\nward,patients\nA,3\n",
            "Row 1 has 3 cells, but those below have 2: if it is a title, put quotation marks",
        ),
        "title of as many cells": (
            "title.csv",
            b"Cases, 2025\n\nward,patients\nA,3\n",
            "Row 3 (the header, perhaps: if row 1 is a title, put quotation marks around it), colu",
        ),
        "short row": ("short.csv", b"item,count\na,3\nb\n", "Row 3 has 1 cell, but row 1 has 2"),
        "open quote": ("quote.csv", b'item,count\na,3\n"b,5\nc,2\n', "Row 3 opens a quotation"),
        "inner quote": ("inner.csv", b'item,count\n"a" x,3\nb,5\n', "Row 2 has text after"),
        "many columns": ("wide.csv", b"a,5" + b",0" * 300 + b"\n", "302 columns"),
        "only commas": ("blank.csv", b",,,\n,,,\n", "only blank rows"),
        "a million commas": ("commas.csv", b"a" + b"," * 999_999, "1,000,000 columns"),
        "one endless row": ("endless.csv", b"a," * 600_000, "more than 1,000,000 characters"),
        "NUL bytes": ("nul.csv", b"item,count\nap\0ple,5\npear,3\n", "NUL byte in line 2"),
        "binary": ("noise.csv", random.Random(1).randbytes(4_000), "not text"),
        "damaged UTF-8": ("bad.csv", "item,count\nÄpfel–,5\n".encode() + b"Birn\xe4,3\n", "Line 3"),
        "UTF-16 cut short": (
            "cut.csv",
            b"\xff\xfe" + "item,count\na,3\n".encode("utf-16-le")[:-1],
            "begins like",
        ),
        "Excel workbook": ("book.xlsx", book, "workbook is damaged"),
        "old Excel workbook": ("book.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 64, "old Excel"),
        "picture": ("picture.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, "a PNG picture"),
        "PDF": ("paper.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
        "DuckDB": ("log.csv", bytes(8) + b"DUCK" + bytes(500), "DuckDB database, not text: count"),
        "SQLite": ("log.db", b"SQLite format 3\0" + bytes(99), "counts log.db --table TABLE"),
        "Parquet": ("log.csv", b"PAR1\x15\4\0" + bytes(99) + b"PAR1", "Parquet file is damaged"),
        "pickle": ("counts.csv", pickle.dumps({"apple": 5}), "a Python pickle"),
        "old pickle": ("counts.pkl", pickle.dumps({"apple": 5}, protocol=0), "a Python pickle"),
        "web page": ("page.csv", b"<!DOCTYPE html>\n<html><p>a,5</p></html>", "web page"),
        "table of a web page": ("old.xls", b"<table><tr><td>a</td><td>5</td></table>", "web page"),
        "SVG": ("a.csv", b'<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="">a,5</svg>', "an SVG"),
        "XML": ("a.csv", b'<?xml version="1.0"?>\n<rows><row>a,5</row></rows>', "is XML"),
        "pretty JSON": ("a.csv", b'[\n  {\n    "apple": 5\n  }\n]\n', "JSON"),
        "JSON list": ("a.csv", b'[\n  ["apple", 5],\n  ["pear", 3]\n]\n', "JSON"),
        "UTF-7": ("a.csv", "item,count\nKäse,5\nÖl,3\n".encode("utf-7"), "UTF-7"),
        "UTF-7 with mark": ("a.csv", b"+/v8-item,count\na,5\n", "UTF-7"),
        "JSON in UTF-16": ("a.csv", '{"apple": 5, "pear": 3}'.encode("utf-16"), "is JSON"),
        "web page in UTF-16": ("a.xls", "<html><p>a,5</p></html>".encode("utf-16"), "web page"),
        "PDF after a blank line": ("a.csv", b"\n%PDF-1.4\n1 0 obj\n", "a PDF document"),
        "workbook in an archive": ("a.zip", _zip({"a.xlsx": book}), "holds an Excel workbook"),
        "JSON": ("counts.csv", b'{"apple": 5, "pear": 3}', "JSON"),
        "cut gzip": ("cut.csv.gz", packed[:-9], "is cut off"),
        "damaged gzip": ("bad.csv.gz", packed[:-6] + b"\0\0" + packed[-4:], "damaged"),
        "gzip bomb": ("bomb.csv.gz", _gzip_bomb(), "more than 64 MB"),
        "zip bomb": ("bomb.zip", _zip({"bomb.csv": bytes(80 * 2**20)}), "more than 64 MB"),
        "zip of many": ("a.zip", _zip({"a.csv": table, "b.csv": table}), "2 files (a.csv, b.csv)"),
        "empty zip": ("none.zip", _zip({}), "holds no file"),
        "zip in zip": ("zip.zip", _zip({"a.zip": _zip({"a.csv": table})}), "inside another"),
        "cut zip": ("cut.zip", _zip({"a.csv": table})[:-30], "zip archive is damaged"),
        "strange zip": ("odd.zip", _zip({"a.csv": table}, zipfile.ZIP_LZMA), "unusual compression"),
        "hostile text": ("a.csv", f"item,count\na,5\nb,{MARKUP}\n".encode(), "is not a number"),
    }


def slow_files() -> dict[str, tuple[str, Callable[[], bytes], str]]:
    """Return kind of file -> (file name, what makes it, words that the message must hold)."""
    empty = gzip.compress(b"")
    return {
        "comments": ("a.csv", lambda: b"<!---->" * 22 + b"x\ny\nz\n", "only one column"),
        "spaced comments": ("a.csv", lambda: b"<!-- --> " * 99 + b"x\ny\nz\n", "only one column"),
        "pluses": ("a.csv", lambda: b"item,users\n" + b"+" * 2**16 + b",5\n", "the limit of 500"),
        "nothing but quotes": ("a.csv", lambda: b'"' * 2**26, "1,000,000 characters"),
        "nothing but lines": ("a.csv", lambda: b"\n" * 2**26, "only blank space"),
        "nested lists": ("a.csv", lambda: b"[" * 2**18 + b"]" * 2**18, "100,000 characters"),
        "empty gzip members": ("a.gz", lambda: empty * 2_000_000, "more than 10,000 parts"),
        "padded gzip": ("a.gz", lambda: empty + bytes(2**25), "empty file"),
        "gzip with a long name": (
            "a.gz",
            lambda: empty[:3] + b"\x08" + empty[4:10] + b"x" * 2**25,
            "is cut off",
        ),
        "zip of a million": ("a.zip", lambda: _listed([b"a"] * 1_300_000), "more than 1,000 files"),
        "zip of long names": ("a.zip", lambda: _listed([b"a" * 65_000] * 990), "holds 990 files"),
        "workbook of a million": (
            "a.xlsx",
            lambda: _listed([b"xl/workbook.xml"] + [b"a"] * 1_300_000),
            "more than 1,000 parts",
        ),
        "sheet of another type": ("a.xlsx", lambda: _workbook(rows=2**22), "more than 24 MB"),
        "entities of another type": (
            "a.xlsx",
            lambda: _workbook(texts=b'<!DOCTYPE sst [<!ENTITY a "aaaa">]><sst>&a;</sst>'),
            "workbook is damaged",
        ),
        "sheets of one name": ("a.xlsx", lambda: _workbook(sheets=3_000), "more than 255 sheets"),
        "sheets of one part": ("a.xlsx", lambda: _workbook(sheets=250), "workbook is damaged"),
        "names of ranges": ("a.xlsx", lambda: _workbook(ranges=200_000), "more than 20,000 names"),
        "shared texts": (
            "a.xlsx",
            lambda: _workbook(texts=b"<sst>" + b"<si/>" * 2**22 + b"</sst>"),
            "more than 2,000,000 texts",
        ),
    }


def _listed(names: list[bytes]) -> bytes:
    """A zip archive that lists these entries, of which there is one: nothing is in it."""
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 0, 0, 33, 0, 0, 0, len(names[0]), 0)
    content, entries = local + names[0], []
    for name in dict.fromkeys(names):
        head = struct.pack(
            "<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name), *[0] * 6
        )
        entries.append((head + name) * names.count(name))
    listed = b"".join(entries)
    n = min(len(names), 0xFFFF)
    return (
        content
        + listed
        + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, n, n, len(listed), len(content), 0)
    )


def _workbook(rows: int = 0, sheets: int = 1, ranges: int = 0, texts: bytes = b"") -> bytes:
    """A workbook of a small sheet and of so much more; no part is called what it is."""
    book, saved, packed = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append(["item", "users"])
    book.active.append(["a", 5])
    book.save(saved)
    sheet = b'<sheet name="S" sheetId="1" r:id="rId1"/>'
    named = b'<definedName name="a">$A$1</definedName>'
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    changes = (
        (b"worksheets/sheet1.xml", b"s.dat"),
        (b"</sheetData>", b"<row/>" * rows + b"</sheetData>"),
        (b"</sheets>", sheet * (sheets - 1) + b"</sheets>"),
        (b"<definedNames />", b"<definedNames/>"),  # the former without lxml, the latter with it
        (b"<definedNames/>", b"<definedNames>" + named * ranges + b"</definedNames>"),
        (b"</Types>", b'<Override PartName="/xl/t.bin" ContentType="' + kind + b'"/></Types>'),
    )
    with (
        zipfile.ZipFile(saved) as before,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name)
            for old, new in changes:
                content = content.replace(old, new)
            after.writestr(name.replace("worksheets/sheet1.xml", "s.dat"), content)
        after.writestr("xl/t.bin", texts or b"<sst/>")
    return packed.getvalue()


def _zip(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _gzip_bomb() -> bytes:
    """Five members of 16 MB of zeros each, 80 KB in all."""
    return gzip.compress(bytes(16 * 2**20)) * 5
