"""Kinds of outputs: ordered or not, of exactly or at most k items, with or without noisy counts.

An output is a row of k positions into the counts as given.  A set comes in ascending
order; an output of fewer than k items is filled up with `NOTHING` at its end.  Everything
that lists, checks, names or compares outputs asks the `OutputKind` of the mechanism.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.counts import NOTHING as NOTHING, ItemCounts, SortedCounts

MAX_OUTPUTS = 50_000
"""Most outputs that are listed."""

EMPTY_SIGN = "⊥"
"""Label of an empty place of an output."""


@dataclass(frozen=True)
class OutputKind:
    """Kind of the outputs of a mechanism."""

    ordered: bool = True  # the first item is released as the largest, and so on; else it is a set
    short: bool = False  # fewer than k items may come out
    counted: bool = False  # noisy counts of the released items come out as well

    @property
    def plural(self) -> str:
        """Noun for several outputs: "sequences" or "sets"."""
        return "sequences" if self.ordered else "sets"

    @property
    def how(self) -> str:
        """Phrase for the order of an output, to be read after the names of its items."""
        return "in this order" if self.ordered else "in any order"

    @property
    def words(self) -> str:
        """The kind in a few words."""
        items = "up to k items" if self.short else "k items"
        return f"{items} {'in order' if self.ordered else 'as a set'}" + (
            ", with noisy counts" if self.counted else ""
        )

    def n_outputs(self, d: int, k: int) -> int:
        """Count the outputs of k of d items."""
        number = math.perm if self.ordered else math.comb
        return sum(number(d, length) for length in self._lengths(d, k))

    def n_by_level(self, n_levels: int, k: int) -> int:
        """Return an upper bound on the number of outputs distinguished by levels only."""
        return sum(
            n_levels**length if self.ordered else math.comb(n_levels + length - 1, length)
            for length in self._lengths(k, k)
        )

    def count_by_level(self, multiplicities: IntArray, k: int) -> int:
        """Count the outputs distinguished by levels only, level by level: O(n_levels k^2) steps."""
        ways = [1] + [0] * k  # of so many items, of the levels so far
        for size in multiplicities.tolist():
            ways = [
                sum(
                    ways[n - n_own] * (math.comb(n, n_own) if self.ordered else 1)
                    for n_own in range(min(size, n) + 1)
                )
                for n in range(k + 1)
            ]
        return sum(ways[length] for length in self._lengths(int(multiplicities.sum()), k))

    def every(self, d: int, k: int) -> IntArray:
        """List all outputs of k of d items, longest first, each length in lexicographic order."""
        choose = itertools.permutations if self.ordered else itertools.combinations
        return _stacked((choose(range(d), length) for length in self._lengths(d, k)), k)

    def every_by_level(self, counts: SortedCounts, k: int) -> tuple[IntArray, IntArray, FloatArray]:
        """List the m outputs distinguished by the level of each item only.

        Returns them as levels, (m, k), with one output of items with these levels, (m, k), and the
        log number of such outputs, (m,).
        """
        lengths = self._lengths(counts.d, k)
        lists = (self._of_levels(counts.multiplicities, length).tolist() for length in lengths)
        every = _stacked(lists, k)
        nth = np.zeros_like(every)  # how many items of its level come before each place
        for place in range(1, k):
            nth[:, place] = (every[:, :place] == every[:, [place]]).sum(axis=1)
        filled = every != NOTHING
        left = np.where(filled, counts.multiplicities[every] - nth, 1)
        log_n = np.log(left).sum(axis=1)
        if not self.ordered:  # (m - i) / (i + 1) multiply to the binomial coefficient
            log_n = log_n - np.log(np.where(filled, nth + 1, 1)).sum(axis=1)
        first = counts.ends - counts.multiplicities
        return every, np.where(filled, first[every] + nth, NOTHING), log_n

    def check(self, name: str, value: npt.ArrayLike, d: int, k: int | None = None) -> IntArray:
        """Return ``value`` as an (m, k) int64 array of positions in [0, d)."""
        array = np.asarray(value)
        if k is None:
            longest = np.inf if self.short else d
            if array.ndim != 2 or not 1 <= array.shape[1] <= longest:
                rule = "at least 1" if self.short else f"in [1, {d}]"
                raise ValueError(f"{name} must have shape (n, k) with k {rule}, got {array.shape}")
        elif array.ndim != 2 or array.shape[1] != k:
            raise ValueError(f"{name} must have shape (m, {k}), got {array.shape}")
        if array.dtype.kind not in "iu" and array.size:
            raise TypeError(f"{name} must hold integer positions, got dtype {array.dtype}")
        lowest = NOTHING if self.short else 0
        if array.size and not (array.min() >= lowest and array.max() < d):
            outside = array[(array < lowest) | (array >= d)][0]
            or_nothing = f" (or {NOTHING} for nothing)" if self.short else ""
            raise ValueError(
                f"{name} must hold positions in [0, {d - 1}]{or_nothing}, got {outside}"
            )
        checked = array.astype(np.int64, copy=False)
        if self.short:
            empty = checked == NOTHING
            if (empty[:, :-1] & ~empty[:, 1:]).any():
                raise ValueError(f"{name} must hold {NOTHING} at the end of a row only")
        return checked

    def possible(self, outputs: IntArray) -> BoolArray:
        """Return whether each of (m, k) checked outputs has no item twice, shape (m,)."""
        ascending = np.sort(outputs, axis=1)
        repeated = (np.diff(ascending, axis=1) == 0) & (ascending[:, 1:] != NOTHING)
        possible: BoolArray = ~repeated.any(axis=1)
        return possible

    def canonical(self, outputs: IntArray) -> IntArray:
        """Return outputs in canonical form: sets ascending, `NOTHING` at the end."""
        if self.ordered:
            return outputs
        last = np.iinfo(np.int64).max
        ascending = np.sort(np.where(outputs == NOTHING, last, outputs), axis=1)
        return np.where(ascending == last, NOTHING, ascending)

    def aligned(self, counts: ItemCounts | SortedCounts, outputs: IntArray) -> IntArray:
        """Return outputs ordered for comparison with the true top k, shape (m, k).

        A sequence as it is; a set with its largest true count first; empty places last.
        """
        if self.ordered:
            return outputs
        order = np.argsort(-released_counts(counts, outputs), axis=1, kind="stable")
        return np.take_along_axis(outputs, order, axis=1)

    def codes(self, outputs: IntArray, d: int) -> FloatArray:
        """Return one number per output, equal for equal outputs; exact below d^k = 2^53."""
        weights = float(d + self.short) ** np.arange(outputs.shape[1])
        codes: FloatArray = ((self.canonical(outputs) + self.short) * weights).sum(axis=1)
        return codes

    def label(self, output: list[int], items: Sequence[str] | Mapping[int, str]) -> str:
        """Name an output by its items: "A, B", or "{A, B}" for a set; ⊥ where it is short."""
        names = ", ".join(items[position] for position in output if position != NOTHING)
        if not self.ordered and names:
            names = f"{{{names}}}"
        if output[-1] != NOTHING:
            return names
        return f"{names}, {EMPTY_SIGN}" if names else EMPTY_SIGN

    def _of_levels(self, multiplicities: IntArray, length: int) -> IntArray:
        """List the outputs of a length by levels, (m, length), in lexicographic order.

        Place by place; no level more often than it has items.
        """
        left, last = multiplicities[None, :], np.zeros(1, dtype=np.int64)
        steps: list[tuple[IntArray, IntArray]] = []  # of each row that before and the level added
        for place in range(length):
            able = left > 0
            if not self.ordered:  # levels ascend, and those not yet passed have enough items
                able &= left[:, ::-1].cumsum(axis=1)[:, ::-1] >= length - place
                able &= np.arange(multiplicities.size) >= last[:, None]
            before, last = np.nonzero(able)
            steps.append((before, last))
            if place < length - 1:
                left = left[before]
                left[np.arange(last.size), last] -= 1
        row = np.arange(last.size)
        levels = np.zeros((row.size, length), dtype=np.int64)
        for place in reversed(range(length)):
            before, added = steps[place]
            levels[:, place], row = added[row], before[row]
        return levels

    def _lengths(self, d: int, k: int) -> range:
        """Return the possible numbers of items of an output: k, or any number up to it."""
        return range(min(d, k), -1, -1) if self.short else range(k, k - 1, -1)


SEQUENCE = OutputKind()
"""k items in order: what most mechanisms release."""


class HasOutputs(Protocol):
    """Object with a kind of outputs, such as a mechanism."""

    @property
    def outputs(self) -> OutputKind:
        """Kind of outputs."""


def kind_of(outputs: "OutputKind | HasOutputs") -> OutputKind:
    """Return the kind of outputs of a mechanism, or the kind that was given."""
    kind = outputs if isinstance(outputs, OutputKind) else getattr(outputs, "outputs", None)
    if not isinstance(kind, OutputKind):
        raise TypeError(f"outputs must be a mechanism or its outputs, got {outputs!r}")
    return kind


@dataclass(frozen=True)
class Released:
    """Positions as of `Mechanism.sample`, (n, k), with noisy counts where they are released."""

    positions: IntArray
    counts: FloatArray | None  # in users, NaN where nothing came out


def released_counts(counts: ItemCounts | SortedCounts, outputs: IntArray) -> IntArray:
    """Return the true count of each item, in users, shape (m, k); -1 at empty places."""
    if not (outputs == NOTHING).any():
        return counts.counts_at(outputs)
    there = np.maximum(outputs, 0)
    return np.where(outputs == NOTHING, NOTHING, counts.counts_at(there))


def _stacked(lists: Iterable[Iterable[tuple[int, ...]]], k: int) -> IntArray:
    """Stack rows of different lengths into one array, padded with `NOTHING`."""
    parts = []
    for rows in lists:
        block = np.array(list(rows), dtype=np.int64)
        block = block.reshape(len(block), -1)
        padding = np.full((len(block), k - block.shape[1]), NOTHING, dtype=np.int64)
        parts.append(np.hstack([block, padding]))
    return np.concatenate(parts)
