"""Draw the largest counts with uniform noise in [-R, R] that share one random R.

Given R, an item lies uniformly in the 2R users below its ceiling, its count plus R.  Only few come
near the highest ceiling, so items are looked at as in a race (see `race`) down to a depth below it,
which is the same for all R: in an item's range of 2R users the share above it is e^-t.  The clocks
run until the depth for the smallest R.  Items further down are never drawn.
"""

import math
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import race

_CHUNK = 1_000_000  # entries of the largest temporary array
_FOREVER = 1000.0  # until which all clocks have rung


@dataclass(frozen=True)
class TopDraws:
    """Independent draws, (n, k), the largest noisy count first, with noise and radius in users."""

    ranks: IntArray
    noise: FloatArray
    radius: FloatArray


def draw_top(
    counts: SortedCounts, k: int, scale: float, n: int, rng: np.random.Generator
) -> TopDraws:
    """Draw the k largest in order; R has a Gamma distribution of shape d + 1 and this scale."""
    step = max(1, _CHUNK // (4 * k + 64))
    drawn = []
    for start in range(0, n, step):
        m = min(step, n - start)
        drawn.append(_draw(counts, k, scale * rng.standard_gamma(counts.d + 1.0, m), rng))
    return TopDraws(
        np.concatenate([part.ranks for part in drawn]),
        np.concatenate([part.noise for part in drawn]),
        np.concatenate([part.radius for part in drawn]),
    )


def _draw(counts: SortedCounts, k: int, radius: FloatArray, rng: np.random.Generator) -> TopDraws:
    gap = (counts.values[0] - counts.values).astype(np.float64)
    ranks, noise = np.empty((radius.size, k), dtype=np.int64), np.empty((radius.size, k))
    row, before, found = np.arange(radius.size), np.zeros(counts.n_levels), None
    smallest, wanted = float(radius.min()), k + 3 * np.sqrt(k) + 4
    while row.size:
        pause()
        depth = _depth_of(wanted, gap, counts, 2 * float(radius.max()))
        with np.errstate(divide="ignore"):  # log 0 = -inf: until it rings
            until = -np.log1p(-((depth - gap) / (2 * smallest)).clip(0.0, 1.0))
        until = until.clip(max=_FOREVER)
        new = race.arrivals(counts, before, until, row.size, rng)
        found = new if found is None else found.followed_by(new)
        enough = np.zeros(row.size, dtype=bool)
        for part in race.blocks(np.arange(row.size), found):
            here, widest = found.of_rows(part), radius[row[part], None]
            share = -np.expm1(-here.times)  # of its range that an item lies above
            deep = gap[here.levels] + 2 * widest * share
            deep[np.isinf(here.times)] = np.inf  # nothing is there
            enough[part] = ready = ((deep <= depth) & np.isfinite(deep)).sum(axis=1) >= k
            if not ready.any():
                continue
            own = (widest * (1 - 2 * share))[ready]
            there = counts.values[here.levels[ready]]
            place = race.largest(k, -deep[ready] / smallest, there, own)
            ranks[row[part[ready]]] = race.at(here.ranks[ready], place)
            noise[row[part[ready]]] = race.at(own, place)
        row, found, before = row[~enough], found.of_rows(~enough), until
        wanted *= 4
    return TopDraws(ranks, noise, radius)


def _depth_of(wanted: float, gap: FloatArray, counts: SortedCounts, width: float) -> float:
    """Return a depth below the highest ceiling with about ``wanted`` items, or infinity.

    Any depth would do: it only decides how much is looked through at once.
    """
    if wanted >= counts.d:
        return math.inf
    ends = np.append(gap, gap[-1] + width)
    before, sums = np.append(0, counts.ends), np.append(0.0, np.cumsum(counts.multiplicities * gap))
    begun, ended = (np.searchsorted(gap, x, side="right") for x in (ends, ends - width))
    inside = ends * before[begun] - sums[begun]
    below = (ends - width) * before[ended] - sums[ended]
    return float(np.interp(wanted, np.maximum.accumulate(inside - below) / width, ends))
