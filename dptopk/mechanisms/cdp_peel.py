"""CDP-Peel: k rounds of the exponential mechanism, composed through concentrated DP.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Algorithm 3 and
Lemma 4.2.  One shot of Gumbel noise on every count, the k largest in order, is the
same law as k rounds (Durfee, Rogers 2019, arXiv 1905.04273): Plackett-Luce with
weights e^(local_epsilon * count).  Algorithm 3 as printed scales the noise by
k / local_epsilon; Lemma 4.2 and the authors' code use 1 / local_epsilon, as here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dptopk import accounting
from dptopk.accounting import enclosed
from dptopk.core import papers
from dptopk.core.numerals import compact, fraction_at_most, rounded
from dptopk.core.parameters import DELTA, Choice
from dptopk.core.privacy import Guarantee, NeighborRelation, RangeCost
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.external_samplers import NoisyTopK
from dptopk.mechanisms.gumbel import GumbelOrder

_CALIBRATED = papers.GILLENWATER_2022.at("Lemma 4.2")
CALIBRATION = Choice(
    "calibration",
    "Calibration",
    {"paper": "as in the paper", "optimal": "tighter accounting (less noise)"},
    "paper",
    f"How noise follows from the budget: by each mechanism's paper (for CDP-Peel, "
    f"{_CALIBRATED.link}), or by the tightest bound that is proven here: the same guarantee with "
    "less noise.",
)
CALIBRATIONS = tuple(CALIBRATION.options)
"""Methods of `accounting.local_epsilon` by which the per-round epsilon may be found."""


_BY_OPENDP = NoisyTopK(
    "zero_concentrated_divergence",
    "OpenDP proves rho and turns it into epsilon at delta by its own bound. dptopk's epsilon "
    "is that of the calibration: Lemma 4.2 of the paper or the tightest composition; either "
    "may use that k rounds of epsilon / k are pure epsilon, which OpenDP's ledger cannot see.",
    "Which epsilon to report: each is proven, one by OpenDP, the other by dptopk's "
    "calibration; report the smaller only if you accept its proof.",
)


@dataclass(frozen=True)
class CDPPeel(GumbelOrder):
    """Peeling with the exponential mechanism, (epsilon, delta)-DP.

    k, epsilon, delta and neighbors as in `Mechanism`.

    Parameters
    ----------
    calibration : {"paper", "optimal"}
        How the per-round parameter follows from the budget: Lemma 4.2 of the paper,
        or the adaptive optimum of `accounting` (less noise for the same guarantee).
    """

    delta: float
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE
    calibration: str = "paper"

    card: ClassVar[Card] = Card(
        key="CDPPeel",
        name="CDP-Peel",
        summary="CDP-Peel draws item after item with less noise at large k: it peels by the "
        "exponential mechanism, with the tighter composition of concentrated differential "
        "privacy (CDP) that the extra probability δ allows.",
        paper=_CALIBRATED,
        group=Group.ORDERED,
        style=Style("#CC79A7", "dashdot", "triangle-up", "."),
        scale="adds Gumbel noise of scale {users} to every count",
        explanation=Explanation.read(
            "CDPPeel",
            (
                _CALIBRATED,
                papers.DURFEE_2019.at("peeling is one shot of Gumbel noise"),
                papers.CESAR_2021.at("bounded range is concentrated"),
                papers.BUN_2016.at("Proposition 1.3"),
            ),
        ),
        parameters=(DELTA, CALIBRATION),
        featured=True,
        stream=("k", "epsilon", "delta", "neighbors", "calibration"),
    )

    @property
    def external_sampler(self) -> NoisyTopK:
        """OpenDP's noisy top k."""
        return _BY_OPENDP

    @property
    def label(self) -> str:
        """The name, with the calibration unless it is the paper's."""
        return self.name if self.calibration == "paper" else f"{self.name} ({self.calibration})"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP by composing k range-bounded rounds."""
        return Guarantee(self.epsilon, self.delta, self.neighbors)

    @property
    def local_epsilon(self) -> float:
        """Per-round parameter: weights e^(local_epsilon * count), Gumbel scale 1 / it.

        The privacy loss of a round has range local_epsilon times the sensitivity of a
        difference of two counts, so it is the calibrated range divided by that.
        """
        calibrated = accounting.local_epsilon(
            self.epsilon, self.delta, self.k, method=self.calibration
        )
        return calibrated / self.neighbors.gap_sensitivity

    @property
    def at_present(self) -> str:
        """Range of a round at these parameters, and the effect of δ."""
        half = "" if self.neighbors.gap_sensitivity == 1 else "half of "
        shared = self.epsilon / self.k / self.neighbors.gap_sensitivity
        here = f"Here ε₀ = {rounded(self.local_epsilon, 3)}, "
        paper = self.delta > 0 and self.calibration == "paper"
        begins = _first_above(self.epsilon, self.delta) if paper else 0
        if self.local_epsilon > shared:
            times = rounded(self.local_epsilon / shared, 3)
            root = f" The square root begins at k = {begins}." if paper else ""
            effect = f"{times} times {half}ε/k = {rounded(shared, 3)}, which is the effect of δ."
            return f"{here}{effect}{root}"
        if not paper:
            return f"{here}exactly {half}ε/k: δ = {compact(self.delta)} has no effect."
        return (
            f"{here}exactly {half}ε/k: at k = {self.k} δ has no effect. The square root begins at "
            f"k = {begins}, at these ε and δ."
        )

    @property
    def rate(self) -> float:
        """Weight of a count in the exponent: `local_epsilon`."""
        return self.local_epsilon

    @property
    def exact_rate(self) -> Fraction:
        """Rate of exact draws, calibrated with rigorous rounding and at most `rate`."""
        epsilon, delta = fraction_at_most(self.epsilon), fraction_at_most(self.delta)
        if self.cost.range == self.epsilon / self.k:
            delta = Fraction(0)  # a ledger charges ε without δ: not even by rounding is it more
        proven = enclosed.local_epsilon_at_most(epsilon, delta, self.k, self.calibration)
        return min(proven / self.neighbors.gap_sensitivity, Fraction(self.rate))

    @property
    def cost(self) -> RangeCost:
        """K rounds of the exponential mechanism (Durfee, Rogers 2019, arXiv 1905.04273)."""
        why = (
            "Each of its k rounds is the exponential mechanism on the counts, whose loss spans at "
            "most 1 / noise scale when counts only rise or only fall, twice that when one may rise "
            "as another falls."
        )
        return RangeCost(self.k, self.local_epsilon * self.neighbors.gap_sensitivity, why)


def _first_above(epsilon: float, delta: float) -> int:
    """Return the least k at which Lemma 4.2 allows a round more than epsilon / k."""
    tail = math.log(1 / delta)
    return math.floor((math.sqrt(tail + epsilon) + math.sqrt(tail)) ** 2 / 8) + 1
