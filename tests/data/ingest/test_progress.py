"""Test that reading reports its progress, and stops if the callback raises."""

import gzip
import io
import zipfile

import openpyxl
import pytest

from dptopk.data.ingest import read_table, sheet_names, to_item_counts

N = 50_000  # rows
LINES = "\n".join(["item;users", *(f"näme {i};1.{i % 1000:03d},5" for i in range(N))]).encode()


class Stopped(BaseException):
    """As Streamlit ends a run."""


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", LINES)
    return packed.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for i in range(2_000):
        sheet.append([f"name {i}", i])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES = {"text": LINES, "gzip": gzip.compress(LINES), "zip": _zip(), "workbook": _workbook()}


def whole(data: bytes, told) -> None:
    """Read a file the way the dialog does."""
    sheet_names(data, told)
    table = read_table(data, progress=told)
    to_item_counts(
        table, 0, 1, rows="stated", decimal=",", rounding="down", progress=told
    )  # headerless numbers may name users


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_it_tells_often_and_can_be_broken_off_anywhere(kind):
    shares = []
    whole(FILES[kind], shares.append)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert len(shares) > (15 if kind == "workbook" else 30)
    for n in range(1, len(shares), len(shares) // 2):
        left = iter(range(n))

        def told(share, left=left):
            if next(left, None) is None:
                raise Stopped

        with pytest.raises(Stopped):
            whole(FILES[kind], told)
