"""Test that wrong mechanisms exceed their claim, and sums of privacy losses.

That the right ones keep theirs is in `test_conformance_privacy`; it proves something because
these are caught.
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
    """CDP-Peel with Gumbel noise 20% too small."""

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
