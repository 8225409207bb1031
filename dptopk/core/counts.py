"""Item counts, also as distinct values with their multiplicities.

`ItemCounts` is what people hold: one count an item, in any order.
`SortedCounts` is what mechanisms read: distinct counts, largest first, with the
number of items at each, so that cost depends on distinct counts and not on d.
Both can be given to a mechanism; positions in its output refer to what was given
(for `SortedCounts`, to ranks: 0 is an item with the largest count).
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dptopk.core import validation
from dptopk.core.array_types import IntArray
from dptopk.core.packed_names import ItemNames, item_names

MAX_COUNT = validation.MAX_COUNT
"""Largest count accepted, 2**53."""

NOTHING = -1
"""Fills up an output that holds fewer than k items."""

MAX_ITEMS = 2**62
"""Most items of sorted counts: ranks and their sums stay within int64."""


class SortedCounts:
    """Distinct counts (the levels), largest first, with their multiplicities.

    Parameters
    ----------
    values : array_like of int, shape (n_levels,)
        Distinct non-negative counts, in users, strictly decreasing.
    multiplicities : array_like of int, shape (n_levels,)
        Number of items at each count, at least 1.
    """

    def __init__(self, values: npt.ArrayLike, multiplicities: npt.ArrayLike):
        values = validation.count_vector("values", values)
        multiplicities = validation.count_vector("multiplicities", multiplicities, 1)
        if values.shape != multiplicities.shape:
            raise ValueError(
                "multiplicities must have as many entries as values, got "
                f"{multiplicities.size} for {values.size}"
            )
        if not np.all(values[1:] < values[:-1]):
            raise ValueError("values must be strictly decreasing")
        if float(multiplicities.sum(dtype=np.float64)) > MAX_ITEMS:
            raise ValueError(
                "multiplicities must add up to at most 2**62 items, got about "
                f"{multiplicities.sum(dtype=np.float64):.3g}"
            )
        self._set(values, multiplicities)

    @classmethod
    def _of_levels(cls, values: IntArray, multiplicities: IntArray) -> "SortedCounts":
        """Return an object of levels that are known to be valid, without checking them."""
        levels = cls.__new__(cls)
        levels._set(values, multiplicities)
        return levels

    def _set(self, values: IntArray, multiplicities: IntArray) -> None:
        self.values, self.multiplicities = _frozen(values), _frozen(multiplicities)
        self.ends = _frozen(np.cumsum(multiplicities))
        self._ascending = _frozen(-values)

    @property
    def d(self) -> int:
        """Number of items."""
        return int(self.ends[-1])

    @property
    def n_levels(self) -> int:
        """Number of distinct counts."""
        return self.values.size

    @property
    def sorted(self) -> "SortedCounts":
        """The object itself, as the sorted view of `ItemCounts`."""
        return self

    def level_of_rank(self, ranks: IntArray) -> IntArray:
        """Return the level index of each rank in ``[0, d)``."""
        return np.searchsorted(self.ends, ranks, side="right")

    def counts_at_ranks(self, ranks: IntArray) -> IntArray:
        """Count, in users, of the item at each rank."""
        return self.values[self.level_of_rank(ranks)]

    def top(self, n: int) -> IntArray:
        """Return the ``n`` largest counts, in descending order (fewer if d < n)."""
        n_levels = min(int(np.searchsorted(self.ends, n)) + 1, self.n_levels)
        return np.repeat(self.values[:n_levels], self.multiplicities[:n_levels].clip(max=n))[:n]

    def padded_top(self, n: int) -> IntArray:
        """Return the ``n`` largest counts in descending order, padded with zeros beyond d."""
        there = self.top(n)
        return np.append(there, np.zeros(n - there.size, dtype=np.int64))

    def n_at_least(self, thresholds: IntArray) -> IntArray:
        """Count the items whose count is at least each threshold."""
        n_levels = np.searchsorted(self._ascending, -thresholds, side="right")
        return self._ends_from_zero[n_levels]

    @cached_property
    def _ends_from_zero(self) -> IntArray:
        return _frozen(np.concatenate([[0], self.ends]))

    def positions(self, ranks: IntArray) -> IntArray:
        """Return the positions of the items at these ranks: the ranks themselves."""
        _check_there("ranks", ranks)
        return ranks

    def ranks_at(self, positions: IntArray) -> IntArray:
        """Return the ranks of the items at these positions: the positions themselves."""
        _check_there("positions", positions)
        return positions

    def counts_at(self, positions: IntArray) -> IntArray:
        """Count, in users, of the item at each position."""
        _check_there("positions", positions)
        return self.counts_at_ranks(positions)

    def levels_at(self, positions: IntArray) -> IntArray:
        """Return the level index of the item at each position."""
        _check_there("positions", positions)
        return self.level_of_rank(positions)


class ItemCounts:
    """Counts of items in any order, immutable; iterating yields (item, count).

    Parameters
    ----------
    counts : array_like of int, shape (d,), mapping of item to int, or pandas.Series
        Number of users holding each item, in ``[0, 2**53]``.
    items : sequence of str, optional
        The d distinct item names.  Integers are taken as their decimal text.
        Left out, they are the keys of a mapping or the index of a Series (unless that
        only numbers the rows), else "item 1", "item 2", ...
    name : str, optional
        What to call the data; left out, a Series has its own, if it is more than "count", as pandas
        calls what it counted.

    Examples
    --------
    >>> from dptopk import ItemCounts
    >>> counts = ItemCounts({"pear": 30, "apple": 50})
    >>> len(counts), list(counts)
    (2, [('pear', 30), ('apple', 50)])
    >>> counts.names(counts.order)
    ['apple', 'pear']
    """

    def __init__(
        self,
        counts: npt.ArrayLike | Mapping[str, int],
        items: Iterable[str | int] | None = None,
        name: str = "",
    ):
        counts, own_items, own_name = _with_own_names(counts)
        items = own_items if items is None else items
        self._counts = _frozen(validation.count_vector("counts", counts))
        self._given_items = None if items is None else item_names(items, self.d)
        if not isinstance(name, str):
            raise TypeError(f"name must be a string, got {name!r}")
        self._name = name or own_name

    @property
    def counts(self) -> IntArray:
        """Counts in users, int64, shape (d,), read-only."""
        return self._counts

    @property
    def name(self) -> str:
        """Name of the data."""
        return self._name

    @property
    def d(self) -> int:
        """Number of items."""
        return self._counts.size

    @property
    def items(self) -> Sequence[str]:
        """Item names, in the order of the counts; equal to a tuple of them."""
        return self._names

    @cached_property
    def _names(self) -> ItemNames:
        if self._given_items is not None:
            return self._given_items
        return ItemNames(f"item {number}" for number in range(1, self.d + 1))

    @cached_property
    def identity(self) -> str:
        """SHA-256 of counts and names as given, in hexadecimal: default names are not written."""
        if self._given_items is not None:
            return self.digest
        return hashlib.sha256(self._counts.tobytes()).hexdigest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of counts and item names, in hexadecimal."""
        content = hashlib.sha256()
        for part in (self._counts.tobytes(), *self._names.content):
            content.update(hashlib.sha256(part).digest())
        return content.hexdigest()

    @cached_property
    def sorted(self) -> SortedCounts:
        """Distinct counts and their multiplicities, largest first."""
        # numpy sorts 32 bits fast on most machines, 16 bits on few; in place: fresh memory is slow
        ascending = self._counts.astype(np.int32 if self._counts.max() < 2**31 else np.int64)
        ascending.sort()
        last = np.append(np.flatnonzero(ascending[1:] != ascending[:-1]), self.d - 1)
        sizes = np.diff(last, prepend=-1)
        return SortedCounts._of_levels(ascending[last][::-1].astype(np.int64), sizes[::-1].copy())

    @cached_property
    def _narrow(self) -> IntArray:
        """Counts in as few bytes as hold them: compared faster."""
        most = self.sorted.values[0]
        narrow = np.uint16 if most < 2**16 else np.int32 if most < 2**31 else np.int64
        return _frozen(self._counts.astype(narrow, copy=False))

    @cached_property
    def order(self) -> IntArray:
        """Position of each rank: largest count first, ties in the order given."""
        return _frozen(_descending_order(self._counts))

    def positions(self, ranks: IntArray) -> IntArray:
        """Return the positions in the counts as given of the items at these ranks."""
        _check_there("ranks", ranks)
        if "order" in self.__dict__:
            return self.order[ranks]
        levels = self.sorted
        n_together = int(np.searchsorted(levels.ends, self.d // _FEW))
        last = levels.level_of_rank(ranks.max(initial=0))
        if last < n_together:
            return self._largest(int(levels.values[last]))[ranks]
        if ranks.size > self.d // _FEW:
            return self.order[ranks]
        level = levels.level_of_rank(ranks)
        wanted = np.flatnonzero(np.bincount(level.ravel()))
        alone = wanted[wanted >= n_together]
        if alone.size > _FEW:
            return self.order[ranks]
        positions = np.empty(ranks.shape, dtype=np.int64)
        together = level < n_together
        if together.any():  # of the largest counts: in the order of all, as far as it is wanted
            lowest = int(levels.values[wanted[wanted < n_together][-1]])
            positions[together] = self._largest(lowest)[ranks[together]]
        for one in alone.tolist():
            mine, first = level == one, levels.ends[one] - levels.multiplicities[one]
            tied, nth = self._narrow == int(levels.values[one]), ranks[mine] - first
            if nth.size < _FEW:
                positions[mine] = [_nth(tied, n) for n in nth.tolist()]
            else:
                positions[mine] = np.flatnonzero(tied)[nth]
        return positions

    def _largest(self, lowest: int) -> IntArray:
        largest = np.flatnonzero(self._narrow >= lowest)
        return largest[_descending_order(self._counts[largest])]

    def ranks_at(self, positions: IntArray) -> IntArray:
        """Return the rank of the item at each position: the inverse of `positions`."""
        _check_there("positions", positions)
        return self._ranks[positions]

    @cached_property
    def _ranks(self) -> IntArray:
        ranks = np.empty(self.d, dtype=np.int64)
        ranks[self.order] = np.arange(self.d)
        return _frozen(ranks)

    def counts_at(self, positions: IntArray) -> IntArray:
        """Count, in users, of the item at each position."""
        _check_there("positions", positions)
        return self._counts[positions]

    def levels_at(self, positions: IntArray) -> IntArray:
        """Return the level index, in `sorted`, of the item at each position."""
        _check_there("positions", positions)
        return np.searchsorted(-self.sorted.values, -self._counts[positions])

    def names(self, release: npt.ArrayLike) -> list[str]:
        """Return the names of the items of one output, without places that stayed empty.

        Parameters
        ----------
        release : array_like of int, shape (k,)
            Positions, as a row of `Mechanism.sample`; -1 (`NOTHING`) where nothing came out.

        Returns
        -------
        list of str
            At most k, in the order of the output.

        Examples
        --------
        >>> from dptopk import ItemCounts
        >>> counts = ItemCounts([5, 9, 1], ["a", "b", "c"])
        >>> counts.names([1, 0, -1])
        ['b', 'a']
        """
        positions = np.asarray(release)
        if positions.ndim != 1:
            raise ValueError(
                f"release must be one output, of shape (k,), got {positions.shape}: give the rows "
                "of many one by one"
            )
        if positions.dtype.kind not in "iu" and positions.size:
            raise TypeError(f"release must hold integer positions, got dtype {positions.dtype}")
        outside = (positions < NOTHING) | (positions >= self.d)
        if outside.any():
            raise ValueError(
                f"release must hold positions in [0, {self.d - 1}] (or {NOTHING} for nothing), got "
                f"{positions[outside][0]}"
            )
        return [self.items[position] for position in positions if position != NOTHING]

    def __len__(self) -> int:
        return self.d

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self.items, self._counts.tolist(), strict=True)

    def head(self, n: int) -> "ItemCounts":
        """Return the ``n`` items with the largest counts, in descending order."""
        chosen = self.order[:n]
        return ItemCounts(
            self._counts[chosen], [self.items[position] for position in chosen], self._name
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ItemCounts):
            return NotImplemented
        return (
            np.array_equal(self._counts, other._counts)
            and self.items == other.items
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._counts.tobytes(), self._name))

    def __repr__(self) -> str:
        label = f"{self._name!r}, " if self._name else ""
        return f"ItemCounts({label}d={self.d:,}, largest={self._counts.max():,})"


def check_counts(name: str, value: object) -> ItemCounts | SortedCounts:
    """Return ``value`` if it is an `ItemCounts` or `SortedCounts`."""
    if not isinstance(value, ItemCounts | SortedCounts):
        raise TypeError(
            f"{name} must be ItemCounts or SortedCounts, got {type(value).__name__}: "
            "wrap an array as ItemCounts(array)"
        )
    return value


def _check_there(name: str, places: IntArray) -> None:
    """Raise for places that are below 0, which would be counted from the end."""
    least = np.asarray(places).min(initial=0)
    if least < 0:
        raise ValueError(
            f"{name} must be at least 0, got {least}: leave out places that stayed empty, which "
            f"are {NOTHING} (NOTHING)"
        )


def _frozen(array: IntArray) -> IntArray:
    array.flags.writeable = False
    return array


def _nth(mask: npt.NDArray[np.bool_], n: int) -> int:
    """Return the position of the n-th True, from 0, by halves: counting is faster than listing."""
    start, stop = 0, mask.size
    while stop - start > 1:
        middle = (start + stop) // 2
        before = int(np.count_nonzero(mask[start:middle]))
        if n < before:
            stop = middle
        else:
            start, n = middle, n - before
    return start


def _descending_order(counts: IntArray) -> IntArray:
    """Return the stable argsort, largest first: by digits, or of (gap to the maximum, position)."""
    d = counts.size
    gap = counts.max() - counts
    if gap.max() < 2**16:  # sorted by their digits
        return np.argsort(gap.astype(np.uint16), kind="stable")
    if int(gap.max()) < 2**62 // d:
        keys = np.sort(gap * d + np.arange(d))
        return keys % d
    return np.argsort(gap, kind="stable")


_Parted = tuple[npt.ArrayLike, Iterable[str | int] | None, str]

_FEW = 8  # one item in so many is sorted, and so many levels looked through, instead of sorting all

_OF_PANDAS = "count"  # what value_counts calls every result


def _with_own_names(counts: object) -> _Parted:
    """Split a mapping or pandas Series into counts, items (None if unnamed) and name."""
    if isinstance(counts, Mapping):
        return list(counts.values()), list(counts), ""
    pandas = sys.modules.get("pandas")  # slow to load; what is not loaded made no series
    if pandas is None:
        return np.asarray(counts), None, ""
    if isinstance(counts, pandas.DataFrame):
        raise TypeError(f"counts must be one count an item, got a DataFrame: {_column_of(counts)}")
    if isinstance(counts, pandas.Series):
        plain = isinstance(counts.index, pandas.RangeIndex) and counts.index.name is None
        name = counts.name if isinstance(counts.name, str) and counts.name != _OF_PANDAS else ""
        return counts.to_numpy(), None if plain else counts.index.tolist(), name
    return np.asarray(counts), None, ""


def _column_of(frame: Any) -> str:
    """Suggest a column to pass instead of a table: its counts, indexed by its items."""
    numbers = [column for column, kind in frame.dtypes.items() if kind.kind in "iu"]
    others = [column for column in frame if column not in numbers]
    if numbers and others:
        return f"pass a column by its items, as frame.set_index({others[0]!r})[{numbers[0]!r}]"
    if numbers:
        return f"pass one of its columns, as frame[{numbers[0]!r}]"
    column = repr(others[0]) if others else "'item'"
    return f"count its rows, as frame[{column}].value_counts()"
