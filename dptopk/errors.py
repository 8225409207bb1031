"""How far a released sequence is from the true top k, in users.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Definition 2.2:
with c_1 >= ... >= c_d and s_i the item released at place i, errors compare c_i with
c_{s_i}.  Items with equal counts are interchangeable: exchanging them costs nothing.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk import _validate
from dptopk.counts import ItemCounts, SortedCounts, check_counts


def linf_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Largest error of any place, max_i |c_i - c_{s_i}|.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The true counts, in users.
    samples : array_like of int, shape (n, k)
        Released sequences as positions into the counts as given.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        In users.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    return np.abs(count_given_up(counts, samples)).max(axis=1)


def l1_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Sum of the errors of all places, sum_i |c_i - c_{s_i}|; arguments as `linf_error`."""
    return np.abs(count_given_up(counts, samples)).sum(axis=1)


def k_relative_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Shortfall of the weakest item against the true k-th, max_i (c_k - c_{s_i}).

    Never negative for k distinct items; zero when no item below the k-th count came
    out.  Arguments as `linf_error`.
    """
    counts, samples = _checked(counts, samples)
    kth = counts.sorted.top(samples.shape[1])[-1]
    return kth - counts.counts_at(samples).min(axis=1)


def signed_max_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Largest count given up at any place, max_i (c_i - c_{s_i}), never negative.

    The loss of the joint mechanisms; arguments as `linf_error`.
    """
    return count_given_up(counts, samples).max(axis=1)


def linf_error_index(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """First place, from 0, at which the largest error is attained; arguments as `linf_error`."""
    return np.abs(count_given_up(counts, samples)).argmax(axis=1)


def count_given_up(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """c_i - c_{s_i} at every place, shape (n, k); negative where a larger item came out."""
    counts, samples = _checked(counts, samples)
    return counts.sorted.top(samples.shape[1]) - counts.counts_at(samples)


def is_exact_sequence(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Whether the true top k came out in order, up to ties; bool, shape (n,)."""
    return (count_given_up(counts, samples) == 0).all(axis=1)


def is_exact_set(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Whether the true top k came out in any order, up to ties; bool, shape (n,).

    No k items have a larger total count, and only true top k reach it.
    """
    return count_given_up(counts, samples).sum(axis=1) == 0


class Placement(enum.IntEnum):
    """What became of a place of the release."""

    RIGHT = 0
    """An item with the count that belongs at this place."""

    MOVED = 1
    """An item of the true top k that belongs at another place."""

    FOREIGN = 2
    """An item from below the true top k."""


def placements(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """`Placement` of every released item, int64, shape (n, k); ties are interchangeable."""
    counts, samples = _checked(counts, samples)
    top, released = counts.sorted.top(samples.shape[1]), counts.counts_at(samples)
    elsewhere = np.where(released >= top[-1], Placement.MOVED, Placement.FOREIGN)
    return np.where(released == top, Placement.RIGHT, elsewhere)


@dataclass(frozen=True)
class Metric:
    """An error measure and the words that go with it."""

    key: str
    title: str
    unit: str
    meaning: str
    compute: Callable[[ItemCounts | SortedCounts, np.ndarray], np.ndarray]


METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "linf",
            "ℓ∞ error",
            "users",
            "the largest difference at any place between the true count and the released item's",
            linf_error,
        ),
        Metric(
            "l1",
            "ℓ1 error",
            "users",
            "the differences of all places added up",
            l1_error,
        ),
        Metric(
            "k_relative",
            "k-relative error",
            "users",
            "how far the weakest released item falls short of the true k-th",
            k_relative_error,
        ),
        Metric(
            "signed_max",
            "signed maximum error",
            "users",
            "the largest count given up at any place: the loss the joint mechanisms work with",
            signed_max_error,
        ),
        Metric(
            "linf_index",
            "place of the ℓ∞ error",
            "place, from 0",
            "the first place at which the ℓ∞ error is attained",
            linf_error_index,
        ),
    )
}
"""Every metric by its key, which is also its column in trial results."""


def _checked(counts, samples) -> tuple[ItemCounts | SortedCounts, np.ndarray]:
    check_counts("counts", counts)
    samples = np.asarray(samples)
    if samples.ndim != 2 or not 1 <= samples.shape[1] <= counts.d:
        raise ValueError(
            f"samples must have shape (n, k) with k in [1, {counts.d}], got {samples.shape}"
        )
    return counts, _validate.position_matrix("samples", samples, samples.shape[1], counts.d)
