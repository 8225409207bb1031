"""Test CSV for download: formulas escaped, numbers unchanged."""

import csv
import io
import math

import openpyxl
import pandas as pd

from dptopk.data.tables import csv_escaped, unescaped, workbook


def test_formulas_are_disarmed_and_numbers_stay_numbers():
    frame = pd.DataFrame(
        {
            "item": ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", " =1", "a=1", 'q"', "-"],
            "error": [-1.5] * 11,
            "count": [-5] * 11,
        }
    )
    before = frame.copy()
    rows = list(csv.reader(io.StringIO(csv_escaped(frame), newline="")))
    assert [row[0] for row in rows[1:]] == [
        "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "'＝1", "' =1", "a=1", 'q"', "-",
    ]  # fmt: skip
    assert rows[0] == ["item", "error", "count"]
    assert all(row[1:] == ["-1.5", "-5"] for row in rows[1:])
    assert frame.equals(before)


def test_no_two_cells_become_one_and_each_comes_back():
    cells = ["=a", "'=a", "''=a", "'a", "''", "a", "-2 Live Crew", "'\tx", "' =1", "", "'"]
    rows = list(csv.reader(io.StringIO(csv_escaped(pd.DataFrame({"item": cells})), newline="")))
    written = [row[0] for row in rows[1:]]
    assert len(set(written)) == len(cells)
    assert [unescaped(cell) for cell in written] == cells
    assert not any(cell.startswith(("=", "-", "\t")) for cell in written)


def test_a_sign_alone_is_no_formula_and_comes_back():
    cells = ["-", "'-", "''-", "=", "+", "@", " - ", "'", "--"]
    rows = list(csv.reader(io.StringIO(csv_escaped(pd.DataFrame({"item": cells})), newline="")))
    written = [row[0] for row in rows[1:]]
    assert written == ["-", "''-", "'''-", "=", "+", "@", " - ", "'", "'--"]
    assert [unescaped(cell) for cell in written] == cells


def test_column_names_mixed_and_categorical_columns():
    frame = pd.DataFrame(
        [["=a", -1, "=c", None], ["b", "=x", "=c", "ok"]], columns=["=n", "n", "n", "m"]
    )
    frame["kind"] = pd.Categorical(["-x", "y"])
    lines = csv_escaped(frame).splitlines()
    assert lines[0] == '"\'=n","n","n","m","kind"'
    assert lines[1].startswith('"\'=a",-1,"\'=c",')
    assert lines[1].endswith('"\'-x"')
    assert lines[2] == '"b","\'=x","\'=c","ok","y"'


def test_a_workbook_takes_whatever_a_cell_may_hold():
    cells = ["=a", "\x00b", "\ud800", "x" * 40_000, True, 2**53, 1.5, math.inf, math.nan, None]
    frame = pd.DataFrame({"=n": pd.Series(cells, dtype=object)})
    book = openpyxl.load_workbook(io.BytesIO(workbook(frame, {"a": {"b": "=c"}})))
    header, *rows = (row[0] for row in book.worksheets[0].iter_rows())
    mark = "\N{REPLACEMENT CHARACTER}"
    texts = ["=a", f"{mark}b", mark, "x" * 32_767]
    assert [cell.value for cell in rows] == [*texts, True, 2**53, 1.5, "inf"]
    assert (header.data_type, rows[0].data_type, rows[0].quotePrefix) == ("s", "s", True)
    assert [cell.value for cell in book.worksheets[1][1]] == ["a.b", "=c"]
