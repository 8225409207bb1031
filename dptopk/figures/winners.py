"""Map of the best mechanism at each k and epsilon, by color and by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.core.numerals import compact
from dptopk.figures._drawing import MARK, NEUTRAL, Styles, laid_out, translucent
from dptopk.simulation.winners import named

_PALE = 0.45  # of a color, so that names are read on it in the dark and in the light
_POOR: tuple[str, ...] = ("even the best is near guessing",)
_NO_BEST: tuple[str, ...] = ("no clear winner",)
_SHADE = {_POOR: 0.25, _NO_BEST: 0.0}
_CHOSEN = "chosen k and ε: "
_LETTER = 8.5  # pixels
_WIDE, _NARROW = 740, 270  # pixels of all columns on a computer and on a phone


def winner_map(
    cells: pd.DataFrame,
    said: Mapping[tuple[int, float], str],
    ks: Sequence[int],
    epsilons: Sequence[float],
    styles: Styles,
    current: tuple[int, float],
    *,
    narrow: bool = False,
) -> go.Figure:
    """Draw cells of k and epsilon in the color of the best mechanism, whose name stands in them.

    ``cells`` has ``k``, ``epsilon``, ``best`` (who may be best), ``n`` (how many were compared),
    ``equal`` and ``poor``, whether the best is no win.  Two that cannot be told apart are a region
    of their own.  Cells stay blank where more may be best or all are alike, and are gray where the
    best is no win.  A region too small for its name has letters, which the legend explains.
    ``said`` is what is told over each cell; the cell of the ``current`` setting is framed, and
    comes first in the legend.
    """
    letters = {label: chr(ord("A") + place) for place, label in enumerate(styles)}
    columns = {k: place for place, k in enumerate(ks)}
    rows = {epsilon: place for place, epsilon in enumerate(epsilons)}
    best: dict[tuple[int, int], tuple[str, ...]] = {}
    others: dict[tuple[int, int], tuple[str, ...]] = {}
    words = np.full((len(rows), len(columns)), "", dtype=object)
    drawn = np.zeros(words.shape, dtype=bool)
    cell: Any
    for cell in cells.itertuples(index=False):
        place = rows[cell.epsilon], columns[cell.k]
        words[place], drawn[place] = said[cell.k, cell.epsilon], True
        if not cell.poor and (who := named(cell.best, cell.n)):
            best[place] = who
        else:
            others[place] = _POOR if cell.poor else _NO_BEST
    figure = go.Figure()
    places = [[(row, column) for column in columns.values()] for row in rows.values()]
    answers = sorted(set(best.values()), key=lambda answer: [letters[label] for label in answer])
    colors = {}
    for answer in (*answers, *_SHADE):  # cells without an answer tell their numbers, too
        here = [[(best | others).get(place) == answer for place in row] for row in places]
        mixed = _mixed([styles[label].color for label in answer if label in styles])
        colors[answer] = color = translucent(mixed, _SHADE.get(answer, _PALE))
        figure.add_heatmap(
            z=np.where(np.array(here) & drawn, 1.0, np.nan),
            zmin=0,
            zmax=1,
            colorscale=[[0, color], [1, color]],
            showscale=False,
            hoverongaps=False,
            customdata=words,
            name=" or ".join(answer),
            hovertemplate="%{customdata}<extra></extra>",
        )
    width = (_NARROW if narrow else _WIDE) / len(columns)
    written, coded = _written(best, letters, width)
    written |= _written_of_others(others, width)
    figure.add_scatter(
        x=[column for _, column in written],
        y=[row for row, _ in written],
        mode="text",
        text=list(written.values()),
        showlegend=False,
        hoverinfo="skip",
    )
    told = {f"<b>{_code(answer, letters)}</b> ": answer for answer in answers if answer in coded}
    frame = {"color": MARK, "width": 3}
    if current[0] in columns and current[1] in rows:
        x, y = columns[current[0]], rows[current[1]]
        if of_chosen := (best | others).get((y, x)):
            told = {_CHOSEN: of_chosen} | told
        figure.add_shape(
            type="rect",
            x0=x - 0.5,
            x1=x + 0.5,
            y0=y - 0.5,
            y1=y + 0.5,
            line=frame,
        )
    for sign, answer in told.items():
        square = {"symbol": "square", "size": 14, "color": colors[answer]}
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker=square | ({"line": frame} if sign == _CHOSEN else {}),
            name=f"{sign}{' or '.join(answer)}",
            showlegend=True,
            hoverinfo="skip",
        )
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


def _mixed(colors: Sequence[str]) -> str:
    """Return the mean of colors; neutral for none."""
    parts = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors or (NEUTRAL,)]
    return "#" + "".join(f"{round(part):02X}" for part in np.mean(parts, axis=0))


def _code(answer: Sequence[str], letters: Mapping[str, str]) -> str:
    return "".join(letters[label] for label in answer)


def _written(
    best: Mapping[tuple[int, int], tuple[str, ...]], letters: Mapping[str, str], width: float
) -> tuple[dict[tuple[float, float], str], list[tuple[str, ...]]]:
    """Return what is written where, and whose regions are too small for a name.

    A name stands in the middle of the longest row of its region, of cells of so many pixels.
    """
    written: dict[tuple[float, float], str] = {}
    coded = []
    for region in _regions(best):
        answer = best[region[0]]
        name = " or ".join(answer)
        middle = _middle(region, name, width)
        if middle:
            written[middle] = name
        else:
            coded.append(answer)
            written |= dict.fromkeys(region, _code(answer, letters))
    return written, coded


def _written_of_others(
    others: Mapping[tuple[int, int], tuple[str, ...]], width: float
) -> dict[tuple[float, float], str]:
    """Return what is written in the largest region of each kind without an answer, if it fits."""
    written = {}
    for kind in dict.fromkeys(others.values()):
        largest = max(_regions({at: it for at, it in others.items() if it == kind}), key=len)
        words = " or ".join(kind)
        middle = _middle(largest, words, width)
        if middle:
            written[middle] = words
    return written


def _middle(
    region: Sequence[tuple[int, int]], words: str, width: float
) -> tuple[float, float] | None:
    """Return the middle of the longest row of a region; None if the words do not fit there.

    Of rows of one length it is the one in the middle.
    """
    runs = [_run(region, row) for row in sorted({row for row, _ in region})]
    longest = max(last - first for _, first, last in runs)
    rows = [run for run in runs if run[2] - run[1] == longest]
    row, first, last = rows[len(rows) // 2]
    fits = (last - first + 1) * width >= _LETTER * len(words) + 2
    return (row, (first + last) / 2) if fits else None


def _run(region: Sequence[tuple[int, int]], row: int) -> tuple[int, int, int]:
    """Return a row of a region with the first and last column of its longest run of cells."""
    runs: list[list[int]] = []
    for column in sorted(column for at, column in region if at == row):
        if runs and runs[-1][-1] == column - 1:
            runs[-1].append(column)
        else:
            runs.append([column])
    longest = max(runs, key=len)
    return row, longest[0], longest[-1]


def _regions(best: Mapping[tuple[int, int], tuple[str, ...]]) -> list[list[tuple[int, int]]]:
    """Return the cells of each connected region with one answer."""
    left, regions = dict(best), []
    while left:
        start, answer = left.popitem()
        region, border = [start], [start]
        while border:
            row, column = border.pop()
            beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            new = [place for place in beside if left.get(place) == answer]
            for place in new:
                del left[place]
            region += new
            border += new
        regions.append(sorted(region))
    return regions
