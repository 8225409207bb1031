"""Buttons that copy the address of the page, with or without its seed; a custom component."""

from pathlib import Path

import streamlit as st

from dptopk.questions import settings
from dptopk.ui.address import OWN_SEED

_HERE = Path(__file__)


def show() -> None:
    """Draw the buttons."""
    links = [("Copy link", {}), ("Copy link with new draws", {settings.SEED.key: OWN_SEED})]
    _COMPONENT(key="copy-link", data={"links": links})


_COMPONENT = st.components.v2.component(
    "dptopk_copy_link",
    css=_HERE.with_suffix(".css").read_text("utf-8"),
    js=_HERE.with_suffix(".js").read_text("utf-8"),
    isolate_styles=False,
)
