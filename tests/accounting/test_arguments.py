"""Test limits of arguments, types of results, and error messages."""

import math

import numpy as np
import pytest

from dptopk.accounting import METHODS, local_epsilon, spent_delta, spent_epsilon


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
