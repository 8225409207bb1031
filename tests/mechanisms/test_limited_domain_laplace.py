"""Test LimitedDomainLaplace: its threshold by hand, users of few items, released counts."""

import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    LimitedDomainLaplace,
    NeighborRelation,
    SortedCounts,
    worst_case_hockey_stick,
)

ADD_REMOVE, SWAP = NeighborRelation
both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))


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


STRANGERS = ([0], [0, 0, 0], [1, 0], [1, 1, 0, 0], [2, 1, 1, 0], [5, 5, 5, 0], [9, 1, 1, 1])


@both_relations
@pytest.mark.parametrize(("max_items", "k_bar"), [(1, None), (2, 2), (None, 1)])
def test_items_that_appear_keep_the_promise(max_items, k_bar, neighbors):
    """Counts of 0 are items that nobody knows yet: neighbours bring them in, at every rank."""
    worst = 0.0
    for number, counts in enumerate(STRANGERS):
        k = 1 + number % 2  # more than there are items, too
        epsilon, delta = ((0.3, 0.02), (3.0, 1e-3), (0.1, 0.3))[number % 3]
        mechanism = LimitedDomainLaplace(k, epsilon, delta, max_items, neighbors, k_bar)
        found = worst_case_hockey_stick(ItemCounts(counts), mechanism, epsilon)
        worst = max(worst, found.value / delta)
    assert 0.1 < worst <= 1


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


def test_items_without_users_are_as_good_as_absent():
    mechanism = LimitedDomainLaplace(2, 3.0, 0.1, 1)
    here, padded = ItemCounts([7, 0, 3, 1]), ItemCounts([7, 0, 3, 1, 0, 0, 0])
    every = mechanism.outputs.every(4, 2)
    np.testing.assert_array_equal(mechanism.log_pmf(here, every), mechanism.log_pmf(padded, every))
    long, fewer = LimitedDomainLaplace(4, 3.0, 0.1, 1), ItemCounts([7, 3, 1])
    rows = long.outputs.every(3, 4)
    absent = long.log_pmf(fewer, rows)
    among = np.where(rows == NOTHING, NOTHING, np.array([0, 2, 3])[rows])
    np.testing.assert_array_equal(absent, long.log_pmf(padded, among))
    assert np.exp(absent).sum() == pytest.approx(1.0)
    few, many = (long.released(x, 400, np.random.default_rng(3)) for x in (fewer, padded))
    np.testing.assert_array_equal(few.counts, many.counts)
    assert (few.positions[:, 3] == NOTHING).all()
    nobody = ItemCounts([0, 0, 0])
    assert mechanism.log_pmf(nobody, [[NOTHING, NOTHING]])[0] == 0.0
    released = mechanism.released(nobody, 50, np.random.default_rng(0))
    assert (released.positions == NOTHING).all()
    assert np.isnan(released.counts).all()


def test_counts_that_come_out_are_those_that_put_the_items_there(rng):
    """Against noise on every item, drawn plainly: positions and counts agree in law."""
    mechanism, data = LimitedDomainLaplace(2, 1.0, 1e-2, 1, k_bar=4), ItemCounts([3, 14, 9, 9, 1])
    n = 200_000
    released = mechanism.released(data, n, rng)
    there = released.positions != NOTHING
    both = there.all(axis=1)
    assert np.all(released.counts[both, 0] >= released.counts[both, 1])
    noisy = data.counts[:4] + rng.laplace(scale=1.0, size=(n, 4))  # four are read
    level = mechanism.threshold(data.sorted) + rng.laplace(scale=1.0, size=(n, 1))
    order = np.argsort(-noisy, axis=1)[:, :2]
    largest = np.take_along_axis(noisy, order, axis=1)
    came = largest > level
    np.testing.assert_allclose(there.mean(axis=0), came.mean(axis=0), atol=0.006)
    for place in range(2):
        ours = np.quantile(released.counts[there[:, place], place], (0.01, 0.25, 0.5, 0.9))
        plain = np.quantile(largest[came[:, place], place], (0.01, 0.25, 0.5, 0.9))
        np.testing.assert_allclose(ours, plain, atol=0.1)


def test_what_is_not_read_costs_nothing(rng):
    counts = SortedCounts([1000, 900, 3], [3, 4, 10**9])
    for k_bar, draws in ((None, 100), (10**9, 20_000)):
        mechanism = LimitedDomainLaplace(10, 5.0, 1e-6, 1, k_bar=k_bar)
        samples = mechanism.sample(counts, draws, rng)
        assert (np.sort(samples[:, :7], axis=1) == np.arange(7)).all()
        others = (samples[:, 7:] != NOTHING).sum(axis=1).mean()
        chance = float(mechanism.chances_released(counts, np.array([7]))[0])
        np.testing.assert_allclose(others, chance * (mechanism.n_read - 7), rtol=0.3, atol=1e-8)


def test_the_picture_shows_noise_on_items_that_are_read_only(rng):
    counts = ItemCounts([90, 70, 50, 30, 10, 0]).sorted
    mechanism = LimitedDomainLaplace(2, 1.0, 1e-6, 1)  # reads four
    assert mechanism.picture(counts, np.arange(4), rng).noise == "Laplace"
    assert mechanism.picture(counts, np.arange(5), rng) is None
    assert LimitedDomainLaplace(3, 1.0, 1e-6).picture(counts, np.arange(6), rng) is None
