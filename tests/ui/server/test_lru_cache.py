"""Test that the cache of all sessions stays below its size limit and evicts the oldest."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from dptopk.data.synthetic_counts import SYNTHETIC_SHAPES, synthetic
from dptopk.ui.server.lru_cache import LRUCache
from dptopk.ui.uploads import session_uploads


def test_what_was_used_last_is_kept_and_the_rest_let_go():
    kept = LRUCache(10)
    for key in "ab":
        kept.keep(key, 4, key.upper())
    assert [kept.find(key) for key in "ba"] == ["B", "A"]
    kept.keep("c", 4, "C")  # b goes
    assert kept.size == 8
    assert [kept.find(key, "none") for key in "abc"] == ["A", "none", "C"]


def test_what_is_kept_anew_takes_its_place_once_and_all_can_go():
    kept = LRUCache(10)
    for size in (4, 6):
        kept.keep("a", size, "A")
        assert kept.size == size
    assert (kept.find("a"), kept.find("b")) == ("A", None)
    kept.clear()
    assert (kept.size, kept.find("a")) == (0, None)


def test_what_is_too_large_is_not_kept_but_as_one_of_the_least():
    kept = LRUCache(10)
    for least, size in ((0, 0), (1, 11), (2, 22)):
        kept.keep(least, 11, "it", least)
        assert kept.size == size
    kept.keep("small", 1, "it")
    assert kept.size == 1


def test_many_at_once_stay_below_the_bound():
    kept = LRUCache(50)

    def use(i: int) -> int:
        kept.keep(i, i, i)
        return kept.find(i, i)

    numbers = [i % 37 for i in range(2_000)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(use, numbers)) == numbers
    assert 0 < kept.size <= 50


@pytest.mark.parametrize("shape", SYNTHETIC_SHAPES)
def test_synthetic_counts_are_no_larger_than_they_are_taken_for(shape):
    d = 20_000
    tracemalloc.start()
    try:
        counts = synthetic(shape, d)
        _ = counts.items, counts.digest, counts.sorted, counts.order
        counts.ranks_at(counts.order[:1])
        counts.sorted.n_at_least(counts.counts[:1])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held <= d * session_uploads.BYTES_AN_ITEM
