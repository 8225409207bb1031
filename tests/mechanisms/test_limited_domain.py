"""Test limited domains: thresholds by hand, new items, and items that are not read."""

import itertools
import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    LimitedDomain,
    LimitedDomainLaplace,
    NeighborRelation,
    SortedCounts,
    worst_case_hockey_stick,
)
from dptopk.laws.exact import chance_exact_set
from dptopk.laws.privacy_losses import most_items, neighbor_changes

ADD_REMOVE, SWAP = NeighborRelation
both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))


def test_plackett_luce_with_a_stranger_by_hand():
    """k = 1: epsilon' = epsilon - ln(1 + delta / 2) in one round, two counts of three read."""
    mechanism = LimitedDomain(1, 1.0, 1e-2)
    rate = 1.0 - math.log1p(5e-3)
    stranger = math.exp(rate * 3) * 2 / 5e-3  # one user more than the two of the count unread
    weights = np.array([math.exp(rate * 9), math.exp(rate * 4), 0.0, stranger])
    ours = np.exp(mechanism.log_pmf(ItemCounts([9, 4, 2]), [[0], [1], [2], [NOTHING]]))
    np.testing.assert_allclose(ours, weights / weights.sum(), rtol=1e-12)
    threshold = mechanism.threshold(ItemCounts([9, 4, 2]).sorted)
    assert threshold == pytest.approx(3 + math.log(400) / rate)
    assert LimitedDomain(1, 1.0, 1e-2, SWAP).threshold(SortedCounts([9], [1])) == pytest.approx(
        2 + math.log(400) / (rate / 2)
    )


@both_relations
def test_a_threshold_that_is_too_low_is_noticed(neighbors):
    class Careless(LimitedDomain):
        domain_delta = 0.05

    data = ItemCounts([0])
    for cls, kept in ((LimitedDomain, True), (Careless, False)):
        mechanism = cls(1, 1.0, 1e-2, neighbors, 1)
        found = worst_case_hockey_stick(data, mechanism, 1.0)
        assert (found.value <= 1e-2) == kept


def plainly_read(counts, k_bar: int) -> set[int]:
    """Items with users among the k_bar largest, the first of equal ones."""
    order = sorted(range(len(counts)), key=lambda i: (-counts[i], i))
    return {i for i in order[:k_bar] if counts[i] > 0}


@both_relations
@pytest.mark.parametrize("k_bar", [1, 2, 3])
def test_one_user_changes_no_more_of_those_read_than_their_items(k_bar, neighbors):
    """The premise of the threshold, on all counts up to 2 of five items: it holds, and tightly."""
    lost = np.zeros(6, dtype=int)  # most items, by the items of the larger user
    for counts in itertools.product(range(3), repeat=5):
        changes = neighbor_changes(ItemCounts(counts), neighbors)
        read = plainly_read(counts, k_bar)
        for change, most in zip(changes.tolist(), most_items(changes).tolist(), strict=True):
            there = plainly_read([c + x for c, x in zip(counts, change, strict=True)], k_bar)
            lost[most] = max(lost[most], len(read - there), len(there - read))
    assert lost[1:].tolist() == [min(m, k_bar) for m in range(1, 6)]


def falling_out(mechanism: LimitedDomain) -> ItemCounts:
    """Items as far above the count unread as can fall out, as many as one user counts for."""
    n, spread = mechanism.n_changed, mechanism.neighbors.gap_sensitivity
    higher = [2 * spread] * (mechanism.n_read - n)  # stay
    return ItemCounts([spread - 1] * n + [2 * spread - 1] * n + higher)


@both_relations
@pytest.mark.parametrize(("max_items", "k_bar"), [(1, None), (1, 3), (2, 3)])
def test_users_of_few_items_need_a_lower_threshold_only(max_items, k_bar, neighbors):
    """Among neighbors of so few items strangers use up their share."""
    mechanism = LimitedDomain(1, 1.0, 1e-4, neighbors, k_bar, max_items)
    worst = worst_case_hockey_stick(falling_out(mechanism), mechanism, 1.0).value
    assert 0.99 * mechanism.domain_delta < worst <= mechanism.domain_delta


@both_relations
def test_a_threshold_for_users_of_fewer_items_is_noticed(neighbors):
    """With the ln of 1 for users of three items, they bring in 3/2 of delta."""

    class Careless(LimitedDomain):
        n_changed = 1

        @property
        def guarantee(self):
            return LimitedDomain(self.k, self.epsilon, self.delta, neighbors, 3, 3).guarantee

    data = falling_out(LimitedDomain(1, 1.0, 1e-3, neighbors, 3, 3))
    for cls, share in ((LimitedDomain, 0.5), (Careless, 1.5)):
        mechanism = cls(1, 1.0, 1e-3, neighbors, 3, 3)
        found = worst_case_hockey_stick(data, mechanism, 1.0)
        assert found.value / 1e-3 == pytest.approx(share, rel=0.01)


def test_a_bound_lowers_the_threshold_and_is_promised_where_it_matters():
    counts = ItemCounts([90, 80, 70, 60, 50]).sorted
    plain = LimitedDomain(2, 1.0, 1e-6)  # reads four
    for most in (4, 5, 10**9):
        bounded = LimitedDomain(2, 1.0, 1e-6, max_items=most)
        assert bounded.threshold(counts) == plain.threshold(counts)
        assert bounded.guarantee == plain.guarantee
    for most in (1, 3):
        bounded = LimitedDomain(2, 1.0, 1e-6, max_items=most)
        lower = plain.threshold(counts) - math.log(4 / most) / plain.rate
        assert bounded.threshold(counts) == pytest.approx(lower, rel=1e-12)
        assert bounded.scale == plain.scale
        assert bounded.guarantee.max_items == most
        assert f"at most {most} item" in bounded.guarantee.statement
    assert LimitedDomain(2, 1.0, 1e-6, max_items=3).stream_key != plain.stream_key
    assert "max_items" not in plain.stream_key


@both_relations
def test_adding_a_constant_changes_nothing_where_some_are_not_read(neighbors):
    mechanism = LimitedDomain(2, 2.0, 0.1, neighbors, k_bar=3)
    every = mechanism.outputs.every(5, 2)
    here = mechanism.log_pmf(ItemCounts([9, 4, 6, 1, 1]), every)
    there = mechanism.log_pmf(ItemCounts(np.array([9, 4, 6, 1, 1]) + 2**51), every)
    np.testing.assert_allclose(there, here, rtol=1e-12)


@both_relations
def test_an_item_that_one_user_brought_has_its_odds_at_any_budget(neighbors):
    """At a large epsilon the rate times the spread swallowed the digits of delta_0."""
    for epsilon in (1.0, 1e9, 1e12):
        mechanism = LimitedDomain(1, epsilon, 1e-6, neighbors, 3)
        odds = mechanism.domain_delta / 3
        there = mechanism.log_pmf(ItemCounts([neighbors.gap_sensitivity]), [[0]])[0]
        assert there == pytest.approx(math.log(odds / (1 + odds)), rel=1e-12)


def test_the_domain_costs_a_hundredth_of_epsilon_at_most():
    for k, epsilon, delta in ((200, 0.01, 0.9), (10, 1.0, 1e-6), (1, 5.0, 0.5)):
        mechanism = LimitedDomain(k, epsilon, delta)
        lost = k * math.log1p(mechanism.domain_delta)
        assert lost <= epsilon / 100
        assert mechanism.domain_delta <= delta / 2
    assert LimitedDomain(10, 1.0, 1e-6).domain_delta == 5e-7


@both_relations
def test_the_exact_set_next_to_certain(neighbors):
    """The top two are far above all others and ⊥: what is missing is about one weight's ratio."""
    mechanism = LimitedDomain(2, 2.0, 1e-6, neighbors)
    counts = SortedCounts([3000, 2000, 1000, 5], [1, 1, 5, 10**6])
    rate = 1 / mechanism.scale
    chance = chance_exact_set(counts, mechanism)
    stranger = mechanism.threshold(counts)
    read = 2 * math.exp(rate * (1000 - stranger))  # four are read, two of them of the top
    log_complement = rate * (stranger - 2000) + math.log1p(read)
    assert chance.probability == 1.0
    assert chance.log_complement == pytest.approx(log_complement, rel=1e-6)


def test_a_list_longer_than_the_items_with_users_is_never_right():
    for counts in (ItemCounts([7, 3, 1]), ItemCounts([7, 0, 3, 1, 0, 0, 0])):
        long = LimitedDomain(5, 3.0, 0.1)
        assert chance_exact_set(counts, long).log == -math.inf
        assert long.log_probability_exact_sequence(counts.sorted) == -math.inf


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
