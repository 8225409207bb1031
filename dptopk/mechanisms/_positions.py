"""Convert between ranks of sorted counts and positions in the counts as given."""

from collections.abc import Callable

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.outputs import NOTHING, OutputKind, Released


def ranks_of(counts: ItemCounts | SortedCounts, outputs: IntArray) -> IntArray:
    """Return the rank of the item at each place of outputs, with `NOTHING` unchanged."""
    return _where_there(counts.ranks_at, outputs)


def as_given(
    counts: ItemCounts | SortedCounts, kind: OutputKind, ranks: IntArray, noisy: FloatArray | None
) -> Released:
    """Return released ranks as positions, sets ascending, with each item's noisy count."""
    positions = np.ascontiguousarray(_where_there(counts.positions, ranks), dtype=np.int64)
    if kind.ordered:
        return Released(positions, noisy)
    last = np.where(positions == NOTHING, np.iinfo(np.int64).max, positions)
    order = np.argsort(last, axis=1, kind="stable")
    if noisy is not None:
        noisy = np.take_along_axis(noisy, order, axis=1)
    return Released(np.take_along_axis(positions, order, axis=1), noisy)


def _where_there(translate: Callable[[IntArray], IntArray], places: IntArray) -> IntArray:
    """Translate ranks or positions, leaving `NOTHING` unchanged."""
    if not (places == NOTHING).any():
        return translate(places)
    return np.where(places == NOTHING, NOTHING, translate(np.maximum(places, 0)))
