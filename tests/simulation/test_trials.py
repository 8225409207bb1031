"""Test repeated runs and sweeps: tidy, reproducible, cancellable, and correctly distributed."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from dptopk import (
    METRICS,
    CDPPeel,
    ItemCounts,
    Joint,
    LimitedDomain,
    LimitedDomainLaplace,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    release,
    run_trials,
    summarize,
    sweep,
)
from dptopk.questions.errors import measure_errors

COUNTS = ItemCounts([40, 3, 25, 17, 17, 8, 0, 2])
EVERY = [Joint(3, 1.0), PNFJoint(3, 1.0), PNFPeel(3, 1.0), CDPPeel(3, 1.0, 1e-6)]
SETTING = ["mechanism", "k", "epsilon", "delta", "neighbors"]
COLUMNS = [*SETTING, "trial", *METRICS, "exact_sequence", "exact_set"]


def test_one_row_a_mechanism_and_trial():
    trials = run_trials(COUNTS, EVERY, 600, seed=1)
    assert trials.columns.tolist() == COLUMNS
    assert len(trials) == 4 * 600
    assert trials.index.tolist() == list(range(4 * 600))
    assert trials["mechanism"].unique().tolist() == ["Joint", "PNFJoint", "PNF-Peel", "CDP-Peel"]
    for _, rows in trials.groupby("mechanism"):
        assert rows["trial"].tolist() == list(range(600))
    assert trials["delta"].unique().tolist() == [0.0, 1e-6]
    assert (trials["k"] == 3).all()
    assert (trials["epsilon"] == 1.0).all()
    scores = {key for key, metric in METRICS.items() if metric.is_score}
    for key in METRICS:
        assert trials[key].dtype == (np.float64 if key in scores else np.int64), key
    assert trials[["exact_sequence", "exact_set"]].dtypes.eq(bool).all()


def test_company_changes_nothing():
    """Each mechanism draws the same whatever runs beside it, before or after it."""
    together = run_trials(COUNTS, EVERY, 300, seed=3)
    assert not together.equals(run_trials(COUNTS, EVERY, 300, seed=4))
    backwards = run_trials(COUNTS, EVERY[::-1], 300, seed=3)
    for mechanism in EVERY:
        alone = run_trials(COUNTS, [mechanism], 300, seed=3)
        for table in (together, backwards):
            rows = table[table["mechanism"] == mechanism.name].reset_index(drop=True)
            pd.testing.assert_frame_equal(alone, rows)


def test_settings_are_told_apart():
    """Also those that differ in their calibration or their neighbours only."""
    peel, swapped = CDPPeel(3, 1.0, 1e-6), Joint(3, 1.0, NeighborRelation.SWAP)
    every = [peel, peel.replaced(calibration="optimal"), EVERY[0], swapped]
    trials = run_trials(COUNTS, every, 5, seed=1)
    assert trials["mechanism"].unique().tolist() == ["CDP-Peel", "CDP-Peel (optimal)", "Joint"]
    assert len(summarize(trials, "linf")) == 4


@pytest.mark.parametrize("run", [run_trials, partial(measure_errors, metric="linf")])
@pytest.mark.parametrize(
    "pair",
    [
        [LimitedDomain(3, 0.3, 1e-6, max_items=m) for m in (1, 10)],
        [LimitedDomainLaplace(3, 0.3, 1e-6, max_items=m) for m in (1, 10)],
        [Joint(3, 1.0), Joint(3, 1.0)],
    ],
    ids=lambda pair: pair[0].name,
)
def test_runs_that_a_table_would_hold_as_one_are_refused(run, pair):
    with pytest.raises(ValueError, match="mechanisms must differ by") as caught:
        run(COUNTS, pair, n=5, seed=0)
    assert all(repr(one) in str(caught.value) for one in pair)
    with pytest.raises(ValueError, match="mechanisms must differ by"):
        sweep(COUNTS, pair[:1], "epsilon", [0.5, 0.5], n=5, seed=0)


def test_a_longer_run_begins_like_a_shorter_one():
    short, long = (run_trials(COUNTS, EVERY[:1], n, seed=3) for n in (500, 1250))
    pd.testing.assert_frame_equal(long.head(500), short)


def test_settings_draw_independently():
    """Neighbouring settings, seeds and batches do not repeat each other's draws."""
    trials = run_trials(COUNTS, [Joint(3, 1.0), Joint(3, 1.0001)], 1000, seed=3)
    first, second = trials["l1"].to_numpy().reshape(2, 1000)
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / np.sqrt(1000)
    assert abs(np.corrcoef(first[:500], first[500:])[0, 1]) < 5 / np.sqrt(500)


def test_one_release():
    for mechanism in EVERY:
        sequence = release(COUNTS, mechanism, seed=5)
        assert sequence.shape == (3,)
        assert len(set(sequence.tolist())) == 3
        np.testing.assert_array_equal(sequence, release(COUNTS, mechanism, seed=5))
    outputs = {tuple(release(COUNTS, EVERY[0], seed=seed).tolist()) for seed in range(200)}
    assert len(outputs) > 5


@pytest.mark.parametrize(("over", "values"), [("k", [1, 4, 8]), ("epsilon", [0.1, 1, 10.0])])
def test_sweep_has_every_value_and_else_changes_nothing(over, values):
    table = sweep(COUNTS, EVERY, over, (value for value in np.array(values)), 50, seed=2)
    assert table.columns.tolist() == COLUMNS
    assert len(table) == len(values) * len(EVERY) * 50
    assert table[over].unique().tolist() == values
    fixed = "epsilon" if over == "k" else "k"
    assert table[fixed].nunique() == 1
    one = Joint(4, 1.0) if over == "k" else Joint(3, 10.0)
    rows = table[(table["mechanism"] == "Joint") & (table[over] == getattr(one, over))]
    pd.testing.assert_frame_equal(
        rows.reset_index(drop=True), run_trials(COUNTS, [one], 50, seed=2)
    )


def test_a_sweep_over_items_read():
    """Its own column tells the points apart; who reads everything has none."""
    reading = LimitedDomain(2, 3.0, 1e-2)
    table = sweep(COUNTS, [reading], "k_bar", [2, 5], 40, seed=2)
    assert table["k_bar"].unique().tolist() == [2, 5]
    assert summarize(table, "linf")["k_bar"].tolist() == [2, 5]
    both = run_trials(COUNTS, [reading, Joint(2, 3.0)], 40, seed=2)
    summary = summarize(both, "linf")
    assert summary["k_bar"].tolist()[0] == 4  # 2 k where nothing is set
    assert np.isnan(summary["k_bar"].tolist()[1])
    assert summary["n"].tolist() == [40, 40]
    with pytest.raises(ValueError, match=r"^over must be a parameter of Joint"):
        sweep(COUNTS, [reading, Joint(2, 3.0)], "k_bar", [2], 5, seed=0)


# --- progress ----------------------------------------------------------------------------


def test_progress_grows_to_one():
    shares = []
    run_trials(COUNTS, EVERY, 600, seed=1, progress=shares.append)
    assert len(shares) >= len(EVERY)
    assert shares == sorted(set(shares))
    assert shares[0] > 0
    assert shares[-1] == 1.0


def test_progress_counts_the_work_of_a_sweep():
    shares = []
    sweep(COUNTS, EVERY[:1], "k", [1, 3], 10, seed=1, progress=shares.append)
    assert shares == pytest.approx([0.25, 1.0])


@pytest.mark.parametrize("stop_after", [1, 3, 5])
def test_stopping_keeps_what_was_done(stop_after):
    whole = run_trials(COUNTS, EVERY, 600, seed=1)
    calls = []

    def progress(share):
        calls.append(share)
        return len(calls) < stop_after

    part = run_trials(COUNTS, EVERY, 600, seed=1, progress=progress)
    assert len(calls) == stop_after
    assert len(part) == round(calls[-1] * len(whole))
    assert 0 < len(part) < len(whole)
    pd.testing.assert_frame_equal(part, whole.head(len(part)))


@pytest.mark.parametrize("answer", [None, True, 0, "no"])
def test_only_false_stops(answer):
    assert len(run_trials(COUNTS, EVERY, 5, seed=1, progress=lambda _: answer)) == 20


# --- refusals ----------------------------------------------------------------------------

RUN = [
    (([5, 3], EVERY, 1, 0), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((COUNTS, [], 1, 0), ValueError, r"mechanisms must hold at least one entry, got none"),
    ((COUNTS, ["Joint"], 1, 0), TypeError, r"mechanisms\[0\] must be a mechanism, got 'Joint'"),
    ((COUNTS, [EVERY[0], Joint], 1, 0), TypeError, r"mechanisms\[1\] must be a mechanism, got "),
    ((COUNTS, EVERY[0], 1, 0), TypeError, r"mechanisms must"),
    ((COUNTS, [Joint(9, 1.0)], 1, 0), ValueError, r"k must be in \[1, 8\] for 8 items, got 9"),
    ((COUNTS, EVERY, 0, 0), ValueError, r"n must be at least 1, got 0"),
    ((COUNTS, EVERY, 1.0, 0), TypeError, r"n must be an integer, got 1\.0"),
    ((COUNTS, EVERY, True, 0), TypeError, r"n must be an integer, got True"),
    ((COUNTS, EVERY, 1, -1), ValueError, r"seed must be at least 0, got -1"),
    ((COUNTS, EVERY, 1, None), TypeError, r"seed must be an integer, got None"),
    ((COUNTS, EVERY, 1, 0.5), TypeError, r"seed must be an integer, got 0\.5"),
]


OF_ONE = [
    ((COUNTS, "Joint", 0), TypeError, "mechanism must be a mechanism, got"),
    ((COUNTS, Joint, 0), TypeError, "mechanism must be a mechanism, got"),
    ((COUNTS, [Joint(1, 1.0)], 0), TypeError, "mechanism must be a mechanism, got"),
    ((COUNTS, Joint(9, 1.0), 0), ValueError, r"k must be in \[1, 8\] for 8 items, got 9"),
    ((COUNTS, Joint(2, 1.0), -1), ValueError, r"seed must be at least 0, got -1"),
    ((COUNTS, Joint(2, 1.0), "0"), TypeError, r"seed must be an integer, got '0'"),
]


def test_wrong_arguments(not_refused):
    def swept(counts, mechanisms, n, seed):
        return sweep(counts, mechanisms, "epsilon", [0.5], n, seed)

    assert not_refused(run_trials, RUN) == []
    assert not_refused(swept, RUN) == []
    assert not_refused(release, OF_ONE) == []


@pytest.mark.parametrize(
    ("over", "values", "error", "message"),
    [
        ("delta", [0.1], ValueError, r"over must be one of 'k', 'epsilon', 'k_bar', got 'delta'"),
        (None, [0.1], TypeError, r"over must be a string, got None"),
        ("k", [], ValueError, r"values must hold at least one entry, got none"),
        ("k", [2, 0], ValueError, r"k must be at least 1, got 0"),
        ("k", [2.0], TypeError, r"k must be an integer, got 2\.0"),
        ("epsilon", [-1], ValueError, r"epsilon must be a number from 1e-9 to 1e12, got -1"),
        ("epsilon", ["1"], TypeError, r"epsilon must be a number, got '1'"),
        ("k", 3, TypeError, r"values must"),
    ],
)
def test_wrong_values_of_sweep(over, values, error, message):
    with pytest.raises(error, match=message):
        sweep(COUNTS, EVERY, over, values, 5, seed=0)


def test_what_is_wrong_is_said_before_any_work():
    calls = []
    with pytest.raises(ValueError, match="k must be in"):
        sweep(COUNTS, EVERY, "k", [1, 2, 9], 5, seed=0, progress=calls.append)
    assert calls == []
