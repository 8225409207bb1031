"""Test privacy profiles of whole mechanisms against Google's privacy loss distributions."""

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as google_pld

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    neighboring_counts,
    output_distribution,
    privacy_profile,
)

SWAP = NeighborRelation.SWAP
INTERVAL = 1e-4  # grid of dp_accounting's losses; it rounds up or down as told

SMALL = [Joint(2, 1.0), PNFJoint(2, 1.0, SWAP), PNFPeel(2, 1.0), PNFPeel(2, 1.0, SWAP)]
SMALL += [CDPPeel(3, 1.5, 0.01), CDPPeel(3, 1.5, 0.01, calibration="optimal")]
SMALL += [CDPPeel(2, 1.0, 0.05, SWAP, "optimal")]
over_small = pytest.mark.parametrize("mechanism", SMALL, ids=repr)


def google_losses(mechanism, counts, neighbour, *, upwards: bool):
    """Privacy losses of two data sets as dp_accounting sees them, in both directions."""
    every = output_distribution(counts, mechanism).sequences
    here, there = (
        dict(enumerate(mechanism.log_pmf(data, every).tolist())) for data in (counts, neighbour)
    )
    return google_pld.from_two_probability_mass_functions(
        here, there, upwards, INTERVAL, symmetric=False
    )


@over_small
def test_privacy_profile_is_googles(mechanism):
    counts = ItemCounts([4, 3, 3, 1])
    epsilons = np.linspace(0, 1.6, 9)
    for neighbour in neighboring_counts(counts, mechanism.neighbors)[::5]:
        ours = privacy_profile(counts, mechanism, neighbour, epsilons)
        low, high = (
            google_losses(mechanism, counts, neighbour, upwards=up).get_delta_for_epsilon(epsilons)
            for up in (False, True)
        )
        assert (low <= ours + 1e-13).all()
        assert (ours <= high + 1e-13).all()
        assert (high - low <= 2 * INTERVAL).all()


def google_worst_delta(mechanism, epsilon: float) -> float:
    """Largest delta over all neighbours, with losses rounded down: above zero is a disproof."""
    counts = ItemCounts([4, 3, 3, 1])
    return max(
        google_losses(mechanism, counts, neighbour, upwards=False).get_delta_for_epsilon(epsilon)
        for neighbour in neighboring_counts(counts, mechanism.neighbors)
    )


@over_small
def test_guarantees_hold_by_googles_accounting(mechanism):
    promised = mechanism.guarantee
    assert google_worst_delta(mechanism, promised.epsilon) <= promised.delta


@over_small
def test_googles_accounting_catches_a_forgotten_factor_2(misscaled, mechanism):
    promised = mechanism.guarantee
    assert google_worst_delta(misscaled(mechanism, 0.5), promised.epsilon) > promised.delta
