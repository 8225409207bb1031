"""Figures of errors: one release, distributions, sweeps."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk._types import FloatArray, IntArray
from dptopk.dots import Dots
from dptopk.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    error_axis,
    hatching,
    laid_out,
    mark,
    padded,
    translucent,
)
from dptopk.mechanisms import ErrorBound

_DOT_ROOM = 270  # pixels for all rows of dots in a figure of the usual height, less the gaps


def given_up_by_place(given_up: Mapping[str, IntArray], styles: Styles) -> go.Figure:
    """Count given up at each place of one release, one series a mechanism."""
    figure = go.Figure()
    for label, values in given_up.items():
        style = styles[label]
        figure.add_scatter(
            x=np.arange(1, len(values) + 1),
            y=values,
            name=label,
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 2},
            marker={"symbol": style.marker, "size": 9},
            hovertemplate="place %{x}: %{y:,} users<extra>" + label + "</extra>",
        )
    figure.add_hline(y=0, line={"color": NEUTRAL, "width": 1})
    figure.update_xaxes(title="place in the release", tickformat=",d", rangemode="tozero")
    figure.update_yaxes(title="true count − released item's count (users)", tickformat=",")
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
    """Share of runs with error at most x; exact curves lie behind their simulations.

    ``curves`` gives values and shares, ``words`` the shares as they are written if they are more
    than a number, ``exact`` the exact probabilities as they are written, too.
    """
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    which = "so many" if metric.more_is_better else "this error"
    for label, (values, share, written) in (exact or {}).items():
        figure.add_scatter(
            x=padded(values, logarithmic),
            y=share,
            customdata=list(zip(values.tolist(), written, strict=True)),
            name=f"{label}, exact",
            mode="lines",
            line={"color": styles[label].color, "width": 9, "shape": "hv"},
            opacity=0.3,
            hovertemplate=f"{measured} ≤ %{{customdata[0]:,}}: %{{customdata[1]}}<extra>"
            + label
            + ", exact</extra>",
        )
    for label, (values, share) in curves.items():
        style = styles[label]
        shares = [f"{y:.1%}" for y in share] if words is None else words[label]
        figure.add_scatter(
            x=padded(values, logarithmic),
            y=share,
            customdata=list(zip(values.tolist(), shares, strict=True)),
            name=label,
            mode="lines+markers" if len(values) <= 60 else "lines",
            line={"color": style.color, "dash": style.dash, "width": 2.5, "shape": "hv"},
            marker={"symbol": style.marker, "size": 7},
            hovertemplate=f"{measured} ≤ %{{customdata[0]:,}}: "
            "%{customdata[1]} of the runs<extra>" + label + "</extra>",
        )
    _mark_bound(figure, bound, logarithmic)
    everything = [values for values, _ in curves.values()]
    everything += [values for values, _, _ in (exact or {}).values()]
    largest = max(float(values.max()) for values in everything)
    error_axis(figure.update_xaxes, metric, max(largest, _at(bound)), logarithmic)
    figure.update_yaxes(title=f"share of runs with at most {which}", tickformat=".0%")
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
    """Share of runs in bins of the error, bins common to all mechanisms."""
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    shown = padded(edges, logarithmic)
    ranges = np.stack([np.ceil(edges[:-1]), np.ceil(edges[1:]) - 1], axis=1)
    at, width = _side_by_side(shown, len(shares), logarithmic)
    for series, (label, share) in enumerate(shares.items()):
        style = styles[label]
        figure.add_bar(
            x=at[series],
            width=width[series],
            y=share,
            name=label,
            customdata=ranges,
            marker={
                "color": style.color,
                "pattern": hatching(style),
                "line": {"width": 0},
            },
            hovertemplate=(
                f"{measured} %{{customdata[0]:,}} to %{{customdata[1]:,}}: %{{y:.1%}}"
                "<extra>" + label + "</extra>"
            ),
        )
    _mark_bound(figure, bound, logarithmic)
    error_axis(
        figure.update_xaxes,
        metric,
        max(float(edges[-1]), _at(bound)),
        logarithmic,
    )
    figure.update_yaxes(title="share of runs", tickformat=".0%", rangemode="tozero")
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
    size = float(np.clip(_DOT_ROOM * step / len(dots), 4, 9))
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
                "size": size,
                "line": {"width": np.where(hollow, 1.5, 0), "color": style.color},
            },
            hovertemplate=f"one release in {each.values.size}: %{{customdata:,}}"
            f"<extra>{label}</extra>",
        )
        figure.add_hline(y=-row, line={"color": NEUTRAL, "width": 1})
    _mark_bound(figure, bound, logarithmic)
    if threshold is not None:
        mark(figure, threshold, f"{threshold:,.0f} ", logarithmic, height=1.03)
    largest = max(float(each.values[-1]) for each in dots.values())
    error_axis(figure.update_xaxes, metric, max(largest, _at(bound), threshold or 0), logarithmic)
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
    """Median error with the 25th to 75th percentile band, against k or epsilon."""
    figure = go.Figure()
    for name, rows in summary.groupby("mechanism", sort=False):
        label = str(name)
        style = styles[label]
        x = rows[over].to_numpy()
        low, middle, high = (rows[column].to_numpy() for column in ("q25", "median", "q75"))
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=padded(np.concatenate([high, low[::-1]]), logarithmic),
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
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.marker, "size": 8},
            hovertemplate=(
                "median %{customdata[1]:,}, middle half %{customdata[0]:,} to "
                "%{customdata[2]:,}<extra>" + label + "</extra>"
            ),
        )
    if current is not None:
        figure.add_vline(x=current, line={"color": NEUTRAL, "dash": "dot", "width": 1.5})
    largest = float(summary["q75"].max())
    error_axis(figure.update_yaxes, metric, largest, logarithmic, prefix="median ")
    if over == "epsilon":
        figure.update_xaxes(type="log", title="ε (privacy budget; log scale)", tickformat="~g")
    else:
        figure.update_xaxes(title="k (items released)", rangemode="tozero")
    figure.update_layout(hovermode="x unified")
    return laid_out(figure)


def _side_by_side(
    edges: IntArray, n_series: int, logarithmic: bool
) -> tuple[FloatArray, FloatArray]:
    """Centre and width of the bars of each series, equally wide to the eye within a bin."""
    drawn = np.log(edges) if logarithmic else edges.astype(np.float64)
    share = np.linspace(0.05, 0.95, n_series + 1)[:, None]
    cuts = drawn[:-1] + share * np.diff(drawn)
    cuts = np.exp(cuts) if logarithmic else cuts
    return (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts, axis=0)


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
