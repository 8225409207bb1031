"""Open, edit, save and present a deck of views."""

import zlib
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from dptopk.questions import settings
from dptopk.ui import address, keys, show
from dptopk.ui.formats import plain, plural, quoting
from dptopk.ui.layout import deck, deck_player
from dptopk.ui.layout.deck import Deck
from dptopk.ui.show import Button, Offer

WORDS = (
    "A deck is a list of views of this app in the order of a class, with a title, notes and "
    "minutes for each. Its keys: arrows to the left and right for the previous and the next "
    "slide, up and down for ε, with Shift for k; Home, End, O for all slides, A for a hidden "
    "answer, S for the next step of a lesson, D for another draw, B for a blank screen, N for the "
    "notes in a second window, Esc to leave."
)
SHARED = (
    "The address of this page holds the deck with its notes: share it, or save it as a file. To "
    "add a view, go to any page and press the button at the top, beside Present."
)


def offer() -> None:
    """Offer to present the deck that is open, as by a link that was shared."""
    current = deck_player.opened()
    if current is None or not current.slides or address.value(settings.SLIDE):
        return
    slides = f"{plural(len(current.slides), 'slide')}{deck.planned(current.minutes)}"
    words = f"The deck “{quoting(current.title)}” is open: {slides}."
    button = Button("Present it", "deck-present-it", partial(deck_player.go, 1))
    show.offer(Offer(words, button, ":material/slideshow:"))


def decks() -> None:
    """Show the open deck, and the controls that open one."""
    if refused := st.session_state.pop(keys.DECK_REFUSED, ""):
        show.problem("This deck cannot be used", refused)
    current = deck_player.opened()
    st.markdown(WORDS)
    offered = []
    for name in deck.ready():
        ready = deck.read(name)
        label = f"{ready.title} ({plural(len(ready.slides), 'slide')})"
        offered.append(Button(label, f"deck-open-{name}", partial(_open, name)))
    begin = Button("New deck", "deck-new", partial(deck_player.change, Deck("My class")))
    show.button_row("decks", [*offered, begin])
    # a new control after every file, as a file that was read is still in the old one
    uploader = f"deck-file-{len(_before())}"
    st.file_uploader(
        "Open a deck from a file",
        type="json",
        max_upload_size=1,
        key=uploader,
        on_change=_read,
        args=(uploader,),
    )
    if current is not None:
        _edit(current)


def _edit(current: Deck) -> None:
    n_slides = plural(len(current.slides), "slide")
    st.header(f"{quoting(current.title)}: {n_slides}{deck.planned(current.minutes)}", anchor=False)
    st.caption(SHARED)
    key = f"deck-name-{_version(current)}"
    st.text_input("Title of the deck", current.title, 120, key=key, on_change=_name, args=(key,))
    offered = [Button("Present the deck", "deck-present", partial(deck_player.go, 1))]
    show.button_row(
        "deck",
        [
            *(offered if current.slides else []),
            *([Button("Undo", "deck-undo", _undo)] if _before() else []),
            Button("Close the deck", "deck-close", partial(_open, "")),
        ],
        primary=bool(current.slides),
    )
    show.download("Save as a file", "dptopk-deck.json", deck.file_text(current), "deck-save")
    if not current.slides:
        return
    titles = (f"{slide.title}{deck.planned(slide.minutes)}" for slide in current.slides)
    st.html(f"<ol>{''.join(f'<li>{escape(title)}</li>' for title in titles)}</ol>")
    n = len(current.slides)
    first = min(int(st.session_state.get("deck-place", 1)), n)
    _edit_slide(current, int(st.number_input("Slide to change", 1, n, first, key="deck-place")))


def _version(current: Deck) -> int:
    """Return a number of the state of a deck, so that each state has controls of its own."""
    return zlib.crc32(deck.file_text(current).encode())


def _edit_slide(current: Deck, place: int) -> None:
    slide, n = current.slides[place - 1], len(current.slides)
    version = f"{place}-{_version(current)}"
    st.caption(f"Link: {plain(slide.link, 300)}")
    with st.form(f"deck-slide-{version}"):
        st.text_input("Title", slide.title, 120, key=f"deck-title-{version}")
        st.number_input("Minutes", 0.0, 240.0, slide.minutes, 1.0, key=f"deck-minutes-{version}")
        st.text_area("Notes", slide.notes, max_chars=1_000, key=f"deck-notes-{version}")
        st.toggle("Hide the answer until it is revealed", slide.hidden, key=f"deck-hide-{version}")
        st.form_submit_button("Change this slide", on_click=_change, args=(place, version))
    moves = [("Move up", place - 1), ("Move down", place + 1)]
    show.button_row(
        "slide",
        [
            Button("Present from here", "deck-from", partial(deck_player.go, place)),
            *(
                Button(label, f"deck-{label[5:]}", partial(_move, place, to))
                for label, to in moves
                if 1 <= to <= n
            ),
            Button("Remove", "deck-remove", partial(_remove, place)),
        ],
    )


def _before() -> list[str]:
    decks_before: list[str] = st.session_state.setdefault(keys.DECKS_BEFORE, [])
    return decks_before


def _current() -> Deck:
    return deck.read(address.value(settings.DECK))


def _open(value: str) -> None:
    """Open a deck by the value of its link, or close the one that is open."""
    _before().append(address.value(settings.DECK))
    address.choose(settings.DECK, value)


def _undo() -> None:
    address.choose(settings.DECK, _before().pop())


def _read(key: str) -> None:
    file: Any = st.session_state.get(key)
    if file is None:
        return
    try:
        deck_player.change(deck.parsed(file.getvalue()))
    except ValueError as error:
        st.session_state[keys.DECK_REFUSED] = f"{error}."


def _change(place: int, version: str) -> None:
    current, state = _current(), st.session_state
    slide = replace(
        current.slides[place - 1],
        title=state[f"deck-title-{version}"],
        minutes=float(state[f"deck-minutes-{version}"]),
        notes=state[f"deck-notes-{version}"],
        hidden=bool(state[f"deck-hide-{version}"]),
    )
    slides = (*current.slides[: place - 1], slide, *current.slides[place:])
    deck_player.change(replace(current, slides=slides))


def _name(key: str) -> None:
    deck_player.change(replace(_current(), title=st.session_state[key]))


def _move(place: int, to: int) -> None:
    current = _current()
    slides = list(current.slides)
    slides.insert(to - 1, slides.pop(place - 1))
    st.session_state["deck-place"] = to
    deck_player.change(replace(current, slides=tuple(slides)))


def _remove(place: int) -> None:
    current = _current()
    slides = (*current.slides[: place - 1], *current.slides[place:])
    deck_player.change(replace(current, slides=slides))
