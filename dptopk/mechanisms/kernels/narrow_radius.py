"""Compute the probability of an order of counts with uniform noise of a small random radius.

See `shared_radius` and `wide_radius`.  Let t be how far y lies below c + R, where c is the least
count of a place, so that all places can be there for t > 0 only, and let g_j = c - c_j.  Given R

    V_0 = 1,    V_r(t) = integral of V_{r-1}(u) over u < t, g_{s_r} < u < g_{s_r} + 2R,
    P given R = (2R)^-k integral of V_{k-1}(t) prod_{j not in s} F_j(t, R) dt
                over 0 < t < g_{s_k} + 2R,
    log F_j = log(1 - (t - g_j) / 2R).

The only kinks that move with R are the lower ends of places, g_{s_r} + 2R, and that of the largest
other count, where F is 0.  All other panels are the same for all radii: deep levels enter there by
sums of powers (`wide_radius.power_sums`), and the few high ones by their logarithms.  All terms are
positive.

How much is looked at follows as in `wide_radius`: V_{k-1}(t)^(1/(k-1)) is concave from t = 0 on,
V_{k-1} and F_j grow with R.  Radii are equally far apart; where every other one does not give the
same, kinks of R matter (lower ends that pass a level of many items): steps are halved while that
leaves a small part of the change, and else panels of radii, until they agree.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels.gauss import equally, rule
from dptopk.mechanisms.kernels.radii import LOG_NEGLIGIBLE, log_density, quantile
from dptopk.mechanisms.kernels.wide_radius import EXACT, MANY, power_sums, volumes

_SHARE = 0.3  # of the range, up to which levels enter by sums of powers
_FURTHEST = 10.0  # means of R, at which radii begin at most: their differences lose digits
_WINDOW = 20.0  # standard deviations of R that panels are made for at first
_LOG_LEFT = 30.0  # how far below its peak the integrand over R is left
_STEP, _FINER = 3.0, 6  # standard deviations of R; steps that each is cut into
_AGREE = 1e-8  # with steps twice as long, of which half of a normal density's are exact
_LEFT = 1e-9  # error of what is halved further
_SLOW, _FASTEST = (
    1 / 8,
    1 / 64,
)  # of a change that halving leaves: where steps are of no use; safely
_TOLERANCE = 1e-11  # of a panel of radii, beside all
_MOST_RADII = 3_000
_CHUNK = 1_000_000  # entries of the largest temporary array
_NODES, _WEIGHTS, _ = rule(16)

Given = Callable[[float], float]
"""Log of the density of R times the probability given R."""


def log_p(counts: SortedCounts, order: IntArray, rate: float) -> float:
    """Return the log probability of items of these levels, shape (k,), in order.

    A user is ``rate`` scales of R.  Not a number for few items, or where only radii far beyond the
    usual ones make the order possible.
    """
    if counts.d < max(MANY, 4 * order.size):
        return np.nan
    places = _Places(counts, order, rate)
    low = max(quantile(counts.d + 1 - order.size, -LOG_NEGLIGIBLE), places.least / 2)
    if low > _FURTHEST * counts.d:
        return np.nan
    most = places.least / 2 + quantile(counts.d + 1, LOG_NEGLIGIBLE)
    spread, window = float(np.sqrt(counts.d)), _WINDOW
    while True:
        n = int(np.ceil(min((most - low) / spread, window) / _STEP))
        radii = np.array([low + _STEP * spread * i for i in range(n + 1)])
        given = _RadiusPanels(places, low, float(radii[-1])).given
        seen = _coarse(given, radii)
        if radii[-1] >= most or seen[-1] < seen.max() - _LOG_LEFT:
            return _over_radii(given, radii[: seen.size], seen)
        window *= 4


class _Places:
    """Depths of the places and of all other items below the least count of a place."""

    def __init__(self, counts: SortedCounts, order: IntArray, rate: float):
        least = counts.values[order].min()
        rest = counts.multiplicities.astype(np.float64)
        np.subtract.at(rest, order, 1.0)
        self.k, self.d = order.size, counts.d
        self.own = (least - counts.values[order]) * rate
        self.kinks = np.maximum.accumulate(self.own)
        self.gaps = (least - counts.values[rest > 0]) * rate
        self.rest = rest[rest > 0]
        self.least = max(float((self.kinks - self.own).max()), float(-self.gaps[0]), 0.0)

    def bottom(self, width: float) -> float:
        """Return the depth where the last place or the largest other count ends."""
        return float(min(self.gaps[0], self.own[-1])) + width

    def end(self, width: float) -> float:
        """Return the depth beyond which nothing is left."""
        depth = self.bottom(width) * 2.0 ** -np.arange(0.0, 45.0, 0.25)[::-1]
        bound = self.k * np.log(depth) + self.log_rest(depth, width)
        nothing = bound < bound.max() - LOG_NEGLIGIBLE - 10
        nothing[: int(np.argmax(bound))] = False
        return float(depth[np.argmax(nothing)]) if nothing.any() else float(depth[-1])

    def log_rest(self, t: FloatArray, width: float, n_levels: int | None = None) -> FloatArray:
        """Return the log probability that all others, or those of the highest levels, are below."""
        n = int(np.searchsorted(self.gaps, t.max())) if n_levels is None else n_levels
        flat, log_all = t.ravel(), np.zeros(t.size)
        step = max(1, _CHUNK // max(flat.size, 1))
        for i in range(0, n, step):
            share = self.gaps[i : min(n, i + step), None] - flat
            share /= width
            with np.errstate(divide="ignore"):  # log 0 = -inf: too deep
                np.log1p(np.clip(share, -1.0, 0.0, out=share), out=share)
            # by einsum, in one thread: others wait for a busy processor
            log_all += np.einsum("j,jt->t", self.rest[i : min(n, i + step)], share)
        return log_all.reshape(t.shape)


class _RadiusPanels:
    """Panels of t for all radii from ``low`` to ``high``, and what holds at each of these."""

    def __init__(self, places: _Places, low: float, high: float):
        self.places, self.width = places, 2 * low
        self.end = places.end(2 * high)
        self.edges = self._cut()
        self.first = int(np.searchsorted(self.edges, 0.0))  # edge, from which on all can be there
        starts, widths = self.edges[self.first : -1], np.diff(self.edges[self.first :])
        self.t = starts[:, None] + widths[:, None] * _NODES
        gaps = places.gaps[: np.searchsorted(places.gaps, self.end)]
        self.n_high = n = int(np.searchsorted(gaps, self.end - _SHARE * self.width))
        level = np.searchsorted(gaps[n:], starts, side="right") - 1
        self.shallow = int(np.searchsorted(level, 0))  # panels above all deep levels
        level, starts = level[self.shallow :], starts[self.shallow :]
        self.sums = np.zeros((1, 0))
        if level.size:
            deep, rest = gaps[n:] - gaps[n], places.rest[n : gaps.size]
            widths = widths[self.shallow :]
            self.sums = power_sums(deep, rest, level, starts - gaps[n], widths, self.width)
        no_end = np.full(places.k, np.inf)
        self.volumes = volumes(self.edges[:-1], np.diff(self.edges), places.kinks, no_end)

    def _cut(self) -> FloatArray:
        places, end, width = self.places, self.end, self.width
        gaps = places.gaps[: np.searchsorted(places.gaps, end)]
        finest = min(width / places.d, end)
        behind, n_behind = np.unique(places.kinks, return_counts=True)
        edges = np.unique(np.concatenate([behind, [0.0, end], gaps[gaps > 0]]))
        exact = places.k <= EXACT
        further = np.geomspace(finest, max(end, 2 * finest), 2 + int(3 * np.log2(end / finest)))
        rising = np.zeros(1) if exact else np.unique(np.append(behind, 0.0))
        steps = (rising[:, None] + further).ravel()
        steps = np.unique(np.concatenate([edges, steps[steps < end]]))
        left, right = steps[:-1], steps[1:]
        slope = np.zeros(left.size)
        on = int(np.searchsorted(left, 0.0))
        step = max(1, _CHUNK // left.size)
        for i in range(0, gaps.size, step):
            some = gaps[i : i + step]
            left_over = np.maximum(some + width - right[on:, None], (right - left)[on:, None] / 4)
            falls = places.rest[i : i + some.size] / left_over
            slope[on:] += np.where(some <= left[on:, None], falls, 0.0).sum(axis=1)
        if not exact:  # polynomials of high degree, steep behind the kinks they rise from
            for kink, n in zip(behind, n_behind, strict=True):
                begun = int(np.searchsorted(left, kink))
                slope[begun:] += n / np.maximum(left[begun:] - kink, finest)
        part = np.searchsorted(edges, left, side="right") - 1
        own, begins, ends = equally(part, left - edges[part], right - left, slope)
        return np.append((edges[own] + begins)[ends > begins], end)

    def given(self, radius: float) -> float:
        """Return the log of the density of R times the probability given R."""
        pause()
        places, width = self.places, 2 * radius
        end = min(self.end, places.bottom(width))
        if end <= 0:
            return -np.inf
        lower = places.own + width
        moving = np.concatenate([lower, [places.gaps[0] + width, end]])
        moving = moving[(moving > self.edges[0]) & (moving <= end)]
        edges = np.union1d(self.edges[self.edges < end], moving)
        starts, widths = edges[:-1], np.diff(edges)
        # up to the first lower end, volumes are the same for all radii
        same = int(np.searchsorted(self.edges, moving.min(), side="right")) - 1
        log_v, v, log_ends = self.volumes
        further = volumes(starts[same:], widths[same:], places.kinks, lower, log_ends[:, same])
        last = int(np.searchsorted(starts, 0.0))
        onward = max(last - same, 0)
        log_v = np.append(log_v[last:same], further[0][onward:])
        v = np.vstack([v[last:same], further[1][onward:]])
        log_rest = self._log_rest(edges[last:], width)
        with np.errstate(divide="ignore"):  # log 0 = -inf: no way to be there
            log_x = log_v[:, None] + np.log(v) + np.log(widths[last:, None] * _WEIGHTS)
        log_f = log_density(places.d, 0.0, np.array(radius)) - places.k * np.log(width)
        return float(logsumexp((log_x + log_rest).ravel()) + log_f)

    def _log_rest(self, edges: FloatArray, width: float) -> FloatArray:
        """Return the log probability that all others are below, at the nodes between edges."""
        starts, ends = edges[:-1], edges[1:]
        of_all = self.edges[self.first :]
        own = np.searchsorted(of_all, starts, side="right") - 1
        same = (of_all[own] == starts) & (of_all[own + 1] == ends)
        powers = (self.width / width) ** np.arange(1, len(self.sums) + 1)
        log_deep = np.zeros(self.t.shape)
        log_deep[self.shallow :] = -np.einsum("p,pt->t", powers, self.sums).reshape(-1, _NODES.size)
        log_rest = np.empty((starts.size, _NODES.size))
        log_rest[same] = self.places.log_rest(self.t[own[same]], width, self.n_high)
        log_rest[same] += log_deep[own[same]]
        if not same.all():
            t = starts[~same, None] + (ends - starts)[~same, None] * _NODES
            log_rest[~same] = self.places.log_rest(t, width)
        return log_rest


def _coarse(given: Given, radii: FloatArray) -> FloatArray:
    """Look at radii from below until nothing is left of what is log-concave."""
    seen: list[float] = []
    for radius in radii.tolist():
        seen.append(given(radius))
        if seen[-1] < max(seen) - _LOG_LEFT:
            break
    return np.array(seen)


def _over_radii(given: Given, radii: FloatArray, seen: FloatArray) -> float:
    kept = np.flatnonzero(seen > seen.max() - _LOG_LEFT)
    if not kept.size:
        return -np.inf
    first, last = max(kept[0] - 1, 0), min(kept[-1] + 1, seen.size - 1)
    begin, end = float(radii[first]), float(radii[last])
    if seen[first] < seen.max() - _LOG_LEFT > seen[last]:
        n = 1 + _FINER * int(last - first)
        finer = np.linspace(begin, end, n)
        found = np.repeat(seen[first : last + 1], _FINER)[:n]
        for i in np.flatnonzero(np.arange(n) % _FINER):
            found[i] = given(finer[i])
        fine, change = _mean(found), abs(_mean(found) - _mean(found[::2]))
        left = change if change > _AGREE else 0.0
        while left > _LEFT:
            n, before, rough = 2 * n - 1, change, fine
            between = [given(radius) for radius in np.linspace(begin, end, n)[1::2]]
            found = np.insert(found, np.arange(1, found.size), between)
            fine = _mean(found)
            change = abs(fine - rough)
            if change > _SLOW * before:  # a bend
                break
            left = change * max(change / before, _FASTEST)  # the next change
        else:
            return fine + float(np.log(end - begin))
    return _halved(given, radii[first : last + 1])


def _mean(found: FloatArray) -> float:
    """Return the log of the mean by the trapezoidal rule, of what is 0 at both ends."""
    return float(logsumexp(found) - np.log(found.size - 1))


def _halved(given: Given, edges: FloatArray) -> float:
    """Return the log of the integral by panels that are halved until nothing changes."""
    nodes, weights, _ = rule(8)

    def of_panel(begin: float, end: float) -> float:
        found = np.array([given(begin + (end - begin) * x) for x in nodes])
        return float(logsumexp(found + np.log(weights * (end - begin))))

    panels = [(a, b, of_panel(a, b)) for a, b in pairwise(edges.tolist())]
    done: list[float] = []
    n_radii = 8 * len(panels)
    while panels:
        halves = []
        for begin, end, _ in panels:
            middle = (begin + end) / 2
            halves.append([(a, b, of_panel(a, b)) for a, b in ((begin, middle), (middle, end))])
        n_radii += 16 * len(panels)
        log_all = np.array([*done, *(half[2] for pair in halves for half in pair)])
        total, further = float(logsumexp(log_all)), []
        for (_, _, whole), pair in zip(panels, halves, strict=True):
            parts = np.exp(np.array([half[2] for half in pair]) - total)
            if abs(np.exp(whole - total) - parts.sum()) < _TOLERANCE or n_radii > _MOST_RADII:
                done += [half[2] for half in pair]
            else:
                further += pair
        panels = further
    return float(logsumexp(np.array(done)))
