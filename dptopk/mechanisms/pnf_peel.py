"""PNF-Peel: k rounds of permute-and-flip, each with epsilon / k.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Algorithm 2:
add Expo(rate) to every remaining count, release the largest, remove it.  Equivalently
(Ding et al. 2021, arXiv 2105.07260) every remaining item survives a coin of odds
e^(-rate * gap to the best one left) and a uniformly chosen survivor is released.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk._types import FloatArray, IntArray
from dptopk.counts import SortedCounts
from dptopk.mechanisms.base import PureMechanism
from dptopk.mechanisms.card import Card, Group, Paper, Style
from dptopk.mechanisms.kernels import peeling, permute_and_flip
from dptopk.privacy import Guarantee, PureCost


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

    card: ClassVar[Card] = Card(
        key="PNFPeel",
        name="PNF-Peel",
        summary="PNF-Peel releases one item after another, each by permute-and-flip with a k-th "
        "of the budget.",
        paper=Paper(
            "Gillenwater, Joseph, Muñoz Medina, Ribero 2022",
            "Algorithm 2",
            "https://arxiv.org/abs/2201.12333",
        ),
        group=Group.ORDERED,
        style=Style("#009E73", "dot", "diamond", "x"),
        scale="adds exponential noise of mean {users} to every count in each of its k rounds",
        featured=True,
    )
    exchangeable_ties: ClassVar[bool] = True

    @property
    def rate(self) -> float:
        """Rate of the exponential noise of a round, in 1 / users.

        Counts are monotone when a user joins or leaves, and epsilon / k suffices; when
        one is replaced two of them part by their spread.
        """
        return self.epsilon / (self.k * self.neighbors.spread)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: basic composition of k rounds of epsilon / k."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> PureCost:
        """Pure epsilon-DP: the range of permute-and-flip exceeds epsilon."""
        return PureCost(self.epsilon, permute_and_flip.WHY_PURE)

    @property
    def scale(self) -> float:
        """Mean of the noise of a round, in users."""
        return 1 / self.rate

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        blocks = peeling.CountBlocks.cut(counts, self.k, self.rate)
        left = np.tile(blocks.size, (n, 1))
        released = np.empty((n, self.k), dtype=np.int64)
        for r in range(self.k):
            taken = np.sort(released[:, :r], axis=1)
            released[:, r] = _draw_round(counts, blocks, left, taken, self.rate, rng)
            block = np.searchsorted(blocks.first, released[:, r], side="right") - 1
            left[np.arange(n), block] -= 1
        return released

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return peeling.log_pmf(counts, ranks, self.rate, permute_and_flip.log_pmf)

    def pmf_work(self, counts: SortedCounts) -> int:
        """Levels times rounds: every round integrates over all levels."""
        return counts.n_levels * self.k


def _draw_round(
    counts: SortedCounts,
    blocks: peeling.CountBlocks,
    left: IntArray,
    taken: IntArray,
    rate: float,
    rng: np.random.Generator,
) -> IntArray:
    """Rank of the survivor each draw releases, given the ranks already taken.

    Items of a block first flip the coin of the block's best odds, all at once; those
    left are visited in random order and flip the remaining odds; the first to survive
    is a uniformly chosen survivor.
    """
    n = len(left)
    best = counts.counts_at_ranks(peeling.nth_free(taken, np.zeros(n, dtype=np.int64)))
    odds = np.exp(-rate * np.maximum(best[:, None] - blocks.top, 0))
    candidates = rng.binomial(left, odds)
    untried = left.copy()
    winner = np.empty(n, dtype=np.int64)
    row = np.arange(n)
    while row.size:
        uniform = rng.random((3, row.size))
        block = peeling.choose_column(candidates[row], uniform[0])
        index = np.floor(uniform[1] * untried[row, block]).astype(np.int64)
        before = np.where(np.arange(blocks.size.size) < block[:, None], untried[row], 0)
        rank = peeling.nth_free(taken, before.sum(axis=1) + index)
        remaining_odds = np.exp(-rate * (best[row] - counts.counts_at_ranks(rank)))
        survives = uniform[2] * odds[row, block] < remaining_odds
        winner[row[survives]] = rank[survives]
        candidates[row, block] -= 1
        untried[row, block] -= 1
        taken = np.sort(np.column_stack([taken, rank])[~survives], axis=1)
        row = row[~survives]
    return winner
