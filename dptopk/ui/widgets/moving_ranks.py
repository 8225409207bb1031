"""Animate several releases in which items move to their places; a custom component.

Plotly's buttons and sliders cannot be reached by keyboard, and its frames ignore the preference for
reduced motion; this component uses the browser's own controls and its media query.  Nothing plays
by itself.  Names are inserted as text only.
"""

import hashlib
from functools import partial
from pathlib import Path

import streamlit as st

from dptopk.ui import show as on_page
from dptopk.ui.exhibits.base import MovingRanks

_HERE = Path(__file__)


def show(ranks: MovingRanks) -> None:
    """Draw the first release with controls that play and step through all."""
    data = {name: value for name, value in vars(ranks).items() if name not in ("origin", "line")}
    identity = hashlib.sha256(repr(data).encode()).hexdigest()
    draw = partial(_COMPONENT, key="moving-ranks", data=data | {"identity": identity})
    if not on_page.collected(draw, ranks.line, ranks.origin):
        draw()


def _part(suffix: str) -> str:
    return _HERE.with_suffix(suffix).read_text("utf-8")


_COMPONENT = st.components.v2.component(
    "dptopk_moving_ranks", html=_part(".html"), css=_part(".css"), js=_part(".js")
)
