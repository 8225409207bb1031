"""Animate several releases in which items move to their places; a custom component.

Each release drops a dot on its number of right places; once all are drawn, the probabilities of
these numbers stand behind the dots.

Plotly's buttons and sliders cannot be reached by keyboard, and its frames ignore the preference for
reduced motion; this component uses the browser's own controls and its media query.  By itself
only the first release falls into place, from the true order.  Names are inserted as text only.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from dptopk.questions.origin import Origin
from dptopk.ui import show as on_page
from dptopk.ui.widgets import component, sent


@dataclass(frozen=True)
class MovingRanks:
    """Releases that are animated, one after another."""

    title: str
    color: str  # of the mechanism
    truth: tuple[str, ...]  # names in the true order, one per place
    items: tuple[str, ...]  # names of all that are released
    frames: tuple[tuple[tuple[int, str], ...], ...]  # of each release its items (-1: none), marks
    words: tuple[str, ...]  # description of each release
    right: tuple[int, ...]  # column of each release, by its number of right places
    columns: tuple[str, ...]  # what stands below each
    names: tuple[str, ...]  # of each its numbers of right places
    law: tuple[float, ...]  # probability of each, behind the releases once all are drawn
    outline: str  # how these probabilities are known
    said: str  # what they are
    origin: Origin
    line: str  # sentence on its slide

    @cached_property
    def data(self) -> dict[str, Any]:
        """Contents of the component, with a digest of them, made once for all sessions."""
        return sent(self)


def show(ranks: MovingRanks) -> None:
    """Draw the first release with controls that play and step through all."""
    draw = partial(_COMPONENT, key="moving-ranks", data=ranks.data)
    if not on_page.collected(draw, ranks.line, ranks.origin):
        draw()


_COMPONENT = component(__file__)
