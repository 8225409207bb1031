"""Joint: the exponential mechanism over all sequences of k items.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), "A Joint Exponential Mechanism for
Differentially Private Top-k", arXiv 2201.12333, section 3.  A sequence s has
probability proportional to exp(-rate * loss(s)), loss(s) = max_r (c_r - c_{s_r}).

Their sampler fills a k x d matrix.  Ours draws the same distribution as a mixture
over integer thresholds: T with probability proportional to N(T) e^(-rate T), then a
uniform sequence among the N(T) with loss at most T; since the sum of e^(-rate T)
over T >= loss is e^(-rate loss) / (1 - e^-rate), every sequence gets its own weight.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from dptopk.counts import SortedCounts
from dptopk.mechanisms._loss_weighted import LossWeighted
from dptopk.mechanisms._sequences import (
    LossLevels,
    SequencesByLoss,
    ThresholdBlocks,
    draw_distinct,
)


@dataclass(frozen=True)
class Joint(LossWeighted):
    """Joint exponential mechanism, epsilon-DP (Gillenwater et al. 2022, Theorem 3.2).

    Parameters
    ----------
    k : int
        Number of items to release, at least 1.
    epsilon : float
        Privacy budget of the whole release, natural-log units, above 0.
    neighbors : NeighborRelation
        The change of the data that is protected; default ADD_REMOVE.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """

    name: ClassVar[str] = "Joint"

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        sequences = SequencesByLoss(counts, self.k)
        n_within = _draw_thresholds(sequences, sequences.blocks(self.rate), self.rate, n, rng)
        positions = np.broadcast_to(np.arange(self.k)[:, None], n_within.shape)
        return draw_distinct(positions, n_within, rng)

    def log_pmf_of_losses(self, levels: LossLevels, losses: np.ndarray) -> np.ndarray:
        """Log probability -rate * loss - log Z of one sequence of each given loss."""
        return -self.rate * losses - logsumexp(levels.log_n - self.rate * levels.losses)


def _draw_thresholds(
    sequences: SequencesByLoss,
    blocks: ThresholdBlocks,
    rate: float,
    n: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw n thresholds from N(T) e^(-rate T); return t_r(T), shape (k, n).

    Exact rejection: a block by its upper bound, a geometric threshold inside it,
    kept with probability N(T) over the block's largest N.
    """
    cumulative = np.cumsum(np.exp(blocks.log_upper - blocks.log_upper.max()))
    n_within = np.empty((sequences.k, n), dtype=np.int64)
    pending = np.arange(n)
    while pending.size:
        uniform = rng.random((3, pending.size))
        block = np.searchsorted(cumulative, uniform[0] * cumulative[-1], side="right")
        length = blocks.length[block]
        offset = np.floor(-np.log1p(uniform[1] * np.expm1(-rate * length)) / rate)
        last = np.minimum(length, 2.0**53) - 1  # beyond the widest loss N is constant
        threshold = blocks.start[block] + np.minimum(offset, last).astype(np.int64)
        proposal = sequences.n_within(np.minimum(threshold, sequences.widest))
        log_n = np.log(proposal - np.arange(sequences.k)[:, None]).sum(axis=0)
        kept = uniform[2] < np.exp(log_n - blocks.log_n_last[block])
        kept |= block == blocks.start.size - 1  # constant N: no rounding may reject
        n_within[:, pending[kept]] = proposal[:, kept]
        pending = pending[~kept]
    return n_within
