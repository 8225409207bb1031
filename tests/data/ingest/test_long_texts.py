"""Test that a long text is read alike by Arrow and by `csv.reader`."""

import numpy as np
import pytest

from dptopk.data.ingest import IngestError, _tables, read_table

ROWS = [f"user {n % 997},{' ' * (n % 3)}item {n % 13},{n}" for n in range(8_000)]
ODD = {
    "none": [],
    "blank": ["", " ,\x85,\u3000"],
    "blank cells": [",,1", "a,,", " ,b,\x1f"],
    "longer": ["a,b,1,"],
    "too long": ["a,b,1,c"],
    "short": ["a,b"],
    "odd characters": ["Zoë\u2028,\x0b\x1c,=1", "\\,N/A,null", "\U0001f600,nan,007"],
    "long cell": ["a" * 6_000 + ",b,1"],
}


def read(lines, **shape):
    """Return all that is read of lines, or the error."""
    try:
        table = read_table("\n".join(["who,what,at", *lines]).encode(), "log.csv", **shape)
    except IngestError as error:
        return str(error)
    return table.n_blank, table.notes, table.row_numbers.tolist(), [*table.rows()]


@pytest.mark.parametrize("where", [6_000, len(ROWS)])
@pytest.mark.parametrize("odd", ODD)
def test_a_long_text_is_read_as_by_the_csv_reader(odd, where, monkeypatch):
    lines = [*ROWS[:where], *ODD[odd], *ROWS[where:]]
    monkeypatch.setattr(_tables, "_LONG", 2**16)
    made, packed = [], _tables._packed
    monkeypatch.setattr(_tables, "_packed", lambda *of: made.append(packed(*of)) or made[-1])
    found = read(lines)
    fast = odd in ("none", "blank", "blank cells", "odd characters") or where == len(ROWS)
    assert [table is not None for table in made] == [fast]
    monkeypatch.setattr(_tables, "_LONG", np.inf)
    assert found == read(lines)


@pytest.mark.parametrize("end", ["", ","])
@pytest.mark.parametrize(
    ("n", "odd"), [(0, []), (1_248, [""]), (1_248, [",,"]), (1_000, [""] * 600), (0, [""] * 1_300)]
)
def test_the_rows_before_tell_how_wide_the_rest_of_a_long_text_is(n, odd, end, monkeypatch):
    """The last of them may be blank, and each may end in a blank cell that the header has not."""
    lines = [f"{line}{end}" for line in ROWS]
    lines[n:n] = odd
    monkeypatch.setattr(_tables, "_LONG", 2**16)
    shapes = [{}, {"title_rows": 1_500}]
    found = [read(lines, **shape) for shape in shapes]
    assert len(found[0][-1]) == len(ROWS)
    monkeypatch.setattr(_tables, "_LONG", np.inf)
    assert found == [read(lines, **shape) for shape in shapes]


def test_a_cell_beyond_the_header_of_a_long_text_is_refused_by_its_row(monkeypatch):
    lines = [f"{line}," for line in ROWS]
    lines[6_000] += "x"
    monkeypatch.setattr(_tables, "_LONG", 2**16)
    assert read(lines).startswith("Row 6,002 has 4 cells, but row 1 has 3")


@pytest.mark.parametrize("n_before", [1, len(ROWS) - 50])
def test_a_line_without_end_is_refused_by_its_number(n_before):
    lines = [*ROWS[:n_before], f"a,{'b' * 1_000_000},1", *ROWS[n_before:]]
    assert read(lines).startswith(f"Row {n_before + 2} has more than 1,000,000 characters")
    assert read([*ROWS[:n_before], f"a,{'b' * 999_990},1"]).startswith(f"Row {n_before + 2} has a ")
