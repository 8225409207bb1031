"""Compute and cache the calibrations of a budget by each method of composition."""

from collections.abc import Callable
from functools import partial

import numpy as np

from dptopk import accounting
from dptopk.questions.budget import Spent, calibrations
from dptopk.ui.server import work

DASHES = {"optimal": "solid", "renyi": "dash", "cks": "dot", "paper": "dashdot"}


def calibrated(epsilon: float, delta: float, k: int) -> dict[str, Spent]:
    """Return the range of a round by each method, and the tight cost of k such rounds."""
    compute = partial(calibrations, epsilon, delta, k)
    methods: dict[str, Spent] = work.one(
        ("calibrated", epsilon, delta, k), compute, 1, "Calibrating"
    )
    return methods


def spent_curves(spread: float, k: int, highest: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return delta of a run against epsilon by each method."""
    epsilons = np.linspace(highest / 200, highest, 200)

    def compute(pause: Callable[[], None]) -> dict[str, np.ndarray]:
        curves = {}
        for method in DASHES:
            curves[method] = accounting.spent_delta(spread, k, epsilons, method)
            pause()
        return curves

    return epsilons, work.one(("spent", spread, k, highest), compute, 100)
