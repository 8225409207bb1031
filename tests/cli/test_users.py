"""Test that `dptopk users` writes the tables of Python and the recommendation."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dptopk import MECHANISMS, Laplace, counts_by_bound, counts_by_period
from dptopk.core.numerals import share
from dptopk.questions.users import COSTS_MEANING, costs
from dptopk.tuning import costs_of_series, errors_by_bound, turnover_of_series

COLUMNS = ("--user", "who", "--item", "what")
ASKED = ("-k", 3, "--epsilon", 0.5, "--mechanisms", "Laplace", "--runs", 60)


@pytest.fixture
def log(run) -> pd.DataFrame:
    """Events of 80 users in three weeks, whose numbers of items differ much, as log.csv."""
    rng = np.random.default_rng(5)
    rows = [
        (f"u{user}", f"i{item}", f"2026-01-{5 + 7 * week + user % 7:02}")
        for week in range(3)
        for user in range(20 * week, 80)
        for item in set(np.minimum(rng.geometric(0.3, rng.geometric(0.2)), 12).tolist())
    ]
    found = pd.DataFrame(rows, columns=["who", "what", "day"])
    found.to_csv("log.csv", index=False)
    return found


@pytest.mark.slow
def test_bounds_are_those_of_python_with_every_mechanism_that_gains(run, log):
    ran = run("users", "log.csv", *COLUMNS, *ASKED, "--format", "json")
    rows = pd.DataFrame(ran.json["rows"])
    takers = [m.name for m in MECHANISMS.values() if m.card.takes("max_items")]
    assert sorted(rows["mechanism"].unique()) == sorted(takers)
    wanted = errors_by_bound(counts_by_bound(log, "who", "what"), [Laplace(3, 0.5)], n=60)
    own = rows[rows["mechanism"] == "Laplace"]
    for column in ("max_items", "right", "clipping", "threshold", "noise", "wrong_high"):
        assert own[column].astype(float).to_numpy() == pytest.approx(
            wanted[column].to_numpy(), nan_ok=True
        )
    assert "of 3 items wrong by" in ran.err
    assert "is not protected" in ran.err


@pytest.mark.slow
def test_the_best_at_each_bound_are_the_numbers_of_all_bounds(run, log):
    bounds = run("users", "log.csv", *COLUMNS, *ASKED).table
    ran = run("users", "log.csv", *COLUMNS, *ASKED, "--part", "winners")
    assert "not distinguishable from the best" in ran.err
    cells = ran.table.set_index("mechanism")
    for row in bounds.to_dict("records"):
        bound = "no bound" if np.isnan(row["max_items"]) else f"{row['max_items']:.0f}"
        assert float(cells.loc[row["mechanism"], bound]) == pytest.approx(row["wrong"])
    assert cells.notna().to_numpy().sum() >= len(bounds)
    read = run("users", "log.csv", *COLUMNS, *ASKED, "--part", "winners", "--format", "text")
    assert read.out.decode().count(" best") == 1


def test_one_item_is_called_one(run):
    Path("one.csv").write_text("who,what\na,tea\nb,tea\n")
    for command, *runs in (("users", "--runs", 2), ("discover",)):
        ran = run(command, "one.csv", *COLUMNS, *runs)
        assert "k = 1 is taken: the data have 1 item, fewer than the default." in ran.err


@pytest.mark.slow
def test_a_list_each_week_is_priced_and_compared_with_noise_alone(run, log):
    weekly = (*COLUMNS, "--time", "day", *ASKED)
    year = run("users", "log.csv", *weekly)
    assert "For a list of one week: of that of 2026-01-" in year.err
    assert year.table["periods"].tolist()[-1] == 52
    best = year.table["mechanism"].iloc[0]
    assert best.startswith("Laplace")
    own = year.table[year.table["mechanism"] == best]
    wanted = costs_of_series(Laplace(3, 0.5), 52, 1e-6)
    assert own["epsilon_total"].iloc[-1] == pytest.approx(wanted["epsilon_total"].iloc[-1])
    least = year.table[year.table["periods"] == 52].set_index("mechanism")["epsilon_total"].idxmin()
    assert least != best
    assert f"{least}: 52 releases a year cost" in year.err
    assert f"for each list by {least}: set that, on the command line with `--epsilon" in year.err
    assert "52 releases a year cost a user who is present every week" in year.err
    assert {*own["user"]} == {"in one period", "in every period"}  # the log has no whole year
    (epsilon,) = re.findall(r"`--epsilon (\S+) .*--part bounds`", year.err)
    again = run("users", "log.csv", *weekly, "--epsilon", epsilon).table  # the advice is kept
    again = again[again["periods"] == 52].set_index("mechanism")["epsilon_total"]
    assert 4.9 < again[least] <= 5.0
    turned = run("users", "log.csv", *weekly, "--part", "turnover")
    bound = int(turned.table["max_items"].iloc[0]) if "max_items" in turned.table else None
    told = counts_by_period("log.csv", "who", "what", "day")
    series = counts_by_period("log.csv", "who", "what", "day", max_items=bound)
    found = turnover_of_series(series, Laplace(3, 0.5, max_items=bound), 60, 0, truth=told)
    assert turned.table["true"].tolist() == found["true"].tolist()
    assert turned.table["noise"].to_numpy() == pytest.approx(found["noise"].to_numpy())
    assert "would be if nothing had changed" in turned.err
    assert COSTS_MEANING in year.err
    assert COSTS_MEANING not in turned.err


def test_a_year_of_weeks_has_52_lists_though_its_dates_touch_53(run):
    days = pd.date_range("2025-01-01", "2025-12-31").strftime("%Y-%m-%d")
    rows = [(f"u{n % 30}", f"i{n % 4}", day) for n, day in enumerate(days)]
    pd.DataFrame(rows, columns=["who", "what", "day"]).to_csv("log.csv", index=False)
    ran = run("users", "log.csv", *COLUMNS, *ASKED, "--time", "day")
    assert ran.table["periods"].max() == 52
    said = "The log has 53 weeks with events; a year of lists is counted as 52 releases. The first"
    assert said in ran.err
    assert "A list on each Monday is released 53 times in some years" in ran.err
    monthly = run("users", "log.csv", *COLUMNS, *ASKED, "--time", "day", "--period", "month")
    assert "The log has" not in monthly.err


def test_the_turnover_of_one_period_is_refused(run, log):
    month = (*COLUMNS, "--time", "day", "--period", "year", "--part", "turnover", *ASKED)
    assert "the log has one year alone" in run("users", "log.csv", *month).err


def test_costs_are_rounded_up_wherever_they_are_written():
    frame = costs_of_series(Laplace(3, 0.1173), 52, 1e-6)
    view = SimpleNamespace(delta=1e-6, origin=lambda *_, **__: None)
    answer = costs(view, [Laplace(3, 0.1173)], "week", None)
    for name in ("epsilon_basic", "epsilon_total"):
        told = [float(words) for words in answer.written[name]]
        assert all(told >= frame[name])
        assert told == pytest.approx(frame[name].tolist(), rel=1e-3)
    assert answer.written["delta_total"] == ["0", "1e-6"]  # no false 0
    strong = costs(view, [Laplace(3, 1.0)], "week", None)
    assert strong.written["guess"][-1] == "> 99.9999%"  # no false certainty
    assert answer.written["guess"] == [share(guess) for guess in frame["guess"]]


@pytest.mark.slow
def test_units_and_items_are_told_too(run, log):
    units = run("users", "log.csv", *COLUMNS, *ASKED, "--time", "day", "--part", "units")
    assert units.table["unit"].tolist() == ["user", "user in a period", "event"]
    alone = run("users", "log.csv", *COLUMNS, *ASKED, "--part", "items")
    assert alone.table["count"].is_monotonic_decreasing
    assert (alone.table["bounded"] <= alone.table["count"]).all()
    assert "at most" in alone.err.lower()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--period", "week"), 2, "--period is of periods: add --time COLUMN."),
        (("--dates", "day-first"), 2, "--dates is of periods: add --time COLUMN."),
        (("--part", "year"), 2, "--part year is of periods: add --time COLUMN."),
        (("--time", "what"), 3, "which is not a date such as 2026-01-31: choose the column"),
        (("--time", "when"), 3, "time must be a column of the log, got 'when'"),
        (("--mechanisms", ""), 4, "no mechanism is chosen"),
        (("--where", "x = "), 2, "where must be a condition"),
    ],
)
def test_what_is_wrong_is_said(run, log, options, code, words):
    ran = run("users", "log.csv", *COLUMNS, "-k", 3, *options)
    assert (ran.code, ran.out) == (code, b"")
    assert words in ran.err


def test_dates_that_may_be_read_in_two_ways_are_named_with_the_option(run, log):
    log.assign(day="01/02/2026").to_csv("log.csv", index=False)
    asked = ("users", "log.csv", *COLUMNS, *ASKED, "--time", "day", "--period", "day")
    ran = run(*asked)
    assert ran.code == 3
    assert '--dates must be day-first or month-first: column "day" holds dates such as' in ran.err
    for order, day in (("day-first", "2026-02-01"), ("month-first", "2026-01-02")):
        assert f"of that of {day}, the median day" in run(*asked, "--dates", order).err


def test_what_cannot_be_published_is_not_all_that_is_recommended(run, log):
    found = run("users", "log.csv", *COLUMNS, *ASKED)
    best = found.table.sort_values("wrong", kind="stable").iloc[0]
    assert not best["can_publish"]
    others = found.table[found.table["can_publish"]]
    least = others.sort_values("wrong", kind="stable")["mechanism"].iloc[0]
    said, _, beyond = found.err.partition(
        " Including mechanisms that `dptopk publish` cannot draw: "
    )
    assert f"by {least}" in said.rpartition("\n")[2]
    assert f"by {best['mechanism']}" in beyond.partition(". ")[0]
