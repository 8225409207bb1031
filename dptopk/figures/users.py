"""Plot errors under bounds on the items per user, of found items, and turnover of lists."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.figures._drawing import (
    MARK,
    NEUTRAL,
    PALETTE,
    Styles,
    curve,
    hover,
    laid_out,
    mark,
    mark_current,
    rows_of,
    whiskers,
)
from dptopk.figures._names import hover_name, plain
from dptopk.mechanisms import Style

_CAUSES = {
    "clipping": (PALETTE[2], "/", "clipping: its counts are too small"),
    "threshold": (PALETTE[3], "x", "threshold: the place is empty"),
    "noise": (PALETTE[1], "", "noise: another item came out"),
}
"""Color, hatch and words of each cause."""

_CHARACTER = 8  # pixels of what is written behind bars, which may stand in the margin

_LINES = {
    "true": (Style(NEUTRAL, "dot", "square"), "true top k"),
    "noise": (Style(PALETTE[2], "dash", "diamond"), "noise alone, nothing changed"),
    "released": (Style(PALETTE[1], "solid", "circle"), "released lists"),
}
"""Style and words of each turnover."""

_FOUND = {
    "weighted": (Style(PALETTE[1], "solid", "circle"), "share of counts found, weighted"),
    "unweighted": (Style(PALETTE[2], "solid", "diamond"), "share of counts found, not weighted"),
    "top_weighted": (Style(PALETTE[1], "dot", "circle-open"), "whole top k found, weighted"),
    "top_unweighted": (Style(PALETTE[2], "dot", "diamond-open"), "whole top k found, not weighted"),
}
"""Style and words of what is found without a list."""


def errors_by_cause(
    names: Sequence[str], parts: Mapping[str, Sequence[float]], said: Sequence[str], k: int
) -> go.Figure:
    """Plot wrong items of k as stacked horizontal bars, one for each name of up to two lines.

    ``parts`` gives numbers of places by cause: clipping, threshold and noise; ``said`` is written
    behind the bars.
    """
    figure = go.Figure()
    rows = rows_of(figure, ["<br>".join(map(plain, name.split("\n"))) for name in names])
    for cause, (color, hatch, words) in _CAUSES.items():
        figure.add_bar(
            x=list(parts[cause]),
            y=rows,
            orientation="h",
            name=words,
            customdata=[hover_name(", ".join(name.split("\n"))) for name in names],
            marker={
                "color": color,
                "line": {"color": color, "width": 1},
                "pattern": {"shape": hatch, "bgcolor": color, "fgcolor": "white", "solidity": 0.35},
            },
            hovertemplate=hover(words, f"%{{customdata}}: %{{x:.2f}} of {k:,} places"),
        )
    sums = [sum(column) for column in zip(*(parts[cause] for cause in _CAUSES), strict=True)]
    figure.add_scatter(
        x=sums,
        y=rows,
        mode="text",
        text=[f" {words}" for words in said],
        textposition="middle right",
        cliponaxis=False,
        showlegend=False,
        hoverinfo="skip",
    )
    figure.update_layout(barmode="stack", bargap=0.3, showlegend=True)
    figure.update_xaxes(
        title=f"wrong items of {k:,}", range=[0, 1.02 * max(*sums, 0.1)], nticks=5, tickangle=0
    )
    long = [len(words) for words, total in zip(said, sums, strict=True) if total > max(sums) / 2]
    return laid_out(figure).update_layout(margin_r=10 + _CHARACTER * max([0, *long]))


def errors_by_bound(
    found: pd.DataFrame,
    styles: Styles,
    k: int,
    bound: int | None,
    marked: Mapping[str, Mapping[str, Any]],
) -> go.Figure:
    """Plot the wrong items of k against the bound on the items per user.

    ``found`` has ``mechanism``, ``max_items`` (not a number without a bound), ``wrong`` and
    ``can_publish``, gray where it is false.  A mechanism that needs no bound is a level line; the
    current ``bound`` is dotted.  Rows are ``marked`` by words, the first in color; those without a
    bound by the name of the line.
    """
    figure = go.Figure()
    bounds = found["max_items"].dropna()
    ends = [float(bounds.min()), float(bounds.max())] if len(bounds) else [1.0, 2.0]
    for name, rows in found.groupby("mechanism", sort=False):
        style, bounded = styles[str(name)], rows.dropna(subset="max_items").sort_values("max_items")
        level, color = bounded.empty, style.color if rows["can_publish"].all() else NEUTRAL
        mark = "; ".join(word for word, row in marked.items() if level and row["mechanism"] == name)
        curve(
            figure,
            ends if level else bounded["max_items"].tolist(),
            [float(rows["wrong"].iloc[0])] * 2 if level else bounded["wrong"].tolist(),
            f"{name}, no bound{mark and ': '}{mark}" if level else str(name),
            replace(style, color=color),
            f"{'no bound' if level else 'at most %{x:,}'}: %{{y:.2f}} of {k:,} items wrong",
            mode="lines" if level else "lines+markers",
        )
    for place, (words, row) in enumerate(marked.items()):
        if pd.isna(row["max_items"]):
            continue
        name, color = f"{words}, at most {row['max_items']:,.0f}", NEUTRAL if place else MARK
        figure.add_scatter(
            x=[row["max_items"]],
            y=[row["wrong"]],
            name=name,
            mode="markers",
            marker={"symbol": "circle-open", "size": 16, "color": color, "line": {"width": 3}},
            hovertemplate=hover(name, f"%{{y:.2f}} of {k:,} items wrong"),
        )
    if bound is not None:
        mark_current(figure, bound)
    figure.update_layout(showlegend=True)
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000) if tick <= ends[1]]
    figure.update_xaxes(title="items of a user that count (log scale)", type="log", tickvals=ticks)
    figure.update_yaxes(title=f"wrong items of {k:,}", rangemode="tozero")
    return laid_out(figure)


def turnover(
    periods: Sequence[str], lines: Mapping[str, Sequence[float]], k: int, title: str
) -> go.Figure:
    """Plot the number of new names in each period: in truth, released, and by noise alone.

    ``title`` is that of the axis of periods.
    """
    figure = _lines(periods, lines, _LINES, f"%{{x}}: %{{y:.2f}} of {k:,} names are new")
    figure.update_xaxes(title=title, type="category", nticks=6, tickangle=0)
    figure.update_yaxes(title=f"new names of {k:,}", rangemode="tozero")
    return laid_out(figure)


def items_found(bounds: Sequence[str], lines: Mapping[str, Sequence[float]]) -> go.Figure:
    """Plot the items found without a list against the bound, with and without weights.

    ``lines`` gives shares of the counts, and probabilities that all of the top k are found.
    """
    figure = _lines(bounds, lines, _FOUND, "at most %{x} of a user: %{y:.1%}")
    figure.update_xaxes(title="items of a user that count", type="category", tickangle=0)
    figure.update_yaxes(title="share or probability", range=[-0.02, 1.04], tickformat=".0%")
    return laid_out(figure)


def errors_by_share(found: pd.DataFrame, styles: Styles, k: int) -> go.Figure:
    """Plot the lost places of the top k against the share of ε for finding items.

    A line with 95% intervals for each mechanism that selects; the best point and half are marked.
    What is not found is the dotted line of the best mechanism.
    """
    figure = go.Figure()
    best = found[found["is_best"]].iloc[0]
    of_best = found[found["mechanism"] == best["mechanism"]]
    curve(
        figure,
        of_best["share"].tolist(),
        of_best["not_found"].tolist(),
        "not found (exact)",
        Style(NEUTRAL, "dot", "x"),
        f"%{{x:.0%}} of ε: %{{y:.2f}} of {k:,} places",
    )
    for name, rows in found.groupby("mechanism", sort=False):
        interval = f"%{{y:.2f}} [%{{customdata[0]:.2f}}, %{{customdata[1]:.2f}}] of {k:,} places"
        wrong, low, high = rows[["wrong", "wrong_low", "wrong_high"]].to_numpy().T
        curve(
            figure,
            rows["share"].tolist(),
            wrong,
            str(name),
            styles[str(name)],
            f"%{{x:.0%}} of ε: {interval}",
            customdata=np.stack([low, high], axis=1),
            error_y=whiskers(wrong, low, high, thickness=1, width=3),
        )
    mark(figure, 0.5, "½ : ½", logarithmic=False, height=0.92)
    figure.add_annotation(
        x=best["share"],
        y=best["wrong"],
        text="best",
        showarrow=True,
        arrowcolor=MARK,
        ax=0,
        ay=-48,
        yanchor="bottom",
    )
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title="share of ε for finding items", tickformat=".0%", range=[0, 1])
    figure.update_yaxes(title=f"lost places of {k:,}", rangemode="tozero")
    return laid_out(figure)


def _lines(
    places: Sequence[str],
    lines: Mapping[str, Sequence[float]],
    styles: Mapping[str, tuple[Style, str]],
    text: str,
) -> go.Figure:
    figure = go.Figure()
    for name, (style, words) in styles.items():
        curve(figure, list(places), list(lines[name]), words, style, text)
    figure.update_layout(showlegend=True)
    return figure
