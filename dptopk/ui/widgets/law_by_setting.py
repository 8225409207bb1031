"""Bar chart of exact probabilities with a slider for a setting; a custom component.

Streamlit's slider runs the script when it is let go; this one is moved over probabilities that
were computed beforehand, in the browser alone, so that a phone shows the effect of ε while it is
moved.  Names are inserted as text only.
"""

from dataclasses import dataclass

from dptopk.ui.widgets import component


@dataclass(frozen=True)
class LawBySetting:
    """Exact probabilities at each value of a setting, which a slider in the browser chooses."""

    title: str
    color: str  # of the mechanism
    symbol: str  # the setting, such as ε or k
    values: tuple[str, ...]  # its values as they are written, ascending
    outputs: tuple[str, ...]  # names
    probabilities: tuple[tuple[float, ...], ...]  # for each value that of each output
    words: tuple[tuple[str, ...], ...]  # these as they are written
    at: int  # place of the value that is shown first
    colors: tuple[str, ...] = ()  # of outputs of several mechanisms; an empty one is gray


def show(law: LawBySetting) -> None:
    """Draw the slider and the bars."""
    _COMPONENT(key="law-by-setting", data=vars(law))


_COMPONENT = component(__file__)
