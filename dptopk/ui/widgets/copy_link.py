"""Buttons that copy the address of the page, with or without its seed; a custom component."""

from dptopk.questions import settings
from dptopk.ui.address import OWN_SEED
from dptopk.ui.widgets import component


def show() -> None:
    """Draw the buttons."""
    links = [("Copy link", {}), ("Copy link with new draws", {settings.SEED.key: OWN_SEED})]
    _COMPONENT(key="copy-link", data={"links": links})


_COMPONENT = component(__file__, isolate_styles=False)
