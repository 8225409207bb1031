"""Sums, factorials and binomial coefficients in log space, with numpy alone.

SciPy's functions take long to load, and to call.
"""

import math
from typing import overload

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import FloatArray

_LOG_FACTORIALS = np.log([float(math.factorial(n)) for n in range(16)])
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


@overload
def logsumexp(terms: npt.ArrayLike, axis: None = None) -> float: ...


@overload
def logsumexp(terms: npt.ArrayLike, axis: int) -> FloatArray: ...


def logsumexp(terms: npt.ArrayLike, axis: int | None = None) -> float | FloatArray:
    """Return the log of the sum of e^terms over all of them or along an axis; -inf for none.

    The largest terms are taken out of the sum (Blanchard, Higham, Higham 2021,
    doi:10.1093/imanum/draa038), which keeps what the others add to 1.
    """
    terms = np.asarray(terms, dtype=np.float64)
    largest = terms.max(axis=axis, keepdims=True, initial=-np.inf)
    others = terms != largest
    # where no term is left out, -inf - -inf would be nan
    below = np.subtract(terms, largest, where=others, out=np.full_like(terms, -np.inf))
    n_largest = terms.shape[axis] if axis is not None else terms.size
    n_largest = n_largest - np.count_nonzero(others, axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):  # log 0 = -inf: there are no terms
        log_n = np.log(n_largest)
    rest = np.exp(below).sum(axis=axis, keepdims=True) / np.maximum(n_largest, 1)
    result: FloatArray = (np.log1p(rest) + log_n + largest).squeeze(axis)
    return result if result.ndim else float(result)


def log_factorial(n: npt.ArrayLike) -> FloatArray:
    """Return the log of n!, elementwise, for whole numbers n >= 0 given as floats."""
    n = np.asarray(n, dtype=np.float64)
    small: FloatArray = _LOG_FACTORIALS[np.minimum(n, len(_LOG_FACTORIALS) - 1).astype(np.int64)]
    if n.max(initial=0) < len(_LOG_FACTORIALS):
        return small
    x = np.maximum(n + 1, len(_LOG_FACTORIALS))
    large = (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + stirling_correction(x)
    result: FloatArray = np.where(n < len(_LOG_FACTORIALS), small, large)
    return result


def stirling_correction(x: FloatArray) -> FloatArray:
    """Return the correction term of Stirling's formula for log gamma(x), x >= 16."""
    inverse, square = 1 / x, 1 / (x * x)
    total = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        total *= square
        total += coefficient
    return total * inverse


_SMALL_GAMMA = 16.0  # below, the series is not good enough, and the logarithms are small


def log_binomial(n: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
    """Return the log of "n choose m", elementwise; -inf where m is negative or above n.

    A difference of log-gammas at n = 10^9 has an error of 10^-6; here their large parts are
    taken off by hand (Stirling's series), so that it stays near 10^-13 for m in the hundreds.
    """
    n, m = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64))
    possible = (m >= 0) & (m <= n)
    chosen = np.where(possible, np.minimum(m, n - m), 0.0)
    rest = np.where(possible, n - chosen, 0.0) + 1
    result: FloatArray = _log_rising(rest, chosen) - log_factorial(chosen)
    return np.where(possible, result, -np.inf)


def _log_rising(x: FloatArray, m: FloatArray) -> FloatArray:
    """Return the log of gamma(x + m) / gamma(x) for x >= 1, m >= 0."""
    large = np.maximum(x, _SMALL_GAMMA)
    series = (large - 0.5) * np.log1p(m / large) + m * np.log(large + m) - m
    corrections = stirling_correction(np.stack([large + m, large]))
    series += corrections[0] - corrections[1]
    small = x < _SMALL_GAMMA
    if not small.any():
        return series
    return np.where(small, log_factorial(x + m - 1) - log_factorial(x - 1), series)
