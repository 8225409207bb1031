"""Test the release of a true top set or nothing: closed form, tightness, laws."""

import math

import numpy as np
import pytest

from dptopk import (
    METRICS,
    NOTHING,
    AdaptiveK,
    ItemCounts,
    NeighborRelation,
    SortedCounts,
    StableSet,
    exact_error,
    load_dataset,
    probability_exact_set,
    worst_case_hockey_stick,
)

SWAP = NeighborRelation.SWAP


def test_probability_of_a_release():
    """The distance is the gap less one, in users; at distance 0 it is delta."""
    for gap, distance in ((0, 0), (1, 0), (2, 1), (5, 4)):
        p = probability_exact_set(ItemCounts([10 + gap, 10]), StableSet(1, 0.3, 1e-3))
        assert p == pytest.approx(1e-3 * math.exp(0.3 * distance))
    for gap, distance in ((2, 0), (3, 1), (4, 1), (5, 2)):  # two users' worth for each replaced
        p = probability_exact_set(ItemCounts([10 + gap, 10]), StableSet(1, 0.3, 1e-3, SWAP))
        assert p == pytest.approx(1e-3 * math.exp(0.3 * distance))
    far = probability_exact_set(ItemCounts([40, 10]), StableSet(1, 1.0, 1e-3))
    assert far == pytest.approx(1 - math.exp(-29) / 4e-3, rel=1e-12)


@pytest.mark.parametrize("cls", [StableSet, AdaptiveK])
@pytest.mark.parametrize("delta", [1e-9, 0.3, 0.8])
@pytest.mark.parametrize("probability", [1e-7, 1e-3, 0.5, 0.95, 0.999999])
@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_the_epsilon_of_a_set_is_where_any_comes_out_that_often(neighbors, probability, delta, cls):
    """With ties, gaps that one user closes, and wide ones."""
    for vector in ([99, 80, 80, 79, 30, 28, 5], [99, 97, 96, 96, 50, 49, 0], [9, 9, 9, 8]):
        counts, mechanism = ItemCounts(vector), cls(1, 1.0, delta, neighbors)

        def comes_out(k, epsilon, mechanism=mechanism, counts=counts):
            asked = mechanism.replaced(k=k, epsilon=float(np.clip(epsilon, 1e-9, 1e6)))
            return -math.expm1(asked.log_pmf(counts, [[NOTHING] * k])[0])

        epsilons = mechanism.epsilons_for_sets(counts.sorted, counts.d - 1, probability)
        for k, epsilon in enumerate(epsilons, 1):
            if epsilon == 0:
                assert comes_out(k, epsilon) >= probability * (1 - 1e-6)
            elif np.isinf(epsilon):
                assert comes_out(k, epsilon) < probability
            else:
                assert comes_out(k, epsilon) == pytest.approx(probability, rel=1e-8)
                assert comes_out(k, 0.9 * epsilon) < comes_out(k, epsilon)


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.5, 0.9])
@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_delta_is_used_up_and_no_more(neighbors, delta):
    """A gap of 1 closes with one user, and then another set may be released instead."""
    worst = max(
        worst_case_hockey_stick(ItemCounts(counts), StableSet(1, 0.5, delta, neighbors), 0.5).value
        for counts in ([4, 4], [5, 4], [6, 4], [9, 4], [12, 4])
    )
    assert 0.99 * min(delta, 0.5) <= worst <= delta * (1 + 1e-9)


@pytest.mark.parametrize("cls", [StableSet, AdaptiveK])
def test_delta_zero_is_refused(cls):
    with pytest.raises(ValueError, match=r"^delta must be above 0 for .*, got 0: "):
        cls(2, 1.0, 0.0)


@pytest.mark.parametrize("cls", [StableSet, AdaptiveK])
def test_laws_on_real_data_are_those_of_runs(cls, rng):
    data = load_dataset("games")
    mechanism = cls(20, 0.2, 1e-6)
    samples = mechanism.sample(data, 4000, rng)
    for metric in mechanism.exact_metrics:
        law = exact_error(data, mechanism, metric)
        errors = METRICS[metric].compute(data, samples, mechanism.outputs)
        assert set(np.unique(errors)) <= set(law.values.tolist())
        assert errors.mean() == pytest.approx(law.mean, abs=5 * errors.std() / math.sqrt(4000) + 1)


@pytest.mark.parametrize("k", [1_500, 2_048])
def test_a_total_error_beyond_64_bits_does_not_wrap(k):
    law = exact_error(SortedCounts([2**53, 0], [2 * k, 1]), StableSet(k, 0.001, 1e-6), "l1")
    assert law.values.tolist() == [0, float(k * 2**53)]
    assert law.mean == pytest.approx(k * 2**53 * (1 - 1e-6))
