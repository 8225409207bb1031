"""Noise on counts, drawn from its exact law given the order that came out.

An exponential race has no memory: given who came first, the time of arrival is that of all
together, and whoever is left starts anew from there.  In a round of permute-and-flip as
report-noisy-max (Ding et al. 2021, arXiv 2105.07260) the noise of a winner s, measured from
the best count left, is -log(t) / rate with t of density proportional to
prod_{j != s} (1 - t q_j) on [0, 1]; the noise of the others is exponential, cut where it
would pass the winner.
"""

import numpy as np
from scipy.special import logsumexp

from dptopk._types import FloatArray, IntArray
from dptopk.counts import SortedCounts

_NO_RIVALS = 1e-12  # odds of all others together below which the winner's law is uniform in t


def of_race(
    counts: SortedCounts, ranks: IntArray, shown: IntArray, rate: float, rng: np.random.Generator
) -> FloatArray:
    """Gumbel noise of scale 1 / rate, given that the ``ranks`` are the largest in this order.

    An item that arrives at rate e^(rate c) after a time t has noise -log(t e^(rate c)) / rate.

    Returns
    -------
    numpy.ndarray of float64, shape (1, m)
    """
    left = counts.multiplicities.copy()
    levels = counts.level_of_rank(ranks)
    best, clock = int(counts.values[0]), -np.inf  # log time, in units of the best one left
    own = np.empty(ranks.size)
    for place, level in enumerate(levels):
        there = left > 0
        before, best = best, int(counts.values[np.argmax(there)])
        clock += rate * (best - before)
        log_rates = rate * (counts.values[there] - best) + np.log(left[there])
        wait = np.log(rng.standard_exponential()) - logsumexp(log_rates)
        clock = np.logaddexp(clock, wait)
        own[place] = clock - rate * (best - counts.values[level])
        left[level] -= 1
    since = clock - rate * (best - counts.counts_at_ranks(shown))
    later = np.logaddexp(since, np.log(rng.standard_exponential(shown.size)))
    released = shown[:, None] == ranks
    log_time = np.where(released.any(axis=1), own[np.argmax(released, axis=1)], later)
    noise: FloatArray = -log_time[None] / rate
    return noise


def of_rounds(
    counts: SortedCounts, ranks: IntArray, shown: IntArray, rate: float, rng: np.random.Generator
) -> FloatArray:
    """Exponential noise of every round, given that the ``ranks`` won the rounds in turn.

    Returns
    -------
    numpy.ndarray of float64, shape (k, m)
        Not a number for items that won an earlier round.
    """
    left = counts.multiplicities.copy()
    own = counts.counts_at_ranks(shown)
    noise = np.full((ranks.size, shown.size), np.nan)
    for place, (rank, level) in enumerate(zip(ranks, counts.level_of_rank(ranks), strict=True)):
        best = counts.values[np.argmax(left > 0)]
        left[level] -= 1
        rivals = left > 0
        odds = np.exp(-rate * np.maximum(best - counts.values[rivals], 0))
        lead = -np.log(_winning_time(odds, left[rivals], rng))
        there = ~(shown[:, None] == ranks[:place]).any(axis=1)
        cut = lead + rate * (best - own[there])  # at most this, for not passing the winner
        fallen = -np.log1p(rng.random(cut.size) * np.expm1(-cut))
        noise[place, there] = np.where(shown[there] == rank, cut, fallen) / rate
    return noise


def _winning_time(odds: FloatArray, n: IntArray, rng: np.random.Generator) -> float:
    """Draw t in (0, 1] with density proportional to prod (1 - t q)^n, by exact rejection.

    Each factor is at most e^(-t q), and a cut exponential of their product is kept more
    often than not.
    """
    total = float(n @ odds)
    while True:
        uniform = 1 - rng.random()
        t = uniform if total < _NO_RIVALS else -np.log1p(uniform * np.expm1(-total)) / total
        with np.errstate(divide="ignore"):  # t q = 1: never kept
            log_kept = float(n @ (np.log1p(-t * odds) + t * odds))
        if t > 0 and rng.random() < np.exp(log_kept):
            return float(t)
