"""Test Joint by hand, against values of the paper, and on many items."""

import math

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, NeighborRelation, SortedCounts

ADD_REMOVE, SWAP = NeighborRelation
ORDERED = [[0, 1]]


# --- by hand -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([10, 5, 1, 1], 0.6314807521), ([30, 15] + [1] * 998, 0.3372197783)],
)
def test_golden_values_of_the_paper(counts, expected):
    """Gillenwater et al. 2022, Appendix D.3."""
    assert math.exp(Joint(2, 1.0).log_pmf(ItemCounts(counts), ORDERED)[0]) == pytest.approx(
        expected, abs=1e-9
    )


def test_one_of_two_items_by_hand():
    """Odds e^(-epsilon gap / 2), halved again under swap."""
    counts = ItemCounts([3, 8])
    for neighbors, rate in ((ADD_REMOVE, 0.35), (SWAP, 0.175)):
        log_p = Joint(1, 0.7, neighbors).log_pmf(counts, [[1], [0]])
        assert math.exp(log_p[0]) == pytest.approx(1 / (1 + math.exp(-5 * rate)), abs=1e-12)
        assert log_p[1] - log_p[0] == pytest.approx(-5 * rate, abs=1e-12)


def test_paper_example_of_three_items_by_hand():
    """Counts 4, 2, 1 and k = 2: losses 0, 2, 1, 3, 3, 3 of the six sequences."""
    every = [[0, 1], [1, 0], [0, 2], [1, 2], [2, 0], [2, 1]]
    losses = np.array([0, 2, 1, 2, 3, 3])
    weights = np.exp(-0.5 * losses)
    ours = np.exp(Joint(2, 1.0).log_pmf(ItemCounts([4, 2, 1]), every))
    np.testing.assert_allclose(ours, weights / weights.sum(), rtol=1e-12)


# --- many items -------------------------------------------------------------------------


@pytest.mark.parametrize(("neighbors", "rate"), [(ADD_REMOVE, 0.5), (SWAP, 0.25)])
def test_rate(neighbors, rate):
    assert Joint(3, 1.0, neighbors).rate == rate


def test_loss_bound_of_the_paper():
    """Theorem 3.3: 2 (k ln d + 5) / epsilon with probability 0.99, for users who come and go."""
    bound = Joint(5, 0.5).error_bound(2000, "signed_max")
    assert bound.value == pytest.approx(4 * (5 * math.log(2000) + 5), rel=1e-12)
    assert bound.probability == 0.99
    assert Joint(5, 0.5, SWAP).error_bound(2000, "signed_max") is None
    assert Joint(5, 0.5).error_bound(2000, "k_relative") is None


def test_normaliser_of_a_thousand_million_items():
    """Loss 0 is 3! * 7 * 6 sequences; all others lose 397 at least."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    log_p = Joint(5, 1.0).log_pmf(counts, [[2, 0, 1, 9, 3]])
    assert log_p[0] == pytest.approx(-math.log(252), abs=1e-12)


def test_the_limit_behind_a_release_has_its_law_and_is_at_least_the_loss():
    counts, mechanism, n = ItemCounts([20, 16, 12, 3, 2]).sorted, Joint(3, 1.0), 4_000
    limits = np.array([mechanism.limit_behind(counts, np.random.default_rng(i)) for i in range(n)])
    drawn = [mechanism.sample(counts, 1, np.random.default_rng(seed))[0] for seed in range(n)]
    losses = (counts.top(3) - counts.counts_at_ranks(np.array(drawn))).max(axis=1)
    assert (losses <= limits).all()
    at_most = mechanism.limit_at_most(counts)(np.arange(20))
    found = (limits[:, None] <= np.arange(20)).mean(axis=0)
    error = np.sqrt(at_most * (1 - at_most) / n)
    assert (np.abs(found - at_most) <= 5 * error).all()
