"""Presentation mode, in which one figure at a time fills the screen.

The page runs as usual, but hidden (see presentation.css): its controls keep their values and its
keys work.  Its question and its figures are collected, and one of them is shown with its finding.
After the last one comes the page's next chapter, if there is one, then the next page of the
navigation.
"""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.core.parameters import EPSILON, Parameter
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.ui import address, formats, keys, show
from dptopk.ui.layout import deck_player, hidden_answer
from dptopk.ui.layout.pages import PAGES, Page
from dptopk.ui.server import front_end

_LAST = int(settings.PRESENT.high)  # of the figures of a page, however many there are
_LONG = 210  # characters of a line that leave the figure too little room in the largest type
KEYS = (
    "One figure at a time fills the screen. Keys: arrows to the left and right turn, up and down "
    "change ε, with Shift k; D draws again, A hides the answer, Esc leaves."
)
_ASSETS = Path(__file__).parents[1] / "assets"
_PAGE_SHOWN = """<style>
.st-key-stage {min-height: 0 !important}
[data-testid="stLayoutWrapper"]:has(> .st-key-backstage) {display: flex !important}
:root:not(:has(.st-key-deck_keys)) [data-testid="stLayoutWrapper"]:has(> .st-key-head) {
  display: flex !important;
}
</style>"""
_SCRIPTS = ("one_entry.js", "pick_file.js", "presentation.js", "typed_box.js")
_of_every_page = st.components.v2.component(
    "dptopk_of_every_page", js="".join((_ASSETS / name).read_text("utf-8") for name in _SCRIPTS)
)


@dataclass
class Presentation:
    """Question and slides collected from a page that is presented, in their order.

    ``place`` is where they are shown, the title at once.  It is that of the slide, in place of the
    question; empty without a deck.
    ``redraws`` is the label of the button that draws again; empty without one.
    """

    place: DeltaGenerator
    title: str = ""
    question: str = ""
    slides: list[show.PresentedPart] = field(default_factory=list)
    redraws: str = ""


def style(page: Page) -> None:
    """Send the styles of a slide, before what they hide or move has come."""
    in_deck = deck_player.playing() is not None
    styles = front_end.of_slide(in_deck=in_deck, is_lesson=page.own_slides)
    st.html(f"<style>{styles}</style>")


def run(page: Any, declared: Page) -> None:
    """Run a page of the navigation, and present one of its figures if its address asks for it."""
    wanted, hidden = int(address.value(settings.PRESENT)), hidden_answer.is_hidden(declared)
    playing = deck_player.playing()
    whole = declared.own_slides or not wanted
    around = (None, *PAGES, None)
    here = around.index(declared)
    neighbours = around[here - 1], around[here + 1]
    narrow, scale = show.is_narrow(), show.scale()
    with st.container(key="letters"):  # the browser reports them when they change
        _of_every_page(
            key=keys.SCREEN,
            data={"narrow": narrow, "scale": scale, "presented": is_slide()},
            on_narrow_change=lambda: None,
            on_scale_change=lambda: None,
        )
    st.session_state[keys.MAGNIFIED] = scale if whole and is_slide() else 1.0
    title = formats.quoting(playing.slide.title) if playing else ""
    st.session_state[keys.SLIDE_TITLE] = title
    if whole:
        # before what may take long, in a place that all pages have: else those of the page before
        # stay where something else comes
        enter = st.container(key="enter", horizontal=True, gap="small")
        front = st.container(key="front")
        covered = hidden_answer.cover(front) if hidden else nullcontext()
        with covered as cover, suppress(show.PageDone):
            page.run()
        with front:
            hidden_answer.offer(declared, cover) if cover else hidden_answer.prediction()
        if playing:
            with st.container(key="deck_keys", horizontal=True, gap="small"):
                if not hidden and not declared.own_answers:
                    hidden_answer.button()
                deck_player.show_keys(playing)
            _setting_keys(declared)
            return
        if wanted:
            _keys_of_slide(page.title, neighbours)
            return
        with enter:
            deck_player.adding()
            if not hidden and not declared.own_answers:
                hidden_answer.button()
            show.key_button("Present", "present-Present", "slideshow", "p", _enter, help=KEYS)
        return
    front = st.container(key="stage")
    presentation = Presentation(front, title)
    st.session_state[keys.PRESENTATION] = presentation
    with (
        st.container(key="backstage"),
        hidden_answer.cover(front) if hidden else nullcontext() as cover,
        suppress(show.PageEnd),
    ):
        page.run()
    del st.session_state[keys.PRESENTATION]
    with front:
        _present(presentation, wanted, neighbours, playing, cover, own_answers=declared.own_answers)
        _setting_keys(declared)


def is_slide() -> bool:
    """Return True if the page is presented, by itself or in a deck."""
    return bool(address.value(settings.PRESENT)) or deck_player.playing() is not None


def _present(
    presentation: Presentation,
    wanted: int,
    neighbours: tuple[Page | None, Page | None],
    playing: deck_player.Playing | None,
    cover: show.Cover | None,
    *,
    own_answers: bool,
) -> None:
    """Show the figure asked for; without any figure the page stays visible."""
    n = len(presentation.slides)
    place = min(wanted, n)
    slide = presentation.slides[place - 1] if n else None
    is_drawn = slide is not None and slide.origin is not None and slide.origin.seed is not None
    if slide is None:
        st.html(_PAGE_SHOWN)
    elif cover:
        question = f"{presentation.question} " if presentation.title else ""
        st.html(f'<p class="stage-line">{escape(question)}{hidden_answer.WORDS}</p>')
        if slide.origin:
            st.caption(f"Given: {formats.plain(slide.origin.data)} · {slide.origin.given}")
        if cover.given:
            cover.given()
    else:
        hidden_answer.prediction()
        line = formats.unmarked(slide.line)
        if line:
            look = "stage-line long" if len(line) > _LONG else "stage-line"
            st.html(f'<p class="{look}">{escape(line)}</p>')
        if slide.origin:
            st.caption(f"{formats.plain(slide.origin.data)} · {slide.origin.brief}")
        slide.draw()
    if n and wanted > n:  # who comes back from the next page is at the last one
        address.choose(settings.PRESENT, place)
    with st.container(key="deck_keys" if playing else "stage_keys", horizontal=True, gap="small"):
        if presentation.redraws and is_drawn:
            show.redraw_button(presentation.redraws)
        if cover:
            hidden_answer.reveal()
        elif (n or playing) and not own_answers:
            hidden_answer.button()
        if playing:
            deck_player.show_keys(playing)
        else:
            _turns(place, n, neighbours)
            st.caption(f"{place} of {n}")
            show.key_button("Leave", "present-Leave", "close", "escape", _go, 0)


def _turns(place: int, n: int, neighbours: tuple[Page | None, Page | None]) -> None:
    """Draw the buttons to the figures, chapters or pages before and after a place of a page."""
    chapters: show.Chapters | None = st.session_state.get(keys.CHAPTERS)
    for label, step, to in (("Previous", -1, neighbours[0]), ("Next", 1, neighbours[1])):
        way = "left" if step < 0 else "right"
        key, icon = f"present-{label}", f"chevron_{way}"
        if 1 <= place + step <= n:
            show.key_button(label, key, icon, way, _go_on, step, n)
        elif chapters and chapters.neighbour(step):
            show.key_button(label, key, icon, way, _go_to_chapter, chapters, step)
        elif to:
            at = 1 if step > 0 else _LAST
            show.key_button(label, key, icon, way, _turn, to.key, at, help=f"To {to.title}")
        else:
            show.key_button(label, key, icon, way, _go, place, disabled=True)


def _keys_of_slide(title: str, neighbours: tuple[Page | None, Page | None]) -> None:
    """Draw the keys of a page that lays out its own slide; its chapters are its slides."""
    chapters: show.Chapters | None = st.session_state.get(keys.CHAPTERS)
    with st.container(key="deck_keys", horizontal=True, gap="small"):
        _turns(1, 1, neighbours)
        place, current, following = "", title, ""
        if chapters:
            names = chapters.parameter.options
            place = f"{chapters.values.index(chapters.shown) + 1} of {len(chapters.values)}"
            current = names.get(chapters.shown, "")
            following = names.get(chapters.neighbour(1) or "", "")
            st.caption(place)
        deck_player.show_tools(deck=title, place=place, title=current, next=following)
        show.key_button("Leave", "present-Leave", "close", "escape", _go, 0)


def _setting_keys(page: Page) -> None:
    """Draw the buttons that change ε and k from a slide; unseen unless one has the focus."""
    _, view = st.session_state.get(keys.VIEW, (None, None))
    if not page.mechanisms or page.own_answers or not isinstance(view, View):  # without one no data
        return
    most = min(view.source.counts.d, settings.MAX_K)
    scales: list[tuple[Parameter, Sequence[float], float, str]] = [
        (EPSILON, EPSILON.steps, view.epsilon, ""),
    ]
    if not page.small:  # which has a k of its own
        scales.append((settings.K, range(1, most + 1), view.k, "shift+"))
    with st.container(key="slide_settings", horizontal=True, gap="small"):
        for parameter, scale, now, held in scales:
            name = parameter.label.split(",")[0]
            for way, step in (("down", -1), ("up", 1)):
                to = _beside(scale, now, step)
                st.button(
                    f"no other {name}" if to is None else f"{name} = {formats.compact(to)}",
                    key=f"slide-{held}{way}",
                    shortcut=f"{held}{way}",
                    disabled=to is None,
                    on_click=_move,
                    args=(parameter, scale, now, step),
                )


def _beside(scale: Sequence[float], now: float, step: int) -> float | None:
    """Return the value of a scale that comes after ``now``, or with a step of -1 before it."""
    if step > 0:
        return next((value for value in scale if value > now), None)
    return next((value for value in reversed(scale) if value < now), None)


def _move(parameter: Parameter, scale: Sequence[float], current: float, step: int) -> None:
    """Change a setting by a step from where the last press led, drawn or not; a callback.

    What was asked for may be beyond the largest value that the data allow, the ``current`` one.
    """
    to = _beside(scale, min(address.value(parameter), max(current, scale[-1])), step)
    if to is not None:
        address.choose(parameter, to)


def _enter() -> None:
    """Present the page from its first figure, and the chapter that is shown; a callback."""
    _go(1)
    chapters: show.Chapters | None = st.session_state.get(keys.CHAPTERS)
    if chapters and chapters.go:
        chapters.go(chapters.shown)


def _go(place: int) -> None:
    """Choose a figure by its place on the page; 0 leaves; a callback."""
    if place:
        hidden_answer.again()
    address.choose(settings.PRESENT, place)


def _go_on(step: int, n: int) -> None:
    """Go ``step`` figures on from where the last press led, drawn or not; a callback."""
    _go(min(max(min(int(address.value(settings.PRESENT)), n) + step, 1), n))


def _go_to_chapter(chapters: show.Chapters, step: int) -> None:
    """Go to the chapter beside the one that the last press led to, drawn or not; a callback."""
    led_to = address.value(chapters.parameter)
    current = led_to if led_to in chapters.values else chapters.shown
    chapter = replace(chapters, shown=current).neighbour(step)
    if chapter:
        _go(1 if step > 0 else _LAST)
        (chapters.go or partial(address.choose, chapters.parameter))(chapter)


def _turn(page: str, place: int) -> None:
    """Go to a page, at the place of one of its figures; a callback."""
    address.choose(settings.PRESENT, place)
    address.turn(page)
