"""PNFJoint: by hand, the paper's values, and what it has to do with Joint."""

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
