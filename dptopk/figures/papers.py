"""Panels of the figures of papers, as large figures and as small pictures."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.figures._drawing import BLUE, count_axis, drawn_points, laid_out, padded, seen
from dptopk.figures.counts import count_histogram
from dptopk.figures.curves import curves
from dptopk.figures.errors import error_sweep
from dptopk.questions.errors import Errors
from dptopk.questions.paper_figures import Drawn
from dptopk.questions.view import styles_of


def paper_panel(drawn: Drawn) -> go.Figure:
    """Plot the numbers of a panel."""
    content, draws = drawn.shown, drawn.panel.draws
    if isinstance(content, Errors):
        styles = styles_of(content.mechanisms)
        return error_sweep(
            content.summary, "k", content.metric, styles, logarithmic=content.metric.in_counts
        )
    return _DRAWN[draws](**content)


def _gaps(gaps: IntArray, unit: str) -> go.Figure:
    """Plot c_i - c_(i+1) against i."""
    figure, n = go.Figure(), len(gaps)
    figure.add_scatter(
        x=np.arange(1, n + 1),
        y=padded(gaps, True),
        customdata=gaps,
        mode="lines",
        line={"color": BLUE, "width": 2},
        hovertemplate=f"place %{{x}}: %{{customdata:,}} {unit} more<extra></extra>",
        showlegend=False,
    )
    count_axis(figure.update_yaxes, "gap to the next count", (0, gaps.max()), True, unit, "<br>")
    figure.update_xaxes(title="place (1 = the largest count)", range=[0, n + 1])
    return laid_out(figure)


_DRAWN: dict[str, Callable[..., go.Figure]] = {
    "gaps": _gaps,
    "counts": count_histogram,
    "sets": error_sweep,
    **dict.fromkeys(("times", "pruning"), partial(curves, logarithmic=True)),
}


_WIDTH, _HEIGHT, _MARGIN = 240, 130, 8  # of a small picture, in units of its own


def sketch(figure: go.Figure) -> str:
    """Return a small picture of a figure without axes: the address of an SVG image of its traces.

    Lines, bands, bars and marks keep their colours, which are clear on light and on dark.
    """
    paths = [drawn_points(figure, trace) for trace in figure.data]
    points = np.concatenate(paths)
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    span = np.where(high > low, high - low, 1.0)

    def placed(path: FloatArray) -> FloatArray:
        share = (path - low) / span
        share[:, 1] = 1 - share[:, 1]  # downwards
        place: FloatArray = _MARGIN + share * (np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN)
        return place

    drawn = "".join(map(_shape, figure.data, map(placed, paths)))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">{drawn}</svg>'
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _shape(trace: go.Scatter, points: FloatArray) -> str:
    points = seen(points)
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    if trace.type == "bar":
        wide = 0.9 * (_WIDTH - 2 * _MARGIN) / max(len(points), 1)
        return "".join(
            f'<rect x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" '
            f'height="{_HEIGHT - y:.1f}" fill="{trace.marker.color}"/>'
            for x, y in points
        )
    if trace.fill == "toself":
        return f'<polygon points="{at}" fill="{trace.fillcolor}"/>'
    if "lines" in trace.mode:
        dash = trace.line.dash or "solid"
        pattern = {"dot": "2 3", "dash": "7 3", "dashdot": "7 3 2 3"}.get(dash, dash)
        dashed = "" if dash == "solid" else f' stroke-dasharray="{pattern.replace("px", "")}"'
        line = f'stroke="{trace.line.color}" stroke-width="2.5"{dashed}'
        return f'<polyline points="{at}" fill="none" {line}/>'
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{trace.marker.color}"/>' for x, y in points
    )
