"""Bar chart of exact probabilities with a slider for a setting; a custom component.

Streamlit's slider runs the script when it is let go; this one is moved over probabilities that
were computed beforehand, in the browser alone, so that a phone shows the effect of ε while it is
moved.  Names are inserted as text only.
"""

from pathlib import Path

import streamlit as st

from dptopk.ui.exhibits.base import LawBySetting

_HERE = Path(__file__)


def show(law: LawBySetting) -> None:
    """Draw the slider and the bars."""
    _COMPONENT(key="law-by-setting", data=vars(law))


def _part(suffix: str) -> str:
    return _HERE.with_suffix(suffix).read_text("utf-8")


_COMPONENT = st.components.v2.component(
    "dptopk_law_by_setting", html=_part(".html"), css=_part(".css"), js=_part(".js")
)
