"""PNFJoint: by hand and against exact integration over all sequences."""

import math

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, NeighborRelation, PNFJoint, SortedCounts

ADD_REMOVE, SWAP = NeighborRelation


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([10, 5, 1, 1], 0.7510163057), ([30, 15] + [1] * 998, 0.4374683868)],
)
def test_golden_values_of_the_paper(counts, expected):
    """Gillenwater et al. 2022, Appendix D.3."""
    log_p = PNFJoint(2, 1.0).log_pmf(ItemCounts(counts), [[0, 1]])
    assert math.exp(log_p[0]) == pytest.approx(expected, abs=1e-9)


def test_one_of_two_items_by_hand():
    """The weaker of two candidates of odds 1 and q wins with probability q / 2."""
    counts = ItemCounts([3, 8])
    for neighbors, rate in ((ADD_REMOVE, 0.35), (SWAP, 0.175)):
        ours = np.exp(PNFJoint(1, 0.7, neighbors).log_pmf(counts, [[0], [1]]))
        q = math.exp(-5 * rate)
        np.testing.assert_allclose(ours, [q / 2, 1 - q / 2], rtol=1e-12)


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_a_single_item_is_certain(neighbors, rng):
    mechanism = PNFJoint(1, 0.3, neighbors)
    counts = ItemCounts([5])
    assert mechanism.log_pmf(counts, [[0]])[0] == pytest.approx(0, abs=1e-12)
    assert mechanism.sample(counts, 4, rng).tolist() == [[0]] * 4


@pytest.mark.parametrize("value", [0, 7, 2**53])
def test_all_ties_are_uniform(value, every_sequence):
    ours = PNFJoint(3, 1.0).log_pmf(ItemCounts([value] * 5), every_sequence(5, 3))
    np.testing.assert_allclose(ours, -math.log(60), atol=1e-12)


def test_repeated_items_are_impossible():
    log_p = PNFJoint(2, 1.0).log_pmf(ItemCounts([3, 1, 1]), [[0, 0], [0, 1]])
    assert np.isneginf(log_p[0])
    assert np.isfinite(log_p[1])


CASES = [
    ([4], 1),
    ([3, 3], 1),
    ([0, 9, 0], 2),
    ([0, 9, 0], 3),
    ([10, 5, 1, 1], 2),
    ([10, 5, 1, 1], 4),
    ([2, 7, 0, 7, 3], 1),
    ([2, 7, 0, 7, 3], 3),
    ([7, 2, 0, 7, 3], 5),
    ([1, 1000, 2, 0, 30, 2], 2),
    ([3, 6, 1, 5, 2, 4], 3),
    ([3, 6, 1, 5, 2, 4], 4),
    ([2**53 - 1, 5, 2**52, 0], 2),
]


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [1e-15, 0.01, 1.0, 30.0])
@pytest.mark.parametrize(("counts", "k"), CASES)
def test_pmf_of_every_sequence(
    counts, k, epsilon, neighbors, every_sequence, slow_permute_and_flip
):
    every = every_sequence(len(counts), k)
    best = sorted(counts, reverse=True)[:k]
    losses = [max(c - counts[i] for c, i in zip(best, s, strict=True)) for s in every.tolist()]
    rate = epsilon / (2 if neighbors is ADD_REMOVE else 4)
    expected = slow_permute_and_flip([-rate * loss for loss in losses])
    ours = PNFJoint(k, epsilon, neighbors).log_pmf(ItemCounts(counts), every)
    np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("neighbors", "rate"), [(ADD_REMOVE, 0.5), (SWAP, 0.25)])
def test_rate(neighbors, rate):
    assert PNFJoint(3, 1.0, neighbors).rate == rate


def test_never_more_than_twice_as_likely_as_under_joint(every_sequence):
    """Permute-and-flip against the exponential mechanism of the same odds."""
    for counts, k in CASES:
        every = every_sequence(len(counts), k)
        data = ItemCounts(counts)
        gap = PNFJoint(k, 1.0).log_pmf(data, every) - Joint(k, 1.0).log_pmf(data, every)
        assert gap.max() <= math.log(2) + 1e-9


def test_many_items_make_it_joint():
    """With a large total weight the two laws are the same (W about e^140 here)."""
    counts = SortedCounts([50, 40, 30, 0], [1, 2, 1, 10**9])
    sequences = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 2, 9], [100, 200, 300, 400]]
    k, epsilon = 4, 0.2
    np.testing.assert_allclose(
        PNFJoint(k, epsilon).log_pmf(counts, sequences),
        Joint(k, epsilon).log_pmf(counts, sequences),
        rtol=1e-10,
    )
