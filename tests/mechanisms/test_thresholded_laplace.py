"""Test ThresholdedLaplace: its threshold by hand, users of few items, released counts."""

import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    NeighborRelation,
    ThresholdedLaplace,
    worst_case_hockey_stick,
)
from dptopk.laws.privacy_losses import neighboring_counts
from dptopk.mechanisms import Mechanism

ADD_REMOVE, SWAP = NeighborRelation
both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))


@both_relations
def test_the_threshold_by_hand(neighbors):
    """Of three items that one user brings, any comes out with probability delta exactly."""
    data = ItemCounts([1, 1, 1])
    for delta in (1e-9, 1e-3, 0.3, 0.9):
        mechanism = ThresholdedLaplace(2, 0.7, delta, 3, neighbors)
        b = 3 * (1 if neighbors is ADD_REMOVE else 2) / 0.7
        assert mechanism.scale == pytest.approx(b)
        x = (mechanism.threshold(data.sorted) - 1) / b
        below = 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2
        assert below**3 == pytest.approx(1 - delta, rel=1e-12)
        nothing = mechanism.log_pmf(data, [[NOTHING, NOTHING]])[0]
        assert nothing == pytest.approx(math.log1p(-delta), rel=1e-9)


def test_the_bound_is_one_item_unless_it_is_set():
    plain, bounded = ThresholdedLaplace(3, 1.0, 1e-6), ThresholdedLaplace(3, 1.0, 1e-6, 5)
    assert (plain.guarantee.max_items, bounded.guarantee.max_items) == (1, 5)
    assert plain.label == "Thresholded Laplace"
    assert bounded.label == "Thresholded Laplace (5 items a user)"
    assert "at most 5 items" in bounded.guarantee.statement
    assert not bounded.guarantee.fixed_items
    assert bounded.scale == 5  # however few are released
    with pytest.raises(ValueError, match=r"^delta must be above 0 for Thresholded Laplace, got 0"):
        ThresholdedLaplace(3, 1.0, 0.0)


@both_relations
def test_a_lower_threshold_and_users_of_more_items_are_noticed(neighbors):
    class Lower(ThresholdedLaplace):
        @property
        def _margin(self):
            return super()._margin - 0.1

    class Careless(ThresholdedLaplace):
        @property
        def guarantee(self):
            return ThresholdedLaplace(2, 1.0, 1e-2, 2, self.neighbors).guarantee

    data, settings = ItemCounts([9, 3, 0, 0]), (2, 1.0, 1e-2, 1, neighbors)
    for cls, kept in ((ThresholdedLaplace, True), (Lower, False), (Careless, False)):
        found = worst_case_hockey_stick(data, cls(*settings), 1.0)
        assert (found.value <= 1e-2 * (1 + 1e-9)) == kept


@both_relations
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("data", [[9, 7, 4, 2], [9, 7, 7, 7, 1, 0], [1] * 5, [400, 300, 39, 38, 3]])
def test_the_chance_of_the_right_set_is_that_of_its_orders(data, epsilon, neighbors):
    counts = ItemCounts(data).sorted
    for k in range(1, counts.d + 1):
        for delta in (1e-9, 0.3):  # the threshold lies above the k-th count, among ties, or below
            mechanism = ThresholdedLaplace(k, epsilon, delta, neighbors=neighbors)
            orders = Mechanism.log_probability_exact_set(mechanism, counts)
            assert mechanism.log_probability_exact_set(counts) == pytest.approx(orders, rel=1e-12)


def densities(mechanism, counts: ItemCounts, at: np.ndarray) -> tuple[np.ndarray, float]:
    """Densities of an only item and its noisy count, shape (d, len(at)); probability of none."""
    apart = (at - counts.counts[:, None]) / mechanism.scale
    there = counts.counts[:, None] > 0
    below = np.where(there, np.where(apart < 0, 0, 1) - np.sign(apart) * np.exp(-abs(apart)) / 2, 1)
    own = np.where(there, np.exp(-abs(apart)) / 2 / mechanism.scale, 0)
    others = [np.prod(np.delete(below, i, axis=0), axis=0) for i in range(counts.d)]
    return own * others, float(np.prod(below[:, 0]))


@both_relations
@pytest.mark.parametrize("max_items", [1, 2])
def test_items_with_their_counts_keep_the_promise_where_others_crowd_them_out(max_items, neighbors):
    """Add up the excess of every item and noisy count, by integration."""
    epsilon, delta, excesses = 1.0, 0.1, {}
    mechanism = ThresholdedLaplace(1, epsilon, delta, max_items, neighbors)
    for given in ([1000, 0], [1000, 1], [3, 0], [2, 2, 0], [4, 1, 0], [2, 1, 1], [0, 0]):
        here = ItemCounts(given)
        threshold = mechanism.threshold(here.sorted)
        at = threshold + np.arange(0, max(given) + 35 * mechanism.scale, 0.002)
        f, none = densities(mechanism, here, at)
        law = np.append(np.trapezoid(f, at), none)
        exact = mechanism.log_pmf(here, [*([i] for i in range(here.d)), [NOTHING]])
        np.testing.assert_allclose(law, np.exp(exact), atol=1e-6)
        for there in neighboring_counts(here, neighbors, max_items):
            f_there, none_there = densities(mechanism, there, at)
            excess = np.trapezoid(np.maximum(f_there - math.exp(epsilon) * f, 0), at).sum()
            excess += max(none_there - math.exp(epsilon) * none, 0)
            excesses[*given, *there.counts.tolist()] = excess
    assert max(excesses.values()) == pytest.approx(delta, rel=1e-5)
    assert excesses[1000, 0, 1000, 1] < 1e-9  # nor does the new item come out with delta
