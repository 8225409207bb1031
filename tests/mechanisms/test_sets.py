"""Test counting and drawing of sets by loss and by gap: enumeration, big integers, logarithms."""

import gc
import itertools
import math
import weakref
from collections import Counter

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import (
    InverseSensitivitySet,
    ItemCounts,
    PNFInverseSensitivitySet,
    SortedCounts,
    exact_error,
    k_relative_error,
    probability_exact_set,
)
from dptopk.core.log_space import log_binomial
from dptopk.mechanisms.kernels import sets
from dptopk.mechanisms.kernels.gap_weighted import SetsByGap
from dptopk.mechanisms.kernels.sets import SetsByLoss

vectors = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**6)), min_size=1, max_size=7)


def brute_losses(counts, k):
    """How many sets have each loss, by listing them (counts descending)."""
    return Counter(
        max(counts[place] - counts[rank] for place, rank in enumerate(chosen))
        for chosen in itertools.combinations(range(len(counts)), k)
    )


@given(counts=vectors, data=st.data())
def test_number_of_sets_by_loss(counts, data):
    counts = sorted(counts, reverse=True)
    k = data.draw(st.integers(1, len(counts)))
    brute = brute_losses(counts, k)
    ours = SetsByLoss(ItemCounts(counts).sorted, k)
    thresholds = np.array(sorted({t for loss in brute for t in (loss, loss + 1)}))
    within = [sum(n for loss, n in brute.items() if loss <= t) for t in thresholds]
    np.testing.assert_allclose(np.exp(ours.log_n_at_most(thresholds)), within, rtol=1e-12)
    levels = ours.loss_levels(1e-9)
    assert levels.losses.tolist() == sorted(brute)
    np.testing.assert_allclose(
        np.exp(levels.log_n), [brute[loss] for loss in sorted(brute)], rtol=1e-9
    )


def whole_number_of_sets(bounds) -> int:
    """Sets j_1 < ... < j_k with j_i <= bounds[i], rank by rank in whole numbers."""
    ways = [1] + [0] * len(bounds)
    for rank in range(1, bounds[-1] + 1):
        for place in range(len(bounds), 0, -1):
            if rank <= bounds[place - 1]:
                ways[place] += ways[place - 1]
    return ways[-1]


@pytest.mark.parametrize("k", [1, 3, 40, 120])
def test_many_items_in_whole_numbers(k, rng):
    ours = SetsByLoss(ItemCounts(np.floor(4000 / np.arange(1, 501))).sorted, k)
    thresholds = np.array([0, 1, 7, 30, 200, 4000])
    exact = [math.log(whole_number_of_sets(bounds)) for bounds in ours.n_within(thresholds).T]
    np.testing.assert_allclose(ours.log_n_at_most(thresholds), exact, rtol=1e-12, atol=1e-12)


def test_rows_that_underflow_are_added_in_logarithms(monkeypatch):
    """Ways of very different size: multiplying them out gives the same as plain logarithms."""
    bounds = np.array([[1, 3, 10, 10**12, 10**17], [5, 10**6, 10**9, 10**12, 10**15]]).T
    ours = SetsByLoss(ItemCounts([1] * 9).sorted, 5)
    monkeypatch.setattr(sets, "_LOG_UNLIKELY", math.inf)  # as where the chance is not told
    quickly = ours.log_n_of(bounds)
    monkeypatch.setattr(sets, "_UNDERFLOWS", math.inf)
    np.testing.assert_allclose(quickly, ours.log_n_of(bounds), rtol=1e-13)


@pytest.mark.parametrize(
    ("counts", "k"),
    [
        (np.floor(4000 / np.arange(1, 501)), 120),
        (np.repeat([9, 8, 7], [150, 40, 300]), 160),  # ties within and across the boundary
        (np.append(np.arange(1000, 900, -1), np.ones(5000)), 100),  # one wide segment at the end
        ([5] * 300, 200),
    ],
)
def test_chances_give_the_number_that_logarithms_give(counts, k, monkeypatch):
    sorted_counts = ItemCounts(counts).sorted
    ours = SetsByLoss(sorted_counts, k)
    thresholds = np.unique(np.geomspace(1, ours.widest + 2, 40).astype(int) - 1)
    bounds = ours.n_within(thresholds)
    by_chance = ours.log_n_of(bounds)
    monkeypatch.setattr(sets, "_LOG_UNLIKELY", math.inf)
    np.testing.assert_allclose(by_chance, ours.log_n_of(bounds), rtol=1e-12, atol=1e-11)


def test_narrow_segments_are_joined_as_far_as_doubles_can_hold_their_chances(rng):
    """Of 220 distinct counts nearly all ranks are taken: none of them has chance e^-900."""
    counts = ItemCounts(rng.permutation(np.arange(2000, 1780, -1))).sorted
    ours, thresholds = SetsByLoss(counts, 200), np.array([0, 1, 5, 15])
    bounds = ours.n_within(thresholds)
    exact = [math.log(whole_number_of_sets(column)) for column in bounds.T]
    np.testing.assert_allclose(ours._log_n_by_chance(bounds), exact, rtol=1e-12, atol=1e-11)


def test_what_was_counted_is_remembered_as_long_as_the_counts_are(monkeypatch):
    data = ItemCounts(np.arange(90, 0, -1))
    first = SetsByLoss(data.sorted, 9).log_n_at_most(np.array([3, 1, 3]))
    monkeypatch.setattr(SetsByLoss, "log_n_of", lambda *_: pytest.fail("counted again"))
    again = SetsByLoss(data.sorted, 9).log_n_at_most(np.array([1, 3]))
    assert again.tolist() == first[[1, 0]].tolist()
    kept = weakref.ref(data.sorted)
    del data
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("threshold", [0, 2, 5, 9, 100])
def test_a_set_within_a_threshold_is_uniform(threshold, rng, fits_law):
    counts = [10, 9, 9, 5, 5, 4, 2]
    ours = SetsByLoss(ItemCounts(counts).sorted, 3)
    within = [
        chosen
        for chosen in itertools.combinations(range(7), 3)
        if max(counts[place] - counts[rank] for place, rank in enumerate(chosen)) <= threshold
    ]
    drawn = np.sort(ours.draw_within(np.full(20_000, threshold), rng), axis=1)
    codes = drawn @ [49, 7, 1]
    listed = np.array(within) @ np.array([49, 7, 1])
    assert fits_law(listed, np.full(len(within), -math.log(len(within))), codes)


@pytest.mark.parametrize("way", [("_ONE_BY_ONE", 1000), ("_LOG_UNLIKELY", math.inf)])
@pytest.mark.parametrize("k", [1, 2, 12, 40])
def test_sets_drawn_alone_and_by_logarithms_are_those_drawn_at_once(way, k, monkeypatch):
    counts = ItemCounts(np.append(np.floor(300 / np.arange(1, 60)), [2] * 500)).sorted
    ours = SetsByLoss(counts, k)
    thresholds = np.repeat([0, 1, 3, 20, 299], 8)
    at_once = ours.draw_within(thresholds, np.random.default_rng(1))
    monkeypatch.setattr(sets, *way)
    again = ours.draw_within(thresholds, np.random.default_rng(1))
    np.testing.assert_array_equal(again, at_once)


def test_thresholds_of_many_draws_at_once(monkeypatch, rng):
    """Chunks of thresholds and draws give every draw its own bound."""
    monkeypatch.setattr(sets, "_CHUNK", 100)
    ours = SetsByLoss(ItemCounts(np.arange(50, 0, -1)).sorted, 4)
    thresholds = rng.integers(0, 30, 500)
    drawn = np.sort(ours.draw_within(thresholds, rng), axis=1)
    assert np.all(np.diff(drawn, axis=1) > 0)
    assert np.all((drawn - np.arange(4)).max(axis=1) <= thresholds)


# --- sets by inverse sensitivity, counted by gap ------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 7, 15, 16, 17, 40, 1000, 10**9, 10**15])
def test_binomials_to_fifty_digits(n):
    m = np.unique([0, 1, 2, 5, 16, 200, n // 2, n - 200, n - 1, n])
    m = m[(m >= 0) & (m <= n)]
    with mpmath.workdps(50):
        exact = [float(mpmath.log(mpmath.binomial(n, int(chosen)))) for chosen in m]
    np.testing.assert_allclose(log_binomial(n, m), exact, rtol=3e-15, atol=3e-13)


def test_binomials_of_nothing_possible():
    assert np.isneginf(log_binomial([3, 0, 5], [4, 1, -1])).all()


def score(counts, chosen):
    """By the definition, ranks of counts in descending order."""
    outside = [count for rank, count in enumerate(counts) if rank not in chosen]
    return min(counts[rank] for rank in chosen) - max(outside) if outside else 0


@given(counts=vectors, data=st.data())
def test_scores_and_their_sum(counts, data):
    counts = sorted(counts, reverse=True)
    k = data.draw(st.integers(1, len(counts)))
    rate = data.draw(st.sampled_from([1e-300, 1e-9, 0.3, 2.0, 1e3]))
    sets = SetsByGap(ItemCounts(counts).sorted, k, rate)
    every = np.array(list(itertools.combinations(range(len(counts)), k)))
    expected = [score(counts, chosen) for chosen in every.tolist()]
    np.testing.assert_array_equal(sets.scores(every), expected)
    with mpmath.workdps(30):
        z = mpmath.fsum(mpmath.exp(mpmath.mpf(rate) * value) for value in expected)
        assert sets.log_z == pytest.approx(float(mpmath.log(z)), rel=1e-12, abs=1e-12)


def test_many_levels_agree_with_plain_sums():
    """Groups of levels, against one term a pair of h and level, in many digits."""
    counts = [*range(4000, 3000, -3), *([17] * 40), *range(12, 0, -1)]
    sets = SetsByGap(ItemCounts(counts).sorted, 30, 0.004)
    assert sets._groups.first.size < sets.counts.n_levels - sets.first_level
    levels = list(zip(sets.counts.values.tolist(), sets.counts.ends.tolist(), strict=True))
    with mpmath.workdps(40):
        rate = mpmath.mpf("0.004")
        terms = [mpmath.exp(rate * sets.gap)]
        for h in range(30):
            below = 0
            for value, end in levels:
                within = math.comb(end - h - 1, 30 - h) if end > h else 0
                terms.append((within - below) * mpmath.exp(rate * (value - counts[h])))
                below = within
        assert sets.log_z == pytest.approx(float(mpmath.log(mpmath.fsum(terms))), rel=1e-12)


def test_grouped_levels_are_drawn_as_their_law_says(rng):
    """Rejection inside a group: the last level of the draws against the exact law."""
    data = ItemCounts(np.arange(3000, 0, -1))
    mechanism = InverseSensitivitySet(20, 0.02)
    law = exact_error(data, mechanism, "k_relative")
    draws = k_relative_error(data, mechanism.sample(data, 20_000, rng), mechanism.outputs)
    for level in (0.05, 0.25, 0.5, 0.75, 0.95):
        x = law.quantile(level)
        p = law.probabilities[law.values <= x].sum()
        found = (draws <= x).mean()
        assert found == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / len(draws)))


def test_a_gap_at_the_largest_counts():
    counts = SortedCounts([2**53, 2**53 - 3, 0], [2, 1, 10**9])
    assert probability_exact_set(counts, InverseSensitivitySet(2, 1.0)) == pytest.approx(
        1 / (1 + 2 * math.exp(-3)), rel=1e-6
    )


@pytest.mark.parametrize("kind", [InverseSensitivitySet, PNFInverseSensitivitySet])
@pytest.mark.parametrize("epsilon", [0.8, 1e-9])
def test_the_largest_counts_are_drawn_as_smaller_ones(kind, epsilon):
    gaps = np.array([0, 8, 5, 3, 3])
    large, small = (
        kind(1, epsilon).sample(ItemCounts(most - gaps), 2_000, np.random.default_rng(5)).tolist()
        for most in (2**53, 10)
    )
    assert large == small


def test_many_sets_are_chosen_as_by_the_exponential_mechanism():
    """Where no single set is likely the two laws meet, on 3,000 items as well."""
    counts = ItemCounts(np.floor(3000 / np.arange(1, 3001) ** 0.8))
    ours, plain = (cls(30, 0.5) for cls in (PNFInverseSensitivitySet, InverseSensitivitySet))
    laws = [exact_error(counts, one, "k_relative") for one in (ours, plain)]
    assert laws[0].cumulative[-1] == pytest.approx(1, abs=1e-9)
    assert laws[0].mean == pytest.approx(laws[1].mean, rel=1e-3)
    exact = [probability_exact_set(counts, one) for one in (ours, plain)]
    assert exact[0] >= exact[1]
