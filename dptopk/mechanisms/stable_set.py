"""StableSet: release the exact top k as a set if a few users cannot change it, else nothing.

Propose-test-release (Dwork, Lei 2009); for top-k: Carvalho, Wang, Gondara, Miao (2020),
"Differentially Private Top-k Selection via Stability on Unknown Domain", UAI 2020.  The budget
goes into one question, whether the gap after place k is large enough, whatever k is.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
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
class StableSet(SetOrNothing):
    """Exact top set or nothing, (epsilon, delta)-DP (Dwork, Lei 2009).

    k, epsilon, delta and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="StableSet",
        name="Stable set",
        summary="Stable set releases exactly the top k, or nothing: as a set, by a noisy test of "
        "whether the gap after place k is too large for a few changes to close.",
        paper=papers.CARVALHO_2020.at("stability of the top k"),
        group=Group.SETS,
        style=Style("#8B6F5C", "2px,6px", "diamond-tall", "."),
        scale="adds Laplace noise of scale {users} to the gap after place k, and to nothing else",
        gaps=Gaps.BEHIND,
        explanation=Explanation.read(
            "StableSet",
            (
                papers.DWORK_2009.at("propose-test-release"),
                papers.CARVALHO_2020.at("stability of the top k"),
            ),
        ),
        parameters=(DELTA,),
        stream=("k", "epsilon", "delta", "neighbors"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(ordered=False, short=True)
    exact_metrics: ClassVar[tuple[str, ...]] = stability.METRICS
    why_delta: ClassVar[str] = (
        "testing that the gap is large enough takes a small probability of failure"
    )

    @property
    def scale(self) -> float:
        """Scale of the noise on the gap, in users."""
        return self.neighbors.gap_sensitivity / self.epsilon

    def log_release(self, counts: SortedCounts) -> tuple[float, float]:
        """Return the log probabilities that the top k come out, and that nothing does."""
        if self.k == counts.d:
            return 0.0, -np.inf  # there is one set only
        distance = self._distances(counts)[-1:]
        released, withheld = stability.log_release(distance, self.epsilon, self.delta)
        return float(released[0]), float(withheld[0])

    def epsilons_for_sets(
        self, counts: SortedCounts, n: int, probability: float = 0.95
    ) -> FloatArray:
        """Return the smallest epsilon at which the top m come out, m = 1, ..., n."""
        distances = self.replaced(k=n)._distances(counts)
        return stability.epsilons(distances, self.delta, probability)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of an error: that of the top k, or of nothing."""
        if metric not in self.exact_metrics:
            return super().error_law(counts, metric)
        released, withheld = self.log_release(counts)
        log_p = np.full(self.k + 1, -np.inf)
        log_p[0], log_p[-1] = withheld, released
        return stability.error_law(counts.top(self.k), log_p, metric)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that anything comes out, which is then a true top k."""
        return self.log_release(counts)[0]

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that nothing comes out."""
        return self.log_release(counts)[1]

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> pictures.Threshold | None:
        """Return the stable number of users, its noise and the threshold."""
        if self.k == counts.d:
            return None  # nothing is asked
        distance = int(self._distances(counts)[-1])
        threshold = stability.threshold(self.epsilon, self.delta)
        return pictures.threshold(distance, 1 / self.epsilon, threshold, *self.log_release(counts))

    def _distances(self, counts: SortedCounts) -> FloatArray:
        """Return the number of users who can change without changing the top m, for m < d."""
        return stability.distances(-np.diff(counts.top(self.k + 1)), self.neighbors.gap_sensitivity)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        released = np.log(rng.random(n)) < self.log_release(counts)[0]
        return np.where(released[:, None], np.arange(self.k), NOTHING)

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        if self.k == counts.d:
            return [*range(self.k)]
        epsilon, delta = fraction_at_most(self.epsilon), fraction_at_most(self.delta)
        distance = int(self._distances(counts)[-1])
        out = stability.released_exactly(distance, epsilon, delta, bits)
        return [*range(self.k)] if out else []

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        released, withheld = self.log_release(counts)
        is_top = (ranks == np.arange(self.k)).all(axis=1)
        is_nothing = (ranks == NOTHING).all(axis=1)
        return np.where(is_top, released, np.where(is_nothing, withheld, -np.inf))
