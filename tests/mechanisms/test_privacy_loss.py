"""The guarantees, proved on small data: every output, every neighbour, the exact loss.

Variants that are deliberately wrong must exceed their claim, or these tests prove
nothing.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    neighboring_counts,
)

ADD_REMOVE, SWAP = NeighborRelation
PURE = (Joint, PNFJoint, PNFPeel)
CASES = [
    ([1], 1),
    ([0, 0], 1),
    ([0, 0], 2),
    ([5, 5], 1),
    ([3, 2, 1], 1),
    ([3, 2, 1], 2),
    ([40, 39, 38], 3),
    ([4, 4, 0, 0], 2),
    ([9, 2, 1, 1], 3),
    ([10, 20, 10, 20], 3),  # ties and gaps make Joint spend most of its budget
    ([20, 20, 10, 0], 4),
]
FIVE = [([1, 0, 2, 0, 3], 1), ([1, 0, 2, 0, 3], 3), ([2] * 5, 2), ([12, 12, 6, 6, 0], 3)]


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize(("counts", "k"), CASES)
@pytest.mark.parametrize("mechanism", PURE)
def test_pure_mechanisms_keep_epsilon(mechanism, counts, k, epsilon, neighbors, worst_loss):
    loss = worst_loss(mechanism(k, epsilon, neighbors), ItemCounts(counts), neighbors)
    assert loss <= epsilon + 1e-9


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize(("counts", "k"), FIVE)
@pytest.mark.parametrize("mechanism", PURE)
def test_pure_mechanisms_keep_epsilon_on_five_items(mechanism, counts, k, neighbors, worst_loss):
    assert worst_loss(mechanism(k, 1.0, neighbors), ItemCounts(counts), neighbors) <= 1 + 1e-9


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("mechanism", PURE)
def test_the_guarantee_is_nearly_used_up(mechanism, neighbors, worst_loss):
    """Some data come close to epsilon: the bound is not true for trivial reasons."""
    worst = max(
        worst_loss(mechanism(k, 1.0, neighbors), ItemCounts(counts), neighbors)
        for counts, k in (([20, 10, 0], 1), ([20, 20, 10, 10], 3), ([40, 39, 38, 0], 2))
    )
    assert worst > 0.7


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("calibration", ["paper", "optimal"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-2), (0.5, 1e-3), (1.0, 1e-6), (3.0, 0.0)])
@pytest.mark.parametrize(("counts", "k"), CASES)
def test_cdp_peel_keeps_epsilon_and_delta(
    counts, k, epsilon, delta, calibration, neighbors, worst_hockey_stick
):
    mechanism = CDPPeel(k, epsilon, delta, neighbors, calibration)
    beyond = worst_hockey_stick(mechanism, ItemCounts(counts), neighbors, epsilon)
    assert beyond <= delta + 1e-12


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("calibration", ["paper", "optimal"])
@pytest.mark.parametrize(("counts", "k"), FIVE)
def test_cdp_peel_keeps_epsilon_and_delta_on_five_items(
    counts, k, calibration, neighbors, worst_hockey_stick
):
    mechanism = CDPPeel(k, 0.2, 1e-3, neighbors, calibration)
    assert worst_hockey_stick(mechanism, ItemCounts(counts), neighbors, 0.2) <= 1e-3 + 1e-12


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_cdp_peel_comes_near_its_delta(neighbors, worst_hockey_stick):
    """On some data the optimal calibration spends a good part of delta."""
    mechanism = CDPPeel(2, 0.1, 1e-2, neighbors, "optimal")
    vectors = ([0, 0], [1, 0, 0], [1, 1, 1], [9, 2, 1, 1], [20, 10, 10, 0])
    spent = max(
        worst_hockey_stick(mechanism, ItemCounts(counts), neighbors, 0.1) for counts in vectors
    )
    assert 0.2e-2 < spent <= 1e-2


# --- wrong on purpose --------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", PURE)
def test_add_remove_noise_breaks_under_swap(mechanism, worst_loss):
    loss = worst_loss(mechanism(3, 1.0), ItemCounts([20, 20, 10, 10]), SWAP)
    assert loss > 1.3


def test_cdp_peel_add_remove_noise_breaks_under_swap(worst_hockey_stick):
    """The published code offers this as (epsilon, delta)-DP for replaced users."""
    mechanism = CDPPeel(2, 1.0, 1e-6)
    worst = max(
        worst_hockey_stick(mechanism, ItemCounts(counts), SWAP, 1.0)
        for counts in ([1, 0, 2, 0, 3], [2] * 5, [9, 2, 1, 1], [1, 1])
    )
    assert worst > 1e-3


@dataclass(frozen=True)
class WrongFactor(Joint):
    """Joint without the 2 in its exponent."""

    @property
    def rate(self) -> float:
        return self.epsilon


@dataclass(frozen=True)
class WrongRounds(PNFPeel):
    """PNF-Peel that spends the whole budget in every round."""

    @property
    def rate(self) -> float:
        return self.epsilon


@dataclass(frozen=True)
class WrongScale(CDPPeel):
    """CDP-Peel with Gumbel noise 20 % too small."""

    @property
    def local_epsilon(self) -> float:
        return super().local_epsilon / 0.8


def test_a_forgotten_factor_breaks_joint(worst_loss):
    assert worst_loss(WrongFactor(3, 1.0), ItemCounts([20, 20, 10, 10]), ADD_REMOVE) > 1.3


def test_forgotten_rounds_break_pnf_peel(worst_loss):
    assert worst_loss(WrongRounds(2, 1.0), ItemCounts([3, 3, 3, 3]), ADD_REMOVE) > 1.2


@pytest.mark.parametrize("calibration", ["paper", "optimal"])
def test_too_little_gumbel_noise_breaks_cdp_peel(calibration, worst_hockey_stick):
    """At delta = 0 a round has epsilon / k to spend, and peeling uses all of it."""
    for delta in (0.0, 1e-9):
        wrong = WrongScale(1, 1.0, delta, calibration=calibration)
        worst = max(
            worst_hockey_stick(wrong, ItemCounts(counts), ADD_REMOVE, 1.0)
            for counts in ([40, 40], [60, 50], [9, 0], [7] * 5)
        )
        assert worst > 1e-3


def test_losses_add_up_over_the_rounds_of_pnf_peel(worst_loss):
    """Basic composition at work: k rounds at one rate lose more than one round."""
    counts = ItemCounts([4, 4, 1, 1, 0])
    losses = [worst_loss(PNFPeel(k, 0.2 * k), counts, ADD_REMOVE) for k in (1, 2, 3)]
    assert losses[0] < losses[1] < losses[2] <= 0.6 + 1e-9


def test_neighbours_of_neighbours_keep_twice_epsilon(every_sequence):
    """Group privacy, a consequence the pmfs must show as well."""
    counts = ItemCounts([3, 2, 2])
    every = every_sequence(3, 2)
    mechanism = Joint(2, 0.7)
    here = mechanism.log_pmf(counts, every)
    for one in neighboring_counts(counts, ADD_REMOVE):
        for two in neighboring_counts(one, ADD_REMOVE):
            assert np.abs(here - mechanism.log_pmf(two, every)).max() <= 1.4 + 1e-9
