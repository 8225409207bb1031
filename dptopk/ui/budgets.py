"""The budget page: what each way of composing rounds makes of a budget."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import accounting
from dptopk.mechanisms import CALIBRATIONS, CDPPeel
from dptopk.privacy import NeighborRelation
from dptopk.ui import show
from dptopk.ui.controls import View

METHODS = {
    "basic": "basic composition: k rounds of ε/k",
    "paper": "concentrated DP, Lemma 4.2 of the paper",
    "cks": "concentrated DP, conversion of Canonne et al.",
    "renyi": "Rényi moments of a round",
    "optimal": "worst adaptive adversary (tightest)",
}

RANGES = (
    "**Why rounds of the exponential mechanism compose so well.** Adding Gumbel noise (a random "
    "number of the given scale) to every count and taking the largest is the exponential "
    "mechanism. The privacy loss of one round lies in an interval of length r, its *range*, not "
    "in all of [−r, r]: k rounds spend about r·√(k·ln(1/δ)/2) + k·r²/8 instead of k·r.\n"
    "- **CDP-Peel**: k rounds of range r = ε₀ when one user joins or leaves, r = 2ε₀ when one is "
    "replaced, with ε₀ = 1 / noise scale.\n"
    "- **Joint**: a single choice of range ε; to compose it with other releases, count it as one "
    "round of range ε.\n"
    "- **PNFJoint and PNF-Peel**: permute-and-flip is ε-private but its loss may span up to 2ε (on "
    "two equal items ε + ln(2 − e^−ε)), so it does not get the discount: PNF-Peel divides its "
    "budget by k."
)


@dataclass(frozen=True)
class Calibrated:
    """One method at the asked budget: its round, its noise, and what it really spends."""

    method: str
    local_epsilon: float  # as used: half the calibrated range under swap
    spent_epsilon: float  # at the asked delta, by the tightest accounting
    spent_delta: float  # at the asked epsilon, by the tightest accounting

    @property
    def noise(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.local_epsilon


@st.cache_data(max_entries=64, show_spinner="Calibrating")
def calibrate(epsilon: float, delta: float, k: int, swap: bool) -> list[Calibrated]:
    """Calibrate every method for k rounds."""
    rows = []
    for method in METHODS:
        calibrated = accounting.local_epsilon(epsilon, delta, k, method)
        rows.append(
            Calibrated(
                method,
                calibrated / 2 if swap else calibrated,
                accounting.spent_epsilon(calibrated, k, delta, "optimal"),
                accounting.spent_delta(calibrated, k, epsilon, "optimal"),
            )
        )
    return rows


@st.cache_data(max_entries=64, show_spinner=False)
def curves(local_epsilon: float, k: int, highest: float) -> tuple[np.ndarray, dict]:
    """Delta of a run against epsilon, as each method proves it."""
    epsilons = np.linspace(highest / 200, highest, 200)
    dashes = {"optimal": "solid", "renyi": "dash", "cks": "dot", "paper": "dashdot"}
    return epsilons, {
        METHODS[method]: (accounting.spent_delta(local_epsilon, k, epsilons, method), dash)
        for method, dash in dashes.items()
    }


def tiles(rows: list[Calibrated], calibration: str) -> list[show.Tile]:
    """Noise of the chosen calibration, what it saves, and what it spends."""
    by_method = {row.method: row for row in rows}
    paper, chosen = by_method["paper"], by_method[calibration]
    saved = 1 - chosen.noise / paper.noise
    return [
        show.Tile(
            "noise on each count",
            f"{chosen.noise:,.1f}",
            f"users: Gumbel scale, standard deviation {chosen.noise * np.pi / np.sqrt(6):,.1f}",
        ),
        show.Tile("less than the paper's", f"{saved:.1%}", f"paper: scale {paper.noise:,.1f}"),
        show.Tile(
            "ε spent, at most",
            f"{chosen.spent_epsilon:.3f}",
            f"proven, at the same δ · paper: {paper.spent_epsilon:.3f}",
        ),
    ]


def frame(rows: list[Calibrated]) -> pd.DataFrame:
    """One row a method."""
    paper = next(row for row in rows if row.method == "paper")
    return pd.DataFrame(
        {
            "method": row.method,
            "what it is": METHODS[row.method],
            "ε₀ = 1 / scale": row.local_epsilon,
            "noise scale (users)": row.noise,
            "noise against paper": row.noise / paper.noise,
            "ε spent at δ": row.spent_epsilon,
            "δ spent at ε": row.spent_delta,
        }
        for row in rows
    )


def choose_calibration() -> str:
    """Choose how a budget is turned into noise; the tightest is the default here."""
    calibration = st.segmented_control(
        "Calibration",
        sorted(CALIBRATIONS),
        default="optimal",
        required=True,
        key="budget_calibration",
        bind="query-params",
        help="Paper: Lemma 4.2. Optimal: the tightest that is proven here; the same guarantee "
        "with less noise.",
    )
    st.button(
        f"Use the {calibration} calibration on all pages",
        on_click=_use_everywhere,
        args=(calibration,),
        icon=":material/done_all:",
    )
    return calibration


def _use_everywhere(calibration: str) -> None:
    st.session_state["calibration"] = calibration


def both(view: View) -> tuple[CDPPeel, CDPPeel]:
    """CDP-Peel at the asked budget, as in the paper and optimal."""
    paper, optimal = (
        CDPPeel(view.k, view.epsilon, view.delta, view.neighbors, calibration)
        for calibration in ("paper", "optimal")
    )
    return paper, optimal


def is_swap(view: View) -> bool:
    """Whether the guarantee is for replacing one user."""
    return view.neighbors is NeighborRelation.SWAP
