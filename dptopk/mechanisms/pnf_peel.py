"""PNF-Peel: k rounds of permute-and-flip, each with epsilon / k.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Algorithm 2:
add Expo(rate) to every remaining count, release the largest, remove it.  Equivalently
(Ding et al. 2021, arXiv 2105.07260) every remaining item survives a coin of odds
e^(-rate * gap to the best one left) and a uniformly chosen survivor is released.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.numerals import fraction_at_most
from dptopk.core.privacy import Guarantee, PureCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.base import PureMechanism
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.exact_laws import NoClosedFormError
from dptopk.mechanisms.external_samplers import NoisyTopK
from dptopk.mechanisms.kernels import (
    conditional_noise,
    flipped_rounds,
    peeling,
    permute_and_flip,
    thinned_race,
    top,
)
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise
from dptopk.mechanisms.noisy_order import NoisyOrder
from dptopk.mechanisms.pictures import Coins

_BY_OPENDP = NoisyTopK("max_divergence", "Both prove the same: k rounds of epsilon / k, added up.")


@dataclass(frozen=True)
class PNFPeel(NoisyOrder, PureMechanism):
    """Peeling with permute-and-flip, epsilon-DP by basic composition of k rounds.

    k, epsilon and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="PNFPeel",
        name="PNF-Peel",
        summary="PNF-Peel draws item after item by permute-and-flip: it peels, each "
        "item with 1/k of the budget.",
        paper=papers.GILLENWATER_2022.at("Algorithm 2"),
        group=Group.ORDERED,
        style=Style("#009E73", "dot", "diamond", "x"),
        scale="adds exponential noise of mean {users} to every count in each of its k rounds",
        explanation=Explanation.read(
            "PNFPeel",
            (
                papers.GILLENWATER_2022.at("Algorithm 2"),
                papers.MCKENNA_2020.at("permute-and-flip"),
                papers.DING_2021.at("the same by exponential noise"),
            ),
        ),
        featured=True,
    )
    exchangeable_ties: ClassVar[bool] = True
    fresh_noise: ClassVar[bool] = True

    @property
    def external_sampler(self) -> NoisyTopK:
        """OpenDP's noisy top k."""
        return _BY_OPENDP

    @property
    def rate(self) -> float:
        """Rate of the exponential noise of a round, in 1 / users.

        Counts are monotone when a user joins or leaves, and epsilon / k suffices; when
        one is replaced two of them part by the sensitivity of a gap.
        """
        return self.epsilon / (self.k * self.neighbors.gap_sensitivity)

    @property
    def exact_rate(self) -> Fraction:
        """Rate of exact draws, at most that of epsilon as a decimal number."""
        return fraction_at_most(self.epsilon) / (self.k * self.neighbors.gap_sensitivity)

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
        if thinned_race.pays(counts, self.k, n):
            return thinned_race.draw(counts, self.k, self.rate, n, rng)
        blocks = peeling.CountBlocks.cut(counts, self.k, self.rate)
        left = np.tile(blocks.size, (n, 1))
        released = np.empty((n, self.k), dtype=np.int64)
        for r in range(self.k):
            taken = np.sort(released[:, :r], axis=1)
            released[:, r] = _draw_round(counts, blocks, left, taken, self.rate, rng)
            block = np.searchsorted(blocks.first, released[:, r], side="right") - 1
            left[np.arange(n), block] -= 1
        return released

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_choice, exact_peeling  # loads python-flint

        flip = exact_choice.permute_and_flip
        return exact_peeling.peel(counts, self.k, flip, self.exact_rate, bits)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return peeling.log_pmf(counts, ranks, self.rate, permute_and_flip.log_pmf)

    def log_probability_not_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability that some round goes wrong."""
        return peeling.log_not_first(counts, self.k, self.rate, permute_and_flip.log_pmf)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that k rounds release a true top k, in any order."""
        return self._rounds(counts).log_probabilities()[0]

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that some round releases an item of no true top k."""
        return self._rounds(counts).log_probabilities()[1]

    def _rounds(self, counts: SortedCounts) -> flipped_rounds.TopByRounds:
        """Return the rounds by what they released; refuse if that takes too long."""
        if flipped_rounds.n_states(counts, self.k) > flipped_rounds.MOST_STATES:
            raise NoClosedFormError(
                f"{self.name}'s probability of a set sums over too many orders at k = {self.k}"
            )
        return flipped_rounds.TopByRounds(counts, self.k, self.rate)

    def set_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: levels of the top k times ways to have released some."""
        return flipped_rounds.work(counts, self.k)

    def picture(self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator) -> Coins:
        """Return the coins of a round before which all higher ranks were released."""
        here, left = counts.counts_at_ranks(ranks), top.without_top(counts, int(ranks[0]))
        own = (ranks - ranks[0])[:, None]
        log_released = peeling.log_pmf(left, own, self.rate, permute_and_flip.log_pmf)
        return Coins(here, -self.rate * (here[0] - here), log_released)

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        ranks = self._sample_ranks(counts, 1, rng)[0]
        return conditional_noise.of_rounds(counts, ranks, shown, self.rate, beyond)

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: levels times rounds."""
        return counts.n_levels * self.k


def _draw_round(
    counts: SortedCounts,
    blocks: peeling.CountBlocks,
    left: IntArray,
    taken: IntArray,
    rate: float,
    rng: np.random.Generator,
) -> IntArray:
    """Return the rank of the item that each draw releases, given the ranks already taken.

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
        pause()
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
