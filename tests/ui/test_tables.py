"""Test that tables show the computed marks and numbers."""

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from summarized_errors import summarized

from dptopk import (
    NOTHING,
    CDPPeel,
    ItemCounts,
    Joint,
    OutputKind,
    PNFPeel,
    exact_error,
    run_trials,
    summarize,
)
from dptopk.core.errors import METRICS, count_given_up
from dptopk.core.estimate import Estimate
from dptopk.core.placements import placements
from dptopk.data.tables import frame_of
from dptopk.laws.exact import chance_exact_sequence, chance_exact_set
from dptopk.questions.errors import error_rows, with_implied
from dptopk.questions.gaps import gap_rows
from dptopk.questions.release import Release, release_rows
from dptopk.simulation.post_stratified import Right
from dptopk.simulation.single_releases import ReleasedGaps
from dptopk.ui import show, tables

COUNTS = ItemCounts([5, 90, 70, 70, 1], ["e", "a", "b", "c", "=1+1"])
# places: a is right; e is foreign; c is moved (70 of the top 3, but not at place 3 of 90 70 70 ...)
SAMPLES = {"Joint": np.array([1, 2, 3]), "PNF-Peel": np.array([3, 1, 4])}
ORDERED = Joint(1, 1.0).outputs


def released(sample, outputs=ORDERED, noisy=None) -> tables.Release:
    """One release, as the page makes it."""
    rows = np.asarray(sample)[None]
    given_up, marks = (f(COUNTS, rows, outputs)[0] for f in (count_given_up, placements))
    return Release(outputs.aligned(COUNTS, rows)[0], given_up, marks, noisy, outputs)


RELEASES = {label: released(sample) for label, sample in SAMPLES.items()}


def test_released_items_carry_their_mark_and_cost():
    frame = tables.released(COUNTS, RELEASES)
    assert frame.to_dict("list") == {
        "place": [1, 2, 3],
        "true item": ["a", "b", "c"],
        "true count": [90, 70, 70],
        "Joint": ["✓ a", "✓ b", "✓ c"],
        "PNF-Peel": ["↕ (+20) c", "↕ (−20) a", "✗ (+69) =1+1"],
    }


def test_the_download_of_a_release_has_a_row_a_place():
    frame = frame_of(release_rows(COUNTS, RELEASES))
    assert frame["item"].tolist() == ["a", "b", "c", "c", "a", "=1+1"]
    assert frame["count"].tolist() == [90, 70, 70, 70, 90, 1]
    assert frame["given_up"].tolist() == [0, 0, 0, 20, -20, 69]
    assert frame["placement"].tolist() == ["right"] * 3 + ["moved", "moved", "foreign"]
    assert frame["place"].tolist() == [1, 2, 3] * 2


SETS = OutputKind(ordered=False)
SHORT = OutputKind(short=True, counted=True)


def test_sets_stand_by_their_true_counts_and_short_outputs_end_in_nothing():
    other = {
        "set": released([0, 1, 3], SETS),
        "short": released([1, NOTHING, NOTHING], SHORT, np.array([91.4, np.nan, np.nan])),
    }
    frame = tables.released(COUNTS, other)
    assert frame["set"].tolist() == ["✓ a", "✓ c", "✗ (+65) e"]
    assert frame["short"].tolist() == ["✓ [91] a", "⊥ nothing", "⊥ nothing"]
    long = frame_of(release_rows(COUNTS, other))
    assert long["item"].fillna("nothing").tolist() == ["a", "c", "e", "a", "nothing", "nothing"]
    assert long["count"].fillna(-1).tolist() == [90, 70, 5, 90, -1, -1]
    assert long["placement"].tolist() == ["right", "right", "foreign", "right", "empty", "empty"]
    assert long["given_up"].tolist() == [0, 0, 65, 0, 70, 70]
    np.testing.assert_array_equal(long["released_count"], [np.nan] * 3 + [91.4] + [np.nan] * 2)


def test_released_counts_stand_beside_the_true_ones_with_their_error():
    short = released([1, NOTHING, NOTHING], SHORT, np.array([91.44, np.nan, np.nan]))
    frame = tables.released_counts(COUNTS, RELEASES | {"short": short}, "likes")
    (row,) = frame.to_dict("records")
    assert [*row] == ["mechanism", "place", "item", "true count (likes)", "released count", "error"]
    assert [*row.values()] == ["short", 1, "a", 90, 91.4, 1.4]
    assert tables.released_counts(COUNTS, RELEASES, "likes").empty


def test_errors_of_a_release_name_their_unit():
    errors = {"Joint": dict.fromkeys(METRICS, 0), "CDP-Peel": dict.fromkeys(METRICS, 4)}
    frame = tables.release_errors(errors, "likes")
    assert frame["Joint"].tolist() == [0] * len(METRICS)  # no error: at no place
    assert frame["CDP-Peel"].tolist() == [4, 4, 4, 4, 5, 5, 4, 4, 4, 4]  # places from 1
    titles = [f"{m.title} (likes)" for m in METRICS.values()]
    assert frame["error"].tolist()[:4] == titles[:4]
    assert frame["error"].iloc[6] == "items right (items)"
    assert frame["error"].iloc[-1] == "Jaccard index (from 0 to 1)"
    assert frame["error"].iloc[4] == "place of the maximum (place, from 1; 0: no error)"


def test_gaps_and_largest_counts_in_order():
    gaps = gap_rows(COUNTS, 4, "likes")
    assert gaps["item"].tolist() == ["a", "b", "c", "e"]
    assert gaps["count (likes)"].tolist() == [90, 70, 70, 5]
    assert gaps["gap to the next (likes)"].tolist() == [20, 0, 65, 4]
    assert tables.largest(COUNTS, 2, "likes")["item"].tolist() == ["a", "b"]
    assert tables.largest(COUNTS, 99, "likes")["count (likes)"].tolist() == [90, 70, 70, 5, 1]


@pytest.fixture
def summary() -> pd.DataFrame:
    return summarize(run_trials(COUNTS, [Joint(2, 0.05), PNFPeel(2, 0.05)], 60, 0), "signed_max")


def test_an_error_summary_says_what_is_exact_and_brackets_what_is_simulated(summary):
    law = exact_error(COUNTS, Joint(2, 0.05), "signed_max")
    nearly = Estimate.of_logs(0.0, math.log(1.23e-9))  # as a float it is 1
    shares = {"Joint": {"exact_sequence": Estimate.of_logs(math.log(0.25), math.log(0.75))}}
    shares["Joint"]["exact_set"] = nearly
    frame = tables.error_summary(summarized(summary, {"Joint": law}, shares)).set_index("mechanism")
    joint, peel = frame.loc["Joint"], frame.loc["PNF-Peel"]
    assert joint["median"] == f"{law.quantile(0.5):,} exact"
    assert joint["middle half"] == f"{law.quantile(0.25):,} to {law.quantile(0.75):,} exact"
    assert joint["right in order"] == "25.0% exact"
    assert joint["right as a set"] == "> 99.9999% exact, 1.2e-9 below 1"
    assert joint["items right, of 2"] == "> 1.999 exact"  # the exact set implies it
    assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", peel["items right, of 2"])
    row = summary.set_index("mechanism").loc["PNF-Peel"]
    bracketed = re.fullmatch(r"(.*) \[(.*), (.*)\]", peel["median"]).groups()
    assert [float(x) for x in bracketed] == [row["median"], row["median_low"], row["median_high"]]
    assert peel["middle half"].endswith("simulated")
    assert re.fullmatch(r"[\d.]+% \[[\d.]+%, [\d.]+%\]", peel["right as a set"])
    assert peel["median of the runs"] == peel["median"]


@pytest.mark.parametrize(
    ("right", "shown"),
    [
        (0.5, "9.5 [5, 9.5]"),  # the runs say more than can be
        (0.98, "9.95 [9.9, 9.98]"),
        (0.995, "9.95 [9.95, 9.98]"),
        (1 - 1e-12, "> 9.999 exact"),
        (1.0, "> 9.999 exact"),  # as a float
    ],
)
def test_items_right_stay_within_what_the_exact_set_implies(right, shown):
    row = {"mechanism": "M", "k": 10, "n": 50, "items_right": 9.95}
    row |= {"items_right_low": 9.9, "items_right_high": 9.98}
    chance = Estimate.of_logs(math.log(right), math.nan)
    (held,) = with_implied(pd.DataFrame([row]), {"M": {"exact_set": chance}}).to_dict("records")
    assert held["items_right_high"] <= 9 + right
    assert held["items_right_low"] <= held["items_right"] <= held["items_right_high"]
    assert tables.items_right(held) == shown
    (all_right,) = with_implied(
        pd.DataFrame([row]), {"M": {"exact_set": Estimate.of_logs(0.0, -math.inf)}}
    ).to_dict("records")
    assert tables.items_right(all_right) == "10 exact"


def test_a_quantile_that_the_chance_of_right_releases_settles_is_exact_beside_laws():
    mechanisms = Joint(2, 0.5), PNFPeel(2, 0.5), CDPPeel(2, 0.5, 1e-6)
    right = {m: Right("exact_sequence", 0.6, 0, 1, 90) for m in mechanisms[1:2]}
    right |= {m: Right("exact_sequence", 0.8, 0, 1, 90) for m in mechanisms[2:]}
    found = summarize(run_trials(COUNTS, mechanisms, 60, 0), "signed_max", right)
    laws = {"Joint": exact_error(COUNTS, mechanisms[0], "signed_max")}
    frame = tables.error_summary(summarized(found, laws)).set_index("mechanism")
    assert frame.loc["PNF-Peel", ["median", "median of the runs"]].tolist() == ["0 exact", "–"]
    assert re.fullmatch(r"0 to [\d.]+ simulated", frame.loc["PNF-Peel", "middle half"])
    assert frame.loc["CDP-Peel", "middle half"] == "0 to 0 exact"
    rows = error_rows(found, laws, {})
    assert rows["median_exact"].tolist() == [laws["Joint"].quantile(0.5), 0, 0]
    assert rows["q75_exact"].isna().tolist() == [False, True, False]
    assert tables.sweep(found, "k").loc[0, "PNF-Peel"] == "0 exact"


def test_a_sweep_that_was_stopped_says_what_was_not_run():
    rows = [("Joint", 1, 4.0), ("CDP-Peel", 1, 2.5), ("Joint", 2, 6.0)]
    summary = pd.DataFrame(
        [
            {"mechanism": m, "k": k, "n": 3, "median": x, "median_low": x, "median_high": x}
            for m, k, x in rows
        ]
    )
    frame = tables.sweep(summary, "k")
    assert frame.to_dict("list") == {
        "k": [1, 2],
        "Joint": ["4 [4, 4]", "6 [6, 6]"],
        "CDP-Peel": ["2.5 [2.5, 2.5]", "not run"],
    }


def test_cells_of_tables_stay_text():
    frame = show.rows([["1", "=1+1"], ["NA", ""]], ["x", "x"])
    assert frame.to_numpy().tolist() == [["1", "=1+1"], ["NA", ""]]
    assert list(frame.columns) == ["x", "x"]


def test_the_download_of_errors_names_what_is_simulated_and_holds_what_is_exact():
    joint, peel = Joint(3, 0.5), PNFPeel(3, 0.5)
    counts = ItemCounts([40, 31, 25, 17, 8, 3])
    summary = summarize(run_trials(counts, [joint, peel], 50, seed=0), "signed_max")
    laws = {joint.label: exact_error(counts, joint, "signed_max")}
    in_order, as_set = (f(counts, joint) for f in (chance_exact_sequence, chance_exact_set))
    shares = {joint.label: {"exact_sequence": in_order, "exact_set": as_set}}
    frame = error_rows(summary, laws, shares).set_index("mechanism")
    exact = ["median_exact", "right_in_order_exact", "right_as_a_set_exact"]
    logs = [f"right_as_a_set_exact_log{end}" for end in ("", "_complement")]
    assert frame.loc["Joint", exact + logs].tolist() == [
        *(laws[joint.label].quantile(0.5), in_order.probability, as_set.probability),
        *(as_set.log, as_set.log_complement),
    ]
    assert frame["right_in_order_simulated"].tolist() == summary["exact_sequence"].tolist()
    assert frame.loc["PNF-Peel", exact].isna().all()
    assert not {"exact_sequence", "exact_set"} & set(frame)


def test_released_gaps_stand_beside_the_true_ones():
    gap, low, high = np.array([[21.25, -0.0, np.nan], [12, -9, np.nan], [30, 9, np.nan]])
    gaps = ReleasedGaps(gap, low, high, np.array([12, 0, 0]), 0.95)
    one = replace(released([1, 3, 2]), gaps=gaps)
    frame = tables.released_gaps(COUNTS, RELEASES | {"EM-Peel": one}, "likes")
    assert frame.to_dict("list") == {
        "mechanism": ["EM-Peel"] * 2,
        "place": [1, 2],
        "item": ["a", "c"],
        "noisy gap": [21.2, 0.0],
        "at least": [12, -9],
        "at most": [30, 9],
        "true gap": [20, 0],
        "likes at least": [12, 0],
        "true count (likes)": [90, 70],
    }
    assert tables.released_gaps(COUNTS, RELEASES, "likes").empty
    long = frame_of(release_rows(COUNTS, {"EM-Peel": one, "Joint": RELEASES["Joint"]}))
    assert long["gap_at_least"].tolist()[:2] == [12, -9]
    assert long["count_at_least"].tolist()[:3] == [12, 0, 0]
    assert long[["gap", "gap_at_least", "gap_at_most"]].iloc[2:].isna().all(axis=None)


def test_a_gap_to_what_is_not_released_is_to_the_largest_of_it():
    gaps = ReleasedGaps(np.array([3.0]), np.array([1.0]), np.array([5.0]), np.array([1]), 0.95)
    one = replace(released([2]), gaps=gaps)
    assert tables.released_gaps(COUNTS, {"Laplace": one}, "likes")["true gap"].tolist() == [-20]
