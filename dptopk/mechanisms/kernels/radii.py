"""Quadrature nodes for integrals over the random radius R of the noise.

R has a Gamma distribution of shape d + 1, in its scales.  Probabilities given R have kinks where
ends of two items' ranges meet, at half the differences of counts: there are panels between these.
Where more than `MOST_LEVELS` counts differ, kinks are not sought: each is then one of very many,
and logarithms are good to eight digits or so.

The volume of all noise that leads to an output is that of a convex body, its d-th root concave in R
(Brunn, Minkowski): of what starts at R = a, all but e^-45 lies below a + the same quantile of R.

A radius is half a whole number of users and some more, so that gaps of 2^53 users cost no digits.
"""

import math
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels.gauss import rule

LOG_NEGLIGIBLE = 45.0
N_NODES = 16
SMALL = 16  # items whose polynomials are integrated exactly, in whole pieces
MOST_LEVELS = 64


@dataclass(frozen=True)
class Radii:
    """Quadrature nodes of R: doubled * rate / 2 + beyond, in scales, shape (n,)."""

    doubled: IntArray
    beyond: FloatArray
    log_weight: FloatArray  # with the density of R times e^(doubled * rate / 2)

    def part(self, which: slice) -> "Radii":
        """Return some of the nodes."""
        return Radii(self.doubled[which], self.beyond[which], self.log_weight[which])

    @classmethod
    def covering(
        cls, counts: SortedCounts, rate: float, starts: IntArray, log_slack: float
    ) -> "Radii":
        """Return panels between kinks, as far beyond each start as there may be mass."""
        d, first = counts.d, np.unique(starts)
        values = counts.values
        kinks = np.append(0, first)
        if counts.n_levels <= MOST_LEVELS:
            kinks = np.append(kinks, values[:, None] - values[None])
        kinks = np.unique(kinks[kinks >= 0])
        latest = first[np.searchsorted(first, kinks, side="right") - 1]
        ends = (latest - kinks) * (rate / 2) + quantile(d + 1, LOG_NEGLIGIBLE)
        ends = np.where(kinks < first[0], 0.0, ends)
        lengths = np.minimum(ends, np.append(np.diff(kinks) * (rate / 2), np.inf))
        low = quantile(d + 1, -(LOG_NEGLIGIBLE + log_slack)) if d > SMALL else 0.0
        begins = np.maximum(low - kinks * (rate / 2), 0.0)
        behind = np.maximum(kinks - latest, 0) * (rate / 2)
        doubled, beyond, log_width = [], [], []
        for kink, begin, end, since in zip(kinks, begins, lengths, behind, strict=True):
            if begin >= end:
                continue
            edges = _cut(begin, end, since)
            nodes, weights, _ = rule(N_NODES if end - begin > 2.0 else N_NODES // 2)
            widths = np.diff(edges)[:, None]
            beyond.append((edges[:-1, None] + widths * nodes).ravel())
            log_width.append(np.log(widths * weights).ravel())
            doubled.append(np.full(beyond[-1].size, kink))
        whole, more = np.concatenate(doubled), np.concatenate(beyond)
        log_weight = np.concatenate(log_width) + log_density(d, whole * (rate / 2), more)
        return cls(whole, more, log_weight)


def _cut(begin: float, end: float, since: float) -> FloatArray:
    """Cut an interval into panels, as wide as a Gamma density's peak.

    Right behind a kink there is a layer as thin as the scale of R, however far the start is: where
    many items have the next count, each change of R by one scale is e times as likely to let one of
    them pass.
    """
    cuts = [begin]
    while cuts[-1] < end:
        wide = max(8.0, 4.0 * np.sqrt(since + cuts[-1]))
        cuts.append(min(end, cuts[-1] + min(wide, 4.0 + 0.5 * cuts[-1])))
    return np.array(cuts)


def log_density(d: int, start: FloatArray | float, beyond: FloatArray) -> FloatArray:
    """Return the log density of R at start + beyond, times e^start."""
    radius = start + beyond
    if d <= SMALL:
        small: FloatArray = d * np.log(radius) - beyond - math.lgamma(d + 1)
        return small
    # the same without the cancellation of two large numbers
    stirling = 0.5 * np.log(2 * np.pi * d) + 1 / (12 * d) - 1 / (360 * float(d) ** 3)
    log_ratio = np.log1p((radius - d) / d)
    near: FloatArray = d * log_ratio - (beyond + (start - d)) - stirling
    return near + start


def quantile(shape: int, exponent: float) -> float:
    """Bound a Gamma quantile whose tail is at most e^-exponent, by Chernoff's bound.

    The lower tail for a negative exponent.

    Below which, with a negative exponent: by Chernoff's bound.
    """
    target, side = abs(exponent) / shape, np.sign(exponent)
    low, high = (0.0, 1.0) if side < 0 else (0.0, 2 * target + np.sqrt(4 * target) + 1)
    for _ in range(80):
        middle = (low + high) / 2
        with np.errstate(divide="ignore"):  # log 0 = -inf: the lower end
            reached = side * middle - np.log1p(side * middle) >= target
        low, high = (low, middle) if reached else (middle, high)
    return float(shape * (1 + side * high))
