"""Styles, fonts, axes, rows, marks and layout common to all figures."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.core.errors import Metric
from dptopk.mechanisms import ErrorBound, Style

Styles = Mapping[str, Style]
"""Style of each mechanism, `card.style`, by its label."""

Numbers = TypeVar("Numbers", IntArray, FloatArray, NumberArray)

BLUE, ORANGE = "#0072B2", "#E69F00"
PALETTE = ("#CC79A7", "#0072B2", "#E69F00", "#009E73")  # curves that belong to no mechanism
NEUTRAL = "#808495"
MARK = "#D55E00"
_MOST_POWERS = 8  # of ten, on an axis
_FEW_TICKS = 3  # or fewer are too far apart
_CLOSE = 10**4  # on an axis that reaches beyond, ticks at 0 and 1 are too close
_FAR_FROM_1 = 10  # counts to which one is added without anybody seeing it
SIZE = 15  # pixels
# Where a figure says #000037 the app's theme writes its own text colour, light on dark: so text
# has the contrast of the page around it.  Everywhere else it is what it says, nearly black.
INK = "#000037"
_LONG = 40  # letters of a name that a phone has room for beside a short dash
_HOVER = {"bgcolor": "#FFFFFF", "bordercolor": "#555867", "namelength": -1}
_HOVER_INK = "#1A1C24"


def padded(values: Numbers, logarithmic: bool) -> Numbers:
    """Return values shifted by 1 for a logarithmic axis, so that 0 can be drawn."""
    return np.asarray(values) + 1 if logarithmic else np.asarray(values)


def bin_sides(edges: NumberArray, logarithmic: bool) -> FloatArray:
    """Return the boundaries of bins on an axis, halfway between neighboring whole numbers.

    So the bar of one number stands on that number; real numbers are parted at the edges.  On a
    logarithmic axis numbers are padded by 1, and half way is that of their logarithms.
    """
    first = edges.astype(np.float64)
    if edges.dtype.kind == "f":
        return first
    if not logarithmic:
        return first - 0.5
    roots = np.sqrt(np.maximum(first, 0.5))  # first the roots: products of counts overflow
    return roots * np.sqrt(first + 1)


def side_by_side(
    sides: FloatArray, n_series: int, logarithmic: bool
) -> tuple[FloatArray, FloatArray]:
    """Return center and width of the bars of each series, equally wide to the eye within a bin."""
    drawn = np.log(sides) if logarithmic else sides
    share = np.linspace(0.05, 0.95, n_series + 1)[:, None]
    cuts = drawn[:-1] + share * np.diff(drawn)
    cuts = np.exp(cuts) if logarithmic else cuts
    return (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts, axis=0)


def ink(style: Style) -> float:
    """Return the drawn share of a line, so that lines with gaps are drawn on top of solid ones."""
    if "," not in style.dash:
        return 1.0 if style.dash == "solid" else 0.5
    lengths = [float(part.removesuffix("px")) for part in style.dash.split(",")]
    return sum(lengths[::2]) / sum(lengths)


def hollow(marker: str) -> str:
    """Return the hollow form of a marker, which is itself where it is hollow already."""
    return f"{marker.removesuffix('-dot').removesuffix('-open')}-open"


def threshold_words(threshold: float) -> str:
    """Return the label of the threshold for noisy counts."""
    return f"threshold ⊥: {threshold:,.{0 if threshold >= 100 else 1}f}"


def hover(name: str, text: str) -> str:
    """Return the hover text of a point: its owner and its numbers."""
    return f"<b>{name}</b><br>{text}<extra></extra>"


def numbered(name: str, places: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """Return the name of a series, and hover texts: what each point is of, and its number."""
    text = hover(name, "%{customdata[0]}: %{customdata[1]}")
    return {
        "name": name,
        "customdata": list(zip(places, words, strict=True)),
        "hovertemplate": text,
    }


def curve(
    figure: go.Figure,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    name: str,
    style: Style,
    text: str,
    **more: Any,
) -> None:
    """Draw a line with a mark at each point, in the style of a mechanism, with its hover text."""
    look = {
        "mode": "lines+markers",
        "line": {"color": style.color, "dash": style.dash, "width": 3},
        "marker": {"symbol": style.marker, "size": 9, "color": style.color},
        "hovertemplate": hover(name, text),
    }
    figure.add_scatter(x=x, y=y, name=name, **look | more)


def check_metric(metric: object) -> None:
    """Raise for what is no measure, such as the key of one."""
    if not isinstance(metric, Metric):
        raise TypeError(f"metric must be a measure, such as METRICS['linf'], got {metric!r}")


def digits(metric: Metric) -> str:
    """Return Plotly's number format for a metric: four digits for scores, all for others."""
    return ",.4~r" if metric.is_score else ","


def error_axis(
    update: Callable[..., object],
    metric: Metric,
    ends: tuple[float, float],
    logarithmic: bool,
    *,
    prefix: str = "",
    between: str = " ",
) -> None:
    """Set the axis of an error; places and numbers of items are never logarithmic."""
    title = f"{prefix}{metric.title}"
    if metric.in_counts:
        count_axis(update, title, ends, logarithmic, metric.unit, between)
        return
    unit = "more is better" if metric.more_is_better else metric.unit
    update(title=f"{title}{between}({unit})", tickformat=",")


def count_axis(
    update: Callable[..., object],
    title: str,
    ends: tuple[float, float],
    logarithmic: bool,
    unit: str,
    between: str = " ",
) -> None:
    """Set the axis of counts; a logarithmic one is shifted by 1, with ticks at true values.

    ``ends`` are the smallest and the largest count drawn: a logarithmic axis reaches no further.
    ``between`` title and unit stands a break where the axis is upright or beside long names.
    """
    if not logarithmic:
        update(title=f"{title}{between}({unit})", tickformat=",", rangemode="tozero")
        return
    # with room for some errors where there are none
    low, high = np.log10([ends[0] + 1, max(ends[1], 5) + 1])
    room = max(0.04 * (high - low), 0.06)
    low, high = low - room, high + room
    ticks = _count_ticks(10**low - 1, 10**high - 1)
    scale = "log scale" if ticks[0] > _FAR_FROM_1 else "log of 1 + x"
    update(
        type="log",
        title=f"{title}{between}in {unit} ({scale})",
        tickvals=ticks + 1,
        ticktext=[_short(tick) for tick in ticks.tolist()],
        range=[low, high],
    )


def _count_ticks(low: float, high: float) -> IntArray:
    """Return counts within an axis: powers of ten, or more where these are few.

    No 1 stands beside 0 where many powers leave no room for it.
    """
    powers = 10 ** np.arange(19)  # 10^19 is no int64
    step = 10 ** int(np.log10(max((high - low) / (_FEW_TICKS + 1), 1)))
    fine = np.outer((1, 2, 5), powers[:-1])
    steps = (size * step for size in (5, 2, 1))
    for ticks in (powers, fine, *(by * np.arange(low // by, high / by) for by in steps)):
        within = np.unique(np.append(0, ticks)).astype(np.int64)
        within = within[(within >= low) & (within <= high)]
        if within.size > _FEW_TICKS:
            break
    return within[within != 1] if low < 0 and high > _CLOSE else within


def _short(value: int) -> str:
    for size, suffix in ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size and value % size == 0:
            return f"{value // size}{suffix}"
    return f"{value:,}"


def power_ticks(update: Callable[..., object], least: float) -> None:
    """Set the ticks of an axis of small probabilities, written as the controls write them.

    Plotly writes powers as superscripts, of seven tenths of the size.
    """
    lowest = int(np.floor(np.log10(least)))
    step = 1 + (-lowest - 1) // _MOST_POWERS
    powers = range(0, lowest - 1, -step)
    update(
        type="log",
        tickvals=[10.0**power for power in powers],
        ticktext=[f"1e{power}" if power else "1" for power in powers],
    )


def whiskers(
    values: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, **look: Any
) -> dict[str, Any]:
    """Return Plotly's error bars around values, between the ends of their intervals."""
    above, below = np.subtract(high, values), np.subtract(values, low)
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below} | look


def mark(
    figure: go.Figure,
    x: float,
    text: str,
    logarithmic: bool,
    dash: str = "dot",
    height: float = 0.5,
) -> None:
    """Draw a vertical line with a label."""
    at = float(padded(np.array(x), logarithmic))
    ruled(figure, {"color": MARK, "dash": dash, "width": 2}, x=at)
    drawn_at = float(np.log10(at)) if logarithmic else at
    anchor = "bottom" if height > 1 else "middle"  # above the plot, however high that is
    write(figure, text, drawn_at, min(height, 1.0), "right", anchor, yref="paper")


def ruled(
    figure: go.Figure, line: Mapping[str, Any], x: float | None = None, y: float | None = None
) -> None:
    """Draw a line through all of the plot, upwards at ``x`` or sideways at ``y``.

    Plotly's own `add_vline` and `add_hline` go through all axes, and take four times as long.
    """
    at: dict[str, Any] = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
    if y is not None:
        at = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
    figure.add_shape(type="line", line=line, **at)


def write(
    figure: go.Figure,
    text: str,
    x: object,
    y: object,
    xanchor: str | None = None,
    yanchor: str | None = None,
    **more: Any,
) -> None:
    """Write text at a place of a figure."""
    figure.add_annotation(text_at(text, x, y, xanchor=xanchor, yanchor=yanchor, **more))


def text_at(text: str, x: object, y: object, **more: Any) -> dict[str, Any]:
    """Return the annotation of `write`: of many, each added alone has Plotly check all others."""
    return {"text": text, "x": x, "y": y, "showarrow": False, **more}


def dotted(
    figure: go.Figure,
    x: Sequence[float],
    y: Sequence[float],
    name: str | None,
    note: str = "",
    **more: Any,
) -> None:
    """Draw a line of a limit, such as a threshold, between two points, with a ``note`` over it."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": MARK, "width": 3, "dash": "dot"},
        name=name,
        hovertemplate=f"{note or name}<extra></extra>",
        **more,
    )


def mark_current(figure: go.Figure, x: float) -> None:
    """Draw a line upwards at the present value of a setting."""
    ruled(figure, {"color": NEUTRAL, "dash": "dot", "width": 1.5}, x=x)


def inked(symbol: str, size: float, width: float) -> dict[str, Any]:
    """Return a mark in the colour of the text: its trace has a uid that begins with "ink"."""
    return {"symbol": symbol, "size": size, "color": INK, "line": {"width": width, "color": INK}}


def mark_bound(figure: go.Figure, bound: ErrorBound | None, logarithmic: bool) -> None:
    """Draw a line at a proven bound, if there is one."""
    if bound is not None:
        words = f"{bound.source.place}: {bound.value:,.0f}"
        mark(figure, bound.value, words, logarithmic, "longdash")


def hatching(style: Style) -> dict[str, str | float]:
    """Return the fill pattern that distinguishes bars without color."""
    return {
        "shape": style.hatch,
        "bgcolor": style.color,
        "fgcolor": "white",
        "size": 7,
        "solidity": 0.35,
    }


def translucent(color: str, alpha: float = 0.18) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def pale(color: str) -> str:
    """Return a color halfway to white, paler than it on any background."""
    return f"rgb{tuple(128 + int(color[i : i + 2], 16) // 2 for i in (1, 3, 5))}"


def rows_of(figure: go.Figure, ticks: Sequence[str]) -> FloatArray:
    """Give a figure one row per name, the first on top, and return their positions."""
    places = np.arange(len(ticks), dtype=np.float64)
    figure.update_yaxes(
        tickvals=places,
        ticktext=list(ticks),
        range=[len(ticks) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )
    figure.update_xaxes(showgrid=True)
    return places


def height_of_rows(n_rows: int, n_bars: int = 1) -> int:
    """Return the height in pixels of a figure of rows, also on a phone.

    Two lines a name, as much as the bars take, and the legend, an entry a line.
    """
    return 110 + 30 * n_bars + n_rows * max(40, 10 * n_bars + 4)


def laid_out(figure: go.Figure) -> go.Figure:
    """Return a copy with the common margins, legend and fonts."""
    layout = {
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "legend": {
            "orientation": "h",
            "xref": "container",
            "yref": "container",  # of the paper, it lies on the plot once long ticks move that
            "x": 0,
            "y": 1,
            "yanchor": "top",
        },
        "dragmode": False,
    }
    return lettered(figure, SIZE, layout, {"automargin": True})


def lettered(
    figure: go.Figure, size: int, more_layout: Mapping[str, Any], more_axis: Mapping[str, Any]
) -> go.Figure:
    """Return a copy with all text in one size, dark on light and light on dark, and more."""
    font = {"size": size, "color": INK}
    has_lines = any(is_line(trace) for trace in figure.data)
    crowded = any(len(trace.name or "") > _LONG for trace in figure.data)
    layout: dict[str, Any] = {
        "font": font,
        "hoverlabel": _HOVER | {"font": {"size": size, "color": _HOVER_INK}},
        "legend": {
            "font": font,
            "title": {"font": font},
            # wide enough to tell dashes apart, where a phone has room for it beside the name
            "itemwidth": 4 * size if has_lines and not crowded else 30,
        },
    }
    _put(layout, more_layout)
    axis = {"tickfont": font, "title": {"font": font}, **more_axis}
    return updated(figure, layout, axis, {"font": font})


def updated(
    figure: go.Figure,
    layout: Mapping[str, Any],
    axis: Mapping[str, Any],
    annotation: Mapping[str, Any],
) -> go.Figure:
    """Return a copy with updates to its layout, all of its axes and all annotations.

    Plotly's own methods check every value at every step, which takes longer than all the rest of
    a page; the tests check each figure once.
    """
    new_layout = figure.layout.to_plotly_json()
    axes = [name for name in new_layout if re.fullmatch(r"[xy]axis\d*", name)]
    _put(new_layout, layout)
    for name in {"xaxis", "yaxis", *axes}:
        _put(new_layout.setdefault(name, {}), axis)
    for each in new_layout.get("annotations", ()):
        _put(each, annotation)
    traces = [trace.to_plotly_json() for trace in figure.data]
    return go.Figure({"data": traces, "layout": new_layout}, _validate=False)


def _put(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping):
            _put(into.setdefault(key, {}), value)
        else:
            into[key] = value


def is_line(trace: go.Scatter) -> bool:
    """Return whether a trace draws a line."""
    return trace.type == "scatter" and "lines" in (trace.mode or "")


def drawn_points(figure: go.Figure, trace: go.Scatter | go.Bar) -> FloatArray:
    """Return the points of a trace as drawn: log10 on a logarithmic axis; steps with corners.

    On an axis of categories they are numbered.  What has no logarithm is NaN.
    """
    places = range(len(trace.x)) if figure.layout.xaxis.type == "category" else trace.x
    x, y = (np.asarray(values, dtype=np.float64) for values in (places, trace.y))
    if trace.type == "scatter" and trace.line.shape == "hv":
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.log10(x) if figure.layout.xaxis.type == "log" else x
        y = np.log10(y) if figure.layout.yaxis.type == "log" else y
    drawn = np.column_stack([x, y])
    return np.where(np.isfinite(drawn), drawn, np.nan)


def seen(points: FloatArray) -> FloatArray:
    """Return the points that are drawn: those of two numbers."""
    return points[~np.isnan(points).any(axis=1)]
