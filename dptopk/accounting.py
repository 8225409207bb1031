"""Privacy of k adaptive rounds, each of bounded range: composition and calibration.

A mechanism is **η-range-bounded** if, on any two neighbours, the log-ratios of its outputs'
probabilities fit into an interval of length η.  The exponential mechanism with weights exp(ε0 c)
on counts c is, with η = ε0 under add/remove (Durfee, Rogers 2019, arXiv 1905.04273), and k rounds
of it peel off a top-k.  For k rounds of range η, each chosen freely after seeing the outputs
before it: what (ε, δ) do they spend, and which η does a budget allow?  Five proofs, weakest first:

``basic``
    ε = kη with δ = 0.  Below kη it promises nothing (δ = 1).
``paper``
    ρ = kη²/8 zero-concentrated DP, converted by ε = ρ + 2√(ρ ln(1/δ)) (Bun, Steinke 2016,
    arXiv 1605.02065, Prop. 1.3).  Lemma 4.2 of Gillenwater, Joseph, Muñoz Medina, Ribero 2022,
    arXiv 2201.12333.
``cks``
    ρ = k(y − 1 − ln y), y = η/(1 − e^{−η}), k times the largest KL divergence of a round (Dong,
    Durfee, Rogers 2020, arXiv 1909.13830; Cesar, Rogers 2021, arXiv 2004.07223), converted by
    δ = inf_{α>1} e^{a(αρ−ε)} a^a/α^α, a = α − 1 (Canonne, Kamath, Steinke 2020, arXiv 2004.00010).
``renyi``
    The same conversion of the largest moment of a round itself, M_a = sup E e^{aL} =
    (A/α)(aA/(αB))^a, A = (1 − e^{−αη})/(1 − e^{−η}), B = e^{−η}(1 − e^{−aη})/(1 − e^{−η}):
    δ = inf_a M_a^k e^{−aε} a^a/α^α.  Adaptive, since every conditional moment is at most M_a.
``optimal``
    The worst that an adaptive adversary can do, by a dynamic program rounded upwards, so again a
    proof (see `_adaptive_optimum`).  Above `OPTIMAL_MAX_ROUNDS` rounds it answers with ``renyi``,
    and above the range `OPTIMAL_MAX_RANGE`, where the two agree.

A later proof never gives a worse answer: each bound on δ is the least of those up to it, and each
search starts from the answer before it.

Limits: η is the range for the neighbours in question (2ε0 for the exponential mechanism under
swap).  The optimum is over all adaptive range-bounded rounds; peeling itself may spend less.
Extreme floats cost tightness, not validity: from kη = 1e15 on only ``basic`` is left.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import brentq

from dptopk import _validate

METHODS = ("basic", "paper", "cks", "renyi", "optimal")
"""The proofs, weakest first."""

MAX_ROUNDS = 10**9
OPTIMAL_MAX_ROUNDS = 300  # `local_epsilon` takes 0.3 s of one core here
OPTIMAL_MAX_RANGE = 30.0  # from 20 on, "renyi" is as good to nine digits

_TINY = 1e-300  # covers what underflow hides in the dynamic program
_SMALLEST_RANGE = 1e-100  # below, squares vanish: the larger range bounds, ``paper`` answers


def local_epsilon(epsilon: float, delta: float, k: int, method: str) -> float:
    """Return the largest range ε0 a round may have: k such rounds are (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Total privacy loss in natural-log units, finite and above 0.
    delta : float
        Total probability of exceeding it, in [0, 1).
    k : int
        Number of rounds, in [1, 10**9].
    method : str
        The proof, one of `METHODS`.

    Returns
    -------
    float
        ε0, at least ε/k, and exactly that at δ = 0.  For ``paper``, with L = ln(1/δ), the root of
        its quadratic without cancellation: ε0 = (8ε/k) / (√((8L + 8ε)/k) + √(8L/k)).  Else found
        numerically, to 1e-7; the bound on δ, evaluated at this very ε0, is at most ``delta``.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range or of the wrong kind.
    """
    epsilon = _validate.positive("epsilon", epsilon)
    delta = _validate.probability("delta", delta)
    k = _validate.integer("k", k, 1, MAX_ROUNDS)
    return _calibrated(epsilon, delta, k, _validate.choice("method", method, METHODS))


def spent_epsilon(local_epsilon: float, k: int, delta: float, method: str) -> float:
    """Return the ε that k rounds of one range spend at δ: they are (result, delta)-DP.

    Parameters
    ----------
    local_epsilon : float
        Range η of each round in natural-log units, finite and above 0.
    k, delta, method
        As for `local_epsilon`, and so are the errors raised.

    Returns
    -------
    float
        ε, at most kη, and exactly that at δ = 0; zero if ``delta`` covers the total variation.
    """
    eta = _validate.positive("local_epsilon", local_epsilon)
    k = _validate.integer("k", k, 1, MAX_ROUNDS)
    delta = _validate.probability("delta", delta)
    return _spent(eta, k, delta, _validate.choice("method", method, METHODS))


def spent_delta(local_epsilon: float, k: int, epsilon, method: str):
    """Return the δ that k rounds of one range spend at ε: they are (epsilon, result)-DP.

    Parameters
    ----------
    local_epsilon : float
        Range η of each round in natural-log units, finite and above 0.
    epsilon : float or array_like of float
        Privacy loss in natural-log units, each finite and above 0.  A whole curve costs one
        dynamic program.
    k, method
        As for `local_epsilon`, and so are the errors raised.

    Returns
    -------
    float or ndarray of float64
        δ in [0, 1], in the shape of ``epsilon``; zero from kη on.
    """
    eta = _validate.positive("local_epsilon", local_epsilon)
    k = _validate.integer("k", k, 1, MAX_ROUNDS)
    method = _validate.choice("method", method, METHODS)
    if np.ndim(epsilon) == 0:
        checked = np.array(_validate.positive("epsilon", epsilon))
    else:
        entries = enumerate(np.ravel(epsilon))
        checked = np.array([_validate.positive(f"epsilon[{i}]", x) for i, x in entries], float)
    # "renyi" comes first: it tells how small a δ the dynamic program has to resolve.
    known = _log_delta_curve(eta, k, min(method, "renyi", key=METHODS.index), 0.0)(checked)
    if method == "optimal":
        lowest = np.min(known, initial=0.0, where=np.isfinite(known))
        known = _log_delta_curve(eta, k, method, float(lowest))(checked)
    delta = np.exp(known).reshape(np.shape(epsilon))
    return delta if delta.ndim else float(delta)


@functools.lru_cache(maxsize=1024)
def _calibrated(epsilon: float, delta: float, k: int, method: str) -> float:
    """`local_epsilon` of checked arguments."""
    if method == "basic" or delta == 0:
        return epsilon / k
    start = _calibrated(epsilon, delta, k, METHODS[METHODS.index(method) - 1])
    log_delta = math.log(delta)
    if method == "paper":
        budget, tail = epsilon / k, -log_delta / k
        return max(start, budget / (math.sqrt((tail + budget) / 8) + math.sqrt(tail / 8)))
    if start < _SMALLEST_RANGE:
        return start

    @functools.cache
    def log_delta_at(eta):
        return float(_log_delta_curve(eta, k, method, log_delta)(np.array(epsilon)))

    # From here on a single round spends δ/(1 − e^{−η}) > δ at ε, see `_one_round`.
    ceiling = max(start, epsilon - 2 * math.log((1 - delta) / (1 + math.sqrt(delta))))
    bad = min(1.1 * start, ceiling)
    while bad < ceiling and log_delta_at(bad) <= log_delta:
        start, bad = bad, min(1.5 * bad, ceiling)
    return _last_proven(log_delta_at, log_delta, start, bad)


def _spent(eta: float, k: int, delta: float, method: str) -> float:
    """`spent_epsilon` of checked arguments."""
    if method == "basic" or delta == 0:
        return min(k * eta, 1.7e308)
    start = _spent(eta, k, delta, METHODS[METHODS.index(method) - 1])
    log_delta = math.log(delta)
    if method == "paper":
        return min(start, k * eta * eta / 8 + eta * math.sqrt(-k * log_delta / 2))
    if start < _SMALLEST_RANGE:
        return start
    curve = _log_delta_curve(eta, k, method, log_delta)
    return _last_proven(lambda x: float(curve(np.array(x))), log_delta, start, 0.0)


def _last_proven(log_delta_at: Callable, log_delta: float, good: float, bad: float) -> float:
    """Return the point next to ``bad``, on the side of ``good``, with ln δ at most ``log_delta``.

    The root search aims a little lower in δ, so that its own error stays within the line.
    """
    aim = log_delta * (1 + 1e-7)
    if log_delta_at(bad) <= log_delta:
        return bad
    if log_delta_at(good) >= aim:
        return good

    def gap(point):  # ln(−ln δ) is close to linear in ln η and in ln ε; ln δ may be 0 or −∞
        return min(max(math.log(max(-log_delta_at(point), _TINY) / -aim), -4.0), 4.0)

    root = brentq(gap, good, bad, xtol=1e-8 * good, rtol=1e-8)
    share = 1e-8
    while log_delta_at(root) > log_delta:
        root, share = root + share * (good - root), min(2 * share, 1.0)
    return root


def _log_delta_curve(eta: float, k: int, method: str, log_floor: float) -> Callable:
    """Return the function ε ↦ ln δ(ε) of a method, accurate down to ``log_floor``."""
    pure = min(k * eta, 1.7e308)
    bounds = []
    if pure < 1e15:  # else the rounding of kη is larger than what any δ buys
        makers = {"paper": _paper_curve, "cks": _cks_curve, "renyi": _renyi_curve}
        names = METHODS[1 : METHODS.index(method) + 1]
        bounds = [makers[name](eta, k) for name in names if name in makers]
        if method == "optimal" and k <= OPTIMAL_MAX_ROUNDS and eta <= OPTIMAL_MAX_RANGE:
            bounds.append(_optimal_curve(eta, k, log_floor))

    def log_delta(epsilon):
        inside = np.minimum(epsilon, pure)
        least = np.minimum.reduce([np.zeros_like(inside), *(bound(inside) for bound in bounds)])
        return np.where(epsilon >= pure * (1 - 1e-15), -np.inf, least)  # ε/k was rounded

    return log_delta


def _paper_curve(eta: float, k: int) -> Callable:
    """Return ln δ = −(ε − ρ)²/(4ρ) for ε ≥ ρ = kη²/8 (Bun, Steinke 2016, Prop. 1.3)."""
    return lambda epsilon: -2 / k * np.maximum(epsilon / eta - k * eta / 8, 0.0) ** 2


def _cks_curve(eta: float, k: int) -> Callable:
    """Return ln δ of ρ-zCDP (Canonne, Kamath, Steinke 2020), ρ from the largest KL divergence."""
    eta = max(eta, _SMALLEST_RANGE)
    rho = k * _largest_kl(eta)
    return functools.partial(_least_over_orders, lambda a: a * (a + 1) * rho, eta)


def _renyi_curve(eta: float, k: int) -> Callable:
    """Return ln δ from the largest moment of a round, to the power k."""
    eta = max(eta, _SMALLEST_RANGE)
    return functools.partial(_least_over_orders, lambda a: k * _log_largest_moment(eta, a), eta)


def _largest_kl(eta: float) -> float:
    """Return y − 1 − ln y at y = η/(1 − e^{−η}); at most η²/8."""
    if eta < 0.1:  # the closed form cancels; alternating series, cut behind a positive term
        square = (eta / 2) ** 2
        return square / 2 - square**2 / 36 + square**3 / 405
    y = eta / -math.expm1(-eta)
    return y - 1 - math.log(y)


def _log_largest_moment(eta: float, a: np.ndarray) -> np.ndarray:
    """Return ln M_a = ln(A/α) + a ln(aA/(αB)), with A/B = e^η (1 + (1 − e^{−η})/(e^{aη} − 1))."""
    correction = np.log1p(-math.expm1(-eta) / np.expm1(np.minimum(a * eta, 700.0)))
    log_ratio = eta + correction - np.log1p(1 / a)
    log_moment = np.log(np.expm1(-(a + 1) * eta) / ((a + 1) * math.expm1(-eta))) + a * log_ratio
    return np.minimum(log_moment, a * (a + 1) * eta**2 / 8)  # Hoeffding's, for tiny aη


def _least_over_orders(log_moment: Callable, eta: float, epsilon: np.ndarray) -> np.ndarray:
    """Return inf over a > 0 of ln( e^{log_moment(a) − aε} a^a/(a+1)^{a+1} ); any a is a proof.

    The exponent is convex in a: five ever finer grids in ln a.
    """
    epsilon = np.asarray(epsilon)[..., None]
    low = np.full(epsilon.shape, math.log(1e-6))
    high = np.full(epsilon.shape, math.log(1e6) + max(0.0, -math.log(eta)))
    for _ in range(5):
        grid = low + (high - low) * np.linspace(0, 1, 33)
        a = np.exp(grid)
        gain, loss = log_moment(a), a * epsilon
        exponent = gain - loss - a * np.log1p(1 / a) - np.log1p(a) + 1e-15 * (gain + loss)
        best = np.argmin(exponent, axis=-1, keepdims=True)  # the last term covers rounding
        low = np.take_along_axis(grid, np.maximum(best - 1, 0), -1)
        high = np.take_along_axis(grid, np.minimum(best + 1, 32), -1)
    return np.min(exponent, axis=-1)


def _one_round(eta: float, x: np.ndarray) -> np.ndarray:
    """Return V_1(x) = (1 − e^{(x−η)/2})²/(1 − e^{−η}) for |x| ≤ η; the best t is (x + η)/2."""
    return np.expm1((x - eta) / 2) ** 2 / -math.expm1(-eta)


def _optimal_curve(eta: float, k: int, log_floor: float) -> Callable:
    """Return ln δ of the adaptive optimum, between grid points by chords in e^ε."""
    if k == 1:
        return lambda epsilon: np.log(_one_round(eta, epsilon) * (1 + 1e-7) + _TINY)
    step, value = _adaptive_optimum(max(eta, _SMALLEST_RANGE), k, log_floor)

    def log_delta(epsilon):
        left = np.minimum((epsilon / step).astype(int), value.size - 2)
        place = np.clip(np.expm1(epsilon - left * step) / math.expm1(step), 0.0, 1.0)
        chord = (1 - place) * value[left] + place * value[left + 1]
        return np.log(chord * (1 + 1e-7) + _TINY)

    return log_delta


def _adaptive_optimum(eta: float, k: int, log_floor: float) -> tuple[float, np.ndarray]:
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
    this changes δ by less than 1e-7 of itself.  The grid costs 0.2 % of ε0 at most.
    """
    m = round(min(max(200 / math.sqrt(k), 16), 160))
    h = eta / m
    tail = 14 - max(log_floor, math.log(_TINY))  # ln(1/τ)

    def reach(j):  # ρ + 2√(ρ ln(1/τ)) with ρ = jη²/8, in units of η; V_j = 0 from j on
        return min(j, math.ceil(j * eta / 8 + math.sqrt(j * tail / 2)))

    size = reach(k) * m
    value = np.zeros(size + 2 * m + 1)  # at x = −mh, …, (size + m)h
    value[m : 2 * m + 1] = _one_round(eta, h * np.arange(m + 1))
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
        flat = curvature <= _TINY  # any place in the cell is as good
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
