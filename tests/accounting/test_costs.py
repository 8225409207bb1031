"""Test the total cost of several releases."""

import math

import numpy as np
import pytest
from scipy import stats

from dptopk.accounting import OutcomeLedger, composed_epsilon, composition, spent_epsilon
from dptopk.core.privacy import ApproximateCost, PerOutcomeCost, PureCost, RangeCost


def delta_of_bits(epsilon: float, times: int, spent: float) -> float:
    """The hockey-stick divergence of so many bits told right with odds e^epsilon."""
    ones, right = np.arange(times + 1), 1 / (1 + math.exp(-epsilon))
    p, q = (stats.binom.pmf(ones, times, chance) for chance in (right, 1 - right))
    return float(np.maximum(p - math.exp(spent) * q, 0).sum())


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3, 0.3])
@pytest.mark.parametrize(("epsilon", "times"), [(0.5, 50), (0.1, 100), (1.0, 10), (3.0, 1)])
def test_pure_releases_cost_what_the_worst_of_them_do(epsilon, times, delta):
    spent = composed_epsilon(PureCost(epsilon, ""), times, delta)
    assert 0 < spent < times * epsilon
    assert delta_of_bits(epsilon, times, spent) == pytest.approx(delta, rel=1e-5)
    assert delta_of_bits(epsilon, times, spent) <= delta * (1 + 1e-9)


def test_without_a_delta_pure_releases_add_up():
    assert composed_epsilon(PureCost(0.3, ""), 7, 0.0) == pytest.approx(2.1, rel=1e-12)
    assert composed_epsilon(PureCost(700.0, ""), 5, 1e-6) == pytest.approx(3500)


def test_a_long_series_is_bounded_by_its_range():
    short, longer = (composed_epsilon(PureCost(1e-3, ""), n, 1e-6) for n in (10**6, 10**6 + 1))
    assert longer == spent_epsilon(2e-3, 10**6 + 1, 1e-6, "optimal")
    assert short < longer


def test_other_costs_compose_by_their_own_rules():
    assert composed_epsilon(RangeCost(3, 0.2, ""), 4, 1e-6) == spent_epsilon(
        0.2, 12, 1e-6, "optimal"
    )
    approximate = ApproximateCost(0.5, 1e-7, "")
    assert composed_epsilon(approximate, 1, 1e-7) == 0.5
    assert composed_epsilon(approximate, 10, 1e-6) == pytest.approx(5.0, rel=1e-9)
    assert composed_epsilon(approximate, 11, 1e-6) == math.inf
    tenth = ApproximateCost(0.1, 0.1, "")
    assert composed_epsilon(tenth, 3, 0.3) < 0.3  # their δ compose to 0.271
    assert composed_epsilon(tenth, 3, 0.27) == math.inf
    assert composed_epsilon(approximate, 10, 0.0) == math.inf


def test_what_is_left_of_a_delta_composes_the_epsilons():
    half = ApproximateCost(0.1, 1e-6 / 104, "")
    spent = composed_epsilon(half, 52, 1e-6)
    assert composed_epsilon(PureCost(0.1, ""), 52, 1e-6) < spent < 52 * 0.1
    assert spent == pytest.approx(composed_epsilon(PureCost(0.1, ""), 52, 5e-7), rel=1e-5)


def test_calls_that_pay_by_outcome_cost_what_their_ledger_does():
    cost = PerOutcomeCost(0.5, 1e-8, "", 0.04, 5e-9, 11)
    ledger = OutcomeLedger(cost, 52 * 11, 52)
    spent = composition(cost, 52, 1e-6)
    left = 1e-6 - 2 * 52 * 5e-9
    assert ledger.total_delta(left) == pytest.approx(1e-6)
    assert spent.epsilon == pytest.approx(ledger.total_epsilon(left, "optimal"), rel=1e-9)
    assert spent.epsilon < composed_epsilon(ApproximateCost(0.5, 1e-8, ""), 52, 1e-6)
    assert "Durfee" in spent.by
    assert composed_epsilon(cost, 52, 1e-8) == math.inf


@pytest.mark.parametrize(
    ("cost", "times", "delta", "by"),
    [
        (PureCost(0.1, ""), 52, 0.0, "by adding up"),
        (PureCost(0.1, ""), 52, 1e-6, "Kairouz et al. 2015, Theorem 3.3"),
        (PureCost(0.001, ""), 10**6 + 1, 1e-6, "by the moments of adaptive rounds"),
        (PureCost(50.0, ""), 10**6 + 1, 1e-6, "by adding up"),
        (ApproximateCost(0.5, 1e-14, ""), 10, 1e-13, "by adding up"),
        (RangeCost(1, 0.1, ""), 52, 0.0, "by adding up"),
        (RangeCost(1, 0.1, ""), 52, 1e-6, "as adaptive rounds of bounded range (Dong"),
        (RangeCost(10, 0.1, ""), 52, 1e-6, "by the moments of adaptive rounds"),
    ],
)
def test_a_composition_names_its_theorem(cost, times, delta, by):
    found = composition(cost, times, delta)
    assert by in found.by
    assert (found.epsilon, found.delta) == (composed_epsilon(cost, times, delta), delta)
