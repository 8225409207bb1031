"""Named curves, some of mechanisms and some of theoretical limits."""

import itertools
from collections.abc import Mapping

import plotly.graph_objects as go

from dptopk.core.array_types import NumberArray
from dptopk.figures._drawing import NEUTRAL, Styles, curve, laid_out
from dptopk.mechanisms import Style


def curves(
    drawn: Mapping[str, tuple[NumberArray, NumberArray]],
    styles: Styles,
    titles: tuple[str, str],
    *,
    shares: bool = False,
    logarithmic: bool = False,
) -> go.Figure:
    """Plot one line per name; lines without a style are limits, gray and without markers.

    ``drawn`` gives x and y by name, ``titles`` those of the axes; one of a single point is a star.
    With ``shares`` both axes go from 0 to 1; with ``logarithmic`` the second is logarithmic.
    """
    figure, dashes = go.Figure(), itertools.cycle(("dot", "dash"))
    for name, (x, y) in drawn.items():
        style = styles.get(name) or Style(NEUTRAL, next(dashes), "star")
        text = "%{x:.1%}: %{y:.1%}" if shares else f"{titles[0]} %{{x:,}}: %{{y:,.3~r}}"
        marked = name in styles or len(x) == 1
        curve(figure, x, y, name, style, text, mode="lines+markers" if marked else "lines")
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title=titles[0], rangemode="tozero")
    figure.update_yaxes(title=titles[1], rangemode="tozero")
    if shares:
        figure.update_xaxes(range=[-0.02, 1.02], tickformat=".0%")
        figure.update_yaxes(range=[-0.02, 1.04], tickformat=".0%")
    if logarithmic:
        figure.update_yaxes(type="log", rangemode="normal", title=f"{titles[1]}, logarithmic")
    figure = laid_out(figure)
    return figure.update_layout(margin_r=24) if shares else figure  # half of 100%
