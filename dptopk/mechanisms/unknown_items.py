"""Base classes of mechanisms for unknown items, which release counts above a threshold ⊥."""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.parameters import Number
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.noisy_order import NoisyOrder

K_BAR = Number(
    "k_bar",
    "Items read",
    1,
    10**9,
    None,
    help="Number of the largest counts to read: at least k; 2k if empty. A larger number lowers "
    "the first count not read and with it the threshold, up to a logarithmic term.",
)


class Thresholded(NoisyOrder):
    """Mechanism that adds noise to counts, and releases those largest that lie above a threshold ⊥.

    Items without users are as good as absent.
    """

    open_domain: ClassVar[bool] = True

    @abstractmethod
    def threshold(self, counts: SortedCounts) -> float:
        """Return the count of ⊥ before noise, in users; items far below it do not come out."""

    @property
    @abstractmethod
    def n_read(self) -> int:
        """Number of largest counts that are read, if so many items have users."""

    def n_noisy(self, counts: SortedCounts) -> int:
        """Return the number of items that are read; items without users are as good as absent."""
        read = top.with_users(counts, self.n_read)
        return 0 if read is None else read.d

    def chances_released(
        self, counts: SortedCounts, ranks: IntArray, room: int | None = None
    ) -> FloatArray:
        """Return the probability that the items at these ranks are among the largest above ⊥."""
        read = top.with_users(counts, self.n_read)
        if read is None:
            return np.zeros(ranks.shape)
        return self._chances_read(counts, read, ranks, room)

    @abstractmethod
    def _chances_read(
        self, counts: SortedCounts, read: SortedCounts, ranks: IntArray, room: int | None
    ) -> FloatArray:
        """Return `chances_released`, where some items are read."""

    def chance_grows(self, target: str) -> bool:
        """Return False: with less noise, items below the threshold are released less often.

        With much noise such an item comes out with a probability of up to delta.
        """
        return False

    def log_probability_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k come out in order, up to ties.

        They never do where fewer than k items have users.
        """
        if counts.padded_top(self.k)[-1] == 0:
            return -math.inf
        return super().log_probability_exact_sequence(counts)


class ReadsTheTop(Thresholded):
    """Mechanism with a field ``k_bar``, the number of largest counts that it reads.

    A field ``max_items`` bounds the items that one user counts for; None where nothing does.
    They and a threshold ⊥ get noise; what lies above ⊥ then comes out.
    """

    k_bar: int | None
    max_items: int | None

    @property
    def n_read(self) -> int:
        """Number of largest counts that are read, if so many items have users."""
        return max(self.k, 2 * self.k if self.k_bar is None else self.k_bar)

    @property
    def n_changed(self) -> int:
        """Largest number of items that are read on only one of two neighbors, on either."""
        return self.n_read if self.max_items is None else min(self.max_items, self.n_read)
