"""Hide the results of a page until the user reveals them.

A page knows nothing of it and runs whole, so that its settings stay in the address.  Nothing that
it draws is sent to the browser but its question, its controls and its problems: no number, figure,
alternative text, table or download can be read there before the answer is revealed.  What was
revealed on one page or slide is hidden again on the next.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from dptopk.questions import settings
from dptopk.ui import address, keys, show
from dptopk.ui.controls import inputs
from dptopk.ui.layout.pages import Page
from dptopk.ui.server import streamlit_internals

_CHOSEN = "prediction-chosen"  # key of the choice among mechanisms
WORDS = "The answer is hidden. Make a prediction before you reveal it."


def is_hidden(page: Page) -> bool:
    """Return True if the answer of a page is to be hidden in this run."""
    answer, prediction = address.value(settings.ANSWER), address.value(settings.PREDICTION)
    before = st.session_state.get(keys.ANSWERED, page.key)
    st.session_state[keys.ANSWERED] = page.key
    if before != page.key and (answer == settings.REVEALED_ANSWER or prediction):
        again()
        answer = address.value(settings.ANSWER)
    return bool(answer == settings.HIDDEN_ANSWER) and not page.own_answers


def again() -> None:
    """Hide the next answer if this one was revealed, and begin without a prediction."""
    if address.value(settings.ANSWER) == settings.REVEALED_ANSWER:
        address.choose(settings.ANSWER, settings.HIDDEN_ANSWER)
    address.choose(settings.PREDICTION, settings.PREDICTION.default)


def _predict() -> None:
    """Take the chosen mechanism as the prediction; a callback."""
    address.choose(settings.PREDICTION, st.session_state[_CHOSEN] or "")


@contextmanager
def cover(front: Any) -> Iterator[show.Cover]:
    """Run a page within the context; its question, controls and problems appear in ``front``."""
    with front:
        made = st.session_state[keys.COVER] = show.Cover(st.container(), st.container())
    try:
        with streamlit_internals.withheld("covered"):
            yield made
    finally:
        del st.session_state[keys.COVER]


def button() -> None:
    """Draw the button that hides the answer of a page."""
    act = partial(address.choose, settings.ANSWER, settings.HIDDEN_ANSWER)
    show.key_button("Hide the answer", "answer-hide", "visibility_off", "a", act)


def reveal(look: Any = "tertiary") -> None:
    """Draw the button that reveals the answer."""
    act = partial(address.choose, settings.ANSWER, settings.REVEALED_ANSWER)
    show.key_button("Reveal the answer", "answer-reveal", "visibility", "a", act, type=look)


def prediction() -> None:
    """Show the prediction beside a revealed answer, if one was made."""
    words = address.value(settings.PREDICTION)
    if words and address.value(settings.ANSWER) == settings.REVEALED_ANSWER:
        st.text(f"{settings.PREDICTION.label}: {words}")


def offer(page: Page, covered: show.Cover) -> None:
    """Ask for a prediction from what is given, and offer the answer."""
    _, view = st.session_state.get(keys.VIEW, (None, None))
    labels = [one.label for one in view.mechanisms] if page.mechanisms and view else []
    with st.container(key="hidden_answer", border=True):
        st.markdown(WORDS)
        inputs.text(st, settings.PREDICTION)
        if len(labels) > 1:
            st.pills("Is it one of these?", labels, key=_CHOSEN, on_change=_predict)
        with st.container(horizontal=True, gap="small"):
            reveal("primary")
            st.button(
                "Stop hiding answers",
                key="answer-show",
                on_click=address.choose,
                args=(settings.ANSWER, settings.ANSWER.default),
                help="Shows this answer and those of the other pages.",
            )
    if covered.given:
        covered.given()
