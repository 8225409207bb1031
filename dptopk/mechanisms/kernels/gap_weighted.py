"""Count and draw sets of k items by their inverse sensitivity, the distance from a top k.

With counts sorted, c_1 >= ... >= c_d, and S a set of k ranks,

    score(S) = min over S of c_i - max outside S of c_j:

minus that many users must change before S is a top k.  The top set has the gap c_k - c_{k+1},
every other set a score of at most 0.  A set is told apart by the number h of top ranks before
the first one that it misses, and by the level v of its last item: its score is
value_v - c_{h+1}.  With e_v ranks down to level v, there are

    N_h(v) = C(e_v - h - 1, k - h)

sets that miss rank h + 1 first and whose last item is in level v or above: the other k - h items
lie among the ranks from h + 2 to e_v.  It is 0 unless e_v > k.  Sums over sets become sums over
pairs of h and v, all terms positive:

    sum over S of e^(rate score(S)) =
        e^(rate gap) + sum_{h < k} e^(-rate c_{h+1}) sum_v N_h(v) (e^(rate v) - e^(rate v'))

with v' the count of the next level (-infinity behind the last).

Drawing a pair by these terms, and then a uniform set of the N_h(v), gives every set its weight,
as the terms from its own level on add up to it.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import MAX_COUNT, SortedCounts
from dptopk.core.log_space import log_binomial, logsumexp
from dptopk.mechanisms.kernels.sequences import LOG_NEGLIGIBLE, draw_distinct

_CHUNK = 2_000_000  # entries of the largest temporary array
_MORE = 16  # levels that are looked at further down


@dataclass(frozen=True)
class SetsByGap:
    """Sets of k of the items of ``counts``, weighted by e^(rate score); see above."""

    counts: SortedCounts
    k: int
    rate: float

    @cached_property
    def top(self) -> IntArray:
        """Counts of the true top k."""
        return self.counts.top(self.k)

    @property
    def complete(self) -> bool:
        """True if the only set is that of all items."""
        return self.k == self.counts.d

    @cached_property
    def first_level(self) -> int:
        """Level of rank k + 1: the first that a set other than the top one can end in."""
        return int(np.searchsorted(self.counts.ends, self.k, side="right"))

    @cached_property
    def gap(self) -> int:
        """Score of the top set, c_k - c_{k+1}; 0 where there is no rank k + 1."""
        return 0 if self.complete else int(self.top[-1] - self.counts.values[self.first_level])

    # --- exact sums ----------------------------------------------------------------------

    def scores(self, ranks: IntArray) -> IntArray:
        """Return the score of sets of ascending ranks, shape (m, k)."""
        missed = self.first_missed(ranks)
        other = np.minimum(missed, self.counts.d - 1)
        score = self.counts.counts_at_ranks(ranks[:, -1]) - self.counts.counts_at_ranks(other)
        return np.where(missed == self.k, self.gap, score)

    def first_missed(self, ranks: IntArray) -> IntArray:
        """Return the first rank, from 0, that is not in each set of ascending ranks."""
        elsewhere = ranks != np.arange(self.k)
        return np.where(elsewhere.any(axis=1), elsewhere.argmax(axis=1), self.k)

    @cached_property
    def log_z(self) -> float:
        """Log of the sum of e^(rate score) over all sets."""
        if self.complete:
            return 0.0
        parts = [np.array([self.rate * self.gap])]
        row = self._first_row
        for levels in self._chunks():
            parts.append((self._log_n(levels, row) + self._log_drop(levels, row)).ravel())
            parts = [np.array([float(logsumexp(np.concatenate(parts)))])]
        return float(parts[0][0])

    def by_last_level(self) -> tuple[IntArray, FloatArray]:
        """Return the levels in which a set can end, with the log of the sum of e^(rate score).

        Levels below which nothing weighs e^-45 of the whole are left out; the top set is not
        among them.
        """
        levels, log_weights = [], []
        for chunk in [] if self.complete else self._chunks():
            log_new = self._log_n(chunk) + self._log_share_new(chunk)
            levels.append(chunk)
            log_weights.append(logsumexp(log_new + self._rate_score(chunk), axis=0))
        if not levels:
            return np.empty(0, dtype=np.int64), np.empty(0)
        return np.concatenate(levels), np.concatenate(log_weights)

    def by_score(self, *, beside_top: bool = True) -> "ScoreGroups":
        """Return groups of sets of equal score that have mass, without the top set.

        They carry weight ``beside_top``, or among themselves, however little that is.
        """
        chunks = [] if self.complete else self._chunks(beside_top=beside_top)
        levels = np.concatenate([np.empty(0, dtype=np.int64), *chunks])
        scores = self.counts.values[levels] - self.top[:, None]
        parts = [np.empty((self.k, 0))]
        parts += [self._log_n(chunk) + self._log_share_new(chunk) for chunk in chunks]
        return ScoreGroups(levels, scores, np.hstack(parts))

    def shares_within(self, levels: IntArray, log_p: FloatArray, ends: IntArray) -> FloatArray:
        """Return the expected share of a set among the first ranks, without the top set.

        ``log_p``, shape (k, m), is the log probability of one set of each group at m levels of
        `by_score`, which falls with the level; ``ends``, shape (n,), are numbers of ranks.
        """
        # as thresholds: N_h(v) sets, uniformly, with the drop of p from v to the next level
        log_next = np.hstack([log_p[:, 1:], np.full((self.k, 1), -np.inf)])[:, : levels.size]
        with np.errstate(divide="ignore"):  # log 0 = -inf: p is the same at both
            log_drop = log_p + np.log(-np.expm1(np.minimum(log_next - log_p, 0.0)))
        weights = np.exp(self._log_n(levels) + log_drop)
        reach, h = self.counts.ends[levels], np.arange(self.k)[:, None]
        shares = np.empty(ends.size)
        for i, end in enumerate(ends):
            pause()
            behind = (np.minimum(reach, end) - h - 1).clip(min=0) / (reach - h - 1)
            shares[i] = (weights * (np.minimum(h, end) + (self.k - h) * behind)).sum() / self.k
        return shares

    def _chunks(self, *, beside_top: bool = True) -> list[IntArray]:
        """Yield the levels that have mass, in groups for which all h fit into memory."""
        groups = self._groups
        # all sets that end in a group weigh no more than this, in thresholds as well
        log_each = logsumexp(self._log_most, axis=0)
        # and its thresholds at least 1 / e of this
        log_others = float(logsumexp(self._log_upper)) - 1
        log_lower = max(log_others, self.rate * self.gap) if beside_top else log_others
        kept = np.flatnonzero(log_each > log_lower - LOG_NEGLIGIBLE - np.log(groups.first.size))
        none = np.empty(0, dtype=np.int64)
        levels = np.concatenate(
            [none, *(np.arange(groups.first[i], groups.last[i] + 1) for i in kept)]
        )
        step = max(1, _CHUNK // self.k)
        return [levels[i : i + step] for i in range(0, levels.size, step)]

    # --- drawing -------------------------------------------------------------------------

    def draw(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw sets with probability proportional to e^(rate score), ascending ranks, (n, k)."""
        missed, last = self._draw_pairs(n, rng)
        # Fisher-Yates over k + 1 places: those up to the missed rank stay, and it is left out
        place = np.arange(self.k + 1)[:, None]
        within = np.where(missed == self.k, 0, self.counts.ends[last])
        ranks = draw_distinct(
            np.broadcast_to(place, (self.k + 1, n)),
            np.where(place <= missed, place + 1, within),
            rng,
        )
        kept = np.arange(self.k + 1) != missed[:, None]
        return np.sort(ranks[kept].reshape(n, self.k), axis=1)

    def _draw_pairs(self, n: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw the first missed rank (k for the top set) and the last level that may be used.

        Exact rejection: a pair of h and a group of levels by its upper bound, a depth into the
        group by its exponential weight, kept with probability N over the group's largest.
        """
        missed, level = np.full(n, self.k), np.zeros(n, dtype=np.int64)
        if self.complete:
            return missed, level
        groups = self._groups
        flat = np.append(self._log_upper.ravel(), self.rate * self.gap)
        cumulative = np.cumsum(np.exp(flat - flat.max()))
        pending = np.arange(n)
        values = self.counts.values
        while pending.size:
            pause()
            uniform = rng.random((3, pending.size))
            cell = np.searchsorted(cumulative, uniform[0] * cumulative[-1], side="right")
            top = cell == flat.size - 1
            row, group = np.divmod(np.where(top, 0, cell), groups.first.size)
            h = row + self._first_row
            first, last = groups.first[group], groups.last[group]
            depth = -np.log1p(uniform[1] * np.expm1(-self.rate * groups.width[group])) / self.rate
            down = np.minimum(depth, np.minimum(groups.width[group], MAX_COUNT)).astype(np.int64)
            # whole users: differences of large counts and fractions would be rounded
            found = np.searchsorted(-values, down - values[first], side="right") - 1
            found = np.clip(found, first, last)
            kept = top | (found == last)
            unsure = np.flatnonzero(~kept)
            if unsure.size:
                h_there, ends = h[unsure], self.counts.ends[np.stack([found, last])[:, unsure]]
                log_n = log_binomial(ends - h_there - 1, self.k - h_there)
                kept[unsure] = uniform[2, unsure] < np.exp(log_n[0] - log_n[1])
            missed[pending[kept]] = np.where(top, self.k, h)[kept]
            level[pending[kept]] = found[kept]
            pending = pending[~kept]
        return missed, level

    # --- tables over h (rows) and levels (columns) ---------------------------------------

    @cached_property
    def _first_row(self) -> int:
        """First h whose sets may weigh e^-45 of the sets beside the top one.

        These weigh no less than the one that misses rank k alone and ends in the first level.
        """
        log_most = self._log_n_most(self.k - np.arange(self.k))
        log_most += np.float64(self.rate) * (self.top[-1] - self.top)
        return int(np.argmax(log_most > -LOG_NEGLIGIBLE - math.log(self.k)))

    def _log_n_most(self, m: IntArray | int) -> FloatArray:
        """Bound log C(d, m), by m log(e d / m)."""
        bound: FloatArray = m * (1 + np.log(self.counts.d / m))
        return bound

    @cached_property
    def _groups(self) -> "_Groups":
        """Levels in groups within which N_h grows by a factor of at most e, whatever h.

        Down to where all sets together weigh e^-45 of those that end in the first level.
        """
        levels = np.arange(self.first_level, self.counts.n_levels)
        values = self.counts.values[levels]
        deep = self.rate * (values[0] - values)
        size = reached = int((deep <= self._log_n_most(self.k) + LOG_NEGLIGIBLE).sum())
        while True:
            size = min(2 * size + _MORE, levels.size)
            log_n = log_binomial(self.counts.ends[levels[:size]] - 1, self.k)  # N_0 grows fastest
            start = np.flatnonzero(np.diff(np.floor(log_n - log_n[0]), prepend=-1.0))
            n = np.count_nonzero(start < reached)
            if n < start.size or size == levels.size:  # else the last group may go on
                break
        first = levels[start]
        last = np.append(first[1:] - 1, levels[-1])
        below = np.append(values[start[1:]], 0).astype(np.float64)
        width = values[start] - below
        width[-1] = np.inf
        return _Groups(first[:n], last[:n], width[:n])

    @cached_property
    def _log_upper(self) -> FloatArray:
        """Upper bound on the weight of the thresholds of each group, from the first row on."""
        return self._log_most + np.log(-np.expm1(-self.rate * self._groups.width))

    @cached_property
    def _log_most(self) -> FloatArray:
        """Upper bound on the weight of the sets of each group, from the first row on."""
        groups, row = self._groups, self._first_row
        return self._log_n(groups.last, row) + self._rate_score(groups.first, row)

    def _log_n(self, levels: IntArray, row: int = 0) -> FloatArray:
        """Return log N_h(v), h from ``row`` on, shape (k - row, n_levels).

        From C(n - 1, m - 1) = C(n, m) m / n.
        """
        ends = self.counts.ends[levels].astype(np.float64)
        h = np.arange(row, self.k)[:, None]
        log_n = np.empty((h.size, levels.size))
        log_n[0] = log_binomial(ends - 1 - row, self.k - row)
        log_n[1:] = np.log((self.k - h[:-1]) / (ends - 1 - h[:-1]))
        result: FloatArray = np.cumsum(log_n, axis=0, out=log_n)
        return result

    def _rate_score(self, levels: IntArray, row: int = 0) -> FloatArray:
        """Return the rate times the score of the sets that miss h + 1 first and end in level v."""
        score: IntArray = self.counts.values[levels] - self.top[row:, None]
        return np.float64(self.rate) * score  # a plain float's product has no known type

    def _log_drop(self, levels: IntArray, row: int) -> FloatArray:
        """Return log(e^(rate score at v) - e^(rate score at v + 1)), 0 after the last level."""
        following = np.append(self.counts.values[1:], 0)[levels]
        steps = (self.counts.values[levels] - following).astype(np.float64)
        steps[levels == self.counts.n_levels - 1] = np.inf
        log_share = np.log(-np.expm1(-self.rate * steps))
        log_drop: FloatArray = self._rate_score(levels, row) + log_share
        return log_drop

    def _log_share_new(self, levels: IntArray) -> FloatArray:
        """Return log(1 - N_h(v - 1) / N_h(v)): the share of the sets that do end in level v.

        N_h(v) / N_h(v - 1) is the product over j = h + 1, ..., k of (e_v - j) / (e_{v-1} - j).
        """
        before = np.append(0, self.counts.ends)[levels]  # ranks above the level
        j = np.arange(1, self.k + 1)[:, None]
        joining = self.counts.multiplicities[levels]
        growth = np.log1p(joining / np.maximum(before - j, 1))
        growth[-1, before <= self.k] = np.inf  # no other set ends above the first level
        log_ratio = np.cumsum(growth[::-1], axis=0)[::-1]
        result: FloatArray = np.log(-np.expm1(-log_ratio))
        return result


@dataclass(frozen=True)
class ScoreGroups:
    """Sets by the first rank they miss (rows) and the level they end in (columns)."""

    levels: IntArray
    scores: IntArray
    log_n: FloatArray  # log number of sets in each group


@dataclass(frozen=True)
class _Groups:
    """Adjacent levels, first to last, and how many users below the first the next group begins."""

    first: IntArray
    last: IntArray
    width: FloatArray  # infinite for the last group
