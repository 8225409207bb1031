"""Repeat the exponential mechanism among items and a stop symbol ⊥ until ⊥ is drawn.

⊥ is one more item of an exponential race: items are drawn as without it, and those that arrive
after it are left out.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.core.outputs import NOTHING
from dptopk.mechanisms.kernels import conditional_noise, race

_CHUNK = 2_000_000  # entries of the largest temporary array


@dataclass(frozen=True)
class EarlyStop:
    """Rounds over the items of ``counts``, if any, and ⊥, at ``rate`` in 1 / users."""

    counts: SortedCounts | None
    bottom: race.Bottom
    rate: float

    def draw(self, k: int, n: int, rng: np.random.Generator) -> IntArray:
        """Draw ranks until ⊥ is drawn or there are k, padded with `NOTHING`, shape (n, k)."""
        drawn = np.full((n, k), NOTHING)
        if self.counts is None:
            return drawn
        among = min(k, self.counts.d)
        first = race.draw_first_noisy(self.counts, among, self.rate, n, rng)
        drawn[:, :among] = first.ranks
        # measured from ⊥: where it is near, doubles keep the noise
        ahead = self.counts.values[first.levels] - self.bottom.count + first.noise
        noise = self.bottom.log_bonus - np.log(rng.standard_exponential((n, 1)))
        stopped = self.rate * ahead < noise
        drawn[:, :among][np.logical_or.accumulate(stopped, axis=1)] = NOTHING
        return drawn

    def noise_behind(
        self, ranks: IntArray, shown: IntArray, rng: np.random.Generator
    ) -> conditional_noise.ConditionalNoise:
        """Draw the Gumbel noise behind one row of `draw`; there must be items."""
        assert self.counts is not None
        released = ranks[ranks != NOTHING]
        stopped = released.size < ranks.size
        return conditional_noise.of_race(
            self.counts, released, shown, self.rate, rng, self.bottom, stopped
        )

    def log_pmf(self, ranks: IntArray) -> FloatArray:
        """Return the log probability of outputs padded with `NOTHING`, shape (m, k)."""
        length = (ranks != NOTHING).sum(axis=1)
        n_items = 0 if self.counts is None else self.counts.d
        result = np.where((ranks >= n_items).any(axis=1), -np.inf, 0.0)
        if self.counts is None:
            return result
        row = np.flatnonzero(result == 0)
        among, length = ranks[row], length[row]
        odds = self._log_odds(self.counts, among)
        result[row] = np.where(among == NOTHING, 0.0, odds.log_come).sum(axis=1)
        stops = np.flatnonzero(length < ranks.shape[1])
        result[row[stops]] += odds.log_stop[stops, length[stops]]
        return result

    def log_top(self, k: int) -> float:
        """Return the log probability that a true top k come out in any order, up to ties."""
        if self.counts is None or self.counts.d < k:
            return -np.inf
        return race.log_probability_top_first(self.counts, k, self.rate, self.bottom)

    def log_not_top(self, k: int) -> float:
        """Return the log of the complement of `log_top`; NaN where several sets are a top k."""
        if self.counts is None or self.counts.d < k:
            return 0.0
        return race.log_probability_not_top_first(self.counts, k, self.rate, self.bottom)

    def _log_odds(self, counts: SortedCounts, ranks: IntArray) -> "_Rounds":
        """Return the log probabilities of each place, computed in pieces that fit into memory."""
        step = max(1, _CHUNK // (counts.n_levels + ranks.shape[1]))
        parts = [self._some(counts, ranks[i : i + step]) for i in range(0, len(ranks), step)]
        if not parts:
            return _Rounds(np.empty(ranks.shape), np.empty((0, ranks.shape[1] + 1)))
        return _Rounds(*(np.concatenate([getattr(p, f) for p in parts]) for f in _Rounds.FIELDS))

    def _some(self, counts: SortedCounts, ranks: IntArray) -> "_Rounds":
        """Return the probabilities of each place, with weights relative to the best item left."""
        m, k = ranks.shape
        there = ranks != NOTHING
        levels = counts.level_of_rank(np.maximum(ranks, 0))
        left = np.tile(counts.multiplicities, (m, 1))
        row, place = np.nonzero(there)
        np.subtract.at(left, (row, levels[row, place]), 1)
        best = np.where(left.any(axis=1), counts.values[np.argmax(left > 0, axis=1)], -1)
        with np.errstate(divide="ignore"):  # log 0 = -inf: none left
            log_left = np.log(left)
        log_odds = np.minimum(self.rate * (counts.values - best[:, None]), 0.0)
        log_all = logsumexp(log_odds + log_left, axis=1)
        log_come, log_stop = np.zeros((m, k)), np.empty((m, k + 1))
        for r in range(k, -1, -1):
            if r < k:  # the item of this place was there before
                own = np.where(there[:, r], counts.values[levels[:, r]], -1)
                before = np.maximum(best, own)
                log_own = np.where(there[:, r], self.rate * (own - before), -np.inf)
                log_all = np.logaddexp(log_all + self.rate * (best - before), log_own)
                best = before
            log_nothing = self.rate * (self.bottom.count - best) + self.bottom.log_bonus
            log_any = np.logaddexp(log_all, log_nothing)
            log_stop[:, r] = log_nothing - log_any
            if r < k:
                log_come[:, r] = log_own - log_any
        return _Rounds(log_come, log_stop)


@dataclass(frozen=True)
class _Rounds:
    """Log probability of each place's item, (m, k), and of ⊥ there, (m, k + 1)."""

    FIELDS = ("log_come", "log_stop")

    log_come: FloatArray
    log_stop: FloatArray
