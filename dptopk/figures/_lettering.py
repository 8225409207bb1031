"""Set the fonts and colors of text in figures, and the widths of legends."""

import re
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

SIZE = 15  # pixels
# Where a figure says #000037 the app's theme writes its own text colour, light on dark: so text
# has the contrast of the page around it.  Everywhere else it is what it says, nearly black.
INK = "#000037"
_LONG = 40  # letters of a name that a phone has room for beside a short dash
_HOVER = {"bgcolor": "#FFFFFF", "bordercolor": "#555867", "namelength": -1}
_HOVER_INK = "#1A1C24"


def lettered(figure: go.Figure, size: int = SIZE) -> go.Figure:
    """Set all text of a figure in one size, dark on light and light on dark."""
    font = {"size": size, "color": INK}
    has_lines = any(is_line(trace) for trace in figure.data)
    crowded = any(len(trace.name or "") > _LONG for trace in figure.data)
    layout = {
        "font": font,
        "hoverlabel": _HOVER | {"font": {"size": size, "color": _HOVER_INK}},
        "legend": {
            "font": font,
            "title": {"font": font},
            # wide enough to tell dashes apart, where a phone has room for it beside the name
            "itemwidth": 4 * size if has_lines and not crowded else 30,
        },
    }
    return updated(figure, layout, {"tickfont": font, "title": {"font": font}}, {"font": font})


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
    own = figure.layout.to_plotly_json()
    axes = [name for name in own if re.fullmatch(r"[xy]axis\d*", name)]
    _put(own, layout)
    for name in {"xaxis", "yaxis", *axes}:
        _put(own.setdefault(name, {}), axis)
    for each in own.get("annotations", ()):
        _put(each, annotation)
    traces = [trace.to_plotly_json() for trace in figure.data]
    return go.Figure({"data": traces, "layout": own}, _validate=False)


def _put(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Merge values into nested mappings."""
    for key, value in more.items():
        if isinstance(value, Mapping):
            _put(into.setdefault(key, {}), value)
        else:
            into[key] = value


def is_line(trace: go.Scatter) -> bool:
    """Return whether a trace draws a line."""
    return trace.type == "scatter" and "lines" in (trace.mode or "")
