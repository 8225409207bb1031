"""Test the joint cost of releases against Google's privacy loss distributions."""

import pytest
from dp_accounting.pld import common, privacy_loss_distribution as google_pld

from dptopk.accounting import composed_epsilon, spent_delta
from dptopk.core.privacy import ApproximateCost, PureCost, RangeCost


def composed_by_google(epsilon: float, own: float, times: int, delta: float) -> float:
    """The ε of as many mechanisms that are as bad as (ε, δ) allows; both losses are on the grid."""
    worst = google_pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, own), value_discretization_interval=epsilon
    )
    return worst.self_compose(times, 0.0).get_epsilon_for_delta(delta)


@pytest.mark.parametrize(("epsilon", "times"), [(0.165, 52), (0.05, 100), (1.0, 10)])
@pytest.mark.parametrize("own", [0.0, 1e-8])
def test_releases_compose_as_googles_do(epsilon, times, own):
    cost = ApproximateCost(epsilon, own, "") if own else PureCost(epsilon, "")
    expected = composed_by_google(epsilon, own, times, 1e-5)
    assert composed_epsilon(cost, times, 1e-5) == pytest.approx(expected, rel=1e-4)


def test_a_year_of_bounded_range_costs_less_than_google_says_of_pure_privacy():
    ours = composed_epsilon(RangeCost(1, 0.165, ""), 52, 1e-6)
    assert ours < 0.5 * composed_by_google(0.165, 0.0, 52, 1e-6)
    assert spent_delta(0.165, 52, ours, "optimal") <= 1e-6
