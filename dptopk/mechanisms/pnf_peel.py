"""PNF-Peel: k rounds of permute-and-flip, each with epsilon / k.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Algorithm 2:
add Expo(rate) to every remaining count, release the largest, remove it.  Equivalently
(Ding et al. 2021, arXiv 2105.07260) every remaining item survives a coin of odds
e^(-rate * gap to the best one left) and a uniformly chosen survivor is released.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.counts import SortedCounts
from dptopk.mechanisms import _peeling, _permute_and_flip
from dptopk.mechanisms._base import PureMechanism
from dptopk.privacy import NeighborRelation


@dataclass(frozen=True)
class PNFPeel(PureMechanism):
    """Peeling with permute-and-flip, epsilon-DP by basic composition of k rounds.

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

    name: ClassVar[str] = "PNF-Peel"

    @property
    def rate(self) -> float:
        """Rate of the exponential noise of a round, in 1 / users.

        Counts are monotone when a user joins or leaves, and epsilon / k suffices; when
        one is replaced they are not, and half of it must do.
        """
        monotone = self.neighbors is NeighborRelation.ADD_REMOVE
        return self.epsilon / (self.k if monotone else 2 * self.k)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        blocks = _peeling.CountBlocks.cut(counts, self.k, self.rate)
        left = np.tile(blocks.size, (n, 1))
        released = np.empty((n, self.k), dtype=np.int64)
        for r in range(self.k):
            taken = np.sort(released[:, :r], axis=1)
            released[:, r] = _draw_round(counts, blocks, left, taken, self.rate, rng)
            block = np.searchsorted(blocks.first, released[:, r], side="right") - 1
            left[np.arange(n), block] -= 1
        return released

    def _log_pmf(self, counts: SortedCounts, levels: np.ndarray) -> np.ndarray:
        return _peeling.log_pmf(counts, levels, self.rate, _permute_and_flip.log_pmf)


def _draw_round(
    counts: SortedCounts,
    blocks: _peeling.CountBlocks,
    left: np.ndarray,
    taken: np.ndarray,
    rate: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Rank of the survivor each draw releases, given the ranks already taken.

    Items of a block first flip the coin of the block's best odds, all at once; those
    left are visited in random order and flip the remaining odds; the first to survive
    is a uniformly chosen survivor.
    """
    n = len(left)
    best = counts.counts_at_ranks(_peeling.nth_free(taken, np.zeros(n, dtype=np.int64)))
    odds = np.exp(-rate * np.maximum(best[:, None] - blocks.top, 0))
    candidates = rng.binomial(left, odds)
    untried = left.copy()
    winner = np.empty(n, dtype=np.int64)
    row = np.arange(n)
    while row.size:
        uniform = rng.random((3, row.size))
        block = _peeling.choose_column(candidates[row], uniform[0])
        index = np.floor(uniform[1] * untried[row, block]).astype(np.int64)
        before = np.where(np.arange(blocks.size.size) < block[:, None], untried[row], 0)
        rank = _peeling.nth_free(taken, before.sum(axis=1) + index)
        remaining_odds = np.exp(-rate * (best[row] - counts.counts_at_ranks(rank)))
        survives = uniform[2] * odds[row, block] < remaining_odds
        winner[row[survives]] = rank[survives]
        candidates[row, block] -= 1
        untried[row, block] -= 1
        taken = np.sort(np.column_stack([taken, rank])[~survives], axis=1)
        row = row[~survives]
    return winner
