"""Play draws of one item, such as races, and count who wins; a custom component.

Each draw is made by the server and played frame by frame, or many at once; where less motion is
preferred it is there at once.  The reader's prediction stands as a flag on the counts, and the
exact probabilities stand beside them once the answer is shown.  Names are inserted as text only.
"""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from dptopk.ui.widgets import component


@dataclass(frozen=True)
class PlayedDraw:
    """One draw: its frames, and the item that is released.

    Attributes
    ----------
    frames : tuple
        For each frame and item how far it has come, from 0 to 1, and the word on it.
    winner : int
        Index of the item released.
    words : str
        Description of the draw.
    """

    frames: tuple[tuple[tuple[float, str], ...], ...]
    winner: int
    words: str


@dataclass(frozen=True)
class MovingDraws:
    """Draws of one item that are played and counted.

    Attributes
    ----------
    title, ask, button, color : str
        Title, the words before a draw, those on the button, and the color of the mechanism.
    heads : tuple of str
        Heads of the three columns: the items, how far they have come, and how often each won.
    names, items, faces : tuple of str
        Names of the items, these with their counts, and the word on each before a draw.
    pill : str
        Width of these words, in CSS.
    pause : int
        Milliseconds from one frame to the next.
    draws : tuple of PlayedDraw
        Draws that are played in turn.
    flag : float or None
        Share of the draws at which a flag stands on the first item.
    flag_words : str
        Words on the flag.
    exact : tuple of float
        Exact probability of each item, once it may be shown.
    known : str
        These probabilities in words.
    """

    title: str
    ask: str
    button: str
    color: str
    heads: tuple[str, str, str]
    names: tuple[str, ...]
    items: tuple[str, ...]
    faces: tuple[str, ...]
    pill: str
    pause: int
    draws: tuple[PlayedDraw, ...]
    flag: float | None = None
    flag_words: str = ""
    exact: tuple[float, ...] = ()
    known: str = ""


def show(draws: MovingDraws) -> None:
    """Draw the items with the buttons that play draws of them."""
    _COMPONENT(key="moving-draws", data=data_of(draws))


def data_of(draws: MovingDraws) -> dict[str, Any]:
    """Return what the script is given."""
    data = asdict(draws)
    identity = hashlib.sha256(repr(data).encode()).hexdigest()
    of = hashlib.sha256(repr(draws.draws).encode()).hexdigest()
    return data | {"identity": identity, "of": of}


_COMPONENT = component(__file__)
