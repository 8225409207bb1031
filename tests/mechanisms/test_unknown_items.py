"""Test mechanisms for unknown items: items that appear, or have no users; a fixed threshold."""

import math

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    NOTHING,
    ItemCounts,
    LimitedDomain,
    LimitedDomainLaplace,
    NeighborRelation,
    SortedCounts,
    ThresholdedLaplace,
    linf_error,
    worst_case_hockey_stick,
)
from dptopk.laws.privacy_losses import neighboring_counts
from dptopk.mechanisms import Mechanism

KINDS = [kind for kind in MECHANISMS.values() if kind.open_domain]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))
STRANGERS = ([0], [0, 0, 0], [1, 0], [1, 1, 0, 0], [2, 1, 1, 0], [5, 5, 5, 0], [9, 1, 1, 1])
"""Counts of 0 are items that nobody knows yet: neighbours bring them in, at every rank."""


def built(kind, k, epsilon, delta, neighbors=NeighborRelation.ADD_REMOVE, **own):
    own |= {"max_items": 1} if kind is LimitedDomainLaplace and not own else {}
    return kind(k=k, epsilon=epsilon, delta=delta, neighbors=neighbors, **own)


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        *((LimitedDomain, {"k_bar": k_bar}) for k_bar in (None, 1, 3)),
        *((LimitedDomain, {"max_items": m, "k_bar": b}) for m, b in ((1, None), (1, 3), (2, 3))),
        *((LimitedDomainLaplace, {"max_items": m, "k_bar": b}) for m, b in ((1, None), (2, 2))),
        (LimitedDomainLaplace, {"k_bar": 1}),
        *((ThresholdedLaplace, {"max_items": most}) for most in (None, 2, 3)),
    ],
)
@both_relations
def test_items_that_appear_keep_the_promise(kind, own, neighbors):
    worst = 0.0
    for number, counts in enumerate(STRANGERS):
        k = 1 + number % 3  # more than there are items, too
        epsilon, delta = ((0.3, 0.02), (3.0, 1e-3), (8.0, 0.3))[(number + number // 3) % 3]
        mechanism = built(kind, k, epsilon, delta, neighbors, **own)
        found = worst_case_hockey_stick(ItemCounts(counts), mechanism, epsilon)
        worst = max(worst, found.value / delta)
    assert 0.1 < worst <= 1 + 1e-9
    if kind is ThresholdedLaplace:
        assert worst == pytest.approx(1, rel=1e-9)  # a user brings all items that there are


@both_relations
@every_kind
def test_items_without_users_are_as_good_as_absent(kind, neighbors):
    """The list of items may come from the data: what nobody has changes nothing."""
    mechanism, long = (built(kind, k, 3.0, 0.1, neighbors) for k in (2, 5))
    here, padded, fewer = map(ItemCounts, ([7, 0, 3, 1], [7, 0, 3, 1, 0, 0, 0], [7, 3, 1]))
    every = mechanism.outputs.every(4, 2)
    np.testing.assert_array_equal(mechanism.log_pmf(here, every), mechanism.log_pmf(padded, every))
    assert np.isneginf(mechanism.log_pmf(padded, [[1, NOTHING], [0, 6]])).all()

    def among(rows):
        return np.where(rows == NOTHING, NOTHING, np.array([0, 2, 3])[rows])

    rows = long.outputs.every(3, 5)  # more than there are items
    assert rows.shape == (long.outputs.n_outputs(3, 5), 5)
    absent = long.log_pmf(fewer, rows)
    np.testing.assert_array_equal(absent, long.log_pmf(padded, among(rows)))
    assert np.exp(absent).sum() == pytest.approx(1.0)
    few, many = (long.released(x, 400, np.random.default_rng(3)) for x in (fewer, padded))
    np.testing.assert_array_equal(among(few.positions), many.positions)
    np.testing.assert_array_equal(few.counts, many.counts)
    errors = [
        linf_error(counts, released.positions, long.outputs)
        for counts, released in ((fewer, few), (padded, many))
    ]
    np.testing.assert_array_equal(*errors)
    assert set(errors[0].tolist()) <= {0, 1, 2, 3, 4, 6, 7}
    nobody = ItemCounts([0, 0, 0])
    assert mechanism.log_pmf(nobody, [[NOTHING, NOTHING]])[0] == 0.0
    released = mechanism.released(nobody, 50, np.random.default_rng(0))
    assert (released.positions == NOTHING).all()
    assert released.counts is None or np.isnan(released.counts).all()


@pytest.mark.parametrize(
    ("mechanism", "counts", "of_threshold"),
    [
        (LimitedDomainLaplace(2, 1.0, 1e-2, 1, k_bar=4), [3, 14, 9, 9, 1], 1.0),
        (ThresholdedLaplace(2, 1.0, 1e-2), [3, 6, 5, 5, 0], 0.0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_counts_that_come_out_are_those_that_put_the_items_there(
    mechanism, counts, of_threshold, rng
):
    """Against noise on every item, drawn plainly: positions and counts agree in law."""
    data, n = ItemCounts(counts), 200_000
    released = mechanism.released(data, n, rng)
    there = released.positions != NOTHING
    both = there.all(axis=1)
    assert np.all(released.counts[both, 0] >= released.counts[both, 1])
    noisy = data.counts[:4] + rng.laplace(size=(n, 4))  # four are read, or have users
    level = mechanism.threshold(data.sorted) + of_threshold * rng.laplace(size=(n, 1))
    order = np.argsort(-noisy, axis=1)[:, :2]
    largest = np.take_along_axis(noisy, order, axis=1)
    came = largest > level
    np.testing.assert_allclose(there.mean(axis=0), came.mean(axis=0), atol=0.006)
    for place in range(2):
        ours = np.quantile(released.counts[there[:, place], place], (0.01, 0.25, 0.5, 0.9))
        plain = np.quantile(largest[came[:, place], place], (0.01, 0.25, 0.5, 0.9))
        np.testing.assert_allclose(ours, plain, atol=0.1)


@every_kind
def test_a_thousand_million_items_cost_no_more_than_their_levels(kind, rng):
    """Below a few, and in a domain of as many."""
    counts = SortedCounts([1000, 900, 3], [3, 4, 10**9])
    for own in ({}, {"max_items": 1, "k_bar": 10**9} if kind.card.takes("k_bar") else {}):
        mechanism = built(kind, 10, 5.0, 1e-6, **own)
        samples = mechanism.sample(counts, 20_000 if own else 100, rng)
        assert (np.sort(samples[:, :7], axis=1) == np.arange(7)).all()
        others = (samples[:, 7:] != NOTHING).sum(axis=1).mean()
        chance = float(mechanism.chances_released(counts, np.array([7]))[0])
        n_others = min(mechanism.n_read, counts.d) - 7
        np.testing.assert_allclose(others, chance * n_others, rtol=0.3, atol=1e-6)


@every_kind
def test_the_picture_shows_noise_on_items_that_are_read_only(kind, rng):
    counts = ItemCounts([90, 70, 50, 30, 10, 0]).sorted
    mechanism = built(kind, 2, 1.0, 1e-6)  # reads four, or all
    n = 5 if kind is ThresholdedLaplace else 4
    shown = mechanism.picture(counts, np.arange(n), rng)
    assert shown.counts.tolist() == [90, 70, 50, 30, 10][:n]
    assert (shown.threshold == mechanism.threshold(counts)) == (kind is ThresholdedLaplace)
    assert mechanism.picture(counts, np.arange(n + 1), rng) is None
    assert built(kind, 3, 1.0, 1e-6).picture(counts, np.arange(6), rng) is None


ADD_REMOVE, SWAP = NeighborRelation


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
