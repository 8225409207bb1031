"""Figures of errors: one release, distributions, sweeps."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk import numerals
from dptopk._types import FloatArray, IntArray
from dptopk.dots import Dots
from dptopk.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    bin_sides,
    error_axis,
    hatching,
    hover,
    laid_out,
    lines_beside,
    mark,
    padded,
    side_by_side,
    translucent,
)
from dptopk.mechanisms import ErrorBound

_SPREAD = 0.24  # of a place, to each side: room for all mechanisms at it
_DOT_ROOM = 270  # pixels for all rows of dots in a figure of the usual height, less the gaps
_DOT_SHARE = 0.82  # of the way from dot to dot: no two touch, nor on a slide
_SQUARE = 0.82  # a square as wide as a disc is high looks larger, and leaves no gap at all


def given_up_by_place(
    given_up: Mapping[str, IntArray], styles: Styles, unit: str = numerals.COUNT_UNIT
) -> go.Figure:
    """Count given up at each place of one release, one series a mechanism, in the data's unit."""
    figure = go.Figure()
    beside = np.linspace(-_SPREAD, _SPREAD, len(given_up)) if len(given_up) > 1 else [0.0]
    for (label, values), aside in zip(given_up.items(), beside, strict=True):
        style = styles[label]
        figure.add_scatter(  # what is equal stands side by side, and nobody is hidden
            x=(places := np.arange(1, len(values) + 1)) + aside,
            y=values,
            customdata=places,
            name=label,
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 3},
            marker={"symbol": style.marker, "size": 10},
            hovertemplate=hover(label, f"place %{{customdata}}: %{{y:,}} {unit}"),
        )
    figure.add_hline(y=0, line={"color": NEUTRAL, "width": 1})
    last = max(map(len, given_up.values()))
    step = next(size for size in (1, 2, 5, 10, 20, 50, last) if last <= 10 * size)
    ticks = [1, *range(max(step, 2), last + 1, step)]  # there is no place 0
    figure.update_xaxes(title="place in the release", tickvals=ticks, range=[0.5, last + 0.5])
    figure.update_yaxes(title=f"count given up ({unit})", tickformat=",")
    return laid_out(figure)


def error_cdf(
    curves: Mapping[str, tuple[IntArray, FloatArray]],
    metric: Metric,
    styles: Styles,
    *,
    exact: Mapping[str, tuple[IntArray, FloatArray, Sequence[str]]] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Share of releases with error at most x; exact curves lie behind their simulations.

    ``curves`` gives values and shares, ``words`` the shares as they are written if they are more
    than a number, ``exact`` the exact probabilities as they are written, too.
    """
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    which = "so many" if metric.more_is_better else "this error"
    everything = [values for values, _ in curves.values()]
    everything += [values for values, _, _ in (exact or {}).values()]
    largest = max(values.max() for values in everything)
    for label, (values, share, written) in (exact or {}).items():
        at, reached = _to_the_end(values, share, largest)
        figure.add_scatter(
            x=padded(at, logarithmic),
            y=reached,
            customdata=list(zip(at.tolist(), [*written, written[-1]], strict=True)),
            name=f"{label}, exact",
            mode="lines",
            line={"color": styles[label].color, "width": 9, "shape": "hv"},
            opacity=0.3,
            hovertemplate=hover(
                f"{label}, exact", f"{measured} ≤ %{{customdata[0]:,}}: %{{customdata[1]}}"
            ),
        )
    for label, (values, share) in curves.items():
        style = styles[label]
        shares = [*map(numerals.share, share)] if words is None else words[label]
        at, reached = _to_the_end(values, share, largest)
        figure.add_scatter(
            x=padded(at, logarithmic),
            y=reached,
            customdata=list(zip(at.tolist(), [*shares, shares[-1]], strict=True)),
            name=label,
            mode="lines+markers" if len(values) <= 60 else "lines",
            line={"color": style.color, "dash": style.dash, "width": 3, "shape": "hv"},
            marker={"symbol": style.marker, "size": [9] * len(values) + [0], "opacity": 1},
            hovertemplate=hover(
                label, f"{measured} ≤ %{{customdata[0]:,}}: %{{customdata[1]}} of the releases"
            ),
        )
    _mark_bound(figure, bound, logarithmic)
    error_axis(figure.update_xaxes, metric, max(float(largest), _at(bound)), logarithmic)
    figure.update_yaxes(title=f"releases with at most {which}", tickformat=".0%")
    figure.update_yaxes(range=[-0.02, 1.02])
    return laid_out(figure)


def error_histogram(
    shares: Mapping[str, FloatArray],
    edges: IntArray,
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Share of releases in bins of the error, bins common to all mechanisms."""
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    ranges = [
        f"{first:,}" if first == last else f"{first:,} to {last:,}"
        for first, last in zip(edges[:-1].tolist(), (edges[1:] - 1).tolist(), strict=True)
    ]
    sides = bin_sides(edges, logarithmic)
    at, width = side_by_side(sides, len(shares), logarithmic)
    for series, (label, share) in enumerate(shares.items()):
        style = styles[label]
        figure.add_bar(
            x=at[series],
            width=width[series],
            y=share,
            name=label,
            customdata=list(zip(ranges, map(numerals.share, share), strict=True)),
            marker={
                "color": style.color,
                "pattern": hatching(style),
                "line": {"width": 0},
            },
            hovertemplate=hover(label, f"{measured} %{{customdata[0]}}: %{{customdata[1]}}"),
        )
    _mark_bound(figure, bound, logarithmic)
    error_axis(figure.update_xaxes, metric, max(float(edges[-1]), _at(bound)), logarithmic)
    if figure.layout.xaxis.range:  # room for the left half of the bar at 0
        figure.update_xaxes(range=[-0.2, figure.layout.xaxis.range[1]])
    figure.update_yaxes(title="share of releases", tickformat=".0%", rangemode="tozero")
    figure.update_layout(barmode="overlay")
    return laid_out(figure)


def error_quantile_dots(
    dots: Mapping[str, Dots],
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
    threshold: float | None = None,
) -> go.Figure:
    """Equally likely releases as dots, one row of stacks a mechanism; hollow beyond a threshold."""
    figure = go.Figure()
    tallest = max(int(each.height.max()) for each in dots.values()) + 1
    step = min(1 / 8, 0.85 / tallest)
    size = float(np.clip(_DOT_ROOM * step / len(dots), 4, 9)) * _DOT_SHARE
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
            hovertemplate=hover(label, f"one release in {each.values.size}: %{{customdata:,}}"),
        )
        figure.add_hline(y=-row, line={"color": NEUTRAL, "width": 1})
    _mark_bound(figure, bound, logarithmic)
    largest = [max(float(each.values[-1]), float(each.at.max())) for each in dots.values()]
    if threshold is not None:  # the line stands beyond what is not too wrong
        (side,) = bin_sides(np.array([int(threshold) + 1]), logarithmic)
        largest.append(float(side) - logarithmic)
        mark(figure, largest[-1], f"too wrong above {threshold:,.0f} ", logarithmic, height=1.03)
    error_axis(
        figure.update_xaxes,
        metric,
        max(*largest, _at(bound)),
        logarithmic,
        lines=lines_beside(dots),
    )
    if figure.layout.xaxis.range:  # room for stacks beside each other at 0
        first = float(np.log10(padded(min(each.at.min() for each in dots.values()), logarithmic)))
        low, high = figure.layout.xaxis.range
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


def error_sweep(
    summary: pd.DataFrame,
    over: str,
    metric: Metric,
    styles: Styles,
    *,
    logarithmic: bool = True,
    current: float | None = None,
) -> go.Figure:
    """Median error with the 25th to 75th percentile band, against what was swept."""
    figure = go.Figure()
    for name, rows in summary.groupby("mechanism", sort=False):
        label = str(name)
        style = styles[label]
        x = rows[over].to_numpy()
        low, middle, high = (rows[column].to_numpy() for column in ("q25", "median", "q75"))
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=padded(np.concatenate([high, low[::-1]]), logarithmic),
            mode="lines",  # left to Plotly, fewer than twenty points get markers
            fill="toself",
            fillcolor=translucent(style.color),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=label,
        )
        figure.add_scatter(
            x=x,
            y=padded(middle, logarithmic),
            customdata=np.stack([low, middle, high], axis=1),
            name=label,
            legendgroup=label,
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 3},
            marker={"symbol": style.marker, "size": 9},
            hovertemplate=hover(
                label,
                "median %{customdata[1]:,}, middle half %{customdata[0]:,} to %{customdata[2]:,}",
            ),
        )
    if current is not None:
        figure.add_vline(x=current, line={"color": NEUTRAL, "dash": "dot", "width": 1.5})
    largest = float(summary["q75"].max())
    error_axis(figure.update_yaxes, metric, largest, logarithmic, prefix="median ", lines=2)
    if over == "epsilon":
        figure.update_xaxes(type="log", title="ε (privacy budget; log scale)", tickformat="~g")
    elif over == "k":
        figure.update_xaxes(title="k (items released)", rangemode="tozero")
    else:
        ticks = sorted(summary[over].unique())
        figure.update_xaxes(title="items read (log scale)", type="log", tickvals=ticks)
    figure.update_layout(hovermode="x unified")
    return laid_out(figure)


def _to_the_end(values: IntArray, share: FloatArray, largest: int) -> tuple[IntArray, FloatArray]:
    """A curve that goes on to the largest error of all curves: beyond its own it stays level."""
    return np.append(values, largest), np.append(share, share[-1])


def _mark_bound(figure: go.Figure, bound: ErrorBound | None, logarithmic: bool) -> None:
    """A line at a proven bound, if there is one."""
    if bound is not None:
        mark(
            figure,
            bound.value,
            f"{bound.source.place}: {bound.value:,.0f}",
            logarithmic,
            "longdash",
        )


def _at(bound: ErrorBound | None) -> float:
    return bound.value if bound else 0.0
