"""Play draws of one item, such as races, and count who wins; a custom component.

Each draw is made by the server and played frame by frame, or many at once; where less motion is
preferred it is there at once.  The reader's prediction stands as a flag on the counts, and the
exact probabilities stand beside them once the answer is shown.  Names are inserted as text only.
"""

import hashlib
from dataclasses import dataclass

from dptopk.ui.widgets import component, sent


@dataclass(frozen=True)
class PlayedDraw:
    """One draw: its frames, and the item that is released."""

    frames: tuple[tuple[tuple[float, str], ...], ...]  # of each item how far it is (0 to 1), a word
    winner: int  # index of the item released
    words: str  # description of the draw


@dataclass(frozen=True)
class MovingDraws:
    """Draws of one item that are played and counted."""

    title: str
    ask: str  # words before a draw
    button: str  # words on it
    color: str  # of the mechanism
    heads: tuple[str, str, str]  # of the columns: the items, how far they are, how often each won
    names: tuple[str, ...]  # of the items
    items: tuple[str, ...]  # these with their counts
    faces: tuple[str, ...]  # word on each before a draw
    pill: str  # width of these words, in CSS
    pause: int  # milliseconds from one frame to the next
    draws: tuple[PlayedDraw, ...]  # played in turn
    flag: float | None = None  # share of the draws at which a flag stands on the first item
    flag_words: str = ""
    exact: tuple[float, ...] = ()  # probability of each item, once it may be shown
    known: str = ""  # these probabilities in words
    many: bool = True  # whether all draws may be played at once


def show(draws: MovingDraws) -> None:
    """Draw the items with the buttons that play draws of them."""
    of = hashlib.sha256(repr(draws.draws).encode()).hexdigest()
    _COMPONENT(key="moving-draws", data=sent(draws) | {"of": of})


_COMPONENT = component(__file__)
