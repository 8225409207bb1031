"""Compute the probability that each name on a published list is right, under supposed counts.

Whoever reads a published list knows the mechanism and its settings, from the record, and not the
private counts c.  Given counts that the reader supposes, everything here is a probability of
M(c), the output on these counts: how often a mechanism at these settings is right for data of this
shape.  It is also the posterior of one prior: that the counts are these, in an order of the items
of which nothing is known.  Every order is then equally likely beforehand, and as no mechanism looks
at names, the ranks of the released names given the list are distributed as the ranks in M(c),
whichever names came out (a tie that a mechanism cuts by position, such as one of unknown items, is
the one exception).  Where a mechanism may release fewer than k names, all is conditional on
their number, which is seen.

Only what is said of the supposed counts by name (`SupposedItem.listed`) uses the names: how often
an item is released if it has the very count that is supposed of it.

"Right" is meant up to ties.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.outputs import NOTHING
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms import Mechanism, NoClosedFormError, SetOrNothing
from dptopk.mechanisms.base import check_mechanism
from dptopk.simulation.post_stratified import SEQUENCE, SET, quick_chances
from dptopk.simulation.summaries import share_of_runs
from dptopk.simulation.trials import generator_for

if TYPE_CHECKING:
    import pandas as pd

RANK_LEVEL = 0.9
"""Probability of the interval of a name's true rank."""

N_OTHERS = 5
"""Items outside the list that are named, at most."""

_MOST_MISSING = 3  # names that a sentence tells, of those that the supposed counts lack
_FEW_OUTPUTS = 5_000  # that are enumerated rather than drawn
_FEWEST_DRAWS = 100  # of lists of the right length
_UNKNOWN = Estimate(0.0, 0.0, 1.0)  # of releases that were not drawn
_MOST_ENDS = 200  # numbers of ranks at which exact laws are evaluated


@dataclass(frozen=True)
class SupposedItem:
    """Item of the supposed counts."""

    item: str
    count: int  # in users
    rank: int  # by these counts, the best of a tie
    # probability that it is released, if all counts are as supposed, and in the same order: some
    # mechanisms cut a tie by position
    listed: Estimate


@dataclass(frozen=True)
class NameAssessment:
    """Chances of one released name."""

    item: str  # empty where no list was given
    place: int | None  # from 1; None in a set
    in_top: Estimate  # that it is in the true top n, with n the number of names
    # that its true count is at least that of the next name; None in a set or at the end
    in_order: Estimate | None
    ranks: tuple[int, int]  # interval of its true rank, with a probability of at least `RANK_LEVEL`
    supposed: SupposedItem | None

    @property
    def listed(self) -> Estimate | None:
        """Probability that it is released if all counts are as supposed; None if unknown."""
        return None if self.supposed is None else self.supposed.listed


@dataclass(frozen=True)
class ListAssessment:
    """Probabilities that a published list is right, under supposed counts.

    Attributes
    ----------
    mechanism : Mechanism
        By which the list was drawn.
    exact_set : Estimate
        Probability that the names are the true top n, in any order.
    exact_sequence : Estimate or None
        That they are in the right order as well; None for sets.
    first : Estimate or None
        That the first name has the largest count of all items; None for sets.
    names : tuple of NameAssessment
        One for each name, in the order of the list.
    others : tuple of SupposedItem
        Items of the supposed counts that are not in the list, the likeliest first; none if no name
        of the list is among them.
    n_draws : int
        Number of draws behind what is simulated; 0 if all is exact.
    """

    mechanism: Mechanism
    exact_set: Estimate
    exact_sequence: Estimate | None
    first: Estimate | None
    names: tuple[NameAssessment, ...]
    others: tuple[SupposedItem, ...]
    n_draws: int

    @property
    def n_right(self) -> float:
        """Expected number of names in the true top n."""
        return sum(name.in_top.value for name in self.names)

    @property
    def certain(self) -> bool:
        """True if every possible output is right: the true set or nothing."""
        return isinstance(self.mechanism, SetOrNothing)

    @property
    def n_known(self) -> int:
        """Number of names that the supposed counts have."""
        return sum(name.supposed is not None for name in self.names)

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """Table of one row per name; intervals are those of simulation."""
        import pandas as pd

        names, ordered = self.names, self.mechanism.outputs.ordered
        supposed = [name.supposed for name in names]
        whole = {"place": [name.place for name in names]} if ordered else {}
        frame = pd.DataFrame(whole | {"item": pd.Series([n.item for n in names], dtype=object)})
        columns = _columns(f"in the true top {len(names)}", [name.in_top for name in names])
        columns["true rank from"] = [name.ranks[0] for name in names]
        columns["true rank to"] = [name.ranks[1] for name in names]
        if ordered:
            columns |= _columns("not below the next", [name.in_order for name in names])
        if self.n_known:
            sizes = [(None, None) if item is None else (item.count, item.rank) for item in supposed]
            columns["supposed count"] = pd.array([count for count, _ in sizes], dtype="Int64")
            columns["supposed rank"] = pd.array([rank for _, rank in sizes], dtype="Int64")
            columns |= _columns("released at that count", [name.listed for name in names])
        return frame.assign(**columns)


def assess_list(
    counts: ItemCounts,
    mechanism: Mechanism,
    items: Iterable[str] | None = None,
    *,
    n: int = 10_000,
    seed: int = 0,
) -> ListAssessment:
    """Compute how likely each name of a published list is right, under supposed counts.

    Exact where the law is known or all outputs can be enumerated, else simulated.

    Parameters
    ----------
    counts : ItemCounts
        What the reader supposes of the private counts, such as those of an earlier year or of a
        fitted shape; never the private ones.
    mechanism : Mechanism
        By which the list was drawn, with all its settings, as its record says.
    items : iterable of str, optional
        The released names, in the order of the list; left out, k places without names.
    n, seed : int, optional
        Draws for what has no closed form, at least 100, and their seed.

    Returns
    -------
    ListAssessment
        Each probability is that of the mechanism's output on the supposed counts; see the module
        for the prior under which it is that of this very list.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken; also if so short a list hardly ever
        comes out of the supposed counts.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, assess_list
    >>> last_year = ItemCounts([90, 40, 35, 5], ["ache", "burn", "cough", "dizzy"])
    >>> found = assess_list(last_year, Joint(2, 0.2), ["ache", "cough"])
    >>> round(found.exact_set.value, 2), round(found.first.value, 2)
    (0.6, 0.98)
    >>> [(name.item, round(name.in_top.value, 2)) for name in found.names]
    [('ache', 0.99), ('cough', 0.61)]
    """
    if not isinstance(counts, ItemCounts):
        raise TypeError(f"counts must be ItemCounts, got {type(counts).__name__}")
    check_mechanism("mechanism", mechanism).check(counts)
    n = validation.integer("n", n, low=_FEWEST_DRAWS)
    seed = validation.integer("seed", seed, low=0)
    names = None if items is None else _checked(items, mechanism)
    size = min(mechanism.k, counts.d) if names is None else len(names)
    if size > counts.d:
        raise ValueError(f"items must be at most the {counts.d} of counts, got {size}")
    place_of = {name: position for position, name in enumerate(counts.items)} if names else {}
    positions = [place_of.get(name, NOTHING) for name in names or [""] * size]
    law = _Law(counts, mechanism, size, n, seed)
    supposed = _supposed(law, positions)
    ordered = mechanism.outputs.ordered
    in_order = [*law.in_order(), None] if ordered else [None] * size
    assessed = tuple(
        NameAssessment(
            names[place] if names else "",
            place + 1 if ordered else None,
            in_top,
            in_order[place],
            ranks,
            supposed.get(positions[place]),
        )
        for place, (in_top, ranks) in enumerate(zip(law.in_top(), law.ranks(), strict=True))
    )
    others = [item for position, item in supposed.items() if position not in positions]
    others.sort(key=lambda item: -item.listed.value)
    return ListAssessment(
        mechanism,
        law.right(SET),
        law.right(SEQUENCE) if ordered else None,
        law.first() if ordered else None,
        assessed,
        tuple(others[:N_OTHERS]),
        law.n_draws,
    )


def names_missing(
    assessment: ListAssessment, supposed: ItemCounts, quoted: Callable[[str], str]
) -> str:
    """Say which names the supposed counts lack, so that chances are of places; empty if none."""
    names = [name.item for name in assessment.names if name.supposed is None]
    if not names:
        return ""
    folded = {item.casefold() for item in supposed.items}
    alike = [name for name in names if name.casefold() in folded]
    words = "have none of the names"
    if assessment.n_known:
        n = len(assessment.names)
        words = f"lack {len(names):,} of the {n:,} names ({_first(names, quoted)})"
    words = f"The supposed counts {words}"
    if not assessment.certain:
        words += (
            f", so only their shape is used{' there' if assessment.n_known else ''}: these chances "
            "are those of places on such lists, whatever names stand there, and do not say that "
            "these names belong"
        )
    if alike:
        cased = _first(alike, quoted)
        words += f". Some differ from supposed ones only in upper and lower case: {cased}"
    return f"{words}."


def _first(names: Sequence[str], quoted: Callable[[str], str]) -> str:
    more = len(names) - _MOST_MISSING
    first = ", ".join(map(quoted, names[:_MOST_MISSING]))
    return f"{first} and {more:,} more" if more > 0 else first


def _supposed(law: "_Law", positions: Sequence[int]) -> dict[int, SupposedItem]:
    """Return the items of a list that the supposed counts have, and the largest others."""
    wanted = [position for position in positions if position != NOTHING]
    if not wanted:
        return {}
    counts = law.counts
    largest = counts.order[: len(wanted) + N_OTHERS].tolist()
    wanted += [position for position in largest if position not in set(wanted)]
    return {
        position: SupposedItem(
            counts.items[position],
            int(counts.counts[position]),
            int((counts.counts > counts.counts[position]).sum()) + 1,
            chance,
        )
        for position, chance in zip(wanted, law.listed(np.array(wanted)), strict=True)
    }


class _Law:
    """Law of the outputs of ``size`` items: by closed forms, all outputs, or draws."""

    def __init__(self, counts: ItemCounts, mechanism: Mechanism, size: int, n: int, seed: int):
        self.counts, self.mechanism, self.size = counts, mechanism, size
        self.levels = counts.sorted
        self.ordered = mechanism.outputs.ordered
        self.certain = isinstance(mechanism, SetOrNothing)  # a true top set, if any
        self.whole = not mechanism.outputs.short  # always k items: nothing to condition on
        self._chance = quick_chances(counts, mechanism) if self.whole else lambda _: None
        self.least = int(self.levels.top(size)[-1])  # count of the last of the true top
        self.n_draws = 0
        self._n, self._seed = n, seed

    # --- each number, by the best way there is --------------------------------------------

    def right(self, column: str) -> Estimate:
        """Return the chance that the items are a true top set, or are one in order."""
        if self.certain:
            return _exactly(1.0)
        known = self._chance(column)
        return self._share(self._right[column]) if known is None else _exactly(known)

    def first(self) -> Estimate:
        """Return the chance that the first item has the largest count of all."""
        if self._within is not None:
            return _exactly(self._within_one(int(self.levels.ends[0]))[0])
        return self._share(self._released[:, 0] == self.levels.values[0], SEQUENCE)

    def in_top(self) -> list[Estimate]:
        """Return the chance that each item is in the true top."""
        if self.certain:
            return [_exactly(1.0)] * self.size
        if self._within is not None:
            return [_exactly(chance) for chance in self._within_one(self._n_top)]
        right = self._released >= self.least
        if self.ordered:
            return [self._share(column, SET) for column in right.T]
        return [self._share(right.mean(axis=1), SET)] * self.size

    def in_order(self) -> list[Estimate]:
        """Return the chance that each item but the last has no smaller count than the next."""
        if self.whole:
            with suppress(NoClosedFormError):
                return [_exactly(one) for one in self.mechanism.chances_in_order(self.levels)]
        right = self._released[:, :-1] >= self._released[:, 1:]
        return [self._share(column, SEQUENCE) for column in right.T]

    def ranks(self) -> list[tuple[int, int]]:
        """Return an interval of the true rank of each item, from the best to the worst of ties."""
        if self.certain:
            return [(1, self._n_top)] * self.size
        if self._within is not None:
            ends, within = self._within
        else:
            ends = self.levels.ends
            rows, weights = self._outputs
            mass = [np.bincount(at, weights, ends.size) for at in self.counts.levels_at(rows).T]
            within = np.cumsum(mass, axis=1, dtype=np.float64).T
            within = within.round(12)  # so that rounding moves no quantile
            if not self.ordered:  # no places: an item chosen uniformly
                within = np.repeat(within.mean(axis=1, keepdims=True), self.size, axis=1)
        tail = (1 - RANK_LEVEL) / 2
        before, last = np.append(0, ends), ends.size - 1
        low = np.minimum((within < tail).sum(axis=0), last)
        high = np.minimum((within < 1 - tail).sum(axis=0), last)
        return [(int(before[a]) + 1, int(ends[b])) for a, b in zip(low, high, strict=True)]

    def listed(self, positions: IntArray) -> list[Estimate]:
        """Return the chance that each of some items is released."""
        if self.certain:
            cut = self.counts.ranks_at(positions) < self.size  # a tie is cut by position
            return [_exactly(float(one)) for one in cut]
        if self._within is None:
            rows = self._outputs[0]
            return [self._share((rows == one).any(axis=1)) for one in positions]
        level = self.counts.levels_at(positions)
        ends = np.append(0, self.levels.ends)
        points, where = np.unique(np.append(ends[level], ends[level + 1]), return_inverse=True)
        n_within = np.zeros(points.size)
        n_within[points > 0] = self._within_at(points[points > 0]).sum(axis=1)
        n_of_level = n_within[where[level.size :]] - n_within[where[: level.size]]
        chances = n_of_level / self.levels.multiplicities[level]
        return [_exactly(chance) for chance in chances.clip(0.0, 1.0)]

    # --- closed forms ---------------------------------------------------------------------

    @property
    def _n_top(self) -> int:
        """Number of items of the true top, with all that are tied with its last."""
        return int(self.levels.n_at_least(np.array([self.least]))[0])

    @cached_property
    def _within(self) -> tuple[IntArray, FloatArray] | None:
        """Some ends of levels, and the chance of each place to hold one of so many first ranks."""
        if not self.whole:
            return None
        n = self.levels.n_levels
        near = np.arange(min(n, _MOST_ENDS // 2))
        far = np.geomspace(1, n, _MOST_ENDS // 2).astype(np.int64) - 1
        ends = self.levels.ends[np.union1d(near, np.append(far, n - 1))]
        try:
            return ends, self._within_at(ends)
        except NoClosedFormError:
            return None

    def _within_at(self, ends: IntArray) -> FloatArray:
        return self.mechanism.chances_within(self.levels, ends)

    def _within_one(self, end: int) -> FloatArray:
        chances: FloatArray = self._within_at(np.array([end]))[0]
        return chances

    # --- all outputs, or draws ------------------------------------------------------------

    @cached_property
    def _outputs(self) -> tuple[IntArray, FloatArray]:
        """Outputs of ``size`` items as positions, with their weights, which add up to 1."""
        mechanism, few = self.mechanism, _FEW_OUTPUTS
        rows = weights = None
        if mechanism.outputs.n_outputs(self.counts.d, mechanism.k) <= few:
            with suppress(NoClosedFormError):  # such as of a mechanism of the reader's own
                law = output_distribution(self.counts, mechanism)
                rows, weights = law.sequences, law.probabilities
        if rows is None or weights is None:
            self.n_draws = self._n
            rows = mechanism.sample(self.counts, self._n, generator_for(mechanism, self._seed))
            weights = np.ones(len(rows))
        fitting = (rows != NOTHING).sum(axis=1) == self.size
        rows, weights = rows[fitting][:, : self.size], weights[fitting]
        if len(rows) < _FEWEST_DRAWS if self.n_draws else weights.sum() == 0:
            often = f"in {len(rows):,} of {self.n_draws:,} draws" if self.n_draws else "never"
            raise ValueError(
                f"items must be as many as come out now and then, got {self.size}: on the supposed "
                f"counts {mechanism.label} releases so many {often}"
            )
        return rows, weights / weights.sum()

    @cached_property
    def _released(self) -> IntArray:
        return self.counts.counts_at(self._outputs[0])

    @cached_property
    def _right(self) -> dict[str, BoolArray]:
        """Flags of the outputs that are a true top set, and of those in order."""
        truth = self.levels.top(self.size)
        return {
            SET: (np.sort(self._released, axis=1)[:, ::-1] == truth).all(axis=1),
            SEQUENCE: (self._released == truth).all(axis=1),
        }

    def _share(self, hits: BoolArray | FloatArray, given: str = "") -> Estimate:
        """Return the probability of an event, or the mean of shares, that hit some outputs.

        It is certain for the right outputs ``given``, so that the draws need only say how likely
        it is for the others where the probability of these is known exactly.
        """
        weights = self._outputs[1]
        if not self.n_draws:
            return _exactly(float(weights @ hits))
        known = self._chance(given) if given else None
        others = np.ones(hits.size, dtype=bool) if known is None else ~self._right[given]
        sure, n = known or 0.0, int(others.sum())
        # a mean of shares varies less than whether one of them is hit
        share = share_of_runs(float(hits[others].sum()), n) if n else _UNKNOWN
        value, low, high = (sure + (1 - sure) * p for p in (share.value, share.low, share.high))
        return Estimate(value, low, high, self.n_draws if sure < 1 else 0, PROBABILITY)


def _exactly(value: float) -> Estimate:
    return Estimate.exactly(min(max(float(value), 0.0), 1.0), PROBABILITY)


def _checked(items: Iterable[str], mechanism: Mechanism) -> tuple[str, ...]:
    """Return the names of a list that the mechanism can have released."""
    names = tuple(items)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"items must be names, got {wrong[0]!r}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"items must name each item once, got {name[:80]!r} twice")
        seen.add(name)
    if not names:
        raise ValueError("items must name at least one item, got none")
    least = 1 if mechanism.outputs.short else mechanism.k
    if not least <= len(names) <= mechanism.k:
        rule = f"1 to {mechanism.k}" if least < mechanism.k else f"{mechanism.k}"
        raise ValueError(
            f"items must be {rule} names, as {mechanism.label} with k = {mechanism.k} releases, "
            f"got {len(names)}"
        )
    return names


def _columns(name: str, chances: Sequence[Estimate | None]) -> dict[str, Any]:
    columns: dict[str, Any] = {name: [np.nan if one is None else one.value for one in chances]}
    if any(one is not None and not one.exact for one in chances):
        columns[f"{name}, low"] = [np.nan if one is None else one.low for one in chances]
        columns[f"{name}, high"] = [np.nan if one is None else one.high for one in chances]
    return columns
