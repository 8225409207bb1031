"""Logarithms of binomial coefficients, accurate to a few units in the last place."""

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import FloatArray
from dptopk.core.log_space import log_factorial, stirling_correction

_SMALL = 16.0  # below, the series is not good enough, and the logarithms are small


def log_binomial(n: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
    """Return the log of "n choose m", elementwise; -inf where m is negative or above n.

    A difference of log-gammas at n = 10^9 has an error of 10^-6; here their large parts are
    taken off by hand (Stirling's series), so that it stays near 10^-13 for m in the hundreds.

    Parameters
    ----------
    n, m : array_like of int, broadcast against each other
        Whole numbers, n at least 0.

    Returns
    -------
    numpy.ndarray of float64
    """
    n, m = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64))
    possible = (m >= 0) & (m <= n)
    chosen = np.where(possible, np.minimum(m, n - m), 0.0)
    rest = np.where(possible, n - chosen, 0.0) + 1
    result: FloatArray = _log_rising(rest, chosen) - log_factorial(chosen)
    return np.where(possible, result, -np.inf)


def _log_rising(x: FloatArray, m: FloatArray) -> FloatArray:
    """Return the log of gamma(x + m) / gamma(x) for x >= 1, m >= 0."""
    large = np.maximum(x, _SMALL)
    series = (large - 0.5) * np.log1p(m / large) + m * np.log(large + m) - m
    series += stirling_correction(large + m) - stirling_correction(large)
    return np.where(x < _SMALL, log_factorial(x + m - 1) - log_factorial(x - 1), series)
