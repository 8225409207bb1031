"""ThresholdedLaplace: noisy counts above a fixed threshold, as SQL in data warehouses computes.

Korolova, Kenthapadi, Mishra, Ntoulas (2009); Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo,
Gipson (2020), arXiv 1909.01917.  Every item with users gets Laplace noise of scale b = Δ m /
epsilon, where one user counts for at most m items and Δ is the sensitivity of a difference of two
counts (a replaced user changes 2 m counts).  The items whose noisy counts exceed

    τ = 1 + b x,    P(Laplace noise of scale 1 exceeds x) = p = 1 - (1 - delta)^(1 / m),

come out with them, the largest first, at most k of them: GROUP BY item, a threshold, ORDER BY noisy
count DESC LIMIT k.

Privacy, for neighbours D and D' on any items.  Let j items have users on D only, and j' on D' only:
they have one user each, and j and j' are at most m.  Let q and q' be the densities on D and D' of
the noisy counts y of the items with users on both: these counts move by at most Δ m users in sum,
so that q' <= e^epsilon q.

Given y, let g'(y) be the probability that none of the j' items comes out on D': none exceeds τ
and, where k of the others do, the k-th largest of y.  So g'(y) >= (1 - p)^j', with equality where
fewer than k others exceed τ; likewise g(y) >= (1 - p)^j for the j items on D.  Whenever none of
them comes out, the output is read off y alone.  For a set A of outputs let B be the y of which one
in A is read.  Then

    P(D' in A) <= ∫ q' (1 - g') + ∫_B q' g',    P(D in A) >= ∫_B q g,

    P(D' in A) - e^epsilon P(D in A) <= ∫ q' (1 - g') + ∫_B q' (g' - g) <= ∫ q' max(1 - g', 1 - g),

which is at most 1 - (1 - p)^max(j, j') <= 1 - (1 - p)^m = delta.

It is delta exactly where D has no users and D' one of m items: no smaller threshold is private.
The threshold has no noise, as it does not depend on the data; LimitedDomainLaplace's does.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import MAX_COUNT, SortedCounts
from dptopk.core.numerals import plural
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import DELTA, MAX_ITEMS
from dptopk.core.privacy import ApproximateCost, Guarantee, NeighborRelation
from dptopk.mechanisms import kernels
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.external_samplers import ThresholdQuery
from dptopk.mechanisms.kernels import inclusion, laplace_order, top
from dptopk.mechanisms.kernels.laplace_order import Heights
from dptopk.mechanisms.unknown_items import LaplaceAboveThreshold


@dataclass(frozen=True)
class ThresholdedLaplace(LaplaceAboveThreshold):
    """Noisy counts above a fixed threshold, (epsilon, delta)-DP without a list of items.

    k, epsilon, delta, max_items and neighbors as in `Mechanism`; max_items is by default one, since
    there is no threshold for users of any number of items.
    """

    delta: float
    max_items: int | None = None
    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    card: ClassVar[Card] = Card(
        key="ThresholdedLaplace",
        name="Thresholded Laplace",
        summary="Thresholded Laplace is what a data warehouse's private query does: it adds "
        "Laplace noise to every count, and releases the largest of those above a fixed threshold, "
        "with their noisy counts.",
        paper=papers.WILSON_2020.at("threshold on the number of users"),
        group=Group.UNKNOWN,
        style=Style("#C2185B", "1px,3px,6px,3px", "star-triangle-up", "-"),
        scale="adds Laplace noise of scale {users} to every count, and none to its threshold",
        explanation=Explanation.read(
            "ThresholdedLaplace",
            (
                papers.WILSON_2020.at("threshold on the number of users"),
                papers.KOROLOVA_2009.at("noisy counts above a threshold"),
                papers.DWORK_2006.at("noise calibrated to sensitivity"),
            ),
        ),
        parameters=(DELTA, MAX_ITEMS),
        stream=("k", "epsilon", "delta", "neighbors", "max_items"),
        not_exact="It compares sums of a count and real-valued noise, and releases them, for which "
        "no exact sampler is made here; outcomes of Limited domain are drawn directly, exactly.",
    )
    exchangeable_ties: ClassVar[bool] = True

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP of items and counts, for users with at most `n_paid` items."""
        return Guarantee(
            self.epsilon, self.delta, self.neighbors, fixed_items=False, max_items=self.n_paid
        )

    @property
    def cost(self) -> ApproximateCost:
        """(epsilon, delta), without a narrower bound."""
        why = "Which items have users depends on the data, and δ covers that."
        return ApproximateCost(self.epsilon, self.delta, why)

    @property
    def n_paid(self) -> int:
        """Items of a user for which noise and threshold are calibrated: m above."""
        return 1 if self.max_items is None else self.max_items

    @property
    def label(self) -> str:
        """Name, with the bound on items per user where one is set."""
        if self.max_items is None:
            return self.name
        return f"{self.name} ({plural(self.n_paid, 'item')} a user)"

    @property
    def scale(self) -> float:
        """Scale of the Laplace noise, in users."""
        return self.n_paid * self.neighbors.gap_sensitivity / self.epsilon

    @property
    def sql_query(self) -> ThresholdQuery:
        """Query of a database that draws from the same distribution."""
        return ThresholdQuery(self.n_paid, self.scale, self._fixed)

    @property
    def n_read(self) -> int:
        """Number of largest counts that are read: all."""
        return MAX_COUNT

    def threshold(self, counts: SortedCounts) -> float:
        """Return the threshold, in users, whatever the counts are."""
        return self._fixed

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps, which depends on the number of places alone."""
        return laplace_order.work(min(self.k, counts.d))

    def set_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: sums over the levels near the k-th count."""
        read = top.with_users(counts, self.n_read)
        return (
            0
            if read is None
            else kernels.laplace_set.work(read, min(self.k, read.d), 1 / self.scale)
        )

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k have the k largest counts above it."""
        read = top.with_users(counts, self.n_read)
        if read is None or read.d < self.k:
            return -math.inf
        if read.d == self.k:
            return float(read.multiplicities @ laplace_order.log_cdf(self._apart(read)))
        levels, floor = self._with_threshold(read)
        return kernels.laplace_set.log_probability_top_first(levels, self.k, 1 / self.scale, floor)

    def _apart(self, read: SortedCounts) -> FloatArray:
        """Return how far each level lies above the threshold, in scales."""
        apart: FloatArray = (read.values - 1) / self.scale - self._margin
        return apart

    def _with_threshold(self, read: SortedCounts) -> tuple[Heights, int]:
        """Return users above one, with the threshold as a level without items, and that level."""
        at, above_one = self._margin * self.scale, (read.values - 1).astype(np.float64)
        level = int((above_one >= at).sum())
        multiplicities = np.insert(read.multiplicities, level, 0)
        return Heights(np.insert(above_one, level, at), multiplicities), level

    @property
    def _fixed(self) -> float:
        return 1.0 + self._margin * self.scale

    @property
    def _margin(self) -> float:
        """Distance x of the threshold above one user, in scales."""
        log_kept = math.log1p(-self.delta) / self.n_paid  # of 1 - p
        passing = -math.expm1(log_kept)
        return -math.log(2 * passing) if passing <= 0.5 else math.log(2) + log_kept

    def _chances_read(
        self, counts: SortedCounts, read: SortedCounts, ranks: IntArray, room: int | None
    ) -> FloatArray:
        origin, margin = self._origin(counts), self._margin
        return inclusion.chances_of_ranks(
            read, self.scale, ranks, self.k, inclusion.LAPLACE, room, origin, floor=margin
        )

    def _origin(self, counts: SortedCounts) -> int:
        return 1

    def _draw_distance(self, n: int, rng: np.random.Generator) -> FloatArray:
        return np.full((n, 1), self._margin)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        """Return the log probability of orders above the threshold, with all others below them."""
        read = top.with_users(counts, self.n_read)
        n_items = 0 if read is None else read.d
        result = np.where((ranks >= n_items).any(axis=1), -np.inf, 0.0)
        if read is None:
            return result
        log_below = laplace_order.log_cdf(-self._apart(read))
        with_threshold, level = self._with_threshold(read)
        length = (ranks != NOTHING).sum(axis=1)
        possible = np.isfinite(result)
        for n in np.unique(length[possible]).tolist():
            rows = np.flatnonzero(possible & (length == n))
            orders = ranks[rows, :n]
            if n < self.k:  # all others are below the threshold
                own = np.zeros((rows.size, read.n_levels))
                at = read.level_of_rank(orders)
                np.add.at(own, (np.arange(rows.size)[:, None], at), 1.0)
                result[rows] = (read.multiplicities - own) @ log_below
            if n:
                result[rows] += laplace_order.log_pmf(
                    with_threshold, orders, 1 / self.scale, level, alone=n < self.k
                )
        return result
