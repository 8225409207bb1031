"""LimitedDomainLaplace: noisy counts above a noisy threshold, without a list of all items.

Durfee, Rogers (2019), arXiv 1905.04273, for users who count for few items.  Only the k_bar largest
counts above 0 are read, and the one below them, c: 0 where there is none.  With s the most users
by which one user changes the noisy numbers together, all of them get Laplace noise of scale b =
s / epsilon, and so does the threshold ⊥,

    c + Δ + x b,    n (2 + x) e^-x / 4 = delta / (1 + e^epsilon),    n = min(m, k_bar),

where one user counts for at most m items (any number: k_bar instead).  The items above ⊥ come out
with their noisy counts, at most k of them.  s = min(Δ m, k_bar + 1), and Δ is the sensitivity
of a difference of two counts.

Privacy, for neighbours D and D' on any items, those without users included:

* Among the items read on both, and ⊥, one user moves at most s users altogether.  Where c moves, by
  one, some item that moved across it was not read on D, or is not on D': so ⊥ takes the place of
  an item, and Δ m is enough; and each of the k_bar + 1 numbers moves by at most one.  Laplace
  noise of scale s / epsilon on them makes all that is read off them epsilon-DP.
* At most n items are read on D and not on D', each with at most c + Δ users on D (see
  `limited_domain`).  It passes ⊥ where the difference of two Laplace variables exceeds x b, with
  probability (2 + x) e^-x / 4; any of them on D with at most delta_0 = delta / (1 + e^epsilon).
* So P(D in A) <= delta_0 + e^epsilon (P(D' in A) + delta_0): an output of items read on both comes
  out of them alone unless another passes, on D' as well.

The paper's threshold has ln(Delta / delta) scales, of which an item that one user brought passes
with more than delta / Delta: x is what its probability asks for.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import DELTA, MAX_ITEMS
from dptopk.core.privacy import ApproximateCost, Guarantee, NeighborRelation
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.kernels import inclusion, laplace_order, top
from dptopk.mechanisms.kernels.laplace_order import Heights
from dptopk.mechanisms.unknown_items import K_BAR, LaplaceAboveThreshold, ReadsTheTop


@dataclass(frozen=True)
class LimitedDomainLaplace(LaplaceAboveThreshold, ReadsTheTop):
    """Noisy counts above a noisy threshold, (epsilon, delta)-DP without a list of items.

    k, epsilon, delta, max_items, neighbors and k_bar as in `Mechanism`.
    """

    delta: float
    max_items: int | None = None
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE
    k_bar: int | None = None

    card: ClassVar[Card] = Card(
        key="LimitedDomainLaplace",
        name="Laplace limited domain",
        summary="Laplace limited domain adds Laplace noise to the largest counts alone: it needs "
        "no list of possible items, and releases those above a noisy threshold, with their "
        "noisy counts.",
        paper=papers.DURFEE_2019.at("limited domain with Laplace noise"),
        group=Group.UNKNOWN,
        style=Style("#8C564B", "4px,2px,1px,2px", "triangle-left", "/"),
        scale="adds Laplace noise of scale {users} to the largest counts and to its threshold",
        explanation=Explanation.read(
            "LimitedDomainLaplace", (papers.DURFEE_2019.at("limited domain with Laplace noise"),)
        ),
        parameters=(DELTA, MAX_ITEMS, K_BAR),
        stream=("k", "epsilon", "delta", "neighbors", "max_items", "k_bar"),
        not_exact="It compares sums of a count and real-valued noise, and releases them, for which "
        "no exact sampler is made here; outcomes of Limited domain are drawn directly, exactly.",
    )

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP of items and counts; with a bound on items per user if it is used."""
        most = self.max_items
        if most is not None and most >= self.n_read and self.n_paid > self.n_read:
            most = None  # all that is read could change, and is paid for
        return Guarantee(
            self.epsilon, self.delta, self.neighbors, fixed_items=False, max_items=most
        )

    @property
    def cost(self) -> ApproximateCost:
        """(epsilon, delta), without a narrower bound."""
        why = "Which items are read depends on the data, and δ covers that."
        return ApproximateCost(self.epsilon, self.delta, why)

    @property
    def n_paid(self) -> int:
        """Largest total change of the counts read and ⊥ by one user: s above."""
        whole = self.n_read + 1
        return whole if self.max_items is None else min(self._spread * self.max_items, whole)

    @property
    def scale(self) -> float:
        """Scale of the Laplace noise, in users."""
        return self.n_paid / self.epsilon

    def threshold(self, counts: SortedCounts) -> float:
        """Return the threshold before its noise, in users."""
        return top.count_behind(counts, self.n_read) + self._lead

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps, which depends on the number of places, with ⊥."""
        return laplace_order.work(min(self.k, counts.d) + 1)

    @property
    def _spread(self) -> int:
        return self.neighbors.gap_sensitivity

    @property
    def _lead(self) -> float:
        """Distance of ⊥ above the first count unread, in users: Δ + x b, x by iteration.

        x <- ln(n / 4) - ln delta_0 + ln(2 + x) rises to the root from 0; ⊥ is never below it.
        """
        log_share = math.log(self.n_changed / 4) - math.log(self.delta)
        log_share += float(np.logaddexp(0, self.epsilon))
        x = 0.0
        for _ in range(100):
            x = max(0.0, log_share + math.log(2 + x))
        return self._spread + x * (1 + 1e-15) * self.scale

    def _chances_read(
        self, counts: SortedCounts, read: SortedCounts, ranks: IntArray, room: int | None
    ) -> FloatArray:
        origin, bottom = self._origin(counts), self._lead / self.scale
        return inclusion.chances_of_ranks(
            read, self.scale, ranks, self.k, inclusion.LAPLACE, room, origin, bottom=bottom
        )

    def _origin(self, counts: SortedCounts) -> int:
        return top.count_behind(counts, self.n_read)

    def _draw_distance(self, n: int, rng: np.random.Generator) -> FloatArray:
        return self._lead / self.scale + rng.laplace(size=(n, 1))

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        """Return the log probability of orders, with ⊥ as one more count."""
        read = top.with_users(counts, self.n_read)
        n_items = 0 if read is None else read.d
        result = np.where((ranks >= n_items).any(axis=1), -np.inf, 0.0)
        if read is None:
            return result
        below = top.count_behind(counts, self.n_read)
        apart = (read.values - below).astype(np.float64)  # whole numbers: exact
        level = int((apart >= self._lead).sum())  # of ⊥, behind those of its own count
        heights: Any = np.insert(apart, level, self._lead)
        with_bottom = Heights(heights, np.insert(read.multiplicities, level, 1))
        place = 0 if level == 0 else int(read.ends[level - 1])  # rank of ⊥
        there = ranks != NOTHING
        moved = np.where(ranks >= place, ranks + 1, ranks)
        length = there.sum(axis=1)
        possible = np.isfinite(result)
        for n in np.unique(length[possible]).tolist():
            rows = np.flatnonzero(possible & (length == n))
            orders = moved[rows, :n]
            if n < self.k:
                orders = np.column_stack([orders, np.full(rows.size, place)])
            result[rows] = laplace_order.log_pmf(with_bottom, orders, 1 / self.scale)
        return result
