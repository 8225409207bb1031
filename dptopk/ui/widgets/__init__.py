"""Draw links and custom components, whose HTML, style and script lie beside them."""

from pathlib import Path
from typing import Any

import streamlit as st

_KINDS = ("html", "css", "js")


def component(module: str, **options: Any) -> Any:
    """Return the component made of the files beside a module, whose ``__file__`` is given."""
    path = Path(module)
    files = {kind: path.with_suffix(f".{kind}") for kind in _KINDS}
    parts = {kind: file.read_text("utf-8") for kind, file in files.items() if file.exists()}
    return st.components.v2.component(f"dptopk_{path.stem}", **parts | options)
