"""Tools of the peeling samplers against naive versions, and the race of noisy counts."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

from dptopk import EMPeel, Gamma, ItemCounts, Laplace, SortedCounts
from dptopk.mechanisms.kernels import race, shared_radius_top
from dptopk.mechanisms.kernels.peeling import CountBlocks, choose_column, nth_free


@given(st.data())
def test_nth_free_rank(data):
    d = data.draw(st.integers(2, 30))
    taken = sorted(data.draw(st.sets(st.integers(0, d - 1), max_size=d - 1)))
    width = len(taken) + data.draw(st.integers(0, 3))
    padded = np.array([taken + [d + width] * (width - len(taken))], dtype=np.int64)
    free = [rank for rank in range(d) if rank not in taken]
    n = data.draw(st.integers(0, len(free) - 1))
    assert nth_free(padded.reshape(1, width), np.array([n]))[0] == free[n]


def test_nth_free_row_by_row():
    taken = np.array([[0, 1, 2], [1, 3, 99], [50, 51, 52]])
    assert nth_free(taken, np.array([0, 2, 49])).tolist() == [3, 4, 49]


def test_choose_column_covers_every_weight():
    """Targets 0 … total - 1 fall into columns as often as their weights say."""
    weights = np.array([3, 0, 1, 6])
    uniform = (np.arange(10) + 0.5) / 10
    chosen = choose_column(np.tile(weights, (10, 1)), uniform)
    assert np.bincount(chosen, minlength=4).tolist() == weights.tolist()


def test_choose_column_at_the_ends_of_the_uniform():
    weights = np.array([[0, 2, 3, 0]] * 2)
    assert choose_column(weights, np.array([0.0, np.nextafter(1, 0)])).tolist() == [1, 2]


VECTORS = [[4], [7] * 9, list(range(30)), [10**6, 10, 10, 9, 0], [2**53, 2**53 - 1, 0]]


@pytest.mark.parametrize("counts", VECTORS)
def test_blocks_partition_the_ranks(counts):
    for k in (1, 2, 10):
        for rate in (1e-300, 1e-9, 0.01, 0.3, 5.0, 1e6):
            check_blocks(counts, k, rate)


def check_blocks(counts, k, rate):
    data = ItemCounts(counts).sorted
    k = min(k, data.d)
    blocks = CountBlocks.cut(data, k, rate)
    assert blocks.first[0] == 0
    np.testing.assert_array_equal(np.cumsum(blocks.size)[:-1], blocks.first[1:])
    assert blocks.size.sum() == data.d
    assert blocks.size.min() >= 1
    descending = np.sort(counts)[::-1]
    np.testing.assert_array_equal(blocks.top, descending[blocks.first])
    # every block starts where a count does: no count is split
    assert all(first == 0 or descending[first - 1] > descending[first] for first in blocks.first)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.3])
def test_blocks_waste_little(rate, rng):
    """Odds in a block differ by 2 at most, unless hardly any of it is ever a candidate."""
    counts = ItemCounts(np.floor(2000 / np.arange(1, 3001) ** 0.8)).sorted
    k = 20
    blocks = CountBlocks.cut(counts, k, rate)
    kth = counts.top(k)[-1]
    smallest = counts.counts_at_ranks(blocks.first + blocks.size - 1)
    similar = rate * (blocks.top - smallest) <= np.log(2) + 1e-9
    expected_candidates = blocks.size * np.exp(np.minimum(-rate * (kth - blocks.top), 0.0))
    rare = expected_candidates <= 0.05 * (1 + 1e-9)
    assert np.all(similar | rare)
    assert blocks.size.size < counts.n_levels


def test_number_of_blocks_follows_neither_d_nor_levels():
    few = CountBlocks.cut(SortedCounts([9, 5, 0], [1, 2, 10**9]), 2, 1.0)
    assert few.size.size <= 3
    many = CountBlocks.cut(ItemCounts(np.arange(100_000)).sorted, 10, 1.0)
    assert many.size.size < 100


@pytest.mark.parametrize("rate", [0.002, 0.05, 2.0])
def test_draws_from_thousands_of_different_counts_have_their_law(rate):
    counts = ItemCounts(np.arange(6_000))
    drawn = EMPeel(1, rate).sample(counts, 20_000, np.random.default_rng(5))[:, 0]
    weights = np.exp(rate * (counts.counts - counts.counts.max()))
    groups = np.searchsorted(np.cumsum(weights) / weights.sum(), np.linspace(0, 1, 21)[1:-1])
    expected = np.add.reduceat(weights / weights.sum(), [0, *np.unique(groups)])
    seen = np.histogram(drawn, [0, *np.unique(groups), counts.d])[0]
    assert chisquare(seen, 20_000 * expected).pvalue > 1e-6


def test_of_several_arrivals_of_an_item_the_first_counts(rng):
    ranks = rng.integers(-1, 6, (200, 12))
    times = np.where(ranks < 0, np.inf, rng.exponential(size=ranks.shape))
    found = race.Arrivals(ranks, np.zeros_like(ranks), times.copy()).without_repeats()
    for row in range(len(ranks)):
        for item in range(6):
            own = ranks[row] == item
            first = np.sort(times[row, own])[:1]
            kept = found.times[row, own]
            np.testing.assert_array_equal(kept[np.isfinite(kept)], first)


@pytest.mark.parametrize("steps", [1, 100, 2**20, 2**50])
def test_the_largest_come_in_order_also_where_only_last_bits_differ(steps, rng):
    """Noisy counts as many steps of a double apart, and nothing at some places."""
    value = 1 + rng.permuted(np.tile(np.arange(40), (50, 1)), axis=1) * steps * 2.0**-52
    value[:, ::8] = -np.inf
    place = race.largest(30, value, np.ones(value.shape, dtype=np.int64), value - 1)
    expected = np.sort(value, axis=1)[:, ::-1][:, :30]
    np.testing.assert_array_equal(np.take_along_axis(value, place, axis=1), expected)


@pytest.mark.parametrize("mechanism", [EMPeel(3, 1.2), Laplace(3, 1.2), Gamma(3, 1.2)])
@pytest.mark.parametrize("n", [1, 1_000])
def test_draws_go_on_where_nothing_or_too_little_is_found_at_first(
    mechanism, n, monkeypatch, rng, fits
):
    limit, depth_of = race._Levels.limit, shared_radius_top._depth_of
    monkeypatch.setattr(race._Levels, "limit", lambda self, m, low: limit(self, m / 10, low))
    monkeypatch.setattr(shared_radius_top, "_depth_of", lambda m, *rest: depth_of(m / 4, *rest))
    data = ItemCounts([9, 2, 14, 9, 5, 0])
    drawn = np.concatenate([mechanism.sample(data, n, rng) for _ in range(1_000 // n)])
    assert fits(mechanism, data, drawn)
