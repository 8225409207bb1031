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
    return METRICS["linf"].compute(counts, samples)


def l1_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Sum of the errors of all places, sum_i |c_i - c_{s_i}|; arguments as `linf_error`."""
    return METRICS["l1"].compute(counts, samples)


def k_relative_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Shortfall of the weakest item against the true k-th, max_i (c_k - c_{s_i}).

    Never negative for k distinct items; zero when no item below the k-th count came
    out.  Arguments as `linf_error`.
    """
    return METRICS["k_relative"].compute(counts, samples)


def signed_max_error(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Largest count given up at any place, max_i (c_i - c_{s_i}), never negative.

    The loss of the joint mechanisms; arguments as `linf_error`.
    """
    return METRICS["signed_max"].compute(counts, samples)


def linf_error_index(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """First place, from 0, at which the largest error is attained; arguments as `linf_error`."""
    return METRICS["linf_index"].compute(counts, samples)


def count_given_up(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """c_i - c_{s_i} at every place, shape (n, k); negative where a larger item came out."""
    counts, samples = _checked(counts, samples)
    return counts.sorted.top(samples.shape[1]) - counts.counts_at(samples)


def is_exact_sequence(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Whether the true top k came out in order, up to ties; bool, shape (n,)."""
    return _is_exact_sequence(count_given_up(counts, samples))


def is_exact_set(counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
    """Whether the true top k came out in any order, up to ties; bool, shape (n,)."""
    return _is_exact_set(count_given_up(counts, samples))


def all_errors(counts: ItemCounts | SortedCounts, samples) -> dict[str, np.ndarray]:
    """Every metric by its key, and ``exact_sequence`` and ``exact_set``, each of shape (n,)."""
    given_up = count_given_up(counts, samples)
    top = counts.sorted.top(given_up.shape[1])
    return {key: metric.reduce(given_up, top) for key, metric in METRICS.items()} | {
        "exact_sequence": _is_exact_sequence(given_up),
        "exact_set": _is_exact_set(given_up),
    }


def _is_exact_sequence(given_up: np.ndarray) -> np.ndarray:
    return (given_up == 0).all(axis=1)


def _is_exact_set(given_up: np.ndarray) -> np.ndarray:
    """No k items have a larger total count, and only a true top k reaches it."""
    return given_up.sum(axis=1) == 0


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
    """An error measure and the words that go with it.

    ``reduce`` takes the counts given up, shape (n, k), and the true top counts, shape (k,).
    """

    key: str
    title: str
    unit: str
    meaning: str
    reduce: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def compute(self, counts: ItemCounts | SortedCounts, samples) -> np.ndarray:
        """The error of each release; arguments as `linf_error`."""
        given_up = count_given_up(counts, samples)
        return self.reduce(given_up, counts.sorted.top(given_up.shape[1]))


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
            "place, from 0",
            "the first place at which the ℓ∞ error is attained",
            lambda given_up, top: np.abs(given_up).argmax(axis=1),
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
