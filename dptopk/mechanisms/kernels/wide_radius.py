"""Compute the probability of an order of counts with uniform noise of a large random radius.

See `shared_radius`.  Let t be how far y lies below c_1 + R, the highest that a noisy count can be,
and g_j = c_1 - c_j.  While t < 2R no lower end of a range is met: an item is at t with density
1 / 2R where t > g_j, and above y with probability (t - g_j) / 2R, so that

    V_0 = 1,    V_r(t) = integral over u < t, u > g_{s_r}, of V_{r-1}(u) du,
    P given R = (2R)^-k integral of V_{k-1}(t) [t > g_{s_k}] prod_{j not in s} F_j(t, R) dt,
    log F_j = log(1 - (t - g_j) / 2R) = -sum_p ((t - g_j) / 2R)^p / p.

The V_r are free of R, and so are the sums over items of (t - g_j)^p, which follow from level to
level by the binomial theorem: all of R costs one product of matrices.  All terms are positive.

How much is looked at.  V_{k-1}(t)^(1/(k-1)) is concave from its last kink g on (Brunn,
Minkowski), and prod F_j log-concave and falling: beyond a t' > g the integrand is at most its
value there times ((t - g) / (t' - g))^(k-1) prod F_j(t) / F_j(t').  The probability given R falls
from R to R' < R by (R / R')^k at most, or rises: below the e^-45 quantile of a Gamma distribution
of shape d + 1 - k less than e^-44 of it is left.
"""

import math
from collections.abc import Callable

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels.gauss import equally, rule, up_to_nodes
from dptopk.mechanisms.kernels.radii import LOG_NEGLIGIBLE, log_density, quantile

_WIDEST = 0.6  # share of the range that is looked at, at most: powers of it vanish soon
_N_POWERS = 90
_NEGLIGIBLE = 1e-16
EXACT = 16  # places whose polynomials a panel carries, however wide
MANY = 64  # items, from which on the density of R is much like a normal one
_STEP = 0.5  # standard deviations of R
_CHUNK = 2_000_000  # entries of the largest temporary array
_TINY = np.finfo(np.float64).tiny
_LOG_NOTHING = -1e300  # log of 0, of which differences are numbers
_NODES, _WEIGHTS, _ = rule(16)


def log_p(counts: SortedCounts, order: IntArray, rate: float) -> float:
    """Return the log probability of items of these levels, shape (k,), in order.

    A user is ``rate`` scales of R.  Not a number where R does not reach past all that matters.
    """
    d, k = counts.d, order.size
    kinks = np.maximum.accumulate((counts.values[0] - counts.values[order]) * rate)
    reached = _reach(counts, order, kinks, rate)
    if reached is None:
        return np.nan
    end, low, high = reached
    gaps, rest = _others(counts, order, rate)
    n_levels = int(np.searchsorted(gaps, end))
    gaps, rest = gaps[:n_levels], rest[:n_levels]
    level, starts, widths = _panels(gaps, rest, kinks, end, 2 * low)
    last = int(np.searchsorted(starts, kinks[-1]))  # the first panel beyond the last kink
    log_v, v, _ = volumes(starts, widths, kinks, np.full(k, np.inf))
    with np.errstate(divide="ignore"):  # log 0 = -inf: no way to be there
        log_x = log_v[last:, None] + np.log(v[last:]) + np.log(widths[last:, None] * _WEIGHTS)
    log_x = log_x.reshape(1, -1)
    sums = power_sums(gaps, rest, level[last:], starts[last:], widths[last:], 2 * low)

    def given(radius: FloatArray) -> FloatArray:
        """Log of density of R times probability given R."""
        step = max(1, _CHUNK // log_x.size)
        parts = []
        for i in range(0, radius.size, step):
            pause()
            powers = (low / radius[i : i + step, None]) ** np.arange(1, len(sums) + 1)
            parts.append(logsumexp(log_x - powers @ sums, axis=1))
        log_f: FloatArray = log_density(d, 0.0, radius) - k * np.log(2 * radius)
        log_f += np.concatenate(parts)
        return log_f

    return _over_radii(given, low, high, float(np.sqrt(d)))


def work(counts: SortedCounts, k: int, rate: float) -> int | None:
    """Return the steps of the probability of the true top k; None if R is not that wide."""
    order = counts.level_of_rank(np.arange(k))
    kinks = (counts.values[0] - counts.values[order]) * rate
    reached = _reach(counts, order, kinks, rate)
    if reached is None:
        return None
    n_levels = int(np.searchsorted((counts.values[0] - counts.values) * rate, reached[0]))
    return (1_000 + 20 * k) * (n_levels + k)


def _others(counts: SortedCounts, order: IntArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """Return how far each level is below the largest count, and its items of no place."""
    rest = counts.multiplicities.astype(np.float64)
    np.subtract.at(rest, order, 1.0)
    return (counts.values[0] - counts.values) * rate, rest


def _reach(
    counts: SortedCounts, order: IntArray, kinks: FloatArray, rate: float
) -> tuple[float, float, float] | None:
    """Return the end of what there is, smallest and largest R; None if R is not that wide."""
    k, d = order.size, counts.d
    if d < max(MANY, 4 * k):
        return None
    low = quantile(d + 1 - k, -LOG_NEGLIGIBLE)
    if kinks[-1] >= 2 * low * _WIDEST:
        return None
    high = kinks[-1] / 2 + quantile(d + 1, LOG_NEGLIGIBLE)
    end = _end(*_others(counts, order, rate), kinks, 2 * high)
    return (end, low, high) if end <= 2 * low * _WIDEST else None


def _over_radii(
    given: Callable[[FloatArray], FloatArray], low: float, high: float, spread: float
) -> float:
    """Return the log of the integral over R of what is log-concave, with nearly so wide a peak.

    By the trapezoidal rule, which for such a peak has no error that a double would show.
    """
    coarse = np.linspace(low, high, 2 + int((high - low) / (3 * spread)))
    seen = given(coarse)
    kept = np.flatnonzero(seen > seen.max() - LOG_NEGLIGIBLE)
    begin, end = coarse[max(kept[0] - 1, 0)], coarse[min(kept[-1] + 1, coarse.size - 1)]
    radius = np.linspace(begin, end, 2 + int((end - begin) / (_STEP * spread)))
    return float(logsumexp(given(radius)) + np.log(radius[1] - radius[0]))


def _end(gaps: FloatArray, rest: FloatArray, kinks: FloatArray, width: float) -> float:
    """Return the depth beyond which nothing is left at such ranges; inf if there is none."""
    depth = kinks[-1] + (width - kinks[-1]) * 2.0 ** -np.arange(1.0, 45.0, 0.25)[::-1]
    n_levels = int(np.searchsorted(gaps, depth[-1]))
    log_rest = np.zeros(depth.size)
    step = max(1, _CHUNK // depth.size)
    for i in range(0, n_levels, step):
        share = np.maximum(depth - gaps[i : i + step, None], 0.0) / width
        log_rest += np.einsum("j,jt->t", rest[i : i + step], np.log1p(-share))
    bound = (kinks.size - 1) * np.log(depth - kinks[-1]) + log_rest + np.log(depth - kinks[-1])
    nothing = bound < bound.max() - LOG_NEGLIGIBLE - 10
    nothing[: int(np.argmax(bound))] = False
    return float(depth[np.argmax(nothing)]) if nothing.any() else np.inf


def _panels(
    gaps: FloatArray, rest: FloatArray, kinks: FloatArray, end: float, width: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return panels of t from the first kink on: the level before, the beginning, the width."""
    n_before = np.cumsum(rest)
    steepest = float(n_before[-1]) / (width - end)
    edges = np.unique(np.concatenate([[kinks[0], end], gaps[gaps > kinks[0]]]))
    steps = edges
    if kinks.size > EXACT:  # polynomials of high degree, steep behind the kinks they rise from
        finest = 1 / steepest
        further = np.geomspace(finest, max(end, 2 * finest), 2 + int(3 * np.log2(end / finest)))
        steps = (np.unique(kinks)[:, None] + further).ravel()
        steps = np.unique(np.concatenate([edges, steps[steps < end]]))
    left, right = steps[:-1], steps[1:]
    level = np.searchsorted(gaps, left, side="right") - 1
    slope = n_before[level] / (width - right)
    if kinks.size > EXACT:
        behind, n = np.unique(kinks, return_counts=True)
        apart = np.maximum(left[:, None] - behind, finest)
        slope += np.where(left[:, None] >= behind, n / apart, 0.0).sum(axis=1)
    part = np.searchsorted(edges, left, side="right") - 1
    own, starts, ends = equally(part, left - edges[part], right - left, slope)
    level = np.searchsorted(gaps, edges[own], side="right") - 1
    return level, edges[own] + starts, ends - starts


def volumes(
    starts: FloatArray,
    widths: FloatArray,
    kinks: FloatArray,
    lower: FloatArray,
    log_before: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the log of an exponential a panel, V_{k-1} at nodes as multiples, and log V_1, ....

    The last, of shape (k - 1, n_panels + 1), are at the ends of panels; ``log_before`` is a column
    of it, where panels go on from others.  Each place is between its kink and its ``lower`` end,
    both of which begin panels.
    """
    log_v, v = np.zeros(starts.size), np.ones((starts.size, _NODES.size))
    log_widths = np.log(widths)
    firsts, ends = np.searchsorted(starts, kinks[:-1]), np.searchsorted(starts, lower[:-1])
    log_ends = np.full((firsts.size, starts.size + 1), _LOG_NOTHING)
    if log_before is not None:
        log_ends[:, 0] = log_before
    for own, first, end in zip(log_ends, firsts.tolist(), ends.tolist(), strict=True):
        here = slice(first, max(first, end))  # panels in which the place may be
        inside, log_unit = v[here], log_v[here] + log_widths[here]
        own[first + 1 : here.stop + 1] = log_unit + np.log(np.maximum(inside @ _WEIGHTS, _TINY))
        reached = np.logaddexp.accumulate(own[first : here.stop + 1])
        after = reached[1:]
        inside = up_to_nodes(inside)
        inside *= np.exp(np.minimum(log_unit - after, 600.0))[:, None]
        inside += np.exp(reached[:-1] - after)[:, None]
        own[first : here.stop + 1], own[here.stop + 1 :] = reached, reached[-1]
        log_v[:first], log_v[here], log_v[here.stop :] = _LOG_NOTHING, after, reached[-1]
        v[:first], v[here], v[here.stop :] = 0.0, inside, 1.0
    return log_v, v, log_ends


def power_sums(
    gaps: FloatArray,
    rest: FloatArray,
    level: IntArray,
    starts: FloatArray,
    widths: FloatArray,
    unit: float,
) -> FloatArray:
    """Return sums over items of ((t - g) / unit)^p / p, shape (n_powers, n_nodes).

    Depths are those below the first of the ``gaps``.
    """
    most = (starts[-1] + widths[-1]) / unit
    total = float(rest.sum())
    n = 1 + int(np.log(_NEGLIGIBLE / max(total, 1.0)) / np.log(most))
    n = min(max(n, 2), _N_POWERS)
    powers = np.arange(n + 1)
    binomial = np.array([[math.comb(p, q) for q in powers] for p in powers], dtype=float)
    lag = np.maximum(powers[:, None] - powers, 0)
    at_level = np.zeros((int(level[-1]) + 1, n + 1))
    moments = np.zeros(n + 1)
    for here in range(len(at_level)):
        if here:
            step = ((gaps[here] - gaps[here - 1]) / unit) ** powers
            moments = (binomial * step[lag]) @ moments
        moments[0] += rest[here]
        at_level[here] = moments
    x = (starts[:, None] - gaps[level, None] + widths[:, None] * _NODES) / unit
    sums = np.empty((n, *x.shape))
    power_of = x[None] ** powers[:, None, None]
    for p in range(1, n + 1):
        factors = at_level[level, : p + 1] * (binomial[p, : p + 1] / p)
        sums[p - 1] = np.einsum("lq,qln->ln", factors, power_of[p::-1])
    return sums.reshape(n, -1)
