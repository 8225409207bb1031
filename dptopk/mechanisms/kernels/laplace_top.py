"""Draw the largest counts with Laplace noise above a noisy threshold.

Of a level of m equal counts only the largest few can matter.  Where the distribution function of
the noise is e^-t, the times t of its items, ascending, are 0 plus Expo(1) / m, plus Expo(1) /
(m - 1), and so on: so the largest noise of any number of items costs one exponential each.

Noisy counts are compared as whole numbers and fractions: doubles lose the noise on large counts.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels.laplace_order import NOISE
from dptopk.mechanisms.kernels.race import largest, parts
from dptopk.mechanisms.kernels.sequences import draw_distinct

_CHUNK = 2_000_000  # entries of the largest temporary array


@dataclass(frozen=True)
class Threshold:
    """Value of ⊥ before its noise: ``lead`` users above a count."""

    count: int
    lead: float


@dataclass(frozen=True)
class Drawn:
    """Independent draws of the k largest noisy counts, and of ⊥.

    Attributes
    ----------
    ranks : numpy.ndarray of int64, shape (n, k)
        The item with the largest noisy count first.
    noisy, noise : numpy.ndarray of float64, shape (n, k)
        Noisy counts, and the noise on them, in users.
    above : numpy.ndarray of bool, shape (n, k)
        Whether the noisy count is larger than that of ⊥.
    bottom : numpy.ndarray of float64, shape (n,)
        Noisy count of ⊥, in users.
    """

    ranks: IntArray
    noisy: FloatArray
    noise: FloatArray
    above: BoolArray
    bottom: FloatArray


def draw_above(
    counts: SortedCounts,
    threshold: Threshold,
    k: int,
    scale: float,
    n: int,
    rng: np.random.Generator,
) -> Drawn:
    """Draw the k largest counts with Laplace noise, in order, and which exceed ⊥.

    Parameters
    ----------
    counts : SortedCounts
        At least k items.
    threshold : Threshold
        That of ⊥, which gets noise of the same law.
    k, n : int
        Numbers of items and of draws.
    scale : float
        Of the noise, in users.
    """
    kept = np.minimum(counts.multiplicities, k)
    step = max(1, _CHUNK // int(kept.sum()))
    drawn = [
        _draw(counts, threshold, kept, k, scale, min(step, n - i), rng) for i in range(0, n, step)
    ]
    return Drawn(
        np.concatenate([part.ranks for part in drawn]),
        np.concatenate([part.noisy for part in drawn]),
        np.concatenate([part.noise for part in drawn]),
        np.concatenate([part.above for part in drawn]),
        np.concatenate([part.bottom for part in drawn]),
    )


def _draw(
    counts: SortedCounts,
    threshold: Threshold,
    kept: IntArray,
    k: int,
    scale: float,
    n: int,
    rng: np.random.Generator,
) -> Drawn:
    """Draw as many as fit into memory, from ``kept`` items of each level."""
    level = np.repeat(np.arange(counts.n_levels), kept)
    starts = np.cumsum(kept) - kept
    nth = np.arange(level.size) - starts[level]
    times = rng.standard_exponential((n, level.size)) / (counts.multiplicities[level] - nth)
    for start, size in zip(starts[kept > 1], kept[kept > 1], strict=True):
        part = slice(start, start + size)
        np.cumsum(times[:, part], axis=1, out=times[:, part])
    depth, here = NOISE.depth(np.log(times)), counts.values[level]
    value = (here - counts.values[-1]) / scale - depth
    chosen = largest(k, value, np.broadcast_to(here, value.shape), -scale * depth)
    noise = -scale * np.take_along_axis(depth, chosen, axis=1)
    first, rest = parts(here[chosen], noise)
    lead = threshold.lead + rng.laplace(scale=scale, size=(n, 1))
    of_it, rest_of_it = parts(np.array([threshold.count]), lead)
    above: BoolArray = (first > of_it) | ((first == of_it) & (rest > rest_of_it))
    noisy: FloatArray = np.add(first, rest, dtype=np.float64)
    return Drawn(
        _ranks(counts, chosen, level, nth, rng),
        noisy,
        noise,
        above,
        threshold.count + lead[:, 0],
    )


def _ranks(
    counts: SortedCounts, chosen: IntArray, level: IntArray, nth: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return distinct items of the chosen noisy counts, random within a level."""
    place = np.argsort(chosen, axis=1)
    columns = np.take_along_axis(chosen, place, axis=1)  # level by level
    ends = counts.ends[level[columns]]
    low = ends - counts.multiplicities[level[columns]] + nth[columns]
    ranks = np.empty(chosen.shape, dtype=np.int64)
    np.put_along_axis(ranks, place, draw_distinct(low.T, ends.T, rng), axis=1)
    return ranks
