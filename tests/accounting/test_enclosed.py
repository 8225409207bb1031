"""Test that calibrations for exact draws lie on the safe side of the exact root, and close by."""

from fractions import Fraction

import mpmath
import pytest

from dptopk import local_epsilon
from dptopk.accounting import enclosed

GRID = [
    (epsilon, delta, k)
    for epsilon in (1e-9, 0.1, 1.0, 30.0, 1e12)
    for delta in (1e-300, 1e-6, 0.3, 1 - 2.0**-53)
    for k in (1, 10, 200, 10**9)
]


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
            (enclosed.local_epsilon_at_most, 1, lambda x: k * x**2 / 8),
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
    exact = enclosed.local_epsilon_at_most(Fraction(epsilon), Fraction(delta), k)
    assert float(exact) == pytest.approx(local_epsilon(epsilon, delta, k, "paper"), rel=1e-12)


def test_without_delta_rounds_share():
    assert enclosed.local_epsilon_at_most(Fraction(1), Fraction(0), 3) == Fraction(1, 3)
    assert enclosed.count_epsilon_at_most(Fraction(1), Fraction(0), 3) == Fraction(1, 9)


def test_what_a_logarithm_takes_is_rounded_up():
    with mpmath.workdps(100):
        exact = 1 - 7 * mpmath.log1p(mpmath.mpf(1) / 8)
        less = number(enclosed.less_log1p(Fraction(1), 7, Fraction(1, 8)))
        assert 0 <= exact - less < 1e-30
