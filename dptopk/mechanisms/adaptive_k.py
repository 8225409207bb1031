"""AdaptiveK: release the exact top m, with m <= k chosen privately by the gap after it.

After Zhu and Wang (2022), "Adaptive Private-K-Selection with Adaptive K and Application to
Multi-label PATE", arXiv 2203.16100: half of epsilon chooses a size, by the exponential mechanism
on the gaps, and the other half, with delta, asks whether that top set is stable (`stable_set`).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.core.numerals import fraction_at_most
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.parameters import DELTA
from dptopk.core.random_bits import Bits
from dptopk.mechanisms import pictures
from dptopk.mechanisms.approximate import SetOrNothing
from dptopk.mechanisms.card import Card, Explanation, Gaps, Group, Style
from dptopk.mechanisms.exact_laws import ErrorLaw
from dptopk.mechanisms.kernels import stability


@dataclass(frozen=True)
class AdaptiveK(SetOrNothing):
    """An exact top set of a size chosen by the data, (epsilon, delta)-DP (Zhu, Wang 2022).

    Half of epsilon chooses the size, half tests the set.  k, the largest size, epsilon, delta and
    neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="AdaptiveK",
        name="Adaptive k",
        summary="Adaptive k releases a top set that ends at a large gap: exactly that set, of up "
        "to k items, or nothing at all.",
        paper=papers.ZHU_2022.at("a private choice of k"),
        group=Group.SETS,
        style=Style("#AA4499", "6px,2px,2px,2px,2px,2px", "bowtie", "\\"),
        scale="chooses its size with {users} more in a gap making it e times likelier",
        gaps=Gaps.LARGEST,
        explanation=Explanation.read(
            "AdaptiveK",
            (
                papers.ZHU_2022.at("a private choice of k"),
                papers.DWORK_2009.at("propose-test-release"),
            ),
        ),
        parameters=(DELTA,),
        stream=("k", "epsilon", "delta", "neighbors"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(ordered=False, short=True)
    exact_metrics: ClassVar[tuple[str, ...]] = stability.METRICS
    what_comes_out: ClassVar[str] = "a top set of at most k items"
    why_delta: ClassVar[str] = (
        "testing that a gap is large enough takes a small probability of failure"
    )

    @property
    def rate(self) -> float:
        """Weight of a size per user in its gap: half of epsilon over twice the sensitivity."""
        return self.epsilon / (4 * self.neighbors.gap_sensitivity)

    @property
    def scale(self) -> float:
        """Difference of two gaps, in users, that makes a size e times likelier."""
        return 1 / self.rate

    def log_sizes(self, counts: SortedCounts) -> FloatArray:
        """Return the log probability that the top m come out, m = 0, ..., k, shape (k + 1,).

        Sizes are those below d; a single item needs no choice.
        """
        result = np.full(self.k + 1, -np.inf)
        if counts.d == 1:
            result[1] = 0.0
            return result
        gaps, log_chosen = self._choice(counts)
        distances = stability.distances(gaps, self.neighbors.gap_sensitivity)
        released, withheld = stability.log_release(distances, self.epsilon / 2, self.delta)
        result[0] = logsumexp(log_chosen + withheld)
        result[1 : gaps.size + 1] = log_chosen + released
        return result

    def chance_grows(self, target: str) -> bool:
        """Return False: a larger epsilon favors the size with the largest gap."""
        return False

    def epsilons_for_sets(
        self, counts: SortedCounts, n: int, probability: float = 0.95
    ) -> FloatArray:
        """Return the smallest epsilon at which any of the top 1, ..., k comes out, k = 1, ..., n.

        Nothing comes out less often as epsilon grows: every set is withheld less often, and the
        size shifts to larger gaps.
        """
        from scipy.optimize import brentq  # slow to load

        gaps = -np.diff(counts.top(n + 1))
        distances = stability.distances(gaps, self.neighbors.gap_sensitivity)
        below = (gaps - np.maximum.accumulate(gaps)[:, None]) / (4 * self.neighbors.gap_sensitivity)
        # half of epsilon tests, and no size does better than the one with the largest gap
        least = 2 * stability.epsilons(np.maximum.accumulate(distances), self.delta, probability)

        def excess(epsilon: float, k: int) -> float:
            weights = np.exp(epsilon * below[k - 1, :k])
            out, nothing = map(
                np.exp, stability.log_release(distances[:k], epsilon / 2, self.delta)
            )
            short = probability - out if probability < 0.5 else nothing - (1 - probability)
            return float(weights @ short)

        def smallest(k: int) -> float:
            low = float(least[k - 1])
            if low in (0.0, math.inf) or excess(low, k) <= 0:
                return low
            high = 2 * low
            while excess(high, k) > 0:
                high *= 2
            return float(brentq(excess, low, high, args=(k,), xtol=low * 1e-12, rtol=1e-12))

        return np.array([smallest(k) for k in range(1, n + 1)])

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of an error, which follows from that of the size."""
        if metric not in self.exact_metrics:
            return super().error_law(counts, metric)
        return stability.error_law(counts.top(self.k), self.log_sizes(counts), metric)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that all k come out, which are then a true top set."""
        return float(self.log_sizes(counts)[-1])

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that fewer than k come out."""
        return float(np.logaddexp.reduce(self.log_sizes(counts)[:-1]))

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> pictures.Sizes | None:
        """Return the gaps, with the probabilities that each size is drawn and comes out."""
        if counts.d == 1:
            return None  # nothing is chosen
        gaps, log_chosen = self._choice(counts)
        log_sizes = self.log_sizes(counts)
        return pictures.Sizes(gaps, log_chosen, log_sizes[1 : gaps.size + 1], float(log_sizes[0]))

    def _choice(self, counts: SortedCounts) -> tuple[IntArray, FloatArray]:
        """Return the gap after each size from 1 on, and the log probability of the size."""
        gaps: IntArray = -np.diff(counts.top(min(self.k, counts.d - 1) + 1))
        log_weight = np.float64(self.rate) * (gaps - gaps.max())
        return gaps, log_weight - logsumexp(log_weight)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        cumulative = np.cumsum(np.exp(self.log_sizes(counts)))
        size = np.searchsorted(cumulative, rng.random(n) * cumulative[-1], side="right")
        place = np.arange(self.k)
        return np.where(place < size[:, None], place, NOTHING)

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_choice, exact_peeling  # loads python-flint

        if counts.d == 1:
            return [0]
        epsilon, delta = fraction_at_most(self.epsilon), fraction_at_most(self.delta)
        gaps = ItemCounts(-np.diff(counts.top(min(self.k, counts.d - 1) + 1)))
        rate = epsilon / (4 * self.neighbors.gap_sensitivity)
        (rank,) = exact_choice.exponential(exact_peeling.Items(gaps.sorted), rate, bits)
        size = int(gaps.order[rank]) + 1
        distance = int(
            stability.distances(gaps.counts[size - 1 : size], self.neighbors.gap_sensitivity)[0]
        )
        out = stability.released_exactly(distance, epsilon / 2, delta, bits)
        return [*range(size)] if out else []

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        size = (ranks != NOTHING).sum(axis=1)
        place = np.arange(self.k)
        is_top = (ranks == np.where(place < size[:, None], place, NOTHING)).all(axis=1)
        return np.where(is_top, self.log_sizes(counts)[size], -np.inf)
