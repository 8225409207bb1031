"""Write Plotly figures as PDF and SVG by matplotlib, which needs no browser.

Plotly itself draws in a browser alone.  Here the lines, bands, bars, marks and axes of one of our
figures are drawn again from its traces, so that a file shows what the page shows.

Limits: scatter and bar traces on two axes, as `error_sweep`, `count_gaps`, `count_histogram` and
`curves` have them; nothing that appears when something is pointed at.
"""

import io
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

_DASHES: Mapping[str, Any] = {"solid": "-", "dot": ":", "dash": "--", "dashdot": "-."}
_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "P",
    "x": "X",
    "triangle": "^",
    "star": "*",
    "pentagon": "p",
    "hexagon": "h",
    "hexagram": "*",
    "hourglass": "d",
    "bowtie": "d",
}
_STYLE = {
    "font.size": 8,
    "pdf.fonttype": 42,  # text that can be searched and edited
    "svg.hashsalt": "dptopk",  # the same file each time
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
}
_WIDTH, _HEIGHT, _LEAST_WIDTH = 3.4, 2.5, 6.0  # inches of a panel, and of a sheet


def vector_files(panels: Mapping[str, go.Figure], title: str, n_columns: int) -> dict[str, bytes]:
    """Return panels on one sheet, by their titles, as the content of a "pdf" and an "svg" file."""
    import matplotlib as mpl  # slow to load, and not installed with the app
    from matplotlib.figure import Figure

    n_rows = -(-len(panels) // n_columns)
    with mpl.rc_context(_STYLE):
        wide = max(_WIDTH * n_columns, _LEAST_WIDTH)
        high = wide / n_columns * _HEIGHT / _WIDTH * n_rows + 0.7
        sheet = Figure(figsize=(wide, high), layout="constrained")
        grid = sheet.subplots(n_rows, n_columns, squeeze=False).flatten().tolist()
        named: dict[str, Any] = {}
        for axes, (words, figure) in zip(grid, panels.items(), strict=False):
            _draw(axes, figure)
            axes.set_title(words, fontsize=8)
            named |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        sheet.suptitle(title, fontsize=10)
        if named:
            most = max(1, int(12 * wide) // max(map(len, named)))  # letters of names in a row
            where = "outside lower center"
            sheet.legend(named.values(), named, loc=where, ncols=min(6, most), fontsize=8)
        files = {}
        for form, undated in (("pdf", "CreationDate"), ("svg", "Date")):
            written = io.BytesIO()
            sheet.savefig(written, format=form, metadata={undated: None})
            files[form] = written.getvalue()
    return files


def _draw(axes: Any, figure: go.Figure) -> None:
    for trace in figure.data:
        name = trace.name or None
        x, y = np.asarray(trace.x, dtype=float), np.asarray(trace.y, dtype=float)
        if trace.type == "bar":
            axes.bar(x, y, np.asarray(trace.width, dtype=float), color=_color(trace.marker.color))
        elif trace.fill == "toself":
            axes.fill(x, y, fc=_color(trace.fillcolor), ec=_color(trace.line.color), lw=0.5)
        else:
            _draw_line(axes, trace, x, y, name)
    for shape in figure.layout.shapes:
        if shape.x0 == shape.x1:
            axes.axvline(shape.x0, color="0.4", ls=":", lw=1)
    for side in "xy":
        _dress(axes, side, figure.layout[f"{side}axis"])


def _draw_line(axes: Any, trace: go.Scatter, x: Any, y: Any, name: str | None) -> None:
    is_line, marked = "lines" in trace.mode, "markers" in trace.mode
    symbol = str(trace.marker.symbol or "circle")
    dash = trace.line.dash or "solid"
    color = _color(trace.line.color if is_line else trace.marker.color)
    lengths = [float(length) / 2 for length in re.findall(r"[\d.]+", dash)]
    axes.plot(
        x,
        y,
        color=color,
        label=name,
        lw=1.2,
        ls=_DASHES.get(dash, (0, lengths)) if is_line else "none",
        marker=_MARKERS.get(symbol.partition("-")[0], "o") if marked else None,
        markersize=3 if len(x) > 1 else 8,
        markerfacecolor="none" if symbol.endswith("-open") else color,
    )


def _color(color: Any) -> Any:
    """Return a color, or several, as matplotlib takes them: rgba() has parts up to 255 and 1."""
    if not isinstance(color, str):
        return [_color(one) for one in color] if isinstance(color, tuple | list) else color
    if not color.startswith("rgba"):
        return color
    red, green, blue, alpha = map(float, re.findall(r"[\d.]+", color))
    return red / 255, green / 255, blue / 255, alpha


def _dress(axes: Any, side: str, axis: go.layout.XAxis) -> None:
    """Give an axis the scale, title, ticks and range of one of Plotly's."""
    if axis.type == "log":
        getattr(axes, f"set_{side}scale")("log")
    getattr(axes, f"set_{side}label")(re.sub("<br>", "\n", axis.title.text or ""))
    if axis.tickvals is not None:
        axes.tick_params(axis=side, which="minor", length=0, labelleft=False, labelbottom=False)
        getattr(axes, f"set_{side}ticks")(list(axis.tickvals), list(axis.ticktext or axis.tickvals))
    if axis.range is not None:
        ends = np.asarray(axis.range, dtype=float)
        getattr(axes, f"set_{side}lim")(*(10**ends if axis.type == "log" else ends))
    elif axis.rangemode == "tozero":
        getattr(axes, f"set_{side}lim")(**{"left" if side == "x" else "bottom": 0})
