"""Test LimitedDomainLaplace: its threshold by hand, and users of few items."""

import math

import numpy as np
import pytest

from dptopk import ItemCounts, LimitedDomainLaplace, NeighborRelation, worst_case_hockey_stick

ADD_REMOVE, SWAP = NeighborRelation


def passes(x: float) -> float:
    """Probability that a difference of two Laplace variables of scale 1 exceeds x."""
    return (2 + x) * math.exp(-x) / 4


def test_the_threshold_by_hand(rng):
    """One item that one user brings: it passes with exactly its share of delta."""
    draws = rng.laplace(size=(2, 10**6))
    assert np.mean(draws[0] - draws[1] > 2.0) == pytest.approx(passes(2.0), abs=2e-3)
    for neighbors in NeighborRelation:
        mechanism = LimitedDomainLaplace(1, 1.0, 1e-2, 1, neighbors, 1)
        b = 1.0 if neighbors is ADD_REMOVE else 2.0
        assert mechanism.scale == b
        x = (mechanism.threshold(ItemCounts([7, 3]).sorted) - 3 - b) / b
        assert passes(x) == pytest.approx(1e-2 / (1 + math.e), rel=1e-9)
        stranger = math.exp(mechanism.log_pmf(ItemCounts([1]), [[0]])[0])
        apart = x + (b - 1) / b  # a replaced user brings one user, too
        assert stranger == pytest.approx(passes(apart), rel=1e-9)


def test_noise_grows_with_the_items_of_a_user_up_to_all_that_is_read():
    scales = [LimitedDomainLaplace(3, 0.5, 1e-6, m).scale for m in (1, 2, 6, 7, 50, None)]
    assert scales == [2, 4, 12, 14, 14, 14]  # six are read, and the threshold
    assert LimitedDomainLaplace(3, 0.5, 1e-6, 2, SWAP).scale == 8
    assert LimitedDomainLaplace(3, 0.5, 1e-6, 9, SWAP, k_bar=4).scale == 10


def test_the_promise_names_the_users_it_holds_for():
    few = LimitedDomainLaplace(3, 1.0, 1e-6, 2).guarantee
    assert few.max_items == 2
    assert "at most 2 items" in few.statement
    assert not few.fixed_items
    assert LimitedDomainLaplace(3, 1.0, 1e-6).guarantee.max_items is None
    assert LimitedDomainLaplace(3, 1.0, 1e-6, 6).guarantee.max_items == 6  # seven would be all
    assert LimitedDomainLaplace(3, 1.0, 1e-6, 7).guarantee.max_items is None
    with pytest.raises(ValueError, match=r"^delta must be above 0 for Laplace limited domain"):
        LimitedDomainLaplace(3, 1.0, 0.0)


def test_too_little_noise_and_users_of_more_items_are_noticed():
    """Users of two items where noise is for one: the promise is not kept, and not made."""

    class Careless(LimitedDomainLaplace):
        @property
        def guarantee(self):
            return LimitedDomainLaplace(1, 1.0, 1e-3, 2).guarantee

    data = ItemCounts([12, 12, 12, 2])
    for cls, kept in ((LimitedDomainLaplace, True), (Careless, False)):
        found = worst_case_hockey_stick(data, cls(3, 1.0, 1e-3, 1, k_bar=3), 1.0)
        assert (found.value <= 1e-3) == kept
