"""Name lines at their ends, and restyle figures for projection: large type, thick lines."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray
from dptopk.figures._drawing import (
    INK,
    NEUTRAL,
    SIZE as _SIZE_ON_PAGE,
    drawn_points,
    is_line,
    lettered,
    seen,
    text_at,
    updated,
)
from dptopk.mechanisms.card import MINIMAL_STYLE

SIZE = 22  # of the type on a slide, in pixels
_FAR = 0.1  # of the figure: a name further than this from all other lines is read as its line's
_BESIDE = 0.35  # of the figure's width, that names may take
_WIDTH, _NARROW = 800, 330  # of the narrowest computer or projector, and of a phone, less margins
_APART = 0.07  # of the height, between names at the ends
_LONG = 30  # letters of a name in the legend: two of them fit in a row beside short dashes
_MANY = 40  # marks without a line: they stand too close to grow
_ROOMY = 6  # rows that have room for two lines each
_ONE = 0.006  # of the figure: lines that lie closer than this everywhere are drawn as one
_EQUAL, _ALMOST = " = ", " ≈ "  # between the names of lines that are drawn as one
_SAME = 1e-6  # of the figure: lines closer than this are equal
_FEW_TICKS = 5  # of a logarithmic axis on a phone
_TOGETHER = 40  # letters of the names of such lines: of more each is drawn by itself
_ASIDE = 0.15  # of the height: a name further than this from its line's end belongs to none


def presented(figure: go.Figure, scale: float = 1.0) -> go.Figure:
    """Return a copy of a figure with type of at least 20 pixels and its lines named.

    Names stand beside their lines.  Where they would lie on others, or where lines are drawn over
    several axes, the legend stays.  On a screen that is larger by ``scale`` than 1280 × 720 the
    figure looks as on that: type, lines, marks and margins grow alike.
    """
    large = lettered(figure, SIZE, {}, {})
    for trace in large.data:
        trace.update(textfont_size=SIZE)
        if trace.type == "scatter":
            if trace.line.width:
                trace.line.width = 1.6 * trace.line.width
            close = trace.mode == "markers" and len(trace.x) > _MANY
            if trace.marker.size is not None and not close:
                trace.marker.size = np.multiply(trace.marker.size, 1.5).tolist()
    _shorten_rows(large)
    _name_lines(large, SIZE, _WIDTH)
    legend = large.layout.showlegend is not False and any(
        trace.showlegend is not False for trace in large.data
    )
    if sum(len(trace.name or "") > _LONG for trace in large.data) > 1:
        large.layout.legend.itemwidth = 2 * SIZE  # two names in a row
    more = 1.5 * max(0, figure.layout.margin.t - 40)  # names of columns, above the plot
    large.update_layout(margin_t=(60 if legend else 30) + more)
    return large if scale == 1 else scaled(large, scale)


def named(figure: go.Figure, *, narrow: bool = False) -> go.Figure:
    """Return a figure with its lines named at their ends instead of in a legend.

    Where names would lie on others the legend stays, as where lines are drawn over several axes.
    Lines that coincide are drawn once, with all of their names.  ``narrow`` is a phone's screen,
    on which a logarithmic axis has few ticks.
    """
    crowded, lines = narrow and figure.layout.xaxis.type == "log", any(map(_is_named, figure.data))
    if not (crowded or lines):
        return figure
    copy = updated(figure, {}, {}, {})
    if crowded:
        _thin_ticks(copy)
    if not lines:
        return copy
    _name_lines(copy, _SIZE_ON_PAGE, _NARROW if narrow else _WIDTH)
    if not any(trace.name and trace.showlegend is not False for trace in copy.data):
        copy.update_layout(margin_t=10, showlegend=False)
    return copy


def _thin_ticks(figure: go.Figure) -> None:
    """Leave room for a number at each tick of the x axis, so that none is turned."""
    axis = figure.layout.xaxis
    axis.update(tickangle=0, nticks=_FEW_TICKS)
    if axis.tickvals is None:
        return
    texts = axis.ticktext or [""] * len(axis.tickvals)
    ticks = [*zip(axis.tickvals, texts, strict=True)]
    curves = [trace for trace in figure.data if trace.type == "scatter"]
    points = [seen(drawn_points(figure, trace))[:, 0] for trace in curves]
    ends = axis.range or (np.concatenate(points) if points else ())
    if len(ends):
        low, high = 10.0 ** np.min(ends), 10.0 ** np.max(ends)
        ticks = [(at, text) for at, text in ticks if low <= at <= high]
    for kept in (["", "1", "2", "5"], ["", "1"]):
        if len(ticks) > _FEW_TICKS:
            ticks = [(at, text) for at, text in ticks if _digits(text or f"{at:e}") in kept]
    axis.tickvals = [at for at, _ in ticks]
    axis.ticktext = axis.ticktext and [text for _, text in ticks]


def _digits(number: str) -> str:
    """Return the digits of a written number but its zeros and its power of ten."""
    return re.sub("[^1-9]", "", number.partition("e")[0])


_PIXELS = {
    *{("margin", side) for side in "lrtb"},
    *{("marker", "size"), ("line", "width"), ("legend", "itemwidth"), ("title", "standoff")},
    *{("annotations", shift) for shift in ("xshift", "yshift", "ax", "ay", "standoff")},
    *{(bar, size) for bar in ("error_x", "error_y") for size in ("width", "thickness")},
}
_FONTS = {"font", "tickfont", "textfont", "titlefont"}


def scaled(figure: go.Figure, scale: float) -> go.Figure:
    """Return a copy with all lengths in pixels multiplied."""

    def grown(part: Any, key: str, within: str) -> Any:
        if isinstance(part, dict):
            return {name: grown(inner, name, key) for name, inner in part.items()}
        if (within, key) in _PIXELS or (within in _FONTS and key == "size"):
            return part if part is None else np.multiply(part, scale).tolist()
        if isinstance(part, list | tuple) and part and isinstance(part[0], dict):
            return [{name: grown(inner, name, key) for name, inner in one.items()} for one in part]
        return part

    layout = figure.layout.to_plotly_json()
    template = layout.pop("template", None)
    data = [grown(trace.to_plotly_json(), "trace", "") for trace in figure.data]
    return go.Figure(data, grown(layout, "layout", "") | {"template": template})


def _shorten_rows(figure: go.Figure) -> None:
    """Write names of two lines in one where rows are many, and longer ones in two."""
    ticks = [_in_two(tick) for tick in figure.layout.yaxis.ticktext or ()]
    figure.layout.yaxis.ticktext = ticks or None
    if len(ticks) > _ROOMY:
        figure.layout.yaxis.ticktext = [tick.replace("<br>", ", ") for tick in ticks]


def _in_two(tick: str) -> str:
    lines = tick.split("<br>")
    half = len(lines) // 2
    return tick if len(lines) < 3 else "<br>".join((" ".join(lines[:half]), " ".join(lines[half:])))


def _name_lines(figure: go.Figure, size: int, width: int) -> None:
    """Write each line's name at its right end, or at a clear place if the ends meet."""
    lines = [one for one in figure.data if _is_named(one) and len(seen(drawn_points(figure, one)))]
    if not lines or any(trace.yaxis not in (None, "y") for trace in figure.data):
        return
    lines, paths = _joined(lines, list(_paths(figure, lines)))
    ends = np.array([path[-1] for path in paths])
    order = np.argsort(ends[:, 1], kind="stable")
    texts = [re.split(f"{_EQUAL}|{_ALMOST}", trace.name) for trace in lines]
    widths = np.array([0.6 * size * (max(map(len, each)) + 3) for each in texts])
    beyond = (widths - (1 - ends[:, 0]) * width).max()  # what does not fit beside a line's end
    at_end = len(lines) == 1 or (np.ptp(ends[:, 1]) >= _APART and beyond <= _BESIDE * width)
    if at_end:
        room = _APART * np.array([len(texts[line]) for line in order])
        heights = np.empty(len(lines))
        heights[order] = _spread(ends[order, 1], room)
        places = np.column_stack([ends[:, 0], heights])
        clear = bool((np.abs(heights - ends[:, 1]) <= _ASIDE).all()) and (
            np.ptp(ends[:, 0]) < _ONE or _are_clear(places, widths / width, paths)
        )  # a name beside a line that ends early may lie on one that goes on
    else:
        places = _alone(paths)
        clear = _are_clear(places, widths / width, paths)
    if not clear:
        return
    for trace in figure.data:
        if is_line(trace):
            trace.showlegend = False
    low, high = _drawn_range(figure)
    if at_end:
        figure.update_layout(margin_r=20 + max(0, int(beyond)))
        axis = figure.layout.xaxis
        if axis.range is None and axis.type != "category":  # names in the margin widen it otherwise
            room = 0.03 * (high[0] - low[0])
            start = 0 if axis.rangemode == "tozero" else low[0] - room
            axis.range = [start, high[0] + room]
    notes = [*figure.layout.annotations]
    for trace, names, place in zip(lines, texts, places, strict=True):
        x, y = low + place * (high - low)
        above = place[1] < 1 - _APART  # else the name would leave the figure
        notes.append(
            text_at(
                f'<span style="color:{trace.line.color}">━</span> <b>{" =<br>".join(names)}</b>',
                x,
                y,
                align="left",
                font={"size": size, "color": INK},
                xanchor="left",
                yanchor="middle" if at_end else "bottom" if above else "top",
                xshift=12 if at_end else 4,
                yshift=0 if at_end else 4 if above else -4,
            )
        )
    figure.layout.annotations = notes


def _spread(heights: FloatArray, room: FloatArray) -> FloatArray:
    """Return ascending heights with room for a name at each, as near to the given ones as can be.

    Names that meet move by the mean of what they lack.  None leaves the figure, beyond which Plotly
    draws no name.
    """
    stacked = np.cumsum(room) - room / 2
    moved = _ascending(heights - stacked)
    spread: FloatArray = stacked + np.clip(moved, 0, max(0, 1 - room.sum()))
    return spread


def _ascending(values: FloatArray) -> FloatArray:
    """Return the ascending values nearest to given ones, by least squares (isotonic regression).

    As `scipy.optimize.isotonic_regression`, whose module takes a second to load.
    """
    groups: list[list[float]] = []
    for value in values.tolist():
        group = [value]
        while groups and np.mean(groups[-1]) > np.mean(group):
            group = groups.pop() + group
        groups.append(group)
    return np.array([float(np.mean(group)) for group in groups for _ in group])


def _joined(
    lines: list[go.Scatter], paths: list[FloatArray]
) -> tuple[list[go.Scatter], list[FloatArray]]:
    """Return the lines with those that coincide as one, which gets all of their names.

    The others stay where they are, unseen, for their numbers under the pointer.  It has the color
    of the one that is not gray, if there is one.
    """
    kept: list[tuple[go.Scatter, FloatArray]] = []
    for line, path in zip(lines, paths, strict=True):
        near = ((f, np.abs(other - path).max()) for f, other in kept)
        first, apart = next((one for one in near if one[1] < _ONE), (None, 0.0))
        if first and NEUTRAL in (first.line.color, line.line.color):
            first = None  # limits and references are drawn by themselves
        sign = _EQUAL if apart < _SAME else _ALMOST
        names = f"{first.name}{sign}{line.name}" if first else ""
        if first and len(names) <= _TOGETHER:
            first.name = names
            if first.line.color == MINIMAL_STYLE.color:
                first.line.color = line.line.color
            line.update(mode="lines", line_width=0, showlegend=False)
        else:
            kept.append((line, path))
    return [line for line, _ in kept], [path for _, path in kept]


def _is_named(trace: go.Scatter) -> bool:
    return bool(
        is_line(trace) and trace.name and trace.showlegend is not False and trace.opacity is None
    )


def _drawn_range(figure: go.Figure) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest drawn values of x and y, from the axis where it has a range."""
    curves = (trace for trace in figure.data if trace.type == "scatter")
    points = np.concatenate([seen(drawn_points(figure, trace)) for trace in curves])
    low, high = points.min(axis=0), points.max(axis=0)
    for side, axis in enumerate((figure.layout.xaxis, figure.layout.yaxis)):
        if axis.range is not None:
            low[side], high[side] = axis.range
    return low, np.where(high > low, high, low + 1)


def _paths(figure: go.Figure, lines: list[go.Scatter]) -> Iterator[FloatArray]:
    """Yield each line as closely spaced points, in shares of the width and the height."""
    low, high = _drawn_range(figure)
    for trace in lines:
        points = (seen(drawn_points(figure, trace)) - low) / (high - low)
        length = np.concatenate([[0], np.cumsum(np.abs(np.diff(points, axis=0)).sum(axis=1))])
        at = np.linspace(0, length[-1], 60)
        yield np.column_stack([np.interp(at, length, points[:, side]) for side in (0, 1)])


def _alone(paths: list[FloatArray]) -> FloatArray:
    """Return a place on each line that is far from other lines and from names."""
    places: list[FloatArray] = []
    for line, path in enumerate(paths):
        others = [other for position, other in enumerate(paths) if position != line]
        crowd = np.concatenate([*others, *(place[None] for place in places)])
        room = np.abs(path[:, None] - crowd[None]).max(axis=2).min(axis=1).clip(max=_FAR)
        names = np.array(places).reshape(-1, 2)
        distances = np.abs(path[:, None] - names[None]) / (0.25, _APART)  # a name is wide and low
        clear = distances.max(axis=2).min(axis=1, initial=1.0).clip(max=1.0)
        fits = path[:, 0] < 0.85  # a name goes to the right of its place
        places.append(path[np.argmax(room / _FAR + 2 * clear + fits)])
    return np.array(places)


def _are_clear(places: FloatArray, widths: FloatArray, paths: list[FloatArray]) -> bool:
    """Return whether names at their places overlap no line and no other name."""
    points = np.concatenate(paths)
    for number, (place, width) in enumerate(zip(places, widths, strict=True)):
        low, high = np.add(place, (0.01, 0.02)), np.add(place, (width, _APART))
        others = np.delete(places, number, axis=0)
        taken = np.concatenate([points, np.add(others, (0.02, 0.03))])
        if ((taken > low) & (taken < high)).all(axis=1).any():
            return False
    return True
