"""Synthetic counts that replace data of which only a few totals are known."""

import math

import numpy as np

from dptopk.core import validation
from dptopk.core.counts import ItemCounts
from dptopk.data.synthetic_counts import MAX_D, SYNTHETIC_SHAPES, synthetic

_SUMMED = 1_000  # terms of a sum of powers that are added one by one; the rest as an integral


def zipf_like(d: int, top: int, total: int) -> ItemCounts:
    """Return Zipf counts of so many items, with this largest count and nearly this total.

    A stand-in for counts of which only these three numbers are known.  The exponent is that at
    which the total is right before counts are rounded, or the nearest that the shape takes.

    Parameters
    ----------
    d : int
        Number of items, in ``[1, 10_000_000]``.
    top : int
        Count of the largest item, in users, in ``[1, 10**12]``.
    total : int
        Sum of the counts, in users, in ``[top, d * top]``.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    size, exponent = SYNTHETIC_SHAPES["zipf"].parameters
    d = validation.integer("d", d, 1, MAX_D)
    top = validation.integer("top", top, int(size.low), int(size.high))
    total = validation.integer("total", total, top, d * top)

    def beyond(s: float) -> float:
        return math.log(_sum_of_powers(d, s)) - math.log(total / top)

    low, high = float(exponent.low), float(exponent.high)
    if beyond(low) <= 0:
        fitted = low
    elif beyond(high) >= 0:
        fitted = high
    else:
        from scipy.optimize import brentq  # slow to load

        fitted = float(brentq(beyond, low, high))
    return synthetic("zipf", d, top=top, exponent=float(f"{fitted:.4g}"))


def _sum_of_powers(d: int, s: float) -> float:
    """Return sum_{r=1}^d r^-s, its tail by the Euler-Maclaurin formula."""
    first = min(d, _SUMMED)
    total = float(np.sum(np.arange(1, first + 1, dtype=np.float64) ** -s))
    if d == first:
        return total
    grown = math.log(d / first)
    integral = first ** (1 - s) * (grown if s == 1 else math.expm1((1 - s) * grown) / (1 - s))
    return total + float(integral) + (math.pow(d, -s) - math.pow(first, -s)) / 2
