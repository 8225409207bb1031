"""Decode the bytes of a file to text: size, compression, file type, encoding.

Nothing is unpickled and nothing is unpacked beyond `MAX_BYTES`, whatever a header
promises.  Encodings tried, in this order: the one its byte order mark names, UTF-16
without a mark (told by where its NUL bytes stand), UTF-8, Windows-1252.

Limits: text of few letters in another one-byte encoding is taken for Windows-1252; a note says so.
"""

import codecs
import re
from dataclasses import dataclass

from dptopk.core.cancellation import Progress, part_of
from dptopk.data.ingest._error import IngestError, counting
from dptopk.data.ingest._filetypes import refuse_other_types
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
_EAST_ASIAN = (  # with letters that a text in it holds
    ("cp932", "Shift-JIS", re.compile("[\u3041-\u30fc]")),
    ("euc_jp", "EUC-JP", re.compile("[\u3041-\u30fc]")),
    ("cp949", "Korean (EUC-KR)", re.compile("[\uac00-\ud7a3]")),
    ("gb18030", "Chinese (GB 18030)", re.compile("[\u4e00-\u9fff]")),
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class Decoded:
    """Text of a file, the name of its encoding, and notes on the decoding."""

    text: str
    encoding: str
    notes: tuple[str, ...]


def decode(data: bytes, filename: str = "", progress: Progress | None = None) -> Decoded:
    """Decompress and decode the bytes of a file.

    Parameters
    ----------
    data : bytes
        The file, at most `MAX_BYTES`; may be gzip, or a zip holding one file.
    filename : str, optional
        Its name: some files that are not tables are known by their ending only.
    progress : callable, optional
        Called with the share done of unpacking; see `_progress`.

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
        return (
            _text_not_utf8(data, error),
            "Windows-1252",
            (
                "It is not UTF-8 text and was read as Windows-1252 (Latin-1): if names look wrong, "
                "save the file as UTF-8.",
            ),
        )


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


def _text_not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    """Decode Windows-1252, unless most characters beyond ASCII are valid UTF-8."""
    line = _line(data, error.start)
    lenient = data.decode("utf-8", errors="replace")
    n_faulty = lenient.count("\ufffd")
    n_beyond_ascii = len(lenient) - len(lenient.encode("ascii", errors="ignore"))
    if n_beyond_ascii > 2 * n_faulty:
        raise IngestError(
            f"Line {line} holds a damaged character (the rest is UTF-8): correct that line or save "
            "the file again as UTF-8."
        ) from error
    if maybe := _other_script(data):
        raise IngestError(
            f"Line {line} holds a character that is not UTF-8, and the file may be {maybe}: save "
            "the file as UTF-8."
        ) from error
    try:
        return _readable(data.decode("cp1252"))
    except UnicodeDecodeError as second:
        maybe = _east_asian(data)
        raise IngestError(
            f"Line {_line(data, second.start)} holds a character that is neither UTF-8 nor "
            f"Windows-1252{maybe and f', the file may be {maybe}'}: save the file as UTF-8."
        ) from second


def _other_script(data: bytes) -> str:
    """Return the encoding or script of text that is not Western, if it is not; else empty.

    Western letters beyond ASCII hardly ever stand four in a row; those of other scripts do.
    """
    runs = _BEYOND_ASCII.findall(data[: 2**20])
    joined = b"".join(runs)
    if sum(len(run) for run in runs if len(run) >= 4) * 2 <= len(joined):
        return ""
    if sum(byte >= 0xC0 for byte in joined) * 20 > len(joined) * 19:
        return "Cyrillic, Greek or of another script in an encoding of its own"
    return _east_asian(data)


def _east_asian(data: bytes) -> str:
    """Return the name of an East Asian encoding in which the text makes sense; else empty."""
    for codec, name, letters in _EAST_ASIAN:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if len(letters.findall(text)) * 10 > sum(not char.isascii() for char in text):
            return name
    return ""


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
