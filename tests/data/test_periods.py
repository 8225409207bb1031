"""Test counts of each period of a log under every bound, also of an uploaded table."""

import datetime

import numpy as np
import pandas as pd
import pytest

from dptopk import counts_by_bound, counts_by_period
from dptopk.data import periods_of_users, read_table, to_item_counts
from dptopk.data.events import EventLog, counts_of_periods, median_period, periods_of_table
from dptopk.data.ingest import IngestError, UnclearError
from dptopk.data.local_files import count_periods_below


@pytest.fixture
def log() -> pd.DataFrame:
    """Events of users whose largest numbers of items differ from week to week."""
    rng = np.random.default_rng(8)
    rows = [
        (f"u{user}", f"i{item}", str(datetime.date(2026, 1, 5 + user % 7) + week * SEVEN))
        for week in range(5)
        for user in range(10 * week, 60)
        for item in rng.choice(40, min(1 + rng.zipf(1.7), 25 + week), replace=False)
    ]
    return pd.DataFrame(rows, columns=["who", "what", "day"])


SEVEN = datetime.timedelta(days=7)


@pytest.mark.parametrize("period", ["week", "month"])
def test_each_period_is_that_of_counting_it_alone(log, period):
    found = counts_of_periods(log, "who", "what", "day", period)
    truth = counts_by_period(log, "who", "what", "day", period)
    assert [*found.series] == [*truth]
    assert found.day == median_period(truth)
    sizes = sorted(int(counts.counts.sum()) for counts in truth.values())
    assert truth[found.day].counts.sum() == sizes[len(sizes) // 2]
    of_day = EventLog(log, "who", "what").of_period("day", period, found.day)
    alone = counts_by_bound(log, "who", "what", of_day.where)
    assert found.by_bound.identity == alone.identity
    for bound in {*alone.bounds[:2], *alone.bounds[-1:]}:  # of other periods in between
        bounded = counts_by_period(log, "who", "what", "day", period, max_items=bound)
        for day, counts in bounded.items():
            of_day = found.series[day].bounded(bound)
            assert dict(of_day) == dict(counts)
            assert of_day.items == truth[found.day].items
    stays = periods_of_users(log, "who", "day", period)
    assert found.stays == stays
    log.loc[0, "who"] = " NULL"
    assert periods_of_users(log, "who", "day", period, nulls="keep").n_users == stays.n_users + 1
    assert periods_of_users(log, "who", "day", period).n_users == stays.n_users


def test_an_uploaded_table_is_counted_as_its_log(log):
    wanted = counts_of_periods(log, "who", "what", "day")
    told: list[float] = []
    table = read_table(log.assign(n=1).to_csv(index=False).encode())
    found = periods_of_table(table, (1, 3, 0), 2, "week", progress=told.append)
    assert found.by_bound.identity == wanted.by_bound.identity
    assert [*found.series] == [*wanted.series]
    for day, counts in found.series.items():
        assert counts.identity == wanted.series[day].identity
    assert found.stays == wanted.stays
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_rows_without_a_time_or_a_user_are_left_out():
    lines = "who,what,day\nann,tea,2026-01-05\nann,tea,\n,tea,2026-01-05\nbob, ,2026-01-12\n"
    table = read_table(f"{lines}bob,tea,2026-01-12\n".encode())
    found = periods_of_table(table, (1, None, 0), 2, "week")
    assert [dict(one.counts) for one in found.series.values()] == [{"tea": 1}, {"tea": 1}]
    assert found.stays.users == (2,)
    of_na = read_table(f"{lines}bob,NA,2026-01-12\n".encode())
    with pytest.raises(UnclearError, match="missing names"):
        periods_of_table(of_na, (1, None, 0), 2, "week")
    kept = periods_of_table(of_na, (1, None, 0), 2, "week", nulls="keep")
    assert "NA" in kept.by_bound.counts.items


def test_the_items_of_each_period_are_those_of_the_answers():
    """Cells that list items are split, or kept, as in the counts; a survey has no such items."""
    rng = np.random.default_rng(3)
    drinks = ["tea", "jam", "rum", "ale"]
    cells = ["; ".join(rng.permutation(drinks)[: rng.integers(1, 4)]) for _ in range(200)]
    lines = [f"u{n % 40},{cell},2026-01-{1 + n % 28:02d}\n" for n, cell in enumerate(cells)]
    table = read_table(("user,drinks,day\n" + "".join(lines)).encode())
    for split in ("semicolon", "none"):
        counts = to_item_counts(table, 1, None, user_column=0, rows="users", split=split).counts
        found = periods_of_table(table, (1, None, 0), 2, "month", split=split)
        assert dict(found.by_bound.counts) == dict(counts)
        assert [{*one.counts.items} for one in found.series.values()] == [{*counts.items}]
    listed = periods_of_table(
        table, (1, None, 0), 2, "month", split="semicolon", items=["NA", "ale"]
    )
    whole = to_item_counts(table, 1, None, user_column=0, rows="users", split="semicolon").counts
    assert dict(listed.by_bound.counts) == {"NA": 0, "ale": dict(whole)["ale"]}
    with pytest.raises(UnclearError, match="may hold several items"):
        periods_of_table(table, (1, None, 0), 2, "month")
    answers = ["".join(rng.choice(["yes,", "no,"], 3)) for _ in range(60)]
    lines = [f"u{n},Bonn,{said}2026-01-{1 + n % 28:02d}\n" for n, said in enumerate(answers)]
    table = read_table(("user,city,tea,jam,rum,day\n" + "".join(lines)).encode())
    with pytest.raises(IngestError, match="Periods of a survey, whose"):
        periods_of_table(table, (1, None, 0), 5, "month", survey="yes")
    found = periods_of_table(table, (1, None, 0), 5, "month", survey="no")
    assert dict(found.by_bound.counts) == {"Bonn": 60}


def test_a_column_without_dates_and_too_many_counts_are_refused(log, monkeypatch):
    table = read_table(log.to_csv(index=False).encode())
    with pytest.raises(IngestError, match=r'^Column "who" holds "u0", which is not a date such as'):
        periods_of_table(table, (1, None, 2), 0, "week")
    monkeypatch.setattr("dptopk.data.events._MOST_CELLS", 100)
    with pytest.raises(IngestError, match=r"^5 weeks of 40 items are more counts than are kept"):
        counts_of_periods(log, "who", "what", "day")


def test_periods_below_a_folder_are_counted_and_nothing_outside(log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # which the function changes
    root = tmp_path / "logs"
    root.mkdir()
    log.to_csv(root / "log.csv", index=False)
    log.to_csv(tmp_path / "secret.csv", index=False)
    (root / "out.csv").symlink_to(tmp_path / "secret.csv")

    def counted(source, where=None):
        log = EventLog(source, "who", "what", where)
        return count_periods_below(str(root), log, "day", "week", progress=lambda share: None)

    assert counted("log.csv").by_bound.counts.d > 5
    some = counted("log.csv", "day >= '2026-01-19'")
    assert str(next(iter(some.series))) == "2026-01-19"
    for source in ("../secret.csv", "out.csv", str(tmp_path / "secret.csv")):
        with pytest.raises(IngestError, match="outside"):
            counted(source)
    with pytest.raises(IngestError, match="does more than compare"):
        counted("log.csv", "who IN (SELECT who FROM read_csv('../secret.csv'))")
