"""Privacy curve δ(ε) of k rounds: the least of all bounds up to the chosen method."""

from collections.abc import Callable

import numpy as np

from dptopk.accounting._conversions import cks_curve, paper_curve, renyi_curve
from dptopk.accounting._limits import METHODS, OPTIMAL_MAX_RANGE, OPTIMAL_MAX_ROUNDS, Curve
from dptopk.accounting._optimum import optimal_curve
from dptopk.core.array_types import FloatArray

_CONVERSIONS: dict[str, Callable[[float, int], Curve]] = {
    "paper": paper_curve,
    "cks": cks_curve,
    "renyi": renyi_curve,
}


def log_delta_curve(eta: float, k: int, method: str, log_floor: float) -> Curve:
    """Return the function ε ↦ ln δ(ε) of a method, accurate down to ``log_floor``."""
    pure = min(k * eta, 1.7e308)
    bounds: list[Curve] = []
    if pure < 1e15:  # else the rounding of kη is larger than what any δ buys
        names = METHODS[1 : METHODS.index(method) + 1]
        bounds = [_CONVERSIONS[name](eta, k) for name in names if name in _CONVERSIONS]
        if method == "optimal" and k <= OPTIMAL_MAX_ROUNDS and eta <= OPTIMAL_MAX_RANGE:
            bounds.append(optimal_curve(eta, k, log_floor))

    def log_delta(epsilon: FloatArray) -> FloatArray:
        inside = np.minimum(epsilon, pure)
        least = np.minimum.reduce([np.zeros_like(inside), *(bound(inside) for bound in bounds)])
        return np.where(epsilon >= pure * (1 - 1e-15), -np.inf, least)  # ε/k was rounded

    return log_delta
