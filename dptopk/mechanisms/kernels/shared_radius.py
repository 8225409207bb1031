"""Integrals over counts with uniform noise in [-R, R] that share one random R.

With R of a Gamma distribution of shape d + 1 and scale 1 the noise has a density proportional to
e^(-largest noise of any item): that of the Gamma mechanism.  Lengths are in scales of R.

Given R an item of count c has a noisy count in [c - R, c + R], so probabilities are integrals over
y of piecewise polynomials with kinks at c_j - R and c_j + R: Gauss-Legendre panels between them,
walked from above downwards, with as many nodes as make polynomials of up to 16 items exact, and
panels that are narrow beside the functions where there are more.  They are log-concave in y, being
volumes of slices of convex bodies (Prekopa), which tells when a walk may stop.

Differences of counts are whole numbers until they are multiplied by the rate: R is half of such a
difference and some more, so that gaps of 2^53 users cost no digits.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels.gauss import rule
from dptopk.mechanisms.kernels.radii import LOG_NEGLIGIBLE, N_NODES, SMALL, Radii

_VARIES = 4.0  # logarithms change by about this within a panel, at most
_CHUNK = 1_000_000
_FAR = 2.0**60
_NOTHING = 1e-200  # of a stretch of no length, which adds nothing and not "not a number"


@dataclass(frozen=True)
class Panel:
    """Interval of y between two kinks, at each of n radii, from above downwards."""

    width: FloatArray  # (n,), length of the stretch
    log_f: FloatArray  # (n,), log density 1 / 2R of an item that may be there
    active: BoolArray  # (n_levels, n), True if an item of a level may be there
    over: BoolArray  # it is below it for sure
    under: BoolArray  # it is above it for sure
    near: IntArray  # levels of which an item may be there at some of the radii
    # (n_near, n), from the upper end of an item's range to the start of the stretch
    above: FloatArray
    below: FloatArray  # (n_near, n), from the lower end to the end of the stretch
    n_nodes: int  # of the rule it is cut by

    @property
    def log_width(self) -> FloatArray:
        """Log of the length of the stretch, shape (n,)."""
        with np.errstate(divide="ignore"):  # log 0 = -inf: nothing is there
            log_width: FloatArray = np.log(self.width)
        return log_width

    def log_below(self, which: BoolArray | slice = slice(None)) -> FloatArray:
        """Return the log probability that an item is below y, shape (n_near, n_nodes, n).

        0 at radii where it cannot be there.  ``which`` are the near levels that are wanted.
        """
        return self._log_share(which, self._from_bottom(which), self._from_top(which))

    def log_above(self, which: BoolArray | slice = slice(None)) -> FloatArray:
        """Return the log probability that an item is above y, shape (n_near, n_nodes, n)."""
        return self._log_share(which, self._from_top(which), self._from_bottom(which))

    def _from_top(self, which: BoolArray | slice) -> FloatArray:
        down = rule(self.n_nodes)[0][:, None]
        from_top: FloatArray = self.above[which, None] + (self.width + _NOTHING) * down
        return from_top

    def _from_bottom(self, which: BoolArray | slice) -> FloatArray:
        up = 1 - rule(self.n_nodes)[0][:, None]
        from_bottom: FloatArray = self.below[which, None] + (self.width + _NOTHING) * up
        return from_bottom

    def _log_share(
        self, which: BoolArray | slice, part: FloatArray, rest: FloatArray
    ) -> FloatArray:
        f, active = np.exp(self.log_f), self.active[self.near[which], None]
        near = part > rest
        log_share: FloatArray = np.log1p(np.where(active & near, -rest * f, 0.0).clip(min=-0.5))
        np.log(part * f, out=log_share, where=active & ~near)
        return log_share


Visit = Callable[[Panel], FloatArray]
"""Logarithms of the contributions of a panel to m integrals at n radii, shape (m, n)."""


def integrate(
    counts: SortedCounts,
    rate: float,
    starts: IntArray,
    visits: Callable[[int], Visit],
    n_wide: int,
    log_slack: float,
    skips: bool,
    own: IntArray,
) -> FloatArray:
    """Integrate over the radius and over y; return logarithms, (m,).

    Parameters
    ----------
    rate : float
        Scales of R in a user.
    starts : numpy.ndarray of int64, shape (m,)
        Twice the radius, in users, from which each integral is above 0.
    visits : callable
        The number of radii -> what a panel adds; walks begin anew with each call.
    n_wide : int
        Integrals, or parts of them, that are kept at each node.
    log_slack : float
        Log of how much larger an integrand may be at small radii than where its mass is.
    skips : bool
        True if stretches at which nothing is added need not be resolved.
    own : numpy.ndarray of int64, shape (n_own,)
        Levels of which an item must be able to be at y before anything is added.
    """
    radii = Radii.covering(counts, rate, starts, log_slack)
    step = max(1, _CHUNK // (N_NODES * max(counts.n_levels, n_wide)))
    result = np.full(starts.size, -np.inf)
    for first in range(0, radii.doubled.size, step):
        part = radii.part(slice(first, first + step))
        log_p = _walk(counts, rate, part, starts, visits(part.doubled.size), skips, own)
        there = np.isfinite(log_p)
        apart = np.where(there, part.doubled - starts[:, None], 0) * (rate / 2)
        added = logsumexp(log_p + part.log_weight - apart, axis=1)
        result = np.logaddexp(result, added)
    log_total: FloatArray = result - starts * (rate / 2)
    return log_total


def _walk(
    counts: SortedCounts,
    rate: float,
    radii: Radii,
    starts: IntArray,
    visit: Visit,
    skips: bool,
    own: IntArray,
) -> FloatArray:
    """Integrate over y at each radius, shape (m, n)."""
    log_p = np.full((starts.size, radii.doubled.size), -np.inf)
    possible = (starts[:, None] - radii.doubled) * rate < 2 * radii.beyond
    walk = _panels(counts, rate, radii, own)
    panel = next(walk, None)
    while panel is not None:
        pause()
        added = visit(panel)
        log_p = np.logaddexp(log_p, added)
        begun = np.isfinite(log_p)
        over = begun & (panel.width > 0) & (added < log_p - LOG_NEGLIGIBLE)
        if (over | ~possible).all():
            break
        try:
            panel = walk.send(bool((over | ~begun).all()) and skips)
        except StopIteration:
            break
    return log_p


def _panels(
    counts: SortedCounts, rate: float, radii: Radii, begins: IntArray
) -> Generator[Panel, bool, None]:
    """Yield panels from above downwards; the value sent says whether to skip ahead."""
    values, d = counts.values, counts.d
    n_levels, n = counts.n_levels, radii.doubled.size
    twice = 2 * radii.beyond
    with np.errstate(over="ignore"):  # beyond all counts
        reach = radii.doubled + np.floor(np.minimum(twice / rate, _FAR)).astype(np.int64)
    own = np.arange(n_levels)[:, None]
    place = np.empty((2, n_levels, n), dtype=np.int64)  # of upper and lower ends, from above
    column = values[:, None]
    place[0] = own + np.searchsorted(-values, -(column + reach), side="left")
    place[1] = own + np.searchsorted(-values, -(column - reach), side="right")
    edge = np.empty((2 * n_levels, n), dtype=np.int64)
    np.put_along_axis(edge, place[0], np.broadcast_to(column, (n_levels, n)), axis=0)
    np.put_along_axis(edge, place[1], column - radii.doubled, axis=0)
    lower = np.ones((2 * n_levels, n))  # a lower end lies 2 * beyond deeper still
    np.put_along_axis(lower, place[0], 0.0, axis=0)
    log_f = -np.log(radii.doubled * rate + twice)
    idle = False
    for piece in range(2 * n_levels - 1):
        top, bottom = edge[piece], edge[piece + 1]
        width = (top - bottom) * rate + (lower[piece + 1] - lower[piece]) * twice
        width = np.maximum(width, 0.0)
        over, under = place[0] > piece, place[1] <= piece
        active = ~over & ~under
        near = np.flatnonzero(active.any(axis=1))
        here, deeper = column[near], 1 - lower[piece + 1]
        above = np.where(active[near], (here - top) * rate + lower[piece] * twice, 0.0)
        below = (bottom - (here - radii.doubled)) * rate + deeper * twice
        below = np.where(active[near], below, 0.0)
        idle &= not (place[0, begins] == piece).any()  # else this may be where it begins
        done = 0.0
        while done < 1 - 1e-12:
            share, n_nodes = 1.0 - done, min(d, N_NODES)
            if d > SMALL and not idle:
                left = np.where(active[near], below + width * share, np.inf)
                with np.errstate(divide="ignore", invalid="ignore"):  # of no length
                    slope = (counts.multiplicities[near, None] / left).sum(axis=0)
                    steepest = float(np.nan_to_num(slope * width, nan=0.0).max())
                share = min(share, max(_VARIES / steepest, 1e-6)) if steepest else share
                n_nodes = _nodes_for(steepest * share)
            idle = yield Panel(
                width * share,
                log_f,
                active,
                over,
                under,
                near,
                above + width * done,
                below + width * (1 - done - share),
                n_nodes,
            )
            done += share


def _nodes_for(change: float) -> int:
    """Return the number of nodes for a panel across which logarithms change by this much."""
    return N_NODES if change > 0.5 else N_NODES // 4 if change > 0.03 else N_NODES // 8
