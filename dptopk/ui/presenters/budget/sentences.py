"""Sentences and number formats of the page Budget, including degenerate cases."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core.array_types import FloatArray
from dptopk.questions.budget import Calibrated
from dptopk.questions.view import View
from dptopk.ui import formats
from dptopk.ui.exhibits.base import Tile
from dptopk.ui.formats import compact, plural, rounded, small

_SAME = 1e-3  # relative: differences that no bar shows


def amount(value: float) -> str:
    """Render an amount of any size in three digits or more, by powers of ten if need be."""
    if 100 <= value < 1e7:
        return f"{value:,.1f}"
    if value == 0 or 1e-3 <= value < 100:
        return f"{value:.3g}" if value < 1 else f"{value:.2f}"
    mantissa, power = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(power)}"


def template(largest: float) -> str:
    """Return Plotly's format for amounts up to ``largest``, with the digits of `amount`."""
    if largest >= 1e7:
        return "%{x:.2e}"
    return "%{x:,.3~r}" if largest < 100 else "%{x:,.4~r}"


def _saved(tightest: float, paper: float, unit: str) -> str:
    """Return a clause comparing the tightest calibration's noise with the paper's."""
    if abs(tightest - paper) <= _SAME * paper:
        return f"{unit}: equal to the paper's"
    if tightest < paper / 100:
        return f"{unit}: the paper's is {paper / tightest:,.0f} times as much"
    return f"{unit}: {1 - tightest / paper:.1%} less than the paper's {amount(paper)}"


def _spent(spent: float, paper: float, delta: float) -> Tile:
    """Return a tile with the tight cost of a run."""
    kind = "proven, at the same δ · "
    kind += "as in the paper" if spent == paper else f"paper: {amount(paper)}"
    if spent == 0:
        kind = f"δ = {compact(delta)} alone covers the run"
    return Tile("ε spent, at most", amount(spent), kind)


def tiles(rows: list[Calibrated], method: str, view: View, source: str) -> list[Tile]:
    """Return tiles: noise of the chosen calibration, of the tightest one, and the ε spent."""
    by_method = {row.method: row for row in rows}
    paper, tightest, chosen = by_method["paper"], by_method["optimal"], by_method[method]
    deviation = chosen.noise * np.pi / np.sqrt(6)
    return [
        Tile(
            "noise on each count",
            amount(chosen.noise),
            f"{view.unit}: Gumbel scale, standard deviation {amount(deviation)}",
        ),
        Tile(
            "tightest proven",
            amount(tightest.noise),
            _saved(tightest.noise, paper.noise, view.unit),
            f"The paper's is by {source}.",
        ),
        _spent(chosen.spent_epsilon, paper.spent_epsilon, view.delta),
    ]


def adding_up(rounds: int, delta: float) -> str:
    """Return a clause on what a better composition of rounds can save."""
    if delta == 0:
        return "without a δ all methods of composition are equal"
    if rounds > 1:
        return "tighter composition needs less noise"
    return "one round, so nothing is composed"


def noise_words(noises: list[float], epsilon: float, delta: float) -> str:
    """Explain bars that are equal or far apart."""
    least, most = min(noises), max(noises)
    if delta == 0:
        return " With δ = 0 all methods are equal: each round gets ε/k."
    if most - least <= 0.02 * most:
        return (
            f" At ε = {compact(epsilon)} δ makes little difference: all methods need about the "
            "same noise."
        )
    if most > 100 * least:
        return (
            f" At ε = {compact(epsilon)} the first bars are far longer than the others: δ "
            "contributes far more than ε, and only the tighter methods use it."
        )
    return ""


def curve_words(
    epsilons: FloatArray, tightest: FloatArray, spread: float, rounds: int, delta: float
) -> str:
    """Explain where curves end or are flat, and a promised point outside the figure."""
    words = ""
    end = spread * rounds
    if end <= epsilons[-1]:
        words += (
            f" Curves end at ε = {compact(end)} at the latest: {plural(rounds, 'round')} of range "
            f"{compact(spread)} never cost more, so beyond it δ is 0, which a logarithmic axis "
            "cannot show."
        )
    positive = tightest[tightest > 0]
    if positive.size == tightest.size and np.ptp(positive) < 0.1 * positive.max():
        words += (
            f" Curves are flat here: ε is so small that δ = {compact(delta)} alone covers the "
            "whole run."
        )
    if delta == 0:
        words += " The promised point, δ = 0, is below the figure."
    return words


def spent_words(
    epsilons: FloatArray, curves: Mapping[str, tuple[FloatArray, str]], promised: float
) -> str:
    """List the δ that each method proves at the promised ε."""
    at = int(np.abs(epsilons - promised).argmin())
    each = [f"{name}: {rounded(float(values[at]), 2)}" for name, (values, _) in curves.items()]
    return f"δ at ε = {compact(promised)}: {'; '.join(each)}."


def written(frame: pd.DataFrame, unit: str) -> Any:
    """Format the table of methods."""
    digits: dict[Any, Any] = {
        "ε₀ = 1 / scale": "{:.5f}",
        f"noise scale ({unit})": "{:,.2f}",
        "noise against paper": "{:.3f}",
        "ε spent at δ": "{:.4f}",
        "δ spent at ε": small,
    }
    return frame.style.format(digits)


def together(frame: pd.DataFrame, column: str, deltas: Sequence[float]) -> Any:
    """Format the table of costs; a total whose δ is too large has no number.

    ``deltas`` are the δ of each release if these add up, else 0.
    """
    words = [
        (f"{value:.3g}" if np.isfinite(value) else "∞: their δ exceeds it")
        + (f" (δ = {compact(float(f'{delta:.3g}'))} each)" if delta else "")
        for value, delta in zip(frame[column], deltas, strict=True)
    ]
    return formats.written(frame, {column: words})
