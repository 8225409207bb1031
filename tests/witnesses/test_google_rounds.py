"""Test composed rounds against Google's privacy loss distributions."""

import functools

import pytest
from dp_accounting.pld import common, privacy_loss_distribution as google_pld

from dptopk.accounting import local_epsilon, spent_delta


@pytest.fixture(scope="module")
def google_round(two_point_round):
    """The two-point round with t = i eta / steps, exact: both losses are on the grid."""

    def compute(eta: float, steps: int, i: int) -> google_pld.PrivacyLossDistribution:
        top, rest = two_point_round(eta, i * eta / steps)
        return google_pld.PrivacyLossDistribution.create_from_rounded_probability(
            {i: top, i - steps: rest}, infinity_mass=0.0, value_discretization_interval=eta / steps
        )

    return compute


@pytest.fixture(scope="module")
def google_nonadaptive_delta(google_round):
    """Delta of k worst rounds that all have the same t: no proof can be below it."""

    @functools.cache
    def compute(eta: float, k: int, epsilon: float, steps: int = 60) -> float:
        return max(
            google_round(eta, steps, i).self_compose(k, 0.0).get_delta_for_epsilon(epsilon)
            for i in range(1, steps)
        )

    return compute


def test_proofs_lie_between_the_nonadaptive_limit_and_cks(google_nonadaptive_delta, rounds):
    eta, k, epsilon = rounds
    limit = google_nonadaptive_delta(eta, k, epsilon)
    optimal, renyi, cks = (spent_delta(eta, k, epsilon, m) for m in ("optimal", "renyi", "cks"))
    assert limit <= optimal <= renyi <= cks
    assert optimal < 1.1 * limit
    assert renyi < 5 * limit


def test_the_nonadaptive_limit_catches_a_range_off_by_a_twentieth(google_nonadaptive_delta, rounds):
    eta, k, epsilon = rounds
    assert spent_delta(0.95 * eta, k, epsilon, "optimal") < google_nonadaptive_delta(
        eta, k, epsilon
    )


@pytest.mark.parametrize("eta", [0.01, 0.3, 2.0, 8.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_one_round_is_googles(google_round, eta, share):
    """For one round the worst t is (epsilon + eta) / 2; 1e-7 is what ours rounds up by."""
    steps = 20
    i = round(steps * (1 + share) / 2)
    round_ = google_round(eta, steps, i)
    expected = round_.get_delta_for_epsilon((2 * i - steps) * eta / steps)
    ours = spent_delta(eta, 1, (2 * i - steps) * eta / steps, "optimal")
    assert ours == pytest.approx(expected, rel=2e-7)


def test_mixed_rounds_stay_below_the_optimum(google_round, rounds, rng):
    eta, k, epsilon = rounds
    steps, k = 60, min(k, 20)
    epsilon = min(epsilon, k * eta / 3)
    proven = spent_delta(eta, k, epsilon, "optimal")
    for _ in range(20):
        places = rng.integers(1, steps, size=k)
        composed = functools.reduce(
            lambda one, other: one.compose(other, 0.0),
            (google_round(eta, steps, int(i)) for i in places),
        )
        assert composed.get_delta_for_epsilon(epsilon) <= proven + 1e-13  # what its FFT rounds


def test_bounded_range_is_cheaper_than_pure_privacy(google_nonadaptive_delta, rounds):
    """A range of eta is eta-DP; dp_accounting composes that, and can only spend more."""
    eta, k, epsilon = rounds
    pure = google_pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(eta, 0.0), value_discretization_interval=eta / 100
    )
    upper = pure.self_compose(k).get_delta_for_epsilon(epsilon)
    assert google_nonadaptive_delta(eta, k, epsilon) < upper
    assert spent_delta(eta, k, epsilon, "optimal") < upper


def test_local_epsilon_inverts_googles_conversion(google_nonadaptive_delta):
    """Calibrated by "optimal", the worst non-adaptive rounds spend almost all of delta."""
    for epsilon, delta, k in [(1.0, 1e-6, 10), (1.0, 1e-6, 50), (0.1, 1e-6, 10), (4.0, 1e-4, 10)]:
        eta = local_epsilon(epsilon, delta, k, "optimal")
        assert 0.75 * delta < google_nonadaptive_delta(eta, k, epsilon) <= delta
