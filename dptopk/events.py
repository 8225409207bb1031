"""Which targets are the same event on given data, or easier than others.

Gaps and ties decide: an error of at most x users is the exact set where no smaller count is that
close.  Ranks count from 1, the largest first; the last of a tie stands for all of it.  Places left
empty are items without users, of ranks beyond the last.  A target of the counts at each place is
one of the lowest rank allowed there; one that sees no order, of the lowest rank of the i-th best
item that came out.  An event implies another if the worst that it lets happen is within the limits
of the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dptopk._types import BoolArray, IntArray
from dptopk.counts import SortedCounts
from dptopk.outputs import OutputKind

Target = str | tuple[str, float]
"""What a release must achieve: see `targets`."""


@dataclass(frozen=True)
class Worst:
    """The worst that outputs of an event can be, each for itself.

    Attributes
    ----------
    members : numpy.ndarray of int64, shape (k,)
        Lowest rank of the i-th best item that came out.
    places : numpy.ndarray of int64, shape (k,)
        Lowest rank at each place; of sets the same as ``members``.
    highest : numpy.ndarray of int64, shape (k,)
        Largest count at each place, in users.
    l1 : int
        Largest l1 error, or a bound on it, in users.
    """

    members: IntArray
    places: IntArray
    highest: IntArray
    l1: int


@dataclass(frozen=True)
class Event:
    """Outputs that reach a target: the worst of them, and what any must keep within."""

    worst: Worst
    holds: Callable[[Worst], bool]

    def implies(self, other: "Event") -> bool:
        """Whether every output of this event is one of the other; False where it is not known."""
        return other.holds(self.worst)


class Events:
    """The events of targets on sorted counts, for outputs of a kind and k items."""

    def __init__(self, counts: SortedCounts, outputs: OutputKind, k: int):
        self._counts, self._outputs, self._k = counts, outputs, k
        self._top = counts.top(k)
        self._places = np.arange(1, k + 1)
        self._last = counts.d + k * outputs.short  # rank

    @cached_property
    def certain(self) -> Event:
        """Whatever comes out."""
        return self._of_members(np.full(self._k, self._last))

    def of(self, target: Target) -> Event | None:
        """The event of a target that was checked; None for a place, which is no amount."""
        if target == "exact_sequence":
            return self._of_places(self._n_at_least(self._top))
        if target == "exact_set":
            return self._of_members(self._n_at_least(self._top))
        if isinstance(target, str):
            raise ValueError(f"target must be one that was checked, got {target!r}")
        key, most = target[0], int(target[1])
        if key == "items_right":
            return self._of_members(self._right(most))
        if key == "k_relative":
            return self._of_members(self._lowest(np.full(self._k, self._top[-1] - most)))
        if key == "signed_max" or (key == "linf" and not self._outputs.ordered):
            return self._of_places(self._lowest(self._top - most))
        if key == "linf":
            return self._close(most)
        return self._close_together(most) if key == "l1" else None

    # --- kinds of events ------------------------------------------------------------------

    def _of_members(self, lowest: IntArray) -> Event:
        """Some lowest rank of the i-th best item."""
        members = self._distinct(lowest)
        return Event(self._worst_of_members(members), lambda w: _within(w.members, members))

    def _worst_of_members(self, members: IntArray) -> Worst:
        if not self._outputs.ordered:
            return self._worst_of_sets(members)
        n_empty = int((members > self._counts.d).sum())  # at most, and at the end
        may_stay = self._places > self._k - n_empty
        places = np.where(may_stay, self._last, min(int(members[-1]), self._counts.d))
        backwards = self._top[::-1]  # costs most
        off = np.maximum(self._top - backwards, backwards - self._values(members))
        return Worst(members, places, np.full(self._k, self._top[0]), int(off.sum()))

    def _worst_of_sets(self, members: IntArray) -> Worst:
        return Worst(members, members, self._top, int((self._top - self._values(members)).sum()))

    def _of_places(self, lowest: IntArray) -> Event:
        """Some lowest rank at each place, which falls from place to place."""
        if not self._outputs.ordered:
            return self._of_members(lowest)
        worst = self._worst_of_places(lowest, self._top[0])
        return Event(worst, lambda w: _within(w.places, lowest))

    def _close(self, most: int) -> Event:
        """No count further than ``most`` from the true one at its place, above or below."""
        lowest, highest = self._lowest(self._top - most), self._top + most
        return Event(
            self._worst_of_places(lowest, highest),
            lambda w: _within(w.places, lowest) and _within(w.highest, highest),
        )

    def _worst_of_places(self, lowest: IntArray, highest: IntArray) -> Worst:
        """The largest item comes as far down as each item between can move up by one."""
        moves = np.append(0, lowest[:-1]) >= self._places
        first = np.maximum.accumulate(np.where(moves, 0, self._places - 1))
        largest = np.minimum(self._top[first], highest)
        off = np.maximum(self._top - self._values(lowest), largest - self._top)
        return Worst(self._distinct(lowest), lowest, largest, int(off.sum()))

    def _close_together(self, most: int) -> Event:
        """Errors of all places that add up to no more than ``most``."""
        members = self._members_within(most)
        places = self._places_within(most) if self._outputs.ordered else members
        highest = np.minimum(self._top + most, self._top[0])
        return Event(Worst(members, places, highest, most), lambda w: w.l1 <= most)

    def _members_within(self, most: int) -> IntArray:
        """Lowest rank of the i-th best: those behind it follow, and nothing else is lost."""
        below, above = self._places, self._last - self._k + self._places
        rest = self._sums(np.full(self._k, self._k)) - self._sums(self._places - 1)
        while (below < above).any():
            middle = (below + above + 1) // 2
            lost = rest - self._sums(middle + self._k - self._places) + self._sums(middle - 1)
            fits = lost <= most
            below, above = np.where(fits, middle, below), np.where(fits, above, middle - 1)
        return below

    def _places_within(self, most: int) -> IntArray:
        """Lowest rank at each place: exchanges in the top k cost twice, or one is dropped."""
        single = self._n_at_least(np.maximum(self._top - most, 0))
        twice = self._n_at_least(self._top - most // 2)
        short = self._outputs.short
        dropped = (single > self._k) | (short & (self._top <= most))
        lowest = np.where(dropped, single, np.minimum(twice, self._k))
        behind = self._sums(np.full(self._k, self._k)) - self._sums(self._places - 1)
        return np.where(short & (behind <= most), self._last, lowest)

    # --- ranks ----------------------------------------------------------------------------

    def _right(self, least: int) -> IntArray:
        """Lowest ranks of at least so many right: no more of a cut tie than the top k has."""
        lowest = np.full(self._k, self._last)
        above = int(self._n_at_least(self._top[-1:] + 1)[0])
        lowest[least - 1] = self._n_at_least(self._top[-1:])[0]
        n_above = least - (self._k - above)
        if n_above > 0:
            lowest[n_above - 1] = above
        return lowest

    def _lowest(self, thresholds: IntArray) -> IntArray:
        """Lowest rank with a count of at least each threshold."""
        there = self._n_at_least(np.maximum(thresholds, 0))
        return np.where(thresholds <= 0, self._last, there)

    def _n_at_least(self, thresholds: IntArray) -> IntArray:
        return np.asarray(self._counts.n_at_least(thresholds))

    def _distinct(self, lowest: IntArray) -> IntArray:
        """The same for the i-th best of distinct items: it leaves room for those behind it."""
        room = np.minimum.accumulate((lowest - self._places)[::-1])[::-1]
        return room + self._places

    def _values(self, ranks: IntArray) -> IntArray:
        """Count of each rank."""
        there = np.minimum(ranks, self._counts.d)
        values: IntArray = self._counts.counts_at_ranks(there - 1)
        return np.where(ranks > self._counts.d, 0, values)

    def _sums(self, ranks: IntArray) -> IntArray:
        """Counts of all items up to each rank; differences hold even where sums overflow."""
        counts, there = self._counts, np.minimum(ranks, self._counts.d)
        level = counts.level_of_rank(np.maximum(there - 1, 0))
        before = (counts.ends - counts.multiplicities)[level]
        sums: IntArray = self._sums_before[level] + counts.values[level] * (there - before)
        return sums

    @cached_property
    def _sums_before(self) -> IntArray:
        """Counts of all items of larger levels."""
        sums = np.cumsum(self._counts.values * self._counts.multiplicities)
        return np.append(0, sums[:-1])


def _within(ranks: IntArray, limits: IntArray) -> bool:
    within: BoolArray = ranks <= limits
    return bool(within.all())
