"""The exact privacy loss: two neighbouring data sets, output by output.

For d <= 8 every data set that differs in one user can be listed, and the exact pmf on
each compared.  The largest loss over all of them proves (or refutes) a pure guarantee
on that data set, and its size tells how much of epsilon is used; for (epsilon, delta)
the hockey-stick divergence is compared with delta.  No simulation is involved.  Of a
mechanism that releases noisy counts too, the loss is that of the items alone.

Logarithms are floats of 53 bits.  Where both probabilities of an output lie below e^-2^20, as
happens behind gaps of millions of noise scales, nine digits of their difference are not exact
any more: such outputs are left out, and counted.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk import _validate
from dptopk._types import BoolArray, FloatArray
from dptopk.counts import ItemCounts
from dptopk.distribution import check_item_counts, check_small
from dptopk.mechanisms import Mechanism
from dptopk.neighboring import neighbor_changes
from dptopk.privacy import NeighborRelation

FAINTEST = -(2.0**20)
"""Log probability below which the difference of two is not exact to nine digits."""


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
    n_faint : int
        How many outputs were left out, on the neighbour with most of them, because both
        probabilities are below e^`FAINTEST`.
    """

    value: float
    neighbour: ItemCounts
    output: tuple[int, ...]
    reversed: bool
    n_faint: int = 0

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
        where an output is impossible on one data set only, 0 where it is on both, and not a
        number where it is possible on both with probabilities below e^`FAINTEST`.

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
        output = int(np.nanargmax(np.abs(loss)))
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
    worst, n_faint = changes[0], 0
    for number, change in enumerate(changes, 1):
        there = mechanism.log_pmf(ItemCounts(counts.counts + change), every)
        found = compare(here, there)
        n_faint = max(n_faint, int(_faint(here, there).sum()))
        if found[0] > best[0] + 1e-12:  # ties differ by rounding only
            best, worst = found, change
        if progress is not None:
            progress(number / len(changes))
    value, output, reversed_ = best
    neighbour = ItemCounts(counts.counts + worst, counts.items)
    return WorstCase(value, neighbour, tuple(every[output].tolist()), reversed_, n_faint)


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
    loss = np.nan_to_num(_loss(here, there), nan=0.0, posinf=np.inf, neginf=-np.inf)
    excesses: FloatArray = np.exp(here) * -np.expm1(np.minimum(epsilon - loss, 0.0))
    return excesses


def _loss(here: FloatArray, there: FloatArray) -> FloatArray:
    """Log P - log P'; infinite where one is impossible, 0 where both are, nan where faint."""
    never = np.isneginf(here) & np.isneginf(there)
    loss: FloatArray = np.subtract(here, there, where=~never, out=np.zeros_like(here))
    loss[_faint(here, there)] = np.nan
    return loss


def _faint(here: FloatArray, there: FloatArray) -> BoolArray:
    """Outputs that are possible on both, and whose difference of logarithms is not exact."""
    lower = np.minimum(here, there)
    return (lower < FAINTEST) & np.isfinite(lower)
