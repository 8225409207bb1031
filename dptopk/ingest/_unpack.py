"""From a gzip or zip archive to the one file in it, never more than `MAX_BYTES`.

Whatever a header promises, reading stops there.
"""

import gzip
import io
import struct
import zipfile
import zlib

from dptopk.ingest._error import IngestError
from dptopk.ingest._filetypes import refuse_office_files
from dptopk.ingest._plain import shown
from dptopk.ingest._progress import Told, read_all

MAX_BYTES = 64 * 2**20
"""Largest file, and largest unpacked content of one, in bytes (64 MB)."""

MAX_ZIP_ENTRIES = 1_000  # a zip of millions of empty entries takes long just to list

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


def _gunzipped(data: bytes, told: Told) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = read_all(packed, MAX_BYTES, told)
    except EOFError as error:
        raise IngestError(
            "The gzip archive breaks off before its end: copy or download the file again."
        ) from error
    except (OSError, zlib.error) as error:
        raise IngestError(
            "The gzip archive is damaged: copy or download the file again."
        ) from error
    return _within_limit(content)


def _unzipped(data: bytes, told: Told) -> tuple[bytes, tuple[str, ...]]:
    if data.count(b"PK\x01\x02") > MAX_ZIP_ENTRIES:
        raise IngestError(
            f"The zip archive holds more than {MAX_ZIP_ENTRIES:,} files: upload one text file."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _only_member(archive)
            with archive.open(member) as packed:
                content = read_all(packed, MAX_BYTES, told)
    except IngestError:
        raise
    except UNZIP_ERRORS as error:
        raise IngestError(
            "The zip archive is damaged or of an unknown kind: pack the file again or upload it "
            "unpacked; if it is an Excel workbook, save it again."
        ) from error
    return _within_limit(content), ("It was unpacked from a zip archive.",)


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Choose the one real file in a zip, or say why there is none."""
    refuse_office_files(archive.namelist())
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.rsplit("/", 1)[-1].startswith(".")
    ]
    if len(members) != 1:
        some = ", ".join(shown(member.filename.rsplit("/", 1)[-1], 30) for member in members[:3])
        more = " and more" if len(members) > 3 else ""
        holds = f"{len(members)} files ({some}{more})" if members else "no file"
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


def unpacked(data: bytes, told: Told) -> tuple[bytes, tuple[str, ...]]:
    """Content of a gzip or zip archive, or the data as they are."""
    if data.startswith(b"\x1f\x8b"):
        return _gunzipped(data, told), ("It was unpacked from a gzip archive.",)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _unzipped(data, told)
    return data, ()
