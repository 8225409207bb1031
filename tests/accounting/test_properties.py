"""Test the order of the methods, monotonicity, and round trips of conversions."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dptopk.accounting import METHODS, local_epsilon, spent_delta, spent_epsilon

BUDGETS = st.tuples(
    st.floats(-4, 3).map(lambda x: 10**x),  # epsilon
    st.floats(-20, -0.05).map(lambda x: 10**x),  # delta
    st.integers(1, 40),  # k
)
few = settings(max_examples=25, deadline=None, derandomize=True)


@pytest.mark.slow
@few
@given(BUDGETS)
def test_each_method_is_at_least_as_good_as_the_one_before(budget):
    epsilon, delta, k = budget
    ranges = [local_epsilon(epsilon, delta, k, method) for method in METHODS]
    assert ranges == sorted(ranges)
    assert ranges[0] == epsilon / k
    spent = [spent_epsilon(ranges[1], k, delta, method) for method in METHODS]
    assert spent == sorted(spent, reverse=True)
    deltas = [spent_delta(ranges[1], k, epsilon, method) for method in METHODS]
    assert deltas == sorted(deltas, reverse=True)


@pytest.mark.slow
@few
@given(BUDGETS, st.sampled_from(METHODS))
def test_what_is_calibrated_is_what_is_spent(budget, method):
    epsilon, delta, k = budget
    eta = local_epsilon(epsilon, delta, k, method)
    assert spent_delta(eta, k, epsilon, method) <= delta * (1 + 1e-12)
    assert spent_epsilon(eta, k, delta, method) == pytest.approx(epsilon, rel=1e-5)
    back = spent_epsilon(eta, k, delta, method)
    if back > 0:
        assert local_epsilon(back, delta, k, method) == pytest.approx(eta, rel=1e-5)


@pytest.mark.slow
@few
@given(BUDGETS, st.sampled_from(METHODS), st.floats(1.0005, 3))
def test_more_budget_or_fewer_rounds_allow_more(budget, method, factor):
    epsilon, delta, k = budget
    eta = local_epsilon(epsilon, delta, k, method)
    rounding = 1 + 1e-6
    assert local_epsilon(epsilon * factor, delta, k, method) * rounding >= eta
    assert local_epsilon(epsilon, min(delta * factor, 0.9), k, method) * rounding >= eta
    assert local_epsilon(epsilon, delta, k + 1, method) <= eta * rounding


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_rounds_cost(method):
    rounds = [*range(1, 14), 30, 31, 32, 66, 67, 155, 156, 157, 299, 300, 301, 3000, 10_000]
    ranges = [local_epsilon(0.1, 1e-6, k, method) for k in rounds]
    assert np.all(np.diff(ranges) < 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 10, 150])
def test_privacy_curve_falls(method, k):
    epsilons = np.linspace(0.001, 1.1, 200) * k * 0.3
    curve = spent_delta(0.3, k, epsilons, method)
    assert curve.shape == (200,)
    assert np.all(np.diff(curve) <= 0)
    assert np.all(curve[epsilons >= k * 0.3] == 0)
    assert curve[0] <= 1
    if method != "basic":
        some = [0, 17, 60, 110]
        one_by_one = [spent_delta(0.3, k, epsilons[i], method) for i in some]
        np.testing.assert_allclose(one_by_one, curve[some], rtol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 3, 300, 10_000])
def test_pure_privacy_splits_evenly(method, k):
    assert local_epsilon(1.5, 0, k, method) == 1.5 / k
    assert spent_epsilon(0.25, k, 0, method) == 0.25 * k
    assert spent_delta(1.5 / k, k, 1.5, method) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_small_delta_tends_to_pure_privacy(method, k):
    assert local_epsilon(1.0, 1e-290, k, method) == pytest.approx(1 / k, rel=1e-6)


def test_spending_less_than_the_total_variation_is_nothing():
    for method in ("cks", "renyi", "optimal"):
        total_variation = spent_delta(0.1, 10, 1e-12, method)
        assert spent_epsilon(0.1, 10, total_variation * 1.01, method) == 0
