"""Files of tables and of code, offered where they are shown; each is made only when asked for."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dptopk.origin import Origin, called
from dptopk.questions import QUESTIONS
from dptopk.saved import saved_text
from dptopk.ui import address, keys, takeaway

_MIME = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "py": "text/x-python",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
}


def file_stem(name: str, origin: Origin) -> str:
    """Name a file of the page that is shown."""
    page, _ = st.session_state[keys.VIEW]
    return takeaway.file_stem(page.key, name, origin)


def table_files(name: str, frame: Any, origin: Origin, label: str = "") -> None:
    """Offer a table, or what makes it, as CSV and Parquet."""
    title = called(name)
    with st.container(horizontal=True, gap="small"):
        for ending, form, make in (
            ("csv", "CSV", takeaway.csv),
            ("parquet", "Parquet", takeaway.parquet),
        ):
            file = f"{file_stem(name, origin)}.{ending}"
            made = partial(make, frame, origin, title)
            _offer(f"{label or title} as {form}", file, made, f"{ending}-{name}")


def code_files(lines: str, origin: Origin) -> None:
    """Offer the lines of a page as a script and a notebook, and what it was asked."""
    page, view = st.session_state[keys.VIEW]
    title = f"{page.title}: the same numbers in Python"
    with st.container(horizontal=True, gap="small"):
        for label, ending, make in (
            ("Python script", "py", takeaway.script),
            ("Jupyter notebook", "ipynb", takeaway.notebook),
        ):
            file = f"{file_stem('code', origin)}.{ending}"
            _offer(label, file, partial(make, lines, origin, title), f"code-{ending}")
        if question := QUESTIONS.get(page.key):
            values = address.in_force() | ({} if page.small else {"k": view.k})
            _offer(
                "Settings file",
                f"{file_stem('settings', origin)}.json",
                partial(saved_text, question, values, view.source),
                "settings",
                "For the command line: `dptopk run` with this file gives the same numbers. "
                "Uploaded counts are not in it.",
            )


def _offer(
    label: str, file: str, make: Callable[[], str | bytes], key: str, help: str | None = None
) -> None:
    st.download_button(
        label,
        data=make,
        file_name=file,
        mime=_MIME[file.rpartition(".")[2]],
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help=help,
    )
