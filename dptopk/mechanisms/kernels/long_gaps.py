"""Integrate products of exponentials over nested intervals, in closed form at any length.

Going down a stretch, t from 0 to its length, let H_r' = kappa_r e^(-slope_r t) H_{r-1}.  With
S_r = slope_1 + ... + slope_r the h_r = H_r e^(S_r t) solve h' = h B, B with diagonal S and kappa
above it: H at the end is H at the start times a matrix exponential, of which all terms are
positive.  It is squared up from a short stretch, each entry as a multiple of e^(t max S between
its row and column): what is left are differences of whole numbers in the exponent, exact at any
length.
"""

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray

WIDEST = 16
"""Largest number of places that may lie within one stretch."""

_WIDE = 8  # that may of more places: each costs the probability of lying far from all counts
_N_TERMS = 22


def ways(
    log_kappa: FloatArray, slopes: FloatArray, falls: BoolArray, length: float
) -> list[FloatArray]:
    """Return the log of the contribution of H_{r-q} at the start to H_r at the end, by q from 0.

    H_r itself is kept.  Of shape (m, k): ``log_kappa``, where ``falls`` of what the integrand's
    factor is at the end instead; ``slopes``, whole numbers, the factor being proportional to
    e^(-slope t); ``falls`` where it grows along the stretch, with slope -1.
    """
    kinds, which = np.unique(np.hstack([slopes, falls]), axis=0, return_inverse=True)
    k = slopes.shape[1]
    steps = np.pad(np.cumsum(kinds[:, :k], axis=1), ((0, 0), (1, 0)))
    n_falls = np.pad(np.cumsum(kinds[:, k:], axis=1), ((0, 0), (1, 0)))
    width = k if k <= WIDEST else _WIDE
    highest, log_e = _exponential(steps, width, length)
    result = []
    for q in range(1, width + 1):
        exponent = highest[q] - steps[:, q:] - (n_falls[:, q:] - n_falls[:, :-q])
        log_factor = log_e[q] + np.where(exponent < 0, exponent * length, 0.0)
        added = np.lib.stride_tricks.sliding_window_view(log_kappa, q, axis=1).sum(axis=2)
        result.append(added + log_factor[which.reshape(-1)])
    return result


def _exponential(
    steps: FloatArray, width: int, length: float
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the diagonals q = 0, ..., width of exp(length B) with kappa = 1.

    The i-th entry of the q-th diagonal is e^(length highest) times e^log.
    """
    n = steps.shape[1]
    highest = [steps]
    for q in range(1, width + 1):
        highest.append(np.maximum(highest[q - 1][:, :-1], steps[:, q:]))
    low = steps.min()
    doublings = max(0, int(np.ceil(np.log2(length) + np.log2(steps.max() - low + 1))))
    t = length * 0.5**doublings
    term = [np.ones_like(steps)] + [np.zeros((len(steps), n - q)) for q in range(1, width + 1)]
    sums = [x.copy() for x in term]
    for order in range(1, _N_TERMS + width):
        # times t (B - low) / order, from the right: along the diagonal and one above it
        term = [
            t / order * (term[q] * (steps[:, q:] - low) + (term[q - 1][:, :-1] if q else 0.0))
            for q in range(width + 1)
        ]
        sums = [a + b for a, b in zip(sums, term, strict=True)]
    e = [x * np.exp((low - top) * t) for x, top in zip(sums, highest, strict=True)]
    e[0] = np.ones_like(steps)  # exactly: any rounding would be raised to the power 2^doublings
    for _ in range(doublings):
        twice = [e[0]]
        for q in range(1, width + 1):
            square = np.zeros_like(e[q])
            for p in range(q + 1):
                left, right = slice(0, n - q), slice(p, p + n - q)
                exponent = highest[p][:, left] + highest[q - p][:, right] - 2 * highest[q]
                weight = np.exp(np.where(exponent < 0, exponent * t, 0.0))
                square += e[p][:, left] * e[q - p][:, right] * weight
            twice.append(square)
        e, t = twice, 2 * t
    with np.errstate(divide="ignore"):  # log 0 = -inf: too unlikely for a float
        return highest, [np.log(x) for x in e]
