"""PNFJoint: permute-and-flip over all sequences of k items.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Appendix D:
each sequence gets -loss + Expo(rate) and the largest wins.  That is permute-and-flip with
odds q = e^(-rate * loss) (Ding et al. 2021, arXiv 2105.07260), and it is drawn here by thinning
Joint's draws (see `_thinned`): no loss is cut off, and nothing overflows
where the authors' code does.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.privacy import Guarantee, PureCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.kernels import permute_and_flip, thresholds
from dptopk.mechanisms.kernels.loss_weighted import LossWeighted
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss


@dataclass(frozen=True)
class PNFJoint(LossWeighted):
    """Permute-and-flip over sequences, epsilon-DP (Gillenwater et al. 2022, Appendix D).

    Samples follow the exact law up to what 53-bit arithmetic can hold: no loss is cut off, but
    an event of probability below about 1e-16 may never be drawn.  k, epsilon and neighbors as in
    `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="PNFJoint",
        name="PNFJoint",
        summary="PNFJoint draws whole sequences by permute-and-flip (PNF): as Joint, but never "
        "worse in the expected error at the worst place, and nearly the same where no "
        "single sequence is likely.",
        paper=papers.GILLENWATER_2022.at("Appendix D"),
        group=Group.ORDERED,
        style=Style("#E69F00", "dash", "square", "/"),
        scale="penalises only the worst place: a count error larger by {users} there makes a wrong "
        "sequence about e times less likely, for any k",
        explanation=Explanation.read(
            "PNFJoint",
            (
                papers.GILLENWATER_2022.at("Appendix D"),
                papers.MCKENNA_2020.at("permute-and-flip"),
                papers.DING_2021.at("the same by exponential noise"),
            ),
        ),
        featured=True,
    )

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: permute-and-flip on the loss (McKenna, Sheldon 2020)."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> PureCost:
        """Pure epsilon-DP: the range of permute-and-flip exceeds epsilon."""
        return PureCost(self.epsilon, permute_and_flip.WHY_PURE)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return _thinned(SequencesByLoss(counts, self.k), self.rate, n, rng)

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_candidates, exact_choice  # loads python-flint

        sequences = exact_candidates.Sequences(counts, self.k)
        return exact_choice.permute_and_flip(sequences, self.exact_rate, bits)

    def log_pmf_of_losses(self, levels: LossLevels, losses: IntArray) -> FloatArray:
        """Return the log probability of one sequence of each given loss, by one integral each."""
        rate = np.float64(self.rate)  # with a plain float, the product's type is not known
        return permute_and_flip.log_pmf(
            -rate * levels.losses[None, :],
            levels.log_n[None, :],
            -rate * losses,
            np.zeros(losses.size, dtype=np.int64),
        )


def _thinned(sequences: SequencesByLoss, rate: float, n: int, rng: np.random.Generator) -> IntArray:
    """Draw n winners of permute-and-flip over all sequences, as ranks (n, k).

    Every sequence is visited at a uniform time t and flips a coin of odds q; the first to come
    up wins.  In x = -log(1 - t) a coin comes up with hazard q e^-x / (1 - q (1 - e^-x)), which is
    q times 1 / (1 + (1 - q) (e^x - 1)).  Joint's draws, at times Expo(1) / W apart with W the sum
    of all q, visit each sequence at rate q; so the first that is kept with that probability is
    the winner.  On average at most 1.3 draws of Joint are made, and 1 where W is large.
    """
    blocks = sequences.blocks(rate)
    log_bound = thresholds.log_bound(blocks)
    winners = np.empty((n, sequences.k), dtype=np.int64)
    x = np.zeros(n)
    pending = np.arange(n)
    while pending.size:
        drawn = thresholds.draw(sequences, blocks, rate, pending.size, rng)
        # proposals that Joint rejects thin the bound to W: all of them take their time
        x[pending] += rng.standard_gamma(drawn.n_proposed) * np.exp(-log_bound)
        log_odds = -rate * thresholds.losses_of(sequences, drawn.ranks)
        # x stays far from overflow: loss 0 is never refused and comes at rate 1 at least
        keep = 1 / (1 - np.expm1(log_odds) * np.expm1(x[pending]))
        kept = rng.random(pending.size) < keep
        winners[pending[kept]] = drawn.ranks[kept]
        pending = pending[~kept]
    return winners
