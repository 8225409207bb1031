"""Store the keys of a class in the browser, so that a page loaded anew goes on; a custom component.

A student's key is stored for all tabs, a teacher's for its own tab alone, until that is closed.
The keys are random and of use in one class only, as long as that is open.  What the browser reports
comes from a stranger: it is a key that a class knows, or nothing.
"""

from typing import Literal

import streamlit as st

from dptopk.ui import keys
from dptopk.ui.widgets import component

Role = Literal["student", "teacher"]

_COMPONENT = component(__file__)


def reported(role: Role) -> str:
    """Return the key that the browser held before this session; empty if none."""
    key = st.session_state.get(keys.CLASS_KEYS.format(role), {}).get("held")
    return key if isinstance(key, str) else ""


def keep(role: Role, code: str, key: str | None) -> None:
    """Have the browser report the key that it holds of a class, or else store this one, if any.

    It forgets what it holds for an empty key, that of a class which was closed.
    """
    _COMPONENT(
        key=keys.CLASS_KEYS.format(role),
        data={"role": role, "code": code, "key": key, "heard": reported(role)},
        on_held_change=lambda: None,
    )
