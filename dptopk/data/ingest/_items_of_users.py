"""Distribution of the number of items per user of a log, and counts under bounds on it.

Contribution bounding (Wilson et al. 2020, https://doi.org/10.2478/popets-2020-0025): each user
keeps at most b items, chosen by a keyed hash of nothing but the user's own items.  Counts under all
bounds follow from one order of each user's items: under b the first b are kept, so that counts grow
with the bound.  A user who keeps t of them has weight 1 / √t in each, so that one user moves the
weights of all items by at most 1 in Euclidean length (Gopi et al. 2020, arXiv 2002.09745).

With another key the hash orders each user's items anew.  Taken as uniform, it keeps one of m items
with probability min(1, b / m), independently of other users: the count of an item is then a sum of
independent indicators, a Poisson-binomial variable, as in the analysis of PipelineDP
(https://pipelinedp.io).  Counts of two items are not independent.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames

if TYPE_CHECKING:
    from dptopk.accounting.sparse_gaussian import DiscoveredItems, SparseGaussian

MOST_EXPLAINED = 200  # number of largest items whose holders are known by their numbers of items
MOST_CELLS = 2**21  # counts under all bounds that are kept at most, where they were not asked for
UNITS = 2**40  # units of a weight of 1: sums of whole numbers do not depend on their order
HALF = 2**20  # units are summed in two halves, so that no sum of them comes near the limit of int64

_STEPS = (1, 1.5, 2, 3, 5, 7.5)  # of bounds, times powers of ten


@dataclass(frozen=True)
class ItemsOfUsers:
    """Distribution of the number of distinct items per user of a log.

    Attributes
    ----------
    sizes : tuple of int
        Distinct numbers of items of a user, ascending.
    users : tuple of int
        How many users have so many.
    """

    sizes: tuple[int, ...]
    users: tuple[int, ...]

    @property
    def n_users(self) -> int:
        """Number of users."""
        return sum(self.users)

    def quantile(self, share: float) -> int:
        """Return a quantile of the number of items per user."""
        places = np.cumsum(self.users)
        return self.sizes[int(np.searchsorted(places, max(share * self.n_users, 1)))]

    def share_above(self, most: int) -> float:
        """Return the fraction of users with more than ``most`` items."""
        above = sum(n for size, n in zip(self.sizes, self.users, strict=True) if size > most)
        return above / self.n_users

    def against_bound(self, kept: int | None, most: int) -> str:
        """Return why a bound on items per user does not hold for counts; empty if it does.

        It can where each user's items were cut to so many, at most to ``kept``, before they were
        counted, or where nobody has more, so that the cut changes nothing.
        """
        if self.share_above(most) == 0 or (kept is not None and kept <= most):
            return ""
        items = plural(most, "item")
        cut = "nothing was left out" if kept is None else f"up to {kept:,} of each were counted"
        return (
            f"its guarantee would hold for users of at most {items}, but "
            f"{self.share_above(most):.1%} of the users of this log have more, and {cut}: read it "
            f"again with at most {items} of each user, or set no bound"
        )

    def n_pairs(self, most: int | None = None) -> int:
        """Return the number of pairs of user and item, with at most so many of each user."""
        sizes = zip(self.sizes, self.users, strict=True)
        return sum(n * (size if most is None else min(size, most)) for size, n in sizes)

    def share_kept(self, most: int) -> float:
        """Return the share of the pairs of user and item that a bound of ``most`` keeps."""
        return self.n_pairs(most) / self.n_pairs()

    @property
    def sentence(self) -> str:
        """Sentence with the median, the 99 % quantile and the maximum."""
        return (
            f"Items per user: {self.quantile(0.5):,} in the median, {self.quantile(0.99):,} at "
            f"the 99% quantile, {self.sizes[-1]:,} at most."
        )


@dataclass(frozen=True, eq=False)
class CountsByBound:
    """Counts of a log under several bounds on the items of a user, for one key of the hash.

    Attributes
    ----------
    counts : ItemCounts
        Users of each item without a bound, and the items.
    bounds : tuple of int
        Ascending; the last is the number of items of the user who has most.
    values : int64 array of shape (number of bounds, d)
        Users of each item under each bound, read-only; the last row is ``counts``.
    weights : float64 array of shape (number of bounds, d)
        Sum of 1 / √t over these users, who keep t items each, read-only.
    items_of_users : ItemsOfUsers
        Before any bound.
    holders : mapping of int to (int64 array, int64 array)
        For the positions of the `MOST_EXPLAINED` largest items: numbers of items of their users,
        and how many users have so many, read-only.
    """

    counts: ItemCounts
    bounds: tuple[int, ...]
    values: IntArray
    weights: FloatArray
    items_of_users: ItemsOfUsers
    holders: Mapping[int, tuple[IntArray, IntArray]] = field(repr=False)
    _made: dict[int, ItemCounts] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for made in (self.values, self.weights, *chain.from_iterable(self.holders.values())):
            made.flags.writeable = False

    @classmethod
    def of_pairs(
        cls,
        users: IntArray,
        of_items: IntArray,
        items_of_users: ItemsOfUsers,
        items: Sequence[str],
        name: str,
    ) -> "CountsByBound":
        """Count distinct pairs of a user and an item under the bounds of `bound_steps`.

        Users are numbered, in ascending order; of each, the items kept first stand first.
        """
        steps, levels = bound_steps(items_of_users), np.array(items_of_users.sizes)
        n_items = np.bincount(users)
        sizes, before = n_items[users], (np.cumsum(n_items) - n_items)[users]
        first = np.searchsorted(steps, np.arange(users.size) - before + 1)  # bound that keeps it
        values, *sums = np.zeros((4, len(steps), len(items)), np.int64)
        np.add.at(values, (first, of_items), 1)
        np.cumsum(values, axis=0, out=values)
        units = np.floor(UNITS / np.sqrt(sizes) + 0.5).astype(np.int64)
        for made, of_each in zip(sums, (np.ones_like(units), *divmod(units, HALF)), strict=True):
            np.add.at(made, (np.searchsorted(steps, sizes), of_items), of_each)
        counts = ItemCounts(values[-1], ItemNames(items), name)
        largest = counts.order[:MOST_EXPLAINED]
        n_of = np.zeros((len(items), levels.size), np.int64)
        np.add.at(n_of, (of_items, np.searchsorted(levels, sizes)), 1)
        holders = {
            position: (levels[n > 0], n[n > 0])
            for position, n in zip(largest.tolist(), n_of[largest], strict=True)
        }
        weights = weights_of(steps, values, sums)
        return cls(counts, tuple(steps), values, weights, items_of_users, holders)

    def bounded(self, bound: int) -> ItemCounts:
        """Return the counts under one of the bounds, or one that no user exceeds."""
        row = self._row(bound)
        if row == len(self.bounds) - 1:
            return self.counts
        if bound not in self._made:
            of = self.counts
            self._made[bound] = ItemCounts(self.values[row], of.items, of.name)
        return self._made[bound]

    def amounts_under(self, bound: int, weighted: bool) -> FloatArray:
        """Return weights, or users, under one of the bounds, or one that no user exceeds."""
        amounts = (self.weights if weighted else self.values)[self._row(bound)]
        as_floats: FloatArray = amounts.astype(np.float64, copy=False)
        return as_floats

    def discover(self, mechanism: "SparseGaussian", rng: np.random.Generator) -> "DiscoveredItems":
        """Draw the items that a mechanism finds in these data, under its bound."""
        amounts = self.amounts_under(mechanism.max_items, mechanism.weighted)
        return mechanism.draw(self.counts.items, amounts, rng)

    def _row(self, bound: int) -> int:
        if bound >= self.bounds[-1]:
            return len(self.bounds) - 1
        if bound not in self.bounds:
            some = ", ".join(map(str, self.bounds))
            raise ValueError(f"bound must be one of {some}, got {bound}")
        return self.bounds.index(bound)

    @cached_property
    def identity(self) -> str:
        """Digest of all counts and weights with their items, as a key of caches."""
        content = hashlib.sha256(self.counts.identity.encode())
        for array in (np.array(self.bounds), self.values, self.weights):
            content.update(array.tobytes())
        return content.hexdigest()

    def moments(self, position: int, bound: int) -> tuple[float, float]:
        """Return mean and variance of an item's count under a bound, over all keys of the hash.

        Those of a Poisson-binomial variable.  Only for the `MOST_EXPLAINED` largest items.
        """
        sizes, users = self.holders[position]
        kept: FloatArray = np.minimum(1.0, bound / sizes)
        return float(users @ kept), float(users @ (kept * (1 - kept)))


def weights_of(steps: Sequence[int], values: IntArray, sums: Iterable[IntArray]) -> FloatArray:
    """Return the weights of items under bounds from their users under each, and from sums.

    A user of m items keeps t = m under bounds from m on, and t = bound under those between.
    ``sums`` are by the first bound from m on: of users, and of both halves of their 1 / √m.
    """
    whole, high, low = (np.cumsum(table, axis=0, out=table) for table in sums)
    units = np.array([[round(UNITS / math.sqrt(step))] for step in steps])
    high += units // HALF * (values - whole)
    low += units % HALF * (values - whole)
    weights: FloatArray = (high * float(HALF) + low) / UNITS
    return weights


def bound_steps(items_of_users: ItemsOfUsers) -> list[int]:
    """Return bounds to try: steps from 1 to the most items that any user has."""
    most = items_of_users.sizes[-1]
    steps = {int(lead * 10**power) for power in range(len(str(most))) for lead in _STEPS}
    return sorted({step for step in steps if step < most} | {most})


def checked_bounds(bounds: Sequence[int]) -> list[int]:
    """Return bounds as a list of whole numbers from 1, ascending."""
    listed = [validation.integer("bounds", one, low=1) for one in bounds]
    if not listed or listed != sorted(set(listed)):
        raise ValueError(f"bounds must ascend and hold one at least, got {[*bounds]}")
    return listed


def pairs_said(
    n_rows: int, n_pairs: int, of_users: ItemsOfUsers, max_items: int | None, left_out: int
) -> tuple[str, ...]:
    """Return sentences on the number of pairs of user and item, and on what a bound left out."""
    made = plural(n_pairs, "pair of a user and an item", "pairs of a user and an item")
    words = f"{plural(n_rows, 'row')} became {made}."
    if max_items is None:
        return (words,)
    return (
        words,
        f"At most {plural(max_items, 'item')} of each user were kept, chosen by a fixed "
        f"hash of the names: {left_out:,} of {made} ({left_out / n_pairs:.1%}) were left out, "
        f"as {of_users.share_above(max_items):.1%} of the users have more.",
    )
