"""PNFJoint: permute-and-flip over all sequences of k items.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Appendix D:
each sequence gets -loss + Expo(rate) and the largest wins.  Sequences are grouped by
loss; the best noise of m sequences is the largest of m exponentials, drawn in
logarithms and so stable for any m, where the authors' code overflows.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk import papers
from dptopk._types import FloatArray, IntArray
from dptopk.counts import SortedCounts
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.kernels import permute_and_flip
from dptopk.mechanisms.kernels.loss_weighted import LossWeighted
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss, draw_distinct
from dptopk.privacy import Guarantee, PureCost

_CHUNK = 1_000_000


@dataclass(frozen=True)
class PNFJoint(LossWeighted):
    """Permute-and-flip over sequences, epsilon-DP (Gillenwater et al. 2022, Appendix D).

    Losses that carry less than e^-45 of Joint's mass are not visited; PNFJoint gives
    any loss at most twice Joint's probability, so samples are within 1e-19 of the
    exact law in total variation.

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
        key="PNFJoint",
        name="PNFJoint",
        summary="PNFJoint makes the same single choice by permute-and-flip: never worse than "
        "Joint in expected worst place, and nearly the same where no single sequence is likely.",
        paper=papers.GILLENWATER_2022.at("Appendix D"),
        group=Group.ORDERED,
        style=Style("#E69F00", "dash", "square", "/"),
        scale="pays for its worst place only: giving up {users} more there makes a sequence about "
        "e times less likely, whatever k is",
        explanation=Explanation(
            does=(
                "PNFJoint makes a single choice among all ordered sequences of k items, and what "
                "counts against a sequence is its loss: how far the item at its worst place lies "
                "below the true count there.",
                "It visits the sequences in random order and flips a coin for each, which shows "
                "heads with probability e^(−ε · loss / 2), or e^(−ε · loss / 4) where a user is "
                "replaced.",
                "The first sequence whose coin shows heads is released; the coin of the true top k "
                "always does, so the search ends.",
                "Nobody has to visit them all: it draws how large the loss of the winner is, and "
                "then one of the sequences with exactly that loss by a fair draw.",
            ),
            promise="The same choice is made when −loss gets exponential noise of mean 2/ε for "
            "each sequence, and the largest wins. Hold the noise of all others fixed: a sequence "
            "wins if its own noise exceeds a bound. One user who joins or leaves moves its loss by "
            "at most 1 and that of its best rival by at most 1, so the bound by at most 2, and the "
            "chance of exceeding it by a factor of at most e^(2 · ε/2) = e^ε. Where a user is "
            "replaced both the moves and the mean of the noise double.",
            good_for="Instead of Joint where a single release is all there is: at the same ε its "
            "expected loss is never larger. The difference shows where one sequence is likely, "
            "that is with few items and clear gaps.",
            not_for="Where Joint should not be used either: at k = 1 its coins use ε/2 where "
            "PNF-Peel's use ε, and for large k sequences with a large loss win by sheer number. In "
            "a series of releases Joint adds up better, since its privacy loss has a narrower "
            "range.",
            sources=(
                papers.GILLENWATER_2022.at("Appendix D"),
                papers.MCKENNA_2020.at("permute-and-flip"),
                papers.DING_2021.at("the same by exponential noise"),
            ),
        ),
        featured=True,
    )

    @property
    def rate(self) -> float:
        """Rate of the noise of a sequence, epsilon / (2 * sensitivity), in 1 / users.

        The loss is a largest difference of two counts and moves by their spread, in either
        direction: it is not monotone, so the 2 stays.
        """
        return self.epsilon / (2 * self.neighbors.spread)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: permute-and-flip on the loss (McKenna, Sheldon 2020, Theorem 1)."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> PureCost:
        """Pure epsilon-DP: the range of permute-and-flip exceeds epsilon."""
        return PureCost(self.epsilon, permute_and_flip.WHY_PURE)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        sequences = SequencesByLoss(counts, self.k)
        reached = sequences.loss_levels(self.rate)
        step = max(1, _CHUNK // reached.losses.size)
        losses = [
            _winning_losses(reached, self.rate, min(step, n - done), rng)
            for done in range(0, n, step)
        ]
        return _draw_with_loss(sequences, np.concatenate(losses), rng)

    def log_pmf_of_losses(self, levels: LossLevels, losses: IntArray) -> FloatArray:
        """Log probability of one sequence of each given loss, by one integral each."""
        rate = np.float64(self.rate)  # with a plain float, the product's type is not known
        return permute_and_flip.log_pmf(
            -rate * levels.losses[None, :],
            levels.log_n[None, :],
            -rate * losses,
            np.zeros(losses.size, dtype=np.int64),
        )


def _winning_losses(reached: LossLevels, rate: float, n: int, rng: np.random.Generator) -> IntArray:
    """Loss of the winning sequence of n independent runs."""
    noise = permute_and_flip.log_largest_exponential(reached.log_n, rng, (n, reached.losses.size))
    winners: IntArray = np.argmax(noise - rate * reached.losses, axis=1)
    return reached.losses[winners]


def _draw_with_loss(
    sequences: SequencesByLoss, losses: IntArray, rng: np.random.Generator
) -> IntArray:
    """Uniform sequence with exactly the given loss, one a draw, as ranks (n, k).

    The first position r to reach the loss is drawn with weight
    prod_{i<r} (t_i(loss - 1) - i + 1) * (t_r(loss) - t_r(loss - 1)) *
    prod_{i>r} (t_i(loss) - i + 1); earlier positions stay below the loss.
    """
    position = np.arange(sequences.k)[:, None]
    below, within = sequences.n_within(losses - 1), sequences.n_within(losses)
    below = np.where(losses == 0, within, below)  # loss 0: every position may reach it
    log_below, log_within = np.log(below - position), np.log(within - position)
    with np.errstate(divide="ignore"):  # log 0 = -inf: this position cannot reach the loss
        log_reach = np.log(within - below)
    earlier = np.cumsum(log_below, axis=0) - log_below
    later = log_within.sum(axis=0) - np.cumsum(log_within, axis=0)
    weight = earlier + log_reach + later + rng.gumbel(size=within.shape)  # the Gumbel trick
    reaching = np.where(losses == 0, -1, np.argmax(weight, axis=0))
    low = np.where(position == reaching, below, position)
    high = np.where(position < reaching, below, within)
    return draw_distinct(low, high, rng)
