"""Test that the cache of all sessions stays below its size limit and evicts the oldest."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from dptopk.data.synthetic_counts import SYNTHETIC_SHAPES, synthetic
from dptopk.ui.server.lru_cache import LRUCache
from dptopk.ui.uploads import session_uploads


@pytest.fixture
def made() -> list:
    return []


def test_what_was_used_last_is_kept_and_the_rest_let_go(made):
    kept = LRUCache(10)

    def get(key: str, size: int) -> str:
        return kept.get(key, size, lambda: made.append(key) or key.upper())

    assert [get(key, 4) for key in "abab"] == ["A", "B", "A", "B"]
    assert made == ["a", "b"]
    get("a", 4)
    get("c", 4)  # b goes
    assert kept.size == 8
    get("a", 4)
    get("b", 4)
    assert made == ["a", "b", "c", "b"]


def test_what_is_kept_anew_takes_its_place_once_and_all_can_go():
    kept = LRUCache(10)
    for size in (4, 6):
        kept.keep("a", size, "A")
        assert kept.size == size
    assert (kept.find("a"), kept.find("b")) == ("A", None)
    kept.clear()
    assert (kept.size, kept.find("a")) == (0, None)


def test_what_is_too_large_is_given_and_not_kept(made):
    kept = LRUCache(10)
    for _ in range(2):
        assert kept.get("large", 11, lambda: made.append(1) or "it") == "it"
        assert kept.size == 0
    assert len(made) == 2


def test_what_could_not_be_made_is_not_kept():
    kept = LRUCache(10)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", 1, lambda: 1 // 0)
    assert kept.get("a", 1, lambda: 1) == 1


def test_many_at_once_stay_below_the_bound():
    kept = LRUCache(50)
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda i: kept.get(i % 37, i % 37, lambda: i % 37), range(2_000)))
    assert got == [i % 37 for i in range(2_000)]
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
