"""Test LimitedDomain: its threshold by hand, new items, and items that are not read."""

import itertools
import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    LimitedDomain,
    NeighborRelation,
    SortedCounts,
    linf_error,
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
def test_items_without_users_are_as_good_as_absent(neighbors):
    """The list of items may come from the data: what nobody has changes nothing."""
    mechanism = LimitedDomain(2, 3.0, 0.1, neighbors)
    here, padded = ItemCounts([7, 0, 3, 1]), ItemCounts([7, 0, 3, 1, 0, 0, 0])
    every = mechanism.outputs.every(4, 2)
    np.testing.assert_array_equal(mechanism.log_pmf(here, every), mechanism.log_pmf(padded, every))
    assert np.isneginf(mechanism.log_pmf(padded, [[1, NOTHING], [0, 6]])).all()
    long = LimitedDomain(5, 3.0, 0.1, neighbors)  # more than there are items
    fewer = ItemCounts([7, 3, 1])
    rows = long.outputs.every(3, 5)
    assert rows.shape == (long.outputs.n_outputs(3, 5), 5)
    absent = long.log_pmf(fewer, rows)
    among = np.where(rows == NOTHING, NOTHING, np.array([0, 2, 3])[rows])
    np.testing.assert_array_equal(absent, long.log_pmf(padded, among))
    assert np.exp(absent).sum() == pytest.approx(1.0)
    few, many = (long.sample(x, 400, np.random.default_rng(3)) for x in (fewer, padded))
    np.testing.assert_array_equal(np.where(few == NOTHING, few, np.array([0, 2, 3])[few]), many)
    for counts in (fewer, padded):
        assert chance_exact_set(counts, long).log == -math.inf
        assert long.log_probability_exact_sequence(counts.sorted) == -math.inf
        released = linf_error(counts, many if counts is padded else few, long.outputs)
        assert set(released.tolist()) <= {0, 1, 2, 3, 4, 6, 7}
    np.testing.assert_array_equal(
        linf_error(fewer, few, long.outputs), linf_error(padded, many, long.outputs)
    )
    nobody = ItemCounts([0, 0, 0])
    assert mechanism.log_pmf(nobody, [[NOTHING, NOTHING]])[0] == 0.0
    assert (mechanism.sample(nobody, 50, np.random.default_rng(0)) == NOTHING).all()


STRANGERS = ([0], [0, 0, 0], [1, 0], [1, 1, 0, 0], [2, 1, 1, 0], [5, 5, 5, 0], [9, 1, 1, 1])


@both_relations
@pytest.mark.parametrize("k_bar", [None, 1, 3])
def test_items_that_appear_keep_the_promise(k_bar, neighbors):
    """Counts of 0 are items that nobody knows yet: neighbours bring them in, at every rank."""
    worst = 0.0
    for number, counts in enumerate(STRANGERS):
        for k in range(1, 4):  # more than there are items, too
            epsilon, delta = ((0.3, 0.02), (3.0, 1e-3), (8.0, 0.3))[(number + k) % 3]
            mechanism = LimitedDomain(k, epsilon, delta, neighbors, k_bar)
            found = worst_case_hockey_stick(ItemCounts(counts), mechanism, epsilon)
            worst = max(worst, found.value / delta)
    assert 0.1 < worst <= 1


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
    """Among neighbors of so few items the promise holds, and strangers use up their share."""
    for counts in STRANGERS:
        for k, epsilon, delta in ((1, 1.0, 1e-3), (2, 3.0, 0.02), (3, 0.3, 0.1)):
            mechanism = LimitedDomain(k, epsilon, delta, neighbors, k_bar, max_items)
            assert worst_case_hockey_stick(ItemCounts(counts), mechanism, epsilon).value <= delta
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


def test_what_is_not_read_costs_nothing():
    """A thousand million items below a few, and a domain of as many."""
    counts = SortedCounts([1000, 900, 3], [3, 4, 10**9])
    for k_bar in (None, 10**9):
        samples = LimitedDomain(10, 5.0, 1e-6, k_bar=k_bar).sample(
            counts, 100, np.random.default_rng(1)
        )
        assert (np.sort(samples[:, :7], axis=1) == np.arange(7)).all()
        assert (samples[:, 7:] == NOTHING).all()


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


def test_the_picture_shows_noise_on_items_that_are_read_only(rng):
    counts = ItemCounts([90, 70, 50, 30, 10, 0]).sorted
    mechanism = LimitedDomain(2, 1.0, 1e-6)  # reads four
    assert mechanism.picture(counts, np.arange(4), rng).counts.tolist() == [90, 70, 50, 30]
    assert mechanism.picture(counts, np.arange(5), rng) is None
    assert LimitedDomain(3, 1.0, 1e-6).picture(counts, np.arange(6), rng) is None
