"""Exact probabilities of orders and sets of counts with noise of one random radius.

See `shared_radius`.  Given R, with f and F the density and distribution function of the noise,

    H_0 = 1,    H_r(x) = integral over y > x of f(y - c_{s_r}) H_{r-1}(y) dy,
    P(order) = integral of f(y - c_{s_k}) H_{k-1}(y) prod_{j not in s} F(y - c_j) dy,
    P(set) = integral of sum_{i in S} f / (1 - F)(y - c_i) prod_{i in S} (1 - F(y - c_i))
             prod_{j not in S} F(y - c_j) dy,

all terms positive, in logarithms.  Where R reaches past all counts that matter, orders are
integrated over all radii at once (`wide_radius`); of many items, or many places, over panels that
most radii share (`narrow_radius`).
"""

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import narrow_radius, top, wide_radius
from dptopk.mechanisms.kernels.gauss import rule
from dptopk.mechanisms.kernels.radii import MOST_LEVELS
from dptopk.mechanisms.kernels.shared_radius import Panel, Visit, integrate

_ORDERS = 2_000  # at once
_FEW = 16  # places whose polynomials a single panel carries exactly
_DENSE = 4  # pairs of a prefix and a last item for each order, of which all are multiplied
_MANY = 1_000  # items, of which panels that all radii share are fewer than those of each radius


def work(counts: SortedCounts, k: int, rate: float) -> int:
    """Return the number of steps of the probability of an order; a set takes fewer."""
    reach = 2 * (45 + k) / rate
    kth = int(counts.top(k)[-1])
    near = int((np.abs(counts.values - kth) <= reach).sum())
    walk = 10 * k**2 * min(counts.n_levels, 1000) if k > _FEW else 0
    return (1000 if counts.d > _FEW else 40) * near**2 + walk


def log_pmf(counts: SortedCounts, ranks: IntArray, rate: float) -> FloatArray:
    """Return the log probability of sequences, given the rank of each item, shape (m, k)."""
    orders, back = np.unique(counts.level_of_rank(ranks), axis=0, return_inverse=True)
    found = np.array([wide_radius.log_p(counts, order, rate) for order in orders])
    k = orders.shape[1]
    if k > _FEW or (counts.d >= _MANY and counts.n_levels > MOST_LEVELS):
        for i in np.flatnonzero(np.isnan(found)):
            found[i] = narrow_radius.log_p(counts, orders[i], rate)
    narrow = np.flatnonzero(np.isnan(found))
    for start in range(0, narrow.size, _ORDERS):
        part = narrow[start : start + _ORDERS]
        found[part] = log_p_by_radius(counts, orders[part], rate)
    result: FloatArray = np.minimum(found, 0.0)[back.reshape(-1)]
    return result


def log_p_by_radius(counts: SortedCounts, orders: IntArray, rate: float) -> FloatArray:
    """Log probability of orders given by their levels, by an integral over y at each radius."""
    tree = _Orders(counts, orders)
    k = orders.shape[1]
    slack = k * float(np.log(counts.d))
    n_wide = max(len(orders), len(tree.rest))
    own = np.unique(orders)
    return integrate(counts, rate, tree.starts(), tree.visits, n_wide, slack, k <= _FEW, own)


class _Orders:
    """Orders of items given by their levels, shape (m, k), with shared prefixes."""

    def __init__(self, counts: SortedCounts, orders: IntArray):
        self.counts, self.orders = counts, orders
        m, k = orders.shape
        self.sets, self.set_of = np.unique(np.sort(orders, axis=1), axis=0, return_inverse=True)
        self.set_of = self.set_of.reshape(-1)
        self.rest = np.tile(counts.multiplicities.astype(np.float64), (len(self.sets), 1))
        np.subtract.at(self.rest, (np.arange(len(self.sets))[:, None], self.sets), 1.0)
        self.levels, self.parents = [], []
        before = np.zeros(m, dtype=np.int64)
        for r in range(1, k):
            prefixes, first, which = np.unique(
                orders[:, :r], axis=0, return_index=True, return_inverse=True
            )
            self.levels.append(prefixes[:, -1])
            self.parents.append(before[first])
            before = which.reshape(-1)
        self.prefix_of = before
        self.prefixes = np.unique(orders[:, :-1], axis=0) if k > 1 else orders[:1, :0]
        self.lasts, self.last_of = np.unique(orders[:, -1], return_inverse=True)

    def starts(self) -> IntArray:
        """Return the distance, in users, that the noise must bridge for each order."""
        counts, orders = self.counts, self.orders
        values = counts.values
        left = np.argmax(self.rest > 0, axis=1)
        none = ~(self.rest > 0).any(axis=1)
        others = np.where(none, values[-1], values[left])[self.set_of]
        later = np.maximum.accumulate(values[orders][:, ::-1], axis=1)[:, ::-1]
        above = np.maximum(later, others[:, None]) - values[orders]
        starts: IntArray = np.maximum(above.max(axis=1), 0)
        return starts

    def visits(self, n: int) -> Visit:
        """Return the integrand of a walk at n radii."""
        reached = [np.full((levels.size, n), -np.inf) for levels in self.levels]

        def visit(panel: Panel) -> FloatArray:
            log_h = self._carry(panel, reached)
            there = panel.active[self.lasts]
            missing = (self.rest > 0).astype(np.float64) @ panel.under > 0
            if missing.all() or not there.any():
                return np.full((len(self.orders), panel.width.size), -np.inf)
            log_before, log_last = self._log_rest(panel)
            before, log_peak = _scaled(log_h + log_before)
            before *= rule(panel.n_nodes)[1][:, None]
            log_peak += np.where(np.isfinite(log_h.max(axis=1)), panel.log_width, -np.inf)
            last = np.where(there[:, None], np.exp(log_last + panel.log_f), 0.0)
            with np.errstate(divide="ignore"):  # log 0 = -inf: too little for a float
                log_added = np.log(self._paired(before, last))
            log_added += log_peak[self.prefix_of]
            log_added[missing[self.set_of]] = -np.inf
            return log_added

        return visit

    def _paired(self, before: FloatArray, last: FloatArray) -> FloatArray:
        """Return sums over nodes of products for the prefix and the last item of each order."""
        if len(before) * len(last) <= _DENSE * len(self.orders):
            every = np.matmul(before.transpose(2, 0, 1), last.transpose(2, 1, 0))
            dense: FloatArray = every[:, self.prefix_of, self.last_of].T
            return dense
        total = np.zeros((len(self.orders), before.shape[2]))
        for node in range(before.shape[1]):
            total += before[self.prefix_of, node] * last[self.last_of, node]
        return total

    def _log_rest(self, panel: Panel) -> tuple[FloatArray, FloatArray]:
        """Return the log probability that all items of no prefix are below y, by prefix.

        And what each last item takes from it, which need not be below.
        """
        log_below = panel.log_below()
        log_all = np.tensordot(self.counts.multiplicities[panel.near], log_below, axes=1)
        own = np.zeros((self.counts.n_levels, *log_all.shape))
        own[panel.near] = log_below
        log_before = np.repeat(log_all[None], len(self.prefixes), axis=0)
        for place in self.prefixes.T:
            log_before -= own[place]
        return log_before, -own[self.lasts]

    def _carry(self, panel: Panel, reached: list[FloatArray]) -> FloatArray:
        """Return log H of all prefixes but their last item, at every node and beyond."""
        _, weights, up_to = rule(panel.n_nodes)
        log_h = np.zeros((1, panel.n_nodes, panel.width.size))
        for r, (levels, parents) in enumerate(zip(self.levels, self.parents, strict=True)):
            if not panel.active[levels].any():  # whatever is above stays so
                log_h = np.repeat(reached[r][:, None], panel.n_nodes, axis=1)
                continue
            scaled, peak = _scaled(log_h[parents])
            unit = np.where(panel.active[levels], peak + panel.log_width + panel.log_f, -np.inf)
            with np.errstate(divide="ignore"):  # log 0 = -inf: nothing yet
                total = unit + np.log(np.einsum("pqn,q->pn", scaled, weights))
                sums = np.einsum("pqn,qj->pjn", scaled, up_to)
                parts = unit[:, None] + np.log(np.maximum(sums, 0.0))
            log_h = np.logaddexp(reached[r][:, None], parts)
            reached[r] = np.logaddexp(reached[r], total)
        return log_h


def _scaled(log_x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the values at nodes as multiples of the largest of them, and its logarithm."""
    peak = log_x.max(axis=1)
    finite = np.where(np.isfinite(peak), peak, 0.0)
    return np.exp(log_x - finite[:, None]), finite


def log_probability_top_first(counts: SortedCounts, k: int, rate: float) -> float:
    """Return the log probability that a true top k come before all others, up to ties."""
    if k == counts.d:
        return 0.0
    n_top, n_rest = _parted(counts, k)

    def visit(panel: Panel) -> FloatArray:
        blocked = n_top @ panel.over + n_rest @ panel.under > 0
        if blocked.all():
            return np.full((1, blocked.size), -np.inf)
        above, below = n_top[panel.near] > 0, n_rest[panel.near] > 0
        log_end = panel.log_above(above)
        log_both = np.tensordot(n_top[panel.near[above]], log_end, axes=1)
        log_both += np.tensordot(n_rest[panel.near[below]], panel.log_below(below), axes=1)
        return _added(panel, n_top, above, log_end, np.where(blocked, -np.inf, log_both))

    slack = k * float(np.log(counts.d))
    start, own = np.zeros(1, dtype=np.int64), np.flatnonzero(n_top)
    log_p = float(integrate(counts, rate, start, lambda n: visit, 1, slack, True, own)[0])
    return min(log_p + top.log_n_top_sets(counts, k), 0.0)


def log_probability_not_top_first(counts: SortedCounts, k: int, rate: float) -> float:
    """Return the log of the complement, by an integral of its own over the largest of the rest.

    Not a number where several sets are a true top k.
    """
    if k == counts.d:
        return -np.inf
    if top.log_n_top_sets(counts, k) > 0:
        return np.nan
    n_top, n_rest = _parted(counts, k)

    def visit(panel: Panel) -> FloatArray:
        blocked = n_rest @ panel.under > 0
        if blocked.all():
            return np.full((1, blocked.size), -np.inf)
        above, below = n_top[panel.near] > 0, n_rest[panel.near] > 0
        log_all = np.tensordot(n_top[panel.near[above]], panel.log_above(above), axes=1)
        never = n_top @ panel.over > 0  # some of the top are smaller for sure
        with np.errstate(divide="ignore"):  # log 0 = -inf: all of the top are larger
            log_both = np.where(never, 0.0, np.log(-np.expm1(np.minimum(log_all, 0.0))))
        log_end = panel.log_below(below)
        log_both += np.tensordot(n_rest[panel.near[below]], log_end, axes=1)
        return _added(panel, n_rest, below, log_end, np.where(blocked, -np.inf, log_both))

    gap = np.array([int(counts.top(k)[-1]) - top.count_behind(counts, k)])
    slack = k * float(np.log(counts.d))
    own = np.flatnonzero(n_rest)
    return min(float(integrate(counts, rate, gap, lambda n: visit, 1, slack, True, own)[0]), 0.0)


def _added(
    panel: Panel, n: FloatArray, which: BoolArray, log_end: FloatArray, log_both: FloatArray
) -> FloatArray:
    """Return the log probability that one of ``n`` items is at y, with all others in place."""
    levels = panel.near[which]
    there = panel.active[levels, None]
    with np.errstate(divide="ignore"):  # log 0 = -inf: nobody
        hazard = np.where(there, n[levels, None, None] * np.exp(-log_end), 0.0)
        log_x = (log_both + np.log(hazard.sum(axis=0)))[None]
    scaled, peak = _scaled(log_x)
    weights = rule(panel.n_nodes)[1]
    with np.errstate(divide="ignore"):  # log 0 = -inf: nothing here
        log_sum: FloatArray = np.log(np.einsum("pqn,q->pn", scaled, weights))
    return log_sum + peak + panel.log_width + panel.log_f


def _parted(counts: SortedCounts, k: int) -> tuple[FloatArray, FloatArray]:
    """Split the items of each level into those of one true top k and the others."""
    inside = top.one_top_set(counts, k).multiplicities
    n_top = np.zeros(counts.n_levels)
    n_top[: inside.size] = inside
    return n_top, counts.multiplicities - n_top
