"""Files of text that a page offers: scripts, records, reports."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dptopk.origin import Origin
from dptopk.ui import keys, takeaway


@dataclass(frozen=True)
class File:
    """A file: what it is called, and its content or what makes it.

    ``name`` is its key; the settings of ``origin`` become part of the file's name.
    """

    name: str
    suffix: str
    mime: str
    content: str | Callable[[], str]
    origin: Origin


def button(offered: File, label: str, *, primary: bool = False) -> None:
    """Offer a file for download; what makes it runs only when asked for."""
    page, _ = st.session_state[keys.VIEW]
    stem = takeaway.file_stem(page.key, offered.name, offered.origin)
    st.download_button(
        label,
        data=offered.content,
        file_name=f"{stem}.{offered.suffix}",
        mime=offered.mime,
        key=f"file-{offered.name}",
        on_click="ignore",
        icon=":material/download:",
        type="primary" if primary else "secondary",
    )


def text(shown: File) -> None:
    """Show a file that is written already; it can be copied."""
    assert isinstance(shown.content, str)
    language = {"py": "python"}.get(shown.suffix, shown.suffix)
    st.code(shown.content, language=language, wrap_lines=True)
