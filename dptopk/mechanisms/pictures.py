"""Compute the data of explanatory figures of how mechanisms choose among a few items.

Each kind of picture fits several mechanisms; one that none fits has no picture.  The numbers are
exact, but for noise, of which one draw is shown.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.mechanisms.exact_laws import ErrorLaw

_SHOWN = 0.999  # of the probability of a limit
_MOST_BINS = 40
_MOST_LIMITS = 2_000  # at which eligible items are counted
_LEAST_LIMIT = 5  # looked at where less is all but certain: one limit alone is no picture
_FARTHEST = 2**53
_SHOWN_SCALES = 7  # of noise, to each side: beyond is less than 0.001
_N_VALUES = 281  # an odd number: the middle is among them


@dataclass(frozen=True)
class Coins:
    """Round in which every item flips a coin, and one of those with heads is released."""

    counts: IntArray  # (n,), true counts of the largest items left, largest first
    log_heads: FloatArray  # log probability of heads
    log_released: FloatArray  # of being released in this round, among all items that are left


@dataclass(frozen=True)
class NoisyCounts:
    """One draw of noisy counts, of which the largest are released."""

    counts: IntArray  # (n,), true counts of some items, largest first
    noisy: FloatArray
    noise: str  # its law, such as "Gumbel"
    # where ⊥ stands, in users, if there is one; with its noise, if any
    threshold: float | None = None

    @property
    def places(self) -> IntArray:
        """Place of each item, from 1, in the order of noisy counts."""
        places: IntArray = np.argsort(np.argsort(-self.noisy)) + 1
        return places


@dataclass(frozen=True)
class Limits:
    """Random limit on a loss, and the number of items that it admits at a place."""

    start: IntArray  # (m,), limits from here up to stop, without stop itself, in users
    stop: IntArray
    probabilities: FloatArray  # of these ranges; what is beyond them has less than 0.001 together
    places: tuple[int, ...]  # looked at, from 1
    limits: IntArray  # (n,), ascending, the median among them
    eligible: IntArray  # (n_places, n), items that may stand at each place under each limit
    what: str  # a limit that is drawn first is not what is given up in the end
    letter: str = "L"
    # the least limit exceeded in at most half of the draws; None beyond ``stop``
    median: int | None = None


@dataclass(frozen=True)
class Threshold:
    """Noisy number of users and the threshold above which a set comes out."""

    distance: int  # users who could change without another set becoming the true one
    threshold: float  # in users
    log_released: float  # log probability that the set comes out
    log_withheld: float  # that nothing does
    # (n,), the number with noise, ascending; distance and threshold are among them
    values: FloatArray
    density: FloatArray  # (n,), probability density at these values, a user


@dataclass(frozen=True)
class Sizes:
    """Random size, weighted by the gap after it, whose top set may then come out."""

    gaps: IntArray  # (n,), gap after the top 1, ..., n, in users
    log_chosen: FloatArray  # log probability that this size is drawn
    log_released: FloatArray  # that it is drawn and its set comes out
    log_nothing: float  # that nothing comes out


Picture = Coins | NoisyCounts | Limits | Threshold | Sizes


def some_places(k: int) -> tuple[int, ...]:
    """Return the first, the middle and the last of k places."""
    return tuple(sorted({1, (k + 1) // 2, k}))


def at_most(law: ErrorLaw) -> Callable[[IntArray], FloatArray]:
    """Return the CDF of an error as a function of limits."""
    cumulative = np.append(0.0, law.cumulative)
    return lambda limits: cumulative[np.searchsorted(law.values, limits, side="right")]


def limits(
    at_most: Callable[[IntArray], FloatArray],
    eligible: Callable[[IntArray], IntArray],
    places: tuple[int, ...],
    what: str,
    letter: str = "L",
) -> Limits:
    """Group the likely limits into a few ranges of equal width.

    ``at_most`` gives the probability of at most each limit, ``eligible`` the items that each
    limit allows at each of the places, shape (n_places, m).
    """
    last = bisect_left(range(_FARTHEST), _SHOWN, key=lambda limit: at_most(np.array([limit]))[0])
    last = max(last, _LEAST_LIMIT)
    width = -(-(last + 1) // _MOST_BINS)
    edges = np.arange(-(-(last + 1) // width) + 1, dtype=np.int64) * width
    start, stop = edges[:-1], edges[1:]
    probabilities = np.diff(at_most(edges - 1)).clip(min=0.0)  # rounding may fall below
    end = int(edges[-1])
    half = bisect_left(range(end), 0.5, key=lambda limit: at_most(np.array([limit]))[0])
    median = half if half < end else None
    counted = np.linspace(0, end - 1, min(end, _MOST_LIMITS)).astype(np.int64)
    shown = np.union1d(counted, [] if median is None else [median]).astype(np.int64)
    return Limits(start, stop, probabilities, places, shown, eligible(shown), what, letter, median)


def threshold(
    distance: int, scale: float, threshold: float, log_released: float, log_withheld: float
) -> Threshold:
    """Return a distance with Laplace noise, on a grid around itself and the threshold."""
    around = np.linspace(-_SHOWN_SCALES, _SHOWN_SCALES, _N_VALUES) * scale
    values = np.union1d(distance + around, threshold + around[[0, _N_VALUES // 2, -1]])
    density = np.exp(-np.abs(values - distance) / scale) / (2 * scale)
    return Threshold(distance, threshold, log_released, log_withheld, values, density)
