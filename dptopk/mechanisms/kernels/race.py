"""Exponential race: peeling with the exponential mechanism, all rounds at once.

Item i arrives at rate e^(rate c_i); the first k arrivals, in order, are k rounds of the
exponential mechanism with weights e^(rate c_i) (Plackett-Luce), and one shot of Gumbel noise
of scale 1 / rate on every count, the k largest in order (Durfee, Rogers 2019,
arXiv 1905.04273).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.kernels.peeling import CountBlocks, nth_free

_STEP = 1 / 128  # of the trapezoid rule; a power of two: the grid is exact


@dataclass(frozen=True)
class Noise:
    """Log-concave noise of scale 1, given by its hazard from above.

    Parameters
    ----------
    depth : callable
        log t -> minus the value x at which the distribution function is e^-t: what all items of
        a block reach when an exponential clock shows t.
    kept : callable
        (depth, how far below its block's best count an item is, in scales) -> its hazard there
        over that of the best.
    log_time : callable
        What `depth` undoes: depth -> log t.
    """

    depth: Callable[[FloatArray], FloatArray]
    kept: Callable[[FloatArray, FloatArray], FloatArray]
    log_time: Callable[[FloatArray], FloatArray]


GUMBEL = Noise(lambda log_t: log_t, lambda depth, below: np.exp(-below), lambda depth: depth)
"""Gumbel noise: its depth is the logarithm of an arrival time."""


@dataclass(frozen=True)
class First:
    """First arrivals of a race.

    Attributes
    ----------
    ranks : numpy.ndarray of int64, shape (n, k)
        In order of arrival.
    noise : numpy.ndarray of float64, shape (n, k)
        The noise on the count of each, in users.
    """

    ranks: IntArray
    noise: FloatArray


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
) -> First:
    """Draw the k largest noisy counts; by default, the first arrivals of a race.

    With Gumbel noise item i arrives at rate e^(rate c_i): a block of m items left rings at m times
    its best rate; a ring is an item of the block, kept with probability its rate over the best.
    All in log time.  Other noise likewise, from above downwards: an item's hazard is f / F.
    """
    blocks = CountBlocks.cut(counts, k, rate)
    left = np.tile(blocks.size, (n, 1))
    # How deep a block rings next (for Gumbel noise in log time), measured from its own best count:
    # that of a far one would swallow it.  Blocks are compared on the clock of the best one that
    # has items left.
    time = np.log(rng.standard_exponential(left.shape)) - np.log(left)
    own = noise.depth(time)
    best = np.zeros(n, dtype=np.int64)
    clock = own - rate * (blocks.top - blocks.top[0])
    released = np.full((n, k), counts.d + k)  # padded as `nth_free` wants it
    depths = np.empty((n, k))  # of each released, measured from its own count
    taken = released.copy()  # the same, each row ascending
    n_released = np.zeros(n, dtype=np.int64)
    row = np.arange(n)
    while row.size:
        pause()
        block = np.argmin(clock[row], axis=1)
        uniform = rng.random((2, row.size))
        index = np.floor(uniform[0] * left[row, block]).astype(np.int64)
        before = np.where(np.arange(blocks.size.size) < block[:, None], left[row], 0)
        most = int(n_released[row].max())  # places further on are all padding
        rank = nth_free(taken[row, :most], before.sum(axis=1) + index)
        below = rate * (blocks.top[block] - counts.counts_at_ranks(rank))
        kept = uniform[1] < noise.kept(own[row, block], below)
        keeping = row[kept]
        released[keeping, n_released[keeping]] = rank[kept]
        depths[keeping, n_released[keeping]] = own[keeping, block[kept]] - below[kept]
        taken[keeping, most] = rank[kept]
        taken[keeping, : most + 1] = np.sort(taken[keeping, : most + 1], axis=1)
        n_released[keeping] += 1
        left[keeping, block[kept]] -= 1
        with np.errstate(divide="ignore"):  # nothing left: the clock never rings again
            wait = np.log(rng.standard_exponential(row.size)) - np.log(left[row, block])
        time[row, block] = np.logaddexp(time[row, block], wait)
        own[row, block] = noise.depth(time[row, block])
        clock[row, block] = own[row, block] - rate * (blocks.top[block] - blocks.top[best[row]])
        row = row[n_released[row] < k]
        emptied = row[left[row, best[row]] == 0]
        best[emptied] = np.argmax(left[emptied] > 0, axis=1)
        clock[emptied] = own[emptied] - rate * (blocks.top - blocks.top[best[emptied], None])
    return First(released, -depths / rate)


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
