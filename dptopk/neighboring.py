"""Neighbouring data sets: every change that one user can make to a few counts."""

import itertools

import numpy as np

from dptopk import _validate
from dptopk._types import IntArray
from dptopk.counts import ItemCounts
from dptopk.distribution import check_item_counts
from dptopk.privacy import NeighborRelation

MAX_ITEMS_FOR_NEIGHBORS = 8
"""Most items for which all neighbours are written out (3^8 - 1 under swap)."""


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
