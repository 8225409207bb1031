"""Test each composition proof against brute-force adversaries, and how tight the optimum is."""

import math

import pytest
from scipy import optimize

from dptopk.accounting import METHODS, _curves, local_epsilon, spent_delta

ADVERSARY_CASES = [
    (eta, k, share * k * eta)
    for eta in (0.05, 0.5, 2.0)
    for k in (1, 2, 3, 6)
    for share in (0.03, 0.3, 0.6, 0.9)
]


@pytest.fixture(scope="module")
def underestimates(lattice_adversary):
    """Cases in which a brute-force adversary does more harm than a bound admits."""
    harm = {case: lattice_adversary(*case, steps=120) for case in ADVERSARY_CASES}

    def compute(delta_of):
        return [case for case in ADVERSARY_CASES if harm[case] > delta_of(*case) * (1 + 1e-9)]

    return compute


@pytest.mark.parametrize("method", METHODS)
def test_adaptive_adversary_stays_below(underestimates, method):
    assert underestimates(lambda *case: spent_delta(*case, method)) == []


@pytest.mark.parametrize(("eta", "k", "epsilon"), ADVERSARY_CASES)
def test_optimal_is_reached_by_an_adaptive_adversary(lattice_adversary, eta, k, epsilon):
    reached = lattice_adversary(eta, k, epsilon, steps=240)
    assert reached <= spent_delta(eta, k, epsilon, "optimal") <= reached * 1.003
    assert spent_delta(eta, k, epsilon, "optimal") <= reached + 1e-4


def test_the_adversary_catches_wrong_accounting(underestimates, monkeypatch):
    optimal = {case: spent_delta(*case, "optimal") for case in ADVERSARY_CASES}
    assert underestimates(lambda *case: 0.99 * optimal[case])
    assert underestimates(lambda eta, k, x: spent_delta(0.97 * eta, k, x, "optimal"))
    assert underestimates(lambda eta, k, x: spent_delta(eta, max(k - 1, 1), x, "optimal"))

    right_kl, right_moment = _curves.largest_kl, _curves.log_largest_moment
    monkeypatch.setattr(_curves, "largest_kl", lambda eta: right_kl(eta) / 2)
    assert underestimates(lambda *case: spent_delta(*case, "cks"))
    monkeypatch.setattr(_curves, "largest_kl", right_kl)
    monkeypatch.setattr(_curves, "log_largest_moment", lambda eta, a: right_moment(eta, a) / 2)
    assert underestimates(lambda *case: spent_delta(*case, "renyi"))


@pytest.mark.parametrize("k", [20, 90])
@pytest.mark.parametrize("eta", [0.01, 0.6])
def test_optimal_bounds_a_coarse_adversary_over_many_rounds(lattice_adversary, k, eta):
    for epsilon in (0.1 * math.sqrt(k) * eta, 1.5 * math.sqrt(k) * eta):
        reached = lattice_adversary(eta, k, epsilon, steps=24)
        assert reached <= spent_delta(eta, k, epsilon, "optimal") <= reached * 1.1


NONADAPTIVE_CASES = [(0.1, 1e-6, 10), (1, 1e-6, 10), (1, 1e-6, 50), (4, 1e-6, 50), (1, 1e-3, 200)]


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta", "k"), NONADAPTIVE_CASES)
def test_nonadaptive_optimum_is_the_limit(nonadaptive_delta, epsilon, delta, k):
    eta = local_epsilon(epsilon, delta, k, "optimal")
    limit = optimize.brentq(
        lambda x: nonadaptive_delta(x, k, epsilon) - delta, eta * 0.99, eta * 1.1, xtol=1e-9
    )
    assert limit / 1.015 <= eta <= limit
