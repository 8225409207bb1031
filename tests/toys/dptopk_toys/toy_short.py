"""ToyShort: peeling that knows the head of the list only, and may release fewer than k items.

After Durfee, Rogers (2019), arXiv 1905.04273: of the k_bar items with the largest
counts, and of a stranger ⊥ with the count

    h = c_{k_bar + 1} + spread + ln(k_bar / delta_0) / rate,

k rounds of the exponential mechanism release one item after another and stop at ⊥.

Privacy.  An item that is read on D and not on its neighbour D' has at most c_{k_bar + 1} + spread
users on D: it comes before ⊥ with probability at most e^(rate (c - h)) <= delta_0 / k_bar, any of
them with at most delta_0.  Let R be the same rounds on the items read on both, with each data
set's own ⊥.  Items and ⊥ move as counts do, so R is (epsilon, delta / 2)-DP by the calibration,
and R parts from the mechanism on D, and on D', with probability at most delta_0.  Hence

    P(D in A) <= P(R(D) in A) + delta_0 <= e^epsilon (P(D' in A) + delta_0) + delta / 2 + delta_0,

and (1 + e^epsilon) delta_0 = delta / 2 is enough.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from dptopk import accounting
from dptopk.core.counts import SortedCounts
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.papers import DURFEE_2019
from dptopk.core.parameters import DELTA, Number
from dptopk.core.privacy import ApproximateCost, Guarantee, NeighborRelation
from dptopk.mechanisms import Card, Explanation, Group, Mechanism, Style


@dataclass(frozen=True)
class ToyShort(Mechanism):
    """Peeling from a limited domain, (epsilon, delta)-DP with delta above 0.

    Parameters
    ----------
    k, epsilon, delta, neighbors
        As for `CDPPeel`; delta in (0, 1).
    k_bar : int, optional
        How many items are read, at least k of them; by default 2 k, and never all.
    """

    delta: float
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE
    k_bar: int | None = None

    card: ClassVar[Card] = Card(
        key="ToyShort",
        name="Toy-Short",
        summary="Toy-Short reads the largest counts only, peels from them, and stops early rather "
        "than release an item that a single user may have brought in.",
        paper=DURFEE_2019.at("limited domain"),
        group=Group.UNKNOWN,
        style=Style("#44AA99", "8px,2px,2px,2px", "pentagon", "|"),
        scale="adds Gumbel noise of scale {users} to the largest counts and to its threshold",
        explanation=Explanation(
            does=(
                "Toy-Short reads a few of the largest counts only.",
                "A stranger ⊥ stands beside them, somewhat above the first count unread.",
                "Rounds of the exponential mechanism release one item after another.",
                "They stop as soon as ⊥ is drawn.",
            ),
            promise="The rounds are composed as those of any peeling with half of δ; the other "
            "half pays for items that only one of two neighbours reads.",
            good_for="When the items that may come out are not known beforehand.",
            not_for="When δ must be 0, or exactly k items are needed.",
            sources=(DURFEE_2019.at("limited domain"),),
        ),
        parameters=(
            DELTA,
            Number("k_bar", "Items read", 1, 10**9, None, help="How many of the largest counts."),
        ),
        stream=("k", "epsilon", "delta", "neighbors", "k_bar"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(short=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta == 0:
            raise ValueError(
                f"delta must be above 0 for {self.name}, got 0: that a rare item is not known "
                "beforehand can be kept with a small probability of failure only"
            )

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP: delta / 2 for the rounds, delta / 2 for the domain (see above)."""
        return Guarantee(self.epsilon, self.delta, self.neighbors)

    @property
    def cost(self) -> ApproximateCost:
        """As promised, and no more: the domain fails outright with part of delta."""
        why = "Which items are read depends on the data, and δ covers that."
        return ApproximateCost(self.epsilon, self.delta, why)

    @property
    def rate(self) -> float:
        """Rate of a round, in 1 / users: calibrated range over the spread of the neighbours."""
        range_ = accounting.local_epsilon(self.epsilon, self.delta / 2, self.k, method="paper")
        return range_ / self.neighbors.gap_sensitivity

    @property
    def scale(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.rate

    def chance_grows(self, target: str) -> bool:
        """Return False: with less noise, ⊥ beats an item of hardly more than the count unread."""
        return False

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> np.ndarray:
        known = self._known(counts)
        released = np.full((n, self.k), NOTHING)
        taken = np.zeros((n, known.size - 1), dtype=bool)
        row = np.arange(n)
        for place in range(self.k):
            log_odds = self._log_odds(known, taken[row])
            choice = np.argmax(log_odds + rng.gumbel(size=log_odds.shape), axis=1)
            row, choice = row[choice < known.size - 1], choice[choice < known.size - 1]
            released[row, place] = choice
            taken[row, choice] = True
        return released

    def _log_pmf(self, counts: SortedCounts, ranks: np.ndarray) -> np.ndarray:
        known = self._known(counts)
        stranger = known.size - 1
        result = np.where((ranks >= stranger).any(axis=1), -np.inf, 0.0)
        taken = np.zeros((len(ranks), stranger), dtype=bool)
        row = np.flatnonzero(result == 0)
        for place in range(self.k):
            log_odds = self._log_odds(known, taken[row])
            choice = np.where(ranks[row, place] == NOTHING, stranger, ranks[row, place])
            result[row] += log_odds[np.arange(row.size), choice] - logsumexp(log_odds, axis=1)
            row, choice = row[choice < stranger], choice[choice < stranger]
            taken[row, choice] = True
        return result

    def _known(self, counts: SortedCounts) -> np.ndarray:
        """Counts that are read, and the first below them: 0 where there is none."""
        wanted = min(2 * self.k, counts.d - 1) if self.k_bar is None else self.k_bar
        n_read = min(max(wanted, self.k), counts.d)
        return np.append(counts.top(n_read + 1), 0)[: n_read + 1]

    def _log_odds(self, known: np.ndarray, taken: np.ndarray) -> np.ndarray:
        """Log odds of each item and of ⊥, relative to the best item left, row by row."""
        best = np.where(taken, -1, known[:-1]).max(axis=1, keepdims=True)
        log_odds = self.rate * (known - np.where(best < 0, known[-1], best))
        log_odds[:, :-1][taken] = -np.inf
        delta_0 = math.log(self.delta / 2) - np.logaddexp(0, self.epsilon)
        log_odds[:, -1] += self.rate * self.neighbors.gap_sensitivity
        log_odds[:, -1] += math.log(known.size - 1) - delta_0
        return log_odds
