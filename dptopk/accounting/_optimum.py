"""Exact optimal composition against an adaptive adversary, rounded upwards (``optimal``)."""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dptopk.accounting._limits import SMALLEST_RANGE, TINY, Curve
from dptopk.accounting._rounds import one_round
from dptopk.core.array_types import FloatArray


def optimal_curve(eta: float, k: int, log_floor: float) -> Curve:
    """Return ln δ of the adaptive optimum, between grid points by chords in e^ε."""
    if k == 1:
        return lambda epsilon: np.log(one_round(eta, epsilon) * (1 + 1e-7) + TINY)
    step, value = adaptive_optimum(max(eta, SMALLEST_RANGE), k, log_floor)

    def log_delta(epsilon: FloatArray) -> FloatArray:
        left = np.minimum((epsilon / step).astype(int), value.size - 2)
        place = np.clip(np.expm1(epsilon - left * step) / math.expm1(step), 0.0, 1.0)
        chord = (1 - place) * value[left] + place * value[left + 1]
        log_chord: FloatArray = np.log(chord * (1 + 1e-7) + TINY)
        return log_chord

    return log_delta


def adaptive_optimum(eta: float, k: int, log_floor: float) -> tuple[float, FloatArray]:
    """Return a step h and upper bounds on V_k at 0, h, 2h, …; δ(ε) = V_k(ε).

    With privacy loss L, δ = E(1 − e^{x−L})_+ where x is the part of ε not yet spent.  Of all
    rounds with losses in [t − η, t] the one that only takes the two ends is worst, by convexity;
    E e^{−L} = 1 makes the probability of t equal p_t = (1 − e^{t−η})/(1 − e^{−η}).  An adaptive
    adversary picks t anew in each round, knowing x:

        V_j(x) = max_{0≤t≤η} p_t V_{j−1}(x − t) + (1 − p_t) V_{j−1}(x − t + η), V_0 = (1 − e^x)_+.

    Each V_j is convex in z = e^x, being a maximum of means of (1 − z e^{−L})_+.  Hence a chord in
    z between upper bounds at grid points is an upper bound: all rounding goes up.  With h = η/m
    the two ends of a round lie equally deep in their cells.  Along a cell, with w = z/(z at its
    left end), the mean is a constant − Aw − B/w with A, B ≥ 0 by convexity, so its maximum over
    the cell is at w = √(B/A), cut to the cell: exact, no search over t.

    Swapping the neighbours shows V_j(−x) = 1 − e^{−x} + e^{−x} V_j(x), so x ≥ 0 suffices.  To the
    right V is kept constant (upwards again) from where ``paper`` bounds it by τ = e^{log_floor−14};
    this changes δ by less than 1e-7 of itself.  The grid costs 0.2% of ε0 at most.
    """
    m = round(min(max(200 / math.sqrt(k), 16), 160))
    h = eta / m
    tail = 14 - max(log_floor, math.log(TINY))  # ln(1/τ)

    def reach(j: int) -> int:  # ρ + 2√(ρ ln(1/τ)) with ρ = jη²/8, in units of η; V_j = 0 from j on
        return min(j, math.ceil(j * eta / 8 + math.sqrt(j * tail / 2)))

    size = reach(k) * m
    value = np.zeros(size + 2 * m + 1)  # at x = −mh, …, (size + m)h
    value[m : 2 * m + 1] = one_round(eta, h * np.arange(m + 1, dtype=np.float64))
    mirrored = -h * np.arange(m, 0, -1)
    stay, leave, width = math.exp(-eta), -math.expm1(-eta), math.expm1(h)
    # The cells of x − t for t from η down to 0, as a column; e^{t−η} = r/w along each.
    start = -h * np.arange(m)[:, None]
    r, one_minus_r = np.exp(start), -np.expm1(start)
    r_minus_stay = -r * np.expm1(-eta - start)

    for j in range(2, k + 1):
        value[:m] = -np.expm1(mirrored) + np.exp(mirrored) * value[2 * m : m : -1]
        points = reach(j) * m + 1
        near, far = value[: points + m], value[m : points + 2 * m]  # around x − t and x − t + η
        near_slope, far_slope = np.diff(near) / width, np.diff(far) / width
        curvature = stay * far_slope - near_slope  # A
        flat = curvature <= TINY  # any place in the cell is as good
        surplus = near[:-1] - far[:-1] + leave * far_slope  # B/r − A, from small differences
        surplus = np.where(flat, 0.0, surplus) / np.where(flat, 1.0, curvature)  # B/(rA) − 1

        # One row per cell, one column per x; `place` in [0, 1] is the best depth in the cell.
        near, far, surplus = (sliding_window_view(a, points) for a in (near, far, surplus))
        above = np.maximum(r * surplus - one_minus_r, 0.0)  # w² − 1
        place = np.minimum(above / ((1 + np.sqrt(1 + above)) * width), 1.0)
        w_minus_1, rest = place * width, 1 - place
        mean = (one_minus_r + w_minus_1) * (rest * near[:-1] + place * near[1:])
        mean += (r_minus_stay - stay * w_minus_1) * (rest * far[:-1] + place * far[1:])
        value[m : m + points] = np.max(mean / (1 + w_minus_1), axis=0) / leave
        value[m + points :] = value[m + points - 1]
    return h, value[m : m + size + 1]
