"""Reject files that are not tables, by their first bytes, archive entries or name."""

import codecs
import json
import re
from collections.abc import Iterable

from dptopk.data.ingest._error import IngestError, counting

FORMATS = "Excel (.xlsx), Parquet, CSV, TSV or text, also as .gz or .zip"
"""Files that are read, for documentation and messages."""

LOG_FORMATS = f"{FORMATS}, SQLite and DuckDB databases"
"""Files that logs of events may be, likewise."""

_SAVE_AS_CSV = "open it in the program that made it and save the table as CSV"

_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive inside another archive", "unpack it and provide the text file"),
    (b"\x1f\x8b", "a gzip archive inside another archive", "unpack it and provide the text file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook or other Office file", _SAVE_AS_CSV),
    (b"%PDF-", "a PDF document", "copy the table into a spreadsheet and save it as CSV"),
    (b"\x89PNG", "a PNG picture", "provide the table itself as CSV"),
    (b"\xff\xd8\xff", "a JPEG picture", "provide the table itself as CSV"),
    (b"GIF89a", "a GIF picture", "provide the table itself as CSV"),
    (b"\x93NUMPY", "a NumPy array", "save the counts as CSV text"),
    (b"ARROW1\0", "a Feather or Arrow file", "save the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "save the table as CSV"),
    (b"{\\rtf", "a rich-text document", "save the table as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, or use zip or gzip"),
    (b"Rar!\x1a", "a RAR archive", "unpack it, or use zip or gzip"),
    (b"BZh91AY&SY", "a bzip2 archive", "unpack it, or use zip or gzip"),
    (b"\xfd7zXZ", "an xz archive", "unpack it, or use zip or gzip"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "unpack it, or use zip or gzip"),
)
_OFFICE_FILES = {
    "xl/workbook.bin": "a binary Excel workbook (.xlsb)",
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a PowerPoint presentation",
    "content.xml": "an OpenDocument file",
    "Index/Document.iwa": "an Apple iWork document",
}


_PROLOGUE = ((b"<!--", b"-->"), (b"<?xml", b">"), (b"<!doctype svg", b">"))
_JSON_READ = 2**20  # bytes of a list that are tried


def refuse_office_files(entries: Iterable[str]) -> None:
    """Raise for Office files, which are zip archives with an entry of their own."""
    names = set(entries)
    for inner, kind in _OFFICE_FILES.items():
        if inner in names:
            raise IngestError(f"The file is {kind}, not text: {_SAVE_AS_CSV}.")


def database_kind(data: bytes) -> str:
    """Return the kind of a database file, SQLite or DuckDB; empty for any other."""
    if data[:15] == b"SQLite format 3":
        return "SQLite"
    return "DuckDB" if data[8:12] == b"DUCK" else ""


def refuse_other_types(data: bytes, filename: str) -> None:
    """Raise for workbooks, pictures, archives, pickles and web pages."""
    if data.startswith(b"PK\x03\x04") and b"xl/workbook.xml" in data:
        raise IngestError(
            "The archive holds an Excel workbook: unpack it and provide the workbook itself."
        )
    begin = data[:1000].lstrip()  # some writers of PDF begin with a blank line
    for signature, kind, remedy in _SIGNATURES:
        if begin.startswith(signature):
            raise IngestError(f"The file is {kind}, not text: {remedy}.")
    if kind := database_kind(data):
        raise IngestError(
            f"The file is a {kind} database, not text: count its users, with "
            f"{counting(filename, of_database=True)}."
        )
    if data[257:262] == b"ustar":
        raise IngestError("The file is a tar archive, not text: unpack it first.")
    is_pickle = data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5")
    if is_pickle or filename.lower().endswith((".pkl", ".pickle", ".joblib")):
        raise IngestError(
            "The file is a Python pickle, which can run code when opened: save the table as CSV."
        )
    start = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    element = _without_prologue(start)
    if re.match(rb"<svg\b", element):
        raise IngestError("The file is an SVG picture: provide the table itself as CSV.")
    if re.match(rb"<(html|head|body|table|meta|script|div|!doctype html)\b", element):
        raise IngestError(
            "The file is a web page, despite its name: open it in a spreadsheet program and save "
            "the table as CSV or .xlsx."
        )
    if start.startswith(b"<?xml"):
        raise IngestError(
            "The file is XML, not a table: open it in the program that made it and save the table "
            "as CSV."
        )
    if filename.lower().endswith((".json", ".jsonl", ".ipynb")) or _is_json(data, start):
        raise IngestError(
            "The file is JSON, not a table: save the table as CSV, in DuckDB with COPY (FROM "
            "read_json('log.json')) TO 'log.csv'."
        )


def _without_prologue(start: bytes) -> bytes:
    """Strip the declarations and comments at the beginning of a markup document."""
    while True:
        start = start.lstrip()
        for begin, end in _PROLOGUE:
            if start.startswith(begin):
                start = start[len(begin) :].partition(end)[2]
                break
        else:
            return start


def _is_json(data: bytes, start: bytes) -> bool:
    """Return whether the data are a list in JSON or begin like an object."""
    if re.match(rb'(\[\s*)?\{\s*("|\})', start):
        return True
    if not start.startswith(b"[") or not data.rstrip().endswith(b"]") or len(data) > _JSON_READ:
        return False
    try:
        return isinstance(json.loads(data), list)
    except (ValueError, RecursionError):  # then it is text that begins with a bracket
        return False
