"""Independent references for composition: brute-force adversaries and searched suprema.

Helpers are fixtures that return functions, so that test modules need no import path.
"""

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats


@pytest.fixture(scope="session")
def chance_of_top():
    """P(loss t) of the round with losses t and t − η."""

    def compute(eta, t):
        return np.expm1(t - eta) / np.expm1(-eta)

    return compute


@pytest.fixture(scope="session")
def lattice_adversary(chance_of_top):
    """δ of the best adaptive adversary whose t are multiples of eta/steps: below the optimum."""

    def compute(eta, k, epsilon, steps):
        t = eta * np.arange(steps + 1) / steps
        p = chance_of_top(eta, t)
        unspent = epsilon + eta / steps * np.arange(-k * steps, k * steps + 1)
        value = np.maximum(-np.expm1(unspent), 0.0)
        for _ in range(k):
            n = value.size - 2 * steps
            value = np.max(
                [
                    p[i] * value[steps - i :][:n] + (1 - p[i]) * value[2 * steps - i :][:n]
                    for i in range(steps + 1)
                ],
                axis=0,
            )
        return value.item()

    return compute


@pytest.fixture(scope="session")
def nonadaptive_delta(chance_of_top):
    """δ of the best adversary with one t in all rounds (Dong, Durfee, Rogers 2020): binomial."""

    def compute(eta, k, epsilon):
        t = np.linspace(0, eta, 801)[1:-1, None]
        tops = np.arange(k + 1)
        loss = k * t - (k - tops) * eta
        mass = stats.binom.pmf(tops, k, chance_of_top(eta, t))
        return float(np.max(np.sum(mass * np.maximum(-np.expm1(epsilon - loss), 0), axis=1)))

    return compute


@pytest.fixture(scope="session")
def largest_kl(chance_of_top):
    """The largest KL divergence of a round, by search over t."""

    def compute(eta):
        def kl(t):
            p = chance_of_top(eta, t)
            return p * t + (1 - p) * (t - eta)

        return -optimize.minimize_scalar(lambda t: -kl(t), bounds=(0, eta), method="bounded").fun

    return compute


@pytest.fixture(scope="session")
def largest_moment():
    """The largest E e^(aL) of a round, by search over t, fifty digits."""

    def compute(eta, a):
        with mpmath.workdps(50):
            eta, a = mpmath.mpf(eta), mpmath.mpf(a)

            def moment(share):
                t = share * eta
                p = (1 - mpmath.exp(t - eta)) / (1 - mpmath.exp(-eta))
                return p * mpmath.exp(a * t) + (1 - p) * mpmath.exp(a * (t - eta))

            low, high = mpmath.mpf(0), mpmath.mpf(1)
            for _ in range(120):  # ternary search
                left, right = low + (high - low) / 3, high - (high - low) / 3
                low, high = (left, high) if moment(left) < moment(right) else (low, right)
            return moment(low)

    return compute
