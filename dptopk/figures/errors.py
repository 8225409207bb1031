"""Errors of one release, distributions of errors, and sweeps over a parameter."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.core import numerals
from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.core.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    bin_sides,
    bound_at,
    digits,
    error_axis,
    hatching,
    hover,
    laid_out,
    mark_bound,
    padded,
    side_by_side,
    translucent,
)
from dptopk.mechanisms import ErrorBound

_SPREAD = 0.24  # of a place, to each side: room for all mechanisms at it


def count_errors_by_place(
    count_errors: Mapping[str, IntArray], styles: Styles, unit: str = numerals.COUNT_UNIT
) -> go.Figure:
    """Plot the count error at each place of one release, one series per mechanism."""
    figure = go.Figure()
    beside = np.linspace(-_SPREAD, _SPREAD, len(count_errors)) if len(count_errors) > 1 else [0.0]
    for (label, values), aside in zip(count_errors.items(), beside, strict=True):
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
    last = max(map(len, count_errors.values()))
    step = next(size for size in (1, 2, 5, 10, 20, 50, last) if last <= 10 * size)
    ticks = [1, *range(max(step, 2), last + 1, step)]  # there is no place 0
    figure.update_xaxes(title="place in the release", tickvals=ticks, range=[0.5, last + 0.5])
    figure.update_yaxes(title=f"count error ({unit})", tickformat=",")
    return laid_out(figure)


def error_cdf(
    curves: Mapping[str, tuple[NumberArray, FloatArray]],
    metric: Metric,
    styles: Styles,
    *,
    exact: Mapping[str, tuple[NumberArray, FloatArray, Sequence[str]]] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Plot the CDF of the error; exact curves lie behind simulated ones.

    ``curves`` gives values and shares, ``words`` the shares as they are written if they are more
    than a number, ``exact`` the exact probabilities as they are written, too.
    """
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    which = "this error"
    if metric.more_is_better:
        which = "so much" if metric.is_score else "so many"
    shown = digits(metric)
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
                f"{label}, exact", f"{measured} ≤ %{{customdata[0]:{shown}}}: %{{customdata[1]}}"
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
                label,
                f"{measured} ≤ %{{customdata[0]:{shown}}}: %{{customdata[1]}} of the releases",
            ),
        )
    mark_bound(figure, bound, logarithmic)
    error_axis(figure.update_xaxes, metric, max(float(largest), bound_at(bound)), logarithmic)
    figure.update_yaxes(title=f"releases with at most {which}", tickformat=".0%")
    figure.update_yaxes(range=[-0.02, 1.02])
    return laid_out(figure)


def error_histogram(
    shares: Mapping[str, FloatArray],
    edges: NumberArray,
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Plot the share of releases by error, in bins common to all mechanisms."""
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    if metric.is_score:
        ends = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ranges = [f"{numerals.score(first)} to {numerals.score(last)}" for first, last in ends]
    else:
        ends = zip(edges[:-1].tolist(), (edges[1:] - 1).tolist(), strict=True)
        ranges = [f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in ends]
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
    mark_bound(figure, bound, logarithmic)
    error_axis(figure.update_xaxes, metric, max(float(edges[-1]), bound_at(bound)), logarithmic)
    if figure.layout.xaxis.range:  # room for the left half of the bar at 0
        figure.update_xaxes(range=[-0.2, figure.layout.xaxis.range[1]])
    figure.update_yaxes(title="share of releases", tickformat=".0%", rangemode="tozero")
    figure.update_layout(barmode="overlay")
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
    """Plot the median error with its 25th to 75th percentile band against a parameter."""
    figure, shown = go.Figure(), digits(metric)
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
                f"median %{{customdata[1]:{shown}}}, "
                f"middle half %{{customdata[0]:{shown}}} to %{{customdata[2]:{shown}}}",
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


def _to_the_end(
    values: NumberArray, share: FloatArray, largest: float
) -> tuple[NumberArray, FloatArray]:
    """Extend a curve horizontally to the largest error of all curves."""
    return np.append(values, largest), np.append(share, share[-1])
