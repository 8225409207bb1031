"""Test that uploads, `--data`, `--events` and Python read the same file in the same way."""

import datetime
import gzip
import json
import re
import time
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dptopk import counts_by_period, counts_from_events
from dptopk.cli import main
from dptopk.data.event_logs import preview_log
from dptopk.data.events import EventLog, periods_of_table, periods_of_users
from dptopk.data.ingest import (
    DATES,
    Contribution,
    IngestError,
    IngestResult,
    UnclearError,
    ask_which_of_two,
    proposed_counts,
    read_table,
    to_item_counts,
)


def uploaded(text: str, item: str, user: str, **answers):
    """Counts of a log that is uploaded."""
    table = read_table(text.encode(), "log.csv")
    return dict(to_item_counts(table, item, None, user_column=user, rows="users", **answers).counts)


@pytest.mark.parametrize(
    ("ids", "n_users", "said"),
    [
        (["1", "01", "1.0"], 2, "1 user had the decimal mark"),
        (["1", "a", "1.0"], 2, "1 user had the decimal mark"),
        (["1", "a", "2.0"], 3, "1 user had the decimal mark"),
        (["1", "2", '"1,0"'], 2, "1 user had the decimal mark"),
        (["1", "1000", '"1,000"'], 3, ""),
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


@pytest.mark.parametrize(
    ("users", "n_apart", "n_merged", "said"),
    [
        # spaces are no part of a name, and AnnX without an address is another user than annx
        (["ann@x.org", " Ann@X.org", "bob@x.org", "AnnX", "annx"], 5, 4, "1 user differs"),
        (
            ["1", "1.0", "x", "2.0", "ann@x.org", "Ann@x.org", "3"],
            6,
            5,
            "1 user differs from another only by the case of letters in an e-mail address",
        ),
    ],
)
def test_users_written_alike_are_merged_on_request(tmp_path, users, n_apart, n_merged, said):
    text = "patient,drug\n" + "".join(f"{one},Ibuprofen\n" for one in users)
    file = tmp_path / "log.csv"
    file.write_text(text)
    for answer, n_users in (("apart", n_apart), ("merge", n_merged)):
        counts = counts_from_events(file, "patient", "drug", users_alike=answer)
        assert dict(counts) == {"Ibuprofen": n_users}
        assert uploaded(text, "drug", "patient", users_alike=answer) == {"Ibuprofen": n_users}
        assert said in " ".join(counts.report.sentences)
        (asked,) = counts.report.questions
        assert (asked.key, asked.answer, asked.needed) == ("users_alike", answer, False)
    with pytest.raises(ValueError, match="users_alike must be one of"):
        counts_from_events(file, "patient", "drug", users_alike="both")


def test_items_whose_names_look_alike_are_merged_on_request_in_each_period_too(tmp_path):
    rows = [("a", "tea"), ("b", "tea"), ("d", "tea"), ("c", "Tea"), ("a", "Tea"), ("a", "rum")]
    text = "who,what,day\n" + "".join(f"{who},{what},2026-01-05\n" for who, what in rows)
    file = tmp_path / "log.csv"
    file.write_text(text)
    apart = {"rum": 1, "Tea": 2, "tea": 3}
    for answer, counts in ((None, apart), ("apart", apart), ("merge", {"rum": 1, "tea": 4})):
        log = EventLog(file, "who", "what", twins=answer)
        found = log.counts()
        assert dict(found) == dict(log.by_period("day")[datetime.date(2026, 1, 5)]) == counts
        assert ("twins=" in " ".join(found.report.sentences)) == (answer is None)
        table = read_table(text.encode(), "log.csv")
        of_week = periods_of_table(table, (1, None, 0), 2, "week", twins=answer)
        assert dict(of_week.by_bound.counts) == counts
        if answer:
            assert uploaded(text, "what", "who", twins=answer) == counts
    for listed, counts in ((["tea", "rum"], {"tea": 4, "rum": 1}), (["TEA"], {"TEA": 4})):
        found = EventLog(file, "who", "what", twins="merge").counts(items=listed)
        assert dict(found) == counts
        assert "no user" not in " ".join(found.report.sentences)
    alone = EventLog(file, "who", "what").counts(items=["tea", "rum"])
    assert dict(alone) == {"tea": 3, "rum": 1}
    assert '1 group of names looks alike, such as "Tea" and "tea".' in " ".join(
        alone.report.sentences
    )


def test_a_bound_keeps_the_same_items_whatever_type_the_users_have(tmp_path):
    """pandas makes floats of whole numbers where one is missing."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"user": rng.integers(0, 30, 400), "item": rng.integers(0, 9, 400)})
    text = tmp_path / "log.csv"
    table.to_csv(text, index=False)
    wanted = dict(counts_from_events(text, "user", "item", max_items=2))
    for kind in ("int32", "float32", "float64", "Float64", "str"):
        typed = table.astype({"user": kind})
        file = tmp_path / f"{kind}.parquet"
        typed.to_parquet(file)
        for log in (typed, file):
            assert dict(counts_from_events(log, "user", "item", max_items=2)) == wanted, kind
    assert sum(wanted.values()) == 60


_WITH_DECIMALS = [*map(str, range(50)), *(f"{n}.0" for n in range(50))]


@pytest.mark.parametrize(
    ("users", "more"),
    [
        (np.arange(100.0), 0.5),
        ([f"{n}.0" for n in range(100)], "ann"),
        (_WITH_DECIMALS, "ann"),
        (_WITH_DECIMALS, "51.0"),
    ],
)
def test_how_one_user_is_called_changes_nothing_of_the_others(users, more):
    """Else a user changed the items that a bound keeps of all others, and who is one user."""
    rng = np.random.default_rng(3)
    without = pd.DataFrame({"u": users, "i": [f"i{n}" for n in rng.integers(0, 9, len(users))]})
    without = pd.concat([without] * 4).assign(i=[f"i{n}" for n in rng.integers(0, 9, 400)])
    neighbor = pd.concat([without, pd.DataFrame({"u": [more], "i": ["i0"]})])
    for bound in (1, 2, None):
        one, other = (
            dict(counts_from_events(log, "u", "i", max_items=bound)) for log in (without, neighbor)
        )
        assert {name: other[name] - one[name] for name in other if other[name] != one[name]} in (
            {},
            {"i0": 1},
        )


@pytest.mark.parametrize(
    ("items", "more", "listed", "options"),
    [
        (["7"] * 30 + ["7.0"] * 30, "tea", ["7", "8", "tea"], {}),
        (["tea"] * 30 + ["Tea"] * 30, "tea", ["tea", "Tea"], {"twins": "merge"}),
        (["tea"] * 30 + ["Tea"] * 30, "Tea", ["tea", "Tea"], {"twins": "merge"}),
    ],
)
def test_what_one_user_has_renames_no_item_of_a_list(items, more, listed, options):
    log = pd.DataFrame({"u": [f"u{n}" for n in range(60)], "i": items})
    neighbor = pd.concat([log, pd.DataFrame({"u": ["eve"], "i": [more]})])
    one, other = (
        counts_from_events(events, "u", "i", items=listed, **options).counts
        for events in (log, neighbor)
    )
    assert np.abs(other - one).sum() == 1


@pytest.mark.parametrize(
    ("items", "more", "options"),
    [
        (["7"] * 30 + ["8.0"] * 30, "8", {}),
        (["7"] * 30 + ["7.0"] * 30, "tea", {}),
        (["7.00"] * 30, "8.0", {}),
        ([7.0] * 30 + [8.0] * 30, 8.5, {}),
        (["Tea"] * 30 + ["tea"] * 31, "Tea", {"twins": "merge"}),
    ],
)
def test_what_one_user_has_renames_no_item_of_the_others(items, more, options):
    """Without a list, too: a release of unlisted items would tell who is there."""
    log = pd.DataFrame({"u": [f"u{n}" for n in range(len(items))], "i": items})
    neighbor = pd.concat([log, pd.DataFrame({"u": ["eve"], "i": [more]})])
    for read in (
        lambda events: dict(counts_from_events(events, "u", "i", **options)),
        lambda events: uploaded(events.to_csv(index=False), "i", "u", **options),
    ):
        one, other = read(log), read(neighbor)
        assert [name for name in one if name not in other] == []
        assert sum(abs(other[name] - one.get(name, 0)) for name in other) == 1


@pytest.mark.parametrize(
    ("items", "more", "told"),
    [
        ([["a", "b"]], "a", "of list and of str"),
        ([True, False], "tea", "of bool and of str"),
        ([pd.Timedelta("1h")], "tea", "of Timedelta and of str"),
        ([Decimal("1.50")], Decimal("1.505"), "of Decimal and of Decimal of another scale"),
        ([datetime.date(2026, 1, 5)], "tea", "of date and of str"),
        ([2**60 + 1], 1.5, "of float and of int"),
        ([7], "007", "of int and of str"),
        ([[7]], ["007"], "of int and of str"),
        (["tea", None, np.nan], "rum", ""),
    ],
)
def test_cells_of_another_type_rename_no_item_of_the_others(items, more, told):
    """DuckDB has one type for all cells of a column of objects, and writes each as that."""
    users = [f"u{n}" for n in range(20)]
    cells = pd.Series((items * 20)[:20], dtype=object)
    log = pd.DataFrame({"u": users, "i": cells})
    neighbor = pd.DataFrame({"u": [*users, "eve"], "i": pd.Series([*cells, more], dtype=object)})
    one = dict(counts_from_events(log, "u", "i"))
    if not told:
        assert dict(counts_from_events(neighbor, "u", "i")) == one | {str(more): 1}
        return
    with pytest.raises(IngestError, match=f'The column "i" has cells {told}'):
        counts_from_events(neighbor, "u", "i")
    assert dict(counts_from_events(neighbor.assign(x="a"), "u", "x")) == {"a": 21}  # i is not read
    with pytest.raises(IngestError, match=f'The column "i" has cells {told}'):
        counts_from_events(neighbor.assign(x="a"), "u", "x", "i IS NOT NULL")


@pytest.mark.parametrize("default", ["", "nocase"])
@pytest.mark.parametrize("kind", ["VARCHAR", "VARCHAR COLLATE nocase", "VARCHAR COLLATE noaccent"])
def test_what_a_column_takes_for_equal_is_apart(kind, default):
    rows = [("zoe", "TEA"), ("Zoe ", "tea"), ("zoé", "téa"), ("zoe", "tea")]
    with duckdb.connect() as engine:
        engine.execute(f"SET default_collation = '{default}'")
        engine.execute(f"CREATE TABLE log (u {kind}, i {kind})")
        engine.executemany("INSERT INTO log VALUES (?, ?)", rows)
        for listed in (["TEA", "tea", "téa"], None):
            counts = counts_from_events("log", "u", "i", items=listed, engine=engine)
            assert dict(counts) == {"TEA": 1, "tea": 2, "téa": 1}
            assert counts.report.n_users == 3


@pytest.mark.parametrize("more", ["NA", "za"])
@pytest.mark.parametrize("listed", [["ZA", "BW"], ["NA", "ZA", "BW"], None])
def test_what_one_user_has_decides_of_no_other_whether_it_is_a_user(listed, more):
    """Users named as missing values are, the codes of countries are all in capitals."""
    users = [*(f"u{n}" for n in range(20)), "null", "None", "NaN", "N/A"]
    log = pd.DataFrame({"u": users, "i": "ZA"})
    neighbor = pd.concat([log, pd.DataFrame({"u": ["eve"], "i": [more]})])
    for read in (
        lambda events: dict(counts_from_events(events, "u", "i", items=listed)),
        lambda events: uploaded(events.to_csv(index=False), "i", "u", listed=listed),
    ):
        assert read(log)["ZA"] == 20
        if listed is None and more == "NA":
            with pytest.raises(UnclearError, match='"NA" in 1 row'):
                read(neighbor)
        else:
            assert read(neighbor)["ZA"] == 20


@pytest.mark.parametrize("answer", ["merge", "apart"])
def test_what_one_user_is_called_moves_no_item_of_another_under_a_bound(answer):
    """An address in other letters makes those of two users one, and of nobody else."""
    items = pd.DataFrame({"i": [f"i{n}" for n in range(40)]})
    others = pd.DataFrame({"u": [f"Bob{n}@X.org" for n in range(30)] + ["Ann@x.org"]})
    log = others.merge(items, how="cross")
    neighbor = pd.concat([log, pd.DataFrame({"u": ["ann@x.org"], "i": ["i0"]})])
    one, other = (
        dict(counts_from_events(events, "u", "i", max_items=2, users_alike=answer))
        for events in (log, neighbor)
    )
    assert sum(abs(other[name] - one[name]) for name in one) <= 1


def test_periods_of_a_user_are_those_of_one_spelling():
    days = pd.date_range("2026-01-05", periods=12, freq="W-MON")
    names = ["ann", " ann", "7", "7.0"]
    rows = [(names[2 * who + n % 2], "tea", day) for who in (0, 1) for n, day in enumerate(days)]
    log = pd.DataFrame(rows, columns=["u", "i", "t"])
    assert periods_of_users(log, "u", "t").sizes == (12,)
    assert periods_of_users(log, "u", "t").users == (2,)


LOG = "user,item\nann,tea\nann,tea\nbob,tea\nbob,ale\n"


@pytest.mark.parametrize("above", ["Export of 2026-01-05\n\n", 'Purchases\n"one\ntwo",\n', "\n"])
def test_titles_above_a_log_are_left_out(tmp_path, above):
    one, other, bare = (tmp_path / name for name in ("1.csv", "2.csv", "3.csv"))
    one.write_text(above + LOG)
    other.write_text(above + LOG.replace("ann", "eve"))
    bare.write_text(LOG)
    counts = counts_from_events(one, "user", "item")
    assert dict(counts) == {"ale": 1, "tea": 2} == uploaded(above + LOG, "item", "user")
    assert ("above the table left out" in " ".join(counts.report.sentences)) == bool(above.strip())
    assert dict(counts_from_events([one, other], "user", "item")) == {"ale": 1, "tea": 3}
    with pytest.raises(ValueError, match=r"above its header and .*3\.csv 0: delete the lines"):
        counts_from_events([one, bare], "user", "item")
    if above.strip("\n"):
        with pytest.raises(ValueError, match=r"3\.csv has 0 lines above its header and .*1\.csv "):
            counts_from_events([bare, one], "user", "item")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LOG.replace(",", ";"), r'no column "user", as .*1\.csv has, but the column "user;item"'),
        (LOG.partition("\n")[2], r'no column "user", as .* has, but the columns "ann", "tea"'),
        (LOG.replace("item", "items"), r'no column "item", as .*1\.csv has, but the columns'),
        (f"\n{LOG}", r"1\.csv has 0 lines above its header and .*2\.csv 1: delete the lines"),
        (LOG.replace("user", "User"), ""),
        ("item,day,user\ntea,1,ann\nale,2,bob\ntea,3,bob\n", ""),
        ("", ""),
    ],
)
def test_a_file_of_another_header_beside_others_is_refused_by_its_name(tmp_path, text, told):
    """Its rows would have no user or no item, and be left out."""
    one, other = (tmp_path / name for name in ("1.csv", "2.csv"))
    one.write_text(LOG)
    other.write_text(text)
    if told:
        with pytest.raises(IngestError, match=told):
            counts_from_events([one, other], "user", "item")
        if "column" in told:
            with pytest.raises(IngestError, match=r"\.csv has no column .*\.csv has, but the colu"):
                counts_from_events([other, one], "user", "item")
    else:
        assert dict(counts_from_events([one, other], "user", "item")) == {"ale": 1, "tea": 2}


def test_a_file_without_a_column_that_others_have_is_refused_whatever_its_kind(tmp_path):
    day = "2026-01-05"
    table = pd.DataFrame({"user": ["ann", "bob"], "item": ["tea", "ale"], "day": [day, day]})
    nested = pd.DataFrame({"user": ["eve"], "basket": [[{"item": "tea"}]], "day": [day]})
    for ending, write in (("parquet", "to_parquet"), ("xlsx", "to_excel"), ("csv", "to_csv")):
        one, other, timeless = (tmp_path / f"{n}.{ending}" for n in range(3))
        getattr(table, write)(one, index=False)
        getattr(nested, write)(other, index=False)
        getattr(table.drop(columns="day"), write)(timeless, index=False)
        for both in ([one, other], [other, one]):
            with pytest.raises(IngestError, match=rf'1\.{ending} has no column "item", as .*0\.'):
                counts_from_events(both, "user", "item")
        with pytest.raises(IngestError, match="item must be a column of the log, got 'thing'"):
            counts_from_events([one, other], "user", "thing")
        assert dict(counts_from_events([one, timeless], "user", "item")) == {"ale": 1, "tea": 1}
        with pytest.raises(IngestError, match=rf'2\.{ending} has no column "day"'):
            counts_by_period([one, timeless], "user", "item", "day")


ZONED = ["2026-01-05T10:00:00Z", "2026-01-05T23:00:00-05:00", "2026-01-06T00:30:00+01:00"]


@pytest.fixture
def far_away(monkeypatch):
    """The machine stands in another time zone."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("times", "sizes", "in_utc"),
    [
        (ZONED, [2, 1], True),
        ([*ZONED[:2], "2026-01-05 23:00:00"], [2, 1], True),  # as written without a zone
        (["2026-01-05 23:00:00 -05:00", "2026-01-05 23:00 UTC", ZONED[0]], [2, 1], True),
        (["2026-01-05 23:30:00", "2026-01-06 00:30:00", " "], [1, 1], False),
        (["2026.01.05", "2026.01.06", "2026.01.06"], [1, 2], False),
        (["2026.01.05 10:00", "2026.01.06 11:00", " \t"], [1, 1], False),
    ],
)
def test_times_are_in_utc_and_blank_ones_none_wherever_they_are_read(
    far_away, tmp_path, times, sizes, in_utc
):
    log = pd.DataFrame({"user": ["ann", "bob", "cat"], "item": "tea", "at": times})
    sources = [log, tmp_path / "log.csv", tmp_path / "log.parquet"]
    log.to_csv(sources[1], index=False)
    log.to_parquet(sources[2])
    if times is ZONED:
        typed = log.assign(at=pd.to_datetime(pd.Series(times), format="ISO8601", utc=True))
        sources += [typed, tmp_path / "typed.parquet"]
        typed.assign(at=typed["at"].dt.tz_convert("Asia/Tokyo")).to_parquet(sources[-1])
    wanted = dict(zip([datetime.date(2026, 1, 5), datetime.date(2026, 1, 6)], sizes, strict=True))
    for source in sources:
        found = counts_by_period(source, "user", "item", "at", "day")
        assert {day: int(counts.counts.sum()) for day, counts in found.items()} == wanted
        sentences = " ".join(found[datetime.date(2026, 1, 5)].report.sentences)
        assert ("has times with a time zone: periods are in UTC." in sentences) == in_utc
        assert EventLog(source, "user", "item").periods_of_users("at", "day").n_users == sum(sizes)
        if not isinstance(source, pd.DataFrame):
            table = read_table(source.read_bytes(), source.name, header=True)
            of_table = periods_of_table(table, (1, None, 0), 2, "day").series
            assert {day: int(one.counts.counts.sum()) for day, one in of_table.items()} == wanted


def test_packed_texts_are_read_beside_others_in_any_order(tmp_path):
    plain, packed, misnamed = (tmp_path / name for name in ("1.csv", "2.csv.gz", "3.csv.gz"))
    plain.write_text(LOG)
    packed.write_bytes(gzip.compress(LOG.replace("ann", "eve").encode()))
    misnamed.write_text(LOG)
    for both in ([plain, packed], [packed, plain]):
        assert dict(counts_from_events(both, "user", "item")) == {"ale": 1, "tea": 3}
    assert dict(counts_from_events(misnamed, "user", "item")) == {"ale": 1, "tea": 2}


@pytest.mark.parametrize(
    ("above", "names"),
    [("", ("user", "item")), ("", ("x", "y")), ("Export of 2026-01-05\n\n", ("user", "item"))],
)
def test_a_row_of_another_width_is_told_by_its_line(tmp_path, above, names):
    file = tmp_path / "log.csv"
    for rows, line in (("ann,tea,1\n" * 9, 2), ("ann,tea\n" * 7 + "bob,tea,1\n", 9)):
        file.write_text(f"{above}{','.join(names)}\n{rows}")
        at = line + above.count("\n")
        with pytest.raises(ValueError, match=f"line {at}: 3 cells, where the header has 2"):
            counts_from_events(file, *names)


def test_a_row_of_spaces_is_told_by_its_line_and_no_blank_line_above(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("user,item\n\nann,tea\n\nbob,tea\n   \n")
    with pytest.raises(ValueError, match="line 6: 1 cell, where the header has 2"):
        counts_from_events(file, "user", "item")


def test_a_log_of_blank_cells_is_empty(tmp_path):
    file = tmp_path / "log.csv"
    for text in ("", "\n \n", ",,\n,,\n"):
        file.write_text(text)
        with pytest.raises(ValueError, match="is empty: it has no header and no event"):
            counts_from_events(file, "user", "item")


def test_answers_as_items_are_said_to_be_of_a_survey(tmp_path):
    file = tmp_path / "survey.csv"
    file.write_text("who,tea,milk,ale\nann,yes,no,no\nbob,yes,yes,no\neve,no,yes,yes\n")
    counts = counts_from_events(file, "who", "tea")
    assert dict(counts) == {"no": 1, "yes": 2}
    assert "if each column of a survey is an item, read" in counts.report.changes[-1]
    table = read_table(file.read_bytes(), "survey.csv")
    found = to_item_counts(table, None, None, survey="yes")
    assert dict(found.counts) == {"tea": 2, "milk": 2, "ale": 1}


CASES = Path(__file__).parent / "cases"
USERS, KEEP, LEAVE_OUT = {"rows": "users"}, {"nulls": "keep"}, {"nulls": "leave out"}
DECIMAL = "2 users had the decimal mark of a whole number, as in 7.0, now read as 7."
APART = "2 users differ from another only by the case of letters in an e-mail address"
SPLIT = 'Column "reasons" may hold several items in a cell, such as "Me, myself and I, Wait, is'
NO_LOG = "read this as a table of counts instead (--data, or ItemCounts in Python)."
DRUGS = {"Ibuprofen": 1204, "Metformin": 817, "Ramipril": 411, "Insulin": 411, "Aspirin": 96}
REGIONS = {"EMEA": 120, "NA": 600, "APAC": 44, "LATAM": 12}
REASONS = dict.fromkeys(["Me, myself and I", "Wait, is it just me?"], 1)
ICD = pd.read_csv(CASES / "faelle_patienten.csv", sep=";", index_col="ICD-10")


class Read(NamedTuple):
    """How a file is read.

    ``columns`` are the file, its users or counts, and its items, which are ``named`` to an upload
    where it guesses others.  ``asked`` are the questions of an upload and ``--data``, in order, and
    the answers; a log, whose columns are named, asks about names only.  ``as_log`` are the counts
    of ``--events`` and Python, and a sentence of these two has ``said``; without, all doors agree.
    """

    columns: str
    counts: dict[str, int]
    asked: dict[str, str] = {}
    said: str = ""
    as_log: dict[str, int] | None = None
    listed: str = ""
    named: bool = False


def no_log(columns: str, counts: dict[str, int], *asked, **more) -> Read:
    """Return how a table of counts is read: as a log, it would have one user of each item."""
    more = {"said": NO_LOG, "as_log": dict.fromkeys(counts, 1)} | more
    return Read(columns, counts, *asked, **more)


TABLE = [
    no_log("regions.csv users region", REGIONS, KEEP),
    no_log("regions.csv users region", REGIONS, listed="region_items.txt"),
    Read("region_log.csv user region", {"NA": 4, "EMEA": 2, "APAC": 1}, USERS | KEEP),
    Read("region_log.csv user region", {"EMEA": 2, "APAC": 1}, USERS | LEAVE_OUT),
    Read(
        "region_log.csv user region",
        {"NA": 4, "EMEA": 2, "APAC": 1, "LATAM": 0},
        USERS,
        listed="region_items.txt",
    ),
    Read("na_log.csv user country", {"NA": 4, "ZA": 2, "BW": 1}, USERS | KEEP),
    Read("na_log.csv user country", {"NA": 4, "ZA": 2, "BW": 1}, USERS, listed="na_items.txt"),
    Read("na_log.parquet u i", {"NA": 5, "None": 3, "null": 2, "ZA": 2}, USERS | KEEP),
    Read("na_log.parquet u i", {"ZA": 2}, USERS | LEAVE_OUT),
    Read("na_log.parquet u i", {"NA": 5, "ZA": 2, "BW": 0}, USERS, listed="na_items.txt"),
    no_log("nunique.csv user_id drug", DRUGS),
    no_log("nunique4.csv user_id drug", DRUGS, {"several": "one"}),
    no_log("patienten.csv Patienten ICD-10", ICD["Patienten"].to_dict()),
    no_log("faelle_patienten.csv Patienten ICD-10", ICD["Patienten"].to_dict(), {"several": "one"}),
    no_log(
        "faelle_patienten.csv Fälle ICD-10", ICD["Fälle"].to_dict(), {"rows": "events"}, named=True
    ),
    no_log(
        "supp_lt.csv patients diagnosis",
        {"flu": 1204, "asthma": 817},
        {"suppressed": "leave out"},
        as_log=dict.fromkeys(["flu", "measles", "asthma", "polio"], 1),
    ),
    no_log("plz.xlsx Kunden plz", {"01067": 120, "10115": 60, "80331": 44}),
    Read("float_ids_one.csv patient drug", {"Ibuprofen": 2}, USERS, DECIMAL),
    Read("float_ids/w1.csv patient drug", {"Ibuprofen": 3}, USERS),
    Read("float_ids/w2.csv patient drug", {"Ibuprofen": 2}, USERS, DECIMAL),
    Read("email_case.csv email drug", {"Ibuprofen": 3}, USERS, APART),
    Read("list.parquet user tags", {"a": 2, "b": 1}, USERS, "one row per element"),
    Read(
        "multi_comma.csv respondent_id reasons",
        dict.fromkeys(REASONS, 3),
        {"split": "options"} | USERS,
        SPLIT,
        REASONS | {"Me, myself and I, Wait, is it just me?": 2},  # a log has an item a row
    ),
    Read("caseid.csv id item", {"a": 1, "b": 1}, {}, 'users of column "id"', named=True),
    Read("caseid.csv ID item", {"a": 2, "b": 1}, {}, 'users of column "ID"', named=True),
]


@pytest.mark.parametrize("door", ["upload", "--data", "--events", "Python"])
@pytest.mark.parametrize("read", TABLE)
def test_a_file_is_read_and_asked_about_alike_in_all_doors(read, door, capsysbinary):
    """Without one of the answers, a door asks for it."""
    of_log = door in ("--events", "Python")
    asked = {key: one for key, one in read.asked.items() if not of_log or key == "nulls"}
    wanted = read.as_log if of_log and read.as_log else read.counts
    name, user, item = read.columns.split()
    file, listed = CASES / name, CASES / read.listed
    names = listed.read_text().split() if read.listed else []
    counted = read.said == NO_LOG

    def by_upload(**answers):
        table = read_table(file.read_bytes(), name)
        columns = (table.item_column, table.count_column, table.user_column)
        if read.named:
            columns = (item, user, None) if counted else (item, None, user)
            answers = {"several": "one"} | answers if counted else USERS
        ask_which_of_two(table, columns, answers)
        read_as = {"user_column": columns[2], "listed": names or None, **answers}
        result = to_item_counts(table, *columns[:2], **read_as)
        return dict(result.counts), " ".join(result.report.sentences)

    def by_python(**answers):
        counts = counts_from_events(file, user, item, items=names or None, **answers)
        return dict(counts), " ".join(counts.report.sentences)

    def by_command(**answers):
        columns = [f"--user={user}", f"--item={item}"] if of_log else []
        if read.named and not of_log:
            columns = [f"--{'counts' if counted else 'users'}={user}", f"--item-column={item}"]
        options = [f"--items={listed}"] if names else []
        for key, value in answers.items():
            options.append(f"--{key}={value}" if key == "nulls" else f"--answer={key}={value}")
        options += ["-k", str(len(wanted)), "--mechanisms=Joint", "--format=json"]
        code = main(["release", door, str(file), *columns, *options])
        out, said = (text.decode() for text in capsysbinary.readouterr())
        if code == 3:
            return re.search(r"--(?:answer )?'?(\w+)[ =]", said)[1]
        assert f" {len(wanted)} item" in said
        return {row["item"]: row["count"] for row in json.loads(out)["rows"]}, said

    def result(answers):
        try:
            return {"upload": by_upload, "Python": by_python}.get(door, by_command)(**answers)
        except UnclearError as error:
            return error.questions[-1].key

    for n, key in enumerate(asked):
        assert result(dict([*asked.items()][:n])) == key
    counts, said = result(asked)
    assert counts == wanted
    assert (read.said in said) == (of_log or read.as_log is None)


def under_a_bound(door: str, file: Path, listed: Path, capsysbinary) -> dict[str, int]:
    """Counts of a log on a public list, one item of each user."""
    items = listed.read_text().split()
    if door == "Python":
        return dict(counts_from_events(file, "who", "what", max_items=1, items=items))
    if door == "upload":
        table = read_table(file.read_bytes(), file.name)
        cut = proposed_counts(table, (1, None, 0), {"rows": "users", "max_items": 1}, items)
        later = proposed_counts(table, (1, None, 0), {"rows": "users"}, items).bounded(1)
        assert (later.counts, later.report.changes) == (cut.counts, cut.report.changes)
        return dict(cut.counts)
    columns = ["--user=who", "--item=what"] if door == "--events" else ["--users=who"]
    how = ["--mechanisms=Laplace", "--set", "max_items=1", f"-k{len(items)}", "--format=json"]
    assert main(["release", door, str(file), *columns, f"--items={listed}", *how]) == 0
    rows = json.loads(capsysbinary.readouterr().out)["rows"]
    return {row["item"]: row["count"] for row in rows}


@pytest.mark.parametrize("door", ["upload", "--data", "--events", "Python"])
def test_items_of_no_list_take_no_place_under_a_bound(door, tmp_path, capsysbinary):
    """A user's items are cut among those of the list: 20 have tea and no other, eve two of them."""
    file, listed = tmp_path / "log.csv", tmp_path / "items.txt"
    listed.write_text("wine\ntea\nale\n")
    pairs = [(f"u{n}", item) for n in range(20) for item in ("tea", *(f"x{i}" for i in range(5)))]
    pairs += [(f"v{n}", item) for n in range(7) for item in ("ale", "ale", "x0")]

    def counts(more=()):
        rows = [f"{who},{what}" for who, what in [*pairs, *more]]
        file.write_text("\n".join(["who,what", *rows]) + "\n")
        return under_a_bound(door, file, listed, capsysbinary)

    one = counts()
    assert one == {"wine": 0, "tea": 20, "ale": 7}
    for items in (["x1", "x2"], ["tea", "x7"], ["tea", "ale", "wine", "x0"]):
        moved = {item: n - one[item] for item, n in counts([("eve", it) for it in items]).items()}
        assert sorted(moved.values()) == [0, 0, len(items) != 2 or "tea" in items]


def test_every_file_of_the_cases_is_read_and_a_folder_of_them_is_one_log():
    files = {file.relative_to(CASES).as_posix() for file in CASES.rglob("*.*")}
    read = {name for read in TABLE for name in (read.columns.split()[0], read.listed) if name}
    assert files == {"README.md", *read}
    assert dict(counts_from_events(CASES / "float_ids", "patient", "drug")) == {"Ibuprofen": 3}


def test_commas_in_names_of_places_are_not_taken_for_several_items():
    towns = pd.DataFrame({"who": [1, 2, 3], "town": ["Paris, FR", "Lyon, FR", "Paris, FR"]})
    assert not counts_from_events(towns, "who", "town").report.changes[1:]


ROWS = [("José", "thé"), ("José", "thé"), ("Ann", "thé"), ("Ann", "rhum; brun"), ("Bo", "007")]


def written(kind: str, folder):
    """A log in a file of this kind that DuckDB does not open by itself."""
    table = pd.DataFrame([(*row, n) for n, row in enumerate(ROWS)], columns=["user", "item", "n"])
    text = table.to_csv(index=False)
    file = folder / f"log.{kind}"
    if kind == "xlsx":
        table.to_excel(file, index=False, sheet_name="Log")
    elif kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("log.csv", text)
    elif kind == "csv.gz":
        file.write_bytes(gzip.compress(text.encode("cp1252")))
    else:
        file.write_bytes(text.encode(kind))
    return file


@pytest.mark.parametrize("kind", ["xlsx", "zip", "csv.gz", "cp1252", "utf-16", "utf-16-le"])
def test_a_log_is_read_from_every_file_that_uploads_are(tmp_path, kind):
    file = written(kind, tmp_path)
    expected = {"thé": 2, "rhum; brun": 1, "007": 1}
    told: list[float] = []
    counts = counts_from_events(file, "user", "item", progress=told.append)
    assert dict(counts) == expected
    assert counts.name == "log"
    assert counts.report.reading[0].startswith(f"5 events were read from {file} (")
    assert max(told) == told[-1] == 1.0
    assert dict(counts_from_events(file, "user", "item", "n > 1")) == expected | {"thé": 1}
    assert preview_log(file).columns == ("user", "item", "n")
    table = read_table(file.read_bytes(), file.name)
    read = to_item_counts(table, "item", None, user_column="user", rows="users", split="none")
    assert dict(read.counts) == expected
    assert not [note for note in table.notes if note not in counts.report.changes]
    assert counts == counts_from_events([file, file], "user", "item")
    (tmp_path / "more.csv").write_text("user,item,n\n")
    with pytest.raises(IngestError, match="of different kinds"):
        counts_from_events([file, tmp_path / "more.csv"], "user", "item")


def test_a_workbook_whose_items_have_semicolons_is_read_as_it_is(tmp_path):
    file = tmp_path / "log.xlsx"
    rows = [(f"ann{n}", f"Bonn; 5311{n % 3}") for n in range(30)]
    pd.DataFrame(rows, columns=["user", "item"]).to_excel(file, index=False)
    assert set(dict(counts_from_events(file, "user", "item")).values()) == {10}
    assert preview_log(file).columns == ("user", "item")


def test_a_sheet_is_chosen_or_asked_for(tmp_path):
    file = tmp_path / "log.xlsx"
    with pd.ExcelWriter(file) as book:
        for name in ("May", "June"):
            log = pd.DataFrame({"user": ["a", "b", name], "item": ["x", "x", "y"]})
            log.to_excel(book, sheet_name=name, index=False)
    with pytest.raises(IngestError, match=r'table must name a sheet .*"May", "June": choose one'):
        counts_from_events(file, "user", "item")
    for sheet in ("May", "June"):
        seen = preview_log(file, sheet)
        assert seen.tables[0] == sheet
        assert sorted(seen.tables) == ["June", "May"]
        assert seen.rows[2] == (sheet, "y")
        counts = counts_from_events(file, "user", "item", f"user = '{sheet}'", table=sheet)
        assert dict(counts) == {"y": 1}
    assert preview_log(file).tables == ("May", "June")
    with pytest.raises(IngestError, match='no sheet "July": choose one of "May", "June"'):
        counts_from_events(file, "user", "item", table="July")
    with pytest.raises(ValueError, match="table is for databases and workbooks only"):
        counts_from_events(written("cp1252", tmp_path), "user", "item", table="May")


def sources(table: pa.Table, folder) -> dict:
    """The table in memory, and in files of all kinds that keep its types."""
    table.to_pandas().to_parquet(folder / "log.parquet")
    with duckdb.connect(folder / "log.duckdb") as file:
        file.register("rows", table)
        file.execute("CREATE TABLE log AS FROM rows")
    return {
        "arrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "polars lazy": pl.from_arrow(table).lazy(),
        "Parquet": folder / "log.parquet",
        "DuckDB": folder / "log.duckdb",
    }


rng = np.random.default_rng(0)
FLOATS = [*map(float, ["0.1", "12.345", "1e16", "1e-7", "3", "-0.0", "123456.79"])]
FLOATS += [*rng.normal(0, 1, 20), *rng.random(20) / 1e5]
SECONDS = [0, 1_600, 90_000_123, -5_000, 3_661_000, 86_400_000]
TYPED = {
    "float": pa.array(FLOATS, pa.float32()),
    "half": pa.array(np.float16(FLOATS[:2]), pa.float16()),
    "double": pa.array([*FLOATS, 1e22, 5e-324]),
    "boolean": pa.array([True, False, True]),
    "decimal": pa.array([5, 12345, 0], pa.decimal128(10, 3)),
    "small decimal": pa.array([0, 1, 2], pa.decimal128(30, 20)),
    "duration": pa.array(SECONDS, pa.duration("ms")),
    "date": pa.array([0, 20_000, -400], pa.date32()),
    "time": pa.array([0, 1_600, 86_399_999], pa.time32("ms")),
    "words": pa.array(["a", "b", "a"]).dictionary_encode(),
    "bytes": pa.array([b"ann", "Zo\u00eb".encode(), b"ann"]),
}
TYPED |= {f"time in {unit}": pa.array(SECONDS, pa.timestamp(unit)) for unit in ("s", "ms", "ns")}
LISTED = {
    "lists": pa.array([[0.1, 2.5], None, [], [0.1, None]], pa.list_(pa.float32())),
    "lists of flags": pa.array([[True], [False, True]], pa.list_(pa.bool_())),
    "pairs": pa.array([[0.1, 1e16], None, [0.5, 0.1]], pa.list_(pa.float32(), 2)),
}


@pytest.mark.parametrize("kind", [*TYPED, *LISTED])
def test_values_of_every_type_of_parquet_are_named_alike(tmp_path, kind):
    """Names and the items that a bound keeps, of items and of users of this type."""
    file, values = tmp_path / "log.parquet", (TYPED | LISTED)[kind]
    n = len(values)
    log = pa.table({"who": [f"u{i % 3}" for i in range(n)], "what": values})
    swapped = pa.table({"who": values, "what": [f"i{i % 5}" for i in range(n)]})
    for table, most in ((log, None), (log, 1), (swapped, 1))[: 3 if kind in TYPED else 2]:
        pq.write_table(table, file)
        how = {"max_items": most, "nulls": "leave out"}
        found = counts_from_events(file, "who", "what", **how)
        read = read_table(file.read_bytes(), "log.parquet")
        answers = {"rows": "users", "split": "none", "survey": "no", "twins": "apart"} | how
        uploaded = to_item_counts(read, "what", None, user_column="who", **answers)
        assert dict(found) == dict(uploaded.counts)


def test_a_column_of_lists_is_read_as_one_row_per_element(tmp_path):
    lists = [["a", "b", "a"], ["a"], None, []]
    for kind, source in sources(pa.table({"user": [1, 2, 3, 4], "tags": lists}), tmp_path).items():
        counts = counts_from_events(source, "user", "tags")
        assert dict(counts) == {"a": 2, "b": 1}, kind
        said = " ".join(counts.report.sentences)
        assert 'column "tags", one row per element of its lists' in said
        assert "blank in 2 rows. These rows were left out." in said
        assert dict(counts_from_events(source, "user", "tags", "len(tags) = 1")) == {"a": 1}
        with pytest.raises(IngestError, match=r"user must be a column of names.*\[\]:"):
            counts_from_events(source, "tags", "user")
    table = read_table((tmp_path / "log.parquet").read_bytes(), "log.parquet")
    found = to_item_counts(table, "tags", None, user_column="user", rows="users")
    assert dict(found.counts) == {"a": 2, "b": 1}
    assert found.report.changes[0] == (
        'Column "tags" holds lists: it was read as one row per element.'
    )
    assert 'Column "tags" has missing names: blank in 2 rows' in " ".join(found.report.changes)
    with pytest.raises(IngestError, match='Periods of column "tags", which holds lists'):
        periods_of_table(table, (1, None, 0), 0, "week")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([{"a": 1}, {"a": 2}], r"STRUCT\(a BIGINT\)"),
        (pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())), r"MAP\(.*\)"),
        ([b"a", b"\xff"], "BLOB"),
        ([[[1]], [[2]]], r"BIGINT\[\]\[\]"),
        ([[{"a": 1}], []], r"STRUCT\(a BIGINT\)\[\]"),
    ],
)
def test_types_that_name_nothing_are_refused_by_name(cells, kind):
    table = pa.table({"u": [1, 2], "i": cells})
    with pytest.raises(
        IngestError, match=f"item must be a column of names, and 'i' .* {kind}: wri"
    ):
        counts_from_events(table, "u", "i")
    with pytest.raises(
        IngestError, match=f"user must be a column of names, and 'i' .* {kind}: wri"
    ):
        counts_from_events(table, "i", "u")


def test_bytes_of_parquet_that_are_no_text_are_refused_in_both_doors(tmp_path):
    file = tmp_path / "log.parquet"
    pq.write_table(pa.table({"who": [b"ann"], "what": [b"\xff"]}), file)
    with pytest.raises(IngestError, match="bytes that are no text"):
        counts_from_events(file, "who", "what")
    with pytest.raises(IngestError, match="bytes that are no text"):
        read_table(file.read_bytes())


def test_what_was_left_out_beside_a_list_is_told_from_missing_names():
    log = pa.table({"who": [*"abcdef"], "what": ["tea", "NA", "rum", "rum", "rum", "gin"]})
    counts = counts_from_events(log, "who", "what", items=["tea", "ale"])
    told = IngestResult(counts, counts.report).confirmation[-1]
    assert told.startswith("Left out: 5 rows. The public list has 2 items. 1 of them is not")
    assert "Dropped: 2 other items of the data, in 4 rows." in told


CASE = pa.table({"ID": ["1", "2", "3"], "id": ["05", "05", "6"], "item": ["a", "a", "b"]})


def test_columns_that_differ_by_case_keep_their_names(tmp_path):
    CASE.to_pandas().to_csv(tmp_path / "log.csv", index=False)
    read = {kind: one for kind, one in sources(CASE, tmp_path).items() if kind != "DuckDB"}
    for kind, source in (read | {"CSV": tmp_path / "log.csv"}).items():
        for user, n_users in (("ID", 2), ("id", 1)):
            counts = counts_from_events(source, user, "item")
            assert dict(counts) == {"a": n_users, "b": 1}, kind
            assert f'distinct users of column "{user}"' in counts.report.reading[0]
        with pytest.raises(IngestError, match='it has the columns "ID", "id", "item"'):
            counts_from_events(source, "Id", "item")
        with pytest.raises(ValueError, match='cannot tell the columns "ID", "id" apart'):
            counts_from_events(source, "ID", "item", "id > '1'")
        assert dict(counts_from_events(source, "id", "item", "item = 'a'")) == {"a": 1}
        with pytest.raises(IngestError, match="time must be a column whose name differs"):
            counts_by_period(source, "ID", "item", "id")
    for file in ("log.csv", "log.parquet"):
        assert preview_log(tmp_path / file).columns == ("ID", "id", "item")


def test_names_of_columns_after_one_of_structures_are_in_their_places(tmp_path):
    nested = pa.array([{"a": [1], "b": {"c": 2}}] * 3)
    pq.write_table(CASE.add_column(1, "s", nested), tmp_path / "log.parquet")
    assert dict(counts_from_events(tmp_path / "log.parquet", "id", "item")) == {"a": 1, "b": 1}


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table])
def test_two_columns_of_a_name_are_refused_where_they_are_chosen(make):
    cells = [[["a", "b"], ["x", "x"], ["b", "c"]], ["u", "i", "u"]]
    table = pa.table(cells[0], names=cells[1])
    if make is pd.DataFrame:
        table = pd.DataFrame(dict(enumerate(cells[0]))).set_axis(cells[1], axis=1)
    with pytest.raises(IngestError, match="which has 2 columns named 'u': rename all but one"):
        counts_from_events(table, "u", "i")


@pytest.mark.parametrize("kind", [pl.Int128, pl.UInt128])
def test_integers_of_128_bits_are_read(kind):
    table = pl.DataFrame({"u": pl.Series([1, 2**100, 1], dtype=kind), "i": ["a", "a", "b"]})
    for one in (table, table.lazy()):
        assert dict(counts_from_events(one, "u", "i")) == {"a": 2, "b": 1}
    assert dict(counts_from_events(table, "i", "u")) == {"1": 2, str(2**100): 1}


FIRST, MONTH = DATES


@pytest.mark.parametrize(
    ("times", "dates", "days"),
    [
        (["31.01.2026", "5.2.2026", "31.01.2026"], None, ["2026-01-31", "2026-02-05"]),
        (
            ["01/13/2026 9:30 PM", "05/03/2026 1:00 AM", "01/13/2026 1:00 AM"],
            None,
            ["2026-01-13", "2026-05-03"],
        ),
        (
            ["13-01-2026 23:59:59", "05-03-2026 10:00:00", "13-01-2026 00:00:00"],
            None,
            ["2026-01-13", "2026-03-05"],
        ),
        (["31.01.2026", "30.01.2026"], None, ["2026-01-30", "2026-01-31"]),
        (["02.02.2026", "03.03.2026 09:00"], None, ["2026-02-02", "2026-03-03"]),
        (["2026-01-02", "2026-3-4 09:30"], MONTH, ["2026-01-02", "2026-03-04"]),
        (["01.02.2026", "03.04.2026"], None, UnclearError),
        (["01/02/2026", "13/02/2026"], None, UnclearError),  # else one user would decide
        (["01/02/2026", "02/13/2026"], None, UnclearError),
        (["01/02/2026", "13/02/2026"], FIRST, ["2026-02-01", "2026-02-13"]),
        (["1/2/2026 10:00 AM", "3/4/2026 9:00 PM"], None, UnclearError),
        (["01/02/2026", "03/04/2026"], FIRST, ["2026-02-01", "2026-04-03"]),
        (["01/02/2026", "03/04/2026"], MONTH, ["2026-01-02", "2026-03-04"]),
        (["31.01.2026", "05.02.2026"], MONTH, '"31.01.2026", which is not a month-first date'),
        (["31.01.2026", "01.31.2026"], None, "which is not a date such as 2026-01-31"),
        (
            ["31.01.2026", "2026-01-31"],
            None,
            '"31.01.2026", which is not a date such as 2026-01-31',
        ),
        (["01/02/26", "03/04/26"], None, '"01/02/26", which is not a date'),
        (["26-01-02", "26-03-04"], FIRST, '"26-01-02", which is not a day-first date'),
    ],
)
def test_dates_are_read_in_the_only_order_they_allow_or_asked_about(tmp_path, times, dates, days):
    users = ["ann", "bob", "cy"][: len(times)]
    table = pd.DataFrame({"user": users, "drug": "Ibuprofen", "day": times, "ward": "A"})
    text, file = table.to_csv(index=False), tmp_path / "log.csv"
    file.write_text(text)

    def events(source):
        found = counts_by_period(source, "user", "drug", "day", "day", "ward = 'A'", dates=dates)
        return list(map(str, found))

    def upload():
        found = periods_of_table(read_table(text.encode()), (1, None, 0), 2, "day", dates=dates)
        return list(map(str, found.series))

    for door in (lambda: events(file), lambda: events(table), upload):
        if isinstance(days, list):
            assert door() == days
            continue
        with pytest.raises(IngestError, match=None if days is UnclearError else days) as caught:
            door()
        if days is UnclearError:
            (asked,) = caught.value.questions
            assert asked.key == "dates"
            assert asked.options == {FIRST: "2026-02-01", MONTH: "2026-01-02"}
            assert "dates must be day-first or month-first" in str(caught.value)


OF_USERS = (  # of pandas, SQL, spreadsheets, BI tools, and people by name
    *("user_id", "userId", "USERID", "user", "customer_id", "('user_id', 'nunique')", "n_users"),
    *("count", "COUNT(DISTINCT user_id)", "count(distinct user)", "n_distinct(user_id)"),
    *("uniq(user_id)", "uniqExact(user_id)", "approx_count_distinct(user_id)", "dc(user)"),
    *("COUNT(*)", "Count of user", "Distinct Count of user_id", "COUNTUNIQUE of user_id"),
    *("Anzahl von user_id", "Diskrete Anzahl von Kunde", "Nombre de client"),
    *("Cuenta de paciente", "CNTD(User Id)", "CTD(user_id)", "Distinct values of User ID"),
    *("Users Count Distinct", "Unique count of user.id", "Active users", "Unique users"),
    *("Number of unique visitors", "Patienten", "Anzahl Patienten", "Kunden", "pacientes"),
    *("患者数", "N° patient", "likes"),
)
NOT_SAID = (  # of what they are the counts
    *("nunique", "size", "f0_", "_col1", "EXPR$1", "(No column name)", "Uniques", "total"),
    *("Sum of user_id", "COUNTA of user_id", "Nombre d'utilisateurs", "account", "Versicherte"),
    *("COUNT(DISTINCT order_id)", "user_orders", "orders", "cases", "Fälle", "Fallzahl", "views"),
    *("purchases", "Menge", "amount", "sum(amount)", "Ausleihen", "downloads", "件数"),
)


def table_of(header: str, counts: dict[str, int]) -> str:
    """Text of a table of counts, with quotes around the header."""
    return "\n".join([f'drug,"{header}"', *(f"{name},{n}" for name, n in counts.items())])


@pytest.mark.parametrize("order", ["by count", "by name"])
@pytest.mark.parametrize("header", [*OF_USERS, *NOT_SAID])
def test_a_table_of_counts_is_read_as_one_whatever_its_header(header, order):
    """Aggregates keep the name of what they count; what is not users is asked about."""
    counts = DRUGS if order == "by count" else dict(sorted(DRUGS.items()))
    table = read_table(table_of(header, counts).encode())
    columns = (table.item_column, table.count_column, table.user_column)
    assert columns == (0, 1, None)
    if header in OF_USERS:
        read = proposed_counts(table, columns, {})
        assert (dict(read.counts), read.report.contribution) == (counts, Contribution.ASSUMED)
        return
    with pytest.raises(UnclearError, match="may count something else than users") as caught:
        proposed_counts(table, columns, {})
    assert [*caught.value.questions[-1].options] == ["stated", "events"]
    for answer in ("stated", "events"):
        read = proposed_counts(table, columns, {"rows": answer})
        assert dict(read.counts) == counts
        assert read.report.contribution is Contribution(answer)


@pytest.mark.parametrize("average", ["avg_users", "average", "mean(age)", "revenue", "Umsatz"])
def test_averages_and_prices_are_no_counts(average):
    assert (
        'No column looks like counts (numbers are in "'
        in read_table(table_of(average, DRUGS).encode()).problem
    )


@pytest.mark.parametrize(
    "rows",
    [
        {"Ramipril": 17, "Aspirin": 4, "Insulin": 52},  # each once by chance
        {"Ramipril": 1711, "Aspirin": 4020, "Insulin": 5243, "Ibuprofen": 1002, "Metformin": 3007},
    ],
)
def test_numbers_that_may_name_users_or_count_them_are_asked_about(rows):
    table = read_table(table_of("user_id", rows).encode())
    columns = (table.item_column, table.count_column, table.user_column)
    with pytest.raises(UnclearError, match='"user_id" may hold counts or name users') as caught:
        proposed_counts(table, columns, {})
    asked = caught.value.questions[-1]
    assert ([*asked.options], asked.suggested) == (["stated", "events", "users"], None)
    assert asked.columns["users"] == (0, None, 1)
    assert dict(proposed_counts(table, columns, {"rows": "stated"}).counts) == rows
    log = proposed_counts(table, columns, {"rows": "users"})
    assert (log.report.contribution, {*dict(log.counts).values()}) == (Contribution.COUNTED, {1})
    assert log.counts == to_item_counts(table, 0, None, user_column=1).counts


@pytest.mark.parametrize(
    ("users", "noticed"),
    [
        (["1.204", "817", "96"], True),  # in German
        (["1204.0", "817.0", "96.0"], True),
        (["1204", "*", "*"], True),  # suppressed
        (["*", "*", "*"], False),
        (["ann", "bob", "96"], False),
    ],
)
def test_a_table_of_counts_given_as_a_log_is_noticed(users, noticed):
    table = pd.DataFrame({"user_id": users, "drug": ["Aspirin", "Insulin", "Ibuprofen"]})
    for again, said in (
        (table, noticed),
        (pd.concat([table, table[:1].assign(user_id="97")]), False),
    ):
        counts = counts_from_events(again, "user_id", "drug")
        assert (NO_LOG in " ".join(counts.report.sentences)) == said
    result = to_item_counts(read_table(table.to_csv(index=False).encode()), 1, None, user_column=0)
    assert (NO_LOG in " ".join(result.report.sentences)) == noticed


@pytest.mark.parametrize(
    "header",
    [
        "N° patient",
        "Nº paciente",
        "Patient No.",
        "patient number",
        "num_client",
        "PatientID",
        "患者番号",
    ],
)
def test_a_number_of_a_patient_is_offered_as_the_user_column(header):
    rows = "".join(f"{n // 2},{'XYZ'[n % 3]}\n" for n in range(60))
    table = read_table(f"{header},drug\n{rows}".encode())
    assert (table.item_column, table.count_column, table.user_column) == (1, None, 0)


def test_cells_of_several_listed_items_are_not_dropped_in_silence(tmp_path):
    """A release of what is left would be one of noise."""
    file = tmp_path / "survey.csv"
    file.write_text("who,drinks\n" + "".join(f"u{n},tea; milk\n" for n in range(9)) + "u9,tea\n")
    with pytest.raises(
        IngestError, match="9 rows of 10 hold several items in one cell, some of them of the list"
    ):
        counts_from_events(file, "who", "drinks", items=["tea", "milk"])
    assert dict(counts_from_events(file, "who", "drinks", items=["tea; milk"])) == {"tea; milk": 9}
    with pytest.raises(IngestError, match="with the answer split=semicolon"):
        uploaded(file.read_text(), "drinks", "who", listed=["tea", "milk"])
    split = uploaded(file.read_text(), "drinks", "who", listed=["tea", "milk"], split="semicolon")
    assert split == {"tea": 10, "milk": 9}


def test_cells_of_listed_and_other_items_are_not_dropped_in_silence(tmp_path):
    """Of 97 people of 3,000 who hold one listed item alone, a survey was published."""
    cells = ("tea, rum", "tea, milk, rum", "tea", "milk, gin", "milk", "milk, rum", "milk")
    file = tmp_path / "survey.csv"
    file.write_text("who;drinks\n" + "".join(f"{n};{cell}\n" for n, cell in enumerate(cells)))
    listed, refused = ["tea", "milk"], "4 rows of 7 .*, and 3 hold one of it alone"
    with pytest.raises(IngestError, match=refused):
        counts_from_events(file, "who", "drinks", items=listed)
    with pytest.raises(IngestError, match=refused):
        uploaded(file.read_text(), "drinks", "who", listed=listed)
    split = uploaded(file.read_text(), "drinks", "who", listed=listed, split="comma")
    assert split == {"tea": 3, "milk": 5}
    whole = uploaded(file.read_text(), "drinks", "who", listed=listed, split="none")
    assert whole == {"tea": 1, "milk": 2}


def test_dates_that_are_text_are_not_compared_as_text(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("who,what,day\n" + "".join(f"u{n},tea,{n + 13}.01.2026\n" for n in range(9)))
    for order in (">= '2026-01-20'", "> '20.01.2026'", "between '14.01.2026' and '20.01.2026'"):
        with pytest.raises(ValueError, match=r'column "day" is text such as "\d+.01.2026"'):
            counts_from_events(file, "who", "what", f"day {order}")
    for one, n in (("= '14.01.2026'", 1), ("<> '14.01.2026'", 8)):
        assert dict(counts_from_events(file, "who", "what", f"day {one}")) == {"tea": n}
    file.write_text(
        file.read_text().replace("what,day", "what,day,d").replace("2026\n", "2026,x\n")
    )
    with pytest.raises(ValueError, match='no cell of column "d", such as "x", is a date'):
        counts_from_events(file, "who", "what", "d <> '2026-01-20'")
    since = "strptime(day, '%d.%m.%Y') >= TIMESTAMP '2026-01-20'"
    assert dict(counts_from_events(file, "who", "what", since)) == {"tea": 2}
