"""Count and draw sequences and sets of items with bounded loss, in exact integers.

The counting is that of `sequences` and `gap_weighted`, in integers.
"""

import math

import numpy as np
from flint import fmpz

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import log_binomial
from dptopk.core.random_bits import Bits, distinct
from dptopk.mechanisms.kernels.gap_weighted import SetsByGap
from dptopk.mechanisms.kernels.sequences import SequencesByLoss


class Sequences:
    """Sequences of ``k`` distinct ranks, in one row; the loss is max_r (c_r - c_{s_r})."""

    def __init__(self, counts: SortedCounts, k: int):
        self._sequences = SequencesByLoss(counts, k)
        self.first = np.zeros(1, dtype=np.int64)
        self.last = np.array([self._sequences.widest])

    def log_n(self, rows: IntArray, thresholds: IntArray) -> FloatArray:
        """Return log N, approximately."""
        return self._sequences.log_n_at_most(thresholds)

    def n_at_most(self, row: int, threshold: int) -> int:
        """Count the sequences with a loss of at most the threshold."""
        return math.prod(stop - place for place, stop in enumerate(self._stops(threshold)))

    def draw(self, row: int, threshold: int, bits: Bits) -> list[int]:
        """Draw one of the candidates uniformly."""
        return distinct(self._stops(threshold), bits)

    def loss(self, ranks: list[int]) -> int:
        """Return the loss of a sequence, in users."""
        released = self._sequences.counts.counts_at_ranks(np.array([ranks]))
        return int(self._sequences.losses_of(released)[0])

    def _stops(self, threshold: int) -> list[int]:
        """Return the cumulative number of ranks that each place may be drawn from."""
        stops: list[int] = self._sequences.n_within(np.array([threshold]))[:, 0].tolist()
        return stops


class Sets:
    """Sets of ``k`` ranks; the loss is how far the score lies below that of the top set.

    Row h < k holds the sets that miss rank h first, counted from 0, and row k the top set.
    """

    def __init__(self, counts: SortedCounts, k: int):
        self._counts, self._k = counts, k
        self._sets = SetsByGap(counts, k, 0.0)
        self._top_row = 0 if self._sets.complete else k  # all items are one set
        self._sums = self._sets.top[: self._top_row] + self._sets.gap
        """Threshold and count of the last item that may be used, together, of each row."""
        behind = self._sets.top[-1] - self._sets.gap  # the count at rank k
        self.first = np.append(self._sums - behind, 0)
        self.last = np.append(self._sums - counts.values[-1], 0)

    def log_n(self, rows: IntArray, thresholds: IntArray) -> FloatArray:
        """Return log N, approximately."""
        log_n = np.zeros(rows.size)
        other = rows < self._top_row
        row = rows[other]
        among = self._counts.n_at_least(self._sums[row] - thresholds[other]) - row - 1
        log_n[other] = log_binomial(among, self._k - row)
        return log_n

    def n_at_most(self, row: int, threshold: int) -> int:
        """Count the sets of a row with a loss of at most the threshold."""
        if row == self._top_row:
            return 1
        # many times faster than math.comb
        return int(fmpz.bin_uiui(self._among(row, threshold), self._k - row))

    def draw(self, row: int, threshold: int, bits: Bits) -> list[int]:
        """Draw one of the candidates uniformly, in ascending order."""
        if row == self._top_row:
            return [*range(self._k)]
        others = distinct([self._among(row, threshold)] * (self._k - row), bits)
        return [*range(row), *sorted(row + 1 + other for other in others)]

    def loss(self, ranks: list[int]) -> int:
        """Return the loss of a set, in users."""
        return self._sets.gap - int(self._sets.scores(np.array([ranks]))[0])

    def _among(self, row: int, threshold: int) -> int:
        """Return the number of ranks after the missed one from which a set's others are drawn."""
        reached = self._counts.n_at_least(self._sums[row] - np.array(threshold))
        return int(reached) - row - 1
