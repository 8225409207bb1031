"""Exact probability that counts with Laplace noise have a given order.

With f and F the density and distribution function of the noise, and lengths in its scales, the
probability that s_1, ..., s_k are the largest, in this order, is

    H_0 = 1,    H_r(x) = integral over y > x of f(y - c_{s_r}) H_{r-1}(y) dy,
    P = integral of f(y - c_{s_k}) H_{k-1}(y) prod_{j not in s} F(y - c_j) dy.

Between two neighboring counts f is e^y or e^-y, and all of this is smooth: Gauss-Legendre panels
between all counts within reach, the same for every place, on which the H_r are carried place by
place as multiples of one exponential a panel; all terms are positive.  Across the middle of a long
gap, where every F has become 0 or 1 to double precision, it is the exponential of a triangular
matrix (`long_gaps`).

The noisy count of place r has its mass between the smallest count of the places up to r and the
largest of the places from r on and of the items of no place: beyond either, all that keeps it from
moving back moves with it, and its density falls by e a scale.  So a place is looked at from
`_REACH` scales and ln d below the one to as many above the other, which leaves out less than
k e^-34 of the probability, however small that is.  Items that y is above by x add
-sum_p e^(-p x) / (p 2^p) to the logarithm of the product, of which the sums over items follow from
level to level; those that it is below add lines.  Good to about ten digits of the logarithm.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels import long_gaps
from dptopk.mechanisms.kernels.gauss import each_of, equally, rule, up_to_nodes
from dptopk.mechanisms.kernels.race import Noise

_REACH = 34.0  # scales beside a count, and ln d more, beyond which it is not met
_N_NODES = 16
_STEP = 0.5  # scales, after which slopes are looked at again
_ROWS = 2_000  # orders that share panels
_PAIRED = 128  # of what is carried, and of last levels, that are multiplied at once
_CHUNK = 1_000_000  # entries of the largest temporary array
_POWERS = np.arange(1, 56)  # 2^-55 of a term is beyond a double
_LOG_NOTHING = -1e300  # log of 0, of which differences are numbers
_MOST = 600.0  # whose exponential is a float
_AT_ONCE = 10.0  # scales of which the 55th power of e^x is a float
_NODES, _WEIGHTS, _ = rule(_N_NODES)
_LN_2 = np.log(2.0)
_LAST = slice(-long_gaps.WIDEST, None)  # places that may lie within one gap with the last


class Heights(SortedCounts):
    """Levels that need not be integers, for the law of an order of noisy numbers."""

    def __init__(self, values: Any, multiplicities: IntArray):
        self._set(values, multiplicities)


def log_pmf(
    counts: SortedCounts,
    ranks: IntArray,
    rate: float,
    floor: int | None = None,
    *,
    alone: bool = False,
) -> FloatArray:
    """Return the log probability of sequences, given the rank of each item, shape (m, k).

    Noise has the density (rate / 2) e^(-rate |x|).  With a ``floor``, a level, they all have to lie
    above its count; ``alone`` whatever the noise of the other items.
    """
    orders, back = np.unique(counts.level_of_rank(ranks), axis=0, return_inverse=True)
    found = np.empty(len(orders))
    for start in range(0, len(orders), _ROWS):
        part = slice(start, start + _ROWS)
        found[part] = _LawOfOrder(counts, orders[part], rate, floor, alone=alone).log_p()
    result: FloatArray = np.minimum(found, 0.0)[back.reshape(-1)]
    return result


def work(k: int) -> int:
    """Return the number of steps of one probability: as many panels a place as there are places."""
    return 70 * k**2


@dataclass(frozen=True)
class _Panels:
    """Intervals of y from above downwards, shape (n_panels,); lengths in scales."""

    level: IntArray  # the next one below
    from_left: FloatArray  # how far the left end is above its count
    from_right: FloatArray  # how far the right end is below the count before it
    width: FloatArray  # 0 of the middle of a long gap
    depth: FloatArray  # of the right end below the largest count, with long gaps cut short


class _LawOfOrder:
    """Probabilities of orders of items given by their levels, shape (m, k)."""

    def __init__(
        self,
        counts: SortedCounts,
        orders: IntArray,
        rate: float,
        floor: int | None,
        *,
        alone: bool,
    ):
        self.orders, self.rate, self.k, self.alone = orders, rate, orders.shape[1], alone
        self.zone = _REACH + float(np.log(counts.d))
        below = (counts.values[orders.max()] - counts.values) * rate
        n_levels = int((below <= 2 * self.zone).sum())
        self.values = counts.values[:n_levels]
        self.gaps = np.multiply(self.values[:-1] - self.values[1:], rate, dtype=np.float64)
        # how far below the largest, longer gaps cut short: what is far is so all the same
        self.position = np.append(0.0, np.cumsum(np.minimum(self.gaps, 4 * self.zone)))
        self.taken = np.zeros((len(orders), n_levels))
        np.add.at(self.taken, (np.arange(len(orders))[:, None], orders), 1.0)
        self.rest = counts.multiplicities[:n_levels] - self.taken
        if alone:
            self.rest[:] = 0.0
        others = np.where(self.rest.any(axis=1), np.argmax(self.rest > 0, axis=1), n_levels - 1)
        later = np.minimum.accumulate(orders[:, ::-1], axis=1)[:, ::-1]
        self.highest = np.minimum(later, others[:, None])
        self.lowest = np.maximum.accumulate(orders, axis=1)
        self.crowd, end = self._crowd()
        # depths between which each place may come to lie
        self.begins = self.position[self.highest.min(axis=0)] - self.zone
        self.ends = np.minimum(self.position[self.lowest.max(axis=0)] + self.zone, end)
        # panels reach so far below this level
        self.last = min(int((below <= self.zone).sum()) - 1, self.crowd)
        beyond = float(below[self.last])
        self.bottom = self.zone - beyond if beyond >= 0 else 0.0
        if floor is not None and floor <= self.last:
            self.last, self.bottom = floor, 0.0
            self.begins = np.minimum(self.begins, self.position[floor] - self.zone)
            self.ends = np.minimum(self.ends, self.position[floor])
        self.panels, self.jumps = self._cut()
        self.stop = np.searchsorted(self.panels.depth, self.ends, side="right")
        reached = np.maximum.accumulate(self.panels.depth + self.panels.width)
        self.first = np.minimum(np.searchsorted(reached, self.begins), self.stop - 1)
        # densities from the right end of a panel to its nodes, and from the left
        width = self.panels.width[:, None]
        self.falling, self.rising = np.exp(-width * _NODES), np.exp(-width * (1 - _NODES))
        with np.errstate(divide="ignore"):  # log 0 = -inf: of no width
            self.log_width = np.maximum(np.log(self.panels.width), _LOG_NOTHING)

    def log_p(self) -> FloatArray:
        """Return the log probability of each order, shape (m,); orders are sorted.

        Those that differ in their last place alone share all places before it.
        """
        widest = int((self.stop - self.first).max()) * _N_NODES
        step = min(max(1, _CHUNK // max(widest, self.values.size * _POWERS.size)), _PAIRED)
        begins = np.append(True, (self.orders[1:, :-1] != self.orders[:-1, :-1]).any(axis=1))
        shared, firsts = np.cumsum(begins) - 1, np.flatnonzero(begins)
        log_p = np.empty(len(self.orders))
        for i in range(0, firsts.size, step):
            carried = self._carry(firsts[i : i + step])
            rows = np.flatnonzero((shared >= i) & (shared < i + step))
            lasts, which = np.unique(self.orders[rows, -1], return_inverse=True)
            for j in range(0, lasts.size, step):
                here = (which >= j) & (which < j + step)
                pairs = (shared[rows[here]] - i, which[here] - j)
                log_p[rows[here]] = self._end(carried, rows[here], lasts[j : j + step], pairs)
        return log_p

    @property
    def _steepest(self) -> float:
        """Slope of the others' logarithm beyond which the probability is negligible.

        Moving all places up by a scale from there gains its part of 1 - 1 / e and costs k at most.
        """
        return 60.0 + 3.0 * float(self.k)

    def _crowd(self) -> tuple[int, float]:
        """Return a level of others, and the depth above it below which no place has mass."""
        rest = self.rest.min(axis=0)
        above = np.append(0.0, np.cumsum(rest)[:-1])
        ahead = _sums(rest[None], self.gaps, np.ones(1))[0, :-1, 0] / 2  # slopes f / F, at least
        steep = above + ahead >= self._steepest
        if not steep.any():
            return rest.size - 1, np.inf
        level = int(np.argmax(steep))
        lead = self._steepest - above[level]
        apart = np.log(ahead[level] / lead) if lead > 0 else np.inf
        most = self.position[level] - self.position[level - 1] if level else self.zone
        return level, float(self.position[level] - min(apart, most))

    # --- panels ------------------------------------------------------------------------------

    def _cut(self) -> tuple[_Panels, IntArray]:
        """Cut the range within reach into panels across which no logarithm changes by much.

        And which of the panels stand for the middle of a gap in which a place may come to lie.
        """
        gap = np.concatenate([[self.zone], self.gaps[: self.last], [self.bottom]])
        long = gap > 2 * self.zone
        level, third = each_of(np.where(long, 3, 1))
        gap, long = gap[level], long[level]
        length = np.where(long, np.where(third == 1, 0.0, self.zone), gap)
        before = np.choose(third, [np.zeros(level.size), self.zone, gap - self.zone])
        after = np.where(long, np.choose(third, [gap - self.zone, gap - self.zone, 0.0]), 0.0)
        before[0] = -self.zone
        if self.last < self.gaps.size:
            after[-1] = self.gaps[self.last] - self.bottom
        n_steps = np.maximum(np.ceil(length / _STEP), 1).astype(np.int64)
        part, nth = each_of(n_steps)
        step = (length / n_steps)[part]
        offset, beyond = nth * step, (n_steps[part] - nth - 1) * step
        slope = np.maximum(
            self._slope(level[part], before[part] + offset, after[part] + beyond + step),
            self._slope(level[part], before[part] + offset + step, after[part] + beyond),
        )
        own, starts, ends = equally(part, offset, step, slope)
        left = np.where(ends < length[own], length[own] - ends, 0.0)
        level, from_right = level[own], before[own] + starts
        width, from_left = ends - starts, after[own] + left
        depth = np.maximum.accumulate(self._depth(level, from_right, from_left + width))
        panels = _Panels(level, from_left, from_right, width, depth)
        return panels, np.flatnonzero((third[own] == 1) & self._crossed[level])

    @cached_property
    def _crossed(self) -> BoolArray:
        """Gaps in which a place may have mass, of any length, by the level below."""
        crossed = np.zeros(self.last + 2, dtype=np.int64)
        np.add.at(crossed, np.minimum(self.highest, self.last) + 1, 1)
        np.add.at(crossed, np.minimum(self.lowest, self.last) + 1, -1)
        found: BoolArray = np.cumsum(crossed) > 0
        return found

    def _depth(self, level: IntArray, from_right: FloatArray, from_left: FloatArray) -> FloatArray:
        """Return minus the value at which the distribution function is e^-t."""
        from_above = self.position[np.maximum(level - 1, 0)] + from_right
        from_below = self.position[np.minimum(level, self.position.size - 1)] - from_left
        return np.where(from_right <= 2 * self.zone, from_above, from_below)

    def _slope(self, level: IntArray, from_right: FloatArray, from_left: FloatArray) -> FloatArray:
        """Return a bound on the slopes of all logarithms with a noticeable effect."""
        depth = self._depth(level, from_right, from_left)
        n_below, n_above, rest_below, rest_above = self._around
        later = self.k - np.searchsorted(self.begins, depth, side="right")  # places still to come
        own = n_above[level] * np.exp(-np.maximum(from_right, 0.0)) + (n_below[level] - later)
        others = rest_above[level] + rest_below[level] * np.exp(-from_left)
        there = (depth >= self.begins[-1]) & (depth <= self.ends[-1])
        others = np.where(there, np.minimum(others, 2 * self._steepest), 0.0)
        slope: FloatArray = 1.0 + np.clip(own, 0.0, self.k) + others
        return slope

    @cached_property
    def _around(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Contributions to slopes of items below and above a gap, of places and of others.

        Of any of the orders, each 1 where it lies behind y, and e^-x where it is x ahead.
        """
        here = np.pad(np.cumsum(self.taken, axis=1), ((0, 0), (1, 0))).min(axis=0)
        rest, one = self.rest.max(axis=0), np.ones(1)
        n_above = _sums(self.taken.max(axis=0)[None, ::-1], self.gaps[::-1], one)[0, ::-1, 0]
        rest_below = _sums(rest[None], self.gaps, one)[0, :, 0]
        return self.k - here, n_above, rest_below, np.append(0.0, np.cumsum(rest))

    # --- places ------------------------------------------------------------------------------

    def _carry(self, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Carry H = h e^log_h place by place up to the last, of which it is a factor.

        Returns log_h, shape (m, n_panels), and h, (m, n_panels, n_nodes), with the probability that
        all items of no place up to the last are smaller, but for what is the same at all nodes of
        a panel; and the log of H where each jump begins, (n_jumps, k, m).
        """
        orders = self.orders[rows]
        m, first, stop = len(orders), 0, 0
        log_h, h = np.empty((m, 0)), np.empty((m, 0, _N_NODES))
        log_all = np.zeros(m)  # of H below these panels
        ways = [self._ways(rows, at, slice(-1)) for at in self.jumps.tolist() if self.k > 1]
        begun = np.full((self.jumps.size, self.k, m), _LOG_NOTHING)  # H where a jump begins
        begun[:, 0] = 0.0
        for r in range(self.k):
            pause()
            kept = min(int(self.first[r]), stop) - first
            n_new = int(self.stop[r]) - max(stop, int(self.first[r]))
            log_h = np.hstack([log_h[:, kept:], np.repeat(log_all[:, None], n_new, axis=1)])
            h = np.hstack([h[:, kept:], np.ones((m, n_new, _N_NODES))])
            first, stop = int(self.first[r]), int(self.stop[r])
            here = slice(first, stop)
            if r == self.k - 1:
                break
            above, log_f = self._density(orders[:, r], here)
            h *= np.where(above[:, :, None], self.falling[here], self.rising[here])
            log_unit = log_h + log_f + self.log_width[here]
            with np.errstate(divide="ignore"):  # log 0 = -inf: too little for a float
                log_total = np.maximum(log_unit + np.log(h @ _WEIGHTS), _LOG_NOTHING)
            for number, at in enumerate(self.jumps.tolist()):
                if first <= at < stop:
                    across = [
                        begun[number, r + 1 - q] + way[:, r + 1 - q]
                        for q, way in enumerate(ways[number][: r + 1], start=1)
                    ]
                    log_total[:, at - first] = np.logaddexp.reduce(across, axis=0)
            log_before = np.full((m, 1), _LOG_NOTHING)
            reached = np.logaddexp.accumulate(np.hstack([log_before, log_total]), axis=1)
            log_before, log_h, log_all = reached[:, :-1], reached[:, 1:], reached[:, -1]
            h = up_to_nodes(h)
            h *= np.exp(np.minimum(log_unit - log_h, _MOST))[:, :, None]
            h += np.exp(log_before - log_h)[:, :, None]
            for number, at in enumerate(self.jumps.tolist()):
                if at >= first:
                    begun[number, r + 1] = log_before[:, at - first] if at < stop else log_all
        log_rest = self._log_rest(rows, here)
        peak = log_rest.max(axis=2)
        h *= np.exp(log_rest - peak[:, :, None])
        return log_h + peak, h, begun

    def _end(
        self,
        carried: tuple[FloatArray, FloatArray, FloatArray],
        rows: IntArray,
        lasts: IntArray,
        pairs: tuple[IntArray, IntArray],
    ) -> FloatArray:
        """Return the log probability of orders: pairs of what was carried and of a last level."""
        (log_h, h, begun), (shared, last) = carried, pairs
        first, panels = int(self.first[-1]), self.panels
        here = slice(first, int(self.stop[-1]))
        above, log_f = self._density(lasts, here)
        falling, rising = self.falling[here], self.rising[here]
        if not self.alone:  # the last is not among those that have to be smaller
            falling, rising = np.ones(1), rising / (1 - np.exp(log_f)[:, :, None] * rising)
        density = np.where(above[:, :, None], falling, rising) * _WEIGHTS
        mass = np.matmul(h.swapaxes(0, 1), density.transpose(1, 2, 0))[:, shared, last].T
        number, log_line = (each[:, panels.level[here]] for each in self._lines(rows))
        log_line = log_line - number * (_LN_2 + panels.from_right[here])
        log_unit = log_h[shared] + log_f[last] + log_line + self.log_width[here]
        with np.errstate(divide="ignore"):  # log 0 = -inf: too little for a float
            log_total = np.maximum(log_unit + np.log(mass), _LOG_NOTHING)
        for jump, at in enumerate(self.jumps.tolist()):
            if here.start <= at < here.stop:
                across = [
                    begun[jump, -q][shared] + way[:, -1]
                    for q, way in enumerate(self._ways(rows, at, _LAST), start=1)
                ]
                log_total[:, at - first] = np.logaddexp.reduce(across, axis=0)
        return logsumexp(log_total, axis=1)

    def _density(self, own: IntArray, here: slice) -> tuple[BoolArray, FloatArray]:
        """Return whether items of these levels are above panels, and log f at the nearer end."""
        panels, values, level = self.panels, self.values, self.panels.level[here]
        count = values[own][:, None]
        above = own[:, None] < level
        down = (count - values[np.maximum(level - 1, 0)]) * self.rate + panels.from_right[here]
        up = (values[np.minimum(level, values.size - 1)] - count) * self.rate
        return above, -_LN_2 - np.where(above, down, up + panels.from_left[here])

    def _log_rest(self, rows: IntArray, here: slice) -> FloatArray:
        """Return the log probability that all items but those before the last place are smaller.

        At every node, without what is the same at all nodes of a panel.
        """
        panels, level = self.panels, self.panels.level[here]
        rest = self.rest[rows]
        if not self.alone:
            rest[np.arange(len(rows)), self.orders[rows, -1]] += 1
        number = np.pad(np.cumsum(rest, axis=1), ((0, 0), (1, 0)))[:, level, None]
        log_rest: FloatArray = number * np.log(self.falling[here])
        top = int(level[0])
        sums = _sums(rest[:, top:], self.gaps[top:], _POWERS)
        ratio = np.exp(-panels.from_left[here, None]) * self.rising[here] / 2
        step = max(1, _CHUNK // (_POWERS.size * (len(sums) + _N_NODES)))
        for start in range(0, level.size, step):
            part = slice(start, start + step)
            repeated = np.repeat(ratio[part, None], _POWERS.size, axis=1)
            powers = np.multiply.accumulate(repeated, axis=1) / _POWERS[:, None]
            by_panel = sums[:, level[part] - top].swapaxes(0, 1) @ powers
            log_rest[:, part] -= by_panel.swapaxes(0, 1)
        return log_rest

    def _lines(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the number of other items above a gap, and minus their total distance."""
        number = np.pad(np.cumsum(self.rest[rows], axis=1), ((0, 0), (1, 0)))
        return number, -np.pad(np.cumsum(number[:, 1:-1] * self.gaps, axis=1), ((0, 0), (2, 0)))

    def _ways(self, rows: IntArray, at: int, places: slice) -> list[FloatArray]:
        """Return the log of the contribution of H_{r-q} before a long gap to H_r after it."""
        level, values, own = int(self.panels.level[at]), self.values, self.orders[rows]
        above = own < level
        apart = np.where(above, values[own] - values[level - 1], values[level] - values[own])
        number, log_line = (each[:, level] for each in self._lines(rows))
        log_f = -_LN_2 - self.zone - apart * self.rate
        log_f[:, -1] += log_line - number * (_LN_2 + self.zone)
        slopes = np.where(above, 1.0, -1.0)
        slopes[:, -1] += number
        length = float(self.gaps[level - 1]) - 2 * self.zone
        return long_gaps.ways(log_f[:, places], slopes[:, places], ~above[:, places], length)


def _sums(n: FloatArray, gaps: FloatArray, powers: IntArray | FloatArray) -> FloatArray:
    """Return sums of n e^(-p x) over a level and all below it, x the distance below.

    ``n`` is (m, n_levels), ``gaps`` (n_levels - 1,), ``powers`` p; the result is (m, n_levels + 1,
    n_powers), of which the last are 0.
    """
    m, n_levels = n.shape
    sums = np.zeros((m, n_levels + 1, powers.size))
    depth = np.append(0.0, np.cumsum(gaps))
    stop = n_levels
    while stop > 0:  # several levels at once, as far as exponentials are floats
        start = int(np.searchsorted(depth, depth[stop - 1] - _AT_ONCE))
        up = np.append(0.0, np.cumsum(gaps[start : stop - 1][::-1]))
        up = up[up <= _AT_ONCE][::-1]
        start = stop - up.size
        further = np.exp(up[:, None] * powers)
        below = sums[:, stop]
        if stop < n_levels:
            below = below * np.exp(-gaps[stop - 1] * powers)
        added = np.cumsum((n[:, start:stop, None] * further)[:, ::-1], axis=1)[:, ::-1]
        sums[:, start:stop] = (added + below[:, None]) / further
        stop = start
    return sums


def log_cdf(x: FloatArray) -> FloatArray:
    """Return the log distribution function of Laplace noise of scale 1."""
    return np.where(x > 0, _log_cdf(np.maximum(x, 0.0)), np.minimum(x, 0.0) - _LN_2)


def _log_cdf(x: FloatArray) -> FloatArray:
    """Return the log distribution function of Laplace noise of scale 1, for x above 0."""
    log_f: FloatArray = np.log1p(-np.exp(-x) / 2)
    return log_f


def _depth(log_t: FloatArray) -> FloatArray:
    """Return minus the value at which the distribution function is e^-t."""
    t = np.exp(log_t)
    with np.errstate(divide="ignore"):  # t below all floats: its logarithm is given
        above = np.where(log_t < -37.0, log_t, np.log(-np.expm1(-t)))
    depth: FloatArray = np.where(t > _LN_2, t - _LN_2, _LN_2 + above)
    return depth


def _log_time(depth: FloatArray) -> FloatArray:
    """Return the log of t where the distribution function is e^-t at minus this depth."""
    low, high = np.maximum(depth, 0.0), np.minimum(depth, 0.0)
    log_f = np.where(depth > 0, -_LN_2 - low, _log_cdf(-high))
    far = -_LN_2 + high  # log of 1 - F, where F is 1 to double precision
    with np.errstate(divide="ignore"):  # log 0 = -inf: the other branch is taken
        log_t: FloatArray = np.where(depth < -37.0, far, np.log(-log_f))
    return log_t


NOISE = Noise(_depth, _log_time)
"""Laplace noise, for draws."""
