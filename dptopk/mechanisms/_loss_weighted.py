"""What Joint and PNFJoint share: probabilities that depend on a sequence's loss alone.

With loss(s) = max_r (c_r - c_{s_r}) both weigh a sequence by e^(-rate * loss(s)), and
differ in how they choose by these weights.
"""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from dptopk.counts import SortedCounts
from dptopk.mechanisms._base import PureMechanism
from dptopk.mechanisms._sequences import LossLevels, SequencesByLoss
from dptopk.privacy import NeighborRelation


@dataclass(frozen=True)
class LossWeighted(PureMechanism):
    """A mechanism whose probability of a sequence depends on its loss alone."""

    @property
    def rate(self) -> float:
        """Weight lost per unit of loss, epsilon / (2 * sensitivity), in 1 / users.

        The loss moves by at most 1 when a user joins or leaves, by 2 when one is
        replaced, in either direction: it is not monotone, so the 2 stays.
        """
        sensitivity = {NeighborRelation.ADD_REMOVE: 1, NeighborRelation.SWAP: 2}[self.neighbors]
        return self.epsilon / (2 * sensitivity)

    def loss_levels(self, counts: SortedCounts) -> LossLevels:
        """Return the losses that carry mass, and how many sequences have each."""
        return SequencesByLoss(counts, self.k).loss_levels(self.rate)

    @abstractmethod
    def log_pmf_of_losses(self, levels: LossLevels, losses: np.ndarray) -> np.ndarray:
        """Log probability of one sequence of each given loss."""

    def _log_pmf(self, counts: SortedCounts, levels: np.ndarray) -> np.ndarray:
        losses = SequencesByLoss(counts, self.k).losses_of(counts.values[levels])
        distinct, which = np.unique(losses, return_inverse=True)
        return self.log_pmf_of_losses(self.loss_levels(counts), distinct)[which]
