"""What mechanisms share that read the largest counts only, of items nobody listed beforehand."""

from abc import abstractmethod

from dptopk.counts import SortedCounts
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.noise import NoisyOrder
from dptopk.parameters import Number

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

    k_bar: int | None

    @abstractmethod
    def threshold(self, counts: SortedCounts) -> float:
        """Count of ⊥ before noise, in users: what lies below it does not come out."""

    def n_noisy(self, counts: SortedCounts) -> int:
        """Items that are read: without users they are as good as absent."""
        read = top.with_users(counts, self.n_read)
        return 0 if read is None else read.d

    @property
    def n_read(self) -> int:
        """How many of the largest counts are read, if so many items have users."""
        return max(self.k, 2 * self.k if self.k_bar is None else self.k_bar)
