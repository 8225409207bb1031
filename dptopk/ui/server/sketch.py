"""Draw preliminary figures during long computations."""

import time
from typing import Any

import streamlit as st

from dptopk.ui import keys

EVERY_SECONDS = 1.0  # between sketches, at least
_SHARE = 0.1  # of the time that sketches may take


class Sketch:
    """A preliminary figure, redrawn now and then.

    It is placed where it is created, and takes no room before the first drawing.
    """

    def __init__(self, name: str):
        self._name = name
        self._place = st.empty()
        self._n_drawn = 0
        self._next = time.monotonic() + EVERY_SECONDS
        self._since = 0.0

    @property
    def due(self) -> bool:
        """True if the next figure is due; never during a presentation or of a hidden answer.

        The time from here to the end of `draw` decides when the next one is due.
        """
        self._since = time.monotonic()
        unseen = keys.PRESENTATION in st.session_state or keys.COVER in st.session_state
        return self._since >= self._next and not unseen

    def draw(self, figure: Any) -> None:
        """Replace the figure."""
        self._n_drawn += 1  # Streamlit takes no key twice in a run
        self._place.plotly_chart(
            figure, key=f"sketch-{self._name}-{self._n_drawn}", config={"displayModeBar": False}
        )
        now = time.monotonic()
        self._next = now + max(EVERY_SECONDS, (now - self._since) / _SHARE)

    def close(self) -> None:
        """Remove the figure."""
        self._place.empty()
