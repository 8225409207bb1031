"""Test that exact draws have exactly the law that a mechanism states, bit by bit."""

import numpy as np
import pytest

from dptopk import (
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFInverseSensitivitySet,
    PNFJoint,
    exact_sample,
    goodness_of_fit,
    output_distribution,
)

SIGNIFICANT = 1e-6


class SeededBits:
    """A source of bits that can be repeated, and counts them."""

    def __init__(self, seed: int):
        self._rng = np.random.default_rng(seed)
        self.drawn = 0

    def __call__(self, n: int) -> int:
        self.drawn += n
        return int.from_bytes(self._rng.bytes((n + 7) // 8)) >> (-n % 8)


@pytest.mark.parametrize("cls", [Joint, PNFJoint, InverseSensitivitySet, PNFInverseSensitivitySet])
@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize(
    ("counts", "k", "epsilon"), [((10, 5, 1, 1), 2, 1.0), ((3, 3, 2, 1, 0), 3, 2.0)]
)
def test_draws_follow_the_law(cls, neighbors, counts, k, epsilon):
    mechanism, data = cls(k, epsilon, neighbors), ItemCounts(counts)
    bits = SeededBits(7)
    drawn = np.array([exact_sample(mechanism, data, bits) for _ in range(2000)])
    assert goodness_of_fit(output_distribution(data, mechanism), drawn).p_value > SIGNIFICANT
