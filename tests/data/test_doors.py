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
