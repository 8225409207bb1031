"""Test Joint and PNFJoint on many items, and the worked examples of the paper."""

import math

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, NeighborRelation, PNFJoint, PNFPeel, SortedCounts
from dptopk.mechanisms.kernels import thresholds

FEW, MANY = [10, 5, 1, 1], [30, 15] + [1] * 998


@pytest.mark.parametrize(
    ("mechanism", "counts", "expected"),
    [
        (Joint, FEW, 0.6314807521),
        (Joint, MANY, 0.3372197783),
        (PNFJoint, FEW, 0.7510163057),
        (PNFJoint, MANY, 0.4374683868),
        (PNFPeel, FEW, 0.8259209502),
    ],
)
def test_golden_values_of_the_paper(mechanism, counts, expected):
    """Gillenwater et al. 2022, Appendix D.3."""
    log_p = mechanism(2, 1.0).log_pmf(ItemCounts(counts), [[0, 1]])
    assert math.exp(log_p[0]) == pytest.approx(expected, abs=1e-9)


def test_loss_bound_of_the_paper():
    """Theorem 3.3: 2 (k ln d + 5) / epsilon with probability 0.99, for users who come and go."""
    bound = Joint(5, 0.5).error_bound(2000, "signed_max")
    assert bound.value == pytest.approx(4 * (5 * math.log(2000) + 5), rel=1e-12)
    assert bound.probability == 0.99
    assert Joint(5, 0.5, NeighborRelation.SWAP).error_bound(2000, "signed_max") is None
    assert Joint(5, 0.5).error_bound(2000, "k_relative") is None


def test_the_limit_behind_a_release_has_its_law_and_is_at_least_the_loss():
    counts, mechanism, n = ItemCounts([20, 16, 12, 3, 2]).sorted, Joint(3, 1.0), 1_000
    limits = np.array([mechanism.limit_behind(counts, np.random.default_rng(i)) for i in range(n)])
    drawn = [mechanism.sample(counts, 1, np.random.default_rng(seed))[0] for seed in range(n)]
    losses = (counts.top(3) - counts.counts_at_ranks(np.array(drawn))).max(axis=1)
    assert (losses <= limits).all()
    at_most = mechanism.limit_at_most(counts)(np.arange(20))
    found = (limits[:, None] <= np.arange(20)).mean(axis=0)
    error = np.sqrt(at_most * (1 - at_most) / n)
    assert (np.abs(found - at_most) <= 5 * error).all()


def test_many_items_make_it_joint():
    """With a large total weight the two laws are the same (W about e^140 here)."""
    counts = SortedCounts([50, 40, 30, 0], [1, 2, 1, 10**9])
    sequences = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 2, 9], [100, 200, 300, 400]]
    k, epsilon = 4, 0.2
    flip, joint = (kind(k, epsilon).log_pmf(counts, sequences) for kind in (PNFJoint, Joint))
    np.testing.assert_allclose(flip, joint, rtol=1e-10)


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


@pytest.mark.parametrize(
    ("counts", "k"), [([3, 0], 1), ([2, 2, 2, 2, 1, 0], 1), ([9, 8, 6, 1], 2)], ids=str
)
def test_draws_of_little_total_weight_follow_the_law(counts, k, rng, fits):
    """Where proposals that are refused take much of the time of permute-and-flip."""
    data, mechanism = ItemCounts(counts), PNFJoint(k, 1.0)
    assert fits(mechanism, data, mechanism.sample(data, 100_000, rng))
