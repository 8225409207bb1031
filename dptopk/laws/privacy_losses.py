"""Exact privacy losses and hockey-stick divergences over all neighboring data sets.

For d <= 8 every data set that differs in one user can be listed, and the exact pmf on
each compared.  The largest loss over all of them proves (or refutes) a pure guarantee
on that data set, and its size tells how much of epsilon is used; for (epsilon, delta)
the hockey-stick divergence is compared with delta.  No simulation is involved.  Of a
mechanism that releases noisy counts too, the loss is that of the items alone.

Logarithms are floats of 53 bits.  Where a probability of an output lies below e^(-2^20 epsilon),
as happens behind gaps of millions of noise scales, nine digits of epsilon are not exact any more in
the difference of two: such outputs are left out, and counted, but for those whose loss is far above
epsilon.  At a tiny epsilon, where hardly any would be left, those are kept that lie above e^-64: a
loss is exact to `ROUNDING` there.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.outputs import NOTHING
from dptopk.core.privacy import NeighborRelation
from dptopk.laws.distribution import check_small
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.base import check_total

MAX_ITEMS_FOR_NEIGHBORS = 8
"""Most items for which all neighbours are written out (3^8 - 1 under swap)."""


def neighbor_changes(
    counts: ItemCounts, neighbors: NeighborRelation, max_items: int | None = None
) -> IntArray:
    """List all changes of the counts that one user can make, shape (n_changes, d).

    Add/remove: all 0/1 vectors but zero, and their negatives where no count falls
    below 0.  Swap: all vectors of -1, 0, 1 but zero, likewise.  Counts stay within what
    `ItemCounts` accepts.  With ``max_items`` no user counts for more items than that.

    Raises
    ------
    ValueError
        For more than 8 items.
    """
    validation.instance("counts", counts, ItemCounts)
    neighbors = validation.member("neighbors", neighbors, NeighborRelation)
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
        validation.integer("max_items", max_items, low=1)
        changes = changes[most_items(changes) <= max_items]
    changed = counts.counts + changes
    allowed = ((changed >= 0) & (changed <= validation.MAX_COUNT)).all(axis=1)
    kept: IntArray = changes[allowed]
    return kept


def most_items(changes: IntArray) -> IntArray:
    """Return the number of items of the larger user involved in each change, shape (n,)."""
    most: IntArray = np.maximum((changes > 0).sum(axis=-1), (changes < 0).sum(axis=-1))
    return most


def neighboring_counts(
    counts: ItemCounts, neighbors: NeighborRelation, max_items: int | None = None
) -> list[ItemCounts]:
    """List all data sets that differ from ``counts`` in one user.

    Examples
    --------
    >>> from dptopk import ItemCounts, NeighborRelation, neighboring_counts
    >>> neighbors = neighboring_counts(ItemCounts([2, 0]), NeighborRelation.ADD_REMOVE)
    >>> [one.counts.tolist() for one in neighbors]
    [[2, 1], [3, 0], [3, 1], [1, 0]]
    """
    return [
        ItemCounts(counts.counts + change, counts.items)
        for change in neighbor_changes(counts, neighbors, max_items)
    ]


ROUNDING = 2e-14
"""Absolute rounding error of a privacy loss, in natural-log units, beside 1e-9 of epsilon."""

_FAINT, _NEVER_FAINT = 2.0**20, 64.0  # of minus a log probability: in epsilons, and at least
_ULPS = 2.0**-49  # sixteen, of a log probability: what its last digits may be off
_MOST_KEPT = 10_000_000  # log probabilities, of all data sets together
_PLAIN = 2.0**30  # of minus a log probability, in losses: their difference has seven digits


@overload
def within(loss: float, epsilon: float) -> bool: ...
@overload
def within(loss: FloatArray, epsilon: float) -> BoolArray: ...
def within(loss: float | FloatArray, epsilon: float) -> bool | BoolArray:
    """Return whether a loss is at most epsilon, up to a relative 1e-9 and `ROUNDING`."""
    return loss <= epsilon * (1 + 1e-9) + ROUNDING


@dataclass(frozen=True)
class WorstCase:
    """Neighbor and output at which a guarantee is closest to its limit.

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
    n_faint : int
        How many outputs were left out, on the neighbour with most of them, because floats hold
        no exact difference of logarithms of so small probabilities.
    """

    value: float
    neighbour: ItemCounts
    output: tuple[int, ...]
    reversed: bool
    n_faint: int = 0

    def __iter__(self) -> Iterator[Any]:
        """Unpack as (value, neighbour, output)."""
        return iter((self.value, self.neighbour, self.output))


def privacy_loss(counts: ItemCounts, mechanism: Mechanism, neighbour: ItemCounts) -> FloatArray:
    """Compute the loss log P(s | counts) - log P(s | neighbour) of every output s.

    Parameters
    ----------
    counts, neighbour : ItemCounts
        Two data sets on the same items, in any order, at most 50,000 possible outputs.  Counts
        without names of their own are taken in the order of the others.
    mechanism : Mechanism
        The mechanism.

    Returns
    -------
    numpy.ndarray of float64, shape (m,)
        Natural-log units, for outputs in the order of ``mechanism.outputs.every``; infinite
        where an output is impossible on one data set only, 0 where it is on both, and NaN
        where it is possible on both, too faintly for an exact difference.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, privacy_loss
    >>> counts, neighbour = ItemCounts([5, 3]), ItemCounts([4, 3])
    >>> privacy_loss(counts, Joint(1, 1.0), neighbour).round(3).tolist()
    [0.161, -0.339]
    """
    return _loss(*_both(mechanism, counts, neighbour), mechanism.guarantee.epsilon)


def hockey_stick(
    counts: ItemCounts, mechanism: Mechanism, neighbour: ItemCounts, epsilon: float
) -> float:
    """Compute the hockey-stick divergence, sum over s of max(P(s) - e^epsilon P'(s), 0).

    A mechanism is (epsilon, delta)-DP when this is at most delta for all neighbours, in
    both directions (Dwork, Roth 2014, Definition 2.4).  Arguments as `privacy_loss`;
    ``epsilon`` is at least 0.  An output adds nothing whose loss is above epsilon by no more than
    the last digits of its log probabilities, 2^-49 of them: where a mechanism spends epsilon to
    the full, these alone would add up to a multiple of a delta of 1e-30.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, hockey_stick
    >>> counts, neighbour = ItemCounts([5, 3]), ItemCounts([4, 3])
    >>> hockey_stick(counts, Joint(1, 1.0), neighbour, epsilon=1.0)
    0.0
    """
    epsilon = validation.non_negative("epsilon", epsilon)
    return _excess(*_both(mechanism, counts, neighbour), epsilon, mechanism.guarantee.epsilon)


def privacy_profile(
    counts: ItemCounts, mechanism: Mechanism, neighbour: ItemCounts, epsilons: Iterable[float]
) -> FloatArray:
    """Compute the larger hockey-stick divergence of both directions at each epsilon, from 0 on.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, privacy_profile
    >>> counts, neighbour = ItemCounts([5, 3]), ItemCounts([4, 3])
    >>> privacy_profile(counts, Joint(1, 1.0), neighbour, [0.0, 0.1]).round(4).tolist()
    [0.1086, 0.0803]
    """
    here, there = _both(mechanism, counts, neighbour)
    epsilons = [validation.non_negative("epsilons", float(epsilon)) for epsilon in epsilons]
    promised = mechanism.guarantee.epsilon
    return np.array(
        [
            max(_excess(here, there, e, promised), _excess(there, here, e, promised))
            for e in epsilons
        ]
    )


@dataclass(frozen=True)
class RocCurve:
    """Exact ROC curve of the best test between two data sets, given one release.

    Attributes
    ----------
    false_positive, true_positive : numpy.ndarray of float64, shape (m + 1,)
        Probability of naming the data although it is the neighbour, and if it is the data, as
        more and more outputs are taken as a sign of the data, the most telling first; from 0 to 1.
    """

    false_positive: FloatArray
    true_positive: FloatArray


def roc_curve(counts: ItemCounts, mechanism: Mechanism, neighbour: ItemCounts) -> RocCurve:
    """Return the exact ROC curve of the best test of the data against the neighbour.

    It orders outputs by their likelihood ratio (Neyman and Pearson).  Under (epsilon, delta)-DP
    the curve lies below e^epsilon x + delta and below 1 - e^-epsilon (1 - x - delta) (Kairouz, Oh,
    Viswanath 2015, on differential privacy as hypothesis tests).  Arguments and errors as
    `privacy_loss`.

    Examples
    --------
    >>> from dptopk import EMPeel, ItemCounts
    >>> from dptopk.laws import roc_curve
    >>> curve = roc_curve(ItemCounts([5, 3]), EMPeel(1, 1.0), ItemCounts([4, 3]))
    >>> curve.true_positive.round(3).tolist(), curve.false_positive.round(3).tolist()
    ([0.0, 0.881, 1.0], [0.0, 0.731, 1.0])
    """
    here, there = _both(mechanism, counts, neighbour)
    possible = np.isfinite(here) | np.isfinite(there)
    here, there = here[possible], there[possible]
    order = np.argsort(there - here, kind="stable")
    sums = [np.append(0.0, np.exp(log_p[order]).cumsum()).clip(max=1.0) for log_p in (there, here)]
    return RocCurve(*sums)


def worst_case_loss(
    counts: ItemCounts,
    mechanism: Mechanism,
    neighbors: NeighborRelation | None = None,
    progress: Progress | None = None,
) -> WorstCase:
    """Compute the largest privacy loss over all neighbors and outputs, in both directions.

    Parameters
    ----------
    counts : ItemCounts
        The data, at most 8 items.
    mechanism : Mechanism
        The mechanism.
    neighbors : NeighborRelation, optional
        The change that is tried; left out, the one the mechanism protects.  Users count for
        as many items as its guarantee speaks of.
    progress : callable, optional
        Called with the share done, in (0, 1], after each neighbour.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, worst_case_loss
    >>> worst = worst_case_loss(ItemCounts([5, 3, 1]), Joint(1, 1.0))
    >>> round(worst.value, 3), worst.neighbour.counts.tolist()
    (0.464, [6, 4, 1])
    """

    def compare(here: FloatArray, there: FloatArray) -> tuple[float, int, bool]:
        loss = _loss(here, there, mechanism.guarantee.epsilon)
        output = int(np.nanargmax(np.abs(loss)))
        return float(abs(loss[output])), output, bool(loss[output] < 0)

    return _worst(mechanism, counts, neighbors, compare, progress)


def worst_case_hockey_stick(
    counts: ItemCounts,
    mechanism: Mechanism,
    epsilon: float,
    neighbors: NeighborRelation | None = None,
    progress: Progress | None = None,
) -> WorstCase:
    """Compute the largest hockey-stick divergence over all neighbors, in both directions.

    The output of the result is the one that adds most.  Arguments and errors as
    `worst_case_loss`.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, worst_case_hockey_stick
    >>> worst = worst_case_hockey_stick(ItemCounts([5, 3, 1]), Joint(1, 1.0), epsilon=0.5)
    >>> round(worst.value, 3)
    0.0
    """
    epsilon = validation.non_negative("epsilon", epsilon)

    def compare(here: FloatArray, there: FloatArray) -> tuple[float, int, bool]:
        promised = mechanism.guarantee.epsilon
        forward = _excess(here, there, epsilon, promised)
        backward = _excess(there, here, epsilon, promised)
        if backward > forward:
            here, there = there, here
        output = int(_excesses(here, there, epsilon, promised).argmax())
        return max(forward, backward), output, backward > forward

    return _worst(mechanism, counts, neighbors, compare, progress)


def _worst(
    mechanism: Mechanism,
    counts: ItemCounts,
    neighbors: NeighborRelation | None,
    compare: Callable[[FloatArray, FloatArray], tuple[float, int, bool]],
    progress: Progress | None,
) -> WorstCase:
    """Return the first maximum of ``compare`` over all neighbors."""
    check_small(mechanism, counts)
    neighbors = mechanism.neighbors if neighbors is None else neighbors
    changes = neighbor_changes(counts, neighbors, mechanism.guarantee.max_items)
    every = mechanism.outputs.every(counts.d, mechanism.k)
    law_on = _law_on(mechanism, every, counts.d, n_data=len(changes))
    here = law_on(counts)
    best = (-1.0, 0, False)
    worst, n_faint = changes[0], 0
    for number, change in enumerate(changes, 1):
        there = law_on(ItemCounts(counts.counts + change))
        comparison = compare(here, there)
        n_faint = max(n_faint, int(_faint(here, there, mechanism.guarantee.epsilon).sum()))
        if comparison[0] > best[0] + 1e-12:  # ties differ by rounding only
            best, worst = comparison, change
        if progress is not None:
            progress(number / len(changes))
    value, output, reversed_ = best
    neighbour = ItemCounts(counts.counts + worst, counts.items)
    return WorstCase(value, neighbour, tuple(every[output].tolist()), reversed_, n_faint)


def _law_on(
    mechanism: Mechanism, every: IntArray, d: int, n_data: int
) -> Callable[[ItemCounts], FloatArray]:
    """Return a function for the log probabilities of every output on data sets of d items.

    A law knows items by their rank alone, so data sets with equal sorted counts share one; a
    mechanism that overrides `Mechanism.log_pmf` may know them by their position.
    """
    if n_data * len(every) > _MOST_KEPT or type(mechanism).log_pmf is not Mechanism.log_pmf:
        return lambda counts: check_total(mechanism, mechanism.log_pmf(counts, every))
    weights = (d + 1) ** np.arange(mechanism.k)
    codes = (every + 1) @ weights
    order = np.argsort(codes)
    laws: dict[bytes, FloatArray] = {}

    def law_on(counts: ItemCounts) -> FloatArray:
        key = np.sort(counts.counts).tobytes()
        if key not in laws:
            laws[key] = check_total(mechanism, mechanism.log_pmf(counts.sorted, every))
        rank_at = np.append(counts.ranks_at(np.arange(d)), NOTHING)  # NOTHING, -1, is the last
        ranks = mechanism.outputs.canonical(rank_at[every])
        log_law: FloatArray = laws[key][order[np.searchsorted(codes[order], (ranks + 1) @ weights)]]
        return log_law

    return law_on


def _both(
    mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts
) -> tuple[FloatArray, FloatArray]:
    """Return the log probabilities of every output on both data sets."""
    validation.instance("neighbour", neighbour, ItemCounts)
    check_small(mechanism, counts)
    if neighbour.d != counts.d:
        raise ValueError(
            f"neighbour must have as many items as counts ({counts.d}), got {neighbour.d}"
        )
    every = mechanism.outputs.every(counts.d, mechanism.k)
    aligned = _in_order_of(counts, neighbour)
    here, there = (mechanism.log_pmf(data, every) for data in (counts, aligned))
    return check_total(mechanism, here), check_total(mechanism, there)


def _in_order_of(counts: ItemCounts, neighbour: ItemCounts) -> ItemCounts:
    """Return the neighbour with its items in the order of the counts."""
    if neighbour.items == counts.items:
        return neighbour
    place_of = {item: place for place, item in enumerate(neighbour.items)}
    missing = [item for item in counts.items if item not in place_of]
    if not missing:
        places = [place_of[item] for item in counts.items]
        return ItemCounts(neighbour.counts[places], counts.items)
    if ItemCounts(counts.counts).items in (counts.items, neighbour.items):  # without names
        return neighbour
    raise ValueError(
        f"neighbour must count the items of counts, in any order, got none named {missing[0]!r}: "
        "give an item that nobody has the count 0"
    )


def _excess(here: FloatArray, there: FloatArray, epsilon: float, promised: float) -> float:
    """Return the sum of max(P - e^epsilon P', 0), from log probabilities."""
    return float(_excesses(here, there, epsilon, promised).sum())


def _excesses(here: FloatArray, there: FloatArray, epsilon: float, promised: float) -> FloatArray:
    """Return max(P - e^epsilon P', 0) of every output, from log probabilities."""
    loss = np.nan_to_num(_loss(here, there, promised), nan=0.0, posinf=np.inf, neginf=-np.inf)
    excesses: FloatArray = np.exp(here) * -np.expm1(np.minimum(epsilon - loss, 0.0))
    lower = np.minimum(here, there)
    rounding = _ULPS * np.maximum(1.0, -lower, where=np.isfinite(lower), out=np.zeros_like(lower))
    excesses[loss <= epsilon + rounding] = 0.0  # a loss of epsilon itself, but for its last digits
    return excesses


def _loss(here: FloatArray, there: FloatArray, promised: float) -> FloatArray:
    """Return log P - log P': infinite if one is 0, 0 if both are, NaN if it is not exact."""
    never = np.isneginf(here) & np.isneginf(there)
    loss: FloatArray = np.subtract(here, there, where=~never, out=np.zeros_like(here))
    loss[_faint(here, there, promised)] = np.nan
    return loss


def _faint(here: FloatArray, there: FloatArray, promised: float) -> BoolArray:
    """Mark the outputs possible on both data sets whose difference of logarithms is not exact."""
    lower, upper = np.minimum(here, there), np.maximum(here, there)
    possible = np.isfinite(lower)
    loss = np.subtract(upper, lower, where=possible, out=np.zeros_like(here))
    exact = np.maximum(max(_NEVER_FAINT, _FAINT * promised), _PLAIN * loss)
    faint: BoolArray = possible & (-lower > exact)
    return faint
