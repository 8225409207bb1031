"""CSV for download: formulas disarmed, numbers left alone."""

import csv
import io

import pandas as pd

from dptopk.export import csv_escaped


def test_formulas_are_disarmed_and_numbers_stay_numbers():
    frame = pd.DataFrame(
        {
            "item": ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", " =1", "a=1", 'q"', "a,b"],
            "error": [-1.5] * 11,
            "count": [-5] * 11,
        }
    )
    before = frame.copy()
    rows = list(csv.reader(io.StringIO(csv_escaped(frame), newline="")))
    assert [row[0] for row in rows[1:]] == [
        "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "'＝1", "' =1", "a=1", 'q"', "a,b",
    ]  # fmt: skip
    assert rows[0] == ["item", "error", "count"]
    assert all(row[1:] == ["-1.5", "-5"] for row in rows[1:])
    assert frame.equals(before)


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
