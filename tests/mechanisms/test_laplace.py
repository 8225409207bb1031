"""Laplace: closed forms by hand, many places, and what a user of few items is worth."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from dptopk import (
    ItemCounts,
    Laplace,
    NeighborRelation,
    neighboring_counts,
    worst_case_loss,
)
from dptopk.ui import texts

ADD_REMOVE, SWAP = NeighborRelation


@pytest.mark.parametrize("gap", [0, 1, 3, 40, 10_000])
def test_two_items_by_hand(gap):
    """The difference of two Laplace variables: P(wrong order) = (2 + x) e^-x / 4, x in scales."""
    log_p = Laplace(1, 0.7).log_pmf(ItemCounts([gap, 0]), [[0], [1]])
    x = 0.7 * gap
    assert log_p[1] == pytest.approx(math.log((2 + x) / 4) - x, rel=1e-12)
    assert log_p[0] == pytest.approx(math.log1p(-(2 + x) / 4 * math.exp(-x)), abs=1e-14)


def test_many_places_agree_with_the_two_that_are_certain():
    """Eighteen places, more than are looked at everywhere: far apart but for two ties at the end.

    The others are certain, so that what is left is the law of a small case.
    """
    counts = [*range(10**6, 10**6 - 16 * 10_000, -10_000), 7, 4, 0]
    mechanism, small = Laplace(18, 18 * 0.3), Laplace(2, 2 * 0.3)
    orders = list(itertools.permutations(range(3), 2))
    rows = [[*range(16), *(16 + item for item in order)] for order in orders]
    np.testing.assert_allclose(
        mechanism.log_pmf(ItemCounts(counts), rows),
        small.log_pmf(ItemCounts([7, 4, 0]), orders),
        rtol=1e-9,
    )


def test_unlikely_orders_of_many_places_keep_their_digits():
    """The first two of eighteen exchanged: as unlikely as two items alone, the rest being certain.

    What is certain above and below changes nothing, however rare the order.
    """
    counts = [10**5, 10**5 - 200, *range(8 * 10**4, 8 * 10**4 - 16 * 1_000, -1_000), 0]
    exchanged = [[1, 0, *range(2, 18)]]
    x = 200 * 0.5
    found = Laplace(18, 18 * 0.5).log_pmf(ItemCounts(counts), exchanged)
    assert found[0] == pytest.approx(math.log((2 + x) / 4) - x, rel=1e-9)


def test_a_thousand_tied_items_against_quadrature():
    counts = ItemCounts([6, *[0] * 1000])

    def integrand(y):
        f = math.exp(-abs(y - 6)) / 2
        return f * (math.exp(y) / 2 if y < 0 else 1 - math.exp(-y) / 2) ** 1000

    expected = quad(integrand, 0, 60, points=[6, 7], limit=200, epsabs=0, epsrel=1e-12)[0]
    found = Laplace(1, 1.0).log_pmf(counts, [[0]])[0]
    assert found == pytest.approx(math.log(expected), rel=1e-10)


def test_fewer_items_a_user_less_noise():
    assert [Laplace(5, 0.5, max_items=m).scale for m in (None, 7, 5, 2, 1)] == [10, 10, 10, 4, 2]
    assert Laplace(5, 0.5, SWAP, max_items=2).scale == 8
    assert [Laplace(5, 0.5, max_items=m).guarantee.max_items for m in (5, 4)] == [None, 4]
    assert Laplace(5, 0.5, max_items=1).label == "Laplace (1 item a user)"
    few = texts.kind_of(Laplace(5, 0.5, max_items=1).guarantee)
    assert few == "0.5-differentially private for users of at most 1 item"
    assert Laplace(5, 0.5, max_items=9).label == "Laplace"


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_the_promise_is_for_users_of_few_items_only(neighbors):
    """Kept for them, and broken by one who holds more."""
    mechanism, counts = Laplace(3, 1.0, neighbors, max_items=1), ItemCounts([9, 9, 9, 8])
    assert 0.5 < worst_case_loss(mechanism, counts).value <= 1 + 1e-9
    every = mechanism.outputs.every(4, 3)
    here = mechanism.log_pmf(counts, every)
    others = neighboring_counts(counts, neighbors)
    assert max(np.abs(here - mechanism.log_pmf(x, every)).max() for x in others) > 1.2
