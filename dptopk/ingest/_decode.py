"""From the bytes of a file to its text: size, packing, file type, encoding.

Nothing is unpickled and nothing is unpacked beyond `MAX_BYTES`, whatever a header
promises.  Encodings tried, in this order: the one its byte order mark names, UTF-16
without a mark (told by where its NUL bytes stand), UTF-8, Windows-1252.

Limits: other one-byte and East Asian encodings are taken for Windows-1252 if they
can be; a note says so.
"""

import codecs
import gzip
import io
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass

MAX_BYTES = 64 * 2**20
"""Largest file, and largest unpacked content of one, in bytes (64 MB)."""

_MAX_ZIP_ENTRIES = 1_000  # a zip of millions of empty entries takes long just to list

_SAVE_AS_CSV = "open it where it was made and save the table as CSV"

_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive inside another archive", "unpack it and upload the text file"),
    (b"\x1f\x8b", "a gzip archive inside another archive", "unpack it and upload the text file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook or other Office file", _SAVE_AS_CSV),
    (b"%PDF-", "a PDF document", "put the table into a spreadsheet and save it as CSV"),
    (b"\x89PNG", "a PNG picture", "upload the table itself as CSV"),
    (b"\xff\xd8\xff", "a JPEG picture", "upload the table itself as CSV"),
    (b"GIF89a", "a GIF picture", "upload the table itself as CSV"),
    (b"\x93NUMPY", "a NumPy array", "save the counts as CSV text"),
    (b"PAR1\x15", "a Parquet file", "save the table as CSV"),
    (b"ARROW1\0", "a Feather or Arrow file", "save the table as CSV"),
    (b"SQLite format 3", "a SQLite database", "export the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "save the table as CSV"),
    (b"{\\rtf", "a rich-text document", "save the table as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, or use zip or gzip"),
    (b"Rar!\x1a", "a RAR archive", "unpack it, or use zip or gzip"),
    (b"BZh91AY&SY", "a bzip2 archive", "unpack it, or use zip or gzip"),
    (b"\xfd7zXZ", "an xz archive", "unpack it, or use zip or gzip"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "unpack it, or use zip or gzip"),
)
_OFFICE_FILES = {
    "xl/workbook.xml": "an Excel workbook",
    "xl/workbook.bin": "an Excel workbook",
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a PowerPoint presentation",
    "content.xml": "an OpenDocument file",
    "Index/Document.iwa": "an Apple iWork document",
}
_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 (little endian)"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 (big endian)"),
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_UNZIP_ERRORS = (  # all that zipfile was seen to raise on a million damaged archives
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
    IndexError,
)


class IngestError(ValueError):
    """Data could not be read; the message is one sentence saying what to do.

    The message may quote the data: show it as plain text, not as markup.
    """


@dataclass(frozen=True)
class Decoded:
    """The text of a file, the name of its encoding, and sentences on what was done."""

    text: str
    encoding: str
    notes: tuple[str, ...]


def decode(data: bytes, filename: str = "") -> Decoded:
    """Unpack and decode the bytes of a file.

    Parameters
    ----------
    data : bytes
        The file, at most `MAX_BYTES`; may be gzip, or a zip holding one file.
    filename : str, optional
        Its name: some files that are not tables are known by their ending only.

    Raises
    ------
    IngestError
        If the file is too large, damaged, or not text.
    """
    if not isinstance(data, bytes):
        raise TypeError(f"data must be bytes, got {type(data).__name__}")
    if len(data) > MAX_BYTES:
        raise IngestError(
            f"The file has {len(data) / 2**20:,.0f} MB, the largest accepted has "
            f"{MAX_BYTES // 2**20} MB: keep only the columns with items and counts."
        )
    if not data:
        raise IngestError("The file is empty: upload a table with a row for each item.")
    data, notes = _unpacked(data)
    if not data:
        raise IngestError("The archive holds an empty file: pack a table with a row for each item.")
    _refuse_other_types(data, filename)
    text, encoding, more_notes = _text(data)
    if not text.strip():
        raise IngestError("The file holds only blank space: upload a table with a row for an item.")
    return Decoded(text, encoding, (*notes, *more_notes))


def _unpacked(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Content of a gzip or zip archive, or the data as they are."""
    if data.startswith(b"\x1f\x8b"):
        return _gunzipped(data), ("It was unpacked from a gzip archive.",)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _unzipped(data)
    return data, ()


def _gunzipped(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(MAX_BYTES + 1)
    except EOFError as error:
        raise IngestError(
            "The gzip archive breaks off before its end: copy or download the file again."
        ) from error
    except (OSError, zlib.error) as error:
        raise IngestError(
            "The gzip archive is damaged: copy or download the file again."
        ) from error
    return _within_limit(content)


def _unzipped(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    if data.count(b"PK\x01\x02") > _MAX_ZIP_ENTRIES:
        raise IngestError(
            f"The zip archive holds more than {_MAX_ZIP_ENTRIES:,} files: upload one text file."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _only_member(archive)
            with archive.open(member) as packed:
                content = packed.read(MAX_BYTES + 1)
    except IngestError:
        raise
    except _UNZIP_ERRORS as error:
        raise IngestError(
            "The zip archive is damaged or of an unknown kind: pack the file again or upload it "
            "unpacked."
        ) from error
    return _within_limit(content), ("It was unpacked from a zip archive.",)


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Choose the one real file in a zip, or say why there is none."""
    names = set(archive.namelist())
    for inner, kind in _OFFICE_FILES.items():
        if inner in names:
            raise IngestError(f"The file is {kind}, not text: {_SAVE_AS_CSV}.")
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.rsplit("/", 1)[-1].startswith(".")
    ]
    if len(members) != 1:
        holds = f"{len(members)} files" if members else "no file"
        raise IngestError(f"The zip archive holds {holds}: pack exactly one text file.")
    member = members[0]
    if member.flag_bits & 1:
        raise IngestError("The zip archive has a password: upload the file unpacked.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile unpacks the other methods in one piece, which a bomb could exploit
        raise IngestError(
            "The zip archive uses an unusual compression: pack it with plain zip or upload the "
            "file unpacked."
        )
    return member


def _within_limit(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise IngestError(
            f"Unpacked, the file has more than {MAX_BYTES // 2**20} MB, the largest accepted: "
            "keep only the columns with items and counts."
        )
    return content


def _refuse_other_types(data: bytes, filename: str) -> None:
    """Name what is no table: workbooks, pictures, archives, pickles, web pages."""
    for signature, kind, remedy in _SIGNATURES:
        if data.startswith(signature):
            raise IngestError(f"The file is {kind}, not text: {remedy}.")
    if data[257:262] == b"ustar":
        raise IngestError("The file is a tar archive, not text: unpack it first.")
    is_pickle = data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5")
    if is_pickle or filename.lower().endswith((".pkl", ".pickle", ".joblib")):
        raise IngestError(
            "The file is a Python pickle, which can run code when opened: save the table as CSV."
        )
    start = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise IngestError(
            "The file is a web page or XML, not a table: download the data file itself as CSV."
        )
    if filename.lower().endswith((".json", ".jsonl")) or re.match(rb'(\[\s*)?\{\s*"', start):
        raise IngestError("The file is JSON, not a table: save the table as CSV.")


def _text(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Text, encoding and notes of the unpacked data."""
    for mark, codec, encoding in _MARKS:
        if data.startswith(mark):
            text = _strictly(data[len(mark) :], codec, encoding)
            return _readable(text), encoding, ()
    if b"\0" in data:
        return _text_with_nul(data), "UTF-16", ()
    try:
        return _readable(data.decode("utf-8")), "UTF-8", ()
    except UnicodeDecodeError as error:
        return (
            _text_not_utf8(data, error),
            "Windows-1252",
            (
                "It is not UTF-8 text and was read as Windows-1252 (Latin-1): if names look wrong, "
                "save the file as UTF-8.",
            ),
        )


def _text_with_nul(data: bytes) -> str:
    """UTF-16 without a mark: its ASCII characters have a NUL in every other byte."""
    head = data[: 2**16]
    n_even, n_odd = head[::2].count(0), head[1::2].count(0)
    few, many = sorted((n_even, n_odd))
    codec = "utf-16-le" if n_odd > n_even else "utf-16-be"
    if len(data) % 2 == 0 and 10 * few <= many and 20 * many >= len(head):
        return _readable(_strictly(data, codec, "UTF-16"))
    position = data.index(b"\0")
    raise IngestError(
        f"The file is not text (there is a NUL byte in line {_line(data, position)}): save the "
        "table as CSV in UTF-8."
    )


def _text_not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    """Windows-1252, unless most characters beyond ASCII are valid: then it is damaged UTF-8."""
    line = _line(data, error.start)
    lenient = data.decode("utf-8", errors="replace")
    n_faulty = lenient.count("\ufffd")
    n_beyond_ascii = len(lenient) - len(lenient.encode("ascii", errors="ignore"))
    if n_beyond_ascii > 2 * n_faulty:
        raise IngestError(
            f"Line {line} holds a damaged character (the rest is UTF-8): correct that line or save "
            "the file again as UTF-8."
        ) from error
    try:
        return _readable(data.decode("cp1252"))
    except UnicodeDecodeError as second:
        raise IngestError(
            f"Line {_line(data, second.start)} holds a character that is neither UTF-8 nor "
            "Windows-1252: save the file as UTF-8."
        ) from second


def _strictly(data: bytes, codec: str, encoding: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise IngestError(
            f"The file begins like {encoding} text but is damaged at byte {error.start:,}: save it "
            "again as UTF-8."
        ) from error


def _readable(text: str) -> str:
    """Return the text unless NULs or many control characters show that it is none."""
    start = text[: 2**16]
    n_controls = len(_CONTROLS.findall(start))
    if "\0" in text or (n_controls > 3 and 20 * n_controls > len(start)):
        raise IngestError(
            "The file is not text (it is full of control characters): save the table as CSV in "
            "UTF-8."
        )
    return text.removeprefix("\ufeff")


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
