"""Exact probability that k rounds of permute-and-flip release a true top k, in any order.

A state is how many items of each level of the top k were released; each round leads from a state
to one with one item more, or fails.  With q the odds of an item relative to the best one left and
t the time of `permute_and_flip`, a state releases a given item with probability

    q * integral over [0, 1] of prod (1 - t q_j) / (1 - t q) dt,

the product over all items left.  States of one best item share the nodes and the product over
items that are never right, so that a state costs k products a node.  What falls short of 1 is the
sum over states of the probability to reach it and to fail there: all terms are positive.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels.gauss import rule

MOST_STATES = 2**13
_REACH = 45.0  # of the exponent: beyond it nothing is left
_CHUNK = 1_000_000  # entries of the largest temporary array
_NODES, _WEIGHTS, _ = rule(48)
_LEVELS_AT_ONCE = _CHUNK // _NODES.size


def work(counts: SortedCounts, k: int) -> int:
    """Return the number of steps of one probability."""
    return int(min(n_states(counts, k), 1e12)) * _most(counts, k).size * 16


def n_states(counts: SortedCounts, k: int) -> float:
    """Return the number of states, at most 2^k; infinite beyond floats."""
    return float(np.prod(_most(counts, k) + 1.0))


def _most(counts: SortedCounts, k: int) -> IntArray:
    last = int(counts.level_of_rank(np.array([k - 1]))[0])
    most = counts.multiplicities[: last + 1].copy()
    most[-1] -= counts.ends[last] - k
    return most


@lru_cache(maxsize=2)  # curves ask at many rates in turn
def _states(
    most: tuple[int, ...],
) -> tuple[IntArray, IntArray, tuple[tuple[IntArray, IntArray, int], ...]]:
    """Return what each state took of each level, how many in all, and the steps between states.

    A step leads states to those with one item more of a level; steps are in order of rounds.
    """
    strides = np.append(1, np.cumprod(np.add(most, 1)[:-1]))
    taken = np.arange(math.prod(n + 1 for n in most))[:, None] // strides % np.add(most, 1)
    released = taken.sum(axis=1)
    steps = []
    for r in range(sum(most)):
        here = np.flatnonzero(released == r)
        for level, stride in enumerate(strides.tolist()):
            some = here[taken[here, level] < most[level]]
            if some.size:
                steps.append((some, some + stride, level))
    return taken, released, tuple(steps)


@dataclass(frozen=True)
class TopByRounds:
    """Rounds of permute-and-flip at ``rate`` (1 / users) on more than k items until k are released.

    `n_states` of the counts and k is at most `MOST_STATES`.
    """

    counts: SortedCounts
    k: int
    rate: float

    def log_probabilities(self) -> tuple[float, float]:
        """Return the log probability of a true top k, and that of any other output."""
        most = _most(self.counts, self.k)
        taken, released, steps = _states(tuple(most.tolist()))
        log_next, log_fail = self._rounds(taken, most)
        log_reached = np.full(len(taken), -np.inf)
        log_reached[0] = 0.0
        for here, there, level in steps:
            log_reached[there] = np.logaddexp(
                log_reached[there], log_reached[here] + log_next[here, level]
            )
        left = released < self.k
        log_wrong = float(logsumexp((log_reached + log_fail)[left]))
        return min(float(log_reached[-1]), 0.0), min(log_wrong, 0.0)

    def _rounds(self, taken: IntArray, most: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the log probability to release each level from each state, and to fail there."""
        log_next, log_fail = np.full(taken.shape, -np.inf), np.full(len(taken), -np.inf)
        best = np.argmax(taken < self.counts.multiplicities[: most.size], axis=1)
        unfinished = taken.sum(axis=1) < self.k
        for level in range(most.size):
            every = np.flatnonzero(unfinished & (best == level))
            for begin in range(0, every.size, _CHUNK // _NODES.size):
                some = every[begin : begin + _CHUNK // _NODES.size]
                log_next[some], log_fail[some] = self._rounds_of(taken[some], most, level)
        return log_next, log_fail

    @cached_property
    def _below(self) -> tuple[IntArray, IntArray]:
        """Return counts below the top k and their items, but for what adds less than e^-45."""
        behind = self.counts.level_of_rank(np.array([self.k - 1]))[0] + 1
        values, n = self.counts.values[behind:], self.counts.multiplicities[behind:]
        weight = self.rate * (values - values[:1]) + np.log(n)
        least = weight.max(initial=-np.inf) - _REACH - np.log(max(values.size, 1))
        return values[weight > least], n[weight > least]

    def _rounds_of(
        self, taken: IntArray, most: IntArray, best: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the same for states whose best item left is of one level."""
        counts, cut = self.counts, most.size - 1
        log_odds = np.minimum(self.rate * (counts.values[: cut + 1] - counts.values[best]), 0.0)
        values, n = self._below
        log_below_odds = self.rate * (values - counts.values[best])
        left = counts.multiplicities[: cut + 1] - taken
        spare = counts.multiplicities[cut] - most[cut]  # items of the last level that are too many
        least = (
            float((n * np.exp(log_below_odds)).sum())
            + spare * np.exp(log_odds[cut])
            + float(best < cut or not spare)
        )
        time = _NODES * min(1.0, _REACH / least)
        log_weights = np.log(_WEIGHTS) + np.log(min(1.0, _REACH / least))
        log_never, log_hazard = _never_right(log_below_odds, n, time)
        log_survives = np.log1p(-np.exp(log_odds)[:, None] * time)  # (levels, nodes)
        integrand = np.exp(left @ log_survives + log_never + log_weights)
        largest = float(log_hazard.max()) if n.size else 0.0
        full = np.where(taken[:, cut] == most[cut], spare, 0)  # then they are wrong, too
        with np.errstate(divide="ignore"):  # log 0: none left, or none that could be wrong
            log_each = np.log(integrand @ np.exp(-log_survives).T) + log_odds
            log_next = log_each + np.log(np.where(taken < most, left, 0))
            log_below = np.log(integrand @ np.exp(log_hazard - largest)) + largest
            log_fail = np.logaddexp(log_below, log_each[:, cut] + np.log(full))
        return log_next, log_fail


def _never_right(
    log_odds: FloatArray, n: IntArray, time: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the log of the product over items below the top k, and of its log derivative."""
    log_never, log_hazard = np.zeros(time.size), np.full(time.size, -np.inf)
    for begin in range(0, n.size, _LEVELS_AT_ONCE):
        pause()
        some = slice(begin, begin + _LEVELS_AT_ONCE)
        log_survives = np.log1p(-np.exp(log_odds[some, None]) * time)
        log_never += n[some] @ log_survives
        log_each = np.log(n[some])[:, None] + log_odds[some, None] - log_survives
        log_hazard = np.logaddexp(log_hazard, logsumexp(log_each, axis=0))
    return log_never, log_hazard
