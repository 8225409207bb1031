"""Test the order of methods, monotonicity, round trips of conversions, and their arguments."""

import math

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


# --- arguments -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [5e-324, 1e-120, 1e-9, 1e3, 1e16, 1.7e308])
def test_extremes_are_answered(epsilon):
    for delta in (0, 5e-324, 1e-6, 0.5, 1 - 2**-53):
        for k in (1, 12, 10_000, 10**9):
            check_extreme(epsilon, delta, k)


def check_extreme(epsilon, delta, k):
    ranges = [local_epsilon(epsilon, delta, k, method) for method in METHODS]
    assert ranges == sorted(ranges)
    assert math.isfinite(ranges[-1])
    for eta, method in zip(ranges, METHODS, strict=True):
        if eta > 1e-300:  # above the denormal floats
            assert spent_delta(eta, k, epsilon, method) <= max(delta * (1 + 1e-12), 1e-320)
            assert 0 <= spent_epsilon(eta, k, delta, method) < math.inf


def test_shapes_and_kinds():
    assert type(spent_delta(0.1, 5, 0.2, "optimal")) is float
    assert type(spent_delta(0.1, 5, np.float64(0.2), "paper")) is float
    assert spent_delta(0.1, 5, [[0.1, 0.2, 0.3]], "optimal").shape == (1, 3)
    assert spent_delta(0.1, 5, [], "optimal").shape == (0,)
    assert type(local_epsilon(1, 0, 4, "optimal")) is float
    assert type(local_epsilon(np.float32(1), 1e-6, np.int64(4), "cks")) is float


GOOD = {
    local_epsilon: {"epsilon": 1.0, "delta": 1e-6, "k": 5, "method": "paper"},
    spent_epsilon: {"local_epsilon": 0.1, "k": 5, "delta": 1e-6, "method": "paper"},
    spent_delta: {"local_epsilon": 0.1, "k": 5, "epsilon": 1.0, "method": "paper"},
}
BAD = [
    ("epsilon", 0, ValueError, "epsilon must be a finite number above 0, got 0"),
    ("epsilon", math.inf, ValueError, "epsilon must be a finite number above 0, got inf"),
    ("epsilon", math.nan, ValueError, "epsilon must be a finite number above 0, got nan"),
    ("epsilon", "1", TypeError, "epsilon must be a number, got '1'"),
    ("local_epsilon", -0.1, ValueError, "local_epsilon must be a finite number above 0, got -0.1"),
    ("local_epsilon", None, TypeError, "local_epsilon must be a number, got None"),
    ("delta", 1, ValueError, r"delta must be in \[0, 1\), got 1"),
    ("delta", -1e-9, ValueError, r"delta must be in \[0, 1\), got -1e-09"),
    ("delta", math.nan, ValueError, r"delta must be in \[0, 1\), got nan"),
    ("k", 0, ValueError, r"k must be in \[1, 1000000000\], got 0"),
    ("k", 10**9 + 1, ValueError, r"k must be in \[1, 1000000000\], got 1000000001"),
    ("k", 2.0, TypeError, "k must be an integer, got 2.0"),
    ("k", True, TypeError, "k must be an integer, got True"),
    ("method", "rdp", ValueError, "method must be one of 'basic', 'paper'.*got 'rdp'"),
    ("method", None, TypeError, "method must be a string, got None"),
]


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_errors(function, not_refused):
    good = GOOD[function]
    bad = [((name, value), *refusal) for name, value, *refusal in BAD if name in good]
    assert not_refused(lambda name, value: function(**{**good, name: value}), bad) == []


@pytest.mark.parametrize(
    ("epsilon", "error", "message"),
    [
        ([0.1, 0.0], ValueError, r"epsilon\[1\] must be a finite number above 0, got 0"),
        (np.array([0.1, np.nan]), ValueError, r"epsilon\[1\] must be a finite number above 0"),
        (["0.1"], TypeError, r"epsilon\[0\] must be a number"),
        ([True], TypeError, r"epsilon\[0\] must be a number"),
    ],
)
def test_curve_errors_name_the_entry(epsilon, error, message):
    with pytest.raises(error, match=message):
        spent_delta(0.1, 5, epsilon, "optimal")
