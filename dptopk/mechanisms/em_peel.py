"""EM-Peel: k rounds of the exponential mechanism, each with epsilon / k.

The exponential mechanism is McSherry and Talwar's (2007).  Counts are monotone when a user joins
or leaves, so that the exponent needs no factor 1/2; and all rounds are one shot of Gumbel noise
of scale k / epsilon (Durfee, Rogers 2019, arXiv 1905.04273).  The gaps between the noisy counts
come with the items (`free_gaps`).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dptopk.core import papers
from dptopk.core.numerals import fraction_at_most
from dptopk.core.privacy import Guarantee, RangeCost
from dptopk.mechanisms.base import PureMechanism
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.external_samplers import NoisyTopK
from dptopk.mechanisms.free_gaps import FreeGaps
from dptopk.mechanisms.gumbel import GumbelOrder
from dptopk.mechanisms.kernels import race

_BY_OPENDP = NoisyTopK(
    "zero_concentrated_divergence",
    "OpenDP proves rho for this noise; that k rounds of epsilon / k are pure epsilon is proven "
    "in the papers, and OpenDP's ledger does not say it.",
    "Which to report: each is proven, rho by OpenDP and the pure epsilon by the papers; they "
    "measure differently, so name what you report.",
)


@dataclass(frozen=True)
class EMPeel(FreeGaps, GumbelOrder, PureMechanism):
    """Peeling with the exponential mechanism, epsilon-DP by basic composition of k rounds.

    k, epsilon and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="EMPeel",
        name="EM-Peel",
        summary="EM-Peel draws item after item: it peels by the exponential mechanism, each "
        "item with 1/k of the budget, the simplest mechanism without a δ.",
        paper=papers.MCSHERRY_2007.at("the exponential mechanism"),
        group=Group.ORDERED,
        style=Style("#56B4E9", "longdash", "triangle-down", "-"),
        scale="adds Gumbel noise of scale {users} to every count",
        explanation=Explanation.read(
            "EMPeel",
            (
                papers.MCSHERRY_2007.at("the exponential mechanism"),
                papers.DURFEE_2019.at("peeling is one shot of Gumbel noise"),
                papers.MCKENNA_2020.at("permute-and-flip is never worse"),
            ),
        ),
    )
    noise_law: ClassVar[race.Noise] = race.GUMBEL

    @property
    def external_sampler(self) -> NoisyTopK:
        """OpenDP's noisy top k."""
        return _BY_OPENDP

    @property
    def rate(self) -> float:
        """Weight of a count in the exponent, epsilon / (k * sensitivity), in 1 / users."""
        return self.epsilon / (self.k * self.neighbors.gap_sensitivity)

    @property
    def exact_rate(self) -> Fraction:
        """Rate of exact draws: at most `rate`, and at most that of epsilon as a decimal number."""
        shared = fraction_at_most(self.epsilon) / (self.k * self.neighbors.gap_sensitivity)
        return min(shared, Fraction(self.rate))

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: basic composition of k rounds of epsilon / k."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> RangeCost:
        """K rounds of the exponential mechanism (Durfee, Rogers 2019, arXiv 1905.04273)."""
        why = "Each of its k rounds is the exponential mechanism, whose loss spans at most ε/k."
        return RangeCost(self.k, self.epsilon / self.k, why)
