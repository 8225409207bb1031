"""Test mechanisms for unknown items: items that appear, and items without users."""

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
