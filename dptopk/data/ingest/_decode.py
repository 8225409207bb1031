"""Decode the bytes of a file to text: size, compression, file type, encoding.

Nothing is unpickled and nothing is unpacked beyond `MAX_BYTES`, whatever a header promises: gzip,
or zip with one file in it.  What is no table is refused by its first bytes, the entries of its
archive or its name.  Encodings tried, in this order: the one its byte order mark names, UTF-16
without a mark (told by where its NUL bytes stand), UTF-8, the one that chardetng finds, the
detector of Firefox (https://hsivonen.fi/chardetng/), which is made for short texts as well.

Limits: of a handful of letters beyond ASCII no encoding can be told; a note quotes a name as read.
"""

import codecs
import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

from dptopk.core.cancellation import Progress, part_of
from dptopk.data.ingest._error import COUNT_FIRST, IngestError, counting
from dptopk.data.ingest._plain import shown, some_of

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

MAX_BYTES = 64 * 2**20  # largest file, and largest unpacked content of one, in bytes (64 MB)
MAX_ZIP_ENTRIES = 1_000  # a zip of millions of empty entries takes long just to list
MAX_GZIP_MEMBERS = 10_000  # likewise; block gzip of 64 MB has a thousand
_UNPACKED = 2**20  # bytes unpacked at a time

UNZIP_ERRORS = (  # all that zipfile was seen to raise on a million damaged archives
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
    IndexError,
)

GUESSED = "It is not UTF-8 text and was read as"
"""Beginning of the note on an encoding that was guessed from all text: one row may change it."""

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 (little endian)"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 (big endian)"),
)
_UTF7 = re.compile(rb"([A-Za-z0-9+/]++)(-?)")  # no two matches share a byte: linear
_UTF7_MARKS = (b"+/v8", b"+/v9", b"+/v+", b"+/v/")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_WORD_BEYOND_ASCII = re.compile(r"\w{0,20}[^\W\x00-\x7f][\w\u0300-\U0010ffff]{0,20}")
_N_DETECTED = 2**20  # bytes, from the first line with a letter beyond ASCII
_SUPERSETS = {"Shift_JIS": "cp932", "EUC-KR": "cp949", "Big5": "big5hkscs"}  # as on the web
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class Decoded:
    """Text of a file, the name of its encoding, and notes on the decoding."""

    text: str
    encoding: str
    notes: tuple[str, ...]


def decode(data: bytes, filename: str = "", progress: Progress | None = None) -> Decoded:
    """Decompress and decode the bytes of a file, which may be gzip, or a zip holding one file.

    What is too large, damaged or no text is refused; some files that are no tables are known by the
    ending of their ``filename`` only.
    """
    check_size(data, filename)
    data, notes = unpacked(data, part_of(progress, 0.0, 1.0))
    if not data:
        raise IngestError("The archive holds an empty file: pack a table with a row for each item.")
    refuse_other_types(data, filename)
    text, encoding, more_notes = _text(data)
    if not encoding.startswith("UTF-8"):  # else its bytes were looked at above
        refuse_other_types(text[: 2**20].encode("utf-8", "surrogatepass"), filename)
    if not text or text.isspace():
        raise IngestError(
            "The file holds only blank space: provide a table with a row for each item."
        )
    return Decoded(text, encoding, (*notes, *more_notes))


def check_size(data: bytes, filename: str = "") -> None:
    """Raise unless the data are bytes of a length between 1 and the limit."""
    if not isinstance(data, bytes):
        raise TypeError(f"data must be bytes, got {type(data).__name__}")
    if len(data) > MAX_BYTES:
        has, most = f"{len(data) / 2**20:,.0f} MB", f"{MAX_BYTES // 2**20} MB"
        sizes = f"more than {most}, the limit"  # also where a reader stopped there
        if has != most:
            sizes = f"{has}, more than the limit of {most}"
        raise IngestError(
            f"The file has {sizes}: count its users first, with {counting(filename)}."
        )
    if not data:
        raise IngestError("The file is empty: provide a table with a row for each item.")


def _text(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    for mark, codec, encoding in _MARKS:
        if data.startswith(mark):
            text = _strictly(data[len(mark) :], codec, encoding)
            return _readable(text), encoding, ()
    if b"\0" in data:
        return _text_with_nul(data), "UTF-16", ()
    _refuse_utf7(data)
    try:
        return _readable(data.decode("utf-8")), "UTF-8", ()
    except UnicodeDecodeError as error:
        return _text_not_utf8(data, error)


def _refuse_utf7(data: bytes) -> None:
    """Raise for UTF-7, which nobody writes by hand and which hides its content."""
    begin = data[: 2**16] if data[: 2**16].isascii() else b""
    # a plus, two or more letters of its alphabet, a minus
    runs = (run[run.find(b"+") :] for run, end in _UTF7.findall(begin) if end and b"+" in run)
    coded = [run + b"-" for run in runs if len(run) > 2]
    if data.startswith(_UTF7_MARKS) or (len(coded) > 1 and all(map(_is_accented, coded))):
        raise IngestError("The file is UTF-7 text, which is obsolete: save it as UTF-8.")


def _is_accented(coded: bytes) -> bool:
    """Return whether bytes are UTF-7 for letters beyond ASCII."""
    try:
        text = coded.decode("utf-7")
    except UnicodeDecodeError:
        return False
    return all(0xC0 <= ord(char) < 0x2000 and char.isalpha() for char in text)


def _text_with_nul(data: bytes) -> str:
    """Decode UTF-16 without a byte order mark: every other byte of its ASCII is NUL."""
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


def _text_not_utf8(data: bytes, error: UnicodeDecodeError) -> tuple[str, str, tuple[str]]:
    """Decode in the encoding found, unless most characters beyond ASCII are valid UTF-8."""
    lenient = data.decode("utf-8", errors="replace")
    n_faulty = lenient.count("\ufffd")
    n_beyond_ascii = len(lenient) - len(lenient.encode("ascii", errors="ignore"))
    if n_beyond_ascii > 2 * n_faulty:
        raise IngestError(
            f"Line {_line(data, error.start)} holds a damaged character (the rest is UTF-8): "
            "correct that line or save the file again as UTF-8."
        ) from error
    codec, name = encoding_of(data)
    try:
        text = _readable(data.decode(codec))
    except UnicodeDecodeError as second:
        raise IngestError(
            f"Line {_line(data, second.start)} holds a character that is neither UTF-8 nor {name}: "
            "save the file as UTF-8."
        ) from second
    word = _WORD_BEYOND_ASCII.search(_lines_beyond_ascii(data).decode(codec, "ignore"))
    such = f' (such as "{shown(word[0])}")' if word else ""
    how = "if names look wrong, and before a release, save the file as UTF-8"
    return text, name, (f"{GUESSED} {name}{such}, as all its letters together suggest: {how}.",)


def encoding_of(data: bytes) -> tuple[str, str]:
    """Return the codec and the name of the encoding of text that is not UTF-8.

    Where fewer than three different letters or signs are beyond ASCII, and all stand alone as in
    "10 µg", it is Windows-1252: a detector would take them for whatever is spelled so somewhere.
    """
    from chardetng_py import EncodingDetector  # here: most files are UTF-8

    sample = _lines_beyond_ascii(data)
    runs = {*_BEYOND_ASCII.findall(sample)}
    if len(runs) < 3 and max(map(len, runs), default=0) < 2:
        return "cp1252", "Windows-1252"
    detector = EncodingDetector()
    detector.feed(sample, last=len(sample) < _N_DETECTED)
    label = detector.guess(tld=None, allow_utf8=False)
    return _SUPERSETS.get(label, label), label.replace("windows", "Windows").replace("_", "-")


def _lines_beyond_ascii(data: bytes) -> bytes:
    """Return the beginning of the data from the first line with a letter beyond ASCII."""
    first = _BEYOND_ASCII.search(data)
    place = first.start() if first else 0
    begin = max(data.rfind(b"\n", 0, place) + 1, place - _N_DETECTED // 2)
    return data[begin : begin + _N_DETECTED]


def _strictly(data: bytes, codec: str, encoding: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise IngestError(
            f"The file begins like {encoding} text but is damaged at byte {error.start:,}: save it "
            "again as UTF-8."
        ) from error


def _readable(text: str) -> str:
    """Return the text; raise if it has NULs or many control characters."""
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


def n_entries(data: bytes) -> int:
    """Bound the number of entries of a zip archive from above, without listing them."""
    return data.count(b"PK\x01\x02")


def _gunzipped(data: bytes, progress: Progress) -> bytes:
    if data.count(b"\x1f\x8b\x08") > MAX_GZIP_MEMBERS:
        raise IngestError(
            f"The gzip archive has more than {MAX_GZIP_MEMBERS:,} parts: pack the file again as "
            "one."
        )
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            content = read_all(packed, MAX_BYTES, progress)
    except EOFError as error:
        raise IngestError(
            "The gzip archive is cut off: copy or download the file again."
        ) from error
    except (OSError, zlib.error) as error:
        raise IngestError("The gzip archive is damaged: copy or download it again.") from error
    return _within_limit(content)


def _unzipped(data: bytes, progress: Progress) -> tuple[bytes, tuple[str, ...]]:
    if n_entries(data) > MAX_ZIP_ENTRIES:
        raise IngestError(
            f"The zip archive holds more than {MAX_ZIP_ENTRIES:,} files: provide one text file."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _only_member(archive)
            with archive.open(member) as packed:
                content = read_all(packed, MAX_BYTES, progress)
    except IngestError:
        raise
    except UNZIP_ERRORS as error:
        raise IngestError(
            "The zip archive is damaged or of an unknown kind: pack the file again or unpack it "
            "first; if it is an Excel workbook, save it again."
        ) from error
    return _within_limit(content), ("It was unpacked from a zip archive.",)


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the one real file in a zip archive, or raise."""
    entries = {*archive.namelist()}
    for inner, kind in _OFFICE_FILES.items():
        if inner in entries:
            raise IngestError(f"The file is {kind}, not text: {_SAVE_AS_CSV}.")
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.rsplit("/", 1)[-1].startswith(".")
    ]
    if len(members) != 1:
        some = some_of((shown(one.filename.rsplit("/", 1)[-1], 30) for one in members), 3)
        holds = f"{len(members)} files ({some})" if members else "no file"
        raise IngestError(f"The zip archive holds {holds}: pack exactly one text file.")
    member = members[0]
    if member.flag_bits & 1:
        raise IngestError("The zip archive has a password: unpack it first.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile unpacks the other methods in one piece, which a bomb could exploit
        raise IngestError(
            "The zip archive uses an unusual compression: pack it with plain zip or unpack it "
            "first."
        )
    return member


def _within_limit(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise IngestError(
            f"Unpacked, the file has more than {MAX_BYTES // 2**20} MB, the limit: {COUNT_FIRST}."
        )
    return content


def unpacked(data: bytes, progress: Progress) -> tuple[bytes, tuple[str, ...]]:
    """Return the content of a gzip or zip archive, or the data unchanged."""
    if data.startswith(b"\x1f\x8b"):
        return _gunzipped(data, progress), ("It was unpacked from a gzip archive.",)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _unzipped(data, progress)
    return data, ()


def read_all(packed: IO[bytes] | io.BufferedIOBase, most: int, progress: Progress) -> bytes:
    """Read what decompresses to at most so many bytes and one more, a piece at a time."""
    pieces, n = [], 0
    while n <= most and (piece := packed.read(min(_UNPACKED, most + 1 - n))):
        pieces.append(piece)
        n += len(piece)
        progress(n / most)
    return b"".join(pieces)


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
