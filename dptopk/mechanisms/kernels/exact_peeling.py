"""Draw items exactly in rounds, each a choice among those that remain."""

import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import NOTHING, SortedCounts
from dptopk.core.random_bits import Bits, below
from dptopk.mechanisms.kernels.exact_choice import Candidates


@dataclass(frozen=True)
class StopCandidate:
    """Candidate for stopping, with the weight of ``copies`` items of this count."""

    count: int
    copies: int


class Items:
    """Single items, as indexes among sorted counts; the loss is how far below the best one is.

    The items are row 0, and the last row is ⊥, if there is one, drawn as `NOTHING`.
    """

    def __init__(self, counts: SortedCounts | None, bottom: StopCandidate | None = None):
        assert counts is not None or bottom is not None
        self._counts, self._bottom = counts, bottom
        ends = [] if counts is None else [(int(counts.values[0]), int(counts.values[-1]))]
        ends += [] if bottom is None else [(bottom.count, bottom.count)]
        self._n_rows_of_items = int(counts is not None)
        self._best = max(best for best, _ in ends)
        self.first, self.last = self._best - np.array(ends).T

    def log_n(self, rows: IntArray, thresholds: IntArray) -> FloatArray:
        """Return log N, approximately."""
        log_n = np.zeros(rows.size)
        is_item = rows < self._n_rows_of_items
        if self._counts is not None:
            reached = self._counts.n_at_least(self._best - thresholds[is_item])
            log_n[is_item] = np.log(reached)
        if self._bottom is not None:
            log_n[~is_item] = math.log(self._bottom.copies)
        return log_n

    def n_at_most(self, row: int, threshold: int) -> int:
        """Count the items of a row with a loss of at most the threshold."""
        if self._counts is not None and row == 0:
            return int(self._counts.n_at_least(np.array(self._best - threshold)))
        assert self._bottom is not None
        return self._bottom.copies

    def draw(self, row: int, threshold: int, bits: Bits) -> list[int]:
        """Draw a uniform one of them."""
        if row < self._n_rows_of_items:
            return [below(self.n_at_most(row, threshold), bits)]
        return [NOTHING]

    def loss(self, ranks: list[int]) -> int:
        """Return the loss of an item, in users."""
        assert self._counts is not None
        return self._best - int(self._counts.counts_at_ranks(np.array(ranks))[0])


Choice = Callable[[Candidates, Fraction, Bits], list[int]]
"""Choice of one round: `exact_choice.exponential` or `exact_choice.permute_and_flip`."""


def peel(
    counts: SortedCounts | None,
    k: int,
    choice: Choice,
    rate: Fraction,
    bits: Bits,
    bottom: StopCandidate | None = None,
) -> list[int]:
    """Draw up to k ranks, one a round, until ⊥ or nothing is left."""
    ranks: list[int] = []
    taken: list[int] = []  # in ascending order
    while counts is not None and len(ranks) < k:
        (index,) = choice(Items(counts, bottom), rate, bits)
        if index == NOTHING:
            break
        counts = _without(counts, index)
        for rank in taken:
            index += rank <= index
        ranks.append(index)
        insort(taken, index)
    return ranks


def _without(counts: SortedCounts, index: int) -> SortedCounts | None:
    """Return the counts without the item of this index; None if none is left."""
    level = int(counts.level_of_rank(np.array(index)))
    left = counts.multiplicities.copy()
    left[level] -= 1
    there = left > 0
    return SortedCounts(counts.values[there], left[there]) if there.any() else None
