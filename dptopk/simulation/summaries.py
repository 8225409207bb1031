"""Summarize runs by quartiles, shares and distributions, with 95% intervals.

Everything here comes from simulation, held to what is known exactly where that is given;
intervals are at 95%.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dptopk.core import errors, validation
from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.core.counts import MAX_COUNT, ItemCounts, SortedCounts
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.outputs import OutputKind
from dptopk.mechanisms import Mechanism
from dptopk.simulation.post_stratified import TWO_SIDED_Z, Right, Weighted, quantile
from dptopk.simulation.trials import RIGHT, setting_columns, setting_key, setting_of

QUANTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}
"""Quantiles that summaries give, by column."""

_NARROW = 1.1  # up to this ratio of ends, equal bins look equal on a logarithmic axis, too


def summarize(
    trials: pd.DataFrame,
    metric: str,
    right: Mapping[Mechanism, Right | None] | None = None,
    counts: ItemCounts | SortedCounts | None = None,
) -> pd.DataFrame:
    """Summarize runs by quartiles of an error and shares of right releases, with 95% intervals.

    Parameters
    ----------
    trials : pandas.DataFrame
        From `run_trials` or `sweep`.
    metric : str
        A key of `errors.METRICS`.
    right : mapping of Mechanism to Right, optional
        What is known exactly of right releases, from `post_stratified.known_right`: then quantiles
        are of that and of the runs that are not right, and nothing that is told contradicts it.
    counts : ItemCounts or SortedCounts, optional
        The data of the runs: fewer than 6 of them tell an interval no end, which is then what is
        possible on these data; without them, on any.

    Returns
    -------
    pandas.DataFrame
        One row a mechanism and setting: ``n``; ``q25``, ``median``, ``q75`` of the
        metric; ``median_low``, ``median_high``, the distribution-free interval of the
        median from order statistics; ``exact_sequence`` and ``exact_set``, the shares
        of releases right in order and right as a set (both up to ties), each with
        ``_low`` and ``_high`` from Wilson's interval; ``items_right``, the mean number of
        items right, with its interval from `mean_of_runs`.  Given ``right``, ``q25_exact``,
        ``median_exact`` and ``q75_exact`` are the quantiles that it settles by itself; they are
        NaN where runs were needed.

    Raises
    ------
    TypeError, ValueError
        If ``trials`` is no table; for an unknown metric.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, run_trials, summarize
    >>> trials = run_trials(ItemCounts([9, 7, 4]), [Joint(2, 1.0)], n=50, seed=0)
    >>> summarize(trials, "linf")[["mechanism", "n", "median"]].to_dict("records")
    [{'mechanism': 'Joint', 'n': 50, 'median': 0.0}]
    """
    if not isinstance(trials, pd.DataFrame):
        raise TypeError(f"trials must be a DataFrame of runs, got {type(trials).__name__}")
    validation.choice("metric", metric, tuple(errors.METRICS))
    known = {setting_key(setting_of(m).values()): one for m, one in (right or {}).items()}
    rows = []
    by = setting_columns(trials)
    for setting, group in trials.groupby(list(by), sort=False, dropna=False):
        values, chance = group[metric].to_numpy(), known.get(setting_key(setting))
        ascending = np.argsort(values)
        values = values[ascending]
        is_right = group[chance.column if chance else RIGHT[0]].to_numpy(dtype=bool)[ascending]
        possible = _range(errors.METRICS[metric], int(group["k"].iloc[0]), counts)
        quantiles = {
            name: quantile(values, is_right, at, chance, possible) for name, at in QUANTILES.items()
        }
        row: dict[str, Any] = dict(zip(by, setting, strict=True)) | {"n": len(values)}
        row |= {name: one.value for name, one in quantiles.items()}
        row |= quantiles["median"].columns("median")
        if right is not None:
            exact = {name: one.value if one.exact else np.nan for name, one in quantiles.items()}
            row |= {f"{name}_exact": value for name, value in exact.items()}
        for key in RIGHT:
            row |= share_of_runs(int(group[key].sum()), len(values)).columns(key)
        items_right = errors.ITEMS_RIGHT.key
        row |= mean_of_runs(group[items_right].to_numpy(), row["k"]).columns(items_right)
        rows.append(row)
    return pd.DataFrame(rows)


def _range(
    metric: errors.Metric, k: int, counts: ItemCounts | SortedCounts | None
) -> tuple[float, float]:
    """Return the range of a metric over outputs of any kind, without counts on any data."""
    if counts is not None:
        return metric.range(counts, k, OutputKind(short=True))
    return metric.bounds(errors.Possible(np.full(k, MAX_COUNT), 0, short=True))


def is_settled(row: Mapping[Any, Any], name: str = "median") -> bool:
    """Return whether a row of `summarize` has this quantile exactly."""
    return not np.isnan(row.get(f"{name}_exact", np.nan))


def empirical_cdf(
    runs: Weighted, max_points: int = 1_000
) -> tuple[IntArray, tuple[FloatArray, FloatArray, FloatArray]]:
    """Return distinct values, ascending, and the empirical CDF there with its 95% interval.

    Its ends are the same where the runs had no say in it.  With more than ``max_points`` distinct
    values, every m-th one (and the last) is kept.
    """
    distinct, place = np.unique(runs.values, return_inverse=True)
    step = -(-distinct.size // max_points)
    kept = np.unique(np.append(np.arange(0, distinct.size, step), distinct.size - 1))
    share = np.cumsum(np.bincount(place, runs.weights))[kept]
    share[-1] = 1.0  # but for rounding
    return distinct[kept], _within(runs, distinct[kept], share)


def _within(
    runs: Weighted, at: IntArray, share: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return cumulative shares and their interval, given exact knowledge of right releases."""
    if (known := runs.known) is None:
        ranks = np.round(share * runs.n)
        return ranks / runs.n, *wilson_interval(ranks, runs.n)
    others = 1 - known.probability
    sure = np.where(at >= known.value, known.probability, 0.0)
    low, high = np.zeros(at.size), np.ones(at.size)
    if runs.n and others:
        ranks = np.round((share - sure) / others * runs.n).clip(0, runs.n)
        low, high = wilson_interval(ranks, runs.n)
    low, high = np.where(at >= known.most, 1.0, low), np.where(at < known.least, 0.0, high)
    low, high = sure + others * np.minimum(low, high), sure + others * high
    return np.clip(share, low, high), low, high


def wilson_interval(n_successes: npt.ArrayLike, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the 95% interval of a proportion (Wilson 1927), for one or many numbers."""
    z = TWO_SIDED_Z
    share = np.asarray(n_successes) / n
    center = share + z * z / (2 * n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # at 0 and n successes one end is exactly 0 or 1; rounding must not move it
    low = np.where(share == 0, 0.0, (center - half) / scale)
    high = np.where(share == 1, 1.0, (center + half) / scale)
    return low, high


def share_of_runs(n_successes: float, n: int) -> Estimate:
    """Return the share of ``n`` runs that succeeded, with its interval."""
    low, high = map(float, wilson_interval(n_successes, n))
    return Estimate(n_successes / n, low, high, n, PROBABILITY)


def mean_of_runs(values: NumberArray, most: float, least: float = 0.0) -> Estimate:
    """Return the mean of values in [``least``, ``most``], with a 95% interval.

    Agresti and Coull's (1998) for a proportion carried over: before the normal interval is made,
    half of z^2 values are added at either end of the range, so that runs that are all alike
    leave some doubt.
    """
    z = TWO_SIDED_Z
    added, n = z * z / 2, values.size + z * z
    center = (values.sum() + added * (least + most)) / n
    squares = ((values - center) ** 2).sum()
    squares += added * ((least - center) ** 2 + (most - center) ** 2)
    half = z * np.sqrt(squares) / n
    mean = float(values.mean())  # at an end of the range the interval may pass it by a hair
    low, high = float(center - half), float(center + half)
    return Estimate(mean, min(max(least, low), mean), max(min(most, high), mean), values.size)


def places_from_1(trials: pd.DataFrame) -> pd.DataFrame:
    """Return trials with places counted from 1, and 0 for a run without any error.

    `run_trials` counts them from 0, where a run without any error is at place 0, too.
    """
    places = [metric for metric in errors.METRICS.values() if metric.is_place]
    counted = {m.key: m.counted_from_1(trials[m.key], trials[m.place_of]) for m in places}
    return trials.assign(**counted)


def not_beaten(
    rows: pd.DataFrame, column: str, more_is_better: bool, slack: float = 0.0
) -> tuple[str, ...]:
    """Return the mechanisms whose interval is not entirely worse than another's.

    ``rows`` has ``mechanism``, and ``column`` with its ends as ``_low`` and ``_high``.  Who is
    beaten by no more than ``slack`` is not beaten.
    """
    as_good = unbeaten(rows[f"{column}_low"], rows[f"{column}_high"], more_is_better, slack)
    return tuple(rows.loc[as_good, "mechanism"])


def unbeaten(
    low: pd.Series,
    high: pd.Series,
    more_is_better: bool,
    slack: float | pd.Series = 0.0,
    by: list[pd.Series] | None = None,
) -> pd.Series:
    """Mark the intervals that are not entirely worse than another, of those that are equal ``by``.

    ``slack`` is that of `not_beaten`.
    """

    def best(ends: pd.Series, how: Any) -> Any:
        return ends.agg(how) if by is None else ends.groupby(by).transform(how)

    marked: pd.Series = (
        high + slack >= best(low, "max") if more_is_better else low - slack <= best(high, "min")
    )
    return marked


def histogram(
    runs: Mapping[str, Weighted], *, logarithmic: bool, n_bins: int = 24
) -> tuple[NumberArray, dict[str, FloatArray]]:
    """Return edges, (m + 1,), of common bins and the share of each series of releases in each.

    Bin b holds the numbers in [edges[b], edges[b + 1]); at most ``n_bins`` bins, equally wide; if
    ``logarithmic``, nearly so in log(1 + value): errors from 0 are parted at 1, 3, 7, 15 and so on.
    The last one may go on beyond the largest value.  Real numbers have real edges, and no
    logarithmic ones.
    """
    first = min(series.values[0].item() for series in runs.values())
    last = max(series.values[-1].item() for series in runs.values())
    edges: NumberArray
    if any(series.values.dtype.kind == "f" for series in runs.values()):
        edges = _real_edges(first, last, n_bins)
    else:
        low, high = int(first), int(last)
        edges = _log_edges(low, high, n_bins) if logarithmic else _equal_edges(low, high, n_bins)
    return edges, {
        label: np.minimum(_in_bins(series.values, edges, series.weights), 1.0)
        for label, series in runs.items()
    }


def count_histogram(
    counts: IntArray, multiplicities: IntArray, n_bins: int = 40
) -> tuple[IntArray, IntArray]:
    """Return bin edges from 0, equally wide in log(1 + count), and the number of items in each."""
    edges = _fine_edges(int(counts.max()), n_bins)
    return edges, _in_bins(counts, edges, multiplicities).astype(np.int64)


def _equal_edges(low: int, high: int, n_bins: int) -> IntArray:
    """Return integer edges of equally wide bins from low to high, exact at any size.

    The last bin is as wide as the others, whatever it holds.
    """
    width = (high - low) // n_bins + 1
    n = (high - low) // width + 1
    return low + width * np.arange(n + 1)


def _real_edges(low: float, high: float, n_bins: int) -> FloatArray:
    """Return edges of equally wide bins from low to high; one bin around a single value."""
    if low == high:
        half = max(abs(low), 1.0) / 100
        return np.array([low - half, low + half])
    edges = np.linspace(low, high, n_bins + 1)
    edges[-1] = np.nextafter(high, np.inf)  # the last holds the largest
    return edges


def _log_edges(low: int, high: int, n_bins: int) -> IntArray:
    """Return integer edges of bins from low to high, nearly equally wide in log(1 + value).

    None is narrower than the bin of the lowest number alone, on a padded axis twice as high at
    its end for 0: bins of one number each would shrink to threads.
    """
    first, end = low + 1, high + 2  # padded by 1
    if end < _NARROW * first:
        return _equal_edges(low, high, n_bins)
    ratio = max(1 + 1 / first, (end / first) ** (1 / n_bins))
    if ratio > _NARROW:  # of whole ratios, all edges are whole: no bin is wider by rounding
        ratio = float(np.ceil(ratio))
    edges = np.round(first * ratio ** np.arange(n_bins + 1.0)) - 1
    inner = np.unique(edges[(edges > low) & (edges <= high)].astype(np.int64))
    beyond = edges[(edges > high) & (edges < 2.0**62)]  # others are no int64
    last = int(beyond[0]) if beyond.size and inner.size < n_bins else high + 1
    return np.concatenate([[low], inner[: n_bins - 1], [last]])


def _fine_edges(high: int, n_bins: int) -> IntArray:
    """Return distinct integer edges from 0 to high + 1, nearly equally wide in log(1 + value)."""
    if high < n_bins:
        return np.arange(high + 2)
    inner = np.expm1(np.linspace(0, np.log1p(high), n_bins + 1)[1:-1])
    inner = np.unique(np.round(inner).astype(np.int64))
    return np.concatenate([[0], inner[(inner > 0) & (inner < high)], [high + 1]])


def _in_bins(values: NumberArray, edges: NumberArray, weights: NumberArray) -> FloatArray:
    bins = np.searchsorted(edges, values, side="right") - 1
    sums = np.bincount(bins, weights, minlength=edges.size - 1)
    return sums.astype(np.float64, copy=False)  # as they are: weights make them floats
