"""Test that uploads, `--data`, `--events` and Python read the same file in the same way."""

import io

import pandas as pd
import pytest

from dptopk import counts_from_events
from dptopk.data.ingest import read_table, to_item_counts

LOG = "user,region\n" + "".join(f"{n},NA\n" for n in range(4)) + "4,EMEA\n5,EMEA\n6,APAC\n"
LISTED = ["NA", "EMEA", "APAC", "LATAM"]


def uploaded(text: str, *columns: str, **answers):
    """Counts of an upload: of items, and of users or counts."""
    table = read_table(text.encode(), "log.csv")
    item, *others = columns
    users = {"user_column": others[0], "rows": "users"} if len(others) == 1 else {}
    count = None if users else others[1]
    return dict(to_item_counts(table, item, count, **users, **answers).counts)


@pytest.mark.parametrize("kind", ["csv", "parquet", "table"])
def test_a_name_on_the_public_list_is_never_missing_in_a_log(tmp_path, kind):
    table = pd.read_csv(io.StringIO(LOG), dtype=str, keep_default_na=False)
    file = tmp_path / f"log.{kind}"
    if kind == "csv":
        file.write_text(LOG)
    elif kind == "parquet":
        table.to_parquet(file)
    source = table if kind == "table" else file
    counts = counts_from_events(source, "user", "region", items=LISTED)
    assert dict(counts) == {"NA": 4, "EMEA": 2, "APAC": 1, "LATAM": 0}
    assert uploaded(LOG, "region", "user", known=LISTED) == {"NA": 4, "EMEA": 2, "APAC": 1}


@pytest.mark.parametrize(
    ("ids", "n_users", "said"),
    [
        (["1", "2", "1.0", "2.0"], 2, "2 users were written with a decimal point, as in 1.0"),
        (["1", "01", "1.0"], 2, "1 user was written with a decimal point"),
        (["1", "a", "1.0"], 3, ""),
        (
            ["ann@x.org", "Ann@x.org", " ANN@X.ORG"],
            3,
            "2 users differ from another only by the case",
        ),
    ],
)
def test_users_written_in_two_ways_are_one_or_said(tmp_path, ids, n_users, said):
    """1 and 1.0, where a program once wrote a column with gaps, are one user."""
    text = "patient,drug\n" + "".join(f"{one},Ibuprofen\n" for one in ids)
    file = tmp_path / "log.csv"
    file.write_text(text)
    counts = counts_from_events(file, "patient", "drug")
    assert dict(counts) == {"Ibuprofen": n_users} == uploaded(text, "drug", "patient")
    assert said in " ".join(counts.report.sentences)


def test_numbers_as_items_are_those_of_the_list(tmp_path):
    text = "user,item\n" + "".join(f"{n},{n % 2 + 7}.0\n" for n in range(5)) + "9,7\n"
    file = tmp_path / "log.csv"
    file.write_text(text)
    assert dict(counts_from_events(file, "user", "item", items=["7", "8"])) == {"7": 4, "8": 2}
    assert uploaded(text, "item", "user", known=["7", "8"]) == {"7": 4, "8": 2}
    assert dict(counts_from_events(file, "user", "item")) == {"7": 4, "8": 2}
