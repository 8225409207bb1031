"""All text in figures: its size and colour, and room in legends for dashes."""

import plotly.graph_objects as go

SIZE = 15  # pixels
# Where a figure says #000037 the app's theme writes its own text colour, light on dark: so text
# has the contrast of the page around it.  Everywhere else it is what it says, nearly black.
INK = "#000037"
_LONG = 40  # letters of a name that a phone has room for beside a short dash
_HOVER = {"bgcolor": "#FFFFFF", "bordercolor": "#555867", "namelength": -1}
_HOVER_INK = "#1A1C24"


def lettered(figure: go.Figure, size: int = SIZE) -> go.Figure:
    """Write every text of a figure in one size, dark on light and light on dark."""
    font = {"size": size, "color": INK}
    axis = {"tickfont": font, "title": {"font": font}}
    has_lines = any(is_line(trace) for trace in figure.data)
    crowded = any(len(trace.name or "") > _LONG for trace in figure.data)
    figure.update_layout(
        font=font,
        hoverlabel=_HOVER | {"font": {"size": size, "color": _HOVER_INK}},
        legend={
            "font": font,
            "title": {"font": font},
            # wide enough to tell dashes apart, where a phone has room for it beside the name
            "itemwidth": 4 * size if has_lines and not crowded else 30,
        },
    )
    figure.update_xaxes(axis)
    figure.update_yaxes(axis)
    figure.update_annotations(font=font)
    return figure


def is_line(trace: go.Scatter) -> bool:
    """Whether a trace draws a line."""
    return trace.type == "scatter" and "lines" in (trace.mode or "")
