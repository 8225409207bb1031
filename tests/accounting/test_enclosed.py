"""Test that calibrations of exact draws are on the safe side of the root, and close to it."""

import functools
from fractions import Fraction

import mpmath
import pytest

from dptopk import local_epsilon, spent_delta
from dptopk.accounting import _proven_optimum, enclosed

GRID = [
    (epsilon, delta, k)
    for epsilon in (1e-9, 0.1, 1.0, 30.0, 1e12)
    for delta in (1e-300, 1e-6, 0.3, 1 - 2.0**-53)
    for k in (1, 10, 200, 10**9)
]


by_paper = functools.partial(enclosed.local_epsilon_at_most, method="paper")


def spent(rho, delta):
    """Return rho + 2 sqrt(rho ln(1 / delta)) in a thousand digits (Bun, Steinke 2016)."""
    return rho + 2 * mpmath.sqrt(rho * -mpmath.log(delta))


def number(fraction: Fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


@pytest.mark.parametrize(("epsilon", "delta", "k"), GRID)
def test_a_round_gets_what_the_proof_allows_and_no_more(epsilon, delta, k):
    with mpmath.workdps(1000):
        promised, slack = mpmath.mpf(epsilon), mpmath.mpf(10) ** -30
        for found, pure, rho in (
            (by_paper, 1, lambda x: k * x**2 / 8),
            (enclosed.count_epsilon_at_most, 3, lambda x: k * x**2),
        ):
            exact = found(Fraction(epsilon), Fraction(delta), k)
            together, loss = spent(rho(number(exact)), mpmath.mpf(delta)), pure * k * exact
            assert together <= promised or loss <= Fraction(epsilon)
            more = number(exact) * (1 + slack)
            assert spent(rho(more), mpmath.mpf(delta)) > promised * (1 + slack / 10)
            assert pure * k * more > promised


@pytest.mark.parametrize(("epsilon", "delta", "k"), GRID)
def test_it_is_the_calibration_of_floats_but_for_rounding(epsilon, delta, k):
    exact = by_paper(Fraction(epsilon), Fraction(delta), k)
    assert float(exact) == pytest.approx(local_epsilon(epsilon, delta, k, "paper"), rel=1e-12)


def test_without_delta_rounds_share():
    assert by_paper(Fraction(1), Fraction(0), 3) == Fraction(1, 3)
    assert enclosed.count_epsilon_at_most(Fraction(1), Fraction(0), 3) == Fraction(1, 9)


def test_what_a_logarithm_takes_is_rounded_up():
    with mpmath.workdps(100):
        exact = 1 - 7 * mpmath.log1p(mpmath.mpf(1) / 8)
        less = number(enclosed.less_log1p(Fraction(1), 7, Fraction(1, 8)))
        assert 0 <= exact - less < 1e-30


# --- the adaptive optimum ----------------------------------------------------------------

OPTIMA = [
    *((1.0, 1e-6, 1), (1.0, 1e-6, 2), (10.0, 1e-3, 3), (0.1, 1e-6, 10), (1.0, 1e-6, 50)),
    *((1e-3, 1e-6, 20), (40.0, 0.25, 2), (1.0, 1e-6, 1000), (1e12, 0.5, 3), (1e-9, 1e-9, 5)),
]


@pytest.mark.parametrize(("epsilon", "delta", "k"), OPTIMA)
def test_the_optimum_is_proven_at_hardly_less(epsilon, delta, k):
    budget, share = Fraction(epsilon), Fraction(delta)
    eta = enclosed.local_epsilon_at_most(budget, share, k, "optimal")
    found = local_epsilon(epsilon, delta, k, "optimal")
    assert by_paper(budget, share, k) <= eta <= max(budget / k, Fraction(found))
    assert float(eta) == pytest.approx(found, rel=1e-8)
    if eta > by_paper(budget, share, k):
        assert _proven_optimum.delta_at_most(eta, k, budget, delta) <= share


def two_rounds(eta, x):
    """Return V_2(x) by its definition, the maximum over t on a fine grid."""

    def one(y):
        if abs(y) >= eta:
            return 1 - mpmath.exp(y) if y < 0 else mpmath.mpf(0)
        return mpmath.expm1((y - eta) / 2) ** 2 / -mpmath.expm1(-eta)

    def mean(t):
        p = mpmath.expm1(t - eta) / mpmath.expm1(-eta)
        return p * one(x - t) + (1 - p) * one(x - t + eta)

    return max(mean(eta * i / 400) for i in range(401))


@pytest.mark.parametrize("eta", [0.01, 0.3, 1.0, 8.0])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 1.5])
def test_two_rounds_stay_below_the_bound(eta, share):
    epsilon = Fraction(eta) * Fraction(share)
    exact = two_rounds(mpmath.mpf(eta), number(epsilon))
    bound = _proven_optimum.optimal_delta(Fraction(eta), 2, epsilon, -30.0)
    assert exact <= bound <= exact * (1 + mpmath.mpf("0.01")) + 1e-12


@pytest.mark.parametrize(("eta", "k", "epsilon"), [(0.1, 5, 0.2), (0.03, 100, 0.5), (1.0, 8, 4.0)])
def test_bounds_are_those_of_the_floats_but_for_rounding(eta, k, epsilon):
    """The floats of `spent_delta` come with a factor of 1 + 1e-7."""
    bound = _proven_optimum.delta_at_most(Fraction(eta), k, Fraction(epsilon), 1e-6)
    floats = spent_delta(eta, k, epsilon, "optimal")
    assert floats * (1 - 2e-7) <= bound <= floats


def test_one_round_is_exact():
    """(1 - e^((x - eta) / 2))^2 / (1 - e^-eta)."""
    bound = _proven_optimum.optimal_delta(Fraction(1), 1, Fraction(1, 2), -10.0)
    exact = mpmath.expm1(-mpmath.mpf(1) / 4) ** 2 / -mpmath.expm1(-1)
    assert exact <= bound <= exact * (1 + 1e-15)
