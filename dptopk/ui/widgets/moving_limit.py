"""Move a limit over bars of counts, and draw it; a custom component.

A line is dragged over the bars, or moved by the arrow keys, and the items that it admits light up.
Its distribution stands beside it.  A draw, made by the server, drops the line and then shows the
items released, one by one; all at once where less motion is preferred.  Names are inserted as text
only.
"""

import hashlib
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import streamlit as st

from dptopk.questions.origin import Origin
from dptopk.ui import show as on_page
from dptopk.ui.widgets import component


@dataclass(frozen=True)
class LimitDraw:
    """One draw of the limit, and the items released under it.

    Attributes
    ----------
    at : int
        Index of its limit.
    placed : tuple of pairs of int
        Row and column of each item released, in their order; a row of -1 is not shown.
    names : tuple of str
        Names of these items.
    words : str
        Description of the draw.
    noisy : tuple of float
        Noisy count of every row, if these and not the true counts are compared with the limit.
    """

    at: int
    placed: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    words: str
    noisy: tuple[float, ...] = ()


@dataclass(frozen=True)
class MovingLimit:
    """Counts, a limit that can be moved over them, its distribution, and draws of it.

    Attributes
    ----------
    title, button, color : str
        Title, words on the button that draws, and the color of the mechanism.
    unit : str
        What is counted.
    items, counts, many : tuple
        Name and true count of each row, and True for one that stands for many items.
    k : int
        Number of places.
    columns : tuple of str
        Names of the columns of cells.
    levels : tuple of int
        True count of each column, from which the limit is subtracted; if empty, the limit itself is
        compared with the counts.
    limits : tuple of float
        Values that can be set, ascending.
    at : int
        Index of the one shown first.
    settings, words, lines : tuple
        For each of them how it is written, what it admits, and the line of each column in words.
    bins : tuple of int
        For each of them the range of the distribution that it lies in.
    law : str
        Title of the distribution.
    ends : pair of str
        Where its first and its last range lie.
    probabilities : tuple of float
        Probability of each range.
    draws : tuple of LimitDraw
        Draws that the button shows in turn.
    origin : Origin
        Data, settings and kind of computation behind them.
    line : str
        Sentence on its slide.
    """

    title: str
    button: str
    color: str
    unit: str
    items: tuple[str, ...]
    counts: tuple[int, ...]
    many: tuple[bool, ...]
    k: int
    columns: tuple[str, ...]
    levels: tuple[int, ...]
    limits: tuple[float, ...]
    at: int
    settings: tuple[str, ...]
    words: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    bins: tuple[int, ...]
    law: str
    ends: tuple[str, str]
    probabilities: tuple[float, ...]
    draws: tuple[LimitDraw, ...]
    origin: Origin
    line: str


def show(limit: MovingLimit) -> None:
    """Draw the counts with the limit on a page, or on a slide of it."""
    if not on_page.collected(partial(draw, limit), limit.line, limit.origin):
        draw(limit)


def draw(limit: MovingLimit) -> None:
    """Draw the counts with the limit, and the controls that move and draw it."""
    st.html(f"<style>:root {{--rows: {len(limit.items)}}}</style>")  # its room before it is drawn
    _COMPONENT(key="moving-limit", data=data_of(limit))


def data_of(limit: MovingLimit) -> dict[str, Any]:
    """Return what the script is given."""
    data = {name: value for name, value in asdict(limit).items() if name not in ("origin", "line")}
    identity = hashlib.sha256(repr(data).encode()).hexdigest()
    return data | {"identity": identity}


_COMPONENT = component(__file__)
