"""Test that deliberately wrong mechanisms have the described laws and violate their guarantee.

That the right ones keep theirs is in `test_conformance_privacy`; it proves something because
these are caught.
"""

import itertools
import math

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    EMPeel,
    ItemCounts,
    Joint,
    Laplace,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    output_distribution,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.mechanisms.pitfalls import (
    BROKEN,
    CoinsByName,
    FullBudgetRounds,
    MisscaledCDPPeel,
    NoNoise,
    TrueThreshold,
    UndividedLaplace,
)

COUNTS = ItemCounts([4, 3, 3, 1])
TIED = ItemCounts([20, 20, 10, 10])
SWAP = NeighborRelation.SWAP


@pytest.mark.parametrize("mechanism", [Joint, PNFJoint, PNFPeel])
def test_add_remove_noise_breaks_under_swap(mechanism):
    assert worst_case_loss(TIED, mechanism(3, 1.0), SWAP).value > 1.3


def test_cdp_peel_add_remove_noise_breaks_under_swap():
    """The published code offers this as (epsilon, delta)-DP for replaced users."""
    found = worst_case_hockey_stick(ItemCounts([1, 0, 2, 0, 3]), CDPPeel(2, 1.0, 1e-6), 1.0, SWAP)
    assert found.value > 1e-3


def test_a_forgotten_factor_breaks_joint():
    class WithoutTwo(Joint):
        rate = 1.0  # and not half of epsilon

    assert worst_case_loss(TIED, WithoutTwo(3, 1.0)).value > 1.3


@pytest.mark.parametrize("calibration", ["paper", "optimal"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_too_little_gumbel_noise_breaks_cdp_peel(calibration, delta):
    """At delta = 0 a round has epsilon / k to spend, and peeling uses all of it."""
    wrong = MisscaledCDPPeel(1, 1.0, delta, calibration=calibration, factor=1.25)
    assert worst_case_hockey_stick(ItemCounts([7] * 5), wrong, 1.0).value > 1e-3


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_each_has_a_law_and_breaks_its_promise(kind):
    more = {"threshold": 2} if kind is TrueThreshold else {}
    mechanism = kind(2, 1.0, **more)
    assert mechanism.guarantee.epsilon == 1.0
    assert output_distribution(COUNTS, mechanism).probabilities.sum() == pytest.approx(1)
    value, neighbor, output = worst_case_loss(COUNTS, mechanism)
    assert value > 1.5
    here, there = (mechanism.log_pmf(counts, [output])[0] for counts in (COUNTS, neighbor))
    assert abs(here - there) == pytest.approx(value)  # it is this output that shows it


def test_two_of_them_spend_k_times_what_they_claim():
    for wrong, right in ((FullBudgetRounds, EMPeel), (UndividedLaplace, Laplace)):
        law, honest = (dict(output_distribution(COUNTS, m)) for m in (wrong(2, 1.0), right(2, 2.0)))
        assert law == pytest.approx(honest)


def test_without_noise_only_the_top_comes_out():
    law = dict(output_distribution(COUNTS, NoNoise(2, 1.0)))
    assert law[0, 1] == 1
    assert sum(law.values()) == 1


def test_coins_by_name_are_flipped_in_the_order_given():
    """Of all results of the coins of both rounds, each with its probability."""
    counts, rate = (3, 4, 1), 0.5
    law = dict(output_distribution(ItemCounts(counts), CoinsByName(2, 1.0)))
    expected = dict.fromkeys(law, 0.0)
    for first, second in itertools.permutations(range(3), 2):
        p, left = 1.0, [0, 1, 2]
        for chosen in (first, second):
            best = max(counts[i] for i in left)
            heads = {i: math.exp(-rate * (best - counts[i])) for i in left}
            p *= np.prod([1 - heads[i] for i in left if i < chosen]) * heads[chosen]
            left.remove(chosen)
        expected[first, second] = p
    assert law == pytest.approx(expected)


def test_the_truth_decides_what_may_pass_a_threshold():
    law = dict(output_distribution(COUNTS, TrueThreshold(2, 1.0, threshold=2)))
    assert all((p == 0) == (3 in output) for output, p in law.items())
    one = TrueThreshold(2, 1.0, threshold=4)  # fewer than k reach it: the k largest
    drawn = one.sample(COUNTS, 50, np.random.default_rng(0))
    assert set(drawn.ravel()) == {0, 1}
