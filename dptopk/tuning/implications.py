"""Determine which targets are equivalent or imply others on given data.

Gaps and ties decide: an error of at most x users is the exact set where no smaller count is that
close.  Ranks count from 1, the largest first; the last of a tie stands for all of it.  Places left
empty are items without users, of ranks beyond the last.  A target of the counts at each place is
one of the lowest rank allowed there; one that sees no order, of the lowest rank of the i-th best
item that came out.  An event implies another if the worst that it lets happen is within the limits
of the other.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dptopk.core.array_types import BoolArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import METRICS, Law
from dptopk.core.outputs import OutputKind
from dptopk.mechanisms import Mechanism

Target = str | tuple[str, float]
"""Success of one release; see `targets`."""


@dataclass(frozen=True)
class Worst:
    """Worst case over the outputs of an event, separately for each quantity."""

    members: IntArray  # (k,), lowest rank of the i-th best item that came out
    places: IntArray  # (k,), lowest rank at each place; of sets the same as ``members``
    highest: IntArray  # (k,), largest count at each place, in users
    l1: int  # largest l1 error, or a bound on it, in users


@dataclass(frozen=True)
class Event:
    """Set of outputs that reach a target, by its worst case and a test of worst cases."""

    worst: Worst
    holds: Callable[[Worst], bool]

    def implies(self, other: "Event") -> bool:
        """Return whether every output of this event is one of the other; False if unknown."""
        return other.holds(self.worst)


class Events:
    """Events of targets on sorted counts, for one kind of outputs of k items."""

    def __init__(self, counts: SortedCounts, outputs: OutputKind, k: int):
        self._counts, self._outputs, self._k = counts, outputs, k
        self._top = counts.padded_top(k)
        self._places = np.arange(1, k + 1)
        self._last = counts.d + k * outputs.short  # rank

    @cached_property
    def certain(self) -> Event:
        """Event of all outputs."""
        return self._of_members(np.full(self._k, self._last))

    def of(self, target: Target) -> Event | None:
        """Return the event of a checked target; None if its measure has no `errors.Law`."""
        if target == "exact_sequence":
            return self._of_places(self._n_at_least(self._top))
        if target == "exact_set":
            return self._of_members(self._n_at_least(self._top))
        if isinstance(target, str):
            raise ValueError(f"target must be one that was checked, got {target!r}")
        law, most = METRICS[target[0]].law, int(target[1])
        if law is Law.ITEMS_RIGHT:
            return self._of_members(self._right(most))
        if law is Law.K_RELATIVE:
            return self._of_members(self._lowest(np.full(self._k, self._top[-1] - most)))
        if law is Law.SIGNED_MAX or (law is Law.LINF and not self._outputs.ordered):
            return self._of_places(self._lowest(self._top - most))
        if law is Law.LINF:
            return self._close(most)
        return self._close_together(most) if law is Law.L1 else None

    # --- kinds of events ------------------------------------------------------------------

    def _of_members(self, lowest: IntArray) -> Event:
        """Return the event given by the lowest rank of the i-th best released item."""
        members = self._distinct(lowest)
        return Event(self._worst_of_members(members), lambda w: _within(w.members, members))

    def _worst_of_members(self, members: IntArray) -> Worst:
        if not self._outputs.ordered:
            lost = int((self._top - self._values(members)).sum())
            return Worst(members, members, self._top, lost)
        n_empty = int((members > self._counts.d).sum())  # at most, and at the end
        may_stay = self._places > self._k - n_empty
        places = np.where(may_stay, self._last, min(int(members[-1]), self._counts.d))
        backwards = self._top[::-1]  # costs most
        off = np.maximum(self._top - backwards, backwards - self._values(members))
        return Worst(members, places, np.full(self._k, self._top[0]), int(off.sum()))

    def _of_places(self, lowest: IntArray) -> Event:
        if not self._outputs.ordered:
            return self._of_members(lowest)
        worst = self._worst_of_places(lowest, self._top[0])
        return Event(worst, lambda w: _within(w.places, lowest))

    def _close(self, most: int) -> Event:
        lowest, highest = self._lowest(self._top - most), self._top + most
        return Event(
            self._worst_of_places(lowest, highest),
            lambda w: _within(w.places, lowest) and _within(w.highest, highest),
        )

    def _worst_of_places(self, lowest: IntArray, highest: IntArray) -> Worst:
        """Return the worst case: the largest item as far down as the others can move up by one."""
        moves = np.append(0, lowest[:-1]) >= self._places
        first = np.maximum.accumulate(np.where(moves, 0, self._places - 1))
        largest = np.minimum(self._top[first], highest)
        off = np.maximum(self._top - self._values(lowest), largest - self._top)
        return Worst(self._distinct(lowest), lowest, largest, int(off.sum()))

    def _close_together(self, most: int) -> Event:
        members = self._members_within(most)
        places = self._places_within(most) if self._outputs.ordered else members
        highest = np.minimum(self._top + most, self._top[0])
        return Event(Worst(members, places, highest, most), lambda w: w.l1 <= most)

    def _members_within(self, most: int) -> IntArray:
        """Return the lowest rank of the i-th best item if it and those after it lose ``most``."""
        below, above = self._places, self._last - self._k + self._places
        rest = self._sums(np.full(self._k, self._k)) - self._sums(self._places - 1)
        while (below < above).any():
            middle = (below + above + 1) // 2
            lost = rest - self._sums(middle + self._k - self._places) + self._sums(middle - 1)
            fits = lost <= most
            below, above = np.where(fits, middle, below), np.where(fits, above, middle - 1)
        return below

    def _places_within(self, most: int) -> IntArray:
        """Return the lowest rank at each place: a swap in the top k costs twice, a drop once."""
        single = self._n_at_least(np.maximum(self._top - most, 0))
        twice = self._n_at_least(self._top - most // 2)
        short = self._outputs.short
        dropped = (single > self._k) | (short & (self._top <= most))
        lowest = np.where(dropped, single, np.minimum(twice, self._k))
        behind = self._sums(np.full(self._k, self._k)) - self._sums(self._places - 1)
        return np.where(short & (behind <= most), self._last, lowest)

    # --- ranks ----------------------------------------------------------------------------

    def _right(self, least: int) -> IntArray:
        """Return the lowest ranks if at least so many items are right."""
        lowest = np.full(self._k, self._last)
        above = int(self._n_at_least(self._top[-1:] + 1)[0])
        lowest[least - 1] = self._n_at_least(self._top[-1:])[0]
        n_above = least - (self._k - above)
        if n_above > 0:
            lowest[n_above - 1] = above
        return lowest

    def _lowest(self, thresholds: IntArray) -> IntArray:
        there = self._n_at_least(np.maximum(thresholds, 0))
        return np.where(thresholds <= 0, self._last, there)

    def _n_at_least(self, thresholds: IntArray) -> IntArray:
        return np.asarray(self._counts.n_at_least(thresholds))

    def _distinct(self, lowest: IntArray) -> IntArray:
        """Return lowest ranks that leave room for distinct items behind."""
        room = np.minimum.accumulate((lowest - self._places)[::-1])[::-1]
        return room + self._places

    def _values(self, ranks: IntArray) -> IntArray:
        there = np.minimum(ranks, self._counts.d)
        values: IntArray = self._counts.counts_at_ranks(there - 1)
        return np.where(ranks > self._counts.d, 0, values)

    def _sums(self, ranks: IntArray) -> IntArray:
        """Return cumulative counts up to each rank; differences hold even where sums overflow."""
        counts, there = self._counts, np.minimum(ranks, self._counts.d)
        level = counts.level_of_rank(np.maximum(there - 1, 0))
        before = (counts.ends - counts.multiplicities)[level]
        sums: IntArray = self._sums_before[level] + counts.values[level] * (there - before)
        return sums

    @cached_property
    def _sums_before(self) -> IntArray:
        sums = np.cumsum(self._counts.values * self._counts.multiplicities)
        return np.append(0, sums[:-1])


def _within(ranks: IntArray, limits: IntArray) -> bool:
    within: BoolArray = ranks <= limits
    return bool(within.all())


LONG = 100_000_000
"""Steps of a pmf that takes minutes where it is written out at many epsilons."""


@dataclass(frozen=True)
class Laws:
    """Targets that may have a known law, by their relation to another target on given data."""

    certain: bool = False  # True if whatever comes out reaches that target
    same: list[Target] = field(default_factory=list)  # the same event
    harder: list[Target] = field(default_factory=list)  # what implies it, the closest of each law
    easier: list[Target] = field(default_factory=list)  # what it implies


def laws_about(counts: ItemCounts | SortedCounts, mechanism: Mechanism, target: Target) -> Laws:
    """Return the laws of a mechanism that bear on a checked target."""
    levels, outputs = counts.sorted, mechanism.outputs
    events = Events(levels, outputs, mechanism.k)
    event = events.of(target)
    if event is None:
        return _of_range(levels, mechanism, target)
    laws = Laws(events.certain.implies(event))
    enumerable = outputs.ordered and mechanism.pmf_work(levels) < LONG
    for whole in ("exact_set", *(["exact_sequence"] if enumerable else [])):
        _compare(laws, event, events, whole, None)
    for key in mechanism.exact_metrics:
        _compare(laws, event, events, str(key), int(levels.values[0]))
    return laws


def _of_range(counts: SortedCounts, mechanism: Mechanism, target: Target) -> Laws:
    """Return what the range of a measure implies for a target whose event is unknown."""
    metric, amount = METRICS[target[0]], float(target[1])
    k, outputs = mechanism.k, mechanism.outputs
    if metric.is_place:  # that of right releases is no place
        return Laws()
    if metric.reaches(metric.range(counts, k, outputs), amount).all():
        return Laws(certain=True)
    if not metric.reaches(metric.right(k), amount):
        return Laws()
    in_order = outputs.ordered and metric.sees_order
    right: list[Target] = ["exact_sequence" if in_order else "exact_set"]
    if outputs.ordered and not in_order:
        right.append("exact_sequence")
    if mechanism.pmf_work(counts) >= LONG:
        right = [event for event in right if event != "exact_sequence"]
    wrong = metric.range(counts, k, outputs, wrong=True)
    same = [] if metric.reaches(wrong, amount).any() else right[:1]
    return Laws(same=same, harder=right, easier=list(same))


def _compare(laws: Laws, event: Event, events: Events, key: str, most: int | None) -> None:
    """Add the closest targets of a law: of one without amounts, or the easier the more allowed."""
    largest = most or 0

    def law(amount: int) -> Target:
        return key if most is None else (key, amount)

    def of(amount: int) -> Event:
        other = events.of(law(amount))
        if other is None:
            raise ValueError(f"the law of {key} is not one of an amount")
        return other

    amounts = range(largest + 1)
    n_harder = bisect_left(amounts, True, key=lambda amount: not of(amount).implies(event))
    first_easier = bisect_left(amounts, True, key=lambda amount: event.implies(of(amount)))
    if n_harder > 0:
        laws.harder.append(law(n_harder - 1))
    if first_easier <= largest:
        laws.easier.append(law(first_easier))
    if first_easier < n_harder:  # what it implies implies it
        laws.same.append(law(first_easier))
