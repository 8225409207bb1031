"""Measures of the error of a released top k against the true top k.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333, Definition 2.2:
with c_1 >= ... >= c_d and s_i the item released at place i, errors compare c_i with
c_{s_i}.  Items with equal counts are interchangeable: exchanging them costs nothing.

A set is compared in descending order of its true counts: the order costs nothing.  A place
that stays empty, because fewer than k items came out, counts as an item with no users; so does
what is missing of a true top k where there are fewer than k items.

A measure is one object, a `Metric`: it knows its direction, its range, its value of the right
answer, which targets can be set for it and which exact law is its own.  Everything else asks it.
A new one is an entry in `METRICS`.

Fagin, Kumar, Sivakumar (2003), "Comparing top k lists", SIAM J. Discrete Math. 17(1): the Kendall
distance K^(p) of two top-k lists, here with p = 0.  Järvelin, Kekäläinen (2002),
"Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4): the normalised discounted
cumulated gain.  They divide the gain of place i by log_b i from place b on; as in most software
(scikit-learn's ``ndcg_score``) it is log2(1 + i) here, so that places 1 and 2 differ.  Jaccard
(1912), "The distribution of the flora in the alpine zone", New Phytologist 11(2).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

import numpy as np
import numpy.typing as npt

from dptopk.core import validation
from dptopk.core.array_types import BoolArray, FloatArray, IntArray, NumberArray
from dptopk.core.counts import MAX_COUNT, ItemCounts, SortedCounts, check_counts
from dptopk.core.estimate import SCORE
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.outputs import NOTHING, SEQUENCE, HasOutputs, OutputKind, kind_of, released_counts


def linf_error(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> IntArray:
    """Return the largest error of any place, max_i abs(c_i - c_{s_i}).

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The true counts, in users.
    samples : array_like of int, shape (n, k)
        Outputs as positions into the counts as given.
    outputs : Mechanism or OutputKind
        What released them, or its ``outputs``; left out, they are read as sequences of k items.
        A set has the same errors in whatever order its items are written.

    Returns
    -------
    numpy.ndarray of int64, shape (n,)
        In users.

    Examples
    --------
    >>> from dptopk import ItemCounts, JointSet, linf_error
    >>> counts = ItemCounts([10, 5, 1])
    >>> linf_error(counts, [[0, 1], [1, 0], [2, 0]]).tolist()
    [0, 5, 9]
    >>> linf_error(counts, [[0, 1]], JointSet(2, 1.0)).tolist()
    [0]
    """
    return _whole("linf", counts, samples, outputs)


def l1_error(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> NumberArray:
    """Return the sum of the errors of all places, sum_i abs(c_i - c_{s_i}).

    Arguments as of `linf_error`; float64 where k times the largest count is 2**63 or more.

    Examples
    --------
    >>> from dptopk import ItemCounts, l1_error
    >>> l1_error(ItemCounts([10, 5, 1]), [[0, 1], [1, 0], [2, 0]]).tolist()
    [0, 10, 14]
    """
    return METRICS["l1"].compute(counts, samples, outputs)


def k_relative_error(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> IntArray:
    """Return the shortfall of the weakest item against the true k-th, max_i (c_k - c_{s_i}).

    Never negative for k distinct items; zero when no item below the k-th count came
    out.  Arguments as `linf_error`.

    Examples
    --------
    >>> from dptopk import ItemCounts, k_relative_error
    >>> k_relative_error(ItemCounts([10, 5, 1]), [[0, 1], [1, 0], [2, 0]]).tolist()
    [0, 0, 4]
    """
    return _whole("k_relative", counts, samples, outputs)


def signed_max_error(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> IntArray:
    """Return the largest count error at any place, max_i (c_i - c_{s_i}), never negative.

    The loss of the joint mechanisms; arguments as `linf_error`.

    Examples
    --------
    >>> from dptopk import ItemCounts, signed_max_error
    >>> signed_max_error(ItemCounts([10, 5, 1]), [[0, 1], [1, 0], [2, 0]]).tolist()
    [0, 5, 9]
    """
    return _whole("signed_max", counts, samples, outputs)


def items_right(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> IntArray:
    """Return the number of true top-k items in the output, at whatever place, from 0 to k.

    Items tied with the k-th count are interchangeable: of them as many count as the top k has.
    An empty place is never right.  Arguments as `linf_error`; in items, not in users.

    Examples
    --------
    >>> from dptopk import ItemCounts, items_right
    >>> items_right(ItemCounts([10, 5, 1]), [[0, 1], [1, 0], [2, 0]]).tolist()
    [2, 2, 1]
    """
    return _whole("items_right", counts, samples, outputs)


def linf_error_index(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
    *,
    signed: bool = False,
) -> IntArray:
    """Return the first place, from 0, at which the largest error is attained.

    Other arguments as `linf_error`.

    Parameters
    ----------
    signed : bool
        Whether the error is c_i - c_{s_i}, as in the authors' code for Figure 2 of the paper
        (google-research, dp_topk), which overlooks places where a larger item came out; by
        default abs(c_i - c_{s_i}), as in Definition 2.2.  The two may differ where items of the top
        k changed places.

    Examples
    --------
    >>> from dptopk import ItemCounts, linf_error_index
    >>> linf_error_index(ItemCounts([10, 5, 1]), [[0, 2], [2, 0]]).tolist()
    [1, 0]
    """
    return _whole("signed_index" if signed else "linf_index", counts, samples, outputs)


def count_given_up(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> IntArray:
    """Return c_i - c_{s_i} at every place, shape (n, k); negative where a larger item came out."""
    check_counts("counts", counts)
    kind = kind_of(outputs)
    samples = kind.check("samples", samples, counts.d)
    released = released_counts(counts, kind.aligned(counts, samples))
    return counts.sorted.padded_top(samples.shape[1]) - np.maximum(released, 0)


def is_exact_sequence(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> BoolArray:
    """Return whether the true top k came out in order, up to ties; bool, shape (n,)."""
    return _is_exact_sequence(
        count_given_up(counts, samples, outputs), _n_empty(samples), kind_of(outputs)
    )


def is_exact_set(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> BoolArray:
    """Return whether the true top k came out in any order, up to ties; bool, shape (n,)."""
    return _is_exact_set(_compared(counts, samples, outputs))


def all_errors(
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs = SEQUENCE,
) -> dict[str, NumberArray | BoolArray]:
    """Return all metrics by key, with ``exact_sequence`` and ``exact_set``, each of shape (n,)."""
    compared = _compared(counts, samples, outputs)
    given_up, empty = compared.given_up, compared.n_empty
    possible = Possible.of(counts.sorted, given_up.shape[1], kind_of(outputs))
    return {key: metric.reduced(compared, possible) for key, metric in METRICS.items()} | {
        "exact_sequence": _is_exact_sequence(given_up, empty, kind_of(outputs)),
        "exact_set": _is_exact_set(compared),
    }


def _whole(
    key: str,
    counts: ItemCounts | SortedCounts,
    samples: npt.ArrayLike,
    outputs: OutputKind | HasOutputs,
) -> IntArray:
    return METRICS[key].compute(counts, samples, outputs).astype(np.int64, copy=False)


def _n_empty(samples: npt.ArrayLike) -> IntArray:
    return np.asarray((np.asarray(samples) == NOTHING).sum(axis=1))


def _is_exact_sequence(given_up: IntArray, n_empty: IntArray, outputs: OutputKind) -> BoolArray:
    """Return whether each output is the true top k in order; never for a set."""
    if not outputs.ordered:
        return np.zeros(len(given_up), dtype=bool)
    right: BoolArray = (given_up == 0).all(axis=1) & (n_empty == 0)
    return right


def _is_exact_set(seen: "Compared") -> BoolArray:
    """Return whether each output is a true top k: only such a set reaches its total count."""
    right: BoolArray = (seen.total(seen.given_up) == 0) & (seen.n_empty == 0)
    return right


@dataclass(frozen=True)
class Compared:
    """Outputs compared with the true top k."""

    given_up: IntArray  # (n, k), true count minus the released item's, place by place
    top: IntArray  # (k,), the true top counts
    n_empty: IntArray  # (n,), empty places of each output

    def total(self, amounts: IntArray) -> NumberArray:
        """Return the sum of each row of differences of counts."""
        return added_up(lambda part: part.sum(axis=1), amounts, self.top)


def added_up(add: Callable[[IntArray], IntArray], amounts: IntArray, top: IntArray) -> NumberArray:
    """Return sums of differences of counts, at most one for each of the top: int64 if they fit.

    Else float64, as near as it comes: both halves are summed without error, and rounded once.
    """
    if top.size * int(top[0]) < 2**63:
        return add(amounts)
    halves = add(amounts >> 32), add(amounts & (2**32 - 1))
    return halves[0] * np.float64(2**32) + halves[1]


class Kind(Enum):
    """Type of the values of a measure; it decides their words and axes."""

    COUNTS = "differences of counts, integers in the unit of the data"
    PLACES = "places: where, not how much"
    NUMBERS = "whole numbers of something else"
    SCORES = "real numbers"


class Law(StrEnum):
    """Errors whose exact law a mechanism may know; each value is the key of its measure."""

    LINF = "linf"
    L1 = "l1"
    K_RELATIVE = "k_relative"
    SIGNED_MAX = "signed_max"
    ITEMS_RIGHT = "items_right"


@dataclass(frozen=True)
class Possible:
    """Outputs that are possible on given data, as far as the ranges of measures depend on them."""

    top: IntArray  # (k,), the true top counts, in users
    smallest: int  # smallest count that may stand at a place; 0 where a place may stay empty
    short: bool  # True if fewer than k items may come out

    @property
    def k(self) -> int:
        """Number of places."""
        return self.top.size

    @classmethod
    def of(cls, counts: SortedCounts, k: int, outputs: OutputKind) -> "Possible":
        """Return the possible outputs of k items."""
        smallest = 0 if outputs.short else int(counts.values[-1])
        return cls(counts.padded_top(k), smallest, outputs.short)


Range = Callable[[Possible], tuple[float, float]]
"""The smallest and the largest value that a measure can have."""


@dataclass(frozen=True)
class Metric:
    """Measure of outputs, with its direction, range and the words for it."""

    key: str  # in tables, links, settings files and targets
    title: str  # as in the middle of a sentence
    unit: str  # of its values, in the plural; of ``Kind.SCORES`` their range
    meaning: str  # completes "the title is ..."
    # of all outputs beside the truth, (n,): int64, or float64 of ``Kind.SCORES``
    reduce: Callable[[Compared], NumberArray]
    bounds: Range  # over all outputs, never too narrow; of ``Kind.PLACES`` as `counted_from_1`
    kind: Kind = Kind.COUNTS
    more_is_better: bool = False
    # if so, the right answer is the true top k in order, else in any order, and sequences and sets
    # cannot be ranked together
    sees_order: bool = True
    # value of the right answer, by k: the best that it can be
    right: Callable[[int], float] = lambda k: 0
    bounds_of_wrong: Range | None = None  # over all outputs but the right answer, if narrower
    # smallest and largest target that makes sense, by k
    allowed: Callable[[int], tuple[float, float]] = lambda k: (0, MAX_COUNT)
    law: Law | None = None  # which exact law is its own, if mechanisms may know one
    place_of: str = ""  # of ``Kind.PLACES`` the key of the error whose place it is
    # mechanisms that order items by noisy counts may keep to a bound on it less often at a larger
    # epsilon, on some data
    falls_under_noise: bool = False
    article: str = "a"  # of its title

    @property
    def in_counts(self) -> bool:
        """True for a difference of counts, in users or in another unit of the data."""
        return self.kind is Kind.COUNTS

    @property
    def is_place(self) -> bool:
        """True for a place (a position in the output), not an amount."""
        return self.kind is Kind.PLACES

    @property
    def is_score(self) -> bool:
        """True for real numbers; False for whole ones."""
        return self.kind is Kind.SCORES

    @property
    def unit_of_estimates(self) -> str:
        """Unit by which an `Estimate` writes its values."""
        return SCORE if self.is_score else self.unit

    @property
    def is_scored(self) -> bool:
        """True for a real-valued score of which larger values are better."""
        return self.is_score and self.more_is_better

    @property
    def is_averaged(self) -> bool:
        """True if runs are summarized by their mean; False if by their median.

        Errors have long tails; what is the better the more there is of it ends at the right answer.
        """
        return self.more_is_better

    @property
    def superlative(self) -> str:
        """Words before the title where the best median is named."""
        if not self.more_is_better:
            return "Smallest median"
        return "Largest median" if self.is_score else "Most"

    def counted_in(self, unit: str) -> "Metric":
        """Return this measure with another unit (plural), if it is a difference of counts."""
        return replace(self, unit=unit) if self.in_counts else self

    def compute(
        self,
        counts: ItemCounts | SortedCounts,
        samples: npt.ArrayLike,
        outputs: OutputKind | HasOutputs = SEQUENCE,
    ) -> NumberArray:
        """Compute the measure of each release; arguments as `linf_error`."""
        seen = _compared(counts, samples, outputs)
        return self.reduced(seen, Possible.of(counts.sorted, seen.top.size, kind_of(outputs)))

    def reduced(self, seen: Compared, possible: Possible) -> NumberArray:
        """Return ``reduce`` of outputs; what another's returns is checked against its bounds."""
        values = self.reduce(seen)
        if self.reduce.__module__ == __name__:
            return values
        values = np.asarray(values)
        low, high = self.bounds(possible)
        wrong = ""
        if values.shape != seen.n_empty.shape:
            wrong = f"shape {values.shape}"
        elif values.dtype.kind not in "iuf":
            wrong = f"dtype {values.dtype}"
        else:  # rounding may pass a bound
            right = np.isfinite(values) & (values >= low - 1e-9) & (values <= high + 1e-9)
            wrong = "" if right.all() else str(values[np.argmin(right)])
        if wrong:
            raise validation.ReturnedError(
                f"reduce of the metric {self.key} must return {seen.n_empty.size:,} finite "
                f"numbers, one for each output, within its bounds [{low:g}, {high:g}], got {wrong}"
            )
        return values

    def range(
        self,
        counts: ItemCounts | SortedCounts,
        k: int,
        outputs: OutputKind,
        *,
        wrong: bool = False,
    ) -> tuple[float, float]:
        """Return the smallest and largest possible value; of wrong outputs only, if ``wrong``."""
        possible = Possible.of(counts.sorted, k, outputs)
        bounds = self.bounds_of_wrong if wrong and self.bounds_of_wrong else self.bounds
        return bounds(possible)

    def reaches(self, values: npt.ArrayLike, target: float) -> BoolArray:
        """Return whether values are at least as good as a target."""
        values = np.asarray(values)
        reached: BoolArray = values >= target if self.more_is_better else values <= target
        return reached

    def checked_target(self, value: object, k: int) -> float:
        """Return ``target`` if it is one that this measure can have for k items."""
        low, high = self.allowed(k)
        if self.more_is_better and not self.is_score:
            return validation.integer(self.key, value, int(low), int(high))
        least = "smallest" if self.more_is_better else "largest"
        return validation.within(f"{least} {self.key}", value, low, high)

    def counted_from_1(self, values: npt.ArrayLike, errors: npt.ArrayLike) -> IntArray:
        """Return places counted from 1, with 0 where the error at that place is not positive."""
        return np.where(np.asarray(errors) > 0, np.asarray(values) + 1, 0)


def _n_right(seen: Compared) -> IntArray:
    """Count the items of each output that belong to a true top k, up to ties."""
    released, last = seen.top - seen.given_up, seen.top[-1]
    tied = (released == last).sum(axis=1) - (seen.n_empty if last == 0 else 0)
    right: IntArray = (released > last).sum(axis=1) + np.minimum(tied, (seen.top == last).sum())
    return right


def _jaccard(seen: Compared) -> FloatArray:
    """Return the Jaccard index z / (k + r - z) for r released items, z of them right."""
    right, released = _n_right(seen), seen.top.size - seen.n_empty
    index: FloatArray = right / (seen.top.size + released - right)
    return index


def _ndcg(seen: Compared) -> FloatArray:
    """Return sum_i c_{s_i} / log2(1 + i) over sum_i c_i / log2(1 + i); 1 where no count is lost."""
    discount = np.log2(2.0 + np.arange(seen.top.size))
    gained = ((seen.top - seen.given_up) / discount).sum(axis=1)
    ideal = (seen.top / discount).sum() or 1.0  # of no users nothing can be given up
    no_loss = (seen.given_up == 0).all(axis=1)
    return np.where(no_loss, 1.0, np.minimum(gained / ideal, 1.0))


def _discordant(seen: Compared) -> IntArray:
    """Return K^(0) of each output against all items by count, with ties broken in its favor.

    Of items tied with the k-th those belong to the top that came out first.  A pair is discordant
    if the smaller count came out first, or came out where the larger did not; of two items that
    are both in one of the lists only nothing is known.
    """
    k = seen.top.size
    pairs = np.zeros(seen.n_empty.size, dtype=np.int64)
    wrong = np.flatnonzero((seen.given_up != 0).any(axis=1) | (seen.n_empty > 0))
    at_once = max(1, _PAIRS // k**2)
    for begin in range(0, wrong.size, at_once):
        rows = wrong[begin : begin + at_once]
        released = seen.top - seen.given_up[rows]
        released[np.arange(k) >= k - seen.n_empty[rows, None]] = NOTHING  # an item behind all
        pairs[rows] = _discordant_pairs(seen.top, released)
    return pairs


def _discordant_pairs(top: IntArray, released: IntArray) -> IntArray:
    """Return K^(0) from the true and the released counts at each place, shape (n, k)."""
    k, last = top.size, top[-1]
    tied, below = released == last, released < last
    foreign = below | (tied & (np.cumsum(tied, axis=1) > (top == last).sum()))
    larger = released[:, None, :] > released[:, :, None]  # [of each row, than that at, at]
    later = np.triu(np.ones((k, k), dtype=bool), 1)
    known = ~(foreign[:, :, None] & foreign[:, None, :])
    out_of_order = (larger & later & known).sum(axis=(1, 2))
    above = np.searchsorted(-top, -released, side="left")  # how many of the top are larger
    missing = np.where(below, k - (~foreign).sum(axis=1, keepdims=True), above - larger.sum(axis=2))
    pairs: IntArray = out_of_order + missing.sum(axis=1)
    return pairs


_PAIRS = 4_000_000  # that are compared at once


def _at_a_place(possible: Possible) -> tuple[int, int]:
    return 0, int(possible.top[0]) - possible.smallest


def _in_the_sum(possible: Possible) -> tuple[int, int]:
    return 0, possible.k * _at_a_place(possible)[1]


def _wrong_by_one(bounds: Range) -> Range:
    """Return the range of wrong outputs: at least 1, or 0 where a missing item may have count 0."""

    def of_wrong(possible: Possible) -> tuple[float, float]:
        least = 0 if possible.short else 1
        return least, max(least, bounds(possible)[1])

    return of_wrong


def _jaccard_of_one_wrong(possible: Possible) -> float:
    """Return the Jaccard index of an output with one place wrong, or empty if it may be."""
    k = possible.k
    return (k - 1) / (k if possible.short else k + 1)


PLACE_UNIT = "place, from 0"
"""Unit of the metrics that say where and not how much: not defined where nothing is wrong."""


def _places(possible: Possible) -> tuple[int, int]:
    return 0, possible.k


METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "linf",
            "maximum error (ℓ∞)",
            COUNT_UNIT,
            "the largest absolute difference at any place between the true count and the released "
            "item's",
            lambda seen: np.abs(seen.given_up).max(axis=1),
            _at_a_place,
            bounds_of_wrong=_wrong_by_one(_at_a_place),
            law=Law.LINF,
        ),
        Metric(
            "l1",
            "total error (ℓ1)",
            COUNT_UNIT,
            "the sum over all places of the absolute difference between the true count and the "
            "released item's",
            lambda seen: seen.total(np.abs(seen.given_up)),
            _in_the_sum,
            bounds_of_wrong=_wrong_by_one(_in_the_sum),
            law=Law.L1,
            falls_under_noise=True,
        ),
        Metric(
            "k_relative",
            "k-relative error",
            COUNT_UNIT,
            "the true k-th count minus the smallest true count of a released item",
            lambda seen: seen.top[-1] - (seen.top - seen.given_up).min(axis=1),
            lambda possible: (0, int(possible.top[-1]) - possible.smallest),
            sees_order=False,
            law=Law.K_RELATIVE,
        ),
        Metric(
            "signed_max",
            "signed maximum error",
            COUNT_UNIT,
            "the largest difference at any place, with its sign, between the true count and the "
            "released item's: the loss in Joint and PNFJoint",
            lambda seen: seen.given_up.max(axis=1),
            _at_a_place,
            bounds_of_wrong=_wrong_by_one(_at_a_place),
            law=Law.SIGNED_MAX,
        ),
        Metric(
            "linf_index",
            "place of the maximum",
            PLACE_UNIT,
            "the first place at which the maximum error is attained",
            lambda seen: np.abs(seen.given_up).argmax(axis=1),
            _places,
            Kind.PLACES,
            bounds_of_wrong=_wrong_by_one(_places),
            place_of="linf",
        ),
        Metric(
            "signed_index",
            "place of the signed maximum",
            PLACE_UNIT,
            "the first place at which the signed maximum error is attained; the authors' code "
            "uses it for the paper's Figure 2, plotted there as 1 if there is no error",
            lambda seen: seen.given_up.argmax(axis=1),
            _places,
            Kind.PLACES,
            bounds_of_wrong=_wrong_by_one(_places),
            place_of="linf",
        ),
        Metric(
            "items_right",
            "items right",
            "items",
            "the number of items of the true top k that are released, at any place; more is better",
            _n_right,
            lambda possible: (0, possible.k),
            Kind.NUMBERS,
            more_is_better=True,
            sees_order=False,
            right=lambda k: k,
            bounds_of_wrong=lambda possible: (0, possible.k - 1),
            allowed=lambda k: (1, k),
            law=Law.ITEMS_RIGHT,
            article="",
        ),
        Metric(
            "kendall",
            "Kendall tau distance",
            "pairs",
            "the number of pairs of items whose order differs from that of the true top k, where "
            "an item that is not released ranks below all that are (Fagin, Kumar, Sivakumar "
            "2003, K with penalty 0)",
            _discordant,
            lambda possible: (0, possible.k**2),
            Kind.NUMBERS,
            bounds_of_wrong=lambda possible: (1, possible.k**2),
            allowed=lambda k: (0, k**2),
        ),
        Metric(
            "ndcg",
            "NDCG",
            "from 0 to 1",
            "the sum of the released items' counts, that of place i divided by log2(1 + i), as a "
            "share of the largest that is possible (normalised discounted cumulated gain: "
            "Järvelin, Kekäläinen 2002; gains are counts); more is better",
            _ndcg,
            lambda possible: (0.0, 1.0),
            Kind.SCORES,
            more_is_better=True,
            right=lambda k: 1.0,
            allowed=lambda k: (0, 1),
            article="an",
        ),
        Metric(
            "jaccard",
            "Jaccard index",
            "from 0 to 1",
            "the number of released items that belong to the true top k, as a share of all items "
            "in either (Jaccard 1912); more is better",
            _jaccard,
            lambda possible: (0.0, 1.0),
            Kind.SCORES,
            more_is_better=True,
            sees_order=False,
            right=lambda k: 1.0,
            bounds_of_wrong=lambda possible: (0.0, _jaccard_of_one_wrong(possible)),
            allowed=lambda k: (0, 1),
        ),
    )
}
"""Every metric by its key, which is also its column in trial results."""

EXACT_SET = "exact_set"
MEASURES = (*(key for key, metric in METRICS.items() if not metric.is_place), EXACT_SET)
"""Scores that rank mechanisms: the median of an error, the mean of a measure of which more is
better, or the probability that the true top k come out in any order ("exact_set")."""


def add_metric(metric: Metric) -> None:
    """Add a measure to `METRICS` and `MEASURES`, before other modules make settings of them."""
    global MEASURES
    METRICS[metric.key] = metric
    if not metric.is_place and metric.key not in MEASURES:
        MEASURES = (*MEASURES[:-1], metric.key, EXACT_SET)


USUAL = METRICS["linf"]
"""The measure that is taken where nobody chose one."""

ITEMS_RIGHT = METRICS["items_right"]
"""The measure that every summary tells beside the one that is asked for."""


def _compared(
    counts: ItemCounts | SortedCounts, samples: npt.ArrayLike, outputs: OutputKind | HasOutputs
) -> Compared:
    given_up = count_given_up(counts, samples, outputs)
    return Compared(given_up, counts.sorted.padded_top(given_up.shape[1]), _n_empty(samples))
