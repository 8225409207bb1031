"""ToyCounts: peeling with the exponential mechanism, and Laplace noise on what it chose.

Half of epsilon chooses, k rounds of epsilon / (2 k) each (a race, as CDP-Peel); the other half
releases the k chosen counts (Dwork, Roth 2014, Theorem 3.6), of which one user changes each by
one at most, under either relation.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core.counts import SortedCounts
from dptopk.core.errors import METRICS
from dptopk.core.outputs import OutputKind
from dptopk.core.papers import Paper
from dptopk.mechanisms import Card, Explanation, Group, PureMechanism, Style
from dptopk.mechanisms.kernels import peeling, race
from dptopk.mechanisms.pictures import NoisyCounts

DWORK_2014 = Paper(
    ("Dwork", "Roth"),
    2014,
    "The Algorithmic Foundations of Differential Privacy",
    "Foundations and Trends in Theoretical Computer Science",
    "https://www.cis.upenn.edu/~aaroth/privacybook.html",
)


@dataclass(frozen=True)
class ToyCounts(PureMechanism):
    """Items and their noisy counts, epsilon-DP.  Parameters and errors as `PureMechanism`."""

    card: ClassVar[Card] = Card(
        key="ToyCounts",
        name="Toy-Counts",
        summary="Toy-Counts spends half of the budget on choosing k items, and half on counts.",
        paper=DWORK_2014.at("Theorem 3.6"),
        group=Group.COUNTS,
        style=Style("#999933", "12px,4px", "hexagon", "+"),
        scale="adds Gumbel noise of scale {users} to every count to choose",
        explanation=Explanation(
            does=(
                "Toy-Counts spends one half of its budget on choosing and one on counting.",
                "To choose, it adds Gumbel noise to every count and takes the k largest in order.",
                "To count, it adds fresh Laplace noise to the true counts of those k.",
                "Both the items and their noisy counts are released.",
            ),
            promise="Each half is ε/2-DP: k rounds of the exponential mechanism with ε/(2k) each, "
            "and k counts that one user moves by at most 1 each with noise of scale 2k/ε.",
            good_for="When counts are wanted beside the items.",
            not_for="When the items alone are wanted: then the second half is spent for nothing.",
            sources=(DWORK_2014.at("Theorem 3.6"),),
        ),
    )
    outputs: ClassVar[OutputKind] = OutputKind(counted=True)
    exchangeable_ties: ClassVar[bool] = True

    @property
    def rate(self) -> float:
        """Rate of a round, in 1 / users: a k-th of half the budget over the spread."""
        return self.epsilon / (2 * self.k * self.neighbors.gap_sensitivity)

    @property
    def scale(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.rate

    @property
    def noise_scale(self) -> float:
        """Scale of the Laplace noise on a released count, in users: k over half the budget."""
        return 2 * self.k / self.epsilon

    def picture(
        self, counts: SortedCounts, ranks: np.ndarray, rng: np.random.Generator
    ) -> NoisyCounts:
        """One draw of the noise by which it chooses."""
        here = counts.counts_at_ranks(ranks)
        return NoisyCounts(here, here + rng.gumbel(scale=self.scale, size=here.size), "Gumbel")

    def chance_grows(self, target: str) -> bool:
        """Of such a measure data are known where it does not."""
        return target not in METRICS or not METRICS[target].falls_under_noise

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        return race.draw_first(counts, self.k, self.rate, n, rng)

    def _log_pmf(self, counts: SortedCounts, ranks: np.ndarray) -> np.ndarray:
        return peeling.log_pmf(counts, ranks, self.rate, race.log_round_pmf)

    def _noisy_counts(
        self, counts: SortedCounts, ranks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        return counts.counts_at_ranks(ranks) + rng.laplace(scale=self.noise_scale, size=ranks.shape)
