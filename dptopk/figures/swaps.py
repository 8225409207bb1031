"""Probability that a mechanism swaps two items, as a function of the gap between them."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import IntArray
from dptopk.core.numerals import COUNT_UNIT
from dptopk.figures._drawing import NEUTRAL, Styles, hover, ink, laid_out
from dptopk.laws.swap_chances import SELDOM, Swaps

_FAR_APART = 30  # times: answers that differ by more need a logarithmic axis
_BELOW = -0.025  # where the gaps of the data stand, below the curves


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
        figure.add_scatter(
            x=swaps.gaps[drawn],
            y=swaps.chances[drawn],
            name=label,
            legendrank=rank[label],
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.marker, "size": 8},
            hovertemplate=hover(label, f"%{{x:,}} {unit} apart: %{{y:.1%}}"),
        )
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
    figure.add_hline(y=SELDOM, line={"color": NEUTRAL, "dash": "dot", "width": 1.5})
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=SELDOM,
        yanchor="bottom",
        text=f"{SELDOM:.0%}",
        showarrow=False,
    )
    figure.update_yaxes(
        title="probability of a swap",
        tickformat=".0%",
        dtick=0.1,
        range=[-0.05, 0.53],
    )
    scale = "; log scale" if logarithmic else ""
    figure.update_xaxes(title=f"gap between two counts ({unit}{scale})", tickformat=",")
    if logarithmic:
        figure.update_xaxes(type="log", dtick=1)
    else:
        figure.update_xaxes(range=[-0.02 * max(ends), 1.08 * max(ends)])
    return laid_out(figure)
