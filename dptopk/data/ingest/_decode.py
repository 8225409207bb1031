"""Decode the bytes of a file to text: size, compression, file type, encoding.

Nothing is unpickled and nothing is unpacked beyond `MAX_BYTES`, whatever a header
promises.  Encodings tried, in this order: the one its byte order mark names, UTF-16
without a mark (told by where its NUL bytes stand), UTF-8, the one that chardetng finds, the
detector of Firefox (https://hsivonen.fi/chardetng/), which is made for short texts as well.

Limits: of a handful of letters beyond ASCII no encoding can be told; a note quotes a name as read.
"""

import codecs
import re
from dataclasses import dataclass

from dptopk.core.cancellation import Progress, part_of
from dptopk.data.ingest._error import IngestError, counting
from dptopk.data.ingest._filetypes import refuse_other_types
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._unpack import MAX_BYTES, unpacked

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

    Some files that are not tables are known by the ending of their ``filename`` only.

    Raises
    ------
    IngestError
        If the file is too large, damaged, or not text.
    """
    check_size(data, filename)
    data, notes = unpacked(data, part_of(progress, 0.0, 1.0))
    if not data:
        raise IngestError("The archive holds an empty file: pack a table with a row for each item.")
    refuse_other_types(data, filename)
    text, encoding, more_notes = _text(data)
    if not encoding.startswith("UTF-8"):  # else its bytes were looked at above
        refuse_other_types(text[: 2**20].encode("utf-8", "surrogatepass"), filename)
    if not text.strip():
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
    """Decode the unpacked data; return text, encoding and notes."""
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
    coded = _utf7(data[: 2**16]) if data[: 2**16].isascii() else []
    if data.startswith(_UTF7_MARKS) or (len(coded) > 1 and all(map(_is_accented, coded))):
        raise IngestError("The file is UTF-7 text, which is obsolete: save it as UTF-8.")


def _utf7(data: bytes) -> list[bytes]:
    """Return runs that may be UTF-7: a plus, two or more letters of its alphabet, a minus."""
    runs = (run[run.find(b"+") :] for run, end in _UTF7.findall(data) if end and b"+" in run)
    return [run + b"-" for run in runs if len(run) > 2]


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
    found = _WORD_BEYOND_ASCII.search(_lines_beyond_ascii(data).decode(codec, "ignore"))
    such = f' (such as "{shown(found[0])}")' if found else ""
    note = f"It is not UTF-8 text and was read as {name}{such}: if names look wrong, save the file "
    return text, name, (f"{note}as UTF-8.",)


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
