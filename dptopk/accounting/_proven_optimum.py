"""Compute upper bounds on δ that hold despite rounding, by interval arithmetic."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx, fmpq
from numpy.lib.stride_tricks import sliding_window_view

from dptopk.accounting._curves import (
    OPTIMAL_MAX_RANGE,
    OPTIMAL_MAX_ROUNDS,
    TINY,
    log_largest_moment,
)
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause

_PRECISION = 128
_SLACK = 1e-14  # 90 units of rounding, for fewer than 40 operations


def delta_at_most(eta: Fraction, k: int, epsilon: Fraction, about: float) -> float:
    """Return an upper bound on the delta at which k rounds of range eta are (epsilon, delta)-DP.

    Sharp where that is not far from ``about``.
    """
    from scipy.optimize import minimize_scalar  # slow to load

    def log_delta(log_a: float) -> float:
        a = math.exp(log_a)
        gain = k * float(log_largest_moment(float(eta), np.array(a)))
        return gain - a * float(epsilon) - a * math.log1p(1 / a) - math.log1p(a)

    ends = (math.log(1e-6), math.log(1e6) - min(0.0, math.log(eta)))
    best = minimize_scalar(log_delta, bounds=ends, method="bounded", options={"xatol": 1e-9}).x
    bounds = [renyi_delta(eta, k, epsilon, math.exp(best))]
    if k <= OPTIMAL_MAX_ROUNDS and eta <= OPTIMAL_MAX_RANGE:
        bounds.append(optimal_delta(eta, k, epsilon, math.log(about)))
    return min(bounds)


def renyi_delta(eta: Fraction, k: int, epsilon: Fraction, a: float) -> float:
    """Return an upper bound on M_a^k e^(-a epsilon) a^a / (a + 1)^(a + 1).

    Any order a > 0 is a proof that k rounds of range eta are (epsilon, result)-DP; see `accounting`
    for M_a.
    """
    with ctx.workprec(_PRECISION):
        order, more = arb(a), arb(a) + 1
        x, budget = _ball(eta), _ball(epsilon)
        ratio = order / more * (-more * x).expm1() / ((-x).exp() * (-order * x).expm1())
        log_moment = ((-more * x).expm1() / (-x).expm1() / more).log()
        log_moment += order * ratio.log()
        log_delta = k * log_moment - order * budget + order * order.log() - more * more.log()
        return _above(log_delta.exp())


def optimal_delta(eta: Fraction, k: int, epsilon: Fraction, log_floor: float) -> float:
    """Return an upper bound on V_k(epsilon), the worst of an adaptive adversary in k rounds.

    The recursion of `adaptive_optimum`, with V_j at grid points replaced by doubles that are not
    below it.  Along a cell of t, with w = e^(x - t) over its value at the left end, 1 <= w <= W,
    the mean is C - A w - B / w with A, B from the four corners.  For B >= 0 its tangent at any w0
    lies above it, so that the mean at w0 and the largest rise of the tangent bound it, whatever the
    rounding of w0; where B < 0, -B (W - 1) more does.  The mean is a sum of positive terms, and the
    rise W - 1 times terms of the sizes that are summed there.  Each is computed in fewer than 40
    operations, off by at most 2^-53 of their results, on constants that are off by as much:
    together by less than `_SLACK` of mean and sizes, which is added.
    """
    if k == 1:  # V_1 in closed form
        with ctx.workprec(_PRECISION):
            x = _ball(eta)
            return _above(((_ball(epsilon) - x) / 2).expm1() ** 2 / -(-x).expm1())
    m = round(min(max(200 / math.sqrt(k), 16), 160))
    tail = 14 - max(log_floor, math.log(TINY))
    width = float(eta)

    def reach(j: int) -> int:
        return min(j, math.ceil(j * width / 8 + math.sqrt(j * tail / 2)))

    size = reach(k) * m
    value = np.zeros(size + 2 * m + 1)  # at x = -mh, ..., (size + m)h
    with ctx.workprec(_PRECISION):
        h = _ball(eta) / m
        one_round = [((i * h - m * h) / 2).expm1() ** 2 / -(-m * h).expm1() for i in range(m + 1)]
        value[m : 2 * m + 1] = [_above(delta) for delta in one_round]
        value[2 * m] = 0.0
        cells, leave = _Cells.of(h, m), _nearest(-(-m * h).expm1())
        mirror = np.array([_nearest((-i * h).exp()) for i in range(m, 0, -1)])
        missing = np.array([_nearest(-(-i * h).expm1()) for i in range(m, 0, -1)])
        place = epsilon * m / eta
        left = math.floor(place)
        depth = float((((_ball(place) - left) * h).expm1() / h.expm1()).lower())

    for j in range(2, k + 1):
        pause()
        value[:m] = (missing + mirror * value[2 * m : m : -1]) * (1 + _SLACK)
        points = reach(j) * m + 1
        near, far = value[: points + m], value[m : points + 2 * m]
        near, far = (sliding_window_view(ends, points) for ends in (near, far))
        means = cells.largest(near[:-1], near[1:], far[:-1], far[1:]) / leave
        bound = means.max(axis=0) * (1 + _SLACK) + TINY
        value[m : m + points] = bound
        value[m + points :] = value[m + points - 1]
    at = value[m + min(left, size) :]
    chord = (1 - depth) * at[0] + depth * at[1]
    return float(chord * (1 + _SLACK) + TINY)


@dataclass(frozen=True)
class _Cells:
    """Cells of t, shape (m, 1), and what a round does there."""

    r: FloatArray  # e^(t - eta) w, from t = 0 on backwards
    one_minus_r: FloatArray
    r_minus_stay: FloatArray
    stay: float  # e^-eta
    step: float  # W - 1

    @classmethod
    def of(cls, h: arb, m: int) -> "_Cells":
        """Compute what is needed of m cells of width h."""
        places = range(m)
        stay = (-m * h).exp()
        r, one_minus_r, r_minus_stay = (
            np.array([_nearest(x) for x in column])[:, None]
            for column in (
                [(-i * h).exp() for i in places],
                [-(-i * h).expm1() for i in places],
                [(-i * h).exp() - stay for i in places],
            )
        )
        return cls(r, one_minus_r, r_minus_stay, _nearest(stay), _nearest(h.expm1()))

    def largest(self, n0: FloatArray, n1: FloatArray, f0: FloatArray, f1: FloatArray) -> FloatArray:
        """Bound (1 - R / w) N(w) + (R / w - stay) F(w) over 1 <= w <= W, from above.

        N and F are chords with these values at w = 1 and w = W.
        """
        step, stay = self.step, self.stay
        n_slope, f_slope = (n1 - n0) / step, (f1 - f0) / step
        a, b = stay * f_slope - n_slope, self.r * (n0 - f0 - n_slope + f_slope)
        positive = np.maximum(b, 0.0)
        best = np.sqrt(positive / np.where(a > TINY, a, 1.0)) - 1
        above = np.clip(np.where(a > TINY, best, 0.0), 0.0, step)  # w0 - 1: any will do
        w, place = 1 + above, above / step
        mean = (self.one_minus_r + above) * ((1 - place) * n0 + place * n1)
        mean += (self.r_minus_stay - stay * above) * ((1 - place) * f0 + place * f1)
        mean /= w
        slope = positive / (w * w) - a
        rise = np.maximum(slope * (step - above), -slope * above)
        sizes = n0 + f0 + 2 * (np.abs(n_slope) + np.abs(f_slope))
        rest: FloatArray = np.maximum(rise, 0.0) + (positive - b + _SLACK * sizes) * step
        largest: FloatArray = mean * (1 + _SLACK) + rest
        return largest


def _ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def _nearest(enclosure: arb) -> float:
    """Return a double next to a number that is enclosed to far more digits."""
    return float(enclosure.mid())


def _above(enclosure: arb) -> float:
    """Return a double that is not below an enclosure of a non-negative number."""
    return math.nextafter(float(enclosure.upper()), math.inf)
