"""The upload dialog: drop a file, see what would be read, correct it, use it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from dptopk.ingest import (
    DELIMITERS,
    MAX_BYTES,
    IngestError,
    IngestResult,
    read_table,
    to_item_counts,
)
from dptopk.ui import address, keys, sources, widgets
from dptopk.ui.sources import Uploaded


@dataclass
class _Draft:
    """The upload that is being looked at: the code that reads it, and what was computed last.

    Kept in the session and not in a shared cache: uploads belong to their session.
    """

    python: str = ""
    memory: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def remembered(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a function, or return what it gave for the same arguments last."""
        given, result = self.memory.get(function.__name__, (None, None))
        if given != (arguments, options):
            result = function(*arguments, **options)
            self.memory[function.__name__] = ((arguments, options), result)
        return result


@st.dialog("Upload your own counts", width="large")
def dialog() -> None:
    """Drop a file, see what would be read, correct it, use it."""
    st.markdown(
        "A table with one row an item: its name and the number of users who hold it. CSV, TSV or "
        "text exported from a spreadsheet, also as .gz or .zip. The counts stay in this session."
    )
    draft: _Draft = st.session_state.setdefault(keys.UPLOAD_DRAFT, _Draft())
    file = st.file_uploader(
        "Table of counts",
        max_upload_size=MAX_BYTES // 2**20,
        key="upload-file",
    )
    if file is None:
        return
    try:
        result = _review(draft, file.getvalue(), file.name)
    except IngestError as error:
        widgets.problem("This file cannot be used yet. The data shown before are still there.", "")
        st.text(str(error))
        return
    st.button(
        "Use this item" if result.counts.d == 1 else f"Use these {result.counts.d:,} items",
        type="primary",
        icon=":material/check:",
        key="use-upload",
        on_click=_keep,
        args=(Uploaded(result, draft.python),),
    )
    if st.session_state.get("use-upload"):
        st.rerun()


def _keep(uploaded: Uploaded) -> None:
    st.session_state[keys.UPLOADED] = uploaded
    address.choose(sources.data(), sources.UPLOAD)


def _review(draft: _Draft, data: bytes, filename: str) -> IngestResult:
    """Preview, guesses to correct, and the counts with the report on them."""
    table = draft.remembered(read_table, data, filename)
    with st.expander("Not what you see in your file?", icon=":material/tune:"):
        delimiter = st.selectbox(
            "Columns are separated by",
            list(DELIMITERS),
            index=list(DELIMITERS).index(table.delimiter),
            format_func=DELIMITERS.__getitem__,
        )
        header = st.checkbox("The first row names the columns", table.header)
    if (delimiter, header) != (table.delimiter, table.header):
        table = draft.remembered(read_table, data, filename, delimiter=delimiter, header=header)
    numbered = "(number the items)"
    options = [numbered, *range(len(table.columns))]

    def label(option) -> str:
        return option if option == numbered else table.columns[option]

    left, right = st.columns(2)
    item = left.selectbox(
        "Item names are in",
        options,
        index=0 if table.item_column is None else 1 + table.item_column,
        format_func=label,
        key=f"item-{table.digest}",
    )
    count = right.selectbox(
        "Counts are in",
        options[1:],
        index=table.count_column,
        format_func=label,
        key=f"count-{table.digest}",
    )
    st.caption(f"First rows of {table.n_rows:,}")
    st.dataframe(widgets.rows(table.preview, table.columns), hide_index=True)
    item = None if item == numbered else item
    result = draft.remembered(to_item_counts, table, item, count)
    draft.python = (
        f"table = read_table(pathlib.Path({filename!r}).read_bytes(), {filename!r}, "
        f"delimiter={table.delimiter!r}, header={table.header!r})\n"
        f"counts = to_item_counts(table, {item!r}, {count!r}).counts"
    )
    st.caption("What was done to it")
    st.text("\n".join(f"• {sentence}" for sentence in result.report.sentences))
    return result
