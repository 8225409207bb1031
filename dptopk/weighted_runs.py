"""Runs weighed by what is known of right releases, for pictures that say what `strata` tells.

A picture of plain runs may have its median elsewhere than the number beside it, where the share of
right runs is not the exact chance of a right release.
"""

from dataclasses import dataclass

import numpy as np

from dptopk._types import BoolArray, FloatArray, IntArray
from dptopk.strata import Right

_ROUNDING = 1e-12  # of sums of weights
_EXPECTED = 0.5  # runs from which on one might have been seen


@dataclass(frozen=True)
class Weighted:
    """Errors, ascending, and what share of all releases each stands for.

    Attributes
    ----------
    values : numpy.ndarray of int64, shape (m,)
        What runs gave; what is known of right releases stands for all of them at once.
    weights : numpy.ndarray of float64, shape (m,)
        Together 1.
    n : int
        How many runs they come from, without those that were right where their chance is known.
    known : Right or None
        What is.
    """

    values: IntArray
    weights: FloatArray
    n: int
    known: Right | None = None

    def quantiles(self, levels: FloatArray) -> IntArray:
        """Values that occurred at these levels: the first that so many do not exceed."""
        reached = np.cumsum(self.weights)
        places = np.searchsorted(reached, levels - _ROUNDING)
        found: IntArray = self.values[np.minimum(places, self.values.size - 1)]
        return found


def weighted(values: IntArray, right: BoolArray, known: Right | None) -> Weighted:
    """Runs of which some are ``right``, weighed so that their quantiles are those of `quantile`.

    Right releases weigh as much as is ``known``, all others together the rest.  A kind that no run
    gave, nor was expected to, is left out.
    """
    n = values.size
    others = values if known is None else values[~right]
    ascending, weights = np.sort(others), np.full(others.size, 1 / max(1, others.size))
    if known is None:
        return Weighted(ascending, weights, n)
    rest = 1 - known.probability
    if not others.size and n * rest >= _EXPECTED:
        ascending, weights = np.array([known.nearest]), np.ones(1)
    if right.any() or n * known.probability >= _EXPECTED:
        ascending = np.append(ascending, known.value)
        weights = np.append(weights * rest, known.probability)
    order = np.argsort(ascending, kind="stable")
    return Weighted(
        ascending[order].astype(np.int64),
        weights[order] / weights.sum(),
        others.size,
        known,
    )


def run_weights(right: BoolArray, known: Right | None) -> FloatArray:
    """What share of all releases each run stands for; all the same where nothing is known."""
    n, n_right = right.size, int(right.sum())
    if known is None or n_right in (0, n):
        return np.full(n, 1 / n)
    rest = 1 - known.probability
    return np.where(right, known.probability / n_right, rest / (n - n_right))
