"""Test PNFJoint by hand, against values of the paper, and against Joint."""

import math

import numpy as np
import pytest
from slow_laws import permute_and_flip as exact_permute_and_flip

from dptopk import ItemCounts, Joint, NeighborRelation, PNFJoint, SortedCounts
from dptopk.mechanisms.kernels import thresholds

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


@pytest.mark.parametrize(
    ("counts", "k", "epsilon"),
    [
        ([30, 0], 1, 4.0),  # W just above 1: hardly ever another proposal
        ([3, 0], 1, 1.0),
        ([2, 2, 2, 2, 1, 0], 1, 1.0),
        ([9, 8, 6, 1], 2, 1.0),
        ([40, 39, 38, 3, 1], 3, 0.5),
        ([2**53, 2**53 - 1, 2**52, 1, 0], 3, 1.0),
        ([2**30, 2**30 - 3, 0], 2, 1e-9),  # everything is possible
        ([7] * 6, 2, 0.3),
    ],
)
def test_thinned_draws_follow_the_definition(counts, k, epsilon, rng, fits_law, every_sequence):
    """χ² against exact integration over all sequences, not against the mechanism's own law."""
    best = sorted(counts, reverse=True)[:k]
    every = every_sequence(len(counts), k)
    losses = [max(c - counts[i] for c, i in zip(best, s, strict=True)) for s in every.tolist()]
    log_p = exact_permute_and_flip([-epsilon / 2 * loss for loss in losses])
    code = len(counts) ** np.arange(k)
    drawn = PNFJoint(k, epsilon).sample(ItemCounts(counts), 100_000, rng)
    assert fits_law(every @ code, np.array(log_p), drawn @ code)
    if len(set(losses)) > 1 and epsilon < 4:
        log_z = np.logaddexp.reduce([-epsilon / 2 * loss for loss in losses])
        joint = [-epsilon / 2 * loss - log_z for loss in losses]
        assert not fits_law(every @ code, np.array(joint), drawn @ code)  # Joint's law is another


def test_draws_take_about_as_many_proposals_as_proven(rng, monkeypatch):
    """1.3 draws of Joint on average at most, whatever the total weight."""
    made = []
    draw = thresholds.draw

    def counted(sequences, blocks, rate, n, generator):
        made.append(n)
        return draw(sequences, blocks, rate, n, generator)

    monkeypatch.setattr(thresholds, "draw", counted)
    n = 20_000
    for counts, k, epsilon in (([3, 0], 1, 1.0), ([9, 8, 6, 1], 2, 1.0), (range(50), 3, 0.3)):
        made.clear()
        PNFJoint(k, epsilon).sample(ItemCounts(counts), n, rng)
        assert n <= sum(made) < 1.32 * n
