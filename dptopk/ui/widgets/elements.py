"""Draw the exhibits of a page: figures, tables, tiles, downloads and alerts.

`draw` draws any exhibit where it is called; `first_screen` opens a page.

Item names are untrusted text.  `st.dataframe` and `st.text` show text literally; in markdown names
must be escaped by `formats.plain`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, Literal, NoReturn

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.figures import scaled
from dptopk.mechanisms import Example
from dptopk.questions.origin import title_of_part
from dptopk.ui import formats, keys
from dptopk.ui.exhibits import base, exports
from dptopk.ui.exhibits.base import (
    Bordered,
    Button,
    Buttons,
    Chapters,
    Chart,
    Code,
    Columns,
    Downloads,
    Exhibit,
    Expander,
    FirstScreen,
    LawBySetting,
    Live,
    MovingRanks,
    Offer,
    Presentable,
    Ranking,
    SentenceTable,
    SmallTable,
    Table,
    Tiles,
    Words,
)
from dptopk.ui.widgets import downloads, law_by_setting, links, moving_ranks, redraw

_ROW = 35  # height of a row of a table, in pixels
_CONFIG = {"displayModeBar": False, "scrollZoom": False}  # what is saved is made below


@dataclass(frozen=True)
class Cover:
    """Places for the question of a page whose answer is hidden, and its controls and problems."""

    head: DeltaGenerator
    body: DeltaGenerator


def uncovered() -> AbstractContextManager[Any]:
    """Draw within the context also if the answer of the page is hidden."""
    cover: Cover | None = st.session_state.get(keys.COVER)
    return cover.body if cover else nullcontext()


def heading(question: str, answer: str) -> None:
    """Open a page with its question and a sentence on how to read it."""
    st.session_state[keys.QUESTION] = question
    if presentation := st.session_state.get(keys.PRESENTATION):
        if not presentation.question:
            presentation.place.title(presentation.title or question, anchor=False)
        presentation.question = question
        return
    cover: Cover | None = st.session_state.get(keys.COVER)
    with cover.head if cover else nullcontext():
        st.title(st.session_state.get(keys.SLIDE_TITLE) or question, anchor=False)
        if answer:
            st.container(key="words").markdown(answer)


def chapters(shown: Chapters) -> None:
    """Register the chapters of a page, which a presentation goes through."""
    st.session_state[keys.CHAPTERS] = shown


@dataclass(frozen=True)
class Screen:
    """Places of the first screen; what is drawn without one comes below the controls."""

    question: DeltaGenerator
    above: DeltaGenerator

    @classmethod
    def opened(cls) -> "Screen":
        """Open the places here: of a page that is a text, whose first screen is not filled."""
        return cls(st.container(), st.container())

    def ask(self, question: str, answer: str) -> None:
        """Draw the question of the page and a sentence on how to read it."""
        with self.question:
            heading(question, answer)

    def controls(self) -> DeltaGenerator:
        """Open the row of controls; see `controls`."""
        return controls()

    def draw(self, exhibits: Iterable[Exhibit]) -> Iterator[Exhibit]:
        """Draw the first exhibit around the controls; return the others."""
        rest = iter(exhibits)
        first = next(rest, None)
        if isinstance(first, FirstScreen):
            with self.above:
                draw_all(first.above)
            draw_all(first.below)
        else:
            draw(first)
        return rest


@contextmanager
def first_screen() -> Iterator[Screen]:
    """Open the first screen: question, numbers, a row of controls, and the leading figure.

    It is as high as the window; the figure takes the height that is left (see look.css).
    """
    with st.container(key="first_screen"):
        yield Screen(st.container(), st.container(key="above"))


def controls() -> DeltaGenerator:
    """Open the row of a page's own controls; a slide has none."""
    with nullcontext() if keys.PRESENTATION in st.session_state else uncovered():
        return st.container(key="controls", horizontal=True, vertical_alignment="bottom", gap=None)


def problem(headline: str, sentence: str) -> None:
    """Show an error; the sentence may quote untrusted text."""
    with uncovered():
        st.error(headline, icon=":material/error:")
        st.text(sentence)


def note(sentence: str) -> None:
    """Show a remark beside the results."""
    st.info(sentence, icon=":material/info:")


def require(mechanisms: Sequence[object], refusals: Sequence[str]) -> None:
    """Name the mechanisms that cannot run; end the page if none can."""
    if not mechanisms:
        problem("No chosen mechanism can run here", "\n".join(refusals))
        end()
    for refusal in refusals:
        st.info(formats.plain(refusal, 300), icon=":material/block:")


def offer(offered: Offer) -> None:
    """Show a sentence of advice with its button."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(offered.sentence, width="content")
        if offered.button:
            _button(offered.button, type="tertiary", icon=offered.icon)


def buttons(shown: Buttons) -> None:
    """Draw buttons side by side."""
    with st.container(key=f"buttons_{shown.name}", horizontal=True, gap="small"):
        for number, button in enumerate(shown.buttons):
            if isinstance(button, base.Redraw):
                draw(button)
            else:
                _button(button, type="primary" if shown.primary and not number else "secondary")


def _button(offered: Button, **options: Any) -> None:
    st.button(
        offered.label,
        key=offered.key,
        on_click=offered.act,
        help=offered.help,
        shortcut=offered.shortcut,
        **options,
    )


class PageEnd(Exception):
    """Raised to end a page early.

    After `st.stop` the browser would receive neither the address written at the end of a run nor
    the problems of the link.
    """


def end() -> NoReturn:
    """End the page here."""
    raise PageEnd


def points(sentences: Iterable[str]) -> None:
    """List sentences that may quote untrusted text."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    st.html(f"<ul>{items}</ul>")


def lead(shown: Chart) -> None:
    """Show the leading figure, as large as the first screen allows."""
    if not _collected(shown):
        st.html(f"<style>:root {{--least: {shown.least}px}}</style>")
        scale = st.session_state.get(keys.MAGNIFIED, 1.0)
        height = int(scale * max(shown.height, shown.least))
        with st.container(key="lead", height=height, border=False):
            _plot(shown, "stretch")


def chart(shown: Chart) -> None:
    """Show a figure with its origin and download buttons."""
    if not _collected(shown):
        _plot(shown, shown.height)
        figure_buttons(shown)


def _collected(shown: Presentable | Live) -> bool:
    """Collect an exhibit for the presentation, if there is one; return True if so."""
    presentation = st.session_state.get(keys.PRESENTATION)
    if presentation:
        presentation.exhibits.append(shown)
    return presentation is not None


def _plot(shown: Chart, height: int | Literal["stretch"]) -> None:
    scale = st.session_state.get(keys.MAGNIFIED, 1.0)
    st.plotly_chart(
        shown.figure if scale == 1 else scaled(shown.figure, scale),
        height=height if isinstance(height, str) else int(scale * height),
        key=f"chart-{shown.name}",
        alt=shown.alt,
        config=_CONFIG,
    )


def figure_buttons(shown: Chart) -> None:
    """Show the origin of a figure, and buttons that save it as PNG, SVG and HTML."""
    file = downloads.file_stem(shown.name, shown.origin)
    title = shown.title.removesuffix(".")
    with st.container(key=f"settings-of-{shown.name}"):  # in print the picture says them
        own, quoting = replace(shown.origin, note="").words, formats.quoting(shown.origin.note)
        parts = (formats.plain(shown.origin.data), formats.unbroken(own), quoting)
        st.caption(" · ".join(part for part in parts if part))
    with st.container(horizontal=True, vertical_alignment="center"):
        exports.picture_buttons(f"chart-{shown.name}", shown.name, file, title, shown.origin)
        st.download_button(
            f"{title_of_part(shown.name)} as HTML",
            data=partial(
                exports.figure_page, shown.figure, shown.height, file, title, shown.origin
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
    if not _collected(shown):
        st.markdown(shown.text)


def ranked(shown: Ranking) -> None:
    """Show a ranking with its downloads."""
    if not _collected(shown):
        show_ranking(shown)
        exports.on_paper(shown.table.html, shown.table.n_rows, shown.origin)
        table_buttons(shown.table)


def played(shown: MovingRanks) -> None:
    """Show releases as an animation."""
    if not _collected(shown):
        moving_ranks.show(shown)


def show_ranking(shown: Ranking, *, slide: bool = False) -> None:
    """Show a ranking without downloads."""
    with st.container(key="ranked"):
        st.html(shown.slide_html if slide else shown.html)


def table(shown: Table) -> None:
    """Show a table with its downloads; spreadsheets run nothing in them as formulas."""
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
    exports.on_paper(shown.html, shown.n_rows, shown.origin)
    table_buttons(shown)


def sentences(shown: SentenceTable) -> None:
    """Show a table of sentences as HTML, since a grid would cut them."""
    st.html(f'<div class="sentences">{shown.table.html}</div>')
    table_buttons(shown.table)


def small_table(shown: SmallTable) -> None:
    """Show a table of few rows as HTML, with its downloads."""
    region = (
        f'class="small-table" tabindex="0" role="region" aria-label="{escape(shown.table.title)}"'
    )
    st.html(f"<div {region}>{shown.table.html}</div>")
    table_buttons(shown.table)


def table_buttons(offered: Table) -> None:
    """Draw the downloads of a table."""
    frame = offered.frame if offered.data is None else offered.data
    downloads.table_files(offered.name, offered.title, frame, offered.origin)


@st.fragment
def code(shown: Code) -> None:
    """Show the lines of Python that give the same numbers, with their downloads.

    Nothing is sent before the expander is opened: the browser would load 1.5 MB to color the lines.
    """
    lines_of_python = st.expander(
        "The same numbers in Python", icon=":material/code:", key=keys.CODE, on_change="rerun"
    )
    if lines_of_python.open:
        with lines_of_python:
            st.code(shown.lines, language="python", wrap_lines=True)
            downloads.code_files(shown.lines, shown.origin, shown.asked)


def rows(cells, columns) -> pd.DataFrame:
    """Build a table of text from rows of cells."""
    return pd.DataFrame([list(row) for row in cells], columns=list(columns), dtype=str)


def tiles(shown: Tiles) -> None:
    """Show numbers side by side, wrapping."""
    with st.container(key=f"tiles_{shown.name}", horizontal=True, gap="small"):
        for number in shown.numbers:
            with st.container(width=155, gap=None):
                st.metric(number.label, number.value, help=number.help)
                if number.kind:
                    st.caption(formats.unbroken(number.kind))
                if number.button:
                    _button(number.button)


def downloads_of(offered: Downloads) -> None:
    """Draw the download buttons of text files, side by side."""
    with st.container(horizontal=True):
        for number, (file, label) in enumerate(offered.files):
            downloads.file(file, label, primary=offered.primary and not number)


def columns(shown: Columns) -> None:
    """Draw exhibits side by side."""
    places = st.columns(shown.widths, gap="medium")
    for place, exhibits in zip(places, shown.columns, strict=True):
        with place:
            draw_all(exhibits)


def bordered(shown: Bordered) -> None:
    """Draw exhibits within a border."""
    with st.container(key=shown.name, border=True):
        draw_all(shown.exhibits)


def expander(shown: Expander) -> None:
    """Draw exhibits below a title that opens and closes."""
    with st.expander(shown.title, icon=shown.icon):
        draw_all(shown.exhibits)


def live(shown: Live) -> None:
    """Draw exhibits now, and by themselves every so many seconds or when they are used."""
    if shown.on_slide and _collected(shown):
        return

    @st.fragment(run_every=shown.seconds)
    def part() -> None:
        draw_all(shown.make())

    part()


def draw_all(exhibits: Iterable[Exhibit]) -> None:
    """Draw exhibits in their order, each before the next is asked for."""
    for exhibit in exhibits:
        draw(exhibit)


def draw(exhibit: Exhibit) -> None:
    """Draw an exhibit here; nothing for None and for empty texts."""
    if exhibit is not None and getattr(exhibit, "text", True):
        DRAWN[type(exhibit)](exhibit)


DRAWN: Mapping[type, Callable[[Any], object]] = {
    Columns: columns,
    Bordered: bordered,
    Expander: expander,
    Chapters: chapters,
    Tiles: tiles,
    Button: lambda shown: _button(shown, type="tertiary"),
    Buttons: buttons,
    base.Redraw: lambda shown: redraw.button(shown.label, shown.drawn, primary=shown.primary),
    Offer: offer,
    base.Header: lambda shown: st.header(shown.text, anchor=False),
    base.Markdown: lambda shown: st.markdown(shown.text),
    base.Caption: lambda shown: st.caption(shown.text),
    base.Note: lambda shown: note(shown.text),
    base.PlainText: lambda shown: st.text(shown.text),
    base.Points: lambda shown: points(shown.sentences),
    base.Problem: lambda shown: problem(shown.headline, shown.sentence),
    base.Sources: lambda shown: links.sources(shown.citations),
    base.Explained: lambda shown: links.mechanisms(shown.cards),
    Example: links.example,
    base.Tour: lambda shown: links.tour(),
    base.Lead: lambda shown: lead(shown.chart),
    Chart: chart,
    base.FigureButtons: lambda shown: figure_buttons(shown.chart),
    Table: table,
    SentenceTable: sentences,
    SmallTable: small_table,
    base.TableButtons: lambda shown: table_buttons(shown.table),
    Ranking: ranked,
    Words: words,
    MovingRanks: played,
    LawBySetting: law_by_setting.show,
    Live: live,
    Downloads: downloads_of,
    base.FileText: lambda shown: downloads.text(shown.file),
    Code: code,
}
"""Functions that draw each type of exhibit."""
