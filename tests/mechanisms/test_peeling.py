"""Tools of the peeling samplers against naive versions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import ItemCounts, SortedCounts
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
