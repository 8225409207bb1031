"""Bounds on δ at ε from the cost of a round: the methods ``paper``, ``cks`` and ``renyi``."""

import functools
import math

import numpy as np

from dptopk.accounting._limits import SMALLEST_RANGE, Curve
from dptopk.accounting._rounds import largest_kl, log_largest_moment
from dptopk.core.array_types import FloatArray


def paper_curve(eta: float, k: int) -> Curve:
    """Return ln δ = −(ε − ρ)²/(4ρ) for ε ≥ ρ = kη²/8 (Bun, Steinke 2016, Prop. 1.3)."""
    return lambda epsilon: -2 / k * np.maximum(epsilon / eta - k * eta / 8, 0.0) ** 2


def cks_curve(eta: float, k: int) -> Curve:
    """Return ln δ of ρ-zCDP (Canonne, Kamath, Steinke 2020), ρ from the largest KL divergence."""
    eta = max(eta, SMALLEST_RANGE)
    rho = k * largest_kl(eta)
    return functools.partial(_least_over_orders, lambda a: a * (a + 1) * rho, eta)


def renyi_curve(eta: float, k: int) -> Curve:
    """Return ln δ from the largest moment of a round, to the power k."""
    eta = max(eta, SMALLEST_RANGE)
    return functools.partial(_least_over_orders, lambda a: k * log_largest_moment(eta, a), eta)


def _least_over_orders(log_moment: Curve, eta: float, epsilon: FloatArray) -> FloatArray:
    """Return inf over a > 0 of ln( e^{log_moment(a) − aε} a^a/(a+1)^{a+1} ); any a is a proof.

    The exponent is convex in a: five ever finer grids in ln a.
    """
    epsilon = np.asarray(epsilon)[..., None]
    low = np.full(epsilon.shape, math.log(1e-6))
    high = np.full(epsilon.shape, math.log(1e6) + max(0.0, -math.log(eta)))
    for _ in range(5):
        grid = low + (high - low) * np.linspace(0, 1, 33)
        a = np.exp(grid)
        gain, loss = log_moment(a), a * epsilon
        exponent = gain - loss - a * np.log1p(1 / a) - np.log1p(a) + 1e-15 * (gain + loss)
        best = np.argmin(exponent, axis=-1, keepdims=True)  # the last term covers rounding
        low = np.take_along_axis(grid, np.maximum(best - 1, 0), -1)
        high = np.take_along_axis(grid, np.minimum(best + 1, 32), -1)
    least: FloatArray = np.min(exponent, axis=-1)
    return least
