"""Calibrate the Gaussian sparse histogram mechanism, which finds items without a list of them.

Every item of the data gets Gaussian noise on what its users add to it, and comes out if that
exceeds a threshold.  A user of t items adds 1 / √t to each (Gopi, Gulhane, Kulkarni, Shen,
Shokouhi, Yekhanin 2020, arXiv 2002.09745: weighted Gaussian) or 1 to each (Wilkins, Kifer, Zhang,
Karrer 2022, arXiv 2202.01100: Gaussian sparse histogram), for t up to a bound m on the items of a
user.  So one user moves all items by at most S in Euclidean length, S = 1 or √m.

Neighbors differ in one user, added or removed.  Let the user have t items, j of which nobody else
has, and let q be the probability that none of these j comes out.  What comes out of the others is
at best read off Gaussian noise itself, of standard deviation σ, whose mean the user moves by
S' = S √(1 - j / t), with √t for S if items are not weighted.  With the Gaussian mechanism's

    H(ε, μ) = Φ(μ / 2 - ε / μ) - e^ε Φ(-μ / 2 - ε / μ)      (Balle, Wang 2018, arXiv 1805.06530)

the smallest δ for this user is 1 - q + q H(ε - ln q, S' / σ) with the user against without, and
H(ε + ln q, S' / σ) the other way round.  It is approached where all other items have many users.

So no mechanism of this kind is private with H(ε, S / σ) above δ (a user without new items), nor
with 1 - q above δ (a user of new items only).  Here both are at most δ itself, where it is
customary to let each have δ / 2.  It is enough.  Put x = (S / σ)², s = j / t, L = -ln(1 - δ), and
d1, d2 for the arguments of Φ in H(ε, √x), of which d1 < 0:

* Since x ∂H/∂x = √x φ(d1) / 2, whose own elasticity in x is at least (1 + d1 d2) / 2 = e from 0 to
  x, H(ε, √(x (1 - s))) <= (1 - s)^e δ.
* 1 - q <= 1 - (1 - δ)^s, and the first of the two is at most 1 - q + H(ε, S' / σ).  That is at most
  δ if (1 - s)^e δ <= (1 - δ)^s - (1 - δ) = (1 - δ) (e^(L (1 - s)) - 1), which are equal at s = 0.
  Their ratio only falls with s if e >= L e^L / (e^L - 1) = L / δ: **d1 d2 >= 2 L / δ - 1**.
* The second is at most H(ε - L s, √(x (1 - s))).  By ∂H/∂ε = -e^ε Φ(d2) and Mills' ratio its slope
  in s is at most φ(d1) (L / |d2| - √(x / (1 - s)) / 2), negative if ε - L s + x (1 - s) / 2 >=
  2 L (1 - s): **if δ <= 1 - e^(-ε / 2)**.

The first condition holds by itself unless δ is above about ε / 12; then σ is made larger.  The
second is asked for.  The threshold for all t <= m is that for t = 1 or t = m if δ <= 0.2: where
its slope in ln t is 0, its curvature is positive.

Limits: noise is real-valued, and made of floats under a seed it does not have the distribution that
this is about: draws are for exploration, and no budget is kept.  Items must be those of the bounded
data: one that has lost all its users must not come out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from dptopk.core import papers, validation
from dptopk.core.array_types import FloatArray
from dptopk.core.papers import Citation
from dptopk.core.parameters import MAX_ITEMS
from dptopk.core.privacy import Guarantee, NeighborRelation

LARGEST_DELTA = 0.2
"""Delta up to which the threshold for users of one or of the most items serves all others."""

_FARTHEST = 39.0  # standard deviations, beyond which the normal density is 0 in floats
_ROUNDING = 4e-16  # relative, of each of the two terms of H


@dataclass(frozen=True, eq=False)
class DiscoveredItems:
    """Released items with their noisy amounts.

    Attributes
    ----------
    items : tuple of str
        By their amounts, the largest first.
    amounts : float64 array of shape (number of items,)
        Sums of weights 1 / √t, or users, with noise, all above the threshold; read-only.
    mechanism : SparseGaussian
        Noise, threshold and guarantee.
    """

    items: tuple[str, ...]
    amounts: FloatArray
    mechanism: "SparseGaussian"

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class SparseGaussian:
    """Gaussian sparse histogram mechanism, which finds items without a list, (ε, δ)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy budget, natural-log units, in [1e-9, 1e12].
    delta : float
        Extra probability, above 0 and at most 0.2 and 1 - e^(-epsilon / 2).
    max_items : int
        Items that one user counts for at most, at least 1.
    weighted : bool, optional
        If a user of t items adds 1 / √t to each, else 1.

    Examples
    --------
    >>> from dptopk import SparseGaussian
    >>> found = SparseGaussian(1.0, 1e-6, max_items=10)
    >>> round(found.sigma, 4), round(found.threshold, 4)
    (4.2247, 22.2818)
    """

    epsilon: float
    delta: float
    max_items: int
    weighted: bool = True

    sources: ClassVar[tuple[Citation, ...]] = (
        papers.GOPI_2020.at("weighted Gaussian mechanism"),
        papers.WILKINS_2022.at("exact δ where each item counts 1"),
        papers.BALLE_2018.at("δ of Gaussian noise"),
        papers.DICK_2026.at("missing mass of what is found"),
    )

    def __post_init__(self) -> None:
        validation.epsilon("epsilon", self.epsilon)
        validation.probability("delta", self.delta)
        validation.integer("max_items", self.max_items, low=1, high=int(MAX_ITEMS.high))
        most = min(LARGEST_DELTA, -math.expm1(-self.epsilon / 2))
        if not 0 < self.delta <= most:
            raise ValueError(
                f"delta must be above 0 and at most {most:.4g}, the smaller of {LARGEST_DELTA:g} "
                f"and 1 - exp(-epsilon / 2), got {self.delta}"
            )

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP if one user with at most ``max_items`` items is added or removed."""
        return Guarantee(
            self.epsilon,
            self.delta,
            NeighborRelation.ADD_REMOVE,
            fixed_items=False,
            max_items=self.max_items,
        )

    @property
    def sensitivity(self) -> float:
        """Largest Euclidean length by which one user moves all items together."""
        return 1.0 if self.weighted else math.sqrt(self.max_items)

    @cached_property
    def sigma(self) -> float:
        """Standard deviation of the noise."""
        log_kept = math.log1p(-self.delta)
        least = -2 * log_kept / self.delta - 1  # of d1 d2, by the first condition
        low = least / math.sqrt(self.epsilon + math.hypot(self.epsilon, least))  # of -d1
        if _delta_of_noise(self.epsilon, low) > self.delta:
            high = _FARTHEST
            while high - low > 1e-12 * high:
                middle = (low + high) / 2
                if _delta_of_noise(self.epsilon, middle) > self.delta:
                    low = middle
                else:
                    high = middle
            low = high
        # μ = d1 - d2 and d2² = d1² + 2 ε; half of (-d1 - d2) / ε is 1 / μ
        one = (low + math.sqrt(low**2 + 2 * self.epsilon)) / (2 * self.epsilon)
        return self.sensitivity * one

    @cached_property
    def threshold(self) -> float:
        """Threshold that the noisy amount of an item must exceed."""
        return max(self._threshold_for(1), self._threshold_for(self.max_items))

    def survival(self, amounts: FloatArray) -> FloatArray:
        """Return the probability, shape (d,), that each item is released, given its sum of weights.

        An item without users is not in the data, and never comes out.
        """
        amounts = np.asarray(amounts, dtype=np.float64)
        probabilities: FloatArray = np.where(
            amounts > 0, ndtr((amounts - self.threshold) / self.sigma), 0.0
        )
        return probabilities

    def draw(
        self, items: Sequence[str], amounts: FloatArray, rng: np.random.Generator
    ) -> DiscoveredItems:
        """Draw the items that come out, given their sums of weights."""
        there = np.flatnonzero(amounts > 0)
        noisy = amounts[there] + rng.normal(scale=self.sigma, size=there.size)
        order = np.argsort(-noisy, kind="stable")
        order = order[noisy[order] > self.threshold]
        released = noisy[order]
        released.flags.writeable = False
        return DiscoveredItems(tuple(items[place] for place in there[order]), released, self)

    def _threshold_for(self, n_items: int) -> float:
        """Return the threshold that new items of one user exceed with probability delta."""
        adds = 1 / math.sqrt(n_items) if self.weighted else 1.0
        passing = -math.expm1(math.log1p(-self.delta) / n_items)
        return adds - self.sigma * float(ndtri(passing))


def _delta_of_noise(epsilon: float, below: float) -> float:
    """Return H(ε, μ) for the μ with d1 = -below, rounded upwards.

    By Φ(-z) = e^(-z² / 2) erfcx(z / √2) / 2 and d1² = d2² - 2 ε both terms have one factor.
    """
    one, other = (float(erfcx(math.sqrt(below**2 / 2 + more))) for more in (0.0, epsilon))
    return 0.5 * math.exp(-(below**2) / 2) * (one - other + _ROUNDING * one)
