"""A figure of what is done so far, while long work goes on."""

import time
from typing import Any

import streamlit as st

from dptopk.ui import keys

EVERY_SECONDS = 1.0  # between sketches, at least
_SHARE = 0.1  # of the time that sketches may take


class Sketch:
    """Draws a figure anew now and then; nothing of it stays.

    Its place is where it is made, and takes no room before the first sketch.
    """

    def __init__(self, name: str):
        self._name = name
        self._place = st.empty()
        self._n_drawn = 0
        self._next = time.monotonic() + EVERY_SECONDS
        self._since = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time for one; never while a figure is presented on the whole screen.

        What is made and drawn from here on counts as the time that it takes.
        """
        self._since = time.monotonic()
        return self._since >= self._next and not st.session_state.get(keys.STAGE)

    def draw(self, figure: Any) -> None:
        """Draw it in place of the last one; ask whether one is `due` before it is made."""
        self._n_drawn += 1  # Streamlit takes no key twice in a run
        self._place.plotly_chart(
            figure, key=f"sketch-{self._name}-{self._n_drawn}", config={"displayModeBar": False}
        )
        now = time.monotonic()
        self._next = now + max(EVERY_SECONDS, (now - self._since) / _SHARE)

    def close(self) -> None:
        """Take it away."""
        self._place.empty()
