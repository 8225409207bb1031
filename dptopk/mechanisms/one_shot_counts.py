"""One-shot with counts: Gumbel noise chooses the items, Laplace noise releases their counts.

Durfee, Rogers, "One-shot DP Top-k mechanisms", differentialprivacy.org (2021). With x the loss that
one released count may have and Δ the sensitivity of a difference of two counts, Gumbel noise of
scale Δ / (2 x) chooses by k rounds of range 2 x, and Laplace noise of scale 1 / x is added to each
of the k counts that were chosen, of which one user changes each by at most one under either
relation.

Privacy.  A round of range r is r^2 / 8-zCDP (Cesar, Rogers 2021, arXiv 2004.07223), a count of loss
x is x^2 / 2-zCDP (Bun, Steinke 2016, arXiv 1605.02065, Proposition 1.4), k of each together
rho = k x^2, which is (rho + 2 sqrt(rho ln(1 / delta)), delta)-DP (Proposition 1.3): the root is
x = epsilon / (sqrt(k) (sqrt(L + epsilon) + sqrt(L))), L = ln(1 / delta).  Without that, losses add
up to 3 k x = epsilon; the larger x of the two is taken.  The noise on the counts is fresh: that
which chose the items is not seen.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dptopk import accounting
from dptopk.accounting import enclosed
from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.numerals import fraction_at_most
from dptopk.core.outputs import OutputKind
from dptopk.core.parameters import DELTA
from dptopk.core.privacy import ApproximateCost, Guarantee, NeighborRelation, PureCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.gumbel import GumbelOrder
from dptopk.mechanisms.noise_scales import ComparesNoise, NoiseScale, one_shot_laplace


@dataclass(frozen=True)
class OneShotCounts(GumbelOrder, ComparesNoise):
    """One-shot selection that releases items and their noisy counts, (epsilon, delta)-DP.

    k, epsilon, delta and neighbors as in `Mechanism`.
    """

    delta: float
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    card: ClassVar[Card] = Card(
        key="OneShotCounts",
        name="One-shot counts",
        summary="One-shot counts also releases the counts of its items: it chooses them by Gumbel "
        "noise in one shot, and adds Laplace noise to their counts.",
        paper=papers.DURFEE_2021.at("releasing counts"),
        group=Group.COUNTS,
        style=Style("#D55E00", "longdashdot", "cross", "\\"),
        scale="adds Gumbel noise of scale {users} to every count to choose",
        explanation=Explanation.read(
            "OneShotCounts",
            (
                papers.DURFEE_2021.at("releasing counts"),
                papers.CESAR_2021.at("bounded range is concentrated"),
                papers.BUN_2016.at("Propositions 1.3 and 1.4"),
            ),
        ),
        parameters=(DELTA,),
        stream=("k", "epsilon", "delta", "neighbors"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(counted=True)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP for items and counts together; see above."""
        return Guarantee(self.epsilon, self.delta, self.neighbors)

    @property
    def cost(self) -> PureCost | ApproximateCost:
        """(epsilon, delta), or pure epsilon at delta = 0."""
        if self.delta == 0:
            return PureCost(self.epsilon, "Items and counts together are ε-DP, by adding losses.")
        why = "Items and counts are calibrated together, and only their sum is claimed."
        return ApproximateCost(self.epsilon, self.delta, why)

    @property
    def count_epsilon(self) -> float:
        """Privacy loss x allowed for one released count, natural-log units."""
        added = self.epsilon / (3 * self.k)
        if self.delta == 0:
            return added
        return max(concentrated_loss(self.epsilon, self.delta, self.k), added)

    @property
    def rate(self) -> float:
        """Weight of a count in the exponent of a round, its range over Δ."""
        return 2 * self.count_epsilon / self.neighbors.gap_sensitivity

    @property
    def exact_count_epsilon(self) -> Fraction:
        """Privacy loss of a count in exact draws, which provably stays within the budget."""
        epsilon, delta = fraction_at_most(self.epsilon), fraction_at_most(self.delta)
        return enclosed.count_epsilon_at_most(epsilon, delta, self.k)

    @property
    def exact_rate(self) -> Fraction:
        """Rate of exact draws, twice `exact_count_epsilon` over Δ."""
        return 2 * self.exact_count_epsilon / self.neighbors.gap_sensitivity

    @property
    def count_scale(self) -> float:
        """Scale of the Laplace noise on a released count, in users."""
        return 1 / self.count_epsilon

    @property
    def count_noise(self) -> NoiseScale:
        """Laplace noise on each released count."""
        use = "on the counts released"
        return NoiseScale("Laplace", use, self.count_scale, False, self.card.paper)

    def noise_scales(self, d: int) -> tuple[NoiseScale, ...]:
        """Return its own two scales, and those of alternatives from the literature."""
        k, epsilon, delta, sensitivity = (
            self.k,
            self.epsilon,
            self.delta,
            self.neighbors.gap_sensitivity,
        )
        alone = sensitivity / accounting.local_epsilon(epsilon, delta, k, method="paper")
        pure = sensitivity * k / epsilon
        source, peeling = self.card.paper, papers.GILLENWATER_2022.at("Lemma 4.2")
        added = papers.DURFEE_2019.at("peeling is one shot of Gumbel noise")
        return (
            NoiseScale("Gumbel", "to choose, with counts released", self.scale, False, source),
            self.count_noise,
            NoiseScale("Gumbel", "to choose, and nothing else", alone, False, peeling),
            one_shot_laplace(k, epsilon, delta, d),
            NoiseScale("Gumbel", "to choose, without δ", pure, True, added),
            NoiseScale(
                "Laplace", "to choose, without δ", pure, True, papers.DING_2019.at("Noisy-Top-K")
            ),
        )

    def _exact_counts(self, counts: SortedCounts, ranks: list[int], bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_choice  # loads python-flint

        true = counts.counts_at_ranks(np.array(ranks)).tolist()
        rate = self.exact_count_epsilon
        return [count + exact_choice.rounded_laplace(rate, bits) for count in true]

    def _noisy_counts(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        return counts.counts_at_ranks(ranks) + rng.laplace(scale=self.count_scale, size=ranks.shape)


def concentrated_loss(epsilon: float, delta: float, k: int) -> float:
    """Return x for which k rounds of range 2 x and k x^2 / 2-zCDP are (epsilon, delta)-DP.

    The root of k x^2 + 2 x sqrt(k ln(1 / delta)) = epsilon, for delta above 0.
    """
    log = math.log(1 / delta)
    roots = math.sqrt(log + epsilon) + math.sqrt(log)
    return epsilon / roots / math.sqrt(k)
