"""Base classes of (epsilon, delta)-DP mechanisms that need delta > 0."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from dptopk.core.array_types import FloatArray
from dptopk.core.counts import SortedCounts
from dptopk.core.privacy import ApproximateCost, Cost, Guarantee, NeighborRelation
from dptopk.mechanisms.base import Mechanism


@dataclass(frozen=True)
class ApproximateMechanism(Mechanism):
    """Mechanism with an (epsilon, delta)-DP guarantee, useless at delta = 0.

    Parameters
    ----------
    k : int
        Number of items to release at most, at least 1.
    epsilon : float
        Privacy budget of the whole release, natural-log units, in [1e-9, 1e12].
    delta : float
        Extra probability of any set of outputs beyond e^epsilon times, in (0, 1).
    neighbors : NeighborRelation
        The change of the data that is protected.
    """

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

        Parameters
        ----------
        counts : SortedCounts
            The data, more than n items.
        n : int
            The largest k looked at, at least 1; `k` and `epsilon` do not matter here.
        probability : float
            With which a set comes out, in (0, 1).

        Returns
        -------
        numpy.ndarray of float64, shape (n,)
            Exact; inf where no epsilon helps.
        """
