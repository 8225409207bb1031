"""Draw the largest counts with uniform noise in [-R, R] that share one random R.

Given R, an item lies uniformly in the 2R users below its ceiling, its count plus R.  Only few come
near the highest ceiling: how many items of each level lie within a depth below it is binomial, and
where they lie is uniform; so depths are looked through from above, slice by slice, until k items
are found.  Items further down are never drawn.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels.race import parts
from dptopk.mechanisms.kernels.sequences import draw_distinct

_CHUNK = 2_000_000  # entries of the largest temporary array


@dataclass(frozen=True)
class Drawn:
    """Independent draws, with their noise.

    Attributes
    ----------
    ranks : numpy.ndarray of int64, shape (n, k)
        The item with the largest noisy count first.
    noise : numpy.ndarray of float64, shape (n, k)
        The noise on the count of each, in users.
    radius : numpy.ndarray of float64, shape (n,)
        R, in users.
    """

    ranks: IntArray
    noise: FloatArray
    radius: FloatArray


def draw_top(counts: SortedCounts, k: int, scale: float, n: int, rng: np.random.Generator) -> Drawn:
    """Draw the k largest in order; R has a Gamma distribution of shape d + 1 and this scale."""
    step = max(1, _CHUNK // (counts.n_levels + 4 * k))
    drawn = []
    for start in range(0, n, step):
        pause()
        m = min(step, n - start)
        drawn.append(_draw(counts, k, scale * rng.standard_gamma(counts.d + 1.0, m), rng))
    return Drawn(
        np.concatenate([part.ranks for part in drawn]),
        np.concatenate([part.noise for part in drawn]),
        np.concatenate([part.radius for part in drawn]),
    )


def _draw(counts: SortedCounts, k: int, radius: FloatArray, rng: np.random.Generator) -> Drawn:
    """Draw once for each radius."""
    width = 2 * radius[:, None]
    gap = (counts.values[0] - counts.values).astype(np.float64)
    left = np.empty((radius.size, 0), dtype=np.int64)  # of each level reached so far
    begun = np.empty(left.shape)  # how much of each item's range was looked through
    found = np.zeros(radius.size, dtype=np.int64)
    rows, levels, noises = [], [], []
    wanted = k + 8.0 * np.sqrt(k) + 16.0
    row = np.arange(radius.size)
    while row.size:
        depth = _depth_of(wanted, gap, counts, width[row])
        first, reached = left.shape[1], int(np.searchsorted(gap, depth.max()))
        if reached > first:
            more = np.tile(counts.multiplicities[first:reached], (radius.size, 1))
            left, begun = np.hstack([left, more]), np.hstack([begun, np.zeros(more.shape)])
        ended = np.clip(depth - gap[: left.shape[1]], begun[row], width[row])
        share = (ended - begun[row]) / (width[row] - begun[row]).clip(min=np.finfo(float).tiny)
        number = rng.binomial(left[row], share)
        which, level = np.nonzero(number)
        times = number[which, level]
        which, level = np.repeat(which, times), np.repeat(level, times)
        low, high = begun[row][which, level], ended[which, level]
        rows.append(row[which])
        levels.append(level)
        noises.append(radius[row[which]] - (low + (high - low) * rng.random(which.size)))
        found[row] += number.sum(axis=1)
        left[row] -= number
        begun[row] = ended
        row = row[found[row] < k]
        wanted *= 4
    ranks, noise = _largest(
        counts, k, np.concatenate(rows), np.concatenate(levels), np.concatenate(noises), rng
    )
    return Drawn(ranks, noise, radius)


def _depth_of(
    wanted: float, gap: FloatArray, counts: SortedCounts, width: FloatArray
) -> FloatArray:
    """Return a depth below the highest ceiling with ``wanted`` items expected, or infinity.

    Any depth would do: it only decides how much is looked through at once.
    """
    before = np.append(0, counts.ends).astype(np.float64)
    sums = np.append(0.0, np.cumsum(counts.multiplicities * gap))

    def expected(depth: FloatArray) -> FloatArray:
        begun, ended = (np.searchsorted(gap, x, side="right") for x in (depth, depth - width))
        inside = depth * before[begun] - sums[begun]
        below: FloatArray = (depth - width) * before[ended] - sums[ended]
        found: FloatArray = (inside - below) / width
        return found

    low = np.zeros_like(width)
    high: FloatArray = gap[-1] + width
    for _ in range(60):
        middle = (low + high) / 2
        enough = expected(middle) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    # in floats the depth of all may end short of the last range, if that is narrow and far below
    return np.where(wanted < counts.d, high, np.inf)


def _largest(
    counts: SortedCounts,
    k: int,
    rows: IntArray,
    levels: IntArray,
    noise: FloatArray,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray]:
    """Return the k largest noisy counts of each row: random ranks of their levels, and noise."""
    near = _near_the_largest(k, rows, counts.values[levels] + noise)
    rows, levels, noise = rows[near], levels[near], noise[near]
    whole, fraction = parts(counts.values[levels], noise)
    order = np.lexsort((-fraction, -whole, rows))
    starts = np.searchsorted(rows[order], np.arange(rows.max() + 1))
    largest = order[starts[:, None] + np.arange(k)]
    first = levels[largest]
    place = np.argsort(first, axis=1, kind="stable")
    level = np.take_along_axis(first, place, axis=1)
    ends = counts.ends[level]
    nth = np.arange(k) - np.maximum.accumulate(
        np.where(np.diff(level, axis=1, prepend=-1) > 0, np.arange(k), 0), axis=1
    )
    low = ends - counts.multiplicities[level] + nth
    ranks = np.empty(first.shape, dtype=np.int64)
    np.put_along_axis(ranks, place, draw_distinct(low.T, ends.T, rng), axis=1)
    return ranks, noise[largest]


def _near_the_largest(k: int, rows: IntArray, noisy: FloatArray) -> IntArray:
    """Return the places of the k largest of each row, and of what rounding may have put below."""
    order = np.argsort(rows, kind="stable")
    row = rows[order]
    starts = np.searchsorted(row, np.arange(row[-1] + 1))
    table = np.full((starts.size, int(np.diff(starts, append=row.size).max())), -np.inf)
    table[row, np.arange(row.size) - starts[row]] = noisy[order]
    kth = np.partition(table, table.shape[1] - k, axis=1)[:, -k]
    slack = 8 * np.finfo(float).eps * np.abs(noisy).max()
    return np.flatnonzero(noisy >= kth[rows] - slack)
