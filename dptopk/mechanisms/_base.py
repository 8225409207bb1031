"""What mechanisms that release an ordered sequence share.

A mechanism is a frozen dataclass.  It supplies `_sample_ranks` and `_log_pmf` on
sorted counts, and `guarantee`; `sample` and `log_pmf` here check arguments once and
translate between ranks and positions, so the kernels can trust what they get.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk import _validate
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.privacy import Guarantee, NeighborRelation


@dataclass(frozen=True)
class SequenceMechanism(ABC):
    """A mechanism that returns an ordered sequence of k distinct items."""

    k: int
    epsilon: float

    name: ClassVar[str]  # what the literature calls it

    @property
    def label(self) -> str:
        """The name, with what sets this one apart from others of its name."""
        return self.name

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What the mechanism promises, and against which change of the data."""

    def sample(self, counts: ItemCounts | SortedCounts, n: int, rng: np.random.Generator):
        """Draw ``n`` independent outputs.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items.
        n : int
            Number of outputs, at least 0.
        rng : numpy.random.Generator
            Source of randomness; the same state gives the same outputs.

        Returns
        -------
        numpy.ndarray of int64, shape (n, k)
            Positions into the counts as given (for SortedCounts: ranks), the item
            released as largest first.

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        self._check_data(counts)
        n = _validate.integer("n", n, low=0)
        _validate.generator("rng", rng)
        if n == 0:
            return np.empty((0, self.k), dtype=np.int64)
        ranks = self._sample_ranks(counts.sorted, n, rng)
        return np.ascontiguousarray(counts.positions(ranks), dtype=np.int64)

    def log_pmf(self, counts: ItemCounts | SortedCounts, sequences) -> np.ndarray:
        """Exact log probability of given outputs, at any d and k.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items.
        sequences : array_like of int, shape (m, k)
            Outputs, as positions into the counts as given.

        Returns
        -------
        numpy.ndarray of float64, shape (m,)
            Natural logarithms; -inf for a sequence that repeats an item.

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        self._check_data(counts)
        sequences = _validate.position_matrix("sequences", sequences, self.k, counts.d)
        in_order = np.sort(sequences, axis=1)
        possible = (np.diff(in_order, axis=1) != 0).all(axis=1)
        result = np.full(len(sequences), -np.inf)
        if possible.any():
            result[possible] = self._log_pmf(counts.sorted, counts.levels_at(sequences[possible]))
        return result

    @abstractmethod
    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw outputs as ranks, shape (n, k)."""

    @abstractmethod
    def _log_pmf(self, counts: SortedCounts, levels: np.ndarray) -> np.ndarray:
        """Log probability of sequences of distinct items, given the level of each item."""

    def _check_common(self, neighbors) -> None:
        object.__setattr__(self, "k", _validate.integer("k", self.k, low=1))
        object.__setattr__(self, "epsilon", _validate.positive("epsilon", self.epsilon))
        _validate.member("neighbors", neighbors, NeighborRelation)

    def _check_data(self, counts) -> None:
        check_counts("counts", counts)
        if self.k > counts.d:
            raise ValueError(f"k must be in [1, {counts.d}] for {counts.d} items, got {self.k}")


def check_mechanism(name: str, value) -> SequenceMechanism:
    """Return ``value`` if it is a mechanism."""
    if not isinstance(value, SequenceMechanism):
        raise TypeError(f"{name} must be a mechanism, got {value!r}")
    return value


@dataclass(frozen=True)
class PureMechanism(SequenceMechanism):
    """A mechanism with a pure epsilon-DP guarantee.

    Parameters
    ----------
    k : int
        Number of items to release, at least 1.
    epsilon : float
        Privacy budget of the whole release, natural-log units, above 0.
    neighbors : NeighborRelation
        The change of the data that is protected.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """

    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    def __post_init__(self):
        self._check_common(self.neighbors)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: no output becomes more than e^epsilon times likelier."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)
