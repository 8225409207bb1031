"""Laplace: add Laplace noise to every count and release the k largest in order.

Ding, Wang, Zhang, Kifer (2019), arXiv 1904.12773, Noisy-Top-K: noise of scale k / epsilon is
epsilon-DP for monotone counts, those of a user who joins or leaves, and of scale 2 k / epsilon
where counts move both ways; the gaps between the noisy counts come with it (`free_gaps`).  Where a
user counts for at most m items, m < k, scale m / epsilon (2 m / epsilon) makes all noisy counts
epsilon-DP (Dwork, McSherry, Nissim, Smith 2006), hence their order and gaps.

Laws.  A log probability takes time by k alone: milliseconds of ten places, some hundredths of a
second at k = 100 and some seconds at k = 1,000, of a hundred thousand items (`pmf_work` tells it
beforehand).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.numerals import plural
from dptopk.core.parameters import MAX_ITEMS
from dptopk.core.privacy import Cost, Guarantee, PureCost
from dptopk.mechanisms import kernels
from dptopk.mechanisms.base import PureMechanism
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.external_samplers import VectorLaplace
from dptopk.mechanisms.free_gaps import FreeGaps
from dptopk.mechanisms.kernels import inclusion, laplace_order, race
from dptopk.mechanisms.pictures import NoisyCounts


@dataclass(frozen=True)
class Laplace(FreeGaps, PureMechanism):
    """Laplace noise on every count, epsilon-DP.

    k, epsilon, neighbors and max_items as in `Mechanism`.
    """

    max_items: int | None = None

    card: ClassVar[Card] = Card(
        key="Laplace",
        name="Laplace",
        summary="Laplace adds Laplace noise to every count: it releases the largest in order, and "
        "needs less noise where a user counts for few items.",
        paper=papers.DING_2019.at("Noisy-Top-K"),
        group=Group.ORDERED,
        style=Style("#888888", "5px,2px", "square-cross", "."),
        scale="adds Laplace noise of scale {users} to every count",
        explanation=Explanation.read(
            "Laplace",
            (
                papers.DING_2019.at("Noisy-Top-K"),
                papers.DWORK_2006.at("noise calibrated to sensitivity"),
                papers.QIAO_2021.at("the one-shot Laplace mechanism"),
            ),
        ),
        parameters=(MAX_ITEMS,),
        not_exact="It compares sums of a count and real-valued noise, for which no exact sampler "
        "is made here; the outcomes of CDP-Peel and PNF-Peel are drawn directly, and exactly.",
    )
    exchangeable_ties: ClassVar[bool] = True
    noise_law: ClassVar[race.Noise] = laplace_order.NOISE

    @property
    def _n_paid(self) -> int:
        return self.k if self.max_items is None else min(self.k, self.max_items)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP; for users of at most ``max_items`` items where that is below k."""
        most = self.max_items if self._n_paid < self.k else None
        return Guarantee(self.epsilon, 0.0, self.neighbors, max_items=most)

    @property
    def cost(self) -> Cost:
        """Pure epsilon-DP, of which no smaller range is claimed."""
        why = "Its losses may lie anywhere between −ε and ε; no narrower range is claimed."
        return PureCost(self.epsilon, why)

    @property
    def external_sampler(self) -> VectorLaplace | None:
        """OpenDP's Laplace noise on all counts, if the scale fits their l1 sensitivity."""
        if self._n_paid == self.k:  # nothing bounds it: the proof is of the order alone
            return None
        return VectorLaplace(
            self._n_paid * self.neighbors.gap_sensitivity,
            "OpenDP proves epsilon for all noisy counts together; what is read from them costs "
            "no more.",
        )

    @property
    def label(self) -> str:
        """Name, with the bound on items per user where it matters."""
        if self._n_paid == self.k:
            return self.name
        return f"{self.name} ({plural(self._n_paid, 'item')} a user)"

    @property
    def scale(self) -> float:
        """Scale of the Laplace noise, in users."""
        return self._n_paid * self.neighbors.gap_sensitivity / self.epsilon

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps, which depends on the number of places alone."""
        return laplace_order.work(min(self.k, counts.d))

    def set_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: sums over the levels near the k-th count."""
        return kernels.laplace_set.work(counts, min(self.k, counts.d), 1 / self.scale)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> NoisyCounts:
        """Return one draw of the noise."""
        here = counts.counts_at_ranks(ranks)
        return NoisyCounts(here, here + rng.laplace(scale=self.scale, size=here.size), "Laplace")

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return race.draw_first(counts, self.k, self.rate, n, rng, self.noise_law)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return laplace_order.log_pmf(counts, ranks, 1 / self.scale)

    def chances_released(
        self, counts: SortedCounts, ranks: IntArray, room: int | None = None
    ) -> FloatArray:
        """Return the probability that the items at these ranks have the k largest noisy counts."""
        return inclusion.chances_of_ranks(
            counts, self.scale, ranks, self.k, inclusion.LAPLACE, room
        )

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k have the k largest noisy counts."""
        return kernels.laplace_set.log_probability_top_first(counts, self.k, 1 / self.scale)

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that another item passes some of the true top k."""
        return kernels.laplace_set.log_probability_not_top_first(counts, self.k, 1 / self.scale)
