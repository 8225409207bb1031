"""Joint: the exponential mechanism over all sequences of k items.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), "A Joint Exponential Mechanism for
Differentially Private Top-k", arXiv 2201.12333, section 3.  A sequence s has
probability proportional to exp(-rate * loss(s)), loss(s) = max_r (c_r - c_{s_r}).

Their sampler fills a k x d matrix.  Ours draws the same distribution as a mixture
over integer thresholds on the loss: see `kernels.thresholds`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.errors import Law
from dptopk.core.log_space import logsumexp
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.card import Card, Example, Explanation, Group, Style
from dptopk.mechanisms.exact_laws import ErrorBound
from dptopk.mechanisms.kernels import thresholds
from dptopk.mechanisms.kernels.loss_weighted import LossWeighted
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss


@dataclass(frozen=True)
class Joint(LossWeighted):
    """Joint exponential mechanism, epsilon-DP (Gillenwater et al. 2022, section 3).

    k, epsilon and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="Joint",
        name="Joint",
        summary="Joint draws whole sequences: every ordered sequence of k items is weighed by "
        "its worst place, a single choice for the whole budget.",
        paper=papers.GILLENWATER_2022.at("section 3"),
        group=Group.ORDERED,
        style=Style("#0072B2", "solid", "circle", ""),
        scale="penalises only the worst place: a count error larger by {users} there makes a "
        "sequence e times less likely, for any k",
        explanation=Explanation.read(
            "Joint",
            (
                papers.GILLENWATER_2022.at("section 3"),
                papers.MCSHERRY_2007.at("the exponential mechanism"),
            ),
            Example(
                (10, 9, 5, 1),
                1,
                "Of the counts 10, 9, 5 and 1, at k = 1 and ε = 1, the largest comes out with "
                "probability 58.8% under Joint, 66.9% under PNFJoint, 72.7% under CDP-Peel and "
                "81.3% under PNF-Peel.",
            ),
        ),
        featured=True,
    )

    limit_words: ClassVar[tuple[str, str]] = (
        "the limit that is drawn first, an upper bound on the loss of the sequence",
        "T",
    )

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: the exponential mechanism on the loss (section 3 of the paper)."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    def error_bound(self, d: int, metric: str) -> ErrorBound | None:
        """Return the bound of Theorem 3.3 on the loss, for add/remove neighbors."""
        if metric != Law.SIGNED_MAX or self.neighbors is not NeighborRelation.ADD_REMOVE:
            return None
        words = (
            "Joint's signed maximum error is at most 2 (k ln d + 5) / ε with probability at least "
            "0.99, when one user joins or leaves."
        )
        value = joint_loss_bound(self.k, d, self.epsilon)
        return ErrorBound(metric, value, 0.99, papers.GILLENWATER_2022.at("Theorem 3.3"), words)

    def limit_behind(self, counts: SortedCounts, rng: np.random.Generator) -> int:
        """Return the threshold T, in users, of the release that a generator in this state draws."""
        sequences = SequencesByLoss(counts, self.k)
        blocks = sequences.blocks(self.rate)
        drawn, _ = thresholds.draw_thresholds(sequences, blocks, self.rate, 1, rng)
        return int(drawn[0])

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        sequences = SequencesByLoss(counts, self.k)
        return thresholds.draw(sequences, sequences.blocks(self.rate), self.rate, n, rng).ranks

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_candidates, exact_choice  # loads python-flint

        sequences = exact_candidates.Sequences(counts, self.k)
        return exact_choice.exponential(sequences, self.exact_rate, bits)

    def limit_at_most(self, counts: SortedCounts) -> Callable[[IntArray], FloatArray]:
        """Return the CDF of the threshold T, of weight N(T) e^(-rate T)."""
        levels = self.loss_levels(counts)
        log_weight = np.logaddexp.accumulate(levels.log_n) - self.rate * levels.losses
        length = np.append(np.diff(levels.losses), np.inf)
        log_mass = log_weight + np.log(-np.expm1(-self.rate * length))
        log_total = logsumexp(log_mass)
        below = np.append(0.0, np.cumsum(np.exp(log_mass - log_total)))[:-1]

        def at_most(limits: IntArray) -> FloatArray:
            step = np.searchsorted(levels.losses, limits, side="right") - 1
            reached = np.maximum(limits + 1 - levels.losses[step], 0)  # steps before the first: 0
            with np.errstate(over="ignore"):  # e^-inf is what an enormous rate leaves
                share = -np.expm1(-self.rate * reached)
            part = np.exp(log_weight[step] - log_total) * share
            return np.where(step < 0, 0.0, below[step] + part)

        return at_most

    def log_pmf_of_losses(self, levels: LossLevels, losses: IntArray) -> FloatArray:
        """Return the log probability, -rate * loss - log Z, of one sequence of each given loss."""
        log_z = float(logsumexp(levels.log_n - self.rate * levels.losses))
        rate = np.float64(self.rate)  # with a plain float, the product's type is not known
        return -rate * losses - log_z


def joint_loss_bound(k: int, d: int, epsilon: float) -> float:
    """Return the bound 2 (k ln d + 5) / epsilon on the loss, which holds with probability 0.99.

    Gillenwater et al. (2022), Theorem 3.3, for users who join or leave.
    """
    return 2 * (k * float(np.log(d)) + 5) / epsilon
