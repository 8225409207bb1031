"""The data behind the sidebar's choice.

A choice is one word: the name of a bundled data set, "classroom-NAME",
"synthetic-SHAPE", "typed" or "upload"; the URL carries its label.  Uploaded counts stay in
the session that uploaded them; everything else a link can carry.
"""

from dataclasses import dataclass

import streamlit as st

from dptopk.counts import ItemCounts
from dptopk.datasets import dataset_info, dataset_names, load_dataset
from dptopk.ingest import (
    DELIMITERS,
    MAX_BYTES,
    IngestError,
    IngestResult,
    parse_typed,
    read_table,
    to_item_counts,
)
from dptopk.synthetic import CLASSROOM_VECTORS, SYNTHETIC_SHAPES, classroom_vector, synthetic
from dptopk.ui import show

DEFAULT = "games"
TYPED = "typed"
UPLOAD = "upload"
_CLASSROOM = "classroom-"
_SYNTHETIC = "synthetic-"
_MAX_SYNTHETIC_ITEMS = 1_000_000
_UPLOADED = "_uploaded"
_UPLOAD_SENSITIVITY = (
    "Sensitivity: one user is taken to change each count by at most 1. If rows count events, or "
    "summed rows share users, the real privacy loss is larger."
)


@dataclass(frozen=True)
class Source:
    """Counts with what a page says of them."""

    counts: ItemCounts
    title: str
    description: str
    notes: tuple[str, ...]  # may quote strangers' text: show as plain text
    python: str  # the line that makes `counts`
    assumed: bool = False  # whether it is an assumption that a user counts once for an item


@dataclass(frozen=True)
class Missing:
    """No data, and why, in a sentence; it may quote strangers' text."""

    headline: str
    sentence: str


def choices() -> list[str]:
    """Every choice, in the order shown."""
    return [
        *_real_first(),
        *(_CLASSROOM + name for name in CLASSROOM_VECTORS),
        *(_SYNTHETIC + shape for shape in SYNTHETIC_SHAPES),
        TYPED,
        UPLOAD,
    ]


def choice_label(choice: str) -> str:
    """What the sidebar calls a choice."""
    if choice == TYPED:
        return "Type counts in"
    if choice == UPLOAD:
        return "Your file"
    if choice.startswith(_CLASSROOM):
        return f"Classroom: {CLASSROOM_VECTORS[choice.removeprefix(_CLASSROOM)].title}"
    if choice.startswith(_SYNTHETIC):
        return f"Synthetic: {SYNTHETIC_SHAPES[choice.removeprefix(_SYNTHETIC)].title}"
    return dataset_info(choice).title


def chosen_source() -> Source | Missing:
    """Data controls of the sidebar, and the data they choose."""
    choice = st.selectbox(
        "Data",
        choices(),
        index=choices().index(DEFAULT),
        key="data",
        bind="query-params",
        format_func=choice_label,
        help="Real counts, vectors for the classroom, synthetic shapes, or your own.",
    )
    if st.button("Upload your own counts", icon=":material/upload_file:", width="stretch"):
        _upload_dialog()
    if choice.startswith(_CLASSROOM):
        return _classroom(choice.removeprefix(_CLASSROOM))
    if choice.startswith(_SYNTHETIC):
        return _synthetic(choice.removeprefix(_SYNTHETIC))
    if choice == TYPED:
        return _typed()
    if choice == UPLOAD:
        return _uploaded()
    return _bundled(choice)


def _real_first() -> list[str]:
    names = list(dataset_names())
    names.remove(DEFAULT)
    return [DEFAULT, *names]


def _bundled(name: str) -> Source:
    info = dataset_info(name)
    notes = [
        f"Source: {info.source}",
        f"Where: {f'https://doi.org/{info.doi}' if info.doi else info.url}",
        f"Citation: {info.citation}",
        f"Licence: {info.license}",
        f"Sensitivity: {info.sensitivity}",
        *([f"Note: {info.note}"] if info.note else []),
    ]
    return Source(
        load_dataset(name),
        info.title,
        info.description,
        tuple(notes),
        f'counts = load_dataset("{name}")',
        assumed=not info.distinct_users,
    )


def _classroom(name: str) -> Source:
    vector = CLASSROOM_VECTORS[name]
    return Source(
        classroom_vector(name),
        vector.title,
        vector.description,
        (),
        f'counts = classroom_vector("{name}")',
    )


def _synthetic(name: str) -> Source:
    shape = SYNTHETIC_SHAPES[name]
    d = st.number_input(
        "Number of items d",
        1,
        _MAX_SYNTHETIC_ITEMS,
        1_000,
        key="d",
        bind="query-params",
    )
    values = {}
    for parameter in shape.parameters:
        number = int if parameter.integer else float
        values[parameter.name] = st.number_input(
            parameter.meaning.capitalize(),
            number(parameter.low),
            number(parameter.high),
            number(parameter.default),
            key=f"{name}_{parameter.name}",
            bind="query-params",
        )
    if shape.random:
        values["seed"] = st.number_input(
            "Seed of the counts", 0, 2**31 - 1, 0, key="data_seed", bind="query-params"
        )
    arguments = "".join(f", {key}={value!r}" for key, value in values.items())
    try:
        counts = _cached_synthetic(name, d, tuple(values.items()))
    except ValueError as error:
        return Missing("These parameters do not go together", f"{error}.")
    return Source(
        counts,
        shape.title,
        shape.description,
        (),
        f'counts = synthetic("{name}", {d}{arguments})',
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _cached_synthetic(name: str, d: int, values: tuple[tuple[str, float], ...]) -> ItemCounts:
    return synthetic(name, d, **dict(values))


def _typed() -> Source | Missing:
    text = st.text_area(
        "Counts",
        "100, 90, 80, 70, 60, 50, 40, 30, 20, 10",
        key="typed",
        bind="query-params",
        max_chars=1_500,
        help='Counts such as "100, 90, 80", or one item a line with its count last.',
    )
    try:
        result = parse_typed(text)
    except IngestError as error:
        return Missing("These counts could not be read", str(error))
    given = result.counts
    names = f", items={list(given.items)!r}" if text_has_names(given) else ""
    return Source(
        given,
        "Typed counts",
        "Counts typed into the sidebar.",
        result.report.sentences,
        f"counts = ItemCounts({given.counts.tolist()}{names})",
    )


def text_has_names(counts: ItemCounts) -> bool:
    """Whether items have names of their own."""
    return counts.items != ItemCounts(counts.counts).items


def _uploaded() -> Source | Missing:
    uploaded: IngestResult | None = st.session_state.get(_UPLOADED)
    if uploaded is None:
        return Missing(
            "No file has been uploaded in this session",
            "Uploaded counts stay with the session that uploaded them: a link cannot carry them. "
            'Choose "Upload your own counts" in the sidebar, or another data set.',
        )
    return Source(
        uploaded.counts,
        "Your file",
        "Counts you uploaded. They stay in this session and are in no link.",
        (*uploaded.report.sentences, _UPLOAD_SENSITIVITY),
        st.session_state[_UPLOADED + "_python"],
        assumed=True,
    )


@st.dialog("Upload your own counts", width="large")
def _upload_dialog() -> None:
    """Drop a file, see what would be read, correct it, use it."""
    st.markdown(
        "A table with one row an item: its name and the number of users who hold it. CSV, TSV or "
        "text exported from a spreadsheet, also as .gz or .zip. The counts stay in this session."
    )
    file = st.file_uploader(
        "Table of counts",
        max_upload_size=MAX_BYTES // 2**20,
        key="upload-file",
    )
    if file is None:
        return
    try:
        result = _review(file.getvalue(), file.name)
    except IngestError as error:
        show.problem("This file cannot be used yet. The data shown before are still there.", "")
        st.text(str(error))
        return
    st.button(
        "Use this item" if result.counts.d == 1 else f"Use these {result.counts.d:,} items",
        type="primary",
        icon=":material/check:",
        key="use-upload",
        on_click=_keep,
        args=(result, st.session_state["_upload_python"]),
    )
    if st.session_state.get("use-upload"):
        st.rerun()


def _keep(result: IngestResult, python: str) -> None:
    st.session_state[_UPLOADED] = result
    st.session_state[_UPLOADED + "_python"] = python
    st.session_state["data"] = UPLOAD


def _review(data: bytes, filename: str) -> IngestResult:
    """Preview, guesses to correct, and the counts with the report on them."""
    table = _remembered(read_table, data, filename)
    with st.expander("Not what you see in your file?", icon=":material/tune:"):
        delimiter = st.selectbox(
            "Columns are separated by",
            list(DELIMITERS),
            index=list(DELIMITERS).index(table.delimiter),
            format_func=DELIMITERS.get,
        )
        header = st.checkbox("The first row names the columns", table.header)
    if (delimiter, header) != (table.delimiter, table.header):
        table = _remembered(read_table, data, filename, delimiter=delimiter, header=header)
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
    st.dataframe(show.rows(table.preview, table.columns), hide_index=True)
    item = None if item == numbered else item
    result = _remembered(to_item_counts, table, item, count)
    st.session_state["_upload_python"] = (
        f"table = read_table(pathlib.Path({filename!r}).read_bytes(), {filename!r}, "
        f"delimiter={table.delimiter!r}, header={table.header!r})\n"
        f"counts = to_item_counts(table, {item!r}, {count!r}).counts"
    )
    st.caption("What was done to it")
    st.text("\n".join(f"• {sentence}" for sentence in result.report.sentences))
    return result


def _remembered(function, *arguments, **options):
    """Call a function of an upload, or return what it gave for the same arguments last.

    Kept in the session and not in a shared cache: uploads belong to their session.
    """
    memory = st.session_state.setdefault("_upload_memory", {})
    given, result = memory.get(function.__name__, (None, None))
    if given != (arguments, options):
        result = function(*arguments, **options)
        memory[function.__name__] = ((arguments, options), result)
    return result
