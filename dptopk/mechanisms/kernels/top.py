"""Count and find the true top k up to ties, as sets and as sequences."""

import itertools

import numpy as np

from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import log_binomial


def log_n_top_sequences(counts: SortedCounts, k: int) -> float:
    """Return the log number of sequences of k items without any error: ties in any order."""
    places = np.arange(k)
    tied_to = counts.ends[counts.level_of_rank(places)]  # ranks that may stand at each place
    return float(np.log(tied_to - places).sum())


def log_n_top_sets(counts: SortedCounts, k: int) -> float:
    """Return the log number of sets of k items with the largest counts.

    With m items tied at the k-th count and j of them in a set there are C(m, j).
    """
    _, m, j = _at_kth(counts, k)
    return float(log_binomial(m, j))


def every_top(counts: SortedCounts, k: int, in_order: bool) -> list[tuple[int, ...]]:
    """List the ranks of all sequences, or sets, of k items with the largest counts."""
    choose = itertools.permutations if in_order else itertools.combinations
    levels = (
        choose(range(begin, end), min(end, k) - begin)
        for begin, end in itertools.pairwise([0, *counts.ends.tolist()])
        if begin < k
    )
    return [sum(parts, ()) for parts in itertools.product(*levels)]


def one_top_set(counts: SortedCounts, k: int) -> SortedCounts:
    """Return one set of the k largest counts, as counts of their own."""
    kth, _, j = _at_kth(counts, k)
    return SortedCounts(counts.values[: kth + 1], np.append(counts.multiplicities[:kth], j))


def without_top(counts: SortedCounts, n: int) -> SortedCounts:
    """Return the counts without the n largest; n must be below d."""
    level = int(np.searchsorted(counts.ends, n, side="right"))
    left = counts.multiplicities[level:].copy()
    left[0] = counts.ends[level] - n
    return SortedCounts(counts.values[level:], left)


def _at_kth(counts: SortedCounts, k: int) -> tuple[int, int, int]:
    """Return the level of the k-th count, its number of items, and how many are in a top k."""
    kth = int(np.searchsorted(counts.ends, k))
    m = int(counts.multiplicities[kth])
    return kth, m, k - int(counts.ends[kth] - m)


def with_users(counts: SortedCounts, n: int) -> SortedCounts | None:
    """Return the first n items without those that have no users; None if there are none."""
    values = counts.values[counts.values > 0]
    sizes = np.diff(np.minimum(counts.ends[: values.size], n), prepend=0)
    there = sizes > 0
    return SortedCounts(values[there], sizes[there]) if there.any() else None


def count_behind(counts: SortedCounts, n: int) -> int:
    """Return the largest count after the first n; 0 if there is none."""
    return int(counts.counts_at_ranks(np.array([n]))[0]) if n < counts.d else 0
