"""Store a student's key in the browser for reloads and other tabs; a custom component.

The key is random and of use in one class only, as long as that is open.  What the browser reports
comes from a stranger: it is a key that the class knows, or nothing.
"""

from pathlib import Path

import streamlit as st

from dptopk.ui import keys

_COMPONENT = st.components.v2.component(
    "dptopk_student_key", js=Path(__file__).with_suffix(".js").read_text("utf-8")
)


def reported() -> str:
    """Return the key that the browser held before this session; empty if none."""
    key = st.session_state.get(keys.STUDENT_KEY, {}).get("student")
    return key if isinstance(key, str) else ""


def keep(code: str, student: str) -> None:
    """Have the browser report the key that it holds of a class, or else store this one."""
    _COMPONENT(
        key=keys.STUDENT_KEY,
        data={"code": code, "student": student, "heard": reported()},
        on_student_change=lambda: None,
    )
