"""Test counting and drawing of sets by inverse sensitivity, against enumeration."""

import itertools
import math

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
from dptopk.mechanisms.kernels.gap_weighted import SetsByGap

vectors = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**6)), min_size=1, max_size=7)


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
