"""Test PNFInverseSensitivitySet by hand, at any size, and against the exponential mechanism."""

import math

import numpy as np
import pytest

from dptopk import (
    InverseSensitivitySet,
    ItemCounts,
    NeighborRelation,
    PNFInverseSensitivitySet,
    exact_error,
    probability_exact_set,
)

both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))


def test_two_sets_by_hand():
    """k = 1 of two items: the other one wins if it is visited first and its coin shows heads."""
    counts, q = ItemCounts([9, 4]), math.exp(-0.5 * (5 - -5))
    log_p = PNFInverseSensitivitySet(1, 1.0).log_pmf(counts, [[0], [1]])
    np.testing.assert_allclose(np.exp(log_p), [1 - q / 2, q / 2], rtol=1e-12)


@both_relations
def test_the_expected_score_is_never_worse(neighbors):
    for counts, k, epsilon in (
        ([9, 8, 5, 1, 1], 2, 1.0),
        ([90, 30, 29, 3], 2, 0.05),
        ([5] * 4, 2, 3),
    ):
        data = ItemCounts(counts)
        every = PNFInverseSensitivitySet.outputs.every(data.d, k)
        outside = [[c for i, c in enumerate(counts) if i not in row] for row in every]
        inside = data.counts[every].min(axis=1)
        scores = inside - np.array([max(left) for left in outside])
        ours, plain = (
            np.exp(cls(k, epsilon, neighbors).log_pmf(data, every)) @ scores
            for cls in (PNFInverseSensitivitySet, InverseSensitivitySet)
        )
        assert ours >= plain - 1e-12


def test_many_sets_are_chosen_as_by_the_exponential_mechanism():
    """Where no single set is likely the two laws meet, on 3,000 items as well."""
    counts = ItemCounts(np.floor(3000 / np.arange(1, 3001) ** 0.8))
    ours, plain = (cls(30, 0.5) for cls in (PNFInverseSensitivitySet, InverseSensitivitySet))
    laws = [exact_error(counts, one, "k_relative") for one in (ours, plain)]
    assert laws[0].cumulative[-1] == pytest.approx(1, abs=1e-9)
    assert laws[0].mean == pytest.approx(laws[1].mean, rel=1e-3)
    exact = [probability_exact_set(counts, one) for one in (ours, plain)]
    assert exact[0] >= exact[1]
