"""Composition against the published numbers, closed forms and searched suprema."""

import math

import mpmath
import numpy as np
import pytest
from scipy import optimize

from dptopk.accounting import _curves, local_epsilon, spent_delta, spent_epsilon

TABLE = [  # epsilon, k, ε0 at δ = 1e-6 by paper, renyi, optimal
    (0.1, 10, 0.01201, 0.01690, 0.01756),
    (0.1, 50, 0.00537, 0.00724, 0.00778),
    (0.1, 200, 0.00269, 0.00359, 0.00389),
    (1, 1, 1.0, 1.0, 1.0016),
    (1, 5, 0.2, 0.23279, 0.23283),
    (1, 10, 0.11822, 0.14980, 0.15334),
    (1, 50, 0.05287, 0.06323, 0.06703),
    (1, 200, 0.02643, 0.03131, 0.03342),
    (4, 10, 0.45072, 0.54640, 0.55314),
    (4, 50, 0.20157, 0.22671, 0.23802),
]


@pytest.mark.parametrize(("epsilon", "k", "paper", "renyi", "optimal"), TABLE)
def test_local_epsilon_table(epsilon, k, paper, renyi, optimal):
    found = [local_epsilon(epsilon, 1e-6, k, m) for m in ("paper", "renyi", "optimal")]
    np.testing.assert_allclose(found, [paper, renyi, optimal], rtol=5e-3)


@pytest.mark.parametrize(
    ("eta", "k", "expected"),
    [
        (0.1, 10, (1.00, 0.844, 0.652, 0.634)),
        (0.1, 50, (5, 1.92, 1.64, 1.54)),
        (1, 10, (10, 9.56, 7.77, 7.72)),
    ],
)
def test_spent_epsilon_table(eta, k, expected):
    found = [spent_epsilon(eta, k, 1e-6, m) for m in ("basic", "paper", "renyi", "optimal")]
    np.testing.assert_allclose(found, expected, rtol=5e-3)


@pytest.mark.parametrize(("epsilon", "delta", "k"), [(1, 1e-6, 10), (0.1, 1e-12, 99), (9, 0.5, 80)])
def test_paper_solves_lemma_4_2(epsilon, delta, k):
    eta = local_epsilon(epsilon, delta, k, "paper")
    lemma = k * eta**2 / 8 + 2 * eta * math.sqrt(k * math.log(1 / delta) / 8)
    assert lemma == pytest.approx(epsilon, rel=1e-12)
    assert spent_epsilon(eta, k, delta, "paper") == pytest.approx(epsilon, rel=1e-12)
    assert spent_delta(eta, k, epsilon, "paper") == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1, 20])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.5])
def test_one_round_optimum_inverts_in_closed_form(epsilon, delta):
    # (1 − e^{(ε−η)/2})² = δ (1 − e^{−η}) is a quadratic in e^{−η/2}.
    root = math.sqrt(delta * (math.expm1(epsilon) + delta))
    expected = 2 * math.log((math.exp(epsilon / 2) + root) / (1 - delta))
    assert local_epsilon(epsilon, delta, 1, "optimal") == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("eta", [1e-7, 0.0999, 0.1001, 1, 8])
def test_largest_kl_is_the_largest(largest_kl, eta):
    assert _curves.largest_kl(eta) == pytest.approx(largest_kl(eta), rel=1e-7)


@pytest.mark.parametrize("eta", [1e-6, 0.03, 1, 12])
@pytest.mark.parametrize("scaled_order", [0.01, 1, 30])
def test_largest_moment_is_the_largest(largest_moment, eta, scaled_order):
    a = scaled_order / eta
    found = _curves.log_largest_moment(eta, np.array(a))
    with mpmath.workdps(50):
        expected = float(mpmath.log(largest_moment(eta, a)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_moments_stay_below_the_zcdp_line():
    a = np.logspace(-3, 5, 200)
    for eta in np.logspace(-6, 2, 60):
        rho = _curves.largest_kl(eta)
        assert np.all(_curves.log_largest_moment(eta, a) <= a * (a + 1) * rho + 1e-13)


@pytest.mark.parametrize(("eta", "share"), [(0.02, 0.25), (0.4, 0.25), (3, 0.6)])
@pytest.mark.parametrize("name", ["cks", "renyi"])
def test_infimum_over_orders(largest_kl, largest_moment, name, eta, share):
    k = 25
    rho = k * largest_kl(eta)
    epsilon = share * k * eta

    def log_delta(log_a):
        a = math.exp(log_a)
        one = a * (a + 1) * rho if name == "cks" else k * mpmath.log(largest_moment(eta, a))
        return float(one) - a * epsilon + a * math.log(a) - (a + 1) * math.log(a + 1)

    guess = math.log(4 / eta)
    best = optimize.minimize_scalar(log_delta, bounds=(guess - 6, guess + 6), method="bounded").fun
    expected = min(math.exp(best), spent_delta(eta, k, epsilon, "paper"))
    assert spent_delta(eta, k, epsilon, name) == pytest.approx(expected, rel=1e-5)
