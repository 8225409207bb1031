"""Mechanisms that add Gumbel noise to every count and release the k largest in order.

The same law as k rounds of the exponential mechanism (Durfee, Rogers 2019, arXiv 1905.04273):
Plackett-Luce with weights e^(rate * count).  They differ in what they choose as the rate, and in
what else they release.
"""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.kernels import conditional_noise, inclusion, peeling, race
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise
from dptopk.mechanisms.noisy_order import NoisyOrder
from dptopk.mechanisms.pictures import NoisyCounts


class GumbelOrder(NoisyOrder):
    """One shot of Gumbel noise, the k largest in order."""

    exchangeable_ties: ClassVar[bool] = True

    @property
    @abstractmethod
    def rate(self) -> float:
        """Weight of a count in the exponent, in 1 / users: e^(rate * count)."""

    @property
    def scale(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.rate

    @property
    @abstractmethod
    def exact_rate(self) -> Fraction:
        """Rate of exact draws, which provably stays within the budget."""

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_choice, exact_peeling  # loads python-flint

        return exact_peeling.peel(counts, self.k, exact_choice.exponential, self.exact_rate, bits)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return race.draw_first(counts, self.k, self.rate, n, rng)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return peeling.log_pmf(counts, ranks, self.rate, race.log_round_pmf)

    def chances_released(
        self, counts: SortedCounts, ranks: IntArray, room: int | None = None
    ) -> FloatArray:
        """Return the probability that the items at these ranks have the k largest noisy counts."""
        return inclusion.chances_of_ranks(counts, self.scale, ranks, self.k, inclusion.GUMBEL, room)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> NoisyCounts:
        """Return one draw of the noise."""
        here = counts.counts_at_ranks(ranks)
        return NoisyCounts(here, here + rng.gumbel(scale=self.scale, size=here.size), "Gumbel")

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        ranks = self._sample_ranks(counts, 1, rng)[0]
        return conditional_noise.of_race(counts, ranks, shown, self.rate, beyond)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k arrive first in an exponential race."""
        return race.log_probability_top_first(counts, self.k, self.rate)

    def log_probability_not_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability that some round goes wrong."""
        return peeling.log_not_first(counts, self.k, self.rate, race.log_round_pmf)

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that another item arrives before some of the true top k."""
        return race.log_probability_not_top_first(counts, self.k, self.rate)
