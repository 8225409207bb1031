"""Test that logs below a folder are counted, and that nothing outside of it is read."""

import os
import sqlite3
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dptopk import counts_by_bound, counts_from_events
from dptopk.data.event_logs import preview_log
from dptopk.data.events import EventLog
from dptopk.data.ingest import IngestError
from dptopk.data.local_files import count_below, log_files, preview_below

LOG = "who,what\n" + "ann,tea\nann,rum\nbob,tea\ncy,tea\ncy,jam\ncy,rum\n"
COUNTS = {"jam": 1, "rum": 2, "tea": 3}
SECRET = "secret"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Folder of logs beside a secret, to which links and views of it lead."""
    secret = tmp_path / "secret.csv"
    secret.write_text(f"who,what\n{SECRET},{SECRET}\n", "utf-8")
    folder = tmp_path / "logs"
    (folder / "2026").mkdir(parents=True)
    (tmp_path / "logs2").mkdir()  # a name that begins alike
    for place in ("a.csv", "2026/01.csv", "2026/02.csv"):
        (folder / place).write_text(LOG, "utf-8")
    (folder / "out.csv").symlink_to(secret)
    (folder / "elsewhere").symlink_to(tmp_path)
    (folder / "inside.csv").symlink_to(folder / "a.csv")
    (folder / ".hidden.csv").write_text(LOG, "utf-8")
    os.mkfifo(folder / "pipe.csv")
    with duckdb.connect(str(folder / "shop.duckdb")) as base:
        base.execute("CREATE TABLE sales AS SELECT 'ann' AS who, 'tea' AS what")
        base.execute(f"CREATE VIEW spy AS FROM read_csv('{secret}')")
    with sqlite3.connect(folder / "shop.db") as base:
        base.execute("CREATE TABLE sales (who, what)")
        base.execute("INSERT INTO sales VALUES ('ann', 'tea')")
    monkeypatch.chdir(tmp_path)  # which the functions change
    return str(folder)


def count(root, source, where=None, table=None, max_items=None, by_bound=False):
    log = EventLog(source, "who", "what", where, table=table)
    return count_below(root, log, max_items, by_bound, progress=lambda share: None)


preview = partial(preview_below, progress=lambda share: None)


def test_logs_of_every_kind_are_listed_shown_and_counted(root):
    shown = log_files(root)
    assert shown == [
        *("./", "a.csv", "inside.csv", "pipe.csv", "shop.db", "shop.duckdb"),
        *("2026/", "2026/01.csv", "2026/02.csv"),
    ]
    for source in ("a.csv", "inside.csv", "2026/", "2026/*.csv", "2026/../a.csv", f"{root}/a.csv"):
        seen = preview(root, source, None)
        assert seen.columns == ("who", "what")
        assert seen.rows[0] == ("ann", "tea")
        assert seen.tables == ()
        assert dict(count(root, source)) == COUNTS, source
    for source in ("shop.db", "shop.duckdb"):
        assert preview(root, source, None).tables[0] == "sales"
        assert dict(count(root, source, table="sales")) == {"tea": 1}


@pytest.mark.parametrize(
    "source",
    [
        *("out.csv", "*.csv", "../secret.csv", "../logs2", "elsewhere/secret.csv", "elsewhere"),
        *("elsewhere/*.csv", "2026/../../secret.csv", "..", "/etc/passwd", "a.csv\0", "pipe.csv"),
        *("nothing.csv", "2026/nothing*.csv"),
    ],
)
def test_what_leads_outside_is_refused_and_not_read(root, source):
    for read in (partial(preview, root, source, None), partial(count, root, source)):
        with pytest.raises(
            IngestError, match=r"outside the folder|not a file|no file|no Parquet"
        ) as caught:
            read()
        assert SECRET not in str(caught.value).replace("secret.csv", "")


def test_a_view_or_condition_that_reads_elsewhere_is_refused(root):
    for read in (preview, count):
        with pytest.raises(IngestError, match="file system operations are disabled"):
            read(root, "shop.duckdb", table="spy")
    elsewhere = f"what IN (SELECT what FROM read_csv('{Path(root).parent / 'secret.csv'}'))"
    quotes = "1=1) LIMIT (SELECT CAST(content AS BIGINT) FROM read_text('.hidden.csv')"
    for where in (elsewhere, quotes):
        with pytest.raises(IngestError, match=r"is not run, as (it does more than|syntax error)"):
            count(root, "a.csv", where=where)
    with pytest.raises(ValueError, match="it has a query of its own"):
        counts_from_events(f"{root}/a.csv", "who", "what", elsewhere, within=root)
    assert dict(count(root, "a.csv", where="who <> 'cy'")) == {"rum": 1, "tea": 2}


def test_hidden_files_are_opened_by_no_name_and_no_view(root):
    with duckdb.connect(f"{root}/shop.duckdb") as base:
        base.execute(f"CREATE VIEW hidden AS FROM read_csv('{root}/.hidden.csv')")
    for read in (preview, count):
        with pytest.raises(IngestError, match="file system operations are disabled"):
            read(root, "shop.duckdb", table="hidden")
        for source in (".hidden.csv", f"{root}/2026/../.hidden.csv", ".*", "*/.x/../*.csv"):
            with pytest.raises(IngestError, match=r"is hidden|no file"):
                read(root, source, table=None)


def test_messages_name_files_by_their_place_in_the_folder(root):
    assert root not in str(count(root, "2026/*.csv").report.sentences)
    for source, words in (
        ("nothing.csv", "no file nothing.csv"),
        ("out.csv", "out.csv is outside"),
    ):
        with pytest.raises(IngestError, match=words) as caught:
            preview(root, source, None)
        assert root not in str(caught.value)
    (Path(root) / "ragged.csv").write_text("who,what\na,b\nc,d,e\n", "utf-8")
    with pytest.raises(IngestError, match=r"ragged.csv, line 3") as caught:
        count(root, "ragged.csv")
    assert root not in str(caught.value)


def test_counts_under_every_bound_come_with_the_counts(root):
    both = count(root, "a.csv", max_items=1, by_bound=True)
    alone = counts_by_bound(f"{root}/a.csv", "who", "what", name="a")
    assert both.report.by_bound.identity == alone.identity
    assert both.counts.tolist() == alone.bounded(1).counts.tolist()
    assert np.array_equal(both.report.by_bound.counts.counts, list(COUNTS.values()))
    assert count(root, "a.csv").report.by_bound is None


def test_columns_of_users_and_items_are_guessed(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("day,user_id,product\n" + "1,007,tea\n2,007,tea\n3,8,rum\n", "utf-8")
    seen = preview_log(log)
    assert (seen.columns[seen.user], seen.columns[seen.item]) == ("user_id", "product")
    assert seen.rows[0] == ("1", "007", "tea")
    with (
        duckdb.connect() as own,
        pytest.raises(ValueError, match="within applies only to dptopk's own DuckDB"),
    ):
        counts_from_events("log", "user_id", "product", engine=own, within=tmp_path)
