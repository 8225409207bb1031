"""Quantiles of runs, held to the exact chance that a release is right.

Runs alone may give a median of 0 where fewer than half of all releases are right, as an exact
law tells.  Where that chance P is known, right releases are no longer counted: with F the
distribution of the runs that are not right,

    P(error <= x) = P + (1 - P) F(x),

so the quantile at q is 0, exactly, where q <= P; else it is the quantile of F at
(q - P) / (1 - P), with an interval from the order statistics of those runs alone.  By how many
items are right a right release is the best of all, and not the least: there P stands at the
upper end.
"""

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import bdtr

from dptopk._types import BoolArray, IntArray
from dptopk.counts import ItemCounts, SortedCounts
from dptopk.errors import METRICS, Metric
from dptopk.exact import QUICK
from dptopk.mechanisms import Chance, Mechanism, NoClosedFormError
from dptopk.trials import RIGHT, setting_columns, setting_key, setting_of

CONFIDENCE = 0.95
SEQUENCE, SET = RIGHT


@dataclass(frozen=True)
class Right:
    """What is known exactly of right releases, and of what all others can be.

    Attributes
    ----------
    column : {"exact_sequence", "exact_set"}
        The column of `trials.run_trials` that says which runs are right.
    probability : float
        Exact probability that a release is.
    value : int
        What the metric is then.
    least, most : int
        The smallest and the largest value that it can have else.
    """

    column: str
    probability: float
    value: int
    least: int
    most: int

    @property
    def nearest(self) -> int:
        """What is next to right: the best of all others."""
        return self.least if self.value <= self.least else self.most

    def level_of_others(self, level: float) -> float | None:
        """Which quantile of all others a quantile is; None where it is that of right releases."""
        others = 1 - self.probability
        if self.value <= self.least:
            return None if level <= self.probability else (level - self.probability) / others
        return None if level > others else level / others


@dataclass(frozen=True)
class Quantile:
    """A quantile with its 95% interval; ``exact`` where the runs had no say in it."""

    value: float
    low: float
    high: float
    exact: bool = False


def interval(values: IntArray, level: float, low: float, high: float) -> tuple[float, float]:
    """Order statistics of ascending values that enclose a quantile with probability 95% at least.

    Where there are too few values for an end, it is the ``low`` or ``high`` given.
    """
    n, tail = values.size, (1 - CONFIDENCE) / 2
    runs = np.arange(n)
    below = int(np.searchsorted(bdtr(runs, n, level), tail))
    above = int(np.searchsorted(bdtr(runs, n, 1 - level), tail))
    return (
        float(values[below - 1]) if below else float(low),
        float(values[n - above]) if above else float(high),
    )


def quantile(values: IntArray, right: BoolArray, level: float, known: Right | None) -> Quantile:
    """Estimate a quantile of ascending ``values`` of runs, of which some are ``right``.

    Without anything ``known``, and fewer values than an interval takes, that ends at the smallest
    or the largest of them; else it ends at what is possible at all.
    """
    if known is None:
        middle = float(np.quantile(values, level))
        return Quantile(middle, *interval(values, level, float(values[0]), float(values[-1])))
    at = known.level_of_others(level)
    if at is None:
        return Quantile(float(known.value), known.value, known.value, exact=True)
    others = values[~right]
    low, high = interval(others, at, known.least, known.most)
    # at levels that are no round ones: values that occurred, not between them
    found = float(known.nearest)
    if others.size:
        found = float(np.quantile(others, at, method="averaged_inverted_cdf"))
    return Quantile(found, low, high)


def known_right(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    metric: str,
    shares: Mapping[str, Chance],
) -> Right | None:
    """What exact chances of right releases tell of a metric; None where they tell nothing.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanism : Mechanism
        What ran.
    metric : str
        A key of `errors.METRICS`.  Places are counted from 1: see `summaries.places_from_1`.
    shares : mapping of Chance
        Exact probabilities of "exact_sequence" and "exact_set", those that are known.
    """
    columns = _telling(mechanism, METRICS[metric])
    column = next((name for name in columns if name in shares), None)
    if column is None:
        return None
    return _right(counts.sorted, mechanism, METRICS[metric], column, shares[column].probability)


def known_rights(
    counts: ItemCounts | SortedCounts,
    settings: Iterable[Mechanism],
    metric: str,
    trials: pd.DataFrame,
    pause: Callable[[], object] = lambda: None,
) -> dict[Mechanism, Right]:
    """`known_right` of the settings of a sweep, where it is soon computed and some run is right.

    Where none is, runs of other releases are all there are, and their quantiles say as much.
    ``pause`` is called between settings.
    """
    ran = trials.groupby(list(setting_columns(trials)), sort=False, dropna=False)
    right = {setting_key(setting): rows.any() for setting, rows in ran[[*RIGHT]]}
    found = {}
    for mechanism in settings:
        key = setting_key(setting_of(mechanism).values())
        if key not in right:
            continue  # stopped on the way
        seen, chances = (
            {name: bool(right[key][name]) for name in RIGHT},
            quick_chances(counts, mechanism),
        )
        known = known_of_runs(counts, mechanism, metric, seen, chances)
        if known is not None:
            found[mechanism] = known
            pause()
    return found


def known_of_runs(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    metric: str,
    seen: Mapping[str, bool],
    chance: Callable[[str], float | None],
) -> Right | None:
    """`known_right` of one setting, by the column that tells most; None where no run is right.

    ``seen`` says by which columns any run was; ``chance`` gives exact chances: `quick_chances`.
    """
    for column in _telling(mechanism, METRICS[metric]):
        if not seen[column]:
            return None
        probability = chance(column)
        if probability is not None:
            return _right(counts.sorted, mechanism, METRICS[metric], column, probability)
    return None


def quick_chances(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism
) -> Callable[[str], float | None]:
    """Exact chances of right releases by column, each computed once; None where it takes long."""
    return functools.cache(functools.partial(_quick_chance, counts.sorted, mechanism))


def _telling(mechanism: Mechanism, metric: Metric) -> tuple[str, ...]:
    """Which releases have no error by the metric, the most first: sets have no order to be wrong.

    A place is one of the error of all places.
    """
    if not mechanism.outputs.ordered:
        return (SET,)
    return (SEQUENCE,) if metric.sees_order else (SET, SEQUENCE)


def _quick_chance(counts: SortedCounts, mechanism: Mechanism, column: str) -> float | None:
    """The exact chance of a right release; None where it is not known, or takes long."""
    work = mechanism.pmf_work if column == SEQUENCE else mechanism.set_work
    if work(counts) >= QUICK:
        return None
    try:
        if column == SEQUENCE:
            log_p = mechanism.log_probability_exact_sequence(counts)
        else:
            log_p = mechanism.log_probability_exact_set(counts)
    except NoClosedFormError:  # the runs are what is known
        return None
    return math.exp(min(log_p, 0.0))


def held_mean(
    mean: float, low: float, high: float, k: int, chance: Chance
) -> tuple[float, float, float]:
    """A mean number of items right and its interval, held within what the right set implies.

    Of k items all are right with probability p, else k - 1 at most: the mean is in
    [k p, k - (1 - p)].  Where the interval of the runs does not reach it, it stands alone.
    """
    least, most = implied_mean(k, chance)
    low, high = max(low, least), min(high, most)
    low, high = (low, high) if low <= high else (least, most)
    return min(max(mean, low), high), low, high


def implied_mean(k: int, chance: Chance) -> tuple[float, float]:
    """The least and the most that the mean number of items right can be."""
    least, most = k * chance.probability, k + math.expm1(min(chance.log, 0.0))
    if chance.log_rest > -math.inf or math.isnan(chance.log_rest):  # not certain: not k
        least, most = min(least, math.nextafter(k, 0)), min(most, math.nextafter(k, 0))
    return least, most


def _right(
    counts: SortedCounts, mechanism: Mechanism, metric: Metric, column: str, probability: float
) -> Right:
    """What right releases are by the metric, and what is possible for all others."""
    k, outputs = mechanism.k, mechanism.outputs
    top = counts.top(k)
    smallest = 0 if outputs.short else int(counts.values[-1])
    if metric.more_is_better:
        return Right(column, probability, k, 0, k - 1 if column == SET else k)
    if metric.is_place:
        most = k
    elif not metric.sees_order:
        most = int(top[-1]) - smallest
    else:
        most = (int(top[0]) - smallest) * (k if metric.key == "l1" else 1)
    # by whole counts what is wrong costs one at least; what is missing may have had none
    least = 1 if metric.sees_order and not outputs.short else 0
    return Right(column, probability, 0, least, max(least, most))
