"""What mechanisms share that make a single choice among whole outputs, by a score of each."""

from dataclasses import dataclass

from dptopk.mechanisms.base import PureMechanism
from dptopk.privacy import Cost, RangeCost


@dataclass(frozen=True)
class SingleChoice(PureMechanism):
    """One choice by a score that is a difference of two counts, epsilon-DP.

    By the exponential mechanism, unless it says otherwise (`cost`).  Parameters and errors as
    `PureMechanism`.
    """

    @property
    def rate(self) -> float:
        """Weight of a unit of the score, epsilon / (2 * sensitivity), in 1 / users.

        The score moves by the spread of two counts, in either direction: it is not monotone, so
        the 2 stays.
        """
        return self.epsilon / (2 * self.neighbors.spread)

    @property
    def scale(self) -> float:
        """Difference of scores, in users, that makes an output e times less likely."""
        return 1 / self.rate

    @property
    def cost(self) -> Cost:
        """One exponential mechanism: range epsilon (Durfee, Rogers 2019, arXiv 1905.04273)."""
        why = "It is a single choice by the exponential mechanism, whose loss spans at most ε."
        return RangeCost(1, self.epsilon, why)
