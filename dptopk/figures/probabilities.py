"""Figures of exact probabilities: outputs, neighbours, privacy loss, privacy curves."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dptopk._types import FloatArray
from dptopk.figures._drawing import (
    MARK,
    NEUTRAL,
    PALETTE,
    Styles,
    compact,
    hatching,
    laid_out,
    mark,
    plain,
    translucent,
)
from dptopk.mechanisms import Style


def output_probabilities(
    outputs: Sequence[str],
    exact: Mapping[str, FloatArray],
    styles: Styles,
    observed: Mapping[str, tuple[FloatArray, FloatArray, FloatArray]] | None = None,
    *,
    words: Mapping[str, Sequence[str]],
    observed_words: Mapping[str, Sequence[str]] | None = None,
) -> go.Figure:
    """Exact probability of each output as bars; observed shares with their intervals.

    ``observed`` gives, for each mechanism, the share of the draws and the low and high end
    of its 95% interval.  ``words`` and ``observed_words`` are the numbers as they are written.
    """
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    n_series = len(exact)
    width = 0.8 / n_series
    places = np.arange(len(names), dtype=float)
    for series, (label, probabilities) in enumerate(exact.items()):
        style = styles[label]
        at = places + (series - (n_series - 1) / 2) * width
        figure.add_bar(
            x=at,
            y=probabilities,
            width=width * 0.92,
            name=label,
            customdata=list(zip(names, words[label], strict=True)),
            marker={
                "color": style.color,
                "pattern": hatching(style),
            },
            hovertemplate="%{customdata[0]}: %{customdata[1]} (exact)<extra>" + label + "</extra>",
        )
        if observed and observed_words and label in observed:
            share, low, high = observed[label]
            figure.add_scatter(
                x=at,
                y=share,
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": high - share,
                    "arrayminus": share - low,
                    "thickness": 1.5,
                    "width": 3,
                },
                name="drawn, with 95% interval",
                legendgroup="drawn",
                showlegend=series == 0,
                mode="markers",
                customdata=list(zip(names, observed_words[label], strict=True)),
                marker={
                    "symbol": style.marker + "-open",
                    "size": 8,
                    "color": NEUTRAL,
                    "line": {"width": 2},
                },
                hovertemplate="%{customdata[0]}: %{customdata[1]} (drawn)<extra>"
                + label
                + "</extra>",
            )
    figure.update_xaxes(title="output", tickvals=places, ticktext=names, tickangle=-40)
    figure.update_yaxes(title="probability", tickformat=".0%", rangemode="tozero")
    return laid_out(figure)


def neighbouring_outputs(
    outputs: Sequence[str],
    here: FloatArray,
    there: FloatArray,
    style: Style,
    marked: int | None = None,
    *,
    words: tuple[Sequence[str], Sequence[str]],
) -> go.Figure:
    """Probability of each output on the data and on the neighbour, side by side.

    ``words`` are the numbers as they are written.
    """
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    places = np.arange(len(names), dtype=float)
    for name, values, written, offset, shape in (
        ("the data", here, words[0], -0.2, ""),
        ("the neighbour", there, words[1], 0.2, "/"),
    ):
        figure.add_bar(
            x=places + offset,
            y=values,
            width=0.38,
            name=name,
            customdata=list(zip(names, written, strict=True)),
            marker={
                "color": style.color,
                "opacity": 1.0 if offset < 0 else 0.6,
                "pattern": {"shape": shape, "bgcolor": style.color, "fgcolor": "white"},
            },
            hovertemplate="%{customdata[0]}: %{customdata[1]}<extra>" + name + "</extra>",
        )
    figure.update_xaxes(tickvals=places, ticktext=names, tickangle=-40, title="output")
    figure.update_yaxes(title="probability (exact)", tickformat=".0%", rangemode="tozero")
    if marked is not None:
        mark(figure, marked, "worst ", False, height=0.95)
    return laid_out(figure)


def privacy_losses(
    outputs: Sequence[str],
    loss: FloatArray,
    epsilon: float,
    style: Style,
    marked: int | None = None,
) -> go.Figure:
    """Privacy loss of each output as a point, the promised band of epsilon behind."""
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    places = np.arange(len(names), dtype=float)
    kept = np.abs(loss) <= epsilon + 1e-9
    shown = _capped(loss, epsilon)
    figure.add_hrect(y0=-epsilon, y1=epsilon, fillcolor=NEUTRAL, opacity=0.15, line_width=0)
    for edge in (-epsilon, epsilon):
        figure.add_hline(y=edge, line={"color": NEUTRAL, "dash": "dash", "width": 1.5})
    for name, chosen, symbol, color in (
        ("within ±ε", kept, style.marker, style.color),
        ("beyond ±ε", ~kept, "x", MARK),
    ):
        if chosen.any():
            figure.add_scatter(
                x=places[chosen],
                y=shown[chosen],
                name=name,
                mode="markers",
                customdata=[
                    (name, f"{np.exp(value):.4g}", f"{value:.4f}")
                    for name, value in zip(np.array(names)[chosen], loss[chosen], strict=True)
                ],
                marker={"symbol": symbol, "size": 10, "color": color},
                hovertemplate="%{customdata[0]}: ratio %{customdata[1]}, log %{customdata[2]}"
                "<extra></extra>",
            )
    figure.update_xaxes(tickvals=places, ticktext=names, tickangle=-40, title="output")
    figure.update_yaxes(title="privacy loss (ln of the ratio; band: ±ε promised)")
    if marked is not None:
        mark(figure, marked, "worst ", False, height=0.95)
    return laid_out(figure)


def privacy_use(used: Mapping[str, float], epsilon: float, styles: Styles) -> go.Figure:
    """Largest privacy loss over all neighbours, one bar a mechanism, beside the promise."""
    figure = go.Figure()
    shown = _capped(np.array(list(used.values())), epsilon)
    for (label, value), length in zip(used.items(), shown, strict=True):
        style = styles[label]
        figure.add_bar(
            y=[label],
            x=[length],
            orientation="h",
            marker={"color": style.color, "pattern": hatching(style)},
            text=[f" {value:.3f}" if np.isfinite(value) else " ∞"],
            textposition="outside",
            cliponaxis=False,
            showlegend=False,
            hovertemplate=f"{value:.6f} of {compact(epsilon)}<extra>{label}</extra>",
        )
    mark(figure, epsilon, f"promised ε = {compact(epsilon)} ", False, "dash", height=1.08)
    figure.update_xaxes(
        title="largest privacy loss over all neighbours (exact)",
        range=[0, 1.25 * max(epsilon, *shown)],  # room for the numbers
    )
    figure.update_yaxes(autorange="reversed")
    return laid_out(figure)


def privacy_profile(
    epsilons: FloatArray,
    curves: Mapping[str, tuple[FloatArray, str]],
    epsilon: float,
    delta: float,
) -> go.Figure:
    """Delta against epsilon on a logarithmic axis, the promised point marked.

    ``curves`` gives the values and the label whose style is used, by name.  The area under
    the first curve from epsilon on is shaded: probability that exceeds e^epsilon.
    """
    figure = go.Figure()
    floor = min(1e-16, delta / 1e3) if delta else 1e-16
    for number, (name, (values, dash)) in enumerate(curves.items()):
        shown = np.where(values > floor, values, np.nan)
        color = PALETTE[number % len(PALETTE)]
        if number == 0:
            beyond = epsilons >= epsilon
            figure.add_scatter(
                x=epsilons[beyond],
                y=np.maximum(values[beyond], floor),
                fill="tozeroy",
                mode="none",
                fillcolor=translucent(color, 0.25),
                name="beyond the promised ε",
                hoverinfo="skip",
            )
        figure.add_scatter(
            x=epsilons,
            y=shown,
            name=name,
            mode="lines",
            line={"color": color, "dash": dash, "width": 2.5},
            hovertemplate="ε = %{x:.3f}: δ = %{y:.2e}<extra>" + name + "</extra>",
        )
    if delta:
        figure.add_scatter(
            x=[epsilon],
            y=[delta],
            name=f"promised: ε = {compact(epsilon)}, δ = {compact(delta)}",
            mode="markers",
            marker={"symbol": "star", "size": 14, "color": MARK},
            hovertemplate="promised<extra></extra>",
        )
    figure.update_xaxes(title="ε of the whole release", rangemode="tozero", exponentformat="power")
    figure.update_yaxes(
        type="log",
        title="δ (log scale)",
        exponentformat="power",
        range=[np.log10(floor), 0.1],
    )
    return laid_out(figure)


def _capped(loss: FloatArray, epsilon: float) -> FloatArray:
    """Losses as drawn: an infinite one stands a little beyond everything finite."""
    finite = np.abs(loss[np.isfinite(loss)])
    beyond = 1.3 * max(epsilon, float(finite.max(initial=0.0)))
    return np.asarray(np.clip(loss, -beyond, beyond), dtype=np.float64)
