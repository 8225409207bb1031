"""Draw download buttons for tables, code and text, whose files are made on demand."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import streamlit as st

from dptopk.questions import QUESTIONS
from dptopk.questions.origin import Origin
from dptopk.questions.saved import saved_text
from dptopk.ui import address, keys
from dptopk.ui.exhibits import exports
from dptopk.ui.exhibits.base import File

_MIME = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "py": "text/x-python",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
    "sql": "application/sql",
}


def file_stem(name: str, origin: Origin) -> str:
    """Return the stem of a file name for the page that is shown."""
    page, _ = st.session_state[keys.VIEW]
    return exports.file_stem(page.key, name, origin)


def file(offered: File, label: str, *, primary: bool = False) -> None:
    """Draw the download button of a text file."""
    name = f"{file_stem(offered.name, offered.origin)}.{offered.suffix}"
    _offer(
        label,
        name,
        offered.content,
        f"file-{offered.name}",
        look="primary" if primary else "secondary",
    )


def text(shown: File) -> None:
    """Show the contents of a text file with a button to copy it."""
    assert isinstance(shown.content, str)
    language = {"py": "python", "sh": "bash"}.get(shown.suffix, shown.suffix)
    st.code(shown.content, language=language, wrap_lines=True)


def table_files(name: str, title: str, frame: Any, origin: Origin) -> None:
    """Draw buttons that download a table, or the result of a function, as CSV or Parquet."""
    with st.container(horizontal=True, gap="small"):
        for ending, form, make in (
            ("csv", "CSV", exports.csv),
            ("parquet", "Parquet", exports.parquet),
        ):
            made = partial(make, frame, origin, title)
            called_so = f"{file_stem(name, origin)}.{ending}"
            _offer(f"{title} as {form}", called_so, made, f"{ending}-{name}")


def code_files(
    lines: str, origin: Origin, asked: tuple[str, Mapping[str, Any]] | None = None
) -> None:
    """Draw buttons that download the lines of a page and its settings.

    ``asked`` is the key of the question and its settings, if they are not those of the page.
    """
    page, view = st.session_state[keys.VIEW]
    title = f"{page.title}: the same numbers in Python"
    with st.container(horizontal=True, gap="small"):
        for label, ending, make in (
            ("Python script", "py", exports.script),
            ("Jupyter notebook", "ipynb", exports.notebook),
        ):
            made = partial(make, lines, origin, title)
            _offer(label, f"{file_stem('code', origin)}.{ending}", made, f"code-{ending}")
        key, more = asked or (page.key, {})
        if question := QUESTIONS.get(key):
            of_view = dict(view.parameters) | ({} if page.small else {"k": view.k})
            values = address.in_force() | of_view | dict(more)
            _offer(
                "Settings file",
                f"{file_stem('settings', origin)}.json",
                partial(saved_text, question, values, view.source),
                "settings",
                "For the command line: `dptopk run` with this file gives the same numbers. "
                "Uploaded counts are not in it.",
            )


def _offer(
    label: str,
    name: str,
    content: str | Callable[[], str | bytes],
    key: str,
    help: str | None = None,
    look: Literal["primary", "secondary", "tertiary"] = "tertiary",
) -> None:
    st.download_button(
        label,
        data=content,
        file_name=name,
        mime=_MIME[name.rpartition(".")[2]],
        key=key,
        on_click="ignore",
        icon=":material/download:",
        type=look,
        help=help,
    )
