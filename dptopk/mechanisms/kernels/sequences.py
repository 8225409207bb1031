"""Count sequences of k distinct items by their loss, without a k x d matrix.

With counts sorted, c_1 >= ... >= c_d, the loss of a sequence s is
max_r (c_r - c_{s_r}).  For an integer threshold T,

    t_r(T) = #{j : c_j >= c_r - T},    N(T) = prod_{r=1..k} (t_r(T) - r + 1)

sequences have loss at most T: t_r is non-decreasing in r, so whatever the first
r - 1 positions took lies among the first t_r(T) ranks.  Everything the joint
mechanisms need follows from N: see `joint` and `pnf_joint`.  Gillenwater, Joseph,
Munoz Medina, Ribero (2022, arXiv 2201.12333) count the same sequences through a
k x d matrix with its entries made distinct; N needs only distinct counts.

N is a step function of T.  `SequencesByLoss` covers the thresholds with blocks on
which N varies by a bounded factor, refined only where the mass is; samplers use
the blocks as an envelope (exact, by rejection), normalisers visit the steps inside.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp

LOG_NEGLIGIBLE = 45.0
"""Mass below e^-45 (3e-20) of the whole is left out of sums."""

_BLOCK_LOG_RATIO = 1.0  # N varies by at most e on a refined block: most proposals are accepted
_LOG_WORTH_REFINING = 12.0  # blocks below e^-12 of the mass cost too few rejections to refine
_MAX_PIECES = 64
_CHUNK = 2_000_000  # entries of the largest temporary array
_ANCHOR = 64  # jumps from one log N that is computed to the next
_SHORT = 8  # positions that are gone through rather than searched
_ONE_BY_ONE = 100  # draws: above, all are made at once, place by place


@dataclass(frozen=True)
class ThresholdBlocks:
    """Thresholds [start, stop) with N at both ends; the last block is unbounded."""

    start: IntArray
    length: FloatArray  # float: the last one is infinite
    log_n_first: FloatArray
    log_n_last: FloatArray
    log_geometric: FloatArray  # log sum of e^(-rate T) over the block, times 1 - e^-rate

    @property
    def log_upper(self) -> FloatArray:
        """Upper bound on the mass sum N(T) e^(-rate T) of each block."""
        return self.log_n_last + self.log_geometric

    @cached_property
    def log_lower_total(self) -> float:
        """Lower bound on the mass of all blocks together."""
        return float(logsumexp(self.log_n_first + self.log_geometric))


@dataclass(frozen=True)
class LossLevels:
    """Losses that have mass, and the number of sequences with each."""

    losses: IntArray  # ascending
    log_n: FloatArray  # natural log of the number of sequences with exactly this loss


_EVERY_LOSS: WeakKeyDictionary[SortedCounts, tuple[int, LossLevels]] = WeakKeyDictionary()
"""The k asked for last, and all losses of its sequences: a search for ε asks at many rates."""


class SequencesByLoss:
    """Numbers of sequences of ``k`` distinct items by loss, for sorted ``counts``."""

    few_jumps: ClassVar[int] = 50_000
    """Jumps of all t_r together, up to which N is computed at each, once for all rates."""

    def __init__(self, counts: SortedCounts, k: int):
        self.counts = counts
        self.k = k
        self.top = counts.top(k)
        self.widest = int(self.top[0] - counts.values[-1])  # N is constant from here on
        self._free_before = np.arange(k)[:, None]

    def n_within(self, thresholds: IntArray) -> IntArray:
        """Return t_r(T) for every position and threshold, shape (k, n_thresholds)."""
        return self.counts.n_at_least(self.top[:, None] - thresholds)

    def log_n_at_most(self, thresholds: IntArray) -> FloatArray:
        """Return log N(T), the number of sequences with loss at most T."""
        log_n = np.empty(thresholds.size)
        step = max(1, _CHUNK // self.k)
        for i in range(0, thresholds.size, step):
            pause()
            log_n[i : i + step] = self.log_n_of(self.n_within(thresholds[i : i + step]))
        return log_n

    def log_n_of(self, n_within: IntArray) -> FloatArray:
        """Return log N(T) from the t_r(T) of each threshold, shape (k, n_thresholds)."""
        log_n: FloatArray = np.log(n_within - self._free_before).sum(axis=0)
        return log_n

    @property
    def log_n_all(self) -> float:
        """Log number of all sequences, d! / (d - k)!."""
        return math.lgamma(self.counts.d + 1) - math.lgamma(self.counts.d - self.k + 1)

    def losses_of(self, sequence_counts: IntArray) -> IntArray:
        """Return the loss of each sequence, given the counts of its items, shape (m, k)."""
        losses: IntArray = (self.top - sequence_counts).max(axis=1)
        return losses

    def blocks(self, rate: float, least: int = 0) -> ThresholdBlocks:
        """Cut all thresholds into blocks, finer where N(T) e^(-rate T) has its mass."""
        # N >= 1, so all thresholds from there on are negligible, also for `loss_levels`.
        far = least + np.ceil((self.log_n_all + 1 + _log_margin(rate)) / rate)
        reach = int(min(self.widest, far))
        edges = np.array(sorted({least, reach, self.widest}), dtype=np.int64)
        last = self.log_n_at_most(edges[-1:])
        start, stop = edges[:-1], edges[1:]
        first_n, last_n = self._log_n_at_both(start, stop - 1, np.full(start.size, np.inf))
        while True:
            bounded = _blocks(rate, start, stop, first_n, last_n, self.widest, last)
            varying = last_n - first_n > _BLOCK_LOG_RATIO
            heavy = bounded.log_upper[:-1] > bounded.log_lower_total - _LOG_WORTH_REFINING
            refine = varying & heavy
            if not refine.any():
                return bounded
            finer_start, finer_stop = _split(
                start[refine], stop[refine], (last_n - first_n)[refine] / _BLOCK_LOG_RATIO
            )
            start = np.concatenate([start[~refine], finer_start])
            stop = np.concatenate([stop[~refine], finer_stop])
            # log N below which all thresholds from the start of a block on are negligible
            slight = bounded.log_lower_total - _log_margin(rate) + np.float64(rate) * finer_start
            finer_first, finer_last = self._log_n_at_both(finer_start, finer_stop - 1, slight)
            first_n = np.concatenate([first_n[~refine], finer_first])
            last_n = np.concatenate([last_n[~refine], finer_last])

    def _log_n_at_both(
        self, first: IntArray, last: IntArray, slight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log N(T) at both ends of blocks, or bounds where they are at most ``slight``."""
        log_n = self.log_n_at_most(np.concatenate([first, last]))
        return log_n[: first.size], log_n[first.size :]

    def loss_levels(self, rate: float, least: int = 0) -> LossLevels:
        """Return all losses but those with less than e^-45 of the mass under e^(-rate loss).

        From the ``least`` on, and of the mass from there on.
        """
        if self.k * self.counts.n_levels <= self.few_jumps:
            every = self._every_loss()
            first = np.searchsorted(every.losses, least)
            weights = every.log_n[first:] - np.float64(rate) * every.losses[first:]
            heavy = np.flatnonzero(
                weights >= weights.max() - LOG_NEGLIGIBLE - math.log(weights.size)
            )
            part = slice(first + heavy[0], first + heavy[-1] + 1)
            return LossLevels(every.losses[part], every.log_n[part])
        blocks = self.blocks(rate, least)
        kept, stop = self._heavy(blocks, rate)
        parts = [
            self._steps(blocks.start[chunk], stop[chunk], blocks.log_n_first[chunk])
            for run in _consecutive(kept, blocks.start, stop)
            for chunk in self._chunks(run, blocks.start, stop)
        ]
        return LossLevels(
            np.concatenate([losses for losses, _ in parts]),
            np.concatenate([log_n for _, log_n in parts]),
        )

    def _every_loss(self) -> LossLevels:
        """Return all losses that sequences have, with their numbers."""
        k, every = _EVERY_LOSS.get(self.counts, (0, None))
        if every is None or k != self.k:
            jumps = np.unique(self.top[:, None] - self.counts.values)
            start = np.append(0, jumps[jumps > 0][_ANCHOR::_ANCHOR])
            stop = np.append(start[1:], self.widest + 1)
            every = LossLevels(*self._steps(start, stop, self.log_n_at_most(start)))
            for kept in (every.losses, every.log_n):  # laws of errors have parts of them
                kept.flags.writeable = False
            _EVERY_LOSS[self.counts] = self.k, every
        return every

    def most_levels(self, rate: float) -> int:
        """Bound on the number of losses that `loss_levels` finds."""
        blocks = self.blocks(rate)
        kept, stop = self._heavy(blocks, rate)
        return sum(
            min(int((last - first).sum()), int(stop[run[-1]] - blocks.start[run[0]])) + 1
            for run in _consecutive(kept, blocks.start, stop)
            for first, last in [self._jump_levels(blocks.start[run[0]], stop[run[-1]])]
        )

    def _heavy(self, blocks: ThresholdBlocks, rate: float) -> tuple[IntArray, IntArray]:
        """Return the blocks that may contain losses with mass, and where each block stops."""
        # or equal to it: at an enormous rate rounding takes the margin away
        kept = np.flatnonzero(blocks.log_upper >= blocks.log_lower_total - _log_margin(rate))
        kept = kept[np.argsort(blocks.start[kept])]
        bounded = np.isfinite(blocks.length)
        stop = np.full(blocks.start.size, self.widest + 1)  # no sequence loses more
        stop[bounded] = blocks.start[bounded] + blocks.length[bounded].astype(np.int64)
        return kept, stop

    def _chunks(self, run: IntArray, start: IntArray, stop: IntArray) -> list[IntArray]:
        """Cut adjacent blocks into groups holding about _CHUNK jumps of the t_r."""
        first, last = self._jump_levels(start[run[0]], stop[run[-1]])
        n_groups = 1 + int((last - first).clip(min=0).sum()) // _CHUNK
        return [group for group in np.array_split(run, n_groups) if group.size]

    def _jump_levels(self, start: int, stop: int) -> tuple[IntArray, IntArray]:
        """Return, for each position r, the range of levels v with start < c_r - v < stop."""
        ascending = -self.counts.values
        first = np.searchsorted(ascending, start - self.top, side="right")
        last = np.searchsorted(ascending, stop - self.top, side="left")
        return first, np.maximum(first, last)

    def _steps(
        self, start: IntArray, stop: IntArray, log_n_start: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        pause()
        first, last = self._jump_levels(start[0], stop[-1])
        position = np.repeat(np.arange(self.k), last - first)
        level = _ranges(first, last)
        joining = self.counts.multiplicities[level]
        jump = np.log1p(joining / (self.counts.ends[level] - joining - position))
        threshold = self.top[position] - self.counts.values[level]
        order = np.argsort(threshold, kind="stable")
        losses, group = np.unique(threshold[order], return_index=True)
        rise = np.add.reduceat(jump[order], group) if losses.size else jump
        # log N at a step: exact at the block's start, plus the rises since.
        risen = np.concatenate([[0.0], np.cumsum(rise)])
        block = np.searchsorted(start, losses, side="right") - 1
        at_start = risen[np.searchsorted(losses, start, side="right")]
        log_n_at_most = log_n_start[block] + (risen[1:] - at_start[block])
        log_n = log_n_at_most + np.log(-np.expm1(-rise))
        return self._with_first(int(start[0]), float(log_n_start[0]), losses, log_n)

    def _with_first(
        self, start: int, log_n_start: float, losses: IntArray, log_n: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Prepend the loss ``start`` itself, if any sequence has it."""
        if start == 0:
            log_n_here = log_n_start
        else:
            before, here = self.log_n_at_most(np.array([start - 1, start]))
            if before == here:
                return losses, log_n
            log_n_here = here + np.log(-np.expm1(before - here))
        return np.append(start, losses), np.append(log_n_here, log_n)


def draw_distinct(low: IntArray, high: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw distinct ranks, (n, k), position r uniform among the free cells in [low, high).

    A Fisher-Yates shuffle of 0, 1, 2, ... of which only touched cells are kept: what is in the
    cell ``low`` moves to the cell that is drawn.  ``low`` and ``high`` have shape (k, n): position
    by draw.  Needs both non-decreasing along positions and cells [low, high) free at their turn.
    """
    k, n = high.shape
    cell = rng.integers(low, high)
    if n <= _ONE_BY_ONE:
        cells, starts = cell.T.tolist(), low.T.tolist()
        few = [_shuffled(*draw) for draw in zip(cells, starts, strict=True)]
        return np.array(few, dtype=np.int64).reshape(n, k)
    ranks = np.empty((k, n), dtype=np.int64)
    moved = np.empty((k, n), dtype=np.int64)  # what position r moved into the cell it drew
    # the first position that may have drawn a cell of each: earlier ones end before it
    firsts = np.searchsorted(high.max(axis=1), low.min(axis=1), side="right")
    for r, first in enumerate(firsts.tolist()):
        pause()
        cells, contents = cell[first:r], moved[first:r]
        moved[r] = _content(cells, contents, low[r])
        ranks[r] = np.where(cell[r] == low[r], moved[r], _content(cells, contents, cell[r]))
    return ranks.T


def _shuffled(cells: list[int], low: list[int]) -> list[int]:
    """Return what is drawn from the cells of one draw, as `draw_distinct` does for many."""
    content: dict[int, int] = {}  # of the touched cells
    ranks = []
    for cell, first in zip(cells, low, strict=True):
        moved = content.get(first, first)
        ranks.append(content.get(cell, cell))
        content[cell] = moved
    return ranks


def _content(cells: IntArray, moved: IntArray, wanted: IntArray) -> IntArray:
    """Return the content of the wanted cell of each draw: the last moved there, or itself."""
    content = wanted.copy()
    if len(cells) <= _SHORT:
        for cell, moved_there in zip(cells, moved, strict=True):
            np.copyto(content, moved_there, where=cell == wanted)
        return content
    touched = cells == wanted
    columns = np.flatnonzero(touched.any(axis=0))
    if columns.size:
        last = len(cells) - 1 - np.argmax(touched[::-1, columns], axis=0)
        content[columns] = moved[last, columns]
    return content


def _log_margin(rate: float) -> float:
    """Return how far below the total, in logs, the mass of negligible thresholds lies.

    A loss of probability p is the threshold with probability p (1 - e^-rate) at least.
    """
    return LOG_NEGLIGIBLE - float(np.log(-np.expm1(-rate)))


def _blocks(
    rate: float,
    start: IntArray,
    stop: IntArray,
    first_n: FloatArray,
    last_n: FloatArray,
    widest: int,
    log_all: FloatArray,
) -> ThresholdBlocks:
    start = np.append(start, widest)
    length = np.append((stop - start[:-1]).astype(float), np.inf)
    # numpy's float: with a plain one, the type of its product with integers is not known
    log_geometric = -np.float64(rate) * start + np.log(-np.expm1(-rate * length))
    return ThresholdBlocks(
        start, length, np.append(first_n, log_all), np.append(last_n, log_all), log_geometric
    )


def _split(start: IntArray, stop: IntArray, pieces: FloatArray) -> tuple[IntArray, IntArray]:
    """Cut each block into about ``pieces`` equal ones, at most one a threshold."""
    length: IntArray = stop - start
    wanted = np.clip(np.ceil(pieces), 2, _MAX_PIECES).astype(np.int64)
    n_pieces: IntArray = np.minimum(length, wanted)
    owner = np.repeat(np.arange(start.size), n_pieces)
    index = _ranges(np.zeros_like(n_pieces), n_pieces)
    whole, rest = np.divmod(length, n_pieces)  # index * length // n_pieces may overflow
    offset: IntArray = whole[owner] * index + np.minimum(index, rest[owner])
    finer_start: IntArray = start[owner] + offset
    finer_stop = np.append(finer_start[1:], 0)
    finer_stop[np.cumsum(n_pieces) - 1] = stop
    return finer_start, finer_stop


def _ranges(first: IntArray, last: IntArray) -> IntArray:
    """Concatenate the ranges [first_i, last_i)."""
    sizes: IntArray = last - first
    before: IntArray = np.cumsum(sizes) - sizes
    result: IntArray = np.arange(sizes.sum()) + np.repeat(first - before, sizes)
    return result


def _consecutive(kept: IntArray, start: IntArray, stop: IntArray) -> list[IntArray]:
    """Cut block indices, ordered by start, into runs of adjacent blocks."""
    gaps = np.flatnonzero(start[kept[1:]] != stop[kept[:-1]]) + 1
    return np.split(kept, gaps)
