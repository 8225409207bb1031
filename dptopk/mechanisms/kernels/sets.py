"""Count sets of k distinct items by their loss, without enumerating them.

A set is compared with the true top k place by place, its own largest count first, so that it has
loss at most T when its i-th rank is among the first t_i(T):

    N(T) = number of sets j_1 < ... < j_k with j_i <= t_i(T).

As k - i more ranks must follow, j_i is bounded by the smallest t_m(T) - (m - i), m >= i, as well;
with these bounds in place of the t_i, N grows with each of them.

Gillenwater, Joseph, Munoz Medina, Ribero (2021), who proposed the mechanism, sample it in time
O(d k^3).  Here ranks are swept in the segments [t_{i-1}, t_i): with F_j the number of ways to have
j items so far,

    F_j <- sum_l C(t_i - t_{i-1}, l) F_{j-l},    then F_j <- 0 for j < i,

as at least i items must lie among the first t_i.  All terms are positive.  To draw a set within T
they are added in logarithms, and the segments gone through backwards.  N alone is a probability
divided by a weight: with every rank taken with probability p on its own, that at least i of the
first t_i are taken for every i, and k of t_k.  Probabilities need no logarithms, and whatever
doubles drop of them is smaller than 1e-300, since no way of going on is worth more than 1.
"""

import bisect
import itertools
from collections import deque
from collections.abc import Iterator
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import log_binomial, logsumexp
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss, draw_distinct

_CHUNK = 1_000_000  # entries of the largest temporary array
_UNDERFLOWS = 1e-280  # products that doubles cannot hold are a negligible part of larger sums
_LOG_UNLIKELY = -600.0  # log probabilities below which what was dropped may tell
_ALIKE = 64  # thresholds that are counted together: neighbours have segments of like widths
_FEW, _VERY_FEW = 24, 6  # items of a segment that are added one by one; in logarithms
_ONE_BY_ONE = 4  # draws: more are made at once
_MOST_KNOWN = 100_000
_KNOWN: WeakKeyDictionary[SortedCounts, dict[int, dict[int, float]]] = WeakKeyDictionary()
"""Log N by threshold, by k: kept as long as the counts are."""


class SetsByLoss(SequencesByLoss):
    """Numbers of sets of ``k`` items by loss, for sorted ``counts``."""

    few_jumps: ClassVar[int] = 0  # N takes too long

    def __init__(self, counts: SortedCounts, k: int):
        super().__init__(counts, k)
        known = _KNOWN.setdefault(counts, {})
        if k not in known:
            log_n_all = float(log_binomial(counts.d, k))
            known[k] = {self.widest: log_n_all, 0: top.log_n_top_sets(counts, k)}
        self._known = known[k]

    def log_n_at_most(self, thresholds: IntArray) -> FloatArray:
        """Return log N(T), cached across rates."""
        wanted: list[int] = thresholds.tolist()
        known = {t: self._known[t] for t in wanted if t in self._known}
        if len(known) < len(set(wanted)):
            between = range(min(wanted), max(wanted) + 1)  # cost little, and are often next
            some = between if len(between) <= _ALIKE else set(wanted)
            unknown = np.array(sorted(t for t in some if t not in self._known), dtype=np.int64)
            found = super().log_n_at_most(unknown).tolist()
            fresh = dict(zip(unknown.tolist(), found, strict=True))
            if len(self._known) + len(fresh) <= _MOST_KNOWN:
                self._known.update(fresh)
            known |= fresh
        return np.array([known[t] for t in wanted])

    @property
    def log_n_all(self) -> float:
        """Log number of all sets."""
        return self._known[self.widest]

    def _log_n_at_both(
        self, first: IntArray, last: IntArray, slight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log N(T) at both ends of blocks, or bounds where they are at most ``slight``.

        The bound is the number of sets of the first t_k(T) ranks.
        """
        if (slight < 0).all():  # there is a set
            return super()._log_n_at_both(first, last, slight)
        within = self.counts.n_at_least(self.top[-1] - last)
        lower, upper = np.full(last.size, self._known[0]), log_binomial(within, self.k)
        some = upper > slight
        lower[some], upper[some] = super()._log_n_at_both(first[some], last[some], slight[some])
        return lower, upper

    def n_within(self, thresholds: IntArray) -> IntArray:
        """Return the bounds on j_1 < ... < j_k for every threshold, shape (k, n_thresholds)."""
        place = np.arange(self.k)[:, None]
        slack = super().n_within(thresholds) - place
        bounds: IntArray = np.minimum.accumulate(slack[::-1], axis=0)[::-1] + place
        return bounds

    def log_n_of(self, n_within: IntArray) -> FloatArray:
        """Return log N(T) from the bounds of each threshold, shape (k, n_thresholds)."""
        log_n = np.empty(n_within.shape[1])
        for i in range(0, log_n.size, _ALIKE):
            log_n[i : i + _ALIKE] = self._log_n_by_chance(n_within[:, i : i + _ALIKE])
        unlikely = np.flatnonzero(np.isnan(log_n))
        step = max(1, _CHUNK // self.k**2)
        for i in range(0, unlikely.size, step):
            *_, ways = self._ways(self._log_taken(n_within[:, unlikely[i : i + step]]))
            log_n[unlikely[i : i + step]] = ways[:, -1]
        return log_n

    def losses_of(self, set_counts: IntArray) -> IntArray:
        """Return the loss of each set, given the counts of its items in any order, shape (m, k)."""
        return super().losses_of(-np.sort(-set_counts, axis=1))

    def log_z(self, levels: LossLevels, rate: float) -> float:
        """Return the log of the sum of e^(-rate loss) over all sets.

        By parts, N(loss) (e^(-rate loss) - e^(-rate next loss)): positive terms only.
        """
        log_at_most = np.logaddexp.accumulate(levels.log_n)
        gaps = np.append(np.diff(levels.losses), np.inf)
        return float(
            logsumexp(log_at_most - rate * levels.losses + np.log(-np.expm1(-rate * gaps)))
        )

    def draw_within(self, thresholds: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw a uniform set among those within each threshold, as ranks (n, k), any order."""
        distinct, which = np.unique(thresholds, return_inverse=True)
        ranks = np.empty((thresholds.size, self.k), dtype=np.int64)
        step = max(1, _CHUNK // self.k**2)
        for i in range(0, distinct.size, step):
            mine = np.flatnonzero((which >= i) & (which < i + step))
            bounds = self.n_within(distinct[i : i + step])
            for part in np.array_split(mine, 1 + mine.size * self.k // _CHUNK):
                ranks[part] = self._draw(bounds, which[part] - i, rng)
        return ranks

    # --- sweeping the segments -----------------------------------------------------------

    def _log_n_by_chance(self, n_within: IntArray) -> FloatArray:
        """Return log N(T) where its probability is large enough for doubles, else NaN.

        Where a segment has one rank at most, the bound before it follows from its own: i + 1 of
        the first t_i + 1 ranks include i of the first t_i.
        """
        odds = self._odds(n_within)
        reach = n_within * odds[1] // (_LOG_UNLIKELY / 2)  # no joint segment too wide for doubles
        binding = (np.diff(n_within, axis=0) > 1) | (np.diff(reach, axis=0) > 0)
        kept = np.append(binding.any(axis=1), True)
        last, _ = deque(self._by_chance(n_within, kept), maxlen=1).pop()
        log_chance = _log_last(last)
        log_n = log_chance - self.k * odds[0] - (n_within[-1] - self.k) * odds[1]
        return np.where(log_chance > _LOG_UNLIKELY, log_n, np.nan)

    def _odds(self, n_within: IntArray) -> FloatArray:
        """Return log p and log(1 - p) such that k of t_k are about as many as one expects."""
        last = n_within[-1].astype(np.float64)
        return np.stack([-np.log1p((last + 1) / self.k - 1), np.log1p(-self.k / (last + 1))])

    def _by_chance(
        self, n_within: IntArray, binding: BoolArray
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield, for each segment, the probabilities of i + 1, ... items so far, and of its own.

        Both are of shape (n_thresholds, up to k), as far as there are so many items; its own are
        those of 0, 1, ... of its items.  A segment whose bound is not ``binding``, shape (k,), is
        joined to the next.
        """
        odds, n_within = self._odds(n_within), n_within[binding]
        least = np.flatnonzero(binding) + 1
        before = np.append(0, least[:-1])
        widths = np.diff(n_within, axis=0, prepend=0)
        most = np.minimum(widths.max(axis=1), self.k - before)
        narrow = (most <= _VERY_FEW) & (before > 0)
        together = iter(_taken(widths[narrow], _VERY_FEW, odds))
        reached = np.minimum(n_within.max(axis=1), self.k) - before + 1
        taken = _taken(widths[0], self.k, odds)
        chances = taken[:, least[0] :]
        yield chances, taken
        each = np.stack([most, reached, least - before], axis=1).tolist()
        for i, (n_items, size, more) in enumerate(each[1:], 1):
            pause()
            if n_items <= _VERY_FEW:
                taken = next(together)[:, : n_items + 1]
            else:
                taken = _taken(widths[i], n_items, odds)
            if n_items:
                chances = _added(chances, taken, size)
            chances = chances[:, more:]
            yield chances, taken

    def _log_taken(self, n_within: IntArray) -> FloatArray:
        """Return the log number of ways to take l of each segment, shape (k, n, k + 1)."""
        widths = np.diff(n_within, axis=0, prepend=0)
        log_taken: FloatArray = log_binomial(widths[:, :, None], np.arange(self.k + 1))
        return log_taken

    def _ways(self, log_taken: FloatArray) -> Iterator[FloatArray]:
        """Return log F_j after each segment, shape (n_thresholds, k + 1)."""
        ways = log_taken[0].copy()
        ways[:, 0] = -np.inf
        yield ways
        for i in range(1, self.k):  # from i items or more to i + 1 or more
            pause()
            reached = ways[:, i:]
            if (log_taken[i, :, 1] > -np.inf).any():  # else all segments are empty
                reached = _convolved(reached, log_taken[i, :, : self.k - i + 1])
            ways = np.full_like(ways, -np.inf)
            ways[:, i + 1 :] = reached[:, 1:]
            yield ways

    def _draw(self, n_within: IntArray, column: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw uniform sets within the bounds in the given columns, as ranks (n, k)."""
        by_chance = list(self._by_chance(n_within, np.full(self.k, True)))
        likely = bool((_log_last(by_chance[-1][0]) > _LOG_UNLIKELY).all())
        uniform = rng.random((self.k - 1, column.size))  # the last segment comes first
        if likely and column.size <= _ONE_BY_ONE:
            each = zip(column.tolist(), uniform.T.tolist(), strict=True)
            alone = np.array([_draw_taken(by_chance, of_draw, u) for of_draw, u in each]).T
            return self._draw_from_segments(n_within[:, column], alone, rng)
        if not likely:
            log_taken = self._log_taken(n_within)
            log_ways = list(self._ways(log_taken))
        widest = np.diff(n_within, axis=0, prepend=0).max(axis=1).tolist()
        taken = np.empty((self.k, column.size), dtype=np.int64)  # from each segment
        missing = np.full(column.size, self.k)
        row = column[:, None]
        for i in range(self.k - 1, 0, -1):
            pause()
            most = min(widest[i], int(missing.max()) - i)
            # beyond the i items or more that are before it
            before = (missing - i)[:, None] - np.arange(most + 1)
            chances, own = by_chance[i - 1][0], by_chance[i][1]
            there = np.minimum(np.maximum(before, 0), chances.shape[1] - 1)
            if likely:
                weights = chances[row, there] * own[column, : most + 1]
            else:
                log_weights = log_ways[i - 1][row, i + there] + log_taken[i, column, : most + 1]
                log_weights[before != there] = -np.inf
                weights = np.exp(log_weights - log_weights.max(axis=1)[:, None])
            weights[before != there] = 0.0
            cumulative = np.cumsum(weights, axis=1)
            wanted = uniform[self.k - 1 - i] * cumulative[:, -1]
            taken[i] = (cumulative <= wanted[:, None]).sum(axis=1)
            missing = missing - taken[i]
        taken[0] = missing
        return self._draw_from_segments(n_within[:, column], taken, rng)

    def _draw_from_segments(
        self, n_within: IntArray, taken: IntArray, rng: np.random.Generator
    ) -> IntArray:
        """Draw uniform distinct ranks, with a given number from each segment."""
        through = np.cumsum(taken, axis=0)  # places up to each segment
        place = np.arange(self.k)[:, None]
        segment = (through[:, None, :] <= place).sum(axis=0)
        low, high = np.vstack([np.zeros_like(n_within[:1]), n_within[:-1]]), n_within
        first_place = np.take_along_axis(through - taken, segment, axis=0)
        return draw_distinct(
            np.take_along_axis(low, segment, axis=0) + place - first_place,
            np.take_along_axis(high, segment, axis=0),
            rng,
        )

    # --- steps of N ----------------------------------------------------------------------

    def _steps(
        self, start: IntArray, stop: IntArray, log_n_start: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        first, last = self._jump_levels(start[0], stop[-1])
        position = np.repeat(np.arange(self.k), last - first)
        level = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        begin = int(start[0])
        losses = np.append(begin, np.unique(self.top[position] - self.counts.values[level]))
        before = self.n_within(np.array([begin - 1]))
        bounds = self.n_within(losses)
        grown = np.diff(bounds.sum(axis=0), prepend=before.sum()) > 0
        if begin == 0:
            grown[0] = True
        losses, bounds = losses[grown], bounds[:, grown]
        if not losses.size:
            return losses, np.empty(0)
        log_before = -np.inf if begin == 0 else self.log_n_at_most(np.array([begin - 1]))[0]
        log_n = self.log_n_at_most(losses)
        log_ratio = np.minimum(np.append(log_before, log_n[:-1]) - log_n, 0.0)
        with np.errstate(divide="ignore"):  # fewer new sets than rounding can tell from none
            return losses, log_n + np.log(-np.expm1(log_ratio))


def _draw_taken(
    by_chance: list[tuple[FloatArray, FloatArray]], column: int, uniform: list[float]
) -> list[int]:
    """Draw how many items of each segment one draw takes, as `SetsByLoss._draw` does for many."""
    missing, taken = len(by_chance), []
    for i, u in zip(range(missing - 1, 0, -1), uniform, strict=True):
        before, own = by_chance[i - 1][0][column].tolist(), by_chance[i][1][column].tolist()
        beyond = missing - i  # the i items or more that are before it
        fewest = max(beyond - len(before) + 1, 0)
        weights = [b * c for b, c in zip(before[beyond - fewest :: -1], own[fewest:], strict=False)]
        cumulative = list(itertools.accumulate(weights))
        taken.append(fewest + bisect.bisect_right(cumulative, u * cumulative[-1]))
        missing -= taken[-1]
    return [missing, *reversed(taken)]


def _log_last(chances: FloatArray) -> FloatArray:
    """Return the log of the probability of k items, after the last segment."""
    with np.errstate(divide="ignore"):  # 0: dropped, counted anew
        log_chance: FloatArray = np.log(chances[:, 0])
    return log_chance


def _taken(width: IntArray, most: int, odds: FloatArray) -> FloatArray:
    """Return the probabilities that l = 0, ..., ``most`` of a segment are taken, as the last axis.

    ``odds`` are the logarithms of p and 1 - p, shape (2, n), of segments of shape (..., n).
    """
    log_none = width * odds[1]
    first = np.where(log_none > _LOG_UNLIKELY, np.exp(log_none), np.nan)  # nan: counted anew
    many = np.arange(1, min(most, int(width.max(initial=0))) + 1)
    ratios = np.maximum(width[..., None] - many + 1, 0) / many * np.exp(odds[0] - odds[1])[:, None]
    return np.cumprod(np.concatenate([first[..., None], ratios], axis=-1), axis=-1)


def _added(chances: FloatArray, taken: FloatArray, size: int) -> FloatArray:
    """Return sum_l taken_l chances_{j-l} for j = 0, ..., size - 1, row by row."""
    n_items, reached = taken.shape[1], chances.shape[1]
    if n_items > _FEW:
        padded = (np.pad(x, ((0, 0), (0, size - x.shape[1]))) for x in (chances, taken))
        return _products(*padded)
    result = np.zeros((len(chances), size))
    np.multiply(chances, taken[:, :1], out=result[:, :reached])
    for many in range(1, n_items):
        moved = result[:, many : many + reached]  # less is left of it at the end
        moved += taken[:, many, None] * chances[:, : moved.shape[1]]
    return result


def _convolved(ways: FloatArray, taken: FloatArray) -> FloatArray:
    """Return the log of sum_l e^(taken_l + ways_{j-l}) for j = 0, ..., m - 1, shape (n, m).

    Multiplied out where doubles can hold it, after taking a common slope off both, which a
    convolution keeps; rows where a sum comes near underflow are added in logarithms, as are
    segments of very few items.
    """
    n_items = int(np.isfinite(taken).any(axis=0).sum())
    if n_items <= _VERY_FEW:
        result: FloatArray = ways + taken[:, :1]
        for many in range(1, n_items):
            more = ways[:, :-many] + taken[:, many, None]
            np.logaddexp(result[:, many:], more, out=result[:, many:])
        return result
    places = np.arange(ways.shape[1])
    n_ways, n_taken = (np.isfinite(x).sum(axis=1) - 1 for x in (ways, taken))  # 0, ..., n
    rise = np.take_along_axis(ways, np.maximum(n_ways, 0)[:, None], axis=1)[:, 0] - ways[:, 0]
    slope = np.where(n_ways > 0, rise / np.maximum(n_ways, 1), 0.0)[:, None] * places
    flat_ways, flat_taken = ways - slope, taken - slope
    highest_ways, highest_taken = (x.max(axis=1)[:, None] for x in (flat_ways, flat_taken))
    total = _products(np.exp(flat_ways - highest_ways), np.exp(flat_taken - highest_taken))
    reached = places <= (n_ways + n_taken)[:, None]
    with np.errstate(divide="ignore"):  # log 0 = -inf: there is no way, or the row is added anew
        result = np.log(total) + highest_ways + highest_taken + slope
    small = ((total < _UNDERFLOWS) & reached).any(axis=1)
    if small.any():
        result[small] = _added_in_logs(ways[small], taken[small])
    return result


def _products(ways: FloatArray, taken: FloatArray) -> FloatArray:
    """Return sum_l taken_l ways_{j-l}, row by row."""
    result: FloatArray = np.matmul(_windows(ways, 0.0), taken[:, ::-1, None])[:, :, 0]
    return result


def _added_in_logs(ways: FloatArray, taken: FloatArray) -> FloatArray:
    result: FloatArray = logsumexp(_windows(ways, -np.inf) + taken[:, None, ::-1], axis=2)
    return result


def _windows(values: FloatArray, before: float) -> FloatArray:
    """Return windows of the values j - m + 1, ..., j for every j, shape (n, m, m), as a view."""
    n, m = values.shape
    padded = np.concatenate([np.full((n, m - 1), before), values], axis=1)
    return np.lib.stride_tricks.sliding_window_view(padded, m, axis=1)
