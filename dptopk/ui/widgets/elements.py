"""Draw the exhibits of pages that are lists of them, by the functions of `show`."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.ui import show
from dptopk.ui.exhibits import base
from dptopk.ui.exhibits.base import Exhibit
from dptopk.ui.show import points as points, problem as problem, rows as rows  # for uploads
from dptopk.ui.widgets import law_by_setting


class Screen(show.Screen):
    """Places of the first screen; what is drawn without one comes below the controls."""

    def controls(self) -> DeltaGenerator:
        """Open the row of controls."""
        return show.controls()


def _buttons(shown: base.Buttons) -> None:
    with show.buttons(shown.name):
        for number, button in enumerate(shown.buttons):
            if isinstance(button, base.Redraw):
                draw(button)
            else:
                show.button(button, type="primary" if shown.primary and not number else "secondary")


def _columns(shown: base.Columns) -> None:
    places = st.columns(shown.widths, gap="medium")
    for place, exhibits in zip(places, shown.columns, strict=True):
        with place:
            draw_all(exhibits)


def _bordered(shown: base.Bordered) -> None:
    with st.container(key=shown.name, border=True):
        draw_all(shown.exhibits)


def _expander(shown: base.Expander) -> None:
    with st.expander(shown.title, icon=shown.icon):
        draw_all(shown.exhibits)


def _live(shown: base.Live) -> None:
    def drawing(make: Callable[[], Iterable[Exhibit]]) -> Callable[[], None]:
        return lambda: draw_all(make())

    show.live(
        drawing(shown.make), shown.seconds, drawing(shown.on_slide) if shown.on_slide else None
    )


def draw_all(exhibits: Iterable[Exhibit]) -> None:
    """Draw exhibits in their order, each before the next is asked for."""
    for exhibit in exhibits:
        draw(exhibit)


def draw(exhibit: Exhibit) -> None:
    """Draw an exhibit here; nothing for None and for empty texts."""
    if exhibit is not None and getattr(exhibit, "text", True):
        DRAWN[type(exhibit)](exhibit)


DRAWN: Mapping[type, Callable[[Any], object]] = {
    base.Columns: _columns,
    base.Bordered: _bordered,
    base.Expander: _expander,
    base.Chapters: show.chapters,
    base.Tiles: lambda shown: show.tiles(shown.numbers, shown.name),
    base.Button: partial(show.button, type="tertiary"),
    base.Buttons: _buttons,
    base.Redraw: lambda shown: show.redraw(
        shown.label, shown.drawn, "primary" if shown.primary else "secondary"
    ),
    base.Offer: show.offer,
    base.Header: lambda shown: st.header(shown.text, anchor=False),
    base.Markdown: lambda shown: st.markdown(shown.text),
    base.Caption: lambda shown: st.caption(shown.text),
    base.Problem: lambda shown: show.problem(shown.headline, shown.sentence),
    base.Lead: lambda shown: show.lead(shown.chart),
    base.Chart: show.chart,
    base.LawBySetting: law_by_setting.show,
    base.Live: _live,
    base.Code: lambda shown: show.code(shown.lines, shown.origin, shown.asked),
}
"""Functions that draw each type of exhibit."""
