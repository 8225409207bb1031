"""Draw all rounds of the exponential mechanism at once, as an exponential race.

Item i arrives at rate e^(rate c_i); the first k arrivals, in order, are k rounds of the
exponential mechanism with weights e^(rate c_i) (Plackett-Luce), and one shot of Gumbel noise
of scale 1 / rate on every count, the k largest in order (Durfee, Rogers 2019,
arXiv 1905.04273).

Draws.  Where the distribution function of any noise at an item's noise is e^-t, t is an
exponential clock: the first event of a Poisson process of rate 1.  Only items above a limit on
noisy counts are looked at, above which some more than k are expected: the processes of a level run
until t(limit).  Where that is long, each item has a clock of its own; all other items share one
process, whose events fall on levels in proportion to their size times their t, and of which an
item's first counts.  Where fewer than k items are found the limit is lowered and the processes
run on.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels import top

_OWN_CLOCK = 0.5  # expected rings from which on each item of a level has a clock of its own
_CHUNK = 1_000_000  # entries of the largest temporary array
_BLOCK = 2**14  # entries that are put in order at once
_SINGLE = 64  # levels, and groups of levels further down, that limits are sought by
_HALVINGS = 12  # of the interval in which a limit is sought
_LOG_FOREVER = 600.0
_FAR = 1e6  # scales between counts: doubles keep ten digits of the noise
_HUGE = 2.0**60  # noise from here on: counts add nothing to it that a double would keep
_STEP = 1 / 128  # of the trapezoid rule; a power of two: the grid is exact

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True)
class Noise:
    """Log-concave noise of scale 1, given by its hazard from above."""

    # log t -> minus the value x at which the distribution function is e^-t
    depth: Callable[[FloatArray], FloatArray]
    log_time: Callable[[FloatArray], FloatArray]  # the inverse of ``depth``


GUMBEL = Noise(lambda log_t: log_t, lambda depth: depth)
"""Gumbel noise: its depth is the logarithm of an arrival time."""


@dataclass(frozen=True)
class FirstArrivals:
    """First arrivals of a race, shape (n, k), with their levels and the noise on their counts."""

    ranks: IntArray
    levels: IntArray
    noise: FloatArray

    def of_rows(self, rows: slice) -> "FirstArrivals":
        """Return some of the draws, as a view."""
        return FirstArrivals(self.ranks[rows], self.levels[rows], self.noise[rows])


def draw_first(
    counts: SortedCounts,
    k: int,
    rate: float,
    n: int,
    rng: np.random.Generator,
    noise: Noise = GUMBEL,
) -> IntArray:
    """Draw the ranks of `draw_first_noisy`."""
    return draw_first_noisy(counts, k, rate, n, rng, noise).ranks


def draw_first_noisy(
    counts: SortedCounts,
    k: int,
    rate: float,
    n: int,
    rng: np.random.Generator,
    noise: Noise = GUMBEL,
) -> FirstArrivals:
    """Draw the k largest noisy counts, in order; by default, the first arrivals of a race."""
    step = max(1, _CHUNK // (4 * k + 64))
    levels = _Levels(counts, rate, int(counts.top(k)[-1]), noise)
    narrow = np.min_scalar_type(-counts.n_levels)
    first = FirstArrivals(np.empty((n, k), np.int64), np.empty((n, k), narrow), np.empty((n, k)))
    for i in range(0, n, step):
        _draw(levels, first.of_rows(slice(i, i + step)), rng)
    return first


@dataclass(frozen=True)
class _Levels:
    """Levels of counts whose items have clocks; a limit is in scales above the reference."""

    counts: SortedCounts
    rate: float
    reference: int
    noise: Noise

    @cached_property
    def above(self) -> FloatArray:
        """Scales from the reference up to each count."""
        above: FloatArray = self.rate * (self.counts.values - self.reference).astype(np.float64)
        return above

    def until(self, limit: float) -> FloatArray:
        """Return what the clock of an item of each level shows when it falls below the limit."""
        return self._time(self.above - limit)

    def limit(self, wanted: float, lowest: float) -> float:
        """Return the highest limit with ``wanted`` items expected above it, or the lowest.

        Any limit would do: it only decides how much is looked through at once.
        """
        low, high = lowest, math.log(self.counts.d)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            expected = -np.expm1(-self._time(self._roughly[0] - middle)) @ self._roughly[1]
            low, high = (middle, high) if expected >= wanted else (low, middle)
        return low

    @cached_property
    def _roughly(self) -> tuple[FloatArray, FloatArray]:
        """Places of the levels and their sizes, those far down some at a time."""
        n = self.counts.n_levels
        starts = np.arange(min(n, _SINGLE))
        if n > _SINGLE:
            if n <= _SINGLE**2:
                further = np.linspace(_SINGLE, n, _SINGLE, endpoint=False, dtype=int)
            else:  # groups that grow: each counts as if all of it stood at its top
                further = np.geomspace(_SINGLE, n, 4 * _SINGLE, endpoint=False, dtype=int)
            starts = np.append(starts, further)  # ascending
            starts = starts[np.diff(starts, prepend=-1) > 0]
        sizes = np.add.reduceat(self.counts.multiplicities.astype(np.float64), starts)
        return self.above[starts], sizes

    def _time(self, depth: FloatArray) -> FloatArray:
        return np.exp(np.minimum(self.noise.log_time(depth), _LOG_FOREVER))


@dataclass(frozen=True)
class Arrivals:
    """Items by the time that their clocks show, one row a draw; infinite where there is none."""

    ranks: IntArray
    levels: IntArray
    times: FloatArray

    def followed_by(self, later: "Arrivals") -> "Arrivals":
        """Return the first arrival of each item in either."""
        ranks, levels = np.hstack([self.ranks, later.ranks]), np.hstack([self.levels, later.levels])
        return Arrivals(ranks, levels, np.hstack([self.times, later.times])).without_repeats()

    def without_repeats(self) -> "Arrivals":
        """Return the first arrival of each item."""
        ascending = np.sort(self.ranks, axis=1)
        again = (ascending[:, 1:] == ascending[:, :-1]) & (ascending[:, 1:] >= 0)
        rows = np.flatnonzero(again.any(axis=1))
        ranks, times = self.ranks[rows], self.times[rows]
        order = np.lexsort((times, ranks), axis=1)
        row, place = np.nonzero(again[rows])
        self.times[rows[row], order[row, place + 1]] = np.inf
        return self

    def of_rows(self, rows: BoolArray | IntArray) -> "Arrivals":
        """Return some of the draws."""
        return Arrivals(self.ranks[rows], self.levels[rows], self.times[rows])


def _draw(levels: _Levels, first: FirstArrivals, rng: np.random.Generator) -> None:
    """Draw as many as fit into memory, in place."""
    n, k = first.ranks.shape
    row, before, found = np.arange(n), np.zeros(levels.counts.n_levels), None
    wanted, lowest, limit = k + 3 * math.sqrt(k) + 4, -8.0 - math.log(k), math.inf
    while row.size:
        pause()
        limit = min(levels.limit(wanted, lowest), limit)
        until = levels.until(limit)
        new = arrivals(levels.counts, before, until, row.size, rng)
        found = new if found is None else found.followed_by(new)
        enough = np.isfinite(found.times).sum(axis=1) >= k
        for part in blocks(np.flatnonzero(enough), found):
            of_part, mine = _largest(levels, k, found.of_rows(part)), row[part]
            first.ranks[mine], first.levels[mine] = of_part.ranks, of_part.levels
            first.noise[mine] = of_part.noise
        row, found, before = row[~enough], found.of_rows(~enough), until
        if limit > lowest:  # else fewer were expected than wanted
            wanted *= 2
        lowest *= 2


def arrivals(
    counts: SortedCounts, before: FloatArray, until: FloatArray, n: int, rng: np.random.Generator
) -> Arrivals:
    """Return which clocks ring after ``before`` and until ``until``, given for each level."""
    window = until - before
    starts = counts.ends - counts.multiplicities
    own = np.flatnonzero(window > _OWN_CLOCK)
    level = np.repeat(own, counts.multiplicities[own])
    rank = np.arange(level.size) + np.repeat(
        starts[own] - np.cumsum(counts.multiplicities[own]) + counts.multiplicities[own],
        counts.multiplicities[own],
    )
    clocks = rng.standard_exponential((n, level.size))
    clocks[clocks > window[level]] = np.inf
    clocks += before[level]
    weights = np.where(window > _OWN_CLOCK, 0.0, counts.multiplicities * window)
    cumulative = np.cumsum(weights)
    n_shared = rng.poisson(cumulative[-1], n)
    at = np.minimum(rng.random(n_shared.sum()) * cumulative[-1], np.nextafter(cumulative[-1], 0))
    hit = np.searchsorted(cumulative, at, side="right")
    which = starts[hit] + rng.integers(0, counts.multiplicities[hit])
    since = (1.0 - rng.random(hit.size)) * window[hit]
    there = np.arange(n_shared.max()) < n_shared[:, None]
    # in as few bytes as hold them: fresh memory is slow
    ranks = np.full(there.shape, -1, np.min_scalar_type(-counts.d))
    levels = np.zeros(there.shape, np.min_scalar_type(-counts.n_levels))
    times = np.full(there.shape, np.inf)
    ranks[there], levels[there], times[there] = which, hit, before[hit] + since
    shared = Arrivals(ranks, levels, times).without_repeats()
    if not level.size:
        return shared
    every = (n, level.size)
    return Arrivals(
        np.hstack([np.broadcast_to(rank.astype(ranks.dtype), every), shared.ranks]),
        np.hstack([np.broadcast_to(level.astype(levels.dtype), every), shared.levels]),
        np.hstack([clocks, shared.times]),
    )


def blocks(rows: IntArray, found: Arrivals) -> Iterator[IntArray]:
    """Yield rows in parts of which arrays stay in the processor's cache."""
    step = max(1, _BLOCK // max(1, found.times.shape[1]))
    for start in range(0, rows.size, step):
        pause()
        yield rows[start : start + step]


def _largest(levels: _Levels, k: int, found: Arrivals) -> FirstArrivals:
    """Return the k items with the largest noisy counts, in order, and their noise in users."""
    depth = levels.noise.depth(np.log(np.maximum(found.times, np.finfo(np.float64).tiny)))
    value = levels.above[found.levels] - depth
    noise = -depth / levels.rate
    place = largest(k, value, levels.counts.values[found.levels], noise)
    return FirstArrivals(at(found.ranks, place), at(found.levels, place), at(noise, place))


def largest(k: int, value: FloatArray, count: IntArray, noise: FloatArray) -> IntArray:
    """Return the places of the k largest noisy counts of each row, in order.

    ``value`` are the noisy counts in scales above one of them, -infinity where there is none:
    where they are so far apart that it would not hold the noise, ``count`` and ``noise``, in users.
    """
    last_bits = (1 << value.shape[1].bit_length()) - 1
    # bits of numbers that are not negative ascend with them: sorting these is faster than argsort
    bits = (value.max() - value).view(np.int64)
    keys = np.sort((bits & ~last_bits) | np.arange(value.shape[1]), axis=1)
    place: IntArray = keys[:, : k + 1] & last_bits
    descending = at(value, place)
    if (descending[:, 1:] > descending[:, :-1]).any():  # they differ in their last bits only
        place = np.argsort(-value, axis=1)
        descending = at(value, place)
    if np.abs(descending[:, [0, k - 1]]).max() < _FAR:
        return place[:, :k]
    nothing = np.isinf(value)
    whole, fraction = parts(count, np.where(nothing, 0.0, noise))
    place = np.lexsort((-fraction, -whole, nothing))[:, :k]
    return place


def at(array: npt.NDArray[_Scalar], place: IntArray) -> npt.NDArray[_Scalar]:
    """Return the entries at some places of each row: `numpy.take_along_axis`, but faster."""
    rows, columns = array.shape
    there: npt.NDArray[_Scalar] = array.take(place + np.arange(rows)[:, None] * columns)
    return there


def parts(count: IntArray, noise: FloatArray) -> tuple[FloatArray | IntArray, FloatArray]:
    """Split count plus noise into a whole number and a fraction in [-1/2, 1/2]."""
    if np.abs(noise).max(initial=0.0) >= _HUGE:
        return count + noise, np.zeros_like(noise)
    whole = np.rint(noise)
    return count + whole.astype(np.int64), noise - whole


def log_round_pmf(
    log_odds: FloatArray, log_n: FloatArray, own_log_odds: FloatArray, situation: IntArray
) -> FloatArray:
    """Return the log probability of one round: own odds over the sum of all odds left."""
    return own_log_odds - logsumexp(log_odds + log_n, axis=1)[situation]


@dataclass(frozen=True)
class Bottom:
    """Additional competitor ⊥, of e^log_bonus times the rate of a count."""

    count: int
    log_bonus: float


def log_probability_top_first(
    counts: SortedCounts, k: int, rate: float, bottom: Bottom | None = None
) -> float:
    """Return the log probability that a true top k arrive first, up to ties.

    With u = e^-y and x = log y the integral is that of
    e^(x - e^x) prod_i (1 - e^(-e^x w_i / W)), entire and log-concave in x: the trapezoid
    rule is exact to double precision.

        integral over [0, 1] of prod_{i in S} (1 - u^(w_i / W)) du,    W = sum_{j not in S} w_j
    """
    if k == counts.d and bottom is None:
        return 0.0
    first, log_ratio = _against_the_rest(counts, k, rate, bottom)
    x = np.arange(-50.0, np.log(k + 60 + 12 * np.sqrt(k)), _STEP)
    log_integrand = x - np.exp(x) + _log_all_won(x, first, log_ratio)
    log_sets = top.log_n_top_sets(counts, k)
    return float(log_sets + logsumexp(log_integrand) + np.log(_STEP))


def log_probability_not_top_first(
    counts: SortedCounts, k: int, rate: float, bottom: Bottom | None = None
) -> float:
    """Return the log of the complement of `log_probability_top_first`, by its own integral.

    It is that of 1 - prod_i (1 - u^(w_i / W)), which lies where the weakest item of the top k is
    likely to lose: about e^x = W / w_k.  Not a number where several sets are a true top k.
    """
    if k == counts.d and bottom is None:
        return -np.inf
    if top.log_n_top_sets(counts, k) > 0:
        return np.nan
    first, log_ratio = _against_the_rest(counts, k, rate, bottom)
    weakest = float(log_ratio.min())
    highest = min(np.log(k + 60 + 12 * np.sqrt(k)), np.log(750.0) - weakest)
    x = np.arange(min(-weakest, 0.0) - 50.0, highest, _STEP)
    with np.errstate(divide="ignore"):  # log 0 = -inf: all win for sure
        log_some_lost = np.log(-np.expm1(_log_all_won(x, first, log_ratio)))
    return float(logsumexp(x - np.exp(x) + log_some_lost) + np.log(_STEP))


def _against_the_rest(
    counts: SortedCounts, k: int, rate: float, bottom: Bottom | None
) -> tuple[SortedCounts, FloatArray]:
    """Return a true top k, and log(w_i / W) of its levels, W the weight of all others."""
    first = top.one_top_set(counts, k)
    left = counts.multiplicities.copy()
    left[: first.n_levels] -= first.multiplicities
    with np.errstate(divide="ignore"):  # log 0 = -inf: all of this level is in the set
        log_left = np.log(left)
    # relative to the largest count outside the set: the largest of all would swallow the rest
    best_rest = counts.values[np.argmax(left > 0)] if left.any() or bottom is None else 0
    if bottom is not None:
        best_rest = max(best_rest, bottom.count)
    log_rest = logsumexp(rate * (counts.values - best_rest) + log_left)
    if bottom is not None:
        log_bottom = rate * (bottom.count - best_rest) + bottom.log_bonus
        log_rest = np.logaddexp(log_rest, log_bottom)
    return first, rate * (first.values - best_rest) - log_rest


def _log_all_won(x: FloatArray, first: SortedCounts, log_ratio: FloatArray) -> FloatArray:
    """Return the log of prod_i (1 - e^-y_i), y_i = e^x w_i / W, over the items of the top k.

    ``x`` ascends.  Of each item only the part is computed where log y lies in [-37, 6.6): below,
    log(1 - e^-y) is log y to double precision, and above a constant.
    """
    result = np.zeros_like(x)
    starts, ends = (np.searchsorted(x, edge - log_ratio) for edge in (-37.0, 6.6))
    above = float(np.log1p(-np.exp(-np.exp(6.6))))
    for ratio, n, start, end in zip(log_ratio, first.multiplicities, starts, ends, strict=True):
        pause()
        result[:start] += n * (x[:start] + ratio)
        result[start:end] += n * np.log1p(-np.exp(-np.exp(x[start:end] + ratio)))
        result[end:] += n * above
    return result
