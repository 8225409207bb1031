"""Figures, tables, downloads and alerts: one way to show each.

Item names are strangers' text.  `st.dataframe` cells and `st.text` show text as it
stands; markdown does not, so names go through `formats.plain` before they reach any.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any, Literal, NoReturn

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.export import csv_escaped
from dptopk.papers import Citation
from dptopk.ui import formats

_CONFIG = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage"]],
    "scrollZoom": False,
}


@dataclass(frozen=True)
class Tile:
    """One number that matters, what it is, and what kind of number."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None


@dataclass(frozen=True)
class Chart:
    """A figure with its words: what it shows, and the settings it was made with.

    ``name`` is its key and the file name of its download.
    """

    figure: go.Figure
    name: str
    alt: str
    about: str
    height: int = 420


@dataclass(frozen=True)
class Table:
    """A table as shown, and what its download holds where that is more.

    ``options`` go to `st.dataframe`.
    """

    frame: Any
    name: str
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def heading(question: str, answer: str) -> None:
    """Open a page: the question it answers and how to read it in one sentence."""
    st.title(question, anchor=False)
    st.markdown(answer)


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
    with st.container(key="lead", height=shown.height, border=False):
        _plot(shown, "stretch")


def chart(shown: Chart) -> None:
    """Show a figure, with a file of it that says what it shows."""
    _plot(shown, shown.height)
    figure_button(shown)


def _plot(shown: Chart, height: int | Literal["stretch"]) -> None:
    st.plotly_chart(
        shown.figure,
        height=height,
        key=f"chart-{shown.name}",
        alt=shown.alt,
        config=_CONFIG | {"toImageButtonOptions": {"filename": f"dptopk-{shown.name}", "scale": 2}},
    )


def figure_button(shown: Chart) -> None:
    """Offer a figure as a file that says what it shows."""
    st.download_button(
        "Figure as HTML",
        data=partial(_page_of, shown),
        file_name=f"dptopk-{shown.name}.html",
        mime="text/html",
        key=f"html-{shown.name}",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help="A file that opens in any browser. The camera in the figure's corner saves a PNG.",
    )


def _page_of(shown: Chart) -> str:
    """A figure as a file that says what it shows and with which settings."""
    words = escape(f"{shown.alt} {shown.about}")
    titled = go.Figure(shown.figure).update_layout(
        title={"text": words, "font": {"size": 13}, "y": 0.99}, margin={"t": 90}
    )
    page: str = titled.to_html(include_plotlyjs=True, config=_CONFIG)
    return page.replace("<html>\n<head>", f'<html lang="en"><head><title>{words}</title>', 1)


def table(shown: Table) -> None:
    """Show a table, with a CSV of it that no spreadsheet runs as formulas."""
    st.dataframe(shown.frame, key=f"table-{shown.name}", hide_index=True, **shown.options)
    csv_button(shown.frame if shown.data is None else shown.data, shown.name)


def csv_button(
    frame: pd.DataFrame | Callable[[], pd.DataFrame], name: str, label: str = "Table as CSV"
) -> None:
    """Offer a table for download; a large one is made only when asked for."""
    st.download_button(
        label,
        # the mark tells Excel that it is UTF-8
        data=lambda: csv_escaped(frame() if callable(frame) else frame).encode("utf-8-sig"),
        file_name=f"dptopk-{name}.csv",
        mime="text/csv",
        key=f"csv-{name}",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def code(lines: str) -> None:
    """Show the lines of Python that give the same numbers."""
    with st.expander("The same numbers in Python", icon=":material/code:"):
        st.code(lines, language="python")


def sources(citations: Iterable[Citation]) -> None:
    """Name the papers that stand behind a page, with links."""
    st.caption(f"Sources: {' · '.join(citation.link for citation in citations)}")


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
                    st.caption(number.kind)
