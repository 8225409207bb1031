"""Map of the best mechanism at each k and epsilon, by color and by letter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.core.numerals import compact
from dptopk.figures._drawing import MARK, NEUTRAL, Styles, laid_out, translucent

EQUAL, SEVERAL, NO_WINNER = "=", "?", "no single best"
NO_WIN = "no winner: fewer than half right"
"""Letters of a cell in which all the best are equal, and in which more than two may be best."""

_PALE = 0.45  # of a color, so that letters are read on it in the dark and in the light
_EDGE = {"color": translucent(NEUTRAL, 0.6), "width": 1}
_NOBODY = 0.12  # of the neutral one, which no pale grey of a mechanism may be taken for


def winner_map(
    cells: pd.DataFrame,
    said: Mapping[tuple[int, float], str],
    ks: Sequence[int],
    epsilons: Sequence[float],
    styles: Styles,
    current: tuple[int, float],
) -> go.Figure:
    """Draw cells of k and epsilon in the color and with the letter of the best mechanism.

    ``cells`` has ``k``, ``epsilon``, ``best`` (who may be best), ``n`` (how many were compared),
    ``equal`` and ``poor``, whether the best is no win: such a cell is hatched.  Those that are not
    there stay empty.  Of two that cannot be told apart each gets
    a half.  ``said`` is what is told over each cell.  Letters are those of the alphabet, in the
    order of ``styles``; the cell of the ``current`` setting is framed.
    """
    letters = letters_of(styles)
    columns = {k: place for place, k in enumerate(ks)}
    rows = {epsilon: place for place, epsilon in enumerate(epsilons)}
    places = [
        (rows[epsilon], columns[k]) for k, epsilon in zip(cells["k"], cells["epsilon"], strict=True)
    ]
    halves = np.full((len(rows), 2 * len(columns)), None, dtype=object)
    words, written = np.full(halves.shape, "", dtype=object), []
    cell: Any
    for (row, column), cell in zip(places, cells.itertuples(index=False), strict=True):
        both = slice(2 * column, 2 * column + 2)
        words[row, both] = said[cell.k, cell.epsilon]
        written.append(_written(cell, letters))
        halves[row, both] = _two(cell)
    figure = go.Figure()
    for label in (*styles, ""):
        color = translucent(NEUTRAL, _NOBODY)
        if label:
            color = translucent(styles[label].color, _PALE)
        figure.add_heatmap(
            z=np.where(halves == label, 1.0, np.nan),
            x=np.arange(2 * len(columns)) / 2 - 0.25,
            y=np.arange(len(rows)),
            zmin=0,
            zmax=1,
            colorscale=[[0, color], [1, color]],
            showscale=False,
            hoverongaps=False,
            customdata=words,
            hovertemplate="%{customdata}<extra></extra>",
        )
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"symbol": "square", "size": 14, "color": color, "line": _EDGE},
            name=f"<b>{letters[label]}</b> {label}" if label else NO_WINNER,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=[column for _, column in places],
        y=[row for row, _ in places],
        mode="text",
        text=written,
        showlegend=False,
        hoverinfo="skip",
    )
    _hatch(figure, [place for place, poor in zip(places, cells["poor"], strict=True) if poor])
    _frame(figure, columns.get(current[0]), rows.get(current[1]))
    for update, title, values in (
        (figure.update_xaxes, "k, items released", ks),
        (figure.update_yaxes, "ε, privacy budget", epsilons),
    ):
        update(
            title=title,
            tickvals=np.arange(len(values)),
            ticktext=[compact(value) for value in values],
            range=[-0.5, len(values) - 0.5],
            minor={
                "tickvals": np.arange(len(values)) + 0.5,
                "showgrid": True,
                "gridcolor": translucent(NEUTRAL, 0.6),
            },
            layer="above traces",
            showgrid=False,
            zeroline=False,
        )
    return laid_out(figure)


def letters_of(styles: Styles) -> dict[str, str]:
    """Return a letter for each mechanism by label."""
    return {label: chr(ord("A") + place) for place, label in enumerate(styles)}


def _two(cell: Any) -> tuple[str, str]:
    """Return the labels whose colors fill the halves of a cell; empty if more may be best."""
    if len(cell.best) > 2 or _all_equal(cell):
        return "", ""
    return cell.best[0], cell.best[-1]


def _written(cell: Any, letters: Mapping[str, str]) -> str:
    if _all_equal(cell):
        return EQUAL
    return SEVERAL if len(cell.best) > 2 else "".join(letters[label] for label in cell.best)


def _all_equal(cell: Any) -> bool:
    return bool(cell.equal) and len(cell.best) == cell.n


def _hatch(figure: go.Figure, places: Sequence[tuple[int, int]]) -> None:
    """Draw diagonals through cells without a clear winner."""
    if not places:
        return
    x: list[float | None] = []
    y: list[float | None] = []
    for row, column in places:
        for shift in (-0.5, 0.0, 0.5):  # of a cell whose sides are 1, from -1/2 to 1/2
            low, high = max(-0.5, shift - 0.5), min(0.5, shift + 0.5)
            x += [column + low, column + high, None]
            y += [row + low - shift, row + high - shift, None]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": translucent(NEUTRAL, 0.9), "width": 1},
        name=NO_WIN,
        hoverinfo="skip",
    )


def _frame(figure: go.Figure, column: int | None, row: int | None) -> None:
    if column is None or row is None:
        return
    figure.add_shape(
        type="rect",
        x0=column - 0.5,
        x1=column + 0.5,
        y0=row - 0.5,
        y1=row + 0.5,
        line={"color": MARK, "width": 3},
    )
