"""Base classes of (epsilon, delta)-DP mechanisms that need delta > 0; shares of a common δ."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.core.counts import SortedCounts
from dptopk.core.numerals import as_typed, float_at_most
from dptopk.core.parameters import DELTA
from dptopk.core.privacy import ApproximateCost, Cost, Guarantee, NeighborRelation
from dptopk.mechanisms.base import Mechanism

MOST_RELEASES = 10_000


@dataclass(frozen=True)
class ApproximateMechanism(Mechanism):
    """Mechanism with an (epsilon, delta)-DP guarantee, useless at delta = 0."""

    delta: float
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    why_delta: ClassVar[str]
    """Part of a sentence on what cannot be guaranteed without a delta."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta == 0:
            raise ValueError(f"delta must be above 0 for {self.name}, got 0: {self.why_delta}")

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP."""
        return Guarantee(self.epsilon, self.delta, self.neighbors)

    @property
    def cost(self) -> Cost:
        """(epsilon, delta), without a narrower bound."""
        return ApproximateCost(self.epsilon, self.delta, "No tighter cost is claimed.")


class SetOrNothing(ApproximateMechanism):
    """Mechanism that releases an exact top set or nothing at all."""

    what_comes_out: ClassVar[str] = "the top k"
    """Name of the set that is released, where one is."""

    @abstractmethod
    def epsilons_for_sets(
        self, counts: SortedCounts, n: int, probability: float = 0.95
    ) -> FloatArray:
        """Return the smallest epsilon at which a set comes out, for each k up to n.

        A set comes out with ``probability``; inf where no epsilon helps.  There are more items
        than n; `k` and `epsilon` do not matter here.
        """


def with_share_of_delta(mechanism: Mechanism, releases: int, delta: float) -> Mechanism:
    """Return the mechanism with its share of a δ that up to `MOST_RELEASES` have together.

    The same where it is alone, or no δ of its own adds up; else with δ / (2 · releases), rounded
    down, so that one half pays for these and the other for composing the ε's.
    """
    releases = checked_releases(releases)
    adds_up = isinstance(mechanism.cost, ApproximateCost) and mechanism.card.takes(DELTA.key)
    if releases == 1 or not adds_up:
        return mechanism
    share = as_typed(validation.probability("delta", delta)) / (2 * releases)
    return mechanism.replaced(**{DELTA.key: float_at_most(share)})


def checked_releases(releases: int) -> int:
    """Return a number of releases if it is valid."""
    return validation.integer("releases", releases, 1, MOST_RELEASES)
