"""The exact privacy loss: two neighbouring data sets, output by output.

For d <= 8 every data set that differs in one user can be listed, and the exact pmf on
each compared.  The largest loss over all of them proves (or refutes) a pure guarantee
on that data set, and its size tells how much of epsilon is used; for (epsilon, delta)
the hockey-stick divergence is compared with delta.  No simulation is involved.  Of a
mechanism that releases noisy counts too, the loss is that of the items alone.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk import _validate
from dptopk._types import FloatArray, IntArray
from dptopk.counts import ItemCounts
from dptopk.distribution import check_item_counts, check_small
from dptopk.mechanisms import Mechanism
from dptopk.privacy import NeighborRelation

MAX_ITEMS_FOR_NEIGHBORS = 8
"""Most items for which all neighbours are written out (3^8 - 1 under swap)."""


@dataclass(frozen=True)
class WorstCase:
    """The neighbour, and the output, at which a guarantee is closest to its limit.

    Attributes
    ----------
    value : float
        The largest absolute privacy loss (natural log), or the largest hockey-stick.
    neighbour : ItemCounts
        The data set with one user's change at which it is reached.
    output : tuple of int
        The output, as positions (-1 for nothing), at which the loss is reached.
    reversed : bool
        Whether the output is likelier on the neighbour than on the data.
    """

    value: float
    neighbour: ItemCounts
    output: tuple[int, ...]
    reversed: bool

    def __iter__(self) -> Iterator[Any]:
        """Unpack as (value, neighbour, output)."""
        return iter((self.value, self.neighbour, self.output))


def privacy_loss(mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts) -> FloatArray:
    """Privacy loss log P(s | counts) - log P(s | neighbour) of every output s.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    counts, neighbour : ItemCounts
        Two data sets on the same items, at most 50,000 possible outputs.

    Returns
    -------
    numpy.ndarray of float64, shape (m,)
        Natural-log units, for outputs in the order of ``mechanism.outputs.every``; infinite
        where an output is impossible on one data set only, 0 where it is on both.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    return _loss(*_both(mechanism, counts, neighbour))


def hockey_stick(
    mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts, epsilon: float
) -> float:
    """Probability in excess of e^epsilon, sum over s of max(P(s) - e^epsilon P'(s), 0).

    A mechanism is (epsilon, delta)-DP when this is at most delta for all neighbours, in
    both directions (Dwork, Roth 2014, Definition 2.4).  Arguments as `privacy_loss`;
    ``epsilon`` is at least 0.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    epsilon = _validate.non_negative("epsilon", epsilon)
    return _excess(*_both(mechanism, counts, neighbour), epsilon)


def privacy_profile(
    mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts, epsilons: Iterable[float]
) -> FloatArray:
    """Hockey-stick of two data sets at each epsilon, the larger of both directions.

    Parameters
    ----------
    mechanism, counts, neighbour
        As in `privacy_loss`.
    epsilons : array_like of float, shape (n,)
        At least 0.

    Returns
    -------
    numpy.ndarray of float64, shape (n,)
    """
    here, there = _both(mechanism, counts, neighbour)
    epsilons = [_validate.non_negative("epsilons", float(epsilon)) for epsilon in epsilons]
    return np.array([max(_excess(here, there, e), _excess(there, here, e)) for e in epsilons])


def worst_case_loss(
    mechanism: Mechanism,
    counts: ItemCounts,
    neighbors: NeighborRelation | None = None,
    progress: Callable[[float], object] | None = None,
) -> WorstCase:
    """Largest privacy loss over all neighbours and outputs, in both directions.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    counts : ItemCounts
        The data, at most 8 items.
    neighbors : NeighborRelation, optional
        The change that is tried; left out, the one the mechanism protects.  Users count for
        as many items as its guarantee speaks of.
    progress : callable, optional
        Called with the share done, in (0, 1], after each neighbour.

    Returns
    -------
    WorstCase

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """

    def compare(here: FloatArray, there: FloatArray) -> tuple[float, int, bool]:
        loss = _loss(here, there)
        output = int(np.abs(loss).argmax())
        return float(abs(loss[output])), output, bool(loss[output] < 0)

    return _worst(mechanism, counts, neighbors, compare, progress)


def worst_case_hockey_stick(
    mechanism: Mechanism,
    counts: ItemCounts,
    epsilon: float,
    neighbors: NeighborRelation | None = None,
    progress: Callable[[float], object] | None = None,
) -> WorstCase:
    """Largest hockey-stick at ``epsilon`` over all neighbours, in both directions.

    The output of the result is the one that adds most.  Arguments and errors as
    `worst_case_loss`.
    """
    epsilon = _validate.non_negative("epsilon", epsilon)

    def compare(here: FloatArray, there: FloatArray) -> tuple[float, int, bool]:
        forward, backward = _excess(here, there, epsilon), _excess(there, here, epsilon)
        if backward > forward:
            here, there = there, here
        output = int(_excesses(here, there, epsilon).argmax())
        return max(forward, backward), output, backward > forward

    return _worst(mechanism, counts, neighbors, compare, progress)


def neighbor_changes(
    counts: ItemCounts, neighbors: NeighborRelation, max_items: int | None = None
) -> IntArray:
    """Every change one user can make to the counts, shape (n_changes, d).

    Add/remove: all 0/1 vectors but zero, and their negatives where no count falls
    below 0.  Swap: all vectors of -1, 0, 1 but zero, likewise.  Counts stay within what
    `ItemCounts` accepts.  With ``max_items`` no user counts for more items than that.

    Raises
    ------
    ValueError
        For more than 8 items.
    """
    check_item_counts(counts)
    _validate.member("neighbors", neighbors, NeighborRelation)
    if counts.d > MAX_ITEMS_FOR_NEIGHBORS:
        raise ValueError(
            f"counts must have at most {MAX_ITEMS_FOR_NEIGHBORS} items to list all neighbours, "
            f"got {counts.d}"
        )
    if neighbors is NeighborRelation.ADD_REMOVE:
        joining = np.array(list(itertools.product((0, 1), repeat=counts.d)))[1:]
        changes = np.concatenate([joining, -joining])
    else:
        changes = np.array(list(itertools.product((-1, 0, 1), repeat=counts.d)))
        changes = changes[changes.any(axis=1)]
    if max_items is not None:
        _validate.integer("max_items", max_items, low=1)
        changes = changes[most_items(changes) <= max_items]
    changed = counts.counts + changes
    allowed = ((changed >= 0) & (changed <= _validate.MAX_COUNT)).all(axis=1)
    kept: IntArray = changes[allowed]
    return kept


def most_items(changes: IntArray) -> IntArray:
    """Items of the user with more of them: who comes or who goes, for each change, shape (n,)."""
    most: IntArray = np.maximum((changes > 0).sum(axis=-1), (changes < 0).sum(axis=-1))
    return most


def neighboring_counts(
    counts: ItemCounts, neighbors: NeighborRelation, max_items: int | None = None
) -> list[ItemCounts]:
    """Every data set that differs from ``counts`` in one user; see `neighbor_changes`."""
    return [
        ItemCounts(counts.counts + change, counts.items)
        for change in neighbor_changes(counts, neighbors, max_items)
    ]


def _worst(
    mechanism: Mechanism,
    counts: ItemCounts,
    neighbors: NeighborRelation | None,
    compare: Callable[[FloatArray, FloatArray], tuple[float, int, bool]],
    progress: Callable[[float], object] | None,
) -> WorstCase:
    """Largest value of ``compare`` over all neighbours; the first of equals."""
    check_small(mechanism, counts)
    neighbors = mechanism.neighbors if neighbors is None else neighbors
    changes = neighbor_changes(counts, neighbors, mechanism.guarantee.max_items)
    every = mechanism.outputs.every(counts.d, mechanism.k)
    here = mechanism.log_pmf(counts, every)
    best = (-1.0, 0, False)
    worst = changes[0]
    for number, change in enumerate(changes, 1):
        there = mechanism.log_pmf(ItemCounts(counts.counts + change), every)
        found = compare(here, there)
        if found[0] > best[0] + 1e-12:  # ties differ by rounding only
            best, worst = found, change
        if progress is not None:
            progress(number / len(changes))
    value, output, reversed_ = best
    neighbour = ItemCounts(counts.counts + worst, counts.items)
    return WorstCase(value, neighbour, tuple(every[output].tolist()), reversed_)


def _both(
    mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts
) -> tuple[FloatArray, FloatArray]:
    """Log probabilities of every output on both data sets."""
    check_item_counts(neighbour)
    check_small(mechanism, counts)
    if neighbour.d != counts.d:
        raise ValueError(
            f"neighbour must have as many items as counts ({counts.d}), got {neighbour.d}"
        )
    every = mechanism.outputs.every(counts.d, mechanism.k)
    return mechanism.log_pmf(counts, every), mechanism.log_pmf(neighbour, every)


def _excess(here: FloatArray, there: FloatArray, epsilon: float) -> float:
    """Sum of max(P - e^epsilon P', 0), from log probabilities."""
    return float(_excesses(here, there, epsilon).sum())


def _excesses(here: FloatArray, there: FloatArray, epsilon: float) -> FloatArray:
    """max(P - e^epsilon P', 0) of every output, from log probabilities."""
    excesses: FloatArray = np.exp(here) * -np.expm1(np.minimum(epsilon - _loss(here, there), 0.0))
    return excesses


def _loss(here: FloatArray, there: FloatArray) -> FloatArray:
    """Log P - log P', infinite where one is impossible and 0 where both are."""
    never = np.isneginf(here) & np.isneginf(there)
    loss: FloatArray = np.subtract(here, there, where=~never, out=np.zeros_like(here))
    return loss
