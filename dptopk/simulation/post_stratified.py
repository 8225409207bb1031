"""Reweight simulated runs by the exact probability of a correct release (post-stratification).

Runs alone may give a median of 0 where fewer than half of all releases are right, as an exact
law tells.  Where that chance P is known, right releases are no longer counted: with F the
distribution of the runs that are not right,

    P(error <= x) = P + (1 - P) F(x),

so the quantile at q is 0, exactly, where q <= P; else it is the quantile of F at
(q - P) / (1 - P), with an interval from the order statistics of those runs alone.  By a measure
of which more is better a right release is the best of all, and not the least: there P stands at
the upper end.  What a right release is by a measure, and all others can be, the measure knows.
"""

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dptopk.core.array_types import BoolArray, FloatArray, NumberArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS, Possible
from dptopk.core.estimate import Estimate
from dptopk.laws.exact import QUICK
from dptopk.mechanisms import Mechanism, NoClosedFormError
from dptopk.simulation.trials import RIGHT, setting_columns, setting_key, setting_of

CONFIDENCE = 0.95
TWO_SIDED_Z = 1.959963984540054
"""Standard normal quantile of (1 + `CONFIDENCE`) / 2: to load scipy for it took 0.2 s."""

SEQUENCE, SET = RIGHT


@dataclass(frozen=True)
class Right:
    """Exact probability of right releases, with the possible values of all others."""

    column: str  # that of `run_trials` that says which runs are right
    probability: float
    value: float  # of the metric for them, the best that it can be
    least: float  # of all others
    most: float  # of all others

    @property
    def nearest(self) -> float:
        """Value next to the right one: the best of all other releases."""
        return self.least if self.value <= self.least else self.most

    def level_of_others(self, level: float) -> float | None:
        """Return a quantile's level among wrong releases; None if it is that of right ones."""
        others = 1 - self.probability
        if self.value <= self.least:
            return None if level <= self.probability else (level - self.probability) / others
        return None if level > others else level / others


def interval(values: NumberArray, level: float, low: float, high: float) -> tuple[float, float]:
    """Return order statistics that enclose a quantile with probability at least 95%.

    Where there are too few values for an end, it is the ``low`` or ``high`` given.
    """
    from scipy.special import bdtr  # slow to load

    n, tail = values.size, (1 - CONFIDENCE) / 2
    runs = np.arange(n)
    below = int(np.searchsorted(bdtr(runs, n, level), tail))
    above = int(np.searchsorted(bdtr(runs, n, 1 - level), tail))
    return (
        float(values[below - 1]) if below else float(low),
        float(values[n - above]) if above else float(high),
    )


def quantile(
    values: NumberArray,
    right: BoolArray,
    level: float,
    known: Right | None,
    possible: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Estimate a quantile of ascending ``values`` of runs, some of which are ``right``.

    Of fewer values than an interval takes it ends at what is ``known`` to be possible, else at the
    range of ``possible`` values of the metric.  Where no run is right and a wrong release has the
    quantile, wrong runs are all there are: nothing is reweighted.
    """
    at = known.level_of_others(level) if known else level
    if known is None or (at is not None and not right.any()):
        middle = float(np.quantile(values, level))
        if known is not None:
            possible = min(known.value, known.least), max(known.value, known.most)
        return Estimate(middle, *interval(values, level, *possible), values.size)
    if at is None:
        return Estimate(float(known.value), known.value, known.value)
    others = values[~right]
    low, high = interval(others, at, known.least, known.most)
    # at levels that are no round ones: values that occurred, not between them
    value = float(known.nearest)
    if others.size:
        value = float(np.quantile(others, at, method="averaged_inverted_cdf"))
    return Estimate(value, low, high, values.size)


def known_right(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    metric: str,
    shares: Mapping[str, Estimate],
) -> Right | None:
    """Return what exact chances of right releases imply for a metric; None if nothing.

    ``metric`` is a key of `errors.METRICS`, with places counted from 1 (`summaries.places_from_1`);
    ``shares`` are the exact probabilities of "exact_sequence" and "exact_set" that are known.
    """
    chances = {column: share.probability for column, share in shares.items()}
    return known_of_runs(counts, mechanism, metric, dict.fromkeys(RIGHT, True), chances.get)


def known_rights(
    counts: ItemCounts | SortedCounts,
    settings: Iterable[Mechanism],
    metric: str,
    trials: pd.DataFrame,
) -> dict[Mechanism, Right]:
    """Return `known_right` by setting of a sweep, where it is quick and some run is right.

    Where none is, runs of other releases are all there are, and their quantiles say as much.
    """
    ran = trials.groupby(list(setting_columns(trials)), sort=False, dropna=False)
    right = {setting_key(setting): rows.any() for setting, rows in ran[[*RIGHT]]}
    at = {mechanism: setting_key(setting_of(mechanism).values()) for mechanism in settings}
    seen = [
        (mechanism, tuple(bool(right[key][name]) for name in RIGHT))
        for mechanism, key in at.items()
        if key in right  # else stopped on the way
    ]
    return known_of_seen(counts, seen, metric)


def known_of_seen(
    counts: ItemCounts | SortedCounts,
    seen: Iterable[tuple[Mechanism, tuple[bool, ...]]],
    metric: str,
) -> dict[Mechanism, Right]:
    """Return `known_rights` from the columns of `RIGHT` in which any run of a setting is right."""
    right = {}
    for mechanism, happened in seen:
        columns, chances = dict(zip(RIGHT, happened, strict=True)), quick_chances(counts, mechanism)
        known = known_of_runs(counts, mechanism, metric, columns, chances)
        if known is not None:
            right[mechanism] = known
    return right


def known_of_runs(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    metric: str,
    seen: Mapping[str, bool],
    chance: Callable[[str], float | None],
) -> Right | None:
    """Return `known_right` of one setting, by the most informative column; None if no run is right.

    ``seen`` says by which columns any run was; ``chance`` gives exact chances: `quick_chances`.
    """
    measured, outputs = METRICS[metric], mechanism.outputs
    columns = (SET, SEQUENCE) if outputs.ordered else (SET,)
    if outputs.ordered and measured.sees_order:
        columns = (SEQUENCE,)
    for column in columns:
        if not seen[column]:
            return None
        probability = chance(column)
        if probability is not None:
            # an order that is not right may have no error by a metric that does not see it
            wrong = column == SET or measured.sees_order
            bounds = measured.range(counts.sorted, mechanism.k, outputs, wrong=wrong)
            return Right(column, probability, measured.right(mechanism.k), *bounds)
    return None


def quick_chances(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism
) -> Callable[[str], float | None]:
    """Return a function of the column that gives exact chances of right releases, cached."""

    @functools.cache
    def chance(column: str) -> float | None:
        """Return the exact chance of a right release; None if it is unknown or slow to compute."""
        work, law = mechanism.set_work, mechanism.log_probability_exact_set
        if column == SEQUENCE:
            work, law = mechanism.pmf_work, mechanism.log_probability_exact_sequence
        if work(counts.sorted) >= QUICK:
            return None
        with suppress(NoClosedFormError):  # the runs are what is known
            return math.exp(min(law(counts.sorted), 0.0))
        return None

    return chance


def held_mean(mean: Estimate, right: Right, chance: Estimate) -> Estimate:
    """Clip the mean of a score, and its interval, to the range implied by exact probabilities.

    With v the value of a right release, of probability p, and all others in [a, b], the mean is in
    [p v + (1 - p) a, p v + (1 - p) b].  Where the interval of the runs does not reach it, it stands
    alone.
    """
    least, most = implied_mean(right, chance)
    low, high = max(mean.low, least), min(mean.high, most)
    low, high = (low, high) if low <= high else (least, most)
    return replace(mean, value=min(max(mean.value, low), high), low=low, high=high)


def implied_mean(right: Right, chance: Estimate) -> tuple[float, float]:
    """Return the range of the mean of a score that exact probabilities imply."""
    value, wrong = right.value, -math.expm1(min(chance.log, 0.0))
    least = value * chance.probability + right.least * wrong
    most = value - (value - right.most) * wrong
    if chance.log_complement != -math.inf:  # not certain, or not known to be: not the best
        below = math.nextafter(value, -math.inf)
        least, most = min(least, below), min(most, below) if right.most < value else most
    return least, max(least, most)  # equal where a = b, but for rounding


def right_items(k: int, chance: Estimate) -> Right:
    """Return the range of the number of items right, given the chance of the right set."""
    possible = Possible(np.zeros(k, dtype=np.int64), 0, short=True)
    bounds = ITEMS_RIGHT.bounds_of_wrong or ITEMS_RIGHT.bounds
    return Right(SET, chance.probability, ITEMS_RIGHT.right(k), *bounds(possible))


_ROUNDING = 1e-12  # of sums of weights
_EXPECTED = 0.5  # runs from which on one might have been seen


@dataclass(frozen=True)
class Weighted:
    """Errors, ascending, with the share of all releases that each represents."""

    # what runs gave; what is known of right releases stands for all of them at once
    values: NumberArray
    weights: FloatArray  # together 1
    n: int  # runs they come from, without those that were right where their chance is known
    known: Right | None = None

    def quantiles(self, levels: FloatArray) -> NumberArray:
        """Return the smallest values whose cumulative weight reaches these levels."""
        reached = np.cumsum(self.weights)
        places = np.searchsorted(reached, levels - _ROUNDING)
        quantiles: NumberArray = self.values[np.minimum(places, self.values.size - 1)]
        return quantiles


def weighted(values: NumberArray, right: BoolArray, known: Right | None) -> Weighted:
    """Weight runs, some of which are ``right``, so that their quantiles agree with `quantile`.

    Right releases weigh as much as is ``known``, all others together the rest.  A kind that no run
    gave, nor was expected to, is left out.
    """
    n = values.size
    others = values if known is None else values[~right]
    ascending, weights = np.sort(others), np.full(others.size, 1 / max(1, others.size))
    if known is None:
        return Weighted(ascending, weights, n)
    rest = 1 - known.probability
    if not others.size and n * rest >= _EXPECTED:
        ascending, weights = np.array([known.nearest]), np.ones(1)
    if right.any() or n * known.probability >= _EXPECTED:
        ascending = np.append(ascending, known.value)
        weights = np.append(weights * rest, known.probability)
    order = np.argsort(ascending, kind="stable")
    return Weighted(
        ascending[order].astype(values.dtype), weights[order] / weights.sum(), others.size, known
    )


def run_weights(right: BoolArray, known: Right | None) -> FloatArray:
    """Return the weight of each run; equal weights without exact probabilities."""
    n, n_right = right.size, int(right.sum())
    if known is None or n_right in (0, n):
        return np.full(n, 1 / n)
    rest = 1 - known.probability
    return np.where(right, known.probability / n_right, rest / (n - n_right))
