"""Gamma: the K-norm mechanism of the l-infinity norm, which adds noise to all counts jointly.

Steinke, Ullman (2015), arXiv 1501.06095, Theorem 4.1; for top k it is among the baselines in the
code of Gillenwater et al. (2022), arXiv 2201.12333.  With d items draw R from a Gamma distribution
of shape d + 1 and scale b, add R * Uniform[-1, 1] to every count, and release the k largest in
order.

Privacy.  Given R the density of the noise z is (2R)^-d where max |z_j| < R; over R that is
proportional to the integral of e^(-r / b) over r > max |z_j|, hence to e^(-max |z_j| / b).  Let
one user change the counts by v.  The order of c + v + z is that of c + z' with z' = z + v - a, for
any number a added to all of them; and max |z_j| and max |z'_j| differ by at most max |v_j - a|.  So
no order becomes more than e^(max |v_j - a| / b) times likelier.

* Where a user is replaced v_j is -1, 0 or 1: with a = 0 the scale b = 1 / epsilon is enough.
* Where a user joins all v_j are 0 or 1 (or 0 or -1): a = 1/2 leaves 1/2, and b = 1 / (2 epsilon)
  is enough for the order.  The theorem's b = 1 / epsilon, that of the paper's calibration, is for
  all noisy counts: of the order alone it spends epsilon / 2 at most.

No smaller scale is enough for either: two items that a large gap g parts are exchanged with a
probability that falls like e^(-g / 2b), up to a power of g, and one user changes g by 1, or by 2.

Laws.  Log probabilities have nine digits for up to ten million items; more are refused.  They are
integrals over the radius and over the last place: of few items or few different counts they take
milliseconds, and so they do where the radius reaches past all counts that matter, as it does where
epsilon is small beside the number of items over the largest count; in between, of many items with
many different counts, a hundredth of a second to half a second at k = 10 and some tenths at
k = 100; one or more where the range of a place ends just where most items begin.  Shares of runs of
`sample` are an estimate in a moment.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.privacy import Cost, PureCost
from dptopk.mechanisms import kernels
from dptopk.mechanisms.base import PureMechanism
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.cdp_peel import CALIBRATION
from dptopk.mechanisms.exact_laws import NoClosedFormError
from dptopk.mechanisms.kernels import conditional_noise
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise
from dptopk.mechanisms.noisy_order import NoisyOrder
from dptopk.mechanisms.pictures import NoisyCounts

_MOST_LEVELS = 100  # from some hundred on a probability takes about a second
_MOST_ITEMS = 10**7  # of which logarithms have nine digits
_MOST_OF_COMPLEMENT = 128  # items
_THEOREM = papers.STEINKE_2015.at("Theorem 4.1")


@dataclass(frozen=True)
class Gamma(NoisyOrder, PureMechanism):
    """Noise of one random radius on every count, epsilon-DP.

    k, epsilon and neighbors as in `Mechanism`.

    Parameters
    ----------
    calibration : {"paper", "optimal"}
        Whether all noisy counts are protected, as in the paper, or their order alone, with half
        the noise where a user joins or leaves; see the module.
    """

    calibration: str = "paper"

    reach: ClassVar[tuple[float, float]] = (1.25, 1.25)  # noise ends at the radius

    card: ClassVar[Card] = Card(
        key="Gamma",
        name="Gamma",
        summary="Gamma adds noise that does not grow with k: to every count, uniform within one "
        "random radius for all items, which grows with their number; it releases the largest in "
        "order.",
        paper=_THEOREM,
        group=Group.ORDERED,
        style=Style("#8A9A00", "14px,4px", "star-square", "|"),
        scale="adds to every count a number between −R and R, with one random R of about {users}",
        explanation=Explanation.read("Gamma", (_THEOREM,)),
        parameters=(CALIBRATION,),
        stream=("k", "epsilon", "neighbors", "calibration"),
        not_exact="It compares sums of a count and real-valued noise, for which no exact sampler "
        "is made here; the outcomes of CDP-Peel and PNF-Peel are drawn directly, and exactly.",
    )
    exchangeable_ties: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """The name, with the calibration unless it is the paper's."""
        return self.name if self.calibration == "paper" else f"{self.name} ({self.calibration})"

    @property
    def cost(self) -> Cost:
        """Pure epsilon-DP, of which no smaller range is claimed."""
        why = "The noise on all counts is joint; no cost tighter than ε is claimed."
        return PureCost(self.epsilon, why)

    @property
    def scale(self) -> float:
        """Scale of the radius for each item, in users: b of the module."""
        users = {"paper": 1.0, "optimal": self.neighbors.gap_sensitivity / 2}
        return users[self.calibration] / self.epsilon

    def scale_on(self, d: int) -> float:
        """Return the mean radius for ``d`` items."""
        return (d + 1) * self.scale

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps of one probability; 0 where it is refused."""
        if self._too_many(counts):
            return 0  # what rests on a pmf is refused
        return kernels.shared_radius_law.work(counts, min(self.k, counts.d), 1 / self.scale)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> NoisyCounts:
        """Return one draw of the noise."""
        here = counts.counts_at_ranks(ranks)
        radius = self.scale * rng.standard_gamma(counts.d + 1.0)
        noise = radius * rng.uniform(-1, 1, here.size)
        return NoisyCounts(here, here + noise, "uniform")

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return kernels.shared_radius_top.draw_top(counts, self.k, self.scale, n, rng).ranks

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        drawn = kernels.shared_radius_top.draw_top(counts, self.k, self.scale, 1, rng)
        ranks, own, radius = drawn.ranks[0], drawn.noise[0], float(drawn.radius[0])
        apart = counts.counts_at_ranks(ranks[-1:]) - counts.counts_at_ranks(shown)
        others = beyond.uniform(-radius, np.clip(apart + own[-1], -radius, radius))
        return ConditionalNoise(conditional_noise.beside(ranks, own, shown, others))

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        self._refuse_more_items(counts)
        return kernels.shared_radius_law.log_pmf(counts, ranks, 1 / self.scale)

    def log_probability_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability of the right order; refuse where it takes too long."""
        self._refuse_many(counts)
        return super().log_probability_exact_sequence(counts)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k have the k largest noisy counts."""
        self._refuse_many(counts)
        return kernels.shared_radius_law.log_probability_top_first(counts, self.k, 1 / self.scale)

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k do not; NaN for more than 128 items.

        The integral loses digits with many items.
        """
        self._refuse_many(counts)
        if counts.d > _MOST_OF_COMPLEMENT:
            return math.nan
        return kernels.shared_radius_law.log_probability_not_top_first(
            counts, self.k, 1 / self.scale
        )

    def _refuse_more_items(self, counts: SortedCounts) -> None:
        if counts.d > _MOST_ITEMS:
            raise NoClosedFormError(
                f"the distribution of {self.name} is known to nine digits for up to "
                f"{_MOST_ITEMS:,} items, here {counts.d:,}: its integrals lose digits beyond"
            )

    @staticmethod
    def _too_many(counts: SortedCounts) -> bool:
        return counts.n_levels > _MOST_LEVELS

    def _refuse_many(self, counts: SortedCounts) -> None:
        self._refuse_more_items(counts)
        if self._too_many(counts):
            raise NoClosedFormError(
                f"the probability that {self.name} gives the true top {self.k} takes long to write "
                f"out for more than {_MOST_LEVELS} different counts, here {counts.n_levels:,}"
            )
