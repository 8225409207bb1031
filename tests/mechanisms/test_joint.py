"""Joint: by hand and against the naive exponential mechanism over all sequences."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from dptopk import ItemCounts, Joint, NeighborRelation, SortedCounts, exact_error

ADD_REMOVE, SWAP = NeighborRelation
ORDERED = [[0, 1]]


def naive_log_pmf(counts, k, epsilon, sensitivity, every):
    """Exponential mechanism over all permutations: one loop, straight from the paper."""
    best = sorted(counts, reverse=True)[:k]
    log_weights = np.array(
        [
            -epsilon / (2 * sensitivity) * max(c - counts[i] for c, i in zip(best, s, strict=True))
            for s in every.tolist()
        ]
    )
    return log_weights - logsumexp(log_weights)


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


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_a_single_item_is_certain(neighbors, rng):
    mechanism = Joint(1, 0.3, neighbors)
    counts = ItemCounts([5])
    assert mechanism.log_pmf(counts, [[0]])[0] == pytest.approx(0, abs=1e-15)
    assert mechanism.sample(counts, 4, rng).tolist() == [[0]] * 4


@pytest.mark.parametrize("value", [0, 7, 2**53])
def test_all_ties_are_uniform(value, every_sequence):
    ours = Joint(3, 1.0).log_pmf(ItemCounts([value] * 5), every_sequence(5, 3))
    np.testing.assert_allclose(ours, -math.log(60), atol=1e-12)


def test_repeated_items_are_impossible():
    log_p = Joint(2, 1.0).log_pmf(ItemCounts([3, 1, 1]), [[0, 0], [0, 1], [2, 2]])
    assert np.isneginf(log_p[[0, 2]]).all()
    assert np.isfinite(log_p[1])


# --- enumeration -------------------------------------------------------------------------

VECTORS = [
    [4],
    [3, 3],
    [0, 9, 0],
    [10, 5, 1, 1],
    [2, 7, 0, 7, 3],
    [1, 1000, 2, 0, 30, 2],
    [2**53 - 1, 5, 2**52, 0],
    [3, 6, 1, 5, 2, 4],
]
ENUMERATED = [(counts, k) for counts in VECTORS for k in range(1, len(counts) + 1)]


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [1e-15, 0.01, 1.0, 30.0, 1e5])
@pytest.mark.parametrize(("counts", "k"), ENUMERATED)
def test_pmf_of_every_sequence(counts, k, epsilon, neighbors, every_sequence):
    every = every_sequence(len(counts), k)
    sensitivity = 1 if neighbors is ADD_REMOVE else 2
    expected = naive_log_pmf(counts, k, epsilon, sensitivity, every)
    ours = Joint(k, epsilon, neighbors).log_pmf(ItemCounts(counts), every)
    np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("epsilon", [1e-15, 1e-17])
def test_pmf_at_the_largest_count_accepted(epsilon, every_sequence):
    every = every_sequence(3, 2)
    counts = [2**53, 0, 2**53 - 5]
    ours = Joint(2, epsilon).log_pmf(ItemCounts(counts), every)
    np.testing.assert_allclose(ours, naive_log_pmf(counts, 2, epsilon, 1, every), rtol=1e-10)


# --- many items -------------------------------------------------------------------------


@pytest.mark.parametrize(("neighbors", "rate"), [(ADD_REMOVE, 0.5), (SWAP, 0.25)])
def test_rate(neighbors, rate):
    assert Joint(3, 1.0, neighbors).rate == rate


def test_loss_bound_of_the_paper(rng):
    """Theorem 3.3: the loss is at most 2 (k ln d + 5) / epsilon with probability 0.99."""
    counts = ItemCounts(rng.permutation(np.floor(300 / np.arange(1, 2001) ** 0.7)))
    for k, epsilon in ((1, 0.1), (5, 1.0), (50, 4.0)):
        law = exact_error(Joint(k, epsilon), counts, "signed_max")
        assert law.quantile(0.99) <= 2 * (k * math.log(2000) + 5) / epsilon


def test_normaliser_of_a_thousand_million_items():
    """Loss 0 is 3! * 7 * 6 sequences; all others lose 397 at least."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    log_p = Joint(5, 1.0).log_pmf(counts, [[2, 0, 1, 9, 3]])
    assert log_p[0] == pytest.approx(-math.log(252), abs=1e-12)
