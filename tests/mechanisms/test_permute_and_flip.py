"""Permute-and-flip in groups: against its definition, exact polynomials and quadrature."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from slow_laws import permute_and_flip as exact_permute_and_flip

from dptopk.mechanisms.kernels import permute_and_flip


def one(log_odds, log_n, own):
    """Log probability of one candidate in one situation."""
    given = (np.array([x], dtype=float) for x in (log_odds, log_n, own))
    return float(permute_and_flip.log_pmf(*given, np.array([0]))[0])


def by_definition(odds):
    """Visit candidates in every order; the first whose coin comes up is returned."""
    probability = [0.0] * len(odds)
    orders = list(itertools.permutations(range(len(odds))))
    for order in orders:
        none_before = 1.0
        for candidate in order:
            probability[candidate] += none_before * odds[candidate] / len(orders)
            none_before *= 1 - odds[candidate]
    return probability


@pytest.mark.parametrize(
    "odds", [[1.0], [1.0, 1.0], [1.0, 0.5], [1.0, 0.9, 0.9, 0.1], [0.3, 1.0, 1.0, 0.01, 0.7]]
)
def test_agrees_with_the_definition(odds):
    expected = by_definition(odds)
    log_odds = np.log(odds)
    np.testing.assert_allclose(np.exp(exact_permute_and_flip(log_odds)), expected, rtol=1e-12)
    ours = permute_and_flip.log_pmf(
        log_odds[None], np.zeros((1, len(odds))), log_odds, np.zeros(len(odds), dtype=int)
    )
    np.testing.assert_allclose(np.exp(ours), expected, rtol=1e-12)


@pytest.mark.parametrize("n_ties", [1, 2, 60, 1000, 10**9])
def test_ties_share_equally(n_ties):
    """At 60 ties the alternating series of the literature is off by hundreds."""
    assert one([0.0], [math.log(n_ties)], 0.0) == pytest.approx(-math.log(n_ties), abs=1e-12)


@pytest.mark.parametrize("n_ties", [5, 60, 200])
def test_grouped_ties_against_the_exact_polynomial(n_ties):
    log_odds = [0.0] * n_ties + [-0.3] * 7 + [-2.5]
    expected = exact_permute_and_flip(log_odds)
    groups, sizes = [0.0, -0.3, -2.5], np.log([n_ties, 7, 1])
    for own, place in ((0.0, 0), (-0.3, n_ties), (-2.5, -1)):
        assert one(groups, sizes, own) == pytest.approx(expected[place], abs=1e-11)


def quadrature(log_odds, log_n, own):
    """50 digits of q * integral of exp(sum n log(1 - t q)) / (1 - t q_own), in t = y / W."""
    with mpmath.workdps(50):
        q = [mpmath.exp(x) for x in log_odds]
        n = [mpmath.exp(x) for x in log_n]
        q_own = mpmath.exp(own)
        total = mpmath.fsum(a * b for a, b in zip(n, q, strict=True))

        def integrand(y):
            t = y / total
            if t * max(q) >= 1:
                return mpmath.mpf(0)
            exponent = mpmath.fsum(b * mpmath.log1p(-t * a) for a, b in zip(q, n, strict=True))
            return mpmath.exp(exponent - mpmath.log1p(-t * q_own))

        end = min(total, mpmath.mpf(120))
        integral = mpmath.quad(integrand, mpmath.linspace(0, end, 13))
        return float(mpmath.log(q_own * integral / total))


@pytest.mark.slow
@pytest.mark.parametrize(
    "log_total",
    [math.log(1.5), math.log(2), math.log(44), math.log(46), math.log(60), math.log(1e6), 500.0],
)
@pytest.mark.parametrize("own", [0.0, -3.0, -60.0])
def test_any_total_weight_against_quadrature(log_total, own):
    """W, the total odds, below and above the switch at 45, and far beyond float64."""
    rest = math.expm1(log_total)  # W = 1 from the best candidate, the rest spread over two groups
    log_odds = [0.0, -3.0, -60.0]
    log_n = [0.0, math.log(0.9 * rest) + 3.0, math.log(0.1 * rest) + 60.0]
    assert one(log_odds, log_n, own) == pytest.approx(quadrature(log_odds, log_n, own), abs=1e-11)


def test_infinite_weight_is_the_exponential_mechanism():
    """As W grows, P(s) -> q_s / W, Joint's law."""
    log_odds, log_n = [0.0, -5.0, -400.0], [3.0, 200.0, 900.0]
    log_total = np.logaddexp.reduce(np.add(log_odds, log_n))
    for own in log_odds:
        assert one(log_odds, log_n, own) == pytest.approx(own - log_total, abs=1e-12)


def test_empty_groups_change_nothing():
    with_empty = one([0.0, -1.0, -2.0], [0.0, -np.inf, 1.0], -2.0)
    assert with_empty == pytest.approx(one([0.0, -2.0], [0.0, 1.0], -2.0), abs=1e-14)


def test_situations_are_independent():
    log_odds = np.array([[0.0, -1.0], [0.0, -4.0]])
    log_n = np.log([[1.0, 3.0], [2.0, 50.0]])
    own = np.array([-4.0, 0.0, -1.0])
    both = permute_and_flip.log_pmf(log_odds, log_n, own, np.array([1, 1, 0]))
    alone = [one(log_odds[s], log_n[s], x) for s, x in zip((1, 1, 0), own, strict=True)]
    np.testing.assert_allclose(both, alone, rtol=1e-14)
