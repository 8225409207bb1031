"""Test conversions of zCDP and Renyi divergences against OpenDP's and Google's."""

import math

import dp_accounting
import numpy as np
import opendp.prelude as dp
import pytest
from dp_accounting.rdp import rdp_privacy_accountant as google_rdp
from scipy import optimize

from dptopk import Joint
from dptopk.accounting import spent_delta, spent_epsilon

ORDERS = 1 + np.geomspace(0.02, 1e4, 3000)  # dp_accounting minimizes over those it is given


def largest(function, eta: float) -> float:
    """Largest value of a smooth function with one peak on [0, eta]."""
    found = optimize.minimize_scalar(
        lambda t: -function(t), bounds=(0, eta), method="bounded", options={"xatol": 1e-9 * eta}
    )
    return -found.fun


@pytest.fixture(scope="module")
def log_moment(two_point_round):
    """Natural log of E e^(a L) of the two-point round."""

    def compute(eta: float, t: float, a: float) -> float:
        return float(np.logaddexp(*np.log(two_point_round(eta, t)) + a * np.array([t, t - eta])))

    return compute


@pytest.fixture(scope="module")
def worst_rho(two_point_round):
    """k times the largest KL divergence of a round."""

    def compute(eta: float, k: int) -> float:
        return k * largest(lambda t: np.dot(two_point_round(eta, t), [t, t - eta]), eta)

    return compute


def test_cks_converts_as_google_does(worst_rho, rounds):
    eta, k, epsilon = rounds
    accountant = google_rdp.RdpAccountant(orders=ORDERS)
    accountant.compose(dp_accounting.ZCDpEvent(rho=worst_rho(eta, k)))
    delta = spent_delta(eta, k, epsilon, "cks")
    assert delta == pytest.approx(accountant.get_delta(epsilon), rel=1e-4)
    assert accountant.get_epsilon(delta) == pytest.approx(epsilon, rel=1e-5)


def test_cks_converts_as_opendp_does(make_case, worst_rho, rounds):
    eta, k, epsilon = rounds
    # Any measurement of zCDP: at a sensitivity of 1 and a scale of s it costs (2/s)^2 / 8.
    case = make_case(Joint(1, 1.0), (1, 0))
    scale = 1 / math.sqrt(2 * worst_rho(eta, k))
    profile = dp.c.make_zCDP_to_approxDP(case.measurement(scale)).map(1)
    delta = spent_delta(eta, k, epsilon, "cks")
    assert delta == pytest.approx(profile.delta(epsilon), rel=1e-6)
    assert spent_epsilon(eta, k, delta, "cks") == pytest.approx(profile.epsilon(delta), rel=1e-6)


def test_renyi_converts_as_google_does(log_moment, rounds):
    eta, k, epsilon = rounds
    orders = 1 + np.geomspace(0.5, 200, 300)
    divergences = [k * largest(lambda t, a=a: log_moment(eta, t, a), eta) / a for a in orders - 1]
    delta, _ = google_rdp.compute_delta(orders, divergences, epsilon)
    assert spent_delta(eta, k, epsilon, "renyi") == pytest.approx(delta, rel=1e-3)


def test_conversions_notice_a_range_off_by_a_tenth(worst_rho, rounds):
    eta, k, epsilon = rounds
    accountant = google_rdp.RdpAccountant(orders=ORDERS)
    accountant.compose(dp_accounting.ZCDpEvent(rho=worst_rho(eta, k)))
    google = accountant.get_delta(epsilon)
    assert 1.2 * spent_delta(0.9 * eta, k, epsilon, "cks") < google
    assert spent_delta(1.1 * eta, k, epsilon, "cks") > 1.2 * google
