"""Draw what several pages draw alike: questions, figures, tables, tiles, code and downloads.

A page calls these functions in its order, between its own calls of Streamlit.  What a presentation
shows on the whole screen is collected here instead of drawn (`Slide`), and what a hidden answer
leaves is drawn in the place it has for it (`uncovered`); a page knows nothing of either.

Item names are untrusted text.  `st.dataframe` and `st.text` show text literally; in markdown names
must be escaped by `formats.plain`.  Texts are markdown unless stated otherwise.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from typing import Any, Literal, NoReturn, Self

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.core.counts import ItemCounts
from dptopk.core.parameters import Choice
from dptopk.figures import amounts, height_of_rows, named, presented, scaled
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.origin import TRUE_COUNTS, Origin, title_of_part
from dptopk.questions.saved import saved_text
from dptopk.ui import address, exports, formats, keys, ranking_table

Look = Literal["primary", "secondary", "tertiary"]

_INTERVALS = (
    "Intervals of simulated numbers are at 95%: of medians and quartiles from the order statistics "
    "of the runs, of shares by Wilson (1927)."
)
_MOST_GIVEN = 12  # counts that are drawn beside a hidden answer
_MANY_TILES = 5  # more have smaller numbers, and wrap into two rows
_TABS = ("Numbers", "How it is computed", "Take away")
_CONFIG = {"displayModeBar": False, "scrollZoom": False}  # what is saved is made below
_SCALES = tuple(quarters / 4 for quarters in range(4, 17))  # as in presentation.js
_MIME = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "py": "text/x-python",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
    "sql": "application/sql",
    "zip": "application/zip",
}
_ENLARGED = ContextVar("enlarged", default=False)  # figures of what is drawn on a live slide
_LIVE = ContextVar("live", default=False)  # what is drawn now, and anew without its page


@dataclass(frozen=True)
class Chapters:
    """Values of a setting that a presentation goes through, and the one that is shown.

    ``go`` goes to one of them; by default it is only chosen.
    """

    parameter: Choice
    values: tuple[str, ...]
    shown: str
    go: Callable[[str], None] | None = None

    def neighbour(self, step: int) -> str | None:
        """Return the value ``step`` places further on, or None."""
        place = self.values.index(self.shown) + step
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True)
class Button:
    """A button; ``act`` is its callback, ``shortcut`` the key that presses it."""

    label: str
    key: str
    act: Callable[[], None]
    help: str | None = None
    shortcut: str | None = None


@dataclass(frozen=True)
class Offer:
    """A sentence of advice, with a button to apply it where that takes one click."""

    sentence: str
    button: Button | None
    icon: str = ":material/add:"


@dataclass(frozen=True)
class Tile:
    """A number with its label and the kind of number it is."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None
    button: Button | None = None


@dataclass(frozen=True)
class Chart:
    """A figure with its title, its origin and a sentence on its content.

    ``name`` is its key and the name of its downloads.  ``finding`` describes it with the numbers
    of the page, for screen readers and on its slide; ``slide`` replaces it there if not empty.
    Heights are in pixels; ``least`` is the smallest height at which it can be read, ``most`` the
    largest that helps, if more only moves its rows apart.
    """

    figure: go.Figure
    name: str
    title: str
    origin: Origin
    height: int = 420
    least: int = 256
    most: int | None = None
    finding: str = ""
    slide: str = ""

    @property
    def line(self) -> str:
        """Sentence on its slide."""
        return self.slide or self.finding

    @property
    def alt(self) -> str:
        """Title and finding as plain text, for screen readers."""
        return f"{self.title} {formats.unmarked(self.finding)}".strip()


@dataclass(frozen=True)
class Table:
    """A table as shown, with its title, its origin and the data of its download.

    ``name`` is its key and part of its file's name, ``data`` the table to download if that is
    another one; ``options`` go to `st.dataframe`; ``words`` are shown in place of the numbers of a
    column, which it is sorted by.
    """

    frame: Any
    name: str
    title: str
    origin: Origin
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def html(self) -> str:
        """First rows as HTML, computed once, as sessions share tables of bundled data."""
        return exports.table_html(self.frame, self.words)


@dataclass(frozen=True)
class Ranking:
    """A table of rankings side by side, with its alternative text.

    ``compared`` are the columns whose cells begin with a mark; ``beside`` is the one of them that
    a phone shows.  ``said`` stands in the head of each compared column; a slide shows ``signs``.
    """

    table: Table
    alt: str
    compared: list[str]
    beside: str
    said: Mapping[str, str]
    signs: str

    @cached_property
    def html(self) -> str:
        """HTML of the table on a page, computed once."""
        return self.written(slide=False)

    def written(self, *, slide: bool) -> str:
        """Return the HTML of the table, on a page or on a slide."""
        frame, notes = self.table.frame, self.said
        return ranking_table.written(
            frame, self.alt, self.beside, self.compared, notes, slide=slide
        )


@dataclass
class Cover:
    """Places for the question of a page whose answer is hidden, and its controls and problems.

    ``given`` draws what is given for a prediction.
    """

    head: DeltaGenerator
    body: DeltaGenerator
    given: Callable[[], None] | None = None


def uncovered() -> AbstractContextManager[Any]:
    """Draw within the context also if the answer of the page is hidden."""
    cover: Cover | None = st.session_state.get(keys.COVER)
    return cover.body if cover else nullcontext()


def given(counts: ItemCounts, unit: str, k: int) -> None:
    """Draw the largest counts for a prediction, where the answer of the page is hidden."""
    presentation, cover = (st.session_state.get(key) for key in (keys.PRESENTATION, keys.COVER))
    if cover is None:
        return
    first = counts.head(min(k + 2, _MOST_GIVEN))
    title = f"The {first.d:,} largest counts of {formats.plain(counts.name)}."
    origin = Origin(counts.name, counts, (), TRUE_COUNTS)
    top = counts_chart(first, k, unit, "given", title, origin)
    cover.given = partial(_large, top) if presentation else partial(_plot, top, top.height)


def counts_chart(
    counts: ItemCounts, k: int, unit: str, name: str, title: str, origin: Origin
) -> Chart:
    """Return a bar of each count; those after place ``k`` are paler."""
    chosen = [place < k for place in range(counts.d)]
    bars = amounts(counts.items, counts.counts.tolist(), unit, "%{x:,}", chosen)
    words = "; ".join(f"{formats.plain(item)} {n:,}" for item, n in counts)
    return Chart(bars, name, title, origin, height=height_of_rows(counts.d), finding=words)


def at_work() -> AbstractContextManager[Any]:
    """Draw progress within the context: over the leading figure until its page has a title."""
    screen: Screen | None = st.session_state.get(keys.UNTITLED)
    return screen.working if screen and screen.working else uncovered()


def chapters(content: Chapters) -> None:
    """Register the chapters of a page, which a presentation goes through."""
    st.session_state[keys.CHAPTERS] = content


@dataclass
class Screen:
    """Places of the first screen; what is drawn in ``place`` comes below the controls.

    ``untitled`` is the question of a page that will have its finding as title, until it has;
    meanwhile progress is shown in ``working``, so that the figure below keeps its place.
    """

    place: DeltaGenerator
    question: DeltaGenerator
    untitled: str = ""
    working: DeltaGenerator | None = None

    @classmethod
    def opened(cls) -> Self:
        """Open the places here: of a page that is a text, whose first screen is not filled."""
        return cls(st.container(), st.container())

    def ask(self, question: str, answer: str = "") -> None:
        """Draw the question of the page and a sentence on how to read it."""
        st.session_state[keys.QUESTION] = question
        if presentation := st.session_state.get(keys.PRESENTATION):
            if not presentation.question:
                presentation.place.title(presentation.title or question, anchor=False)
            presentation.question = question
            return
        cover: Cover | None = st.session_state.get(keys.COVER)
        with cover.head if cover else self.question:
            st.title(st.session_state.get(keys.SLIDE_TITLE) or question, anchor=False)
            if answer:
                st.container(key="words").markdown(answer)

    def ask_first(self, question: str, answer: str) -> None:
        """Draw the question of the page in small type; its title will be its finding.

        On a slide and while the answer is hidden, the question is the title.
        """
        if any(
            st.session_state.get(key) for key in (keys.PRESENTATION, keys.COVER, keys.SLIDE_TITLE)
        ):
            self.ask(question, answer)
            return
        st.session_state[keys.QUESTION] = self.untitled = question
        st.session_state[keys.UNTITLED] = self
        self.working = self.place.container(key="working")
        with self.question.container(key="headline"):
            st.container(key="question").markdown(question)
            self.question = st.container(key="finding")
            if answer:
                st.container(key="words").markdown(answer)

    def title(self, finding: str) -> None:
        """Draw the title of the page: what it finds."""
        if self.untitled:
            self.untitled = ""
            del st.session_state[keys.UNTITLED]
            self.question.title(finding, anchor=False)

    def lead(self, finding: str, content: Chart, words: str = "") -> None:
        """Draw the title and, below the controls, the leading figure and words on it, if any."""
        self.title(finding)
        with self.place:
            lead(content)
            caption(words)


@contextmanager
def first_screen() -> Iterator[Screen]:
    """Open the first screen: question, numbers, a row of controls, and the leading figure.

    It is as high as the window; the figure takes the height that is left (see look.css).
    """
    place = st.container(key="first_screen")
    with place:
        yield Screen(place, st.container())


def entitle() -> None:
    """Draw the question as the title of a page that ended before it found anything."""
    screen: Screen | None = st.session_state.get(keys.UNTITLED)
    if screen:
        screen.title(screen.untitled)


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
            button(offered.button, type="tertiary", icon=offered.icon)


@contextmanager
def buttons(name: str) -> Iterator[None]:
    """Draw the buttons of the context side by side."""
    with st.container(key=f"buttons_{name}", horizontal=True, gap="small"):
        yield


def button_row(name: str, offered: Iterable[Button], *, primary: bool = False) -> None:
    """Draw buttons side by side; the first is the one to take if ``primary``."""
    with buttons(name):
        for number, one in enumerate(offered):
            button(one, type="primary" if primary and not number else "secondary")


def button(offered: Button, **options: Any) -> None:
    """Draw a button."""
    st.button(
        offered.label,
        key=offered.key,
        on_click=offered.act,
        help=offered.help,
        shortcut=offered.shortcut,
        **options,
    )


def key_button(
    label: str,
    key: str,
    icon: str,
    shortcut: str | None,
    act: Callable[..., None],
    *args: Any,
    **options: Any,
) -> None:
    """Draw a button with a Material symbol, such as one of the keys of a presentation."""
    look = {"type": "tertiary", "icon": f":material/{icon}:"} | options
    st.button(label, key=key, shortcut=shortcut, on_click=act, args=args, **look)


def card(offered: Button, words: str) -> DeltaGenerator:
    """Draw a button and sentences in a frame; return the place for a picture above them."""
    with st.container(key=f"card-{offered.key}", border=True, width=290, gap="small"):
        place = st.empty()
        button(offered, type="tertiary")
        st.caption(words)
    return place


def sketch(place: DeltaGenerator, address: str) -> None:
    """Draw a small picture of this address, or keep its room if there is none yet."""
    image = f'<img class="sketch" alt="" src="{address}">' if address else '<i class="sketch"></i>'
    place.html(image)


def redraw(label: str, drawn: str, look: Look = "primary") -> None:
    """Draw the button that advances the seed; in a presentation, leave it to the slide.

    ``drawn`` names what is drawn again.
    """
    if presentation := st.session_state.get(keys.PRESENTATION):
        presentation.redraws = label
        return
    seed = f"The seed advances by one; the same seed always gives the same {drawn}."
    redraw_button(label, look, seed)


def redraw_button(label: str, look: Look = "tertiary", help: str | None = None) -> None:
    """Draw the button that advances the seed, also on a slide."""
    st.button(
        label,
        type=look,
        icon=":material/casino:",
        key="draw",
        on_click=lambda: address.choose(settings.SEED, (address.value(settings.SEED) + 1) % 2**31),
        shortcut="d",
        help=help,
    )


class PageEnd(Exception):
    """Raised to end a page early.

    After `st.stop` the browser would receive neither the address written at the end of a run nor
    the problems of the link.
    """


class PageDone(PageEnd):
    """Raised to end a page that has nothing more to show, as if its last line had come."""


def end() -> NoReturn:
    """End the page here, also what stands around it: it cannot be shown."""
    raise PageEnd


def done() -> NoReturn:
    """End the page here: it has nothing more to show."""
    raise PageDone


def points(sentences: Iterable[str]) -> None:
    """List sentences that may quote untrusted text."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    st.html(f"<ul>{items}</ul>")


def is_narrow() -> bool:
    """Return True if the browser reported a narrow screen, as of a phone."""
    return bool(st.session_state.get(keys.SCREEN, {}).get("narrow"))


def scale() -> float:
    """Return how much larger the screen is than 1280 × 720, from 1 to 4."""
    reported = st.session_state.get(keys.SCREEN, {}).get("scale")
    return next((known for known in _SCALES if known == reported), 1.0)


@dataclass(frozen=True)
class PresentedPart:
    """A part of a page that a presentation shows on the whole screen, below a line of text.

    Without an origin it says itself where it comes from.
    """

    draw: Callable[[], object]
    line: str = ""
    origin: Origin | None = None


def collected(draw: Callable[[], object], line: str = "", origin: Origin | None = None) -> bool:
    """Collect a part of the page for the presentation, if there is one; return True if so."""
    presentation = st.session_state.get(keys.PRESENTATION)
    if presentation:
        presentation.slides.append(PresentedPart(draw, line, origin))
    return presentation is not None


def lead(content: Chart) -> None:
    """Show the leading figure, as large as the first screen allows; see `below`."""
    if collected(partial(_large, content), content.line, content.origin):
        return
    if _ENLARGED.get():
        figure, least = presented(content.figure, scale()), int(scale() * content.least)
        content = replace(content, figure=figure, least=least, most=None)
    most = f"; --most: {content.most}px" if content.most else ""
    st.html(f"<style>:root {{--least: {content.least}px{most}}}</style>")
    magnified = st.session_state.get(keys.MAGNIFIED, 1.0)
    height = int(magnified * max(content.height, content.least))
    with st.container(key="lead", height=height, border=False):
        _plot(content, "stretch")


def chart(content: Chart, *, brief: bool = False) -> None:
    """Show a figure with its origin and download buttons.

    A ``brief`` origin leaves out the data, which the words above name, and what is at its default.
    """
    if not collected(partial(_large, content), content.line, content.origin):
        _plot(content, content.height)
        _origin(content, brief=brief)
        _saved(content)


def _large(content: Chart) -> None:
    """Fill a slide with a figure; on a phone it keeps the size it has on the page."""
    figure = content.figure if is_narrow() else presented(content.figure, scale())
    lead(replace(content, figure=figure, most=None))


def _plot(content: Chart, height: int | Literal["stretch"]) -> None:
    magnified = st.session_state.get(keys.MAGNIFIED, 1.0)
    figure = named(content.figure, narrow=is_narrow())
    st.plotly_chart(
        figure if magnified == 1 else scaled(figure, magnified),
        height=height if isinstance(height, str) else int(magnified * height),
        key=f"chart-{content.name}",
        alt=content.alt,
        config=_CONFIG,
    )


@contextmanager
def below(content: Chart, *sentences: str, detail: str = "") -> Iterator[None]:
    """Open the tabs below the leading figure; what is drawn within the context is its numbers.

    The second tab has the ``detail`` of the finding, how it is computed, and its origin; the third
    is filled by `take_away`, once it is open.
    """
    _saved(content)
    numbers, how, away = st.tabs(_TABS, key=keys.TABS, on_change="rerun")
    st.session_state[keys.AWAY] = away
    with how:
        if detail:
            st.markdown(detail)
        for sentence in sentences:
            caption(sentence)
        if content.origin.runs and content.origin.runs > 1 and content.origin.seed is not None:
            caption(_INTERVALS)
        caption(formats.quoting(content.origin.alone))
        _origin(content)
    with numbers:
        yield


def _origin(content: Chart, *, brief: bool = False) -> None:
    """Show the data, settings and method of a figure."""
    with st.container(key=f"settings-of-{content.name}"):  # in print the picture says them
        if brief:
            st.caption(formats.unbroken(content.origin.brief))
            return
        own, quoting = replace(content.origin, note="").words, formats.quoting(content.origin.note)
        parts = (formats.plain(content.origin.data), formats.unbroken(own), quoting)
        st.caption(" · ".join(part for part in parts if part))


def _saved(content: Chart) -> None:
    """Make the picture of a figure for print; buttons that save it come at the end of the page."""
    _picture(content)
    _at_the_end(partial(_figure_files, content))


def _picture(content: Chart, what: str = "") -> None:
    file, title = file_stem(content.name, content.origin), content.title.removesuffix(".")
    exports.picture(f"chart-{content.name}", content.name, file, title, content.origin, what)


def _figure_files(content: Chart) -> None:
    file = file_stem(content.name, content.origin)
    title = content.title.removesuffix(".")
    with st.container(horizontal=True, vertical_alignment="center"):
        _picture(content, what := title_of_part(content.name))
        st.download_button(
            f"{what} as HTML",
            data=partial(
                exports.figure_page, content.figure, content.height, file, title, content.origin
            ),
            file_name=f"{file}.html",
            mime="text/html",
            key=f"html-{content.name}",
            on_click="ignore",
            type="tertiary",
            help="A file that opens in any browser, also without a network.",
        )


def words(title: str, text: str, origin: Origin) -> None:
    """Show sentences in markdown that can fill a slide; none of their numbers is of the data."""

    def on_slide() -> None:
        with st.container(key="stage_words"):
            st.markdown(text)

    if not collected(on_slide, title, replace(origin, computed="", seed=None)):
        st.markdown(text)


def ranking(content: Ranking) -> None:
    """Show a ranking with its downloads."""
    if keys.PRESENTATION in st.session_state:
        for part in _parts(content):
            collected(partial(_ranked, part, slide=True), part.signs, part.table.origin)
        return
    _ranked(content)
    exports.on_paper(content.table.html, len(content.table.frame), content.table.origin)
    table_buttons(content.table)


def _ranked(content: Ranking, *, slide: bool = False) -> None:
    with st.container(key="ranked"):
        st.html(content.written(slide=True) if slide else content.html)


def _parts(content: Ranking) -> Iterator[Ranking]:
    """Yield a ranking in parts that fit on a slide, by a few columns at a time.

    One with many rows is shown by one of its compared columns, as many rows at once as fit.
    """
    table, compared, n = content.table, content.compared, len(content.table.frame)
    step = 1 if n > ranking_table.ON_A_SLIDE else ranking_table.AT_ONCE
    for first in range(0, len(compared), step):
        some = compared[first : first + step]
        kept = [name for name in table.frame if name in some or name not in compared]
        main = content.beside if content.beside in some else some[0]
        for top in range(0, n, ranking_table.IN_TWO):
            rows = table.frame[kept].iloc[top : top + ranking_table.IN_TWO]
            signs = content.signs
            if n > ranking_table.IN_TWO:
                signs += f" Rows {top + 1} to {top + len(rows)} of {n}."
            part = replace(table, frame=rows)
            yield replace(content, table=part, compared=some, beside=main, signs=signs)


def table(content: Table) -> None:
    """Show a table with its downloads; spreadsheets run nothing in them as formulas."""
    st.dataframe(
        formats.written(content.frame, content.words)
        if content.words
        else formats.grouped(content.frame),
        key=f"table-{content.name}",
        hide_index=True,
        alt=content.title,
        placeholder="–",
        **content.options,
    )
    exports.on_paper(content.html, len(content.frame.index), content.origin)
    table_buttons(content)


def html_table(content: Table, look: str) -> None:
    """Show a short table as HTML, with its downloads: a grid would cut its sentences."""
    region = f'class="{look}" tabindex="0" role="region" aria-label="{escape(content.title)}"'
    st.html(f"<div {region}>{content.html}</div>")
    table_buttons(content)


def table_buttons(offered: Table) -> None:
    """Offer a table as CSV and Parquet at the end of the page (see `take_away`)."""
    _at_the_end(partial(_table_files, offered))


def _table_files(offered: Table) -> None:
    title, origin = offered.title, offered.origin
    frame = offered.frame if offered.data is None else offered.data
    with st.container(horizontal=True, gap="small"):
        for ending, form, make in (
            ("csv", "CSV", exports.csv),
            ("parquet", "Parquet", exports.parquet),
        ):
            made = partial(make, frame, origin, title)
            called_so = f"{file_stem(offered.name, origin)}.{ending}"
            download(f"{title} as {form}", called_so, made, f"{ending}-{offered.name}")


def _at_the_end(draw: Callable[[], None]) -> None:
    """Draw downloads at the end of the page; those of a part that is drawn anew, here."""
    if _LIVE.get():
        draw()
    else:
        st.session_state.setdefault(keys.FILES, []).append(draw)


def take_away(lines: str, origin: Origin, **more: Any) -> None:
    """Offer the downloads of a page, and the lines of Python that give the same numbers.

    Settings of its question that are given are saved with those of the page.
    """
    files = st.session_state.pop(keys.FILES, ())
    place = st.session_state.pop(keys.AWAY, None) or st.expander(
        "Take away: figures, tables and Python",
        icon=":material/download:",
        key=keys.TAKE_AWAY,
        on_change="rerun",
    )
    if place.open:  # else nothing is sent: the browser would load 1.5 MB to color the lines
        with place:
            for draw in files:
                draw()
            _code(lines, origin, more)


def _code(lines: str, origin: Origin, more: Mapping[str, Any]) -> None:
    page, view = st.session_state[keys.VIEW]
    title = f"{page.title}: the same numbers in Python"
    st.markdown("**The same numbers in Python**")
    st.code(lines, language="python", wrap_lines=True)
    with st.container(horizontal=True, gap="small"):
        for label, ending, make in (
            ("Python script", "py", exports.script),
            ("Jupyter notebook", "ipynb", exports.notebook),
        ):
            made = partial(make, lines, origin, title)
            download(label, f"{file_stem('code', origin)}.{ending}", made, f"code-{ending}")
        if question := QUESTIONS.get(page.key):
            of_view = dict(view.parameters) | ({} if page.small else {"k": view.k})
            values = address.in_force() | of_view | dict(more)
            download(
                "Settings file",
                f"{file_stem('settings', origin)}.json",
                partial(saved_text, question, values, view.source),
                "settings",
                "For the command line: `dptopk run` with this file gives the same numbers. "
                "Uploaded counts are not in it.",
            )


def rows(cells, columns) -> pd.DataFrame:
    """Build a table of text from rows of cells."""
    return pd.DataFrame([list(row) for row in cells], columns=list(columns), dtype=str)


def tiles(numbers: Iterable[Tile], name: str = "answer") -> None:
    """Show numbers side by side, wrapping; ``name`` distinguishes the rows of a page."""
    left = [*numbers]
    key = f"tiles_many_{name}" if len(left) > _MANY_TILES else f"tiles_{name}"
    with st.container(key=key, horizontal=True, gap="small"):
        for number in left:
            with st.container(width=155, gap=None):
                st.metric(number.label, number.value, help=number.help)
                if number.kind:
                    st.caption(formats.unbroken(number.kind))
                if number.button:
                    button(number.button)


def file_stem(name: str, origin: Origin) -> str:
    """Return the stem of a file name for the page that is shown."""
    page, _ = st.session_state[keys.VIEW]
    return exports.file_stem(page.key, name, origin)


def download(
    label: str,
    name: str,
    content: str | bytes | Callable[[], str | bytes],
    key: str,
    help: str | None = None,
    look: Look = "tertiary",
    disabled: bool = False,
) -> None:
    """Draw the button of a download; ``name`` is that of the file, whose end tells its kind."""
    st.download_button(
        label,
        data=content,
        file_name=name,
        mime=_MIME[name.rpartition(".")[2]],
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type=look,
        help=help,
        disabled=disabled,
    )


def live(
    draw: Callable[[], None], seconds: float | None, on_slide: Callable[[], None] | None = None
) -> None:
    """Draw parts that are drawn anew without a run of their page: every so many seconds, if any.

    While the page is presented, ``on_slide`` draws in their place, if it is given.
    """
    if not on_slide or not collected(partial(_live_slide, on_slide, seconds)):

        @st.fragment(run_every=seconds)
        def part() -> None:
            before = _LIVE.set(True)
            try:
                draw()
            finally:
                _LIVE.reset(before)

        part()


def _live_slide(draw: Callable[[], None], seconds: float | None) -> None:
    def enlarged() -> None:
        before = _ENLARGED.set(not is_narrow())
        try:
            draw()
        finally:
            _ENLARGED.reset(before)

    with st.container(key="stage_live"):
        live(enlarged, seconds)


def caption(text: str) -> None:
    """Show sentences in small type, if there are any."""
    if text:
        st.caption(text)


def listed(sentences: Iterable[str]) -> None:
    """Show sentences in markdown as a list; see `points` for those that quote untrusted text."""
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))
