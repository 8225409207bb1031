"""Draw the button that advances the seed, on a page or in a presentation."""

from typing import Literal

import streamlit as st

from dptopk.questions import settings
from dptopk.ui import address, keys

Kind = Literal["primary", "secondary", "tertiary"]


def button(label: str, drawn: str, *, primary: bool = True) -> None:
    """Draw the button that repeats a draw; in a presentation, leave it to the slide."""
    if presentation := st.session_state.get(keys.PRESENTATION):
        presentation.redraws = label
        return
    seed = f"The seed advances by one; the same seed always gives the same {drawn}."
    show(label, "primary" if primary else "secondary", seed)


def show(label: str, kind: Kind, help: str | None = None) -> None:
    """Draw the button itself."""
    st.button(
        label,
        type=kind,
        icon=":material/casino:",
        key="draw",
        on_click=_advance,
        shortcut="d",
        help=help,
    )


def _advance() -> None:
    address.choose(settings.SEED, (address.value(settings.SEED) + 1) % 2**31)
