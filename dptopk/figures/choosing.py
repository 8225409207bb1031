"""Probability of a target against epsilon, and the smallest epsilon of each mechanism."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dptopk.core.numerals import needed, share
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    curve,
    hollow,
    ink,
    laid_out,
    mark_current,
    power_ticks,
    ruled,
    whiskers,
)
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon
from dptopk.tuning.targets import TargetCurve

_MARK, _RING, _MOST = 13, 9, 27  # size of an answer's mark, and more for those around it
_NEAR = 0.025  # of the axis: marks this close hide each other
_MARGINS = 24.0  # factor by which curves go on beyond the answers, both sides together
_TICKS = [float(f"{lead}e{power}") for power in range(-6, 4) for lead in (1, 2, 5)]
_CLOSE_TICKS = [
    float(f"{lead}e{power}") for power in range(-6, 4) for lead in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
]


def target_curves(
    found: Mapping[str, SmallestEpsilon],
    curves: Mapping[str, TargetCurve],
    wanted: float,
    styles: Styles,
    current: float,
    unchosen: tuple[str, float] | None = None,
) -> go.Figure:
    """Plot the probability of a target against epsilon, with the answers marked.

    ``unchosen`` is the name and the epsilon of a mechanism that would need less: a grey mark.

    Exact curves are lines; shares of runs are small marks on a thin line, and the answer that
    follows from runs is drawn with its interval.  Of answers so near that their
    marks would hide each other, all but one are hollow and drawn around it.
    """
    figure = go.Figure()
    rank = {label: place for place, label in enumerate(found)}  # in the legend
    for label in sorted(found, key=lambda label: -ink(styles[label])):
        style, answer = styles[label], found[label]
        line = {"color": style.color, "dash": style.dash, "width": 2.5}
        if label in curves:
            curve = curves[label]
            figure.add_scatter(
                x=curve.epsilons,
                y=curve.probabilities,
                name=label,
                legendgroup=label,
                legendrank=rank[label],
                mode="lines+markers" if curve.runs else "lines",
                line=line | ({"width": 1.2} if curve.runs else {}),
                marker={"symbol": style.marker, "size": 5},
                customdata=[share(p) for p in curve.probabilities.tolist()],
                hovertemplate=(
                    "%{customdata} at ε = %{x:.3g}"
                    f"{f' ({curve.runs:,} runs)' if curve.runs else ''}<extra>{label}</extra>"
                ),
            )
    around = _around(found, current)
    for label in sorted(around, key=lambda label: (-around[label], -ink(styles[label]))):
        style, answer, is_hollow = styles[label], found[label], around[label] > 0
        figure.add_scatter(
            x=[answer.epsilon],
            y=[wanted],
            name=label,
            legendgroup=label,
            legendrank=rank[label],
            showlegend=label not in curves,
            mode="markers",
            marker={
                "symbol": hollow(style.marker) if is_hollow else style.marker,
                "size": _MARK + around[label],
                "color": style.color,
                "line": {"color": style.color, "width": 2.5}
                if is_hollow
                else {"color": "white", "width": 1.5},
            },
            error_x=_intervals([answer], color=style.color),
            hovertemplate=f"ε = {answer.brief}<extra>{label}</extra>",
        )
    if unchosen is not None:
        label, epsilon = unchosen
        figure.add_scatter(
            x=[epsilon],
            y=[wanted],
            mode="markers",
            name=f"{label}, not chosen",
            marker={"symbol": "circle", "size": _MARK, "color": NEUTRAL},
            hovertemplate=f"ε = {needed(epsilon)}<extra>{label}, not chosen</extra>",
        )
    ruled(figure, {"color": NEUTRAL, "dash": "dash", "width": 1.5}, y=wanted)
    mark_current(figure, current)
    figure.update_xaxes(
        type="log", title="ε (privacy budget; log scale)", tickvals=_TICKS, tickformat="~g"
    )
    figure.update_yaxes(title="probability of the target", tickformat=".0%", range=[-0.02, 1.05])
    return laid_out(figure)


def _around(answers: Mapping[str, SmallestEpsilon], current: float) -> dict[str, float]:
    """Return how much larger the mark of each answer is, in pixels, so that none is hidden."""
    reached = {label: answer.epsilon for label, answer in answers.items()}
    reached = {label: at for label, at in reached.items() if 0 < at < np.inf}
    ends = [*reached.values(), current]
    near = _NEAR * (np.log(max(ends) / min(ends)) + np.log(_MARGINS))
    groups: list[list[str]] = []
    for label in sorted(reached, key=lambda label: reached[label]):
        if groups and np.log(reached[label] / reached[groups[-1][-1]]) < near:
            groups[-1].append(label)
        else:
            groups.append([label])
    return {
        label: place * min(_RING, _MOST / max(1, len(group) - 1))
        for group in groups
        for place, label in enumerate(group)
    }


def _intervals(answers: Sequence[SmallestEpsilon], **look: Any) -> dict[str, Any]:
    """Return the error bars of answers, within the epsilons that are looked at."""
    return whiskers(
        [answer.epsilon for answer in answers],
        [max(answer.low, SMALLEST) for answer in answers],
        [min(answer.high, LARGEST) for answer in answers],
        visible=not all(answer.exact for answer in answers),
        **look,
    )


def epsilon_against_delta(
    curves: Mapping[str, Mapping[float, SmallestEpsilon]],
    best: tuple[str, float] | None,
    styles: Styles,
    current: float,
) -> go.Figure:
    """Plot the smallest epsilon against delta, and the least of those without a delta."""
    figure = go.Figure()
    for label, answers in curves.items():
        style = styles[label]
        deltas = [delta for delta, answer in answers.items() if 0 < answer.epsilon < np.inf]
        reached = [answers[delta] for delta in deltas]
        curve(
            figure,
            deltas,
            [answer.epsilon for answer in reached],
            label,
            style,
            "ε = %{customdata} at δ = %{x:.0e}",
            error_y=_intervals(reached),
            customdata=[answer.brief for answer in reached],
        )
    if best is not None:
        label, epsilon = best
        ends = [d for answers in curves.values() for d in answers]
        figure.add_scatter(
            x=[min(ends), max(ends)],
            y=[epsilon, epsilon],
            name=f"{label}, without δ",
            mode="lines",
            line={"color": styles[label].color, "dash": styles[label].dash, "width": 1.5},
            hovertemplate=f"ε = {needed(epsilon)}<extra>{label}, without δ</extra>",
        )
    if current:
        mark_current(figure, current)
    power_ticks(
        figure.update_xaxes, min((d for curve in curves.values() for d in curve), default=1)
    )
    figure.update_xaxes(title="δ (log scale)")
    drawn = [epsilon for trace in figure.data for epsilon in trace.y]
    narrow = bool(drawn) and max(drawn) < 10 * min(drawn)
    figure.update_yaxes(
        type="log",
        title="ε needed (log scale)",
        tickvals=_CLOSE_TICKS if narrow else _TICKS,
        tickformat="~g",
    )
    return laid_out(figure)
