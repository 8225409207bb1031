"""Counts, the gaps between them, and the probability that a gap is overlooked."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.numerals import COUNT_UNIT, compact, needed
from dptopk.figures._drawing import (
    BLUE,
    MARK,
    NEUTRAL,
    ORANGE,
    Styles,
    bin_sides,
    count_axis,
    curve,
    hover,
    ink,
    laid_out,
    mark,
    padded,
    ruled,
    side_by_side,
    translucent,
    write,
)
from dptopk.laws.swap_chances import SELDOM, Swaps

_FEW = 10  # places, which an axis would divide
_FAR_APART = 30  # times: answers that differ by more need a logarithmic axis
_SEEN = 0.01  # of all places, that a gap is at least wide
_BELOW = -0.025  # where the gaps of the data stand, below the curves


def count_gaps(
    counts: IntArray, k: int, *, logarithmic: bool = True, unit: str = COUNT_UNIT
) -> go.Figure:
    """Plot counts in descending order as bars, with the gap after place k on the next bar.

    The first k are darker; a cross stands over a count that equals the next one.
    """
    figure = go.Figure()
    n = len(counts)
    places, gaps = np.arange(1, n + 1), np.append(-np.diff(counts), 0)
    drawn = padded(counts, logarithmic)
    hovers = [
        f"place {place}: {count:,} {unit}"
        + (f"<br>{gap:,} more than the next" if place < n else "")
        for place, count, gap in zip(places.tolist(), counts.tolist(), gaps.tolist(), strict=True)
    ]
    figure.add_bar(
        x=places,
        y=drawn,
        name="count",
        customdata=hovers,
        marker={"color": [BLUE if place <= k else translucent(BLUE, 0.45) for place in places]},
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    tied = (gaps == 0) & (places < n)
    if tied.any():
        figure.add_scatter(
            x=places[tied] + 0.5,
            y=drawn[tied],
            mode="markers",
            name="tie (gap 0)",
            marker={"symbol": "x", "size": 9, "color": ORANGE},
            hoverinfo="skip",
            showlegend=True,
        )
    if k < n:
        start, end = k + 0.6, k + max(1.4, 0.6 + _SEEN * n)
        high, low = drawn[k - 1], drawn[k]
        figure.add_scatter(
            x=[start, start, end, end],
            y=[low, high, high, low],
            mode="lines",
            name=f"gap after place {k}",
            fill="toself",
            fillcolor=MARK,
            line={"color": MARK, "width": 2},
            showlegend=False,
            hoverinfo="skip",
        )
        words, side = f"gap after place {k}: {gaps[k - 1]:,}", "left" if end < 0.7 * n else "right"
        write(figure, words, end, float(np.log10(high) if logarithmic else high), side, "bottom")
    count_axis(figure.update_yaxes, "count", (counts[-1], counts[0]), logarithmic, unit, "<br>")
    whole = {"dtick": 1} if n <= _FEW else {}  # a place has no half
    figure.update_xaxes(title="place (1 = the largest count)", range=[0.4, n + 0.6], **whole)
    figure.update_layout(bargap=0.15)
    return laid_out(figure)


def set_epsilons(
    epsilons: Mapping[str, FloatArray], styles: Styles, epsilon: float, k: int
) -> go.Figure:
    """Plot the epsilon at which a top set is released against k; omit infinite values.

    A line across marks the current ``epsilon``, one upwards the current ``k``.
    """
    figure = go.Figure()
    for label, values in epsilons.items():
        style, finite = styles[label], np.isfinite(values)
        figure.add_scatter(
            x=np.arange(1, len(values) + 1)[finite],
            y=values[finite],
            mode="markers",
            name=label,
            showlegend=True,
            marker={
                "symbol": style.marker,
                "size": 9,
                "line": {"color": NEUTRAL, "width": 1},  # dark colours are lost on dark paper
                "color": [style.color if y <= epsilon else NEUTRAL for y in values[finite]],
            },
            customdata=[needed(y) for y in values[finite]],
            hovertemplate=hover(label, "k = %{x}: ε = %{customdata}"),
        )
    figure.add_scatter(
        x=[0, max(map(len, epsilons.values())) + 1],
        y=[epsilon, epsilon],
        mode="lines",
        name=f"ε = {compact(epsilon)}: sets on or below it are released",
        line={"color": MARK, "dash": "dot", "width": 2},
        hoverinfo="skip",
    )
    ruled(figure, {"color": MARK, "dash": "dot", "width": 1.5}, x=k)
    whole = {"dtick": 1} if max(map(len, epsilons.values())) <= _FEW else {}
    figure.update_xaxes(title="k (items in the set, at most)", rangemode="tozero", **whole)
    figure.update_yaxes(title="ε needed (log scale)", type="log", dtick=1)
    return laid_out(figure)


def count_histogram(
    edges: IntArray, n_items: IntArray, kth_count: int, k: int, unit: str = COUNT_UNIT
) -> go.Figure:
    """Plot the number of items by count, in logarithmic bins, with the k-th count marked."""
    figure = go.Figure()
    (at,), (width,) = side_by_side(bin_sides(edges, True), 1, True)
    figure.add_bar(
        x=at,
        y=n_items,
        width=width,
        customdata=np.stack([edges[:-1], edges[1:] - 1], axis=1),
        marker={"color": BLUE},
        name="items",
        hovertemplate="%{y:,} items with counts %{customdata[0]:,} to %{customdata[1]:,}"
        "<extra></extra>",
    )
    mark(figure, kth_count, f"count at place {k}: {kth_count:,} ", True, height=1.06)
    count_axis(figure.update_xaxes, "count", (edges[0], edges[-1]), True, unit)
    figure.update_yaxes(type="log", title="items (log scale)", tickformat=",", dtick=1)
    figure.update_layout(showlegend=False)
    return laid_out(figure)


def swap_chances(
    found: Mapping[str, Swaps], gaps: IntArray, styles: Styles, unit: str = COUNT_UNIT
) -> go.Figure:
    """Plot the probability of a swap against the gap, for each mechanism.

    ``gaps`` are those of the data; each that lies in the picture has a mark on the axis.
    """
    figure = go.Figure()
    ends = [swaps.told_apart for swaps in found.values()]
    logarithmic = max(ends) > _FAR_APART * min(ends)
    rank = {label: place for place, label in enumerate(found)}  # in the legend
    for label in sorted(found, key=lambda label: -ink(styles[label])):
        style, swaps = styles[label], found[label]
        drawn = swaps.gaps >= (1 if logarithmic else 0)
        text = f"%{{x:,}} {unit} apart: %{{y:.1%}}"
        x, y = swaps.gaps[drawn], swaps.chances[drawn]
        curve(figure, x, y, label, style, text, legendrank=rank[label])
    here = np.unique(gaps[(gaps > 0) & (gaps <= max(ends))])
    if here.size:
        figure.add_scatter(
            x=here,
            y=np.full(here.size, _BELOW),
            name="gaps of these data",
            legendrank=len(found),
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 14, "color": NEUTRAL, "line": {"width": 3}},
            hovertemplate=f"a gap of %{{x:,}} {unit}<extra>these data</extra>",
        )
    ruled(figure, {"color": NEUTRAL, "dash": "dot", "width": 1.5}, y=SELDOM)
    write(figure, f"{SELDOM:.0%}", 1, SELDOM, "right", "bottom", xref="paper")
    figure.update_yaxes(
        title="probability of a swap", tickformat=".0%", dtick=0.1, range=[-0.05, 0.53]
    )
    scale = "; log scale" if logarithmic else ""
    figure.update_xaxes(title=f"gap between two counts ({unit}{scale})", tickformat=",")
    if logarithmic:
        figure.update_xaxes(type="log", dtick=1)
    else:
        figure.update_xaxes(range=[-0.02 * max(ends), 1.08 * max(ends)])
    return laid_out(figure)
