"""Dot plot of one measure of many mechanisms, with intervals."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.core import numerals
from dptopk.core.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    digits,
    error_axis,
    hover,
    laid_out,
    lines_beside,
    padded,
    rows_of,
    translucent,
)

_CLEAR = "\N{NO-BREAK SPACE}" * 3  # between a number and its dot
_MANY = 10  # with more rows than these each takes one line: all fit on a projector


def row_of_comparison(n_rows: int) -> int:
    """Return the height in pixels of a row, for so many rows."""
    return 21 if n_rows > _MANY else 44


def error_comparison(
    rows: pd.DataFrame, metric: Metric, styles: Styles, *, logarithmic: bool = True
) -> go.Figure:
    """Plot median, its 95% interval and the middle half of the releases, one row each.

    ``rows`` has ``mechanism``, ``kind`` (in words; a line parts rows of different kinds),
    ``q25``, ``median``, ``q75``, ``median_low``, ``median_high`` and ``settled``,
    whether the median is exact; it may have ``nothing``, whether most releases are empty.
    """
    figure, shown = go.Figure(), digits(metric)
    many = len(rows) > _MANY
    names = rows["mechanism"] if many else rows["mechanism"] + "<br>" + rows["kind"]
    places = rows_of(figure, names.tolist())
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        label = row["mechanism"]
        style = styles[label]
        seen = [row[key] for key in ("q25", "q75", "median", "median_low", "median_high")]
        low, high, middle, least, most = padded(np.array(seen, dtype=float), logarithmic)
        value = f"{row['median']:,.1f}".removesuffix(".0")
        if row.get("nothing"):  # the number is of an empty release
            value = "nothing released"
        if metric.is_score:
            value = numerals.score(row["median"])
        figure.add_scatter(
            x=[low, high, None, most] if many else [low, high],
            y=[place, place, None, place] if many else [place, place],
            mode="lines+text" if many else "lines",
            # above its dot a number would lie on the row above: beside it, clear of the whisker
            text=["", "", "", f"{_CLEAR}{value}{_CLEAR}"] if many else None,
            textposition="middle left" if row.get("nothing") else "middle right",
            cliponaxis=False,
            line={"color": translucent(style.color, 0.45), "width": 7 if many else 11},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[middle],
            y=[place],
            customdata=[seen],
            name=label,
            mode="markers" if many else "markers+text",
            text=None if many else [value],
            textposition="top left" if row.get("nothing") else "top center",
            marker={
                "symbol": style.marker,
                "size": 9 if many else 11,
                "color": style.color,
                "line": {"color": "white", "width": 1},
            },
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [most - middle],
                "arrayminus": [middle - least],
                "color": style.color,
                "thickness": 2,
                "width": 5,
                "visible": not row["settled"],
            },
            hovertemplate=hover(
                label,
                f"median %{{customdata[2]:{shown}}}"
                + (
                    ", exact"
                    if row["settled"]
                    else f" (95%: %{{customdata[3]:{shown}}} to %{{customdata[4]:{shown}}})"
                )
                + f"<br>middle half %{{customdata[0]:{shown}}} to %{{customdata[1]:{shown}}}",
            ),
        )
    for place, (kind, following) in enumerate(zip(rows["kind"], rows["kind"][1:], strict=False)):
        if kind != following:
            figure.add_hline(y=place + 0.5, line={"color": NEUTRAL, "width": 1, "dash": "dot"})
            if many:  # too low for a second line of each name
                figure.add_annotation(
                    text=f"↑ {kind}<br>↓ {following}",
                    x=1,
                    xref="paper",
                    xanchor="right",
                    y=place + 0.5,
                    showarrow=False,
                )
    largest = rows[["q75", "median_high"]].to_numpy(dtype=float).max()
    error_axis(
        figure.update_xaxes,
        metric,
        largest,
        logarithmic,
        prefix="median ",
        lines=lines_beside(rows["mechanism"]),
    )
    figure.update_yaxes(range=[len(rows) - 0.4, -0.7])  # room for the number above a dot
    figure.update_layout(showlegend=False)
    return laid_out(figure)
