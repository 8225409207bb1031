"""Figure of an answer before it is shown, and a reader's prediction on it."""

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go

from dptopk.figures._drawing import MARK


def covered(figure: go.Figure, known: Collection[str] = ()) -> go.Figure:
    """Return a copy without its values: its axes and rows, and the traces that are ``known``."""
    copy = go.Figure(figure)
    for trace in copy.data:
        if trace.name in known:
            continue
        nothing = np.full(len(trace.x), np.nan)
        trace.update(x=nothing, text=None, texttemplate=None, customdata=None, hoverinfo="skip")
        trace.hovertemplate = None
        if trace.type == "scatter":  # the rows of bars stay
            trace.update(y=nothing, showlegend=False)
    copy.layout.annotations = ()  # numbers that stand beside their rows
    return copy


def predicted(
    figure: go.Figure, points: Sequence[tuple[float, float | str]], words: str
) -> go.Figure:
    """Return a copy with a reader's prediction marked at some points, its words in the legend."""
    copy = go.Figure(figure)
    copy.add_scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        mode="markers",
        name=words,
        # a line hides little of the number that may stand there
        marker={"symbol": "line-ns", "size": 24, "line": {"width": 4, "color": MARK}},
        cliponaxis=False,
        showlegend=True,
        hovertemplate=f"{words}<extra></extra>",
    )
    return copy.update_layout(showlegend=True)
