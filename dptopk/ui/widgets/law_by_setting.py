"""Bar chart of exact probabilities with a slider for a setting; a custom component.

Streamlit's slider runs the script when it is let go; this one is moved over probabilities that
were computed beforehand, in the browser alone, so that a phone shows the effect of ε while it is
moved.  Names are inserted as text only.
"""

from dataclasses import dataclass

from dptopk.ui.widgets import component


@dataclass(frozen=True)
class LawBySetting:
    """Exact probabilities at each value of a setting, which a slider in the browser chooses.

    Attributes
    ----------
    title, color : str
        Title, and the color of the mechanism.
    symbol : str
        The setting, such as ε or k.
    values : tuple of str
        Its values as they are written, ascending.
    outputs : tuple of str
        Names of the outputs.
    probabilities : tuple of tuple of float
        For each value the probability of each output.
    words : tuple of tuple of str
        These as they are written.
    at : int
        Place of the value that is shown first.
    colors : tuple of str
        Color of each output, where they are of several mechanisms; an empty one is gray.
    """

    title: str
    color: str
    symbol: str
    values: tuple[str, ...]
    outputs: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], ...]
    words: tuple[tuple[str, ...], ...]
    at: int
    colors: tuple[str, ...] = ()


def show(law: LawBySetting) -> None:
    """Draw the slider and the bars."""
    _COMPONENT(key="law-by-setting", data=vars(law))


_COMPONENT = component(__file__)
