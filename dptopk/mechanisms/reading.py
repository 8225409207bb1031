"""What mechanisms share that read the largest counts only, of items nobody listed beforehand."""

import math
from abc import abstractmethod
from typing import ClassVar

from dptopk.core.counts import SortedCounts
from dptopk.core.parameters import Number
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.noise import NoisyOrder

K_BAR = Number(
    "k_bar",
    "Items read",
    1,
    10**9,
    None,
    help="How many of the largest counts are read: at least k of them; 2k if nothing is set. More "
    "lower the count below them, and with it the threshold, but for a logarithm.",
)


class ReadsTheTop(NoisyOrder):
    """A mechanism with a field ``k_bar``: how many of the largest counts it reads.

    They and a threshold ⊥ get noise; what lies above ⊥ then comes out.
    """

    open_domain: ClassVar[bool] = True

    k_bar: int | None

    @abstractmethod
    def threshold(self, counts: SortedCounts) -> float:
        """Count of ⊥ before noise, in users: what lies below it does not come out."""

    def n_noisy(self, counts: SortedCounts) -> int:
        """Items that are read: without users they are as good as absent."""
        read = top.with_users(counts, self.n_read)
        return 0 if read is None else read.d

    def chance_grows(self, target: str) -> bool:
        """Return False: as noise gets less, ⊥ beats an item of hardly more than the count unread.

        With much noise such an item comes out with a probability of up to delta.
        """
        return False

    def log_probability_exact_sequence(self, counts: SortedCounts) -> float:
        """Log probability that the true top k come out in order, up to ties.

        They never do where fewer than k items have users.
        """
        if counts.padded_top(self.k)[-1] == 0:
            return -math.inf
        return super().log_probability_exact_sequence(counts)

    @property
    def n_read(self) -> int:
        """How many of the largest counts are read, if so many items have users."""
        return max(self.k, 2 * self.k if self.k_bar is None else self.k_bar)
