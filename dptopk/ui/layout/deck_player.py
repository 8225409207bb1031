"""Present the views of a deck one after another, with keys, a timer and notes."""

import re
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dptopk.questions import settings
from dptopk.ui import address, formats, keys, show
from dptopk.ui.layout import deck
from dptopk.ui.layout.deck import Deck, Slide
from dptopk.ui.widgets import component

_tools = component(Path(__file__).parents[1] / "assets/deck_tools", isolate_styles=False)


@dataclass(frozen=True)
class Playing:
    """A deck with the place of the slide that is shown, from 1."""

    deck: Deck
    place: int

    @property
    def slide(self) -> Slide:
        """The slide that is shown."""
        return self.deck.slides[self.place - 1]


def opened() -> Deck | None:
    """Return the open deck, or None; report a deck that cannot be read."""
    value = address.value(settings.DECK)
    if not value:
        return None
    try:
        return deck.read(value)
    except ValueError as error:
        address.refuse(settings.DECK, str(error))
        return None


def playing() -> Playing | None:
    """Return the deck being presented with its current slide, or None."""
    place, open_deck = int(address.value(settings.SLIDE)), opened()
    if not place or open_deck is None or not open_deck.slides:
        return None
    return Playing(open_deck, min(place, len(open_deck.slides)))


def named() -> Slide | None:
    """Return the slide that the address names without any setting of its view, or None."""
    query = st.query_params
    if query.keys() - deck.OF_DECKS:
        return None
    try:
        place = int(settings.SLIDE.parse(query.get(settings.SLIDE.key, "0")) or 0)
        slides = deck.read(query.get(settings.DECK.key, "")).slides
    except ValueError:  # reported where the deck is opened
        return None
    return slides[place - 1] if 1 <= place <= len(slides) else None


def go(place: int) -> None:
    """Go to a slide of the deck that is open; a callback."""
    value = address.value(settings.DECK)
    slide = deck.read(value).slides[place - 1]
    of_deck = {settings.DECK.key: value, settings.SLIDE.key: str(place)}
    address.follow(slide.page, slide.query | of_deck)


def _turn(step: int) -> None:
    """Go ``step`` slides on from where the last press led, drawn or not; a callback."""
    if current := playing():
        go(min(max(current.place + step, 1), len(current.deck.slides)))


def adding() -> None:
    """Draw the button that adds the view to the deck that is open."""
    open_deck = opened()
    if open_deck is not None and len(open_deck.slides) < deck.MOST_SLIDES:
        show.key_button("Add this view to the deck", "deck-add", "playlist_add", None, _add)


def change(changed: Deck) -> None:
    """Replace the deck that is open, so that it can be undone; a callback."""
    try:
        value = deck.written(changed)
        deck.read(value)
    except ValueError as error:
        st.session_state[keys.DECK_REFUSED] = f"The deck was not changed: {error}."
        return
    before: list[str] = st.session_state.setdefault(keys.DECKS_BEFORE, [])
    before.append(address.value(settings.DECK))
    del before[:-50]
    address.choose(settings.DECK, value)


def show_keys(current: Playing) -> None:
    """Draw the keys that go through a deck, and its timer."""
    place, n = current.place, len(current.deck.slides)
    for name, label, to, shortcut, icon, act, by in (
        ("first", "First slide", 1, "home", "first_page", go, 1),
        ("previous", "Previous", place - 1, "left", "chevron_left", _turn, -1),
        ("next", "Next", place + 1, "right", "chevron_right", _turn, 1),
        ("last", "Last slide", n, "end", "last_page", go, n),
    ):
        beyond = not 1 <= to <= n
        show.key_button(label, f"deck-{name}", icon, shortcut, act, by, disabled=beyond)
    st.caption(f"{place} of {n}")
    show_tools(
        deck=current.deck.title,
        place=f"{place} of {n}",
        title=current.slide.title,
        notes=current.slide.notes,
        next=current.deck.slides[place].title if place < n else "",
        until=sum(slide.minutes for slide in current.deck.slides[:place]),
        minutes=current.deck.minutes,
    )
    if st.button(
        "Overview", key="deck-overview", icon=":material/grid_view:", type="tertiary", shortcut="o"
    ):
        _overview(current)
    show.key_button("Leave", "deck-leave", "close", "escape", _leave)


def note(text: str) -> None:
    """Draw notes of the page, in markdown, that only the window of the notes shows."""
    with st.container(key="slide_notes"):
        st.markdown(text)


def show_tools(**data: str | float) -> None:
    """Draw the timer, and the buttons of the blank screen and of the window with the notes.

    ``deck`` names what the timer belongs to; ``notes`` stand above those of the page.
    """
    none = {"notes": "", "until": 0.0, "minutes": 0.0}
    _tools(key="deck-tools", data=none | data, width="content")


@st.dialog("Slides", width="large")
def _overview(current: Playing) -> None:
    with st.container(gap=None):
        for place, slide in enumerate(current.deck.slides, 1):
            here = " (shown)" if place == current.place else ""
            planned = deck.planned(slide.minutes)
            label = f"{place}. {formats.quoting(slide.title)}{planned}{here}"
            key = f"deck-to-{place}"
            if st.button(label, key=key, type="tertiary", on_click=go, args=(place,)):
                st.rerun()


def _leave() -> None:
    address.choose(settings.SLIDE, 0)
    address.choose(settings.PRESENT, 0)


def _add() -> None:
    open_deck = deck.read(address.value(settings.DECK))
    page, _ = st.session_state[keys.VIEW]
    query = address.written()
    hidden = query.get(settings.ANSWER.key) == settings.HIDDEN_ANSWER
    question = formats.unmarked(st.session_state[keys.QUESTION])
    # k may change on a slide; data and a class, which other headings name, are of this session
    fixed = question.endswith("?") and not re.search(r"\d", question)
    title = question if fixed else page.title
    slide = Slide(title, deck.link(page.key, query), 0.0, "", hidden)
    change(Deck(open_deck.title, (*open_deck.slides, slide)))
    if keys.DECK_REFUSED not in st.session_state:
        st.toast(f"This view is slide {len(open_deck.slides) + 1} of the deck.")
