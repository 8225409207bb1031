"""Test quantiles of runs that are reweighted by the exact probability of a right release."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import (
    METRICS,
    CDPPeel,
    ItemCounts,
    Joint,
    JointSet,
    LimitedDomain,
    PNFPeel,
    load_dataset,
    output_distribution,
    run_trials,
    summarize,
    sweep,
)
from dptopk.core.cancellation import on_pause
from dptopk.core.errors import all_errors
from dptopk.core.estimate import Estimate
from dptopk.laws.exact import chance_exact_sequence, chance_exact_set
from dptopk.simulation.post_stratified import (
    Right,
    held_mean,
    interval,
    known_right,
    known_rights,
    quantile,
)
from dptopk.simulation.trials import at_points

COUNTS = ItemCounts([9, 7, 4, 2, 0])
GAMES = load_dataset("games")


def chances(mechanism, counts):
    ordered = mechanism.outputs.ordered
    sets = {"exact_set": chance_exact_set(counts, mechanism)}
    return sets | ({"exact_sequence": chance_exact_sequence(counts, mechanism)} if ordered else {})


@pytest.mark.parametrize("metric", ["linf", "l1", "k_relative", "signed_max", "items_right"])
@pytest.mark.parametrize("epsilon", [0.6, 0.901, 1.2009, 1.2064, 3.0])
def test_intervals_cover_the_quantiles_of_a_known_law(metric, epsilon, rng):
    """Of 300 samples of 50 runs each; at 1.2009 and 1.2064 0.4995 and 0.502 are right in order."""
    mechanism = Joint(2, epsilon)
    law = output_distribution(COUNTS, mechanism)
    values = METRICS[metric].compute(COUNTS, law.sequences, mechanism.outputs)
    ascending = np.argsort(values)
    cumulative = np.cumsum(law.probabilities[ascending])
    known = known_right(COUNTS, mechanism, metric, chances(mechanism, COUNTS))
    seen = all_errors(COUNTS, mechanism.sample(COUNTS, 300 * 50, rng), mechanism.outputs)
    for level in (0.25, 0.5, 0.75):
        true = values[ascending][np.searchsorted(cumulative, level)]
        n_covered = 0
        for rows in np.arange(300 * 50).reshape(300, 50):
            order = rows[np.argsort(seen[metric][rows])]
            found = quantile(seen[metric][order], seen[known.column][order], level, known)
            assert found.low <= found.value <= found.high
            assert not found.exact or found.value == true  # where it is exact it is never wrong
            n_covered += found.low <= true <= found.high
        assert n_covered >= 0.91 * 300  # 95% at least: three standard errors below


def test_a_median_is_0_where_half_are_right_and_never_where_fewer_are():
    """What runs gave of the data on games contradicted these chances: 0.803, 0.465 and 0.446."""
    mechanisms = (Joint(10, 1.0), CDPPeel(10, 1.0, 1e-6, calibration="optimal"), PNFPeel(10, 1.0))
    exact = {m: {"exact_sequence": chance_exact_sequence(GAMES, m)} for m in mechanisms}
    trials = run_trials(GAMES, mechanisms, 250, seed=4)
    right = {m: known_right(GAMES, m, "linf", exact[m]) for m in mechanisms}
    plain = summarize(trials, "linf").set_index("mechanism")
    assert plain.loc["CDP-Peel (optimal)", "median"] == 0  # by bad luck
    assert plain.loc["PNF-Peel", "median_low"] == 0
    joint, cdp, pnf = summarize(trials, "linf", right).to_dict("records")
    assert joint["median"] == joint["median_low"] == joint["median_high"] == 0
    assert joint["median_exact"] == joint["q25_exact"] == joint["q75_exact"] == 0
    for row in (cdp, pnf):
        assert (row["median_low"], row["median"], row["median_high"]) == (3, 3, 3)
        assert math.isnan(row["median_exact"])
        assert row["q25_exact"] == row["q25"] == 0
        assert row["q75"] > 0


def test_points_of_a_sweep_are_told_by_their_own_chances():
    mechanisms = (Joint(10, 1.0), CDPPeel(10, 1.0, 1e-6, calibration="optimal"), PNFPeel(10, 1.0))
    trials = sweep(GAMES, mechanisms, "k", [2, 10, 100], 50, seed=0)
    paused = []
    settings = at_points(mechanisms, "k", [2, 10, 100])
    with on_pause(lambda: paused.append(1)):
        right = known_rights(GAMES, settings, "linf", trials)
    assert {m.k for m in right} == {2, 10}  # of 100 no run is right, and none can be
    assert len(right) == 6
    assert len(paused) >= len(settings)
    rows = summarize(trials, "linf", right).set_index(["k", "mechanism"])
    assert (rows.loc[2, "median_exact"] == 0).all()
    assert rows.loc[(10, "Joint"), "median_exact"] == 0
    assert (rows.loc[10, "median_low"].drop("Joint") > 0).all()
    plain = summarize(trials, "linf").set_index(["k", "mechanism"])
    columns = ["q25", "median", "q75", "median_low", "median_high"]
    assert rows.loc[100, columns].equals(plain.loc[100, columns])


def test_settings_that_read_fewer_items_are_told_apart():
    mechanisms = (LimitedDomain(2, 1.0, 1e-3, k_bar=2), LimitedDomain(2, 1.0, 1e-3, k_bar=5))
    counts = ItemCounts([90, 70, 40, 20, 0])
    trials = run_trials(counts, (*mechanisms, Joint(2, 1.0)), 40, seed=0)
    few = Right("exact_sequence", 0.6, 0, 0, 90)
    rows = summarize(trials, "linf", {mechanisms[1]: few, mechanisms[0]: None})
    assert rows["median_exact"].isna().tolist() == [True, False, True]


def test_what_is_right_has_no_error_and_what_is_not_has_one():
    sequence = {"exact_sequence": Estimate.of_logs(math.log(0.2), math.log(0.8))}
    both = sequence | {"exact_set": Estimate.of_logs(math.log(0.7), math.log(0.3))}
    joint, short = Joint(3, 1.0), LimitedDomain(3, 1.0, 1e-6)

    def known(mechanism, metric, shares=both):
        return known_right(COUNTS, mechanism, metric, shares)

    assert known(joint, "linf") == Right("exact_sequence", pytest.approx(0.2), 0, 1, 9)
    assert known(joint, "l1") == Right("exact_sequence", pytest.approx(0.2), 0, 1, 27)
    assert known(joint, "linf_index") == Right("exact_sequence", pytest.approx(0.2), 0, 1, 3)
    assert known(joint, "k_relative") == Right("exact_set", pytest.approx(0.7), 0, 0, 4)
    assert known(joint, "items_right") == Right("exact_set", pytest.approx(0.7), 3, 0, 2)
    assert known(joint, "items_right", sequence).most == 3  # all of them, in another order
    assert known(short, "linf").least == 0  # what is missing may have had no users
    assert known(JointSet(3, 1.0), "linf").column == "exact_set"
    assert known(JointSet(3, 1.0), "linf", sequence) is None
    assert known(joint, "linf", {}) is None


def test_runs_that_are_all_right_leave_all_other_errors_possible():
    known = Right("exact_sequence", 0.4, 0, 1, 27)
    always = np.ones(3, dtype=bool)
    found = quantile(np.zeros(3, dtype=int), always, 0.5, known)
    assert (found.low, found.value, found.high, found.exact) == (1, 1, 27, False)
    fewer = quantile(np.full(3, 3), always, 0.5, Right("exact_set", 0.4, 3, 0, 2))
    assert (fewer.low, fewer.value, fewer.high, fewer.exact) == (0, 2, 2, False)
    certain = quantile(np.zeros(3, dtype=int), always, 0.5, Right("exact_set", 1.0, 0, 1, 1))
    assert (certain.value, certain.exact) == (0, True)


def test_without_a_known_chance_quantiles_are_those_of_the_runs():
    values = np.arange(40)
    found = quantile(values, values < 20, 0.5, None)
    assert (found.value, (found.low, found.high)) == (19.5, interval(values, 0.5, 0, 39))


@given(p=st.floats(0, 1), value=st.integers(1, 200))
def test_where_all_others_are_alike_the_mean_is_known_and_its_ends_are_in_order(p, value):
    log = math.log(p) if p else -math.inf
    chance = Estimate.of_logs(log, math.log1p(-p) if p < 1 else -math.inf)
    right = Right("exact_set", p, value, 0, 0)
    found = held_mean(Estimate(value / 2, 0, value, 50), right, chance)
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx(p * value)


def test_a_mean_that_runs_put_beyond_what_is_implied_is_taken_from_that_alone():
    """Nine of ten releases have 3, all others up to 2: the mean is between 2.7 and 2.9."""
    right, chance = Right("exact_set", 0.9, 3, 0, 2), Estimate.of_logs(math.log(0.9), math.log(0.1))
    for runs, held in (((2.0, 1.9, 2.1), (2.7, 2.7, 2.9)), ((2.8, 2.75, 3.0), (2.8, 2.75, 2.9))):
        found = held_mean(Estimate(*runs, 50), right, chance)
        assert (found.value, found.low, found.high) == pytest.approx(held)
