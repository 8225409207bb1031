"""Plot the cumulative cost of a series of calls on one privacy budget."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import IntArray
from dptopk.figures._drawing import MARK, NEUTRAL, Styles, curve, laid_out, ruled, write
from dptopk.mechanisms import Style


def outcomes_spent(
    label: str, returned: IntArray, charged: IntArray, k: int, outcomes: int, styles: Styles
) -> go.Figure:
    """Plot outcomes spent after each list, as charged and if each list were charged k.

    A line across marks the ``outcomes`` that were set aside; what lies between the two is saved.
    """
    figure = go.Figure()
    calls = np.arange(returned.size + 1)
    spent = np.append(0, np.cumsum(charged))
    in_full = k * calls
    within = in_full <= outcomes
    affordable = int(calls[within][-1])
    name, limit = f"if each list were charged {k:,}", Style(NEUTRAL, "dot", "x")
    text = "list %{x}: %{y:,} spent"
    curve(figure, calls[within], in_full[within], name, limit, text, line_shape="hv")
    name, style = "one unit per list and per item released", replace(styles[label], dash="solid")
    numbers = np.stack([np.append(0, returned), np.append(0, charged)], axis=1)
    text = "list %{x}: %{customdata[0]:,} items, %{customdata[1]:,} charged<br>%{y:,} spent"
    curve(figure, calls, spent, name, style, text, customdata=numbers, line_shape="hv")
    ruled(figure, {"color": MARK, "dash": "dash", "width": 2}, y=outcomes)
    write(figure, f"budget: {outcomes:,} units", 0.01, outcomes, "left", "bottom", xref="paper")
    if affordable < calls[-1]:
        figure.add_annotation(
            x=affordable,
            y=int(in_full[affordable]),
            ax=24,
            ay=34,
            xanchor="left",
            text=f"no list {affordable + 1:,}: too few units left",
            arrowcolor=NEUTRAL,
        )
    figure.update_xaxes(title="lists released", tickformat=",", rangemode="tozero")
    figure.update_yaxes(
        title="budget spent, in units",
        tickformat=",",
        range=[0, 1.12 * max(outcomes, int(spent[-1]))],
    )
    return laid_out(figure)
