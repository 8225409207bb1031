"""Decompress a gzip or zip archive with one file in it, up to a size limit.

Whatever a header promises, reading stops there.
"""

import io
import struct
import zipfile
import zlib

from dptopk.core.cancellation import Progress
from dptopk.data.ingest._error import COUNT_FIRST, IngestError
from dptopk.data.ingest._filetypes import refuse_office_files
from dptopk.data.ingest._plain import shown, some_of
from dptopk.data.ingest._progress import read_all

MAX_BYTES = 64 * 2**20
"""Largest file, and largest unpacked content of one, in bytes (64 MB)."""

MAX_ZIP_ENTRIES = 1_000  # a zip of millions of empty entries takes long just to list

MAX_GZIP_MEMBERS = 10_000  # likewise; block gzip of 64 MB has a thousand

_GZIP = 31  # what zlib is told of a format with the header and checksum of gzip
_PACKED, _UNPACKED = 2**16, 2**20  # bytes unpacked at a time, and most that come out

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


def n_entries(data: bytes) -> int:
    """Bound the number of entries of a zip archive from above, without listing them."""
    return data.count(b"PK\x01\x02")


def _gunzipped(data: bytes, progress: Progress) -> bytes:
    if data.count(b"\x1f\x8b\x08") > MAX_GZIP_MEMBERS:
        raise IngestError(
            f"The gzip archive has more than {MAX_GZIP_MEMBERS:,} parts: pack the file again as "
            "one."
        )
    pieces, n, place = [], 0, 0
    try:
        while n <= MAX_BYTES and (place := _without_padding(data, place)) < len(data):
            member = zlib.decompressobj(_GZIP)
            while n <= MAX_BYTES and not member.eof:
                packed = data[place : place + _PACKED]
                piece = member.decompress(packed, _UNPACKED)
                left = member.unused_data if member.eof else member.unconsumed_tail
                place += len(packed) - len(left)
                if not packed and not piece and not member.eof:
                    raise IngestError(
                        "The gzip archive is cut off: copy or download the file again."
                    )
                pieces.append(piece)
                n += len(piece)
                progress(n / MAX_BYTES)
    except zlib.error as error:
        raise IngestError(
            "The gzip archive is damaged: copy or download the file again."
        ) from error
    return _within_limit(b"".join(pieces))


def _without_padding(data: bytes, place: int) -> int:
    """Return the end of the zeros that may stand between members of a gzip archive."""
    while place < len(data) and not data[place]:
        some = data[place : place + _PACKED]
        place += len(some) - len(some.lstrip(b"\0"))
    return place


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
    refuse_office_files(archive.namelist())
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
