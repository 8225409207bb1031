"""PrivateCountRelease: a limited domain with counts, for users of any number of items.

Rogers (2024), arXiv 2403.05073, counts items that nobody listed without a bound on the items of a
user.  Here `LimitedDomain` chooses, by rounds of range 2 x, and each of the at most k counts of its
list then gets fresh Gaussian noise of standard deviation

    sigma = sqrt(j / k) / x,    j = min(k, Δ m),

where one user counts for at most m items (any number: j = k), and Δ is the sensitivity of a
difference of two counts.  Calibration and proof are those of `limited_domain` and
`one_shot_counts` together.

Privacy.  In the proof of `limited_domain`, let R be the rounds among the items read on both D and
D', and then the noisy counts of its list.

* A round of range 2 x is x^2 / 2-zCDP (Cesar, Rogers 2021, arXiv 2004.07223), and k are
  k x^2 / 2-zCDP.
* Given the list, one user moves at most j of its counts, and none by more than 1, under swap as
  well.  Gaussian noise makes such a count 1 / (2 sigma^2)-zCDP (Bun, Steinke 2016, arXiv
  1605.02065), and so does discrete Gaussian noise, which published counts get (Canonne, Kamath,
  Steinke 2020, arXiv 2004.00010).  For j counts that is k x^2 / 2 again.
* So R is rho-zCDP with rho = k x^2, and (epsilon_R, delta_R)-DP with epsilon_R = rho +
  2 sqrt(rho ln(1 / delta_R)) (Bun and Steinke's Proposition 1.3): x is the root of that.
* Of the same list, noisy counts have the same law on D as in R on D, and on D' as in R on D'.  So a
  list of items read on both, with any set of counts, is no likelier on D than R makes it there, and
  on D' R makes it at most (1 + delta_0)^k times as likely as it is.  Other lists have a
  probability of at most delta_0 on D, whatever their counts.

Together P(D in A) <= e^epsilon_R (1 + delta_0)^k P(D' in A) + delta_R + delta_0 for sets A of lists
with counts, with epsilon_R, delta_R and delta_0 as there.

Either half of rho could be another share: with the whole of it, the noise that chooses or that on
the counts would be smaller by a factor of sqrt(2), and no more.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dptopk.accounting import enclosed
from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.parameters import DELTA, MAX_ITEMS
from dptopk.core.privacy import ApproximateCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.limited_domain import LimitedDomain
from dptopk.mechanisms.limited_domain_laplace import LimitedDomainLaplace
from dptopk.mechanisms.noise_scales import ComparesNoise, NoiseScale
from dptopk.mechanisms.one_shot_counts import concentrated_loss
from dptopk.mechanisms.unknown_items import K_BAR


@dataclass(frozen=True)
class PrivateCountRelease(LimitedDomain, ComparesNoise):
    """Peeling from a limited domain, with noisy counts, (epsilon, delta)-DP without a list.

    k, epsilon, delta, neighbors, k_bar and max_items as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="PrivateCountRelease",
        name="Private count release",
        summary="Private count release draws as Limited domain, with noisy counts: it needs no "
        "list of possible items, and releases the counts of the items it chose with "
        "Gaussian noise.",
        paper=papers.ROGERS_2024.at("counts without bounds on contributions"),
        group=Group.UNKNOWN,
        style=Style("#0093A8", "6px,3px,1px,3px", "pentagon", "+"),
        scale="chooses by Gumbel noise of scale {users} on the largest counts and on its threshold",
        explanation=Explanation.read(
            "PrivateCountRelease",
            (
                papers.ROGERS_2024.at("counts without bounds on contributions"),
                papers.DURFEE_2019.at("limited domain"),
                papers.CESAR_2021.at("bounded range is concentrated"),
                papers.BUN_2016.at("Proposition 1.3"),
                papers.CANONNE_2020.at("discrete Gaussian noise is concentrated"),
            ),
        ),
        parameters=(DELTA, MAX_ITEMS, K_BAR),
        stream=("k", "epsilon", "delta", "neighbors", "k_bar"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(short=True, counted=True)

    @property
    def cost(self) -> ApproximateCost:
        """(epsilon, delta), without a narrower bound."""
        why = (
            "Which items are read depends on the data, and δ covers that; items and counts are "
            "calibrated together, and only their sum is claimed."
        )
        return ApproximateCost(self.epsilon, self.delta, why)

    @property
    def local_epsilon(self) -> float:
        """Range of a round: 2 x above."""
        return 2 * concentrated_loss(self._rounds_epsilon, self.delta / 2, self.k)

    @property
    def n_moved(self) -> int:
        """Largest number of released counts that one user moves: j above."""
        if self.max_items is None:
            return self.k
        return min(self.k, self.neighbors.gap_sensitivity * self.max_items)

    @property
    def count_scale(self) -> float:
        """Standard deviation of the Gaussian noise on a released count, in users."""
        return float(np.sqrt(self.n_moved / self.k)) / (self.local_epsilon / 2)

    @property
    def exact_count_variance(self) -> Fraction:
        """Variance parameter of the discrete Gaussian noise on published counts."""
        return Fraction(self.n_moved, self.k) / (self._exact_range / 2) ** 2

    @property
    def count_noise(self) -> NoiseScale:
        """Gaussian noise on each released count."""
        use = "on the counts released"
        return NoiseScale("Gaussian", use, self.count_scale, False, self.card.paper)

    def noise_scales(self, d: int) -> tuple[NoiseScale, ...]:
        """Return its own two scales, and those of the limited domains without fresh counts."""
        given = (self.k, self.epsilon, self.delta)
        alone = LimitedDomain(*given, self.neighbors, self.k_bar, self.max_items)
        laplace = LimitedDomainLaplace(*given, self.max_items, self.neighbors, self.k_bar)
        use = "to choose, with counts released"
        return (
            NoiseScale("Gumbel", use, self.scale, False, self.card.paper),
            self.count_noise,
            NoiseScale(
                "Gumbel", "to choose, and nothing else", alone.scale, False, alone.card.paper
            ),
            NoiseScale(
                "Laplace",
                "to choose and to count at once",
                laplace.scale,
                False,
                laplace.card.paper,
            ),
        )

    def _proven_range(self, epsilon: Fraction, delta: Fraction) -> Fraction:
        return 2 * enclosed.concentrated_loss_at_most(epsilon, delta, self.k)

    def _exact_counts(self, counts: SortedCounts, ranks: list[int], bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_choice  # loads python-flint

        true = counts.counts_at_ranks(np.array(ranks, dtype=np.int64)).tolist()
        variance = self.exact_count_variance
        return [count + exact_choice.discrete_gaussian(variance, bits) for count in true]

    def _noisy_counts(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        noise = rng.normal(scale=self.count_scale, size=ranks.shape)
        here = counts.counts_at_ranks(np.maximum(ranks, 0))
        return np.where(ranks == NOTHING, np.nan, here + noise)
