"""Classify each place of a release: right, at another place, not in the top k, or empty."""

import enum

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import BoolArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts, check_counts
from dptopk.core.outputs import NOTHING, SEQUENCE, OutputKind, released_counts


class Placement(enum.IntEnum):
    """Class of one place of a release."""

    RIGHT = 0
    """An item with the count that belongs at this place."""

    MOVED = 1
    """An item of the true top k that belongs at another place."""

    FOREIGN = 2
    """An item from below the true top k."""

    EMPTY = 3
    """Nothing came out at this place."""


def placements(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """Return the `Placement` of every place, int64, shape (n, k); ties are interchangeable.

    Places of a set are those of `OutputKind.aligned`; all its items of the true top k are right.
    """
    check_counts("counts", counts)
    samples = outputs.check("samples", samples, counts.d)
    top = counts.sorted.padded_top(samples.shape[1])
    released = released_counts(counts, outputs.aligned(counts, samples))
    if outputs.ordered:
        elsewhere = np.where(released >= top[-1], Placement.MOVED, Placement.FOREIGN)
        kinds = np.where(released == top, Placement.RIGHT, elsewhere)
    else:
        kinds = np.where(_in_top(released, top), Placement.RIGHT, Placement.FOREIGN)
    return np.where(released == NOTHING, Placement.EMPTY, kinds)


def _in_top(released: IntArray, top: IntArray) -> BoolArray:
    """Return whether each item of the outputs, largest first, belongs to a true top k.

    All above the k-th count do; of those tied with it as many as the top k has.
    """
    tied = released == top[-1]
    room = int((top == top[-1]).sum())
    belongs: BoolArray = (released > top[-1]) | (tied & (np.cumsum(tied, axis=1) <= room))
    return belongs
