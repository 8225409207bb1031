"""Releases played one after another: items move to their places; a component of our own.

Plotly's buttons and sliders cannot be reached by keyboard, and its frames do not know whether
the system asks for no motion.  Here both are the browser's own: buttons, a range, a media query.
Nothing plays by itself.  Names reach the page as text only.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dptopk.questions.origin import Origin

_HERE = Path(__file__)


@dataclass(frozen=True)
class MovingRanks:
    """What is played.

    Attributes
    ----------
    title, color : str
        What it is, and the colour of the mechanism.
    truth : tuple of str
        Names in the true order, one a place.
    items : tuple of str
        Every name that comes out.
    frames : tuple
        For each release and place the index of its item (-1 for nothing), and its mark.
    words : tuple of str
        What each release is.
    origin : Origin
        What they come from.
    line : str
        What its slide says.
    """

    title: str
    color: str
    truth: tuple[str, ...]
    items: tuple[str, ...]
    frames: tuple[tuple[tuple[int, str], ...], ...]
    words: tuple[str, ...]
    origin: Origin
    line: str


def show(ranks: MovingRanks) -> None:
    """Show the first release, with what plays and steps through all of them."""
    told = {name: value for name, value in vars(ranks).items() if name not in ("origin", "line")}
    identity = hashlib.sha256(repr(told).encode()).hexdigest()
    _COMPONENT(key="moving-ranks", data=told | {"identity": identity})


def _part(suffix: str) -> str:
    return _HERE.with_suffix(suffix).read_text("utf-8")


_COMPONENT = st.components.v2.component(
    "dptopk_moving_ranks", html=_part(".html"), css=_part(".css"), js=_part(".js")
)
