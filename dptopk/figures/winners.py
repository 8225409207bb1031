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
    answers: dict[tuple[int, int], tuple[str, ...]] = {}
    words = np.full((len(rows), len(columns)), "", dtype=object)
    cell: Any
    for cell in cells.itertuples(index=False):
        place = rows[cell.epsilon], columns[cell.k]
        words[place] = said[cell.k, cell.epsilon]
        answers[place] = _POOR if cell.poor else named(cell.best, cell.n) or _NO_BEST
    figure = go.Figure()
    codes = {
        answer: "".join(letters[label] for label in answer)
        for answer in set(answers.values()) - set(_SHADE)
    }
    leaders = sorted(codes, key=lambda answer: codes[answer])
    colors = {}
    for answer in (*leaders, *_SHADE):  # cells without an answer tell their numbers, too
        here = np.full(words.shape, np.nan)
        for place, cell_answer in answers.items():
            here[place] = 1.0 if cell_answer == answer else np.nan
        mixed = _mixed([styles[label].color for label in answer if label in styles])
        colors[answer] = color = translucent(mixed, _SHADE.get(answer, _PALE))
        figure.add_heatmap(
            z=here,
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
    written, coded = _written(answers, codes, width)
    figure.add_scatter(
        x=[column for _, column in written],
        y=[row for row, _ in written],
        mode="text",
        text=list(written.values()),
        showlegend=False,
        hoverinfo="skip",
    )
    legend = {f"<b>{codes[answer]}</b> ": answer for answer in leaders if answer in coded}
    frame = {"color": MARK, "width": 3}
    if current[0] in columns and current[1] in rows:
        x, y = columns[current[0]], rows[current[1]]
        if (y, x) in answers:
            legend = {_CHOSEN: answers[y, x]} | legend
        figure.add_shape(type="rect", x0=x - 0.5, x1=x + 0.5, y0=y - 0.5, y1=y + 0.5, line=frame)
    for sign, answer in legend.items():
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


def _written(
    answers: Mapping[tuple[int, int], tuple[str, ...]],
    codes: Mapping[tuple[str, ...], str],
    width: float,
) -> tuple[dict[tuple[float, float], str], list[tuple[str, ...]]]:
    """Return what is written where, and whose regions are too small for a name.

    A name stands in the middle of the longest row of its region, of cells of so many pixels; why
    cells have no answer stands in the largest region of them, if it fits.
    """
    written: dict[tuple[float, float], str] = {}
    coded = []
    regions = _regions(answers)
    largest = {answers[region[0]]: region for region in sorted(regions, key=len)}
    for region in regions:
        answer = answers[region[0]]
        if answer not in codes and region != largest[answer]:
            continue
        name = " or ".join(answer)
        middle = _middle(region, name, width)
        if middle:
            written[middle] = name
        elif answer in codes:
            coded.append(answer)
            written |= dict.fromkeys(region, codes[answer])
    return written, coded


def _middle(
    region: Sequence[tuple[int, int]], words: str, width: float
) -> tuple[float, float] | None:
    """Return the middle of the longest row of a region; None if the words do not fit there.

    Of rows of one length it is the one in the middle.
    """
    runs: list[list[tuple[int, int]]] = []
    for row, column in sorted(region):
        if runs and runs[-1][-1] == (row, column - 1):
            runs[-1].append((row, column))
        else:
            runs.append([(row, column)])
    longest = max(map(len, runs))
    candidates = [run for run in runs if len(run) == longest]
    run = candidates[len(candidates) // 2]
    fits = longest * width >= _LETTER * len(words) + 2
    return (run[0][0], (run[0][1] + run[-1][1]) / 2) if fits else None


def _regions(answers: Mapping[tuple[int, int], tuple[str, ...]]) -> list[list[tuple[int, int]]]:
    """Return the cells of each connected region with one answer, in the order of the cells."""
    left, regions = dict(answers), []
    while left:
        start = next(iter(left))
        answer, region = left.pop(start), [start]
        for row, column in region:  # it grows on the way
            sides = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            for place in sides:
                if left.get(place) == answer:
                    del left[place]
                    region.append(place)
        regions.append(region)
    return regions
