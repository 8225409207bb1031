"""Test counts of events against pandas, their stability, and every kind of source."""

import datetime
import gzip
import re
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from dptopk import counts_by_bound, counts_by_period, counts_from_events
from dptopk.core import cancellation
from dptopk.data.event_logs import preview_log
from dptopk.data.events import periods_of_users
from dptopk.data.ingest import (
    SPELLED,
    Contribution,
    IngestError,
    UnclearError,
    read_table,
    to_item_counts,
)


@pytest.fixture(scope="module")
def engine():
    """One database for all: to start one takes longer than to count."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield connection


@pytest.fixture(scope="module")
def counted(engine):
    """counted(log, max_items=3) -> counts."""
    return lambda log, **options: counts_from_events(log, "u", "i", engine=engine, **options)


def by_pandas(log: pd.DataFrame) -> dict[str, int]:
    whole = log.dropna(subset=["u", "i"])
    whole = whole.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    return whole.groupby("i")["u"].nunique().to_dict()


def frame(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["u", "i"], dtype=object)


LOG = frame(
    [("ann", "tea"), ("ann", "tea"), ("ann", "rum"), ("bob", "tea"), (None, "tea"), ("cy", None)]
)

# Random logs: duplicates, missing users and items, users of many rows, names that look alike


USERS = st.sampled_from(["ann", "bob", "cy", "dee", "7", "007", None, "NULL", " "])
ITEMS = st.sampled_from([*"abcdefgh", "A", "a ", "7", "07", "é", None, "nan", ""])
ROWS = st.lists(st.tuples(USERS, ITEMS), max_size=40)
PROLIFIC = st.builds(
    lambda user, items, times: [(user, item) for item in items] * times,
    st.just("eve"),
    st.lists(ITEMS, max_size=14),
    st.integers(0, 3),
)
LOGS = st.builds(lambda rows, more: [*rows, ("ann", "a"), ("bob", "b"), *more], ROWS, PROLIFIC)


def missing(name: str | None) -> bool:
    return name is None or not name.strip() or name.strip().casefold() in SPELLED


@given(rows=LOGS)
def test_counts_are_those_of_pandas(counted, rows):
    told = [row for row in rows if not any(map(missing, row))]
    counts = counted(frame(rows), nulls="leave out")
    assert dict(counts) == by_pandas(frame(told))
    assert list(counts.items) == sorted(counts.items)
    report = counts.report
    assert (report.rows_read, report.rows_kept) == (len(rows), len(told))
    assert report.n_users == len({user for user, _ in told})
    assert report.contribution is Contribution.COUNTED


@pytest.mark.slow
@given(rows=LOGS, bound=st.none() | st.integers(1, 4), listed=st.booleans(), data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_one_user_changes_each_count_by_at_most_1_in_one_direction(
    counted, rows, bound, listed, data
):
    """What OpenDP's issues 2922 and 2949 are about: counts that a user moves further."""
    options = {"max_items": bound, "items": [*"abcz"] if listed else None, "key": "k"}
    options["nulls"] = "leave out"
    users = sorted({user for user, _ in rows if not missing(user)})
    user = data.draw(st.sampled_from(users))
    others = [row for row in rows if row[0] != user]
    with_all = dict(counted(frame([*rows, ("zoe", "a")]), **options))
    without = dict(counted(frame([*others, ("zoe", "a")]), **options))
    moved = {i: with_all.get(i, 0) - without.get(i, 0) for i in {*with_all, *without}}
    assert set(moved.values()) <= {0, 1}
    assert bound is None or sum(moved.values()) <= bound
    replaced = [*others, *((user, item) for item in data.draw(st.lists(ITEMS, max_size=12)))]
    other = dict(counted(frame([*replaced, ("zoe", "a")]), **options))
    moved = {i: with_all.get(i, 0) - other.get(i, 0) for i in {*with_all, *other}}
    assert set(moved.values()) <= {-1, 0, 1}


@given(rows=LOGS, seed=st.integers(0, 9))
def test_the_order_of_events_changes_nothing(counted, rows, seed):
    mixed = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
    options = {"max_items": 2, "nulls": "leave out"}
    assert counted(frame(rows), **options) == counted(frame(mixed), **options)


# The bound on the items of a user


def test_a_bound_keeps_so_many_of_each_user_evenly_and_the_same_again(counted):
    n_users, n_items, bound = 400, 20, 5
    log = frame([(f"u{u}", f"i{i:02}") for u in range(n_users) for i in range(n_items)])
    counts = counted(log, max_items=bound)
    assert counts.counts.sum() == n_users * bound
    assert counts == counted(log, max_items=bound)
    assert counts != counted(log, max_items=bound, key="another")
    expected = n_users * bound / n_items  # χ² by hand: 19 degrees of freedom, α = 1e-6 is at 62
    assert ((counts.counts - expected) ** 2 / expected).sum() < 62
    report = counts.report
    assert report.max_items == bound
    assert report.items_of_users.sizes == (n_items,)
    assert "6,000 of 8,000 pairs" in report.cut
    assert report.cut == report.sentences[-1]


def test_which_items_are_kept_is_the_md5_of_key_user_and_item(counted):
    from hashlib import md5

    items = [*"abcdefghij"]
    log = frame([("ann", item) for item in items])
    by_hash = sorted(items, key=lambda i: md5(f"key\x1fann\x1f{i}".encode()).digest()[::-1])
    first = sorted(items, key=lambda i: md5(f"key\x1fann\x1f{i}".encode()).digest())
    kept = {item for item, n in counted(log, max_items=3, key="key") if n}
    assert kept in ({*first[:3]}, {*by_hash[:3]})


def test_a_bound_that_nobody_exceeds_removes_nothing(counted):
    counts = counted(LOG, max_items=2)
    assert dict(counts) == {"rum": 1, "tea": 2}
    assert counts.report.cut == ""
    assert counts.report.max_items == 2
    cut = dict(counted(LOG, max_items=1))
    assert cut in ({"rum": 0, "tea": 2}, {"rum": 1, "tea": 1})  # as uploads, which keep names, too


# What is missing, listed or made alike


def test_what_is_missing_is_said_and_may_be_kept(counted):
    log = frame([("ann", "tea"), ("nan", "tea"), (None, "rum"), ("bob", "NULL"), ("cy", " ")])
    with pytest.raises(UnclearError, match='nulls="keep"'):
        counted(log)
    left = counted(log, nulls="leave out")
    assert dict(left) == {"tea": 1}
    assert left.report.rows_kept == 1
    said = " ".join(left.report.sentences)
    assert 'Column "i" has missing names: blank in 1 row, "NULL" in 1 row.' in said
    assert 'Column "u" has missing names: "nan" in 1 row. These rows were left out.' in said
    assert "1 row without a user was left out." in said
    assert dict(counted(log, nulls="keep")) == {"(blank)": 1, "NULL": 1, "tea": 2}


@pytest.mark.parametrize("word", sorted(SPELLED))
def test_the_words_for_a_missing_value_are_those_of_uploads(counted, word):
    log = frame([("ann", "tea"), ("bob", f" {word.upper()}")])
    text = "u,i\nann,tea\nbob," + f' "{word.upper()}"\n'
    table = read_table(text.encode(), "log.csv")
    options = {"nulls": "leave out"}
    uploaded = to_item_counts(table, "i", None, user_column="u", rows="users", **options)
    assert dict(counted(log, **options)) == {"tea": 1} == dict(uploaded.counts)


def test_numbers_and_nan_are_users_too(counted):
    log = pd.DataFrame({"u": [1.0, 1.0, float("nan"), 2.0], "i": [5, 5, 5, 6]})
    assert dict(counted(log)) == {"5": 1, "6": 1}
    assert dict(counted(log.astype({"u": "category", "i": "category"}))) == {"5": 1, "6": 1}


def test_a_public_list_has_zeros_and_drops_others(counted):
    counts = counted(LOG, items=["wine", "tea"])
    assert list(counts) == [("wine", 0), ("tea", 2)]
    assert (
        'The public list has 2 items. 1 of them is not in the data and counts 0: "wine". '
        "Dropped: 1 other item of the data, in 1 row." in counts.report.sentences
    )
    assert counts.report.items_of_users.sizes == (1,)
    assert dict(counted(LOG, items=["TEA", "Gin "], normalize=True)) == {"tea": 2, "gin": 0}


def test_names_are_made_alike_on_request_only(counted):
    log = frame([("Ann", "Tea"), ("ann ", "tea"), ("bob", "t\u0065\u0301a"), ("cy", "tÉa")])
    assert len(counted(log)) == 4
    alike = counted(log, normalize=True)
    assert dict(alike) == {"tea": 1, "téa": 2}
    assert (
        "Names were put in lower case with single spaces: 4 users became 3, 4 items 2."
        in alike.report.sentences
    )
    mail = frame([("Ann@x.org", "tea"), ("ann@x.org", "tea")])
    merged = counted(mail, normalize=True)
    assert dict(merged) == {"tea": 1}
    assert not any("a user of its own" in said for said in merged.report.sentences)


def test_blanks_around_names_make_no_names_of_their_own_as_in_uploads(counted):
    text = "u,i\n ann,tea \nann,tea\nbob\u3000,tea\nbob,rum\u200b\ncy,gin\x07\n"
    table = read_table(text.encode(), "log.csv")
    uploaded = to_item_counts(table, "i", None, user_column="u", rows="users")
    rows = [tuple(row.split(",")) for row in text.splitlines()[1:]]
    counts = counted(frame(rows))
    assert dict(counts) == dict(uploaded.counts) == {"tea": 2, "rum‹U+200B›": 1, "gin": 1}
    said = " ".join(counts.report.sentences)
    assert "2 users had spaces around the name, now removed." in said
    assert "2 users had spaces around" in " ".join(uploaded.report.sentences)
    assert "1 name had spaces around, now removed." in said
    assert "1 name had line breaks or control characters" in said
    assert "1 name had invisible characters, now shown as marks" in said
    assert dict(counted(frame(rows), items=["\ttea ", "rum\u200b"])) == {"tea": 2, "rum‹U+200B›": 1}


def test_an_item_of_the_list_that_only_looks_like_one_of_the_log_is_refused(counted):
    log = frame([("ann", "cafe\u0301"), ("bob", "cafe\u0301"), ("bob", "tea")])
    for written in ("caf\u00e9", "Cafe\u0301"):
        with pytest.raises(IngestError, match=r"list of items has .* and the data have .caf"):
            counted(log, items=["tea", written])
        assert dict(counted(log, items=["tea", written], normalize=True))["caf\u00e9"] == 2
    assert dict(counted(log, items=["tea", "caf\u00e9", "cafe\u0301"]))["caf\u00e9"] == 0


def test_items_that_look_alike_are_said_to_stay_apart(counted):
    counts = counted(frame([("ann", "Tea"), ("ann", "tea"), ("bob", "rum")]))
    assert counts.d == 3
    assert counts.report.sentences[-2:] == (
        '1 group of names looks alike, such as "Tea" and "tea". They were kept apart.',
        'To merge them: twins="merge".',
    )


# Sources


def written(kind: str, folder: Path) -> dict:
    """The log in a file of this kind, and what else its reading takes."""
    text = LOG.to_csv(index=False)
    if kind == "csv":
        (folder / "log.csv").write_text(text)
    elif kind == "semicolons":
        (folder / "log.txt").write_text(text.replace(",", ";"), encoding="utf-8-sig")
        return {"source": folder / "log.txt"}
    elif kind == "gzip":
        (folder / "log").write_bytes(gzip.compress(text.encode()))
        return {"source": folder / "log"}
    elif kind == "folder":
        for part in (0, 1):
            (folder / "log" / f"month={part}").mkdir(parents=True)
            LOG[part::2].to_parquet(folder / "log" / f"month={part}" / "it's.parquet")
        return {"source": folder / "log"}
    elif kind == "glob":
        for part in (0, 1):
            LOG[part::2].to_csv(folder / f"log-{part}.csv", index=False)
        return {"source": folder / "log-*.csv"}
    elif kind == "sqlite":
        with sqlite3.connect(folder / "log.db") as file:
            LOG.to_sql('a "log"', file, index=False)
            file.execute("CREATE TABLE other (x)")
        file.close()
        return {"source": folder / "log.db", "table": 'a "log"'}
    elif kind == "duckdb":
        with duckdb.connect(str(folder / "log.duckdb")) as file:
            file.register("log", LOG)
            file.execute('CREATE SCHEMA s; CREATE TABLE s."a ""log" AS FROM log')
        return {"source": folder / "log.duckdb", "table": 's.a "log'}
    return {"source": folder / "log.csv"}


KINDS = ("csv", "semicolons", "gzip", "folder", "glob", "sqlite", "duckdb")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_counts(kind, tmp_path):
    given = written(kind, tmp_path)
    counts = counts_from_events(**given, user="u", item="i")
    assert dict(counts) == {"rum": 1, "tea": 2}
    assert counts.report.rows_read == 6
    some = counts_from_events(**given, user="u", item="i", where="i = 'tea' -- only")
    assert dict(some) == {"tea": 2}
    as_text = counts_from_events(**(given | {"source": str(given["source"])}), user="u", item="i")
    assert as_text == counts


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_is_not_there_is_told_with_those_that_are(kind, tmp_path):
    given = written(kind, tmp_path)
    with pytest.raises(IngestError, match=r'must be a column of the log, got .who.: it has .*"u"'):
        counts_from_events(**given, user="who", item="i")
    with pytest.raises(ValueError, match="where must be a condition in SQL"):
        counts_from_events(**given, user="u", item="i", where="nope > 1")


def test_a_connection_of_ones_own_counts_its_tables_and_is_left_as_it_was():
    with duckdb.connect() as own:
        own.register("log", LOG)
        own.execute("CREATE SCHEMA shop; CREATE TABLE shop.events AS FROM log")
        before = own.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        counts = counts_from_events("shop.events", "u", "i", engine=own, max_items=1)
        assert counts.counts.sum() == 2
        assert own.execute("SELECT table_name FROM duckdb_tables()").fetchall() == before


def test_a_condition_reads_numbers_as_numbers_and_users_as_text(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text('user id,"the ""item""",n\n007,01,9\n7,1,10\n7,1,11\n')
    counts = counts_from_events(file, "user id", 'the "item"', where="n > 9")
    assert dict(counts) == {"1": 1}
    assert dict(counts_from_events(file, "user id", 'the "item"')) == {"01": 1, "1": 1}
    assert counts.name == "log where n > 9"
    assert counts.report.reading[0].startswith(f"2 events were read from {file}")


BROKEN = {
    "ragged": ("u,i\na,b\nc,d,e\n", r"log.csv, line 3: 3 cells, where the header has 2: correct"),
    "ragged late": (
        "u,i\n" + "a,b\n" * 30_000 + "c,d,e\n",
        r"line 30,002: 3 cells, where .* has 2",
    ),
    "open quote": ('u,i\na,"b\nc,d\n', r"line 3: a quotation mark is not closed"),
    "quote inside": ('u,i\na,b\nc,"d"e\n', r"line 3: a quotation mark .* inside a cell"),
    "open quote late": ("u,i\n" + "a,b\n" * 30_000 + 'c,"d\n', r"line 30,002: a quotation mark"),
    "empty": ("", "log.csv is empty: it has no header and no event"),
    "two of a name": (
        "u,i,i\na,x,y\n",
        "item must be one column .* has 2 columns named 'i': rename all but one",
    ),
    "cut parquet": (b"PAR1" + bytes(50), "log.csv is not a complete Parquet file"),
    "cut gzip": (gzip.compress(bytes(range(256)) * 99)[:60], "log.csv is damaged or cut off"),
    "no database": (b"SQLite format 3\0" + bytes(50), "The database cannot be read"),
    "header only": ("u,i\n", "There are no events in"),
    "nobody": ("u,i\n,b\nNULL,c\n", "names a user and an item"),
    "web page": ("<html><body>", "a web page"),
    "no text": (b"\x89PNG" + bytes(50), "a PNG picture"),
    "workbook": (b"PK\x03\x04" + bytes(50), "log.csv cannot be read: The zip archive is damaged"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_read_is_said_and_never_passed_over(kind, tmp_path):
    content, words = BROKEN[kind]
    file = tmp_path / "log.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(IngestError, match=f"(?is){words}") as caught:
        counts_from_events(file, "u", "i")
    assert len(str(caught.value).splitlines()) == 1
    assert not re.search(r"Error:|Possible|Candidate", str(caught.value))


@pytest.mark.parametrize(("after", "line"), [(1, "2"), (30_000, "30,001")])
def test_large_text_that_is_not_utf8_is_told_with_its_line(tmp_path, monkeypatch, after, line):
    monkeypatch.setattr("dptopk.data.ingest.MAX_BYTES", 1)
    file = tmp_path / "log.csv"
    file.write_bytes(("u,i\n" + "a,b\n" * (after - 1) + "José,b\n").encode("latin-1"))
    with pytest.raises(IngestError, match=f"line {line}: the text is not UTF-8, but probably"):
        counts_from_events(file, "u", "i")


def test_files_of_columns_of_two_types_are_not_said_to_be_damaged(tmp_path):
    for name, item in (("a", 7), ("b", datetime.date(2026, 1, 5))):
        pd.DataFrame({"u": ["ann"], "i": [item]}).to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(
        IngestError, match=r'"i" of .*a\.parquet is of the type BIGINT, and of .* D'
    ):
        counts_from_events(tmp_path, "u", "i")


def test_a_missing_array_is_a_missing_item():
    items = pa.array([["tea", "rum"], ["tea", None], None], pa.list_(pa.string(), 2))
    table = pa.table({"u": ["ann", "bob", "cy"], "i": items})
    assert dict(counts_from_events(table, "u", "i")) == {"rum": 1, "tea": 2}


def test_bytes_that_are_no_text_can_be_left_out(tmp_path):
    file = tmp_path / "log.db"
    with closing(sqlite3.connect(file)) as base:
        base.execute("CREATE TABLE log (u, i)")
        base.executemany("INSERT INTO log VALUES (?, ?)", [("ann", "tea"), ("bob", b"\xff")])
        base.commit()
    with pytest.raises(IngestError, match=r"a BLOB by where=.typeof"):
        counts_from_events(file, "u", "i")
    assert dict(counts_from_events(file, "u", "i", "typeof(i) <> 'blob'")) == {"tea": 1}


@pytest.fixture
def sqlite_file(tmp_path):
    """A log in SQLite with a generated column and one whose name has a space."""
    file = tmp_path / "log.db"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute(
            'CREATE TABLE log (u TEXT, i TEXT, "order date" TEXT, '
            "who TEXT GENERATED ALWAYS AS (u || '!') VIRTUAL)"
        )
        rows = [("a", "x", "2025-01-01"), ("b", "x", "2026-02-01")]
        base.executemany('INSERT INTO log (u, i, "order date") VALUES (?, ?, ?)', rows)
    return file


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("\"order date\" >= '2026-01-01'", 1),
        ('"LOG"."Order Date" >= \'2026-01-01\'', 1),
        ('"rowid" = 1', 1),
        ("i <> '\"orderdate\"'", 2),
        ("\"orderdate\" >= '2026-01-01'", "orderdate"),
        ('i = "x"', "x"),
        ("u = 'a' OR \"U2\" = 'a'", "u2"),
    ],
)
def test_a_quoted_name_that_is_no_column_of_sqlite_is_refused(sqlite_file, where, found):
    """SQLite would read it as text."""
    if isinstance(found, int):
        assert dict(counts_from_events(sqlite_file, "u", "i", where)) == {"x": found}
    else:
        with pytest.raises(ValueError, match=f'^where must be .*: there is no column "{found}";'):
            counts_from_events(sqlite_file, "u", "i", where)


def test_a_generated_column_of_sqlite_is_one(sqlite_file):
    assert preview_log(sqlite_file).columns == ("u", "i", "order date", "who")
    assert dict(counts_from_events(sqlite_file, "who", "i", "who = 'a!'")) == {"x": 1}


def test_a_preview_of_several_files_begins_with_the_first_each_time(tmp_path):
    for i in range(12):
        rows = pd.DataFrame({"user": range(3_000), "item": f"of file {i}"})
        rows.to_parquet(tmp_path / f"{i:02}.parquet")
    firsts = {preview_log(str(tmp_path)).rows[0] for _ in range(20)}
    assert firsts == {("0", "of file 0")}


def test_databases_ask_which_table(tmp_path):
    given = written("sqlite", tmp_path)
    with pytest.raises(
        IngestError, match=r'^table must name .*, got none: it has the tables "a "log""'
    ):
        counts_from_events(given["source"], "u", "i")
    with pytest.raises(IngestError, match=r"got 'nope': it has the tables"):
        counts_from_events(given["source"], "u", "i", table="nope")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_items": 0}, ValueError, "max_items must be"),
        ({"max_items": 1.5}, TypeError, "max_items must be"),
        ({"item": "u"}, ValueError, "user and item must be two columns"),
        ({"nulls": "maybe"}, ValueError, "nulls must be one of"),
        ({"items": []}, ValueError, "items must name at least one item"),
        ({"items": ["tea", "tea"]}, ValueError, "items must name each item once, got 'tea' twice"),
        ({"items": ["gin"]}, IngestError, "none of the items of the list"),
        ({"source": 5}, TypeError, "source must be a path"),
        ({"source": []}, ValueError, "source must name at least one file"),
        ({"source": "nope-*.csv"}, IngestError, r"There is no file nope-\*\.csv"),
        ({"memory_limit": "much"}, ValueError, "memory_limit must be a size"),
        ({"memory_limit": "1GB", "engine": object()}, ValueError, "memory_limit applies only to"),
        ({"where": "i = 'x'"}, IngestError, "no events that meet the condition"),
        ({"where": "i = 'gin' -- only\nAND FALSE"}, ValueError, "where must be one line"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, dict) else None,
)
def test_bad_arguments_are_named(options, error, words):
    given = {"source": LOG, "user": "u", "item": "i"} | options
    with pytest.raises(error, match=words):
        counts_from_events(**given)


# Lists that come again


TIMED = pd.DataFrame(
    [
        *(("ann", "tea", day) for day in ("2026-01-05", "2026-01-11", "2026-01-12")),
        *(("ann", "rum", "2026-01-12"), ("bob", "tea", "2026-01-12"), ("cy", "gin", None)),
        (None, "tea", "2026-02-02"),
    ],
    columns=["u", "i", "at"],
)


@pytest.mark.parametrize("kind", ["text", "times", "csv"])
def test_periods_are_counted_as_each_by_itself(kind, tmp_path):
    source = TIMED.assign(at=pd.to_datetime(TIMED["at"])) if kind == "times" else TIMED
    if kind == "csv":
        source = tmp_path / "log.csv"
        TIMED.to_csv(source, index=False)
    told: list[float] = []
    series = counts_by_period(source, "u", "i", "at", progress=told.append)
    assert {str(day): dict(counts) for day, counts in series.items()} == {
        "2026-01-05": {"rum": 0, "tea": 1},
        "2026-01-12": {"rum": 1, "tea": 2},
    }
    assert told == sorted(told)
    for day, counts in series.items():
        weeks = pd.to_datetime(TIMED["at"]).dt.to_period("W").dt.start_time.dt.date
        assert dict(counts) == {"rum": 0, "tea": 0} | by_pandas(TIMED[weeks == day])
    some = counts_by_period(source, "u", "i", "at", "month", "i <> 'tea' -- no", 1, ["rum"])
    assert [dict(counts) for counts in some.values()] == [{"rum": 1}]


def test_periods_name_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="period must be one of"):
        counts_by_period(TIMED, "u", "i", "at", "fortnight")
    with pytest.raises(IngestError, match=r"time must be a column of the log, got 'when'"):
        counts_by_period(TIMED, "u", "i", "when")
    said = 'Column "u" holds "ann", which is not a date .* the time of an event'
    with pytest.raises(IngestError, match=rf"^{said}\.$"):  # the only other one is meant
        counts_by_period(TIMED, "u", "i", "u")
    with pytest.raises(IngestError, match=rf'^{said}, among the columns "at", "on"\.$'):
        counts_by_period(TIMED.assign(on=TIMED["at"]), "u", "i", "u")
    with pytest.raises(ValueError, match="user and time must be two columns, got 'u' for both"):
        periods_of_users(TIMED, "u", "u")
    with pytest.raises(ValueError, match="source must not be an SQLite file"):
        counts_by_period(**written("sqlite", tmp_path), user="u", item="i", time="at")


# Long runs


def big_log(rows: int = 200_000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"u": rng.integers(0, rows // 4, rows), "i": rng.zipf(1.5, rows) % 5_000})


def test_progress_only_grows_and_ends_at_1():
    told: list[float] = []
    log = big_log()
    counts = counts_from_events(log, "u", "i", progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert dict(counts) == {str(i): n for i, n in by_pandas(log).items()}


def test_what_a_pause_raises_ends_the_counting():
    class StopError(Exception):
        pass

    def stop():
        raise StopError

    with cancellation.on_pause(stop), pytest.raises(StopError):
        counts_from_events(big_log(), "u", "i")


def test_counting_spills_beyond_its_memory_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = 600_000
    with duckdb.connect() as own:
        own.execute(
            f"COPY (SELECT md5(CAST(range AS VARCHAR)) AS u, range % 999 AS i FROM range({rows})) "
            f"TO '{tmp_path}/log.parquet'"
        )
    spilled: set[int] = set()

    def told(_: float) -> None:
        for path in tmp_path.glob("dptopk-*/*.tmp"):
            with suppress(FileNotFoundError):  # DuckDB deletes them when it likes
                spilled.add(path.stat().st_size)

    file, limit = tmp_path / "log.parquet", "72MB"
    counts = counts_from_events(file, "u", "i", memory_limit=limit, progress=told)
    assert counts.counts.sum() == rows
    assert max(spilled) > 0
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]
    with pytest.raises(IngestError, match="needs more memory than is allowed"):
        counts_from_events(file, "u", "i", memory_limit="5MB")


@pytest.mark.slow
def test_a_log_beyond_memory_is_counted_in_parts_of_its_users(tmp_path):
    """Whose pairs are kept in a file: what is left in memory is that of one part."""
    rows = 3_000_000
    with duckdb.connect() as own:
        own.execute(
            "COPY (SELECT 'user ' || range // 3 AS u, 'item ' || range % 999 AS i "
            f"FROM range({rows})) TO '{tmp_path}/log.parquet'"
        )
    shares: list[float] = []
    files: set[int] = set()

    def told(share: float) -> None:
        shares.append(share)
        files.update(path.stat().st_size for path in tmp_path.glob("dptopk-*/pairs.duckdb"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        counts = counts_from_events(
            tmp_path / "log.parquet", "u", "i", memory_limit="64MB", progress=told
        )
    assert counts.counts.sum() == rows
    assert counts.report.n_users == rows // 3
    assert max(files) > rows
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.slow
@given(rows=LOGS, bound=st.sampled_from([None, 1, 3]), normalize=st.booleans())
def test_a_log_counted_in_parts_gives_what_the_whole_gives(rows, bound, normalize):
    options = {"max_items": bound, "normalize": normalize, "key": "k", "by_bound": True}
    options["nulls"] = "leave out"
    whole = counts_from_events(frame(rows), "u", "i", **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dptopk.data.ingest.user_counts._BYTES_OF_PAIR", 2**32)
        parted = counts_from_events(frame(rows), "u", "i", memory_limit="8GB", **options)
    assert dict(parted) == dict(whole)
    of_parts, of_whole = parted.report.by_bound, whole.report.by_bound
    assert replace(parted.report, by_bound=None) == replace(whole.report, by_bound=None)
    assert of_parts.bounds == of_whole.bounds
    assert of_parts.items_of_users == of_whole.items_of_users
    np.testing.assert_array_equal(of_parts.values, of_whole.values)
    np.testing.assert_array_equal(of_parts.weights, of_whole.weights)
    for position in of_whole.counts.order[:3]:
        for ours, theirs in zip(
            of_parts.holders[position], of_whole.holders[position], strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)


def test_text_is_read_in_parts_as_well(tmp_path):
    file = tmp_path / "log.csv"
    frame([(f"user {n % 1000}", f"item {n % 7}") for n in range(20_000)]).to_csv(file, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dptopk.data.event_logs._BYTES_OF_TEXT", (2**21, 0))
        parted = counts_from_events(file, "u", "i", memory_limit="100GB")
    assert parted.report.reading == counts_from_events(file, "u", "i").report.reading
    assert dict(parted) == dict(counts_from_events(file, "u", "i"))


def test_without_room_for_temporary_files_nothing_is_counted(tmp_path, monkeypatch):
    (tmp_path / "log.csv").write_text("who,what\nann,tea\n", "utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(IngestError, match="folder for temporary files, which cannot be made"):
        counts_from_events(tmp_path / "log.csv", "who", "what")


@pytest.mark.slow
@given(rows=LOGS, listed=st.booleans(), key=st.sampled_from(["", "key"]))
def test_counts_by_bound_are_those_counted_under_each_bound(engine, rows, listed, key):
    options = {"items": [*"abcxy"] if listed else None, "key": key, "engine": engine}
    options["nulls"] = "leave out"
    log = frame(rows)
    by_bound = counts_by_bound(log, "u", "i", **options)
    sizes = by_bound.items_of_users.sizes
    assert by_bound.bounds[-1] == sizes[-1]
    users = by_bound.items_of_users
    for row, bound in enumerate(by_bound.bounds):
        counts = counts_from_events(log, "u", "i", max_items=bound, **options)
        assert dict(by_bound.bounded(bound)) == dict(counts)
        share = users.share_kept(bound) * by_bound.counts.counts.sum()
        assert by_bound.values[row].sum() == pytest.approx(share)
        lengths = np.sqrt(np.minimum(users.sizes, bound))  # t users' weights of 1 / √t
        assert by_bound.weights[row].sum() == pytest.approx(lengths @ users.users)
        assert ((by_bound.weights[row] > 0) == (by_bound.values[row] > 0)).all()
    largest = int(by_bound.counts.order[0])
    _, held = by_bound.holders[largest]
    assert by_bound.moments(largest, sizes[-1]) == (held.sum(), 0.0)
    assert held.sum() == by_bound.counts.counts[largest]
    assert by_bound.bounded(sizes[-1] + 5) is by_bound.counts


def test_the_moments_of_a_bounded_count_are_those_over_all_choices():
    """Each user keeps every set of so many items equally often, whatever others keep."""
    held = {"ann": "abcd", "bob": "ab", "cy": "acd", "dee": "b"}
    log = frame([(user, item) for user, items in held.items() for item in items])
    by_bound = counts_by_bound(log, "u", "i")
    for bound in (1, 2, 3):
        kept = [list(combinations(items, min(bound, len(items)))) for items in held.values()]
        worlds = [Counter("".join(map("".join, world))) for world in product(*kept)]
        for position, item in enumerate(by_bound.counts.items):
            seen = np.array([world[item] for world in worlds])
            mean, variance = by_bound.moments(position, bound)
            assert mean == pytest.approx(seen.mean(), abs=1e-12)
            assert variance == pytest.approx(seen.var(), abs=1e-12)


@pytest.mark.slow
def test_the_mean_of_a_bounded_count_is_that_of_keys(engine):
    rng, how = np.random.default_rng(5), {"bounds": [2], "engine": engine}
    log = frame([(f"user {u}", f"item {i}") for u, i in rng.integers(0, 12, (60, 2))])
    kept = [counts_by_bound(log, "u", "i", key=str(key), **how).values[0] for key in range(60)]
    by_bound = counts_by_bound(log, "u", "i", **how)
    for position, seen in enumerate(np.transpose(kept)):
        mean, variance = by_bound.moments(position, 2)
        assert abs(seen.mean() - mean) <= 5 * np.sqrt(variance / 60) + 1e-9


def test_bounds_are_checked():
    with pytest.raises(ValueError, match="bounds must ascend"):
        counts_by_bound(LOG, "u", "i", bounds=[3, 2])
    with pytest.raises(ValueError, match=r"bound must be one of 1, 2, got 7|bounds must"):
        counts_by_bound(LOG, "u", "i", bounds=[])
    log = frame([("ann", item) for item in "abcd"])
    with pytest.raises(ValueError, match="bound must be one of 2, 4, got 3"):
        counts_by_bound(log, "u", "i", bounds=[2]).bounded(3)


def test_periods_of_users_are_counted_and_blank_users_left_out():
    days = ["2026-01-05", "2026-01-11", "2026-01-12", "2026-02-01", "2026-02-01", None]
    log = pd.DataFrame({"u": ["ann", "ann", "ann", "bob", " ", "cy"], "at": days})
    found = periods_of_users(log, "u", "at")
    assert (found.sizes, found.users) == ((1, 2), (1, 1))
    assert periods_of_users(log, "u", "at", "day").sizes == (1, 3)
    with pytest.raises(IngestError, match="no events with a user and a time"):
        periods_of_users(log, "u", "at", where="u = 'cy'")


# Weights of items, of which each user has 1 / √t in each of t


def weights_of(counted_by_bound, bound) -> dict[str, float]:
    weights = counted_by_bound.amounts_under(bound, weighted=True)
    return dict(zip(counted_by_bound.counts.items, weights.tolist(), strict=True))


@given(rows=LOGS, key=st.sampled_from(["", "key"]), bound=st.integers(1, 5))
def test_one_user_moves_the_weights_by_a_length_of_1_at_most(engine, rows, key, bound):
    told = [row for row in rows if not any(map(missing, row))]
    options = {"bounds": [bound], "key": key, "engine": engine}
    whole = counts_by_bound(frame([*told, ("zoe", "a")]), "u", "i", **options)
    weights = weights_of(whole, bound)
    for user in {user.strip() for user, _ in told}:
        others = [row for row in told if row[0].strip() != user]
        without = counts_by_bound(frame([*others, ("zoe", "a")]), "u", "i", **options)
        fewer = weights_of(without, bound)
        moved = np.array([weights.get(i, 0.0) - fewer.get(i, 0.0) for i in {*weights, *fewer}])
        assert (moved >= -1e-12).all()
        assert np.linalg.norm(moved) <= 1 + 1e-11
        assert np.linalg.norm(moved) == pytest.approx(1)  # nobody has less to say


def test_weights_are_those_of_plain_sql_whatever_the_order_of_rows():
    rng = np.random.default_rng(8)
    log = frame([(f"u{u}", f"i{i}") for u, i in rng.integers(0, 40, (900, 2))])
    log = log.drop_duplicates()
    wanted = duckdb.sql(
        "SELECT i, sum(1 / sqrt(t)) FROM (SELECT i, count(*) OVER (PARTITION BY u) AS t FROM "
        "(SELECT u, i FROM log QUALIFY row_number() OVER (PARTITION BY u ORDER BY "
        "md5_number(concat('', chr(31), u, chr(31), i))) <= 6)) GROUP BY i"
    ).fetchall()
    found = counts_by_bound(log, "u", "i", bounds=[6])
    assert weights_of(found, 6) == pytest.approx(dict(wanted), rel=1e-10)
    mixed = counts_by_bound(log.sample(frac=1, random_state=1), "u", "i", bounds=[6])
    assert (mixed.weights == found.weights).all()
    everything = weights_of(found, 100)
    sizes = log.groupby("u")["i"].nunique()
    each = (1 / np.sqrt(log["u"].map(sizes))).groupby(log["i"]).sum()
    assert everything == pytest.approx(each.to_dict(), rel=1e-10)
