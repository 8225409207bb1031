"""What all figures share: styles, escaped text, axes, marks, layout."""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
import plotly.graph_objects as go

from dptopk._types import FloatArray, IntArray
from dptopk.errors import Metric
from dptopk.mechanisms import Style

Styles = Mapping[str, Style]
"""How each mechanism is drawn, by its label: `card.style` of each."""

Numbers = TypeVar("Numbers", IntArray, FloatArray)

BLUE, ORANGE = "#0072B2", "#E69F00"
PALETTE = ("#CC79A7", "#0072B2", "#E69F00", "#009E73")  # curves that belong to no mechanism
NEUTRAL = "#808495"
MARK = "#D55E00"
_LABEL_LENGTH = 40


def plain(text: str, length: int = _LABEL_LENGTH) -> str:
    """Text that Plotly shows as it stands, shortened to ``length`` characters."""
    text = " ".join(text.split())
    text = text if len(text) <= length else text[: length - 1] + "…"
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def compact(value: float) -> str:
    """Render a setting that may be any number, such as ε or δ, in six digits at most: 1e-6."""
    return re.sub(r"e([+-])0", r"e\1", f"{value:g}").replace("e+", "e")


def padded(values: Numbers, logarithmic: bool) -> Numbers:
    """Where a value is drawn: one further on a logarithmic axis, so that 0 has a place."""
    return np.asarray(values) + 1 if logarithmic else np.asarray(values)


def log_middle(edges: IntArray) -> FloatArray:
    """Middle of each bin on a logarithmic axis."""
    roots = np.sqrt(edges.astype(np.float64))  # first the roots: products of counts overflow
    return roots[1:] * roots[:-1]


def error_axis(
    update: Callable[..., object],
    metric: Metric,
    largest: float,
    logarithmic: bool,
    prefix: str = "",
) -> None:
    """Axis of an error; places and numbers of items are never logarithmic."""
    if metric.unit == "users":
        count_axis(update, prefix + metric.title, largest, logarithmic)
    elif metric.more_is_better:
        update(title=f"{prefix}{metric.title} (more is better)", tickformat=",")
    else:
        update(title=f"{prefix}{metric.title} ({metric.unit})", tickformat=",")


def count_axis(
    update: Callable[..., object], title: str, largest: float, logarithmic: bool
) -> None:
    """Axis in users; the logarithmic one is padded by 1 and ticked at the true values."""
    if not logarithmic:
        update(title=f"{title} (users)", tickformat=",", rangemode="tozero")
        return
    top = min(max(1, int(np.ceil(np.log10(largest + 1)))), 18)  # 10^19 is no int64
    powers = 10 ** np.arange(top + 1)
    ticks = np.concatenate([[0], powers]) if top > 2 else _fine_ticks(powers)
    update(
        type="log",
        title=f"{title} (users; log scale, padded by 1)",
        tickvals=ticks + 1,
        ticktext=[_short(tick) for tick in ticks],
        range=[-0.06, np.log10(largest + 1) * 1.04 + 0.06],
    )


def _fine_ticks(powers: IntArray) -> IntArray:
    return np.unique(np.concatenate([[0], powers, 2 * powers, 5 * powers]))


def _short(value: int) -> str:
    for size, suffix in ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value // size}{suffix}"
    return str(value)


def mark(
    figure: go.Figure,
    x: float,
    text: str,
    logarithmic: bool,
    dash: str = "dot",
    height: float = 0.5,
) -> None:
    """Vertical line with a word beside it; Plotly wants an annotation's place in log10."""
    at = float(padded(np.array(x), logarithmic))
    figure.add_vline(x=at, line={"color": MARK, "dash": dash, "width": 2})
    figure.add_annotation(
        x=float(np.log10(at)) if logarithmic else at,
        y=height,
        yref="paper",
        xanchor="right",
        yanchor="middle",
        text=text,
        showarrow=False,
        font={"color": MARK},
    )


def hatching(style: Style) -> dict[str, str | int]:
    """Hatching that tells bars apart without colour."""
    return {"shape": style.hatch, "bgcolor": style.color, "fgcolor": "white", "size": 6}


def translucent(color: str, alpha: float = 0.18) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def laid_out(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        font={"size": 14},
        hoverlabel={"namelength": -1},
        dragmode=False,
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure
