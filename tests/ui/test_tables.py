"""Tables: every mark and number is the one that was computed, and none is false."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dptopk import ItemCounts, Joint, PNFPeel, exact_error, run_trials, summarize
from dptopk.errors import METRICS, count_given_up, placements
from dptopk.ui import tables

COUNTS = ItemCounts([5, 90, 70, 70, 1], ["e", "a", "b", "c", "=1+1"])
# places: a is right; e is foreign; c is moved (70 of the top 3, but not at place 3 of 90 70 70 ...)
SAMPLES = {"Joint": np.array([1, 2, 3]), "PNF-Peel": np.array([3, 1, 4])}
MARKS = {label: placements(COUNTS, sample[None])[0] for label, sample in SAMPLES.items()}
GIVEN_UP = {label: count_given_up(COUNTS, sample[None])[0] for label, sample in SAMPLES.items()}


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
@example(1e-300)
@example(5e-7)
@example(1e-6)
@example(0.0009999)
@example(0.9990001)
@example(0.99999949)
@example(1 - 2**-53)
def test_a_percentage_is_never_a_false_0_or_100(value):
    shown = tables.percent(value)
    assert not re.fullmatch(r"0(\.0+)?(e[+-]?\d+)?%?|100(\.0+)?%", shown)


@given(st.floats(0, 1))
def test_a_percentage_is_close_to_its_value(value):
    shown = tables.percent(value)
    number = float(shown.removeprefix("> ").rstrip("%"))
    told = number / 100 if shown.endswith("%") else number
    assert told == pytest.approx(value, rel=0.06, abs=0)
    assert told == pytest.approx(value, rel=0, abs=0.00051)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0%"),
        (1.0, "100.0%"),
        (0.25, "25.0%"),
        (0.0005, "0.0500%"),
        (0.99995, "99.9950%"),
        (1e-9, "1.0e-09"),
        (1 - 1e-9, "> 99.9999%"),
    ],
)
def test_percentages(value, shown):
    assert tables.percent(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234.0, "1,234"), (2.5, "2.5"), (2**53, "9,007,199,254,740,992")],
)
def test_numbers_of_users(value, shown):
    assert tables.number(value) == shown


def test_released_items_carry_their_mark_and_cost():
    frame = tables.released(COUNTS, SAMPLES, MARKS, GIVEN_UP)
    assert frame.to_dict("list") == {
        "place": [1, 2, 3],
        "true item": ["a", "b", "c"],
        "true count": [90, 70, 70],
        "Joint": ["✓ a", "✓ b", "✓ c"],
        "PNF-Peel": ["↕ (+20) c", "↕ (-20) a", "✗ (+69) =1+1"],
    }


def test_every_mark_has_its_own_tint():
    frame = tables.released(COUNTS, SAMPLES, MARKS, GIVEN_UP)
    html = tables.tinted(frame, list(SAMPLES)).to_html()
    assert all(tint in html.replace(", ", ",") for tint in tables._TINTS.values())
    assert len(set(tables._TINTS.values())) == 3
    assert list(tables._TINTS) == list(tables._MARKS.values())


def test_the_download_of_a_release_has_a_row_a_place():
    frame = tables.release_long(COUNTS, SAMPLES, MARKS, GIVEN_UP)
    assert frame["item"].tolist() == ["a", "b", "c", "c", "a", "=1+1"]
    assert frame["count"].tolist() == [90, 70, 70, 70, 90, 1]
    assert frame["given_up"].tolist() == [0, 0, 0, 20, -20, 69]
    assert frame["placement"].tolist() == ["right"] * 3 + ["moved", "moved", "foreign"]
    assert frame["place"].tolist() == [1, 2, 3] * 2


def test_errors_of_a_release_name_their_unit():
    errors = {"Joint": dict.fromkeys(METRICS, 0), "CDP-Peel": dict.fromkeys(METRICS, 4)}
    frame = tables.release_errors(errors)
    assert frame["Joint"].tolist() == [0, 0, 0, 0, 0]  # no error: at no place
    assert frame["CDP-Peel"].tolist() == [4, 4, 4, 4, 5]  # places are counted from 1
    titles = [f"{m.title} ({m.unit})" for m in METRICS.values()]
    assert frame["error"].tolist()[:4] == titles[:4]
    assert frame["error"].iloc[4] == "place of the ℓ∞ error (place; 0: no error)"


def test_gaps_and_largest_counts_in_order():
    gaps = tables.gaps(COUNTS, 4)
    assert gaps["item"].tolist() == ["a", "b", "c", "e"]
    assert gaps["count"].tolist() == [90, 70, 70, 5]
    assert gaps["gap to the next"].tolist() == [20, 0, 65, 4]
    assert tables.largest(COUNTS, 2)["item"].tolist() == ["a", "b"]
    assert tables.largest(COUNTS, 99)["count"].tolist() == [90, 70, 70, 5, 1]


@pytest.fixture
def summary() -> pd.DataFrame:
    return summarize(run_trials(COUNTS, [Joint(2, 0.05), PNFPeel(2, 0.05)], 60, 0), "signed_max")


def test_an_error_summary_says_what_is_exact_and_brackets_what_is_simulated(summary):
    law = exact_error(Joint(2, 0.05), COUNTS, "signed_max")
    shares = {"Joint": {"exact_sequence": 0.25, "exact_set": 0.5}}
    frame = tables.error_summary(summary, {"Joint": law}, shares).set_index("mechanism")
    joint, peel = frame.loc["Joint"], frame.loc["PNF-Peel"]
    assert joint["median"] == f"{law.quantile(0.5):,} exact"
    assert joint["middle half"] == f"{law.quantile(0.25):,} to {law.quantile(0.75):,} exact"
    assert (joint["right in order"], joint["right as a set"]) == ("25.0% exact", "50.0% exact")
    row = summary.set_index("mechanism").loc["PNF-Peel"]
    bracketed = re.fullmatch(r"(.*) \[(.*), (.*)\]", peel["median"]).groups()
    assert [float(x) for x in bracketed] == [row["median"], row["median_low"], row["median_high"]]
    assert peel["middle half"].endswith("simulated")
    assert re.fullmatch(r"[\d.]+% \[[\d.]+%, [\d.]+%\]", peel["right as a set"])
    assert peel["median of the runs"] == peel["median"]


def test_an_error_summary_without_exact_laws_has_no_second_median(summary):
    assert "median of the runs" not in tables.error_summary(summary, {}, {})


def test_a_sweep_that_was_stopped_says_what_was_not_run():
    rows = [("Joint", 1, 4.0), ("CDP-Peel", 1, 2.5), ("Joint", 2, 6.0)]
    summary = pd.DataFrame(
        [
            {"mechanism": m, "k": k, "median": x, "median_low": x, "median_high": x}
            for m, k, x in rows
        ]
    )
    frame = tables.sweep(summary, "k")
    assert frame.to_dict("list") == {
        "k": [1, 2],
        "Joint": ["4 [4, 4]", "6 [6, 6]"],
        "CDP-Peel": ["2.5 [2.5, 2.5]", "not run"],
    }
