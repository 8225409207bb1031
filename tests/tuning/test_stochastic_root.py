"""Test stochastic root finding on known curves."""

import math

import numpy as np
import pytest

from dptopk.tuning.stochastic_root import STREAMS, Shares

RUNS, ENDS = 2_000, (-3_000, 3_000)


def shares(place, steepness, seed):
    """Runs that succeed with a probability that is logistic around a place, coupled by stream."""

    def succeeded(rung, stream):
        drawn = np.random.default_rng((seed, stream)).random(RUNS)
        return int((drawn < 1 / (1 + math.exp(-steepness * (rung - place)))).sum())

    return Shares(succeeded, RUNS, ENDS)


@pytest.mark.parametrize("steepness", [0.02, 0.1])
def test_crossings_are_found_and_their_intervals_hold(steepness):
    place, n_held = 100.5, 0
    true = place + math.log(0.95 / 0.05) / steepness
    for seed in range(40):
        found = shares(place, steepness, seed).root(0.95, -200, 700)
        assert found.low < found.at < found.high
        n_held += found.low <= true <= found.high
    assert n_held >= 34  # of 40 at 95%: fewer once in 10,000


def test_an_easier_event_crosses_no_later():
    for seed in range(20):
        places = [shares(place, 0.05, seed).root(0.9, -100, 300) for place in (20.0, 20.2, 21.0)]
        assert [found.at for found in places] == sorted(found.at for found in places)


def test_what_is_never_or_always_reached_is_beyond_the_ends():
    never, always = (Shares(lambda *_, n=n: n, RUNS, ENDS) for n in (0, RUNS))
    assert never.root(0.5, 0, 8).at == math.inf
    assert always.root(0.5, 0, 8).at == -math.inf


def test_runs_too_few_to_tell_leave_an_end_open():
    found = shares(0.0, 0.1, 1).root(0.9999, 0, 200)
    assert found.high == math.inf
    assert found.low < found.at
    assert shares(0.0, 0.1, 1).runs == STREAMS * RUNS
