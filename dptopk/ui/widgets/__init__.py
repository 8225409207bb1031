"""Draw links and custom components, whose HTML, style and script lie beside them."""

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

_KINDS = ("html", "css", "js")


def component(path: str | Path, **options: Any) -> Any:
    """Return the component made of the files beside a module, or others with the stem of a path."""
    path = Path(path)
    files = {kind: path.with_suffix(f".{kind}") for kind in _KINDS}
    parts = {kind: file.read_text("utf-8") for kind, file in files.items() if file.exists()}
    return st.components.v2.component(f"dptopk_{path.stem}", **parts | options)


def sent(contents: Any) -> dict[str, Any]:
    """Return what a script is given of contents: not what only their slide says, but a digest."""
    data = {key: value for key, value in asdict(contents).items() if key not in ("origin", "line")}
    return data | {"identity": hashlib.sha256(repr(data).encode()).hexdigest()}
