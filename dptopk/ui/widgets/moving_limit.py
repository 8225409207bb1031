"""Move a limit over bars of counts, and draw it; a custom component.

A line is dragged over the bars, or moved by the arrow keys, and the items that it admits light up.
Its distribution stands beside it.  A draw, made by the server, drops the line and then shows the
items released, one by one; all at once where less motion is preferred.  Names are inserted as text
only.
"""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dptopk.questions.origin import Origin
from dptopk.ui import show as on_page
from dptopk.ui.widgets import component, sent


@dataclass(frozen=True)
class LimitDraw:
    """One draw of the limit, and the items released under it."""

    at: int  # index of its limit
    placed: tuple[tuple[int, int], ...]  # row (-1: not shown) and column of each item, in order
    names: tuple[str, ...]  # of these items
    words: str  # description of the draw
    noisy: tuple[float, ...] = ()  # count of every row, if these are compared with the limit


@dataclass(frozen=True)
class MovingLimit:
    """Counts, a limit that can be moved over them, its distribution, and draws of it."""

    title: str
    button: str  # words on the one that draws
    color: str  # of the mechanism
    unit: str  # what is counted
    items: tuple[str, ...]  # name of each row
    counts: tuple[int, ...]  # true count of each
    many: tuple[bool, ...]  # whether it stands for many items
    k: int
    columns: tuple[str, ...]  # names of the columns of cells
    levels: tuple[int, ...]  # count of each, less the limit; if empty, counts are compared with it
    limits: tuple[float, ...]  # that can be set, ascending
    at: int  # index of the one shown first
    settings: tuple[str, ...]  # how each limit is written
    words: tuple[str, ...]  # what it admits
    lines: tuple[tuple[str, ...], ...]  # the line of each column in words
    bins: tuple[int, ...]  # the range of the distribution that it lies in
    law: str  # title of the distribution
    ends: tuple[str, str]  # where its first and its last range lie
    probabilities: tuple[float, ...]  # of each range
    draws: tuple[LimitDraw, ...]  # that the button shows in turn
    origin: Origin
    line: str  # sentence on its slide


def show(limit: MovingLimit) -> None:
    """Draw the counts with the limit on a page, or on a slide of it."""
    if not on_page.collected(partial(draw, limit), limit.line, limit.origin):
        draw(limit)


def draw(limit: MovingLimit) -> None:
    """Draw the counts with the limit, and the controls that move and draw it."""
    st.html(f"<style>:root {{--rows: {len(limit.items)}}}</style>")  # its room before it is drawn
    _COMPONENT(key="moving-limit", data=sent(limit))


_COMPONENT = component(__file__)
