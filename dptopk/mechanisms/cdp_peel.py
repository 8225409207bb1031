"""CDP-Peel: k rounds of the exponential mechanism, composed through concentrated DP.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Algorithm 3 and
Lemma 4.2.  One shot of Gumbel noise on every count, the k largest in order, is the
same law as k rounds (Durfee, Rogers 2019, arXiv 1905.04273): Plackett-Luce with
weights e^(local_epsilon * count).  Algorithm 3 as printed scales the noise by
k / local_epsilon; Lemma 4.2 and the authors' code use 1 / local_epsilon, as here.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from dptopk import _validate, accounting
from dptopk.counts import SortedCounts
from dptopk.mechanisms import _peeling
from dptopk.mechanisms._base import SequenceMechanism
from dptopk.privacy import Guarantee, NeighborRelation

CALIBRATIONS = ("paper", "optimal")
"""How the per-round parameter is found: `accounting.local_epsilon`'s methods offered here."""


@dataclass(frozen=True)
class CDPPeel(SequenceMechanism):
    """Peeling with the exponential mechanism, (epsilon, delta)-DP.

    Parameters
    ----------
    k : int
        Number of items to release, at least 1.
    epsilon : float
        Privacy budget of all k rounds together, natural-log units, above 0.
    delta : float
        Probability mass that may exceed the budget, in [0, 1).
    neighbors : NeighborRelation
        The change of the data that is protected.
    calibration : {"paper", "optimal"}
        How the per-round parameter follows from the budget: Lemma 4.2 of the paper,
        or the adaptive optimum of `accounting` (less noise for the same guarantee).

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """

    delta: float
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE
    calibration: str = "paper"

    name: ClassVar[str] = "CDP-Peel"

    def __post_init__(self):
        self._check_common(self.neighbors)
        object.__setattr__(self, "delta", _validate.probability("delta", self.delta))
        _validate.choice("calibration", self.calibration, CALIBRATIONS)

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

        When a user joins or leaves, the privacy loss of a round has range
        local_epsilon; when one is replaced, counts move both ways and the range
        doubles, so half the calibrated range is used.
        """
        monotone = self.neighbors is NeighborRelation.ADD_REMOVE
        calibrated = accounting.local_epsilon(
            self.epsilon, self.delta, self.k, method=self.calibration
        )
        return calibrated if monotone else calibrated / 2

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exponential race: item i arrives at rate e^(local_epsilon c_i).

        A block of m items left rings at m times its best rate; a ring is an item of
        the block, kept with probability its rate over the best.  All in log time.
        """
        rate = self.local_epsilon
        blocks = _peeling.CountBlocks.cut(counts, self.k, rate)
        log_rate = rate * (blocks.top - blocks.top[0])
        left = np.tile(blocks.size, (n, 1))
        clock = np.log(rng.standard_exponential(left.shape)) - np.log(left) - log_rate
        released = np.full((n, self.k), counts.d + self.k)  # padded as `nth_free` wants it
        taken = released.copy()  # the same, each row ascending
        n_released = np.zeros(n, dtype=np.int64)
        row = np.arange(n)
        while row.size:
            block = np.argmin(clock[row], axis=1)
            uniform = rng.random((2, row.size))
            index = np.floor(uniform[0] * left[row, block]).astype(np.int64)
            before = np.where(np.arange(blocks.size.size) < block[:, None], left[row], 0)
            rank = _peeling.nth_free(taken[row], before.sum(axis=1) + index)
            below = rate * (blocks.top[block] - counts.counts_at_ranks(rank))
            kept = uniform[1] < np.exp(-below)
            keeping = row[kept]
            released[keeping, n_released[keeping]] = rank[kept]
            taken[keeping, -1] = rank[kept]
            taken[keeping] = np.sort(taken[keeping], axis=1)
            n_released[keeping] += 1
            left[keeping, block[kept]] -= 1
            with np.errstate(divide="ignore"):  # nothing left: the clock never rings again
                wait = np.log(rng.standard_exponential(row.size)) - np.log(left[row, block])
            clock[row, block] = np.logaddexp(clock[row, block], wait - log_rate[block])
            row = row[n_released[row] < self.k]
        return released

    def _log_pmf(self, counts: SortedCounts, levels: np.ndarray) -> np.ndarray:
        return _peeling.log_pmf(counts, levels, self.local_epsilon, _exponential_log_pmf)


def _exponential_log_pmf(log_odds, log_n, own_log_odds, situation) -> np.ndarray:
    """One round of the exponential mechanism: own odds over the odds of all left."""
    return own_log_odds - logsumexp(log_odds + log_n, axis=1)[situation]
