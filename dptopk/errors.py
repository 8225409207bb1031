"""How far an output is from the true top k, in users.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Definition 2.2:
with c_1 >= ... >= c_d and s_i the item released at place i, errors compare c_i with
c_{s_i}.  Items with equal counts are interchangeable: exchanging them costs nothing.

A set is compared in descending order of its true counts: the order costs nothing.  A place
that stays empty, because fewer than k items came out, counts as an item with no users.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dptopk._types import BoolArray, IntArray
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.numerals import COUNT_UNIT
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


def items_right(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind = SEQUENCE
) -> IntArray:
    """How many of the true top k came out, at whatever place: from 0 to k, more is better.

    Items tied with the k-th count are interchangeable: of them as many count as the top k has.
    An empty place is never right.  Arguments as `linf_error`; in items, not in users.
    """
    return METRICS["items_right"].compute(counts, samples, outputs)


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
    check_counts("counts", counts)
    samples = outputs.check("samples", samples, counts.d)
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
    compared = _compared(counts, samples, outputs)
    given_up, empty = compared.given_up, compared.n_empty
    return {key: metric.reduce(compared) for key, metric in METRICS.items()} | {
        "exact_sequence": _is_exact_sequence(given_up, empty, outputs),
        "exact_set": _is_exact_set(given_up, empty),
    }


def _n_empty(samples: npt.ArrayLike) -> IntArray:
    """How many places of each output stayed empty: an empty place is right for no count."""
    return np.asarray((np.asarray(samples) == NOTHING).sum(axis=1))


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


@dataclass(frozen=True)
class Compared:
    """Outputs beside the true top k.

    Attributes
    ----------
    given_up : numpy.ndarray of int64, shape (n, k)
        True count minus the released item's, place by place.
    top : numpy.ndarray of int64, shape (k,)
        The true top counts.
    n_empty : numpy.ndarray of int64, shape (n,)
        How many places of each output stayed empty.
    """

    given_up: IntArray
    top: IntArray
    n_empty: IntArray


@dataclass(frozen=True)
class Metric:
    """A measure of outputs and the words that go with it: an error unless more is better.

    ``reduce`` takes all outputs beside the truth.  Where a metric ``sees_order``, the order of an
    output makes a difference, and sequences and sets cannot be ranked together by it.
    """

    key: str
    title: str
    unit: str
    meaning: str
    reduce: Callable[[Compared], IntArray]
    more_is_better: bool = False
    sees_order: bool = True

    @property
    def in_counts(self) -> bool:
        """Whether it is a difference of counts: in users, or in whatever the data count."""
        return METRICS[self.key].unit == COUNT_UNIT

    @property
    def is_place(self) -> bool:
        """Whether it says where and not how much, in whatever way places are counted."""
        return METRICS[self.key].unit == PLACE_UNIT

    def counted_in(self, unit: str) -> "Metric":
        """The same with the unit of the data, in the plural, if it is a difference of counts."""
        return replace(self, unit=unit) if self.in_counts else self

    def compute(
        self,
        counts: ItemCounts | SortedCounts,
        samples: npt.ArrayLike,
        outputs: OutputKind = SEQUENCE,
    ) -> IntArray:
        """The measure of each release; arguments as `linf_error`."""
        return self.reduce(_compared(counts, samples, outputs))


def _n_right(seen: Compared) -> IntArray:
    """All above the k-th count, and of those tied with it as many as the top k has."""
    released, last = seen.top - seen.given_up, seen.top[-1]
    tied = (released == last).sum(axis=1) - (seen.n_empty if last == 0 else 0)
    right: IntArray = (released > last).sum(axis=1) + np.minimum(tied, (seen.top == last).sum())
    return right


PLACE_UNIT = "place, from 0"
"""Unit of the metrics that say where and not how much: not defined where nothing is wrong."""

METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "linf",
            "ℓ∞ error",
            COUNT_UNIT,
            "the largest difference at any place between the true count and the released item's",
            lambda seen: np.abs(seen.given_up).max(axis=1),
        ),
        Metric(
            "l1",
            "ℓ1 error",
            COUNT_UNIT,
            "the differences of all places added up",
            lambda seen: np.abs(seen.given_up).sum(axis=1),
        ),
        Metric(
            "k_relative",
            "k-relative error",
            COUNT_UNIT,
            "how far the weakest released item falls short of the true k-th",
            lambda seen: seen.top[-1] - (seen.top - seen.given_up).min(axis=1),
            sees_order=False,
        ),
        Metric(
            "signed_max",
            "signed maximum error",
            COUNT_UNIT,
            "the largest count given up at any place: the loss the joint mechanisms work with",
            lambda seen: seen.given_up.max(axis=1),
        ),
        Metric(
            "linf_index",
            "place of the ℓ∞ error",
            PLACE_UNIT,
            "the first place at which the ℓ∞ error is attained",
            lambda seen: np.abs(seen.given_up).argmax(axis=1),
        ),
        Metric(
            "signed_index",
            "place of the signed maximum",
            PLACE_UNIT,
            "the first place at which the signed maximum error is attained; the authors' code "
            "takes this one for the paper's Figure 2, drawn there at 1 where nothing is wrong",
            lambda seen: seen.given_up.argmax(axis=1),
        ),
        Metric(
            "items_right",
            "items right",
            "items",
            "how many of the true top k came out, at whatever place; more is better",
            _n_right,
            more_is_better=True,
            sees_order=False,
        ),
    )
}
"""Every metric by its key, which is also its column in trial results."""


def _compared(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind
) -> Compared:
    given_up = count_given_up(counts, samples, outputs)
    return Compared(given_up, counts.sorted.top(given_up.shape[1]), _n_empty(samples))
