"""Exact probabilities of an order of counts with Laplace noise.

With f and F the density and distribution function of the noise, and lengths in its scales, the
probability that s_1, ..., s_k are the largest, in this order, is

    H_0 = 1,    H_r(x) = integral over y > x of f(y - c_{s_r}) H_{r-1}(y) dy,
    P = integral of f(y - c_{s_k}) H_{k-1}(y) prod_{j not in s} F(y - c_j) dy.

Between two neighbouring counts f is e^y or e^-y, and all of this is smooth.  One walk from the
largest count downwards carries every H_r: Gauss-Legendre panels near the counts, in logarithms,
all terms positive; and across the middle of a long gap, where every F has become 0 or 1 to double
precision, the exponential of a triangular matrix (`long_gaps`).  Good to about ten digits of the
logarithm, however small the probability.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import long_gaps
from dptopk.mechanisms.kernels.gauss import rule
from dptopk.mechanisms.kernels.race import Noise

_REACH = 34.0  # scales beside a count, and ln d more, beyond which its kink is no longer felt
_N_NODES = 16
_VARIES = 4.0  # logarithms change by about this within a panel, at most
_CHUNK = 2_000_000
_LOG_RARE = -9.0  # below this, noise of more than `_REACH` scales is worth a look
_LN_2 = np.log(2.0)
_NOTICED = 10_000_000  # steps of few places: about a second

FEW = 16
"""So many places are looked at everywhere, whatever their probability."""


def log_pmf(counts: SortedCounts, ranks: IntArray, rate: float) -> FloatArray:
    """Log probability of sequences, given the rank of each item, shape (m, k).

    Noise has the density (rate / 2) e^(-rate |x|).
    """
    orders, back = np.unique(counts.level_of_rank(ranks), axis=0, return_inverse=True)
    step = max(1, _CHUNK // (_N_NODES * 200))
    found = np.empty(len(orders))
    for start in range(0, len(orders), step):
        part = orders[start : start + step]
        if part.shape[1] > FEW:  # most of its places are settled far from any one count
            log_p = _Walk(counts, part, rate, near_only=True).log_p()
            rare = log_p < _LOG_RARE
        else:
            log_p, rare = np.empty(len(part)), np.ones(len(part), dtype=bool)
        if rare.any():
            log_p[rare] = _Walk(counts, part[rare], rate, near_only=False).log_p()
        found[start : start + step] = np.minimum(log_p, 0.0)
    result: FloatArray = found[back.reshape(-1)]
    return result


def work_of_few(counts: SortedCounts, k: int, rate: float) -> int:
    """Steps of one probability of at most `FEW` places: none but where noise reaches very many.

    Every count within reach below the k-th is walked past, and every one below that looked at.
    """
    kth = int(counts.top(k)[-1])
    reach = (_REACH + np.log(counts.d)) / rate
    near = int(np.searchsorted(-counts.values, reach - kth, side="right"))
    steps = 16 * near**2
    return steps if steps > _NOTICED else 0


@dataclass(frozen=True)
class _Stretch:
    """Panels between two counts, right to left; distances in scales, shape (n_panels, n_nodes)."""

    from_left: FloatArray
    from_right: FloatArray
    log_width: FloatArray


class _Walk:
    """The walk down the counts, for orders of items given by their levels, shape (m, k).

    ``near_only`` leaves out that an item's noise is more than `_REACH` scales and ln d, which
    changes no probability by more than k e^-34.
    """

    def __init__(self, counts: SortedCounts, orders: IntArray, rate: float, near_only: bool):
        self.counts, self.orders, self.rate = counts, orders, rate
        self.near_only = near_only
        self.own = counts.values[orders]
        self.k = orders.shape[1]
        self.zone = _REACH + float(np.log(counts.d))
        m = len(orders)
        self.log_h = np.zeros((m, self.k))
        self.result = np.full(m, -np.inf)
        self.n_above = np.zeros(m)  # items of no place in the order with a larger count
        self.log_above = np.zeros(m)  # how far above they are, together

    def log_p(self) -> FloatArray:
        """Log probability of each order, shape (m,)."""
        self._start()
        values, lowest, below = self.counts.values, int(self.orders.max()), 0.0
        for level in range(self.counts.n_levels):
            right = values[level - 1] if level else values[0]
            length = float(right - values[level]) * self.rate if level else self.zone
            if level > lowest:  # all items of the order are above: what is left falls off
                length = min(length, self.zone - below)
            self._cross(level, length)
            below += length if level > lowest else 0.0
            if below >= self.zone:
                return self.result
            taken = (self.orders == level).sum(axis=1)
            self.log_above -= self.n_above * (length if level else 0.0)
            self.n_above += self.counts.multiplicities[level] - taken
        self._cross(self.counts.n_levels, self.zone - below)
        return self.result

    def _start(self) -> None:
        """Above all counts: r items in one of r! orders, and no other among them."""
        log_f = -_LN_2 - self.zone - (self.counts.values[0] - self.own) * self.rate
        places = np.arange(1, self.k + 1)
        log_h = np.cumsum(log_f, axis=1) - gammaln(places + 1)
        self.log_h[:, 1:] = log_h[:, :-1]
        self.result = log_h[:, -1]

    def _cross(self, level: int, length: float) -> None:
        """Walk from the count above a level down to it, or as far as ``length``."""
        if length <= 0:
            return
        if length <= 2 * self.zone:
            self._integrate(level, self._panels(level, length))
            return
        self._integrate(level, self._panels(level, self.zone, left=length - self.zone))
        if not self.near_only:
            self._jump(level, length)
        self._integrate(level, self._panels(level, self.zone, right=length - self.zone))

    def _panels(self, level: int, length: float, left: float = 0.0, right: float = 0.0) -> _Stretch:
        """Cut a stretch, that far from the two counts: finer towards its ends, for the kinks."""
        n_near = int((self._beyond(level) <= self.zone).sum(axis=1).max())
        widest = _VARIES / (1 + max(n_near, min(self.k, FEW)))
        n_items = self.counts.ends[min(level, self.counts.n_levels - 1)]
        width = _VARIES / (_VARIES / widest + float(n_items))
        half = length / 2
        cuts = [0.0]
        while cuts[-1] + width < half:
            cuts.append(cuts[-1] + width)
            width = min(2 * width, widest)
        ends = np.array([*cuts, half])
        offset = np.concatenate([ends, length - ends[-2::-1]])  # from the right end
        widths = np.diff(offset)
        from_right = right + (offset[:-1, None] + widths[:, None] * _NODES)
        from_left = left + ((length - offset[1:, None]) + widths[:, None] * (1 - _NODES))
        return _Stretch(from_left, from_right, np.log(widths))

    def _above(self, level: int) -> BoolArray:
        above: BoolArray = self.orders < level
        return above

    def _beyond(self, level: int) -> FloatArray:
        """How far items of the order are beyond the nearer of the two counts around."""
        values = self.counts.values
        upper = values[max(level - 1, 0)]
        lower = values[min(level, self.counts.n_levels - 1)]
        apart = np.where(self._above(level), self.own - upper, lower - self.own)
        beyond: FloatArray = apart * self.rate
        return beyond

    def _integrate(self, level: int, at: _Stretch) -> None:
        """Carry all H_r and the result across some panels."""
        above, beyond = self._above(level), self._beyond(level)
        places = self._unsettled(above, beyond)
        log_h = self.log_h[:, min(places.start, self.k - 1), None, None]
        for r in places:
            towards = np.where(above[:, r, None, None], at.from_right, at.from_left)
            log_g = log_h - _LN_2 - beyond[:, r, None, None] - towards
            if r == self.k - 1:
                log_g = log_g + self._log_others_below(level, at)
            peak = log_g.max(axis=2, keepdims=True)
            scaled = np.exp(log_g - peak)
            log_unit = peak[:, :, 0] + at.log_width
            log_total = log_unit + np.log(scaled @ _WEIGHTS)
            if r == self.k - 1:
                parts = np.column_stack([self.result, log_total])
                self.result = np.logaddexp.reduce(parts, axis=1)
                return
            parts = np.column_stack([self.log_h[:, r + 1], log_total])
            reached = np.logaddexp.accumulate(parts, axis=1)
            with np.errstate(divide="ignore"):  # log 0 = -inf: nothing yet
                log_part = log_unit[:, :, None] + np.log(np.maximum(scaled @ _UP_TO, 0.0))
            log_h = np.logaddexp(reached[:, :-1, None], log_part)
            self.log_h[:, r + 1] = reached[:, -1]

    def _unsettled(self, above: BoolArray, beyond: FloatArray) -> range:
        """Places whose items may have noise that brings them here."""
        far = beyond > self.zone
        passed = (far & above)[:, :-1] & (self.log_h[:, 1:] > -1.0)
        first = int(np.cumprod(passed.all(axis=0)).sum())
        if not self.near_only:
            return range(first, self.k)
        later: BoolArray = np.all(far & ~above, axis=0)
        return range(first, max(first, self.k - int(np.cumprod(later[::-1]).sum())))

    def _log_others_below(self, level: int, at: _Stretch) -> FloatArray:
        """Log probability that all others are smaller, at every node."""
        values, multiplicities = self.counts.values, self.counts.multiplicities
        log_f = np.zeros_like(at.from_left)
        for lower in range(level, self.counts.n_levels):
            apart = float(values[level] - values[lower]) * self.rate
            if apart > self.zone:
                break
            log_f += multiplicities[lower] * _log_cdf(at.from_left + apart)
        above, beyond = self._above(level), self._beyond(level)
        result = np.repeat(log_f[None], len(self.orders), axis=0)
        for r in range(self.k):
            own = ~above[:, r] & (beyond[:, r] <= self.zone)
            result[own] -= _log_cdf(at.from_left + beyond[own, r, None, None])
        n_above = self.n_above[:, None, None]
        others: FloatArray = (
            result + self.log_above[:, None, None] - n_above * (_LN_2 + at.from_right)
        )
        return others

    def _jump(self, level: int, length: float) -> None:
        """Across the middle of a long gap, where all densities are pure exponentials."""
        log_f = -_LN_2 - self.zone - self._beyond(level)
        log_f[:, -1] += self.log_above - self.n_above * (_LN_2 + self.zone)
        slopes = np.where(self._above(level), 1.0, -1.0)
        slopes[:, -1] += self.n_above
        state = np.column_stack([self.log_h, self.result])
        state = long_gaps.across(state, log_f, slopes, ~self._above(level), length - 2 * self.zone)
        self.log_h, self.result = state[:, :-1], state[:, -1]


def _log_cdf(x: FloatArray) -> FloatArray:
    """Log distribution function of Laplace noise of scale 1, for x above 0."""
    log_f: FloatArray = np.log1p(-np.exp(-x) / 2)
    return log_f


_NODES, _WEIGHTS, _UP_TO = rule(_N_NODES)


def _depth(log_t: FloatArray) -> FloatArray:
    """Minus the value at which the distribution function is e^-t."""
    t = np.exp(log_t)
    with np.errstate(divide="ignore"):  # t below all floats: its logarithm is given
        above = np.where(log_t < -37.0, log_t, np.log(-np.expm1(-t)))
    depth: FloatArray = np.where(t > _LN_2, t - _LN_2, _LN_2 + above)
    return depth


def _kept(depth: FloatArray, below: FloatArray) -> FloatArray:
    """Hazard of an item that lies lower, over that of its block's best count."""
    return np.exp(_log_hazard(below - depth) - _log_hazard(-depth))


def _log_hazard(x: FloatArray) -> FloatArray:
    """Log of f / F of Laplace noise of scale 1: 1 below 0, where it has no memory."""
    up = np.maximum(x, 0.0)
    hazard: FloatArray = -up - np.log(2.0 - np.exp(-up))
    return hazard


def _log_time(depth: FloatArray) -> FloatArray:
    """Log of t where the distribution function is e^-t at minus this depth."""
    low = np.maximum(depth, 0.0)
    with np.errstate(over="ignore"):  # so far below: the other branch is taken
        log_f = np.where(depth > 0, -_LN_2 - low, _log_cdf(np.maximum(-depth, 0.0)))
    far = -_LN_2 + np.minimum(depth, 0.0)  # log of 1 - F, where F is 1 to double precision
    with np.errstate(divide="ignore"):
        log_t: FloatArray = np.where(depth < -37.0, far, np.log(-log_f))
    return log_t


NOISE = Noise(_depth, _kept, _log_time)
"""Laplace noise, for draws."""
