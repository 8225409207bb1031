"""Peeling: k rounds, each choosing one of the remaining items by its count.

Peeling mechanisms weigh an item by e^(rate * count) relative to the best one left.  Two tools
serve them, with cost independent of d and of the number of draws' distinct histories (the rounds
of the exponential mechanism are drawn all at once, see `race`):

* `CountBlocks` cuts the ranks into a few blocks inside which odds differ by a factor
  of at most two, or which are too unlikely to matter; PNF-Peel acts on whole blocks at
  their best odds and thins, which is exact.
* `log_pmf` walks given sequences round by round, once for each distinct set of levels
  already taken.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp

_LOG_NEGLIGIBLE = 45.0
_CHUNK = 2_000_000
_FEW = 8  # outputs whose rounds are looked at all at once: they share hardly any situation

RoundPmf = Callable[[FloatArray, FloatArray, FloatArray, IntArray], FloatArray]
"""One round, as `log_pmf` wants it told."""


@dataclass(frozen=True)
class CountBlocks:
    """Consecutive ranks grouped by count: block b holds ranks [first[b], first[b + 1])."""

    first: IntArray
    size: IntArray
    top: IntArray  # largest count in the block

    @classmethod
    def cut(cls, counts: SortedCounts, k: int, rate: float) -> "CountBlocks":
        """Cut blocks so that thinning wastes at most half the draws, or hardly ever happens."""
        lowest_best = float(counts.top(k)[-1])  # after k - 1 removals the best is at least this
        starts = [0]
        while starts[-1] < counts.n_levels:
            level = starts[-1]
            top = float(counts.values[level])
            similar = np.searchsorted(-counts.values, np.log(2) / rate - top, side="right")
            # fewer than 0.05 candidates expected in a round, whatever was removed before
            rare = np.exp(min(rate * (lowest_best - top), 700.0)) / 20
            before = int(counts.ends[level - 1]) if level else 0
            unlikely = np.searchsorted(counts.ends, before + rare, side="right")
            starts.append(int(max(similar, unlikely, level + 1)))
        levels = np.array(starts[:-1])
        first = counts.ends[levels] - counts.multiplicities[levels]
        return cls(first, np.diff(first, append=counts.d), counts.values[levels])


def nth_free(taken: IntArray, n: IntArray) -> IntArray:
    """Find the n-th rank, from 0, that is not in ``taken``, row by row.

    ``taken`` has shape (rows, width), each row ascending and padded at its end with
    d + width or more; its i-th entry x has x - i free ranks below it.
    """
    n_below: IntArray = (taken - np.arange(taken.shape[1]) <= n[:, None]).sum(axis=1)
    return n + n_below


def choose_column(weights: IntArray, uniform: FloatArray) -> IntArray:
    """Draw a column with probability proportional to integer ``weights``, row by row."""
    cumulative = np.cumsum(weights, axis=1)
    target = np.floor(uniform * cumulative[:, -1])
    column: IntArray = (cumulative <= target[:, None]).sum(axis=1)
    return column


def log_pmf(
    counts: SortedCounts,
    ranks: IntArray,
    rate: float,
    log_round_pmf: RoundPmf,
) -> FloatArray:
    """Return the log probability of sequences, given the rank of each item, shape (m, k).

    ``log_round_pmf(log_odds, log_n, own_log_odds, situation)`` gives one round: groups
    of n equal items with odds relative to the best one left, one row a situation (see
    `permute_and_flip.log_pmf`).  Levels that hold less than e^-45 of the odds
    together are left out of the sums.
    """
    levels = counts.level_of_rank(ranks)
    k = levels.shape[1]
    reach = counts.top(k)[-1] - (np.log(counts.d) + _LOG_NEGLIGIBLE) / rate
    n_active = int(np.searchsorted(-counts.values, -reach, side="right"))
    step = max(1, _CHUNK // n_active)
    return np.concatenate(
        [
            _log_pmf_active(counts, levels[i : i + step], rate, n_active, log_round_pmf)
            for i in range(0, len(levels), step)
        ]
    )


def log_not_first(counts: SortedCounts, k: int, rate: float, log_round_pmf: RoundPmf) -> float:
    """Return the log probability of any output but the true top k in order, up to ties.

    The first round to go wrong may be each: a sum of positive terms.  Levels that are e^-40 of
    the likeliest wrong one, and fewer, are left out.
    """
    log_wrong, log_right = -np.inf, 0.0
    for r in range(k):
        pause()
        level = int(counts.level_of_rank(np.array([r]))[0])
        values = counts.values[level:]
        log_n = np.log(counts.multiplicities[level:])
        log_n[0] = np.log(counts.ends[level] - r)
        log_odds = rate * (values - values[0]).astype(np.float64)
        weight = (log_n + log_odds)[1:]
        kept = np.flatnonzero(weight > weight.max(initial=-np.inf) - 40.0) + 1
        if not kept.size:
            continue  # whatever is left is tied with the best
        groups = np.append(0, kept)
        log_p = log_round_pmf(
            log_odds[None, groups],
            log_n[None, groups],
            log_odds[kept],
            np.zeros(kept.size, dtype=np.int64),
        )
        log_q = min(float(logsumexp(log_n[kept] + log_p)), 0.0)
        log_wrong = float(np.logaddexp(log_wrong, log_right + log_q))
        with np.errstate(divide="ignore"):  # log 0 = -inf: no later round can be the first
            log_right += float(np.log1p(-np.exp(log_q)))
    return log_wrong


def _log_pmf_active(
    counts: SortedCounts, levels: IntArray, rate: float, n_active: int, log_round_pmf: RoundPmf
) -> FloatArray:
    """Return log probabilities round by round, each situation once; all at once for few outputs."""
    values, k = counts.values[:n_active], levels.shape[1]
    if len(levels) <= _FEW and 4 * levels.size * n_active <= _CHUNK:
        pause()
        left = _left_in_rounds(counts.multiplicities[:n_active], levels)
        every = np.arange(levels.size)
        log_p = _log_round(values, left, counts.values[levels.ravel()], every, rate, log_round_pmf)
        in_rounds: FloatArray = log_p.reshape(levels.shape).sum(axis=1)
        return in_rounds
    result = np.zeros(len(levels))
    for r in range(k):
        pause()
        histories, situation = np.unique(
            np.sort(levels[:, :r], axis=1), axis=0, return_inverse=True
        )
        left = _left_after(counts.multiplicities[:n_active], histories)
        own = counts.values[levels[:, r]]
        result += _log_round(values, left, own, situation.reshape(-1), rate, log_round_pmf)
    return result


def _log_round(
    values: IntArray,
    left: IntArray,
    own: IntArray,
    situation: IntArray,
    rate: float,
    log_round_pmf: RoundPmf,
) -> FloatArray:
    """Return the log probability that an item of a count is chosen in a round."""
    best = values[np.argmax(left > 0, axis=1)]
    log_odds = np.minimum(rate * (values - best[:, None]), 0.0)
    with np.errstate(divide="ignore"):  # log 0 = -inf: nothing left at this level
        log_n = np.log(left)
    return log_round_pmf(log_odds, log_n, rate * (own - best[situation]), situation)


def _left_in_rounds(multiplicities: IntArray, levels: IntArray) -> IntArray:
    """Return the items left at each active level before each round, one row per round."""
    m, k = levels.shape
    taken = np.zeros((m, k, multiplicities.size), dtype=np.int64)
    row, r = np.nonzero(levels[:, :-1] < multiplicities.size)
    taken[row, r + 1, levels[row, r]] = 1
    left: IntArray = (multiplicities - taken.cumsum(axis=1)).reshape(m * k, -1)
    return left


def _left_after(multiplicities: IntArray, histories: IntArray) -> IntArray:
    """Return the items left at each active level after each history of taken levels."""
    left = np.tile(multiplicities, (len(histories), 1))
    row, column = np.nonzero(histories < multiplicities.size)
    np.subtract.at(left, (row, histories[row, column]), 1)
    return left
