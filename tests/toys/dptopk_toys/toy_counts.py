"""ToyCounts: peeling with the exponential mechanism, and Laplace noise on what it chose.

Half of epsilon chooses, k rounds of epsilon / (2 k) each (a race, as CDP-Peel); the other half
releases the k chosen counts (Dwork, Roth 2014, Theorem 3.6), of which one user changes each by
one at most, under either relation.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.counts import SortedCounts
from dptopk.mechanisms import Card, Group, Paper, PureMechanism, Style
from dptopk.mechanisms.kernels import peeling, race
from dptopk.outputs import OutputKind


@dataclass(frozen=True)
class ToyCounts(PureMechanism):
    """Items and their noisy counts, epsilon-DP.  Parameters and errors as `PureMechanism`."""

    card: ClassVar[Card] = Card(
        key="ToyCounts",
        name="Toy-Counts",
        summary="Toy-Counts spends half of the budget on choosing k items, and half on counts.",
        paper=Paper(
            "Dwork, Roth 2014", "Theorem 3.6", "https://www.cis.upenn.edu/~aaroth/privacybook.html"
        ),
        group=Group.COUNTS,
        style=Style("#999933", "12px,4px", "hexagon", "+"),
        scale="adds Gumbel noise of scale {users} to every count to choose",
    )
    outputs: ClassVar[OutputKind] = OutputKind(counted=True)
    exchangeable_ties: ClassVar[bool] = True

    @property
    def rate(self) -> float:
        """Rate of a round, in 1 / users: a k-th of half the budget over the spread."""
        return self.epsilon / (2 * self.k * self.neighbors.spread)

    @property
    def scale(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.rate

    @property
    def noise_scale(self) -> float:
        """Scale of the Laplace noise on a released count, in users: k over half the budget."""
        return 2 * self.k / self.epsilon

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        return race.draw_first(counts, self.k, self.rate, n, rng)

    def _log_pmf(self, counts: SortedCounts, ranks: np.ndarray) -> np.ndarray:
        return peeling.log_pmf(counts, ranks, self.rate, race.log_round_pmf)

    def _noisy_counts(
        self, counts: SortedCounts, ranks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        return counts.counts_at_ranks(ranks) + rng.laplace(scale=self.noise_scale, size=ranks.shape)
