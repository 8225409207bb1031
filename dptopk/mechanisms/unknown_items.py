"""Base classes of mechanisms for unknown items, which release counts above a threshold ⊥."""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.parameters import Number
from dptopk.mechanisms.kernels import conditional_noise, laplace_order, race, top
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise
from dptopk.mechanisms.noisy_order import NoisyOrder
from dptopk.mechanisms.pictures import NoisyCounts

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


class LaplaceAboveThreshold(Thresholded):
    """Mechanism that releases the largest counts with Laplace noise above ⊥, and these counts."""

    outputs: ClassVar[OutputKind] = OutputKind(short=True, counted=True)
    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta == 0:
            why = "hiding that an item has few users takes a small probability of failure"
            raise ValueError(f"delta must be above 0 for {self.name}, got 0: {why}")

    @abstractmethod
    def _origin(self, counts: SortedCounts) -> int:
        """Return the count from which the distance of ⊥ is measured."""

    @abstractmethod
    def _draw_distance(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw how far ⊥ lies above that count in each draw, in scales, shape (n, 1)."""

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> NoisyCounts | None:
        """Return one draw of the noise, if all of these items are read."""
        here = counts.counts_at_ranks(ranks)
        if ranks[-1] >= self.n_read or here[-1] == 0:
            return None
        noisy = here + rng.laplace(scale=self.scale, size=here.size)
        return NoisyCounts(here, noisy, "Laplace", self._bottom(counts, rng))

    def _bottom(self, counts: SortedCounts, rng: np.random.Generator) -> float:
        """Draw the noisy count of ⊥, in users."""
        return self._origin(counts) + self.scale * float(self._draw_distance(1, rng)[0, 0])

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return self._draw(counts, n, rng, with_counts=False)[0]

    def _draw(
        self, counts: SortedCounts, n: int, rng: np.random.Generator, with_counts: bool
    ) -> tuple[IntArray, FloatArray | None]:
        ranks = np.full((n, self.k), NOTHING)
        noisy = np.full((n, self.k), np.nan) if with_counts else None
        read = top.with_users(counts, self.n_read)
        if read is None:
            return ranks, noisy
        first = self._largest(read, n, rng)
        there = np.s_[:, : first.ranks.shape[1]]
        # in scales above the origin: counts may be huge
        height = ((read.values - self._origin(counts)) / self.scale)[first.levels]
        above = first.noise / self.scale + height > self._draw_distance(n, rng)
        np.copyto(ranks[there], first.ranks, where=above)
        if noisy is not None:
            np.copyto(noisy[there], read.values[first.levels] + first.noise, where=above)
        return ranks, noisy

    def _largest(self, read: SortedCounts, n: int, rng: np.random.Generator) -> race.FirstArrivals:
        """Draw the items with the largest noisy counts, below the threshold or not."""
        k = min(self.k, read.d)
        return race.draw_first_noisy(read, k, 1 / self.scale, n, rng, laplace_order.NOISE)

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        read = top.with_users(counts, self.n_read)
        assert read is not None  # `noise_behind` refuses data of which nothing is read
        first = self._largest(read, 1, rng)
        ranks, own = first.ranks[0], first.noise[0]
        last = conditional_noise.Last(int(read.counts_at_ranks(ranks[-1:])[0]), float(own[-1]))
        here = counts.counts_at_ranks(shown)
        others = conditional_noise.under(here, last, laplace_order.NOISE, self.scale, beyond)
        return ConditionalNoise(
            conditional_noise.beside(ranks, own, shown, others), self._bottom(counts, rng)
        )
