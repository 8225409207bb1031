"""Noise scales of mechanisms from the literature at the same k, epsilon and delta.

What Durfee and Rogers compare ("One-shot DP Top-k mechanisms", differentialprivacy.org 2021),
with the one shot of Laplace noise of Qiao, Su and Zhang (2021, arXiv 2105.08233).
"""

import math
from abc import abstractmethod
from dataclasses import dataclass

from dptopk.core import papers, validation
from dptopk.core.numerals import compact
from dptopk.core.papers import Citation
from dptopk.mechanisms.base import Mechanism

_MOST_EPSILON, _MOST_DELTA = 0.2, 0.05  # of the theorem
_DEVIATIONS = {"Gumbel": math.pi / math.sqrt(6), "Laplace": math.sqrt(2), "Gaussian": 1.0}
"""Standard deviation of each law at scale 1."""


@dataclass(frozen=True)
class NoiseScale:
    """Scale of the noise on every count, with its purpose."""

    noise: str  # "Gumbel", "Laplace" or "Gaussian"
    use: str  # what it is added for, and how its privacy is shown, in a few words
    scale: float  # in users, of Gaussian noise its standard deviation; NaN where nothing is proven
    pure: bool  # True if it is enough without a delta
    source: Citation  # where it is proven
    refusal: str = ""  # why there is no scale, in a sentence; empty where there is one
    by_items: bool = False  # True if it depends on the number of items

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise, in users."""
        return _DEVIATIONS[self.noise] * self.scale


class ComparesNoise(Mechanism):
    """Mechanism that adds fresh noise to the counts of the items that it chose.

    It compares its noise scales with others of the literature.
    """

    @property
    @abstractmethod
    def count_noise(self) -> NoiseScale:
        """Noise on each released count."""

    @abstractmethod
    def noise_scales(self, d: int) -> tuple[NoiseScale, ...]:
        """Return the scale of each kind of noise for ``d`` items, its own first."""


def one_shot_laplace_scale(k: int, epsilon: float, delta: float, d: int) -> float:
    """Return the scale at which one-shot Laplace noise is (epsilon, delta)-DP, in users.

    Qiao, Su, Zhang (2021), arXiv 2105.08233: 8 sqrt(k ln(d / delta)) / epsilon on every one of d
    counts, and the k largest, for epsilon up to 0.2 and delta up to 0.05.  Counts may move by one
    both ways, so that it is the same for both relations.
    """
    k = validation.integer("k", k, low=1)
    d = validation.integer("d", d, low=1)
    epsilon = validation.positive("epsilon", epsilon)
    delta = validation.probability("delta", delta)
    if _unproven(epsilon, delta):
        raise ValueError(
            f"epsilon must be at most {_MOST_EPSILON} and delta above 0 and at most {_MOST_DELTA} "
            f"for one shot of Laplace noise, got {epsilon:g} and {delta:g}: beyond that nothing is "
            "proven"
        )
    return 8 * math.sqrt(k * math.log(d / delta)) / epsilon


def one_shot_laplace(k: int, epsilon: float, delta: float, d: int) -> NoiseScale:
    """Return the noise scale of one-shot Laplace, or the reason why none is proven."""
    source = papers.QIAO_2021.at("the one-shot Laplace mechanism")
    use = "to choose in one shot, for any number of items per user"
    if here := _unproven(epsilon, delta):
        sentence = (
            f"It is proven only for ε ≤ {_MOST_EPSILON} and 0 < δ ≤ {_MOST_DELTA}; here "
            f"{' and '.join(here)}."
        )
        return NoiseScale("Laplace", use, math.nan, False, source, sentence, by_items=True)
    scale = one_shot_laplace_scale(k, epsilon, delta, d)
    return NoiseScale("Laplace", use, scale, False, source, by_items=True)


def _unproven(epsilon: float, delta: float) -> list[str]:
    """Return which of epsilon and delta are outside the range of the proof."""
    here = [f"ε = {compact(epsilon)}"] if epsilon > _MOST_EPSILON else []
    return here if 0 < delta <= _MOST_DELTA else [*here, f"δ = {compact(delta)}"]
