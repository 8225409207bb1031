"""What each way of composing rounds makes of a budget, remembered."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk import accounting
from dptopk.ui import work

METHODS = {
    "basic": "basic composition: k rounds of ε/k",
    "paper": "concentrated DP (Gillenwater, Lemma 4.2)",
    "cks": "concentrated DP (Canonne et al.)",
    "renyi": "Rényi moments of a round",
    "optimal": "worst adaptive adversary (tightest)",
}
DASHES = {"optimal": "solid", "renyi": "dash", "cks": "dot", "paper": "dashdot"}


@dataclass(frozen=True)
class Calibrated:
    """One method at the asked budget: its round, its noise, and what it really spends."""

    method: str
    noise: float  # scale of the noise, in users
    spent_epsilon: float  # at the asked delta, by the tightest accounting
    spent_delta: float  # at the asked epsilon, by the tightest accounting


def calibrated(epsilon: float, delta: float, k: int) -> dict[str, tuple[float, float, float]]:
    """Range of a round by each method, and what k of them really spend."""

    def compute(pause: Callable[[], None]) -> dict[str, tuple[float, float, float]]:
        found = {}
        for method in METHODS:
            spread = accounting.local_epsilon(epsilon, delta, k, method)
            found[method] = (
                spread,
                accounting.spent_epsilon(spread, k, delta, "optimal"),
                accounting.spent_delta(spread, k, epsilon, "optimal"),
            )
            pause()
        return found

    methods: dict[str, tuple[float, float, float]] = work.one(
        ("calibrated", epsilon, delta, k), compute, 1, "Calibrating"
    )
    return methods


def spent_curves(spread: float, k: int, highest: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Delta of a run against epsilon, as each method proves it."""
    epsilons = np.linspace(highest / 200, highest, 200)

    def compute(pause: Callable[[], None]) -> dict[str, np.ndarray]:
        curves = {}
        for method in DASHES:
            curves[method] = accounting.spent_delta(spread, k, epsilons, method)
            pause()
        return curves

    return epsilons, work.one(("spent", spread, k, highest), compute, 100)
