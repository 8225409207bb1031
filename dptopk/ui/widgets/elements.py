"""Figures, tables, downloads and alerts: one way to show each.

Item names are strangers' text.  `st.dataframe` cells and `st.text` show text as it
stands; markdown does not, so names go through `formats.plain` before they reach any.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any, Literal, NoReturn

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.questions.origin import Origin, called
from dptopk.ui import formats, keys
from dptopk.ui.exhibits import takeaway
from dptopk.ui.exhibits.base import Button as Button
from dptopk.ui.exhibits.base import Chapters as Chapters
from dptopk.ui.exhibits.base import Chart as Chart
from dptopk.ui.exhibits.base import Exhibit as Exhibit
from dptopk.ui.exhibits.base import Offer as Offer
from dptopk.ui.exhibits.base import Ranking as Ranking
from dptopk.ui.exhibits.base import Table as Table
from dptopk.ui.exhibits.base import Tile as Tile
from dptopk.ui.exhibits.base import Words as Words
from dptopk.ui.widgets import downloads, moving_ranks

APART = ":material/call_split:"
"""Icon of what takes summed counts apart again."""

_ROW = 35  # height of a row of a table, in pixels
_CONFIG = {"displayModeBar": False, "scrollZoom": False}  # what is saved is made below


def heading(question: str, answer: str) -> None:
    """Open a page: the question it answers and how to read it in one sentence."""
    if stage := st.session_state.get(keys.STAGE):
        stage.question = question
        return
    st.title(question, anchor=False)
    st.markdown(answer)


def chapters(shown: Chapters) -> None:
    """Say what else the page tells of; a presentation goes through all of it."""
    if stage := st.session_state.get(keys.STAGE):
        stage.chapters = shown


def first_screen() -> DeltaGenerator:
    """Where a page opens: the question, the numbers, a row of controls, and the leading figure.

    It is as high as the window; the figure takes what the others leave (see look.css).
    """
    return st.container(key="first_screen")


def controls() -> DeltaGenerator:
    """Place of a page's own controls: one row where there is room."""
    return st.container(key="controls", horizontal=True, vertical_alignment="bottom", gap=None)


def problem(headline: str, sentence: str) -> None:
    """Say that something could not be done; the sentence may hold strangers' text."""
    st.error(headline, icon=":material/error:")
    st.text(sentence)


def note(sentence: str) -> None:
    """Say something that helps, beside the results."""
    st.info(sentence, icon=":material/info:")


def require(mechanisms: Sequence[object], refusals: Sequence[str]) -> None:
    """Say which mechanisms cannot run; the page ends here if none can."""
    if not mechanisms:
        problem("No chosen mechanism can run here", "\n".join(refusals))
        end()
    for refusal in refusals:
        st.info(formats.plain(refusal, 300), icon=":material/block:")


def offer(offered: Offer, icon: str = ":material/add:") -> None:
    """Say something that helps, with one click to take it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(offered.sentence, width="content")
        if offered.button:
            _button(offered.button, type="tertiary", icon=icon)


def _button(offered: Button, **options: Any) -> None:
    st.button(offered.label, key=offered.key, on_click=offered.act, help=offered.help, **options)


class PageEnd(Exception):
    """The page ends early.

    After `st.stop` nothing more reaches the browser: neither the address that is written at the
    end of a run, nor what was wrong with the link.
    """


def end() -> NoReturn:
    """End the page here."""
    raise PageEnd


def answer(sentence: str) -> None:
    """Say the page's answer, or whose numbers follow."""
    st.header(sentence, anchor=False)


def points(sentences: Iterable[str]) -> None:
    """List sentences that may hold strangers' text."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    st.html(f"<ul>{items}</ul>")


def section(title: str) -> None:
    """Open a part of a page."""
    st.header(title, anchor=False)


def lead(shown: Chart) -> None:
    """Show the figure that answers the page's question, as large as the first screen allows."""
    if not _staged(shown):
        st.html(f"<style>:root {{--least: {shown.least}px}}</style>")
        with st.container(key="lead", height=max(shown.height, shown.least), border=False):
            _plot(shown, "stretch")


def chart(shown: Chart) -> None:
    """Show a figure, what it comes from, and files of it that say what they show."""
    if not _staged(shown):
        _plot(shown, shown.height)
        figure_buttons(shown)


def _staged(shown: Exhibit) -> bool:
    """Leave an exhibit to the stage, if the page is presented there."""
    stage = st.session_state.get(keys.STAGE)
    if stage:
        stage.exhibits.append(shown)
    return stage is not None


def _plot(shown: Chart, height: int | Literal["stretch"]) -> None:
    st.plotly_chart(
        shown.figure,
        height=height,
        key=f"chart-{shown.name}",
        alt=shown.alt,
        config=_CONFIG,
    )


def figure_buttons(shown: Chart) -> None:
    """Say what a figure comes from, and offer it as PNG, SVG and HTML."""
    file = downloads.file_stem(shown.name, shown.origin)
    title = shown.title.removesuffix(".")
    with st.container(key=f"settings-of-{shown.name}"):  # in print the picture says them
        own, quoting = replace(shown.origin, note="").words, formats.quoting(shown.origin.note)
        parts = (formats.plain(shown.origin.data), own, quoting)
        st.caption(" · ".join(part for part in parts if part))
    with st.container(horizontal=True, vertical_alignment="center"):
        takeaway.picture_buttons(f"chart-{shown.name}", shown.name, file, title, shown.origin)
        st.download_button(
            f"{called(shown.name)} as HTML",
            data=partial(
                takeaway.figure_page, shown.figure, shown.height, file, title, shown.origin
            ),
            file_name=f"{file}.html",
            mime="text/html",
            key=f"html-{shown.name}",
            on_click="ignore",
            type="tertiary",
            help="A file that opens in any browser, also without a network.",
        )


def words(shown: Words) -> None:
    """Show sentences."""
    if not _staged(shown):
        st.markdown(shown.text)


def ranked(shown: Ranking) -> None:
    """Show a ranking, with a CSV of it."""
    if not _staged(shown):
        show_ranking(shown)
        takeaway.on_paper(shown.table.html, shown.table.n_rows, shown.origin)
        table_buttons(shown.table)


def played(shown: moving_ranks.MovingRanks) -> None:
    """Show releases that can be played."""
    if not _staged(shown):
        moving_ranks.show(shown)


def show_ranking(shown: Ranking, *, slide: bool = False) -> None:
    """Show a ranking alone."""
    st.html(shown.slide_html if slide else shown.html)


def table(shown: Table) -> None:
    """Show a table, with a CSV of it that no spreadsheet runs as formulas."""
    options = dict(shown.options)
    if _ROW * (len(shown.frame.index) + 1) + 3 <= options.get("height", 0):
        del options["height"]  # no empty rows below a short table
    st.dataframe(
        formats.grouped(shown.frame),
        key=f"table-{shown.name}",
        hide_index=True,
        alt=shown.title,
        placeholder="–",
        **options,
    )
    takeaway.on_paper(shown.html, shown.n_rows, shown.origin)
    table_buttons(shown)


def sentences(shown: Table) -> None:
    """Show a table of sentences, which wrap: a grid would cut them."""
    st.html(f'<div class="sentences">{shown.html}</div>')
    table_buttons(shown)


def table_buttons(offered: Table) -> None:
    """Offer a table for download."""
    frame = offered.frame if offered.data is None else offered.data
    downloads.table_files(offered.name, offered.title, frame, offered.origin)


def code(lines: str, origin: Origin, asked: tuple[str, Mapping[str, Any]] | None = None) -> None:
    """Show the lines of Python that give the same numbers, with files of them.

    ``asked`` is the question of these numbers with settings of it, where it is not the page's.
    """
    with st.expander("The same numbers in Python", icon=":material/code:"):
        st.code(lines, language="python", wrap_lines=True)
        downloads.code_files(lines, origin, asked)


def rows(cells, columns) -> pd.DataFrame:
    """Build a table of text from rows of cells."""
    return pd.DataFrame([list(row) for row in cells], columns=list(columns), dtype=str)


def tiles(numbers: Iterable[Tile], name: str = "answer") -> None:
    """Show numbers side by side, as many as fit in a row; ``name`` tells rows of a page apart."""
    with st.container(key=f"tiles_{name}", horizontal=True, gap="small"):
        for number in numbers:
            with st.container(width=155, gap=None):
                st.metric(number.label, number.value, help=number.help)
                if number.kind:
                    st.caption(formats.unbroken(number.kind))
                if number.button:
                    _button(number.button)
