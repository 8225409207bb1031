"""ToySet: the exponential mechanism over sets of k items, by their weakest item.

After Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, section 3, with sets in
place of sequences: a set S has probability proportional to exp(-rate * loss(S)),
loss(S) = c_k - min over S of c_i, which is the k-relative error.

With t(T) items of count at least c_k - T, C(t(T), k) sets have loss at most T.  A mixture over
thresholds at the levels x_0 = 0 < x_1 < ... below the k-th count, x_l with probability
proportional to C(t(x_l), k) (e^(-rate x_l) - e^(-rate x_{l+1})), and then a uniform set within the
threshold, gives every set its own weight.  All terms are positive.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, logsumexp

from dptopk.core.counts import SortedCounts
from dptopk.core.outputs import OutputKind
from dptopk.core.papers import GILLENWATER_2022
from dptopk.core.privacy import RangeCost
from dptopk.mechanisms import Card, ErrorLaw, Explanation, Group, PureMechanism, Style
from dptopk.mechanisms.kernels.sequences import draw_distinct
from dptopk.mechanisms.pictures import Limits, at_most, limits


@dataclass(frozen=True)
class ToySet(PureMechanism):
    """Exponential mechanism over sets, epsilon-DP.  Parameters and errors as `PureMechanism`."""

    card: ClassVar[Card] = Card(
        key="ToySet",
        name="Toy-Set",
        summary="Toy-Set weighs every set of k items by its weakest item and draws one.",
        paper=GILLENWATER_2022.at("section 3"),
        group=Group.SETS,
        style=Style("#CC6677", "2px,4px", "star", "-"),
        scale="pays for its weakest item only: {users} fewer there make a set e times less likely",
        explanation=Explanation(
            does=(
                "Toy-Set draws one of all sets of k items.",
                "What counts against a set is how far its weakest item lies below the k-th count.",
                "A set is drawn with probability proportional to e^(−ε · that distance).",
                "It draws a limit first, and then a fair set of the items within it.",
            ),
            promise="The k-th count is the same for all sets, so what weighs is a set's weakest "
            "count, which is monotone: no probability changes by more than e^ε.",
            good_for="When the order of the items is not needed.",
            not_for="When it is.",
            sources=(GILLENWATER_2022.at("section 3"),),
        ),
    )
    outputs: ClassVar[OutputKind] = OutputKind(ordered=False)
    exchangeable_ties: ClassVar[bool] = True
    exact_metrics: ClassVar[tuple[str, ...]] = ("k_relative",)

    @property
    def rate(self) -> float:
        """Weight lost per user of loss, in 1 / users.

        The k-th count is the same for all sets and cancels: what weighs is the weakest count
        of a set, and two of these part by the spread of the neighbours at most.  So the
        log-ratios of all sets fit into an interval of length rate * spread = epsilon.
        """
        return self.epsilon / self.neighbors.gap_sensitivity

    @property
    def scale(self) -> float:
        """Loss, in users, that makes a set e times less likely."""
        return 1 / self.rate

    @property
    def cost(self) -> RangeCost:
        """One exponential mechanism: range epsilon (Durfee, Rogers 2019, arXiv 1905.04273)."""
        why = "It is a single choice by the exponential mechanism on counts, of range ε."
        return RangeCost(1, self.epsilon, why)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """The k-relative error is the loss: weights of the levels, C(t_l, k) - C(t_{l-1}, k)."""
        losses, within, log_n = self._levels(counts)
        log_p = log_n - self.rate * losses - self._log_z(losses, log_n)
        places = np.arange(self.k)
        kept = np.log1p(-np.diff(within)[:, None] / (within[1:, None] - places)).sum(axis=1)
        log_p[1:] += np.log(-np.expm1(kept))  # log(1 - C(t_{l-1}, k) / C(t_l, k))
        return ErrorLaw(losses, log_p)

    def picture(self, counts: SortedCounts, ranks: np.ndarray, rng: np.random.Generator) -> Limits:
        """How far down the set reaches, and how many items stand there or above."""
        return limits(
            at_most(self.error_law(counts, "k_relative")),
            lambda limit: counts.n_at_least(counts.top(self.k)[-1] - limit)[None],
            (self.k,),
            "how far the weakest item lies below the k-th count",
        )

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        losses, within, log_n = self._levels(counts)
        log_weight = self._log_drop(losses) + log_n
        cumulative = np.cumsum(np.exp(log_weight - log_weight.max()))
        level = np.searchsorted(cumulative, rng.random(n) * cumulative[-1], side="right")
        high = np.broadcast_to(within[level], (self.k, n))
        return draw_distinct(np.broadcast_to(np.arange(self.k)[:, None], high.shape), high, rng)

    def _log_pmf(self, counts: SortedCounts, ranks: np.ndarray) -> np.ndarray:
        losses, _, log_n = self._levels(counts)
        weakest = counts.counts_at_ranks(ranks[:, -1])  # sets are handed on with ascending ranks
        loss = counts.top(self.k)[-1] - weakest
        return -self.rate * loss - self._log_z(losses, log_n)

    def _levels(self, counts: SortedCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Losses a set can have, ascending; items and log number of sets within each."""
        kth = int(np.searchsorted(counts.ends, self.k))
        within = counts.ends[kth:]
        log_n = np.log(within[:, None] - np.arange(self.k)).sum(axis=1) - gammaln(self.k + 1)
        return counts.values[kth] - counts.values[kth:], within, log_n

    def _log_drop(self, losses: np.ndarray) -> np.ndarray:
        """log(e^(-rate x_l) - e^(-rate x_{l+1})); behind the last level the weight is 0."""
        gaps = np.append(np.diff(losses), np.inf)
        return -self.rate * losses + np.log(-np.expm1(-self.rate * gaps))

    def _log_z(self, losses: np.ndarray, log_n: np.ndarray) -> float:
        return float(logsumexp(self._log_drop(losses) + log_n))
