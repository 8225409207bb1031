"""Animate several releases in which items move to their places; a custom component.

Each release drops a dot on its number of right places; once all are drawn, the probabilities of
these numbers stand behind the dots.

Plotly's buttons and sliders cannot be reached by keyboard, and its frames ignore the preference for
reduced motion; this component uses the browser's own controls and its media query.  By itself
only the first release falls into place, from the true order.  Names are inserted as text only.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from dptopk.questions.origin import Origin
from dptopk.ui import show as on_page
from dptopk.ui.widgets import component


@dataclass(frozen=True)
class MovingRanks:
    """Releases that are animated, one after another.

    Attributes
    ----------
    title, color : str
        Title, and the color of the mechanism.
    truth : tuple of str
        Names in the true order, one per place.
    items : tuple of str
        Names of all items that are released.
    frames : tuple
        For each release and place the index of its item (-1 for none), and its mark.
    words : tuple of str
        Description of each release.
    right : tuple of int
        Column of each release, by its number of right places.
    columns, names : tuple of str
        For each column what stands below it, and its numbers of right places.
    law : tuple of float
        Probability of each column, which stands behind the releases once all are drawn.
    outline, said : str
        How these probabilities are known, and what they are.
    origin : Origin
        Data, settings and kind of computation behind them.
    line : str
        Sentence on its slide.
    """

    title: str
    color: str
    truth: tuple[str, ...]
    items: tuple[str, ...]
    frames: tuple[tuple[tuple[int, str], ...], ...]
    words: tuple[str, ...]
    right: tuple[int, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]
    law: tuple[float, ...]
    outline: str
    said: str
    origin: Origin
    line: str

    @cached_property
    def data(self) -> dict[str, Any]:
        """Contents of the component, with a digest of them, made once for all sessions."""
        sent = {key: value for key, value in vars(self).items() if key not in ("origin", "line")}
        return sent | {"identity": hashlib.sha256(repr(sent).encode()).hexdigest()}


def show(ranks: MovingRanks) -> None:
    """Draw the first release with controls that play and step through all."""
    draw = partial(_COMPONENT, key="moving-ranks", data=ranks.data)
    if not on_page.collected(draw, ranks.line, ranks.origin):
        draw()


_COMPONENT = component(__file__)
