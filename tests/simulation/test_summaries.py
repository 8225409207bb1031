"""Test summaries of trials by hand, and the exact coverage of their intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri
from scipy.stats import binom, binomtest

from dptopk import METRICS, ItemCounts, Joint, PNFPeel, exact_error, run_trials, summarize
from dptopk.simulation.post_stratified import CONFIDENCE, TWO_SIDED_Z, Weighted, weighted
from dptopk.simulation.summaries import (
    count_histogram,
    empirical_cdf,
    histogram,
    mean_of_runs,
    not_beaten,
    places_from_1,
    wilson_interval,
)


def table(values, exact=None, **setting) -> pd.DataFrame:
    """Trials with given linf errors, as `run_trials` would return them."""
    n = len(values)
    exact = np.zeros(n, dtype=bool) if exact is None else exact
    base = {"mechanism": "Joint", "k": 2, "epsilon": 1.0, "delta": 0.0}
    base |= {"neighbors": "add-remove"} | setting
    return pd.DataFrame(
        base
        | {"trial": np.arange(n), "linf": values, "exact_sequence": exact, "exact_set": exact}
        | {"items_right": np.where(exact, base["k"], 0)}
    )


def test_by_hand():
    row = summarize(table([4, 0, 8, 2, 6], [True, True, False, False, False]), "linf").iloc[0]
    assert (row["n"], row["q25"], row["median"], row["q75"]) == (5, 2, 4, 6)
    assert row["exact_sequence"] == row["exact_set"] == pytest.approx(0.4)


def test_one_row_a_setting_in_the_order_given():
    trials = pd.concat(
        [table([1, 2], k=5), table([9], mechanism="CDP-Peel", delta=1e-6), table([3], k=2)]
    )
    summary = summarize(trials, "linf")
    assert summary["mechanism"].tolist() == ["Joint", "CDP-Peel", "Joint"]
    assert summary["k"].tolist() == [5, 2, 2]
    assert summary["median"].tolist() == [1.5, 9, 3]
    assert summary["n"].tolist() == [2, 1, 1]


def test_every_metric_of_real_trials():
    trials = run_trials(ItemCounts([9, 4, 4, 1]), [Joint(2, 1.0), PNFPeel(2, 1.0)], 300, seed=0)
    for metric in METRICS:
        summary = summarize(trials, metric)
        assert len(summary) == 2
        for low, middle, high in (
            ("q25", "median", "q75"),
            ("median_low", "median", "median_high"),
            ("exact_set_low", "exact_set", "exact_set_high"),
            ("exact_sequence_low", "exact_sequence", "exact_sequence_high"),
            ("items_right_low", "items_right", "items_right_high"),
        ):
            assert (summary[low] <= summary[middle]).all()
            assert (summary[middle] <= summary[high]).all()
        means = trials.groupby("mechanism", sort=False)["exact_set"].mean()
        assert summary["exact_set"].tolist() == pytest.approx(means.tolist())


@pytest.mark.parametrize("n", [6, 7, 10, 25, 50, 101, 400, 2000])
def test_median_interval_covers_at_least_95_percent_and_hardly_more(n):
    """The number of draws below the median is Binomial(n, 1/2): coverage without drawing."""
    row = summarize(table(np.arange(n)), "linf").iloc[0]  # values are their own order

    def coverage(low, high):
        """P(the low-th smallest <= median <= the high-th smallest), from 0."""
        return binom.cdf(high, n, 0.5) - binom.cdf(low, n, 0.5)

    low, high = int(row["median_low"]), int(row["median_high"])
    assert low + high == n - 1  # the same on both sides
    assert coverage(low, high) >= 0.95
    assert coverage(low + 1, high - 1) < 0.95


@pytest.mark.parametrize("n", [1, 2, 5])
def test_median_interval_of_few_trials_is_all_that_is_possible(n):
    """Half of all releases lie beyond each run: so few may all be on one side of the median."""
    trials = table(10 + np.arange(n) * 3)
    row = summarize(trials, "linf", counts=ItemCounts([90, 40, 7])).iloc[0]
    assert (row["median_low"], row["median_high"]) == (0, 90)
    row = summarize(trials, "linf").iloc[0]
    assert (row["median_low"], row["median_high"]) == (0, 2**53)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_median_interval_of_few_trials_has_the_median_of_the_law(n):
    counts, mechanism = ItemCounts([40, 31, 25, 17, 9, 5]), Joint(3, 0.2)
    law = exact_error(counts, mechanism, "signed_max").quantile(0.5)
    n_covered = 0
    for seed in range(60):
        trials = run_trials(counts, [mechanism], n, seed)
        row = summarize(trials, "signed_max", counts=counts).iloc[0]
        n_covered += row["median_low"] <= law <= row["median_high"]
    assert n_covered >= 0.9 * 60


@pytest.mark.parametrize(("right", "n"), [(0, 10), (10, 10), (3, 10), (37, 50), (1, 5000)])
def test_wilson_interval_agrees_with_scipy(right, n):
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    if right in (0, n):  # it reaches its end
        assert float(wilson_interval(right, n)[right == n]) == right / n
    assert [float(x) for x in wilson_interval(right, n)] == pytest.approx(
        [expected.low, expected.high], abs=1e-12
    )
    exact = np.arange(n) < right
    row = summarize(table(np.zeros(n), exact), "linf").iloc[0]
    assert row["exact_set_low"] == pytest.approx(expected.low, abs=1e-12)
    assert row["exact_sequence_high"] == pytest.approx(expected.high, abs=1e-12)


def test_the_quantile_of_intervals_is_that_of_scipy():
    assert float(ndtri((1 + CONFIDENCE) / 2)) == TWO_SIDED_Z


@pytest.mark.parametrize("n", [50, 400])
def test_wilson_interval_covers_as_it_should(n):
    """Coverage at every p by summing the binomial law: near 95% and never far below."""
    successes = np.arange(n + 1)
    low, high = wilson_interval(successes, n)
    p = np.linspace(0.02, 0.98, 97)[:, None]
    covered = (low <= p) & (p <= high)
    coverage = (binom.pmf(successes, n, p) * covered).sum(axis=1)
    assert coverage.mean() == pytest.approx(0.95, abs=0.01)
    assert coverage.min() > 0.9


@pytest.mark.parametrize("n", [50, 250])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.99, 0.999])
def test_mean_of_runs_covers_as_it_should(n, p):
    """Right or not right at every of 0, 1, 10 items at once: coverage from the binomial law."""
    successes = np.arange(n + 1)
    runs = [mean_of_runs(10 * (np.arange(n) < right), 10) for right in successes]
    low, high = np.array([(one.low, one.high) for one in runs]).T
    covered = binom.pmf(successes, n, p) @ ((low <= 10 * p) & (10 * p <= high))
    assert covered > 0.93


def test_nobody_is_beaten_by_an_interval_that_reaches_theirs():
    names = ["exact", "worse", "wide", "far"]
    low, high = [3, 4, 1, 9], [3, 4, 8, 12]
    rows = pd.DataFrame({"mechanism": names, "x": [3, 4, 2, 10], "x_low": low, "x_high": high})
    assert not_beaten(rows, "x", more_is_better=False) == ("exact", "wide")
    assert not_beaten(rows, "x", more_is_better=True) == ("far",)
    assert not_beaten(rows, "x", more_is_better=False, slack=1.0) == ("exact", "worse", "wide")
    assert not_beaten(rows, "x", more_is_better=True, slack=1.0) == ("wide", "far")


def test_places_counted_from_1_have_0_where_nothing_is_wrong():
    given = {"linf": [0, 7, 7], "linf_index": [0, 0, 4], "signed_index": [0, 2, 4]}
    found = places_from_1(pd.DataFrame(given))
    assert found["linf_index"].tolist() == [0, 1, 5]
    assert found["signed_index"].tolist() == [0, 3, 5]
    assert found["linf"].tolist() == given["linf"]


def plain(values) -> Weighted:
    """Runs of which nothing is known."""
    return weighted(np.array(values), np.zeros(len(values), dtype=bool), None)


def test_empirical_cdf_by_hand():
    values, (share, *_) = empirical_cdf(plain([3, 1, 3, 7]))
    assert values.tolist() == [1, 3, 7]
    assert share.tolist() == [0.25, 0.75, 1.0]


def test_empirical_cdf_thins_long_ones_but_keeps_the_ends():
    values, (share, *_) = empirical_cdf(plain(range(10_001)), max_points=100)
    assert len(values) <= 101
    assert (values[0], values[-1], share[-1]) == (0, 10_000, 1.0)
    np.testing.assert_allclose(share, (values + 1) / 10_001)


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize(
    "values", [[0], [5, 5, 5], [0, 1, 2, 3], [10**6, 3, 40], [10**12, 10**12 - 1], [2**53, 7]]
)
def test_histogram_loses_nothing(values, logarithmic):
    series = {"a": plain(values), "b": plain(values[:1])}
    edges, shares = histogram(series, logarithmic=logarithmic)
    assert np.all(np.diff(edges) > 0)
    assert np.all(edges == np.round(edges))
    assert len(edges) <= 25
    for share in shares.values():
        assert share.shape == (len(edges) - 1,)
        assert share.sum() == pytest.approx(1)


def test_histogram_by_hand():
    edges, shares = histogram({"a": plain([0, 0, 1, 3])}, logarithmic=False, n_bins=4)
    assert edges.tolist() == [0, 1, 2, 3, 4]
    assert shares["a"].tolist() == [0.5, 0.25, 0, 0.25]


def test_bins_from_0_are_parted_where_bars_are_equally_wide_on_the_padded_axis():
    edges, shares = histogram({"a": plain([0, 1, 2, 3, 40])}, logarithmic=True)
    assert edges.tolist() == [0, 1, 3, 7, 15, 31, 63]
    assert shares["a"].tolist() == [0.2, 0.4, 0.2, 0, 0, 0.2]


@pytest.mark.parametrize(
    ("low", "high"), [(0, 3), (0, 127), (0, 128), (0, 2**40), (1, 50), (7, 2**53), (900, 2_000)]
)
def test_bins_are_equally_wide_on_their_axis(low, high):
    """As bars are: from half way before their first whole number to half way after their last."""
    values = {"a": plain([low, high])}
    edges = histogram(values, logarithmic=True)[0].astype(float)
    widths = np.diff(np.log(np.maximum(edges, 0.5)) + np.log(edges + 1))
    assert widths.max() < 1.35 * widths.min()
    edges, _ = histogram(values, logarithmic=False)
    assert np.unique(np.diff(edges)).size == 1
    assert edges[-2] <= high < edges[-1]


@pytest.mark.parametrize("counts", [[0], [7], [10**6, 50, 3, 0], [2**53, 2**53 - 1, 0]])
def test_count_histogram_holds_every_item(counts):
    multiplicities = np.arange(1, len(counts) + 1)
    edges, n = count_histogram(np.array(counts), multiplicities)
    assert np.all(np.diff(edges) > 0)
    assert n.sum() == multiplicities.sum()


@pytest.mark.parametrize(
    ("trials", "metric", "error", "message"),
    [
        (3, "linf", TypeError, "trials must be a DataFrame of runs, got int"),
        (table([1, 2]), "mean", ValueError, r"metric must be one of 'linf', .*got 'mean'"),
        (table([1, 2]), None, TypeError, r"metric must be a string, got None"),
    ],
)
def test_wrong_arguments(trials, metric, error, message):
    with pytest.raises(error, match=message):
        summarize(trials, metric)
