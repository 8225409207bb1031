"""Convert between the ε of one round and the (ε, δ) of k rounds, by the privacy curve."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from dptopk.accounting._curves import MAX_ROUNDS, METHODS, SMALLEST_RANGE, TINY, log_delta_curve
from dptopk.core import validation
from dptopk.core.array_types import FloatArray


def local_epsilon(epsilon: float, delta: float, k: int, method: str) -> float:
    """Return the largest range ε0 of a round such that k rounds are (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Total privacy loss in natural-log units, finite and above 0.
    delta : float
        Extra probability of any set of outputs of all rounds beyond e^epsilon times, in [0, 1).
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

    Examples
    --------
    >>> from dptopk import local_epsilon
    >>> round(local_epsilon(1.0, 1e-6, k=10, method="optimal"), 4)
    0.1533
    """
    epsilon = validation.positive("epsilon", epsilon)
    delta = validation.probability("delta", delta)
    k = validation.integer("k", k, 1, MAX_ROUNDS)
    return _calibrated(epsilon, delta, k, validation.choice("method", method, METHODS))


def spent_epsilon(local_epsilon: float, k: int, delta: float, method: str) -> float:
    """Return the smallest proven ε such that k rounds of one range are (ε, delta)-DP.

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

    Examples
    --------
    >>> from dptopk import spent_epsilon
    >>> round(spent_epsilon(0.1, k=10, delta=1e-6, method="optimal"), 4)
    0.6343
    """
    eta = validation.positive("local_epsilon", local_epsilon)
    k = validation.integer("k", k, 1, MAX_ROUNDS)
    delta = validation.probability("delta", delta)
    return _spent(eta, k, delta, validation.choice("method", method, METHODS))


@overload
def spent_delta(local_epsilon: float, k: int, epsilon: float, method: str) -> float: ...
@overload
def spent_delta(
    local_epsilon: float, k: int, epsilon: Sequence[Any] | npt.NDArray[Any], method: str
) -> FloatArray: ...
def spent_delta(
    local_epsilon: float, k: int, epsilon: npt.ArrayLike, method: str
) -> float | FloatArray:
    """Return the smallest proven δ such that k rounds of one range are (epsilon, δ)-DP.

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

    Examples
    --------
    >>> from dptopk import spent_delta
    >>> print(f"{spent_delta(0.1, k=10, epsilon=0.5, method='optimal'):.2g}")
    4.4e-05
    """
    eta = validation.positive("local_epsilon", local_epsilon)
    k = validation.integer("k", k, 1, MAX_ROUNDS)
    method = validation.choice("method", method, METHODS)
    if np.ndim(epsilon) == 0:
        checked = np.array(validation.positive("epsilon", epsilon))
    else:
        entries = enumerate(np.ravel(epsilon))
        checked = np.array([validation.positive(f"epsilon[{i}]", x) for i, x in entries], float)
    # "renyi" comes first: it tells how small a δ the dynamic program has to resolve.
    known = log_delta_curve(eta, k, min(method, "renyi", key=METHODS.index), 0.0)(checked)
    if method == "optimal":
        lowest = np.min(known, initial=0.0, where=np.isfinite(known))
        known = log_delta_curve(eta, k, method, float(lowest))(checked)
    delta = np.exp(known).reshape(np.shape(epsilon))
    return delta if delta.ndim else float(delta)


@functools.lru_cache(maxsize=1024)
def _calibrated(epsilon: float, delta: float, k: int, method: str) -> float:
    if method == "basic" or delta == 0:
        return epsilon / k
    start = _calibrated(epsilon, delta, k, METHODS[METHODS.index(method) - 1])
    log_delta = math.log(delta)
    if method == "paper":
        budget, tail = epsilon / k, -log_delta / k
        return max(start, budget / (math.sqrt((tail + budget) / 8) + math.sqrt(tail / 8)))
    if start < SMALLEST_RANGE:
        return start

    @functools.cache
    def log_delta_at(eta: float) -> float:
        return float(log_delta_curve(eta, k, method, log_delta)(np.array(epsilon)))

    # From here on a single round spends δ/(1 − e^{−η}) > δ at ε, see `one_round`.
    ceiling = max(start, epsilon - 2 * math.log((1 - delta) / (1 + math.sqrt(delta))))
    bad = min(1.1 * start, ceiling)
    while bad < ceiling and log_delta_at(bad) <= log_delta:
        start, bad = bad, min(1.5 * bad, ceiling)
    return _last_proven(log_delta_at, log_delta, start, bad)


@functools.lru_cache(maxsize=1024)
def _spent(eta: float, k: int, delta: float, method: str) -> float:
    if method == "basic" or delta == 0:
        return min(k * eta, 1.7e308)
    start = _spent(eta, k, delta, METHODS[METHODS.index(method) - 1])
    log_delta = math.log(delta)
    if method == "paper":
        return min(start, k * eta * eta / 8 + eta * math.sqrt(-k * log_delta / 2))
    if start < SMALLEST_RANGE:
        return start
    curve = log_delta_curve(eta, k, method, log_delta)
    return _last_proven(lambda x: float(curve(np.array(x))), log_delta, start, 0.0)


def _last_proven(
    log_delta_at: Callable[[float], float], log_delta: float, good: float, bad: float
) -> float:
    """Return the point next to ``bad``, on the side of ``good``, with ln δ at most ``log_delta``.

    The root search aims a little lower in δ, so that its own error stays within the line.
    """
    aim = log_delta * (1 + 1e-7)
    if log_delta_at(bad) <= log_delta:
        return bad
    if log_delta_at(good) >= aim:
        return good

    def gap(
        point: float,
    ) -> float:  # ln(−ln δ) is close to linear in ln η and in ln ε; ln δ may be 0 or −∞
        return min(max(math.log(max(-log_delta_at(point), TINY) / -aim), -4.0), 4.0)

    from scipy.optimize import brentq  # slow to load

    root = brentq(gap, good, bad, xtol=1e-8 * good, rtol=1e-8)
    share = 1e-8
    while log_delta_at(root) > log_delta:
        root, share = root + share * (good - root), min(2 * share, 1.0)
    return root
