"""Compute privacy curves δ(ε) of k rounds with privacy losses in a range η, by several methods."""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause

Curve = Callable[[FloatArray], FloatArray]
"""A function taken elementwise: ε ↦ ln δ, or order ↦ log moment."""

METHODS = ("basic", "paper", "cks", "renyi", "optimal")
"""The proofs, weakest first."""

MAX_ROUNDS = 10**9
OPTIMAL_MAX_ROUNDS = 300  # `local_epsilon` takes 0.3 s of one core here
OPTIMAL_MAX_RANGE = (
    30.0  # from 20 on "renyi" gives the same to nine digits for δ up to 0.1, else within 2%
)

TINY = 1e-300  # covers what underflow hides in the dynamic program
_GRID = np.linspace(0, 1, 33)
SMALLEST_RANGE = 1e-100  # below, squares vanish: the larger range bounds, ``paper`` answers


def largest_kl(eta: float) -> float:
    """Return y − 1 − ln y at y = η/(1 − e^{−η}); at most η²/8."""
    if eta < 0.1:  # the closed form cancels; alternating series, cut behind a positive term
        square = (eta / 2) ** 2
        return square / 2 - square**2 / 36 + square**3 / 405
    y = eta / -math.expm1(-eta)
    return y - 1 - math.log(y)


def log_largest_moment(eta: float, a: FloatArray) -> FloatArray:
    """Return ln M_a = ln(A/α) + a ln(aA/(αB)), with A/B = e^η (1 + (1 − e^{−η})/(e^{aη} − 1))."""
    correction = np.log1p(-math.expm1(-eta) / np.expm1(np.minimum(a * eta, 700.0)))
    log_ratio = eta + correction - np.log1p(1 / a)
    log_moment = np.log(np.expm1(-(a + 1) * eta) / ((a + 1) * math.expm1(-eta))) + a * log_ratio
    return np.minimum(log_moment, a * (a + 1) * eta**2 / 8)  # Hoeffding's, for tiny aη


def one_round(eta: float, x: FloatArray) -> FloatArray:
    """Return V_1(x) = (1 − e^{(x−η)/2})²/(1 − e^{−η}) for |x| ≤ η; the best t is (x + η)/2."""
    delta: FloatArray = np.expm1((x - eta) / 2) ** 2 / -math.expm1(-eta)
    return delta


def paper_curve(eta: float, k: int) -> Curve:
    """Return ln δ = −(ε − ρ)²/(4ρ) for ε ≥ ρ = kη²/8 (Bun, Steinke 2016, Prop. 1.3)."""
    return lambda epsilon: -2 / k * np.maximum(epsilon / eta - k * eta / 8, 0.0) ** 2


def cks_curve(eta: float, k: int) -> Curve:
    """Return ln δ of ρ-zCDP (Canonne, Kamath, Steinke 2020), ρ from the largest KL divergence."""
    eta = max(eta, SMALLEST_RANGE)
    rho = k * largest_kl(eta)
    return functools.partial(_least_over_orders, lambda a: a * (a + 1) * rho, eta)


def renyi_curve(eta: float, k: int) -> Curve:
    """Return ln δ from the largest moment of a round, to the power k."""
    eta = max(eta, SMALLEST_RANGE)
    return functools.partial(_least_over_orders, lambda a: k * log_largest_moment(eta, a), eta)


def _least_over_orders(log_moment: Curve, eta: float, epsilon: FloatArray) -> FloatArray:
    """Return inf over a > 0 of ln( e^{log_moment(a) − aε} a^a/(a+1)^{a+1} ); any a is a proof.

    The exponent is convex in a: five ever finer grids in ln a.
    """
    epsilon = np.asarray(epsilon)[..., None]
    low = np.full(epsilon.shape, math.log(1e-6))
    high = np.full(epsilon.shape, math.log(1e6) + max(0.0, -math.log(eta)))
    for _ in range(5):
        grid = low + (high - low) * _GRID
        a = np.exp(grid)
        gain, loss = log_moment(a), a * epsilon
        exponent = gain - loss - a * np.log1p(1 / a) - np.log1p(a) + 1e-15 * (gain + loss)
        best = np.argmin(exponent, axis=-1, keepdims=True)  # the last term covers rounding
        low, high = (
            low + (high - low) * _GRID[place]
            for place in (np.maximum(best - 1, 0), np.minimum(best + 1, 32))
        )
    least: FloatArray = np.min(exponent, axis=-1)
    return least


@functools.lru_cache(maxsize=32)  # a range that was searched for is asked what it spends
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
        pause()
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


_CONVERSIONS: dict[str, Callable[[float, int], Curve]] = {
    "paper": paper_curve,
    "cks": cks_curve,
    "renyi": renyi_curve,
}


def log_delta_curve(eta: float, k: int, method: str, log_floor: float) -> Curve:
    """Return the function ε ↦ ln δ(ε) of a method, accurate down to ``log_floor``."""
    pure = min(k * eta, 1.7e308)
    bounds: list[Curve] = []
    if pure < 1e15:  # else the rounding of kη is larger than what any δ buys
        names = METHODS[1 : METHODS.index(method) + 1]
        bounds = [_CONVERSIONS[name](eta, k) for name in names if name in _CONVERSIONS]
        if method == "optimal" and k <= OPTIMAL_MAX_ROUNDS and eta <= OPTIMAL_MAX_RANGE:
            bounds.append(optimal_curve(eta, k, log_floor))

    def log_delta(epsilon: FloatArray) -> FloatArray:
        inside = np.minimum(epsilon, pure)
        least = np.minimum.reduce([np.zeros_like(inside), *(bound(inside) for bound in bounds)])
        return np.where(epsilon >= pure * (1 - 1e-15), -np.inf, least)  # ε/k was rounded

    return log_delta
