"""Quantile dot plots of errors, with one dot for each of fifty equally likely releases."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dptopk.core.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    bin_sides,
    bound_at,
    digits,
    error_axis,
    fine_axis,
    hover,
    laid_out,
    lines_beside,
    mark,
    mark_bound,
    padded,
)
from dptopk.mechanisms import ErrorBound
from dptopk.simulation.quantile_dots import Dots

_DOT_ROOM = 270  # pixels for all rows of dots in a figure of the usual height, less the gaps
_FAR = 0.4  # of a logarithmic axis: what begins beyond is drawn without what is before
_NARROW_ROW = 140  # pixels for one row on a narrow screen
_DOT_SHARE = 0.82  # of the way from dot to dot: no two touch, nor on a slide
_SQUARE = 0.82  # a square as wide as a disc is high looks larger, and leaves no gap at all


def height_of_dots(n_rows: int) -> int:
    """Return the height in pixels of so many rows of dots on a narrow screen."""
    return 130 + _NARROW_ROW * n_rows


def error_quantile_dots(
    dots: Mapping[str, Dots],
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
    threshold: float | None = None,
    narrow: bool = False,
) -> go.Figure:
    """Plot quantile dots, one row per mechanism; those beyond a threshold are hollow.

    ``narrow`` says that the stacks are those of a narrow screen, on which the figure is as high as
    `height_of_dots` says.
    """
    figure = go.Figure()
    tallest = max(int(each.height.max()) for each in dots.values()) + 1
    step = min(1 / 8, 0.85 / tallest)
    room = _NARROW_ROW if narrow else _DOT_ROOM / len(dots)
    size = float(np.clip(room * step, 4, 9)) * _DOT_SHARE
    for row, (label, each) in enumerate(dots.items()):
        style = styles[label]
        hollow = each.values > (np.inf if threshold is None else threshold)
        figure.add_scatter(
            x=padded(each.at, logarithmic),
            y=-row + (each.height + 0.5) * step,
            customdata=each.values,
            name=label,
            mode="markers",
            marker={
                "color": style.color,
                "symbol": [style.marker + ("-open" if open_ else "") for open_ in hollow],
                "size": size * (_SQUARE if style.marker == "square" else 1),
                "line": {"width": np.where(hollow, 1.5, 0), "color": style.color},
            },
            hovertemplate=hover(
                label, f"one release in {each.values.size}: %{{customdata:{digits(metric)}}}"
            ),
        )
        figure.add_hline(y=-row, line={"color": NEUTRAL, "width": 1})
    mark_bound(figure, bound, logarithmic)
    largest = [max(float(each.values[-1]), float(each.at.max())) for each in dots.values()]
    if threshold is not None:  # the line stands beyond what is not too wrong
        (side,) = bin_sides(np.array([int(threshold) + 1]), logarithmic)
        largest.append(float(side) - logarithmic)
        mark(figure, largest[-1], f"error above {threshold:,.0f} ", logarithmic, height=1.03)
    error_axis(
        figure.update_xaxes,
        metric,
        max(*largest, bound_at(bound)),
        logarithmic,
        lines=lines_beside(dots),
    )
    if figure.layout.xaxis.range:
        first = float(np.log10(padded(min(each.at.min() for each in dots.values()), logarithmic)))
        low, high = figure.layout.xaxis.range
        if first > _FAR * high:  # the way from 0 would leave the stacks no room
            fine_axis(figure.update_xaxes, first - 0.06 * (high - first), high)
        else:  # room for stacks beside each other at 0
            figure.update_xaxes(range=[min(low, first - 0.03), high])
    (share,) = {1 / each.values.size for each in dots.values()}
    figure.update_yaxes(
        tickvals=[-row + 0.3 for row in range(len(dots))],
        ticktext=[
            f"{label}<br>{'exact' if each.exact else 'from runs'}" for label, each in dots.items()
        ],
        title=f"each mark is {share:.0%} of the releases",
        showgrid=False,
        zeroline=False,
        range=[-len(dots) + 0.92, 1],
    )
    figure.update_layout(showlegend=False)
    return laid_out(figure)
