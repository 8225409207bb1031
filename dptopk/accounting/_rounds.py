"""Worst case of one round of range η: its KL divergence, its moments, its δ.

Of all rounds whose losses fit into [t − η, t], the one that only takes the two ends is worst,
by convexity; each function here is the supremum over t in closed form.
"""

import math

import numpy as np

from dptopk.core.array_types import FloatArray


def largest_kl(eta: float) -> float:
    """Return y − 1 − ln y at y = η/(1 − e^{−η}); at most η²/8."""
    if eta < 0.1:  # the closed form cancels; alternating series, cut behind a positive term
        square = (eta / 2) ** 2
        return square / 2 - square**2 / 36 + square**3 / 405
    y = eta / -math.expm1(-eta)
    return y - 1 - math.log(y)


def log_largest_moment(eta: float, a: FloatArray) -> FloatArray:
    """Return ln M_a = ln(A/α) + a ln(aA/(αB)), with A/B = e^η (1 + (1 − e^{−η})/(e^{aη} − 1))."""
    correction = np.log1p(-math.expm1(-eta) / np.expm1(np.minimum(a * eta, 700.0)))
    log_ratio = eta + correction - np.log1p(1 / a)
    log_moment = np.log(np.expm1(-(a + 1) * eta) / ((a + 1) * math.expm1(-eta))) + a * log_ratio
    return np.minimum(log_moment, a * (a + 1) * eta**2 / 8)  # Hoeffding's, for tiny aη


def one_round(eta: float, x: FloatArray) -> FloatArray:
    """Return V_1(x) = (1 − e^{(x−η)/2})²/(1 − e^{−η}) for |x| ≤ η; the best t is (x + η)/2."""
    delta: FloatArray = np.expm1((x - eta) / 2) ** 2 / -math.expm1(-eta)
    return delta
