"""How far an output is from the true top k, in users.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Definition 2.2:
with c_1 >= ... >= c_d and s_i the item released at place i, errors compare c_i with
c_{s_i}.  Items with equal counts are interchangeable: exchanging them costs nothing.

A set is compared in descending order of its true counts: the order costs nothing.  A place
that stays empty, because fewer than k items came out, counts as an item with no users.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dptopk._types import BoolArray, IntArray
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.outputs import NOTHING, SEQUENCE, OutputKind, released_counts


def linf_error(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """Largest error of any place, max_i |c_i - c_{s_i}|.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The true counts, in users.
    samples : array_like of int, shape (n, k)
        Outputs as positions into the counts as given.
    outputs : OutputKind
        What they are: a mechanism's ``outputs``; by default sequences of k items.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        In users.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    return METRICS["linf"].compute(counts, samples, outputs)


def l1_error(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """Sum of the errors of all places, sum_i |c_i - c_{s_i}|; arguments as `linf_error`."""
    return METRICS["l1"].compute(counts, samples, outputs)


def k_relative_error(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """Shortfall of the weakest item against the true k-th, max_i (c_k - c_{s_i}).

    Never negative for k distinct items; zero when no item below the k-th count came
    out.  Arguments as `linf_error`.
    """
    return METRICS["k_relative"].compute(counts, samples, outputs)


def signed_max_error(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """Largest count given up at any place, max_i (c_i - c_{s_i}), never negative.

    The loss of the joint mechanisms; arguments as `linf_error`.
    """
    return METRICS["signed_max"].compute(counts, samples, outputs)


def linf_error_index(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind = SEQUENCE,
    *,
    signed: bool = False,
) -> IntArray:
    """First place, from 0, at which the largest error is attained; other arguments as `linf_error`.

    Parameters
    ----------
    signed : bool
        Whether the error is c_i - c_{s_i}, as in the authors' code for Figure 2 of the paper
        (google-research, dp_topk), which overlooks places where a larger item came out; by
        default |c_i - c_{s_i}|, as in Definition 2.2.  The two may differ where items of the top
        k changed places.
    """
    return METRICS["signed_index" if signed else "linf_index"].compute(counts, samples, outputs)


def count_given_up(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """c_i - c_{s_i} at every place, shape (n, k); negative where a larger item came out."""
    counts, samples = _checked(counts, samples, outputs)
    released = released_counts(counts, outputs.aligned(counts, samples))
    return counts.sorted.top(samples.shape[1]) - np.maximum(released, 0)


def is_exact_sequence(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> BoolArray:
    """Whether the true top k came out in order, up to ties; bool, shape (n,)."""
    return _is_exact_sequence(count_given_up(counts, samples, outputs), _n_empty(samples), outputs)


def is_exact_set(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> BoolArray:
    """Whether the true top k came out in any order, up to ties; bool, shape (n,)."""
    return _is_exact_set(count_given_up(counts, samples, outputs), _n_empty(samples))


def all_errors(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> dict[str, IntArray | BoolArray]:
    """Every metric by its key, and ``exact_sequence`` and ``exact_set``, each of shape (n,)."""
    given_up = count_given_up(counts, samples, outputs)
    top = counts.sorted.top(given_up.shape[1])
    empty = _n_empty(samples)
    return {key: metric.reduce(given_up, top) for key, metric in METRICS.items()} | {
        "exact_sequence": _is_exact_sequence(given_up, empty, outputs),
        "exact_set": _is_exact_set(given_up, empty),
    }


def _n_empty(samples: npt.ArrayLike) -> IntArray:
    """How many places of each output stayed empty: an empty place is right for no count."""
    n_empty: IntArray = (np.asarray(samples) == NOTHING).sum(axis=1)
    return n_empty


def _is_exact_sequence(given_up: IntArray, n_empty: IntArray, outputs: OutputKind) -> BoolArray:
    """A set has no order that could be right."""
    if not outputs.ordered:
        return np.zeros(len(given_up), dtype=bool)
    right: BoolArray = (given_up == 0).all(axis=1) & (n_empty == 0)
    return right


def _is_exact_set(given_up: IntArray, n_empty: IntArray) -> BoolArray:
    """No k items have a larger total count, and only a true top k reaches it."""
    right: BoolArray = (given_up.sum(axis=1) == 0) & (n_empty == 0)
    return right


class Placement(enum.IntEnum):
    """What became of a place of the release."""

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
    """`Placement` at every place, int64, shape (n, k); ties are interchangeable.

    Places of a set are those of `OutputKind.aligned`; all its items of the true top k are right.
    """
    counts, samples = _checked(counts, samples, outputs)
    top = counts.sorted.top(samples.shape[1])
    released = released_counts(counts, outputs.aligned(counts, samples))
    if outputs.ordered:
        elsewhere = np.where(released >= top[-1], Placement.MOVED, Placement.FOREIGN)
        found = np.where(released == top, Placement.RIGHT, elsewhere)
    else:
        found = np.where(_in_top(released, top), Placement.RIGHT, Placement.FOREIGN)
    return np.where(released == NOTHING, Placement.EMPTY, found)


def _in_top(released: IntArray, top: IntArray) -> BoolArray:
    """Which items of each set, largest first, belong to a true top k.

    All above the k-th count do; of those tied with it as many as the top k has.
    """
    tied = released == top[-1]
    room = int((top == top[-1]).sum())
    belongs: BoolArray = (released > top[-1]) | (tied & (np.cumsum(tied, axis=1) <= room))
    return belongs


@dataclass(frozen=True)
class Metric:
    """An error measure and the words that go with it.

    ``reduce`` takes the counts given up, shape (n, k), and the true top counts, shape (k,).
    """

    key: str
    title: str
    unit: str
    meaning: str
    reduce: Callable[[IntArray, IntArray], IntArray]

    def compute(
        self,
        counts: ItemCounts | SortedCounts,
        samples: npt.ArrayLike,
        outputs: OutputKind = SEQUENCE,
    ) -> IntArray:
        """The error of each release; arguments as `linf_error`."""
        given_up = count_given_up(counts, samples, outputs)
        return self.reduce(given_up, counts.sorted.top(given_up.shape[1]))


PLACE_UNIT = "place, from 0"
"""Unit of the metrics that say where and not how much: not defined where nothing is wrong."""

METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "linf",
            "ℓ∞ error",
            "users",
            "the largest difference at any place between the true count and the released item's",
            lambda given_up, top: np.abs(given_up).max(axis=1),
        ),
        Metric(
            "l1",
            "ℓ1 error",
            "users",
            "the differences of all places added up",
            lambda given_up, top: np.abs(given_up).sum(axis=1),
        ),
        Metric(
            "k_relative",
            "k-relative error",
            "users",
            "how far the weakest released item falls short of the true k-th",
            lambda given_up, top: top[-1] - (top - given_up).min(axis=1),
        ),
        Metric(
            "signed_max",
            "signed maximum error",
            "users",
            "the largest count given up at any place: the loss the joint mechanisms work with",
            lambda given_up, top: given_up.max(axis=1),
        ),
        Metric(
            "linf_index",
            "place of the ℓ∞ error",
            PLACE_UNIT,
            "the first place at which the ℓ∞ error is attained",
            lambda given_up, top: np.abs(given_up).argmax(axis=1),
        ),
        Metric(
            "signed_index",
            "place of the signed maximum",
            PLACE_UNIT,
            "the first place at which the signed maximum error is attained; the authors' code "
            "takes this one for the paper's Figure 2",
            lambda given_up, top: given_up.argmax(axis=1),
        ),
    )
}
"""Every metric by its key, which is also its column in trial results."""


def _checked(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind
) -> tuple[ItemCounts | SortedCounts, IntArray]:
    check_counts("counts", counts)
    return counts, outputs.check("samples", samples, counts.d)
