"""Compute the noise that a privacy budget requires, by each method of composition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dptopk import accounting
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import Progress
from dptopk.core.parameters import Choice
from dptopk.core.privacy import RangeCost
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.view import View

TITLE = "Noise and cost by method of composition"
CALIBRATION = "calibration"
METHODS = {
    "basic": "basic composition: k rounds of ε/k",
    "paper": "concentrated DP (Gillenwater, Lemma 4.2)",
    "cks": "concentrated DP (Canonne et al.)",
    "renyi": "Rényi moments of a round",
    "optimal": "optimal composition (tightest)",
}


@dataclass(frozen=True)
class Calibrated:
    """One composition method at a budget: the range of a round, its noise and the actual cost."""

    method: str
    noise: float  # scale of the noise, in users
    spent_epsilon: float  # at the asked delta, by the tightest accounting
    spent_delta: float  # at the asked epsilon, by the tightest accounting


def ranges(epsilon: float, delta: float, k: int) -> dict[str, float]:
    """Return the range of a round by each method."""
    return {method: accounting.local_epsilon(epsilon, delta, k, method) for method in METHODS}


def calibrations(epsilon: float, delta: float, k: int, product: float) -> list[Calibrated]:
    """Return each method with the actual cost of k rounds; ``product`` as `noise_times_range`."""
    rows = []
    for method, range_ in ranges(epsilon, delta, k).items():
        spent_epsilon = accounting.spent_epsilon(range_, k, delta, "optimal")
        spent_delta = accounting.spent_delta(range_, k, epsilon, "optimal")
        rows.append(Calibrated(method, product / range_, spent_epsilon, spent_delta))
    return rows


def spent_deltas(
    range_: float, k: int, epsilons: tuple[float, ...], methods: tuple[str, ...]
) -> dict[str, FloatArray]:
    """Return the delta that k rounds of a range spend at each epsilon, by method."""
    at = np.array(epsilons)
    return {method: accounting.spent_delta(range_, k, at, method) for method in methods}


def noise_times_range(mechanism: Mechanism) -> float:
    """Return the product of noise scale and range of a round, a constant of the mechanism."""
    assert isinstance(mechanism.cost, RangeCost)
    return float(mechanism.scale * mechanism.cost.range)


def calibration_rows(rows: Sequence[Calibrated], unit: str) -> pd.DataFrame:
    """Return one row per method."""
    paper = next(row for row in rows if row.method == "paper")
    return pd.DataFrame(
        {
            "method": row.method,
            "what it is": METHODS[row.method],
            "ε₀ = 1 / scale": 1 / row.noise,
            f"noise scale ({unit})": row.noise,
            "noise against paper": row.noise / paper.noise,
            "ε spent at δ": row.spent_epsilon,
            "δ spent at ε": row.spent_delta,
        }
        for row in rows
    )


def calibrated() -> tuple[type[Mechanism], Choice]:
    """Return the first registered mechanism that has a choice of calibrations, and the choice."""
    pairs = ((m, p) for m in MECHANISMS.values() for p in m.card.parameters if p.key == CALIBRATION)
    mechanism, parameter = next(pairs)
    assert isinstance(parameter, Choice)
    return mechanism, parameter


def each_calibration(view: View) -> list[Mechanism]:
    """Return the mechanism at the asked budget, once for each calibration."""
    mechanism, parameter = calibrated()
    return [view.build(mechanism, view.k, calibration=option) for option in parameter.options]


def of_any_counts(mechanisms: Sequence[Mechanism]) -> Origin:
    """Return the origin of numbers that follow from the settings alone."""
    return Origin("any counts", None, mechanisms, "proven bounds")


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Calibrate the rounds of the mechanism by every method that it takes."""
    mechanism, _ = calibrated()
    product = noise_times_range(view.build(mechanism, view.k))
    rows = calibrations(view.epsilon, view.delta, view.k, product)
    frame = calibration_rows(rows, view.unit)
    return Answer(
        "calibrations",
        TITLE,
        frame,
        of_any_counts(each_calibration(view)),
        tuple(name for name in map(str, frame) if name != "what it is"),
        (f"Of {mechanism.name}, in {view.k} rounds; spent: at most, by the tightest accounting.",),
    )
