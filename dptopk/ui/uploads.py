"""The upload dialog: drop a file, see what was read, correct it, use it.

What was read and the button that uses it stand above the preview.  While the dialog is open the
session keeps the file; once its counts are used, or the dialog is closed, only counts, names and
sentences are left.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk import sources
from dptopk.ingest import (
    ANSWERS,
    DELIMITERS,
    MAX_BYTES,
    Contribution,
    IngestError,
    IngestResult,
    Question,
    RawTable,
    UnclearError,
    read_table,
    sheet_names,
    to_item_counts,
)
from dptopk.ui import address, formats, keys, widgets, work
from dptopk.ui.source_choice import Uploaded

_FILE = "upload-file"
_LONGEST_NAME = 200  # characters of a file name that are looked at

_Columns = tuple[int | None, int | None, int | None]  # of items, counts and users


@dataclass
class _Draft:
    """The upload that is being looked at: what was computed of it last, each under its key.

    Kept in the session and not in a shared cache: uploads belong to their session.
    """

    memory: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def remembered(self, key: str, given: Any, compute: Callable[[], Any]) -> Any:
        """What was computed of the same, or compute it."""
        before, result = self.memory.get(key, (None, None))
        if before != given:
            result = work.in_turn(lambda pause: compute())
            self.memory[key] = (given, result)
        return result


def _forget() -> None:
    """Let go of the file and of what was computed of it."""
    st.session_state.pop(keys.UPLOAD_DRAFT, None)
    file, context = st.session_state.get(_FILE), get_script_run_ctx()
    if file is None or context is None:
        return
    files = context.uploaded_file_mgr
    if isinstance(files, MemoryUploadedFileManager):
        files.remove_file(context.session_id, file.file_id)


@st.dialog("Upload your own counts", width="large", on_dismiss=_forget)
def dialog() -> None:
    """Drop a file, see what was read, correct it, use it."""
    if st.session_state.get("use-upload"):
        st.rerun()  # closes the dialog before the file is looked at again
    words = st.empty()
    file = st.file_uploader("Table of counts", max_upload_size=MAX_BYTES // 2**20, key=_FILE)
    if file is None:
        words.markdown(
            "One row an item with its number of users, or one row a user and item. Excel (.xlsx), "
            "CSV, TSV or text, also as .gz or .zip. Nothing is stored: the counts stay in this "
            "session."
        )
        return
    draft: _Draft = st.session_state.setdefault(keys.UPLOAD_DRAFT, _Draft())
    sheets, answer, needed, use, done, columns, corrections = (st.container() for _ in range(7))
    try:
        table = _table(draft, file, sheets, corrections)
        places = _columns(columns, table)
        result = _counts(draft, table, places)
    except UnclearError as error:
        answer.info("There are two readings. Which is right?", icon=":material/help:")
        _ask(needed, error.questions, _about(table, places))
        return
    except IngestError as error:
        with answer:
            widgets.problem("This file cannot be used yet. The data shown before are kept.", "")
            st.text(str(error))
        return
    _verdict(answer, done, result)
    asked, about = result.report.questions, _about(table, places)
    _ask(needed, [question for question in asked if question.needed], about)
    _ask(done, [question for question in asked if not question.needed], about)
    use.button(
        "Use this item" if result.counts.d == 1 else f"Use these {result.counts.d:,} items",
        type="primary",
        icon=":material/check:",
        key="use-upload",
        on_click=_keep,
        args=(Uploaded(result, _python(file.name[-_LONGEST_NAME:], table, places, result)),),
    )


def _keep(uploaded: Uploaded) -> None:
    st.session_state[keys.UPLOADED] = uploaded
    address.choose(sources.data(), sources.UPLOAD)
    _forget()


def _table(draft: _Draft, file: Any, sheets: Any, corrections: Any) -> RawTable:
    """The table as it was found, or as it was corrected."""
    data, filename, key = file.getvalue(), file.name[-_LONGEST_NAME:], file.file_id

    def read(**options: Any) -> RawTable:
        given = (key, *options.items())
        name = "corrected" if options else "found"
        return draft.remembered(name, given, lambda: read_table(data, filename, **options))

    found, problem, chosen = None, None, {}
    names = draft.remembered("sheets", key, lambda: sheet_names(data))
    try:
        found = read()
    except IngestError as error:
        problem = error
    if len(names) > 1:
        first = names.index(found.sheet) if found else 0
        sheet = sheets.selectbox("Sheet", names, index=first, key=f"sheet-{key}")
        if found is None or sheet != found.sheet:
            chosen = {"sheet": sheet}
            key = f"{key}-{sheet}"
            try:
                found, problem = read(**chosen), None
            except IngestError as error:
                found, problem = None, error
    chosen |= _corrected(corrections, key, found)
    if set(chosen) - {"sheet"}:
        return read(**chosen)
    if found is None:
        assert problem is not None
        raise problem
    return found


def _corrected(place: Any, key: str, found: RawTable | None) -> dict[str, Any]:
    """What a person says of the rows of the file unlike what was found."""
    with place.expander("Not what you see in your file?", icon=":material/tune:"):
        delimiter = None
        if found is None or not found.sheet:
            delimiter = st.selectbox(
                "Columns are separated by",
                list(DELIMITERS),
                index=list(DELIMITERS).index(found.delimiter) if found else None,
                format_func=DELIMITERS.__getitem__,
                key=f"delimiter-{key}",
            )
        above = st.number_input(
            "Rows above the table that are not part of it",
            0,
            1_000,
            len(found.titles) if found else 0,
            key=f"titles-{key}",
        )
        below = st.number_input(
            "Rows below the table that are not part of it",
            0,
            1_000,
            len(found.footnotes) if found else 0,
            key=f"footnotes-{key}",
        )
        header = st.checkbox(
            "The first row of the table names the columns",
            found.header if found else True,
            key=f"header-{key}",
        )
    said = {"delimiter": delimiter, "title_rows": above, "footnote_rows": below, "header": header}
    before = {"delimiter": None, "title_rows": 0, "footnote_rows": 0, "header": True}
    if found is not None:
        before = _shape(found)
    return {name: it for name, it in said.items() if it is not None and it != before[name]}


def _shape(table: RawTable) -> dict[str, Any]:
    """Where the table of a file begins and ends: options of `read_table`."""
    return {
        "delimiter": table.delimiter,
        "header": table.header,
        "title_rows": len(table.titles),
        "footnote_rows": len(table.footnotes),
    }


def _columns(place: Any, table: RawTable) -> _Columns:
    """Which columns hold items, counts and users, with a preview."""

    def column(place: Any, label: str, none: str, guess: int | None) -> int | None:
        options = [None, *range(len(table.columns))]
        position: int | None = place.selectbox(
            label,
            options,
            index=options.index(guess),
            format_func=lambda it: none if it is None else table.columns[it],
            key=f"{label}-{table.digest}",
        )
        return position

    left, middle, right = place.columns(3)
    columns = (
        column(left, "Item names are in", "(number the items)", table.item_column),
        column(middle, "Counts are in", "(count the rows)", table.count_column),
        column(right, "Users are named in", "(no column)", table.user_column),
    )
    place.caption(f"First rows of {table.n_rows:,}")
    place.dataframe(widgets.rows(table.preview, table.columns), hide_index=True)
    return columns


def _about(table: RawTable, columns: _Columns) -> str:
    """What questions are about: another table or column is asked anew."""
    return f"{table.digest[:16]}-{columns}"


def _counts(draft: _Draft, table: RawTable, columns: _Columns) -> IngestResult:
    """The counts of the columns chosen, with the answers given."""
    about = _about(table, columns)
    given = {key: st.session_state.get(f"ask-{key}-{about}") for key in ANSWERS}
    answers = {key: answer for key, answer in given.items() if answer is not None}
    result: IngestResult = draft.remembered(
        "counts", (about, answers), lambda: _read(table, columns, answers)
    )
    return result


def _read(table: RawTable, columns: _Columns, answers: dict[str, str]) -> IngestResult:
    """Read the counts; an answer that is proposed is taken until another is given."""
    item, count, user = columns
    try:
        return to_item_counts(table, item, count, user_column=user, **answers)
    except UnclearError as error:
        asked = error.questions[-1]
        if asked.suggested is None:
            raise
        return _read(table, columns, answers | {asked.key: asked.suggested})


def _verdict(place: Any, below: Any, result: IngestResult) -> None:
    """Say what was read, and below it what was done to it."""
    counts, report = result.counts, result.report
    top = int(counts.order[0])
    place.success(
        f"{formats.plural(counts.d, 'item')}, {sum(counts.counts.tolist()):,} in total; the "
        f"largest count is {counts.counts[top]:,}, of {formats.plain(counts.items[top], 40)}",
        icon=":material/check_circle:",
    )
    sentences = [*report.sentences]
    if report.contribution is not Contribution.ASSUMED:
        sentences.append(report.contribution.sentence)
    with below:
        widgets.points(sentences)


def _ask(place: Any, questions: Iterable[Question], about: str) -> None:
    """Ask what two readings are possible of, and offer to undo what was done."""
    for question in questions:
        key = f"ask-{question.key}-{about}"
        if key not in st.session_state:
            st.session_state[key] = question.answer
        if question.needed:  # others are said among what was done
            place.text(question.sentence)
        place.radio(
            question.label,
            list(question.options),
            index=None,
            format_func=question.options.__getitem__,
            key=key,
        )


def _python(filename: str, table: RawTable, columns: _Columns, result: IngestResult) -> str:
    """The lines that read the same."""
    item, count, user = columns
    given = "" if user is None else f", user_column={user!r}"
    answers = {question.key: question.answer for question in result.report.questions}
    given += "".join(f", {key}={answer!r}" for key, answer in answers.items())
    shape = {"sheet": table.sheet} | _shape(table)
    del shape["delimiter" if table.sheet else "sheet"]
    how = ", ".join(f"{key}={value!r}" for key, value in shape.items())
    return (
        f"table = read_table(pathlib.Path({filename!r}).read_bytes(), {filename!r}, {how})\n"
        f"counts = to_item_counts(table, {item!r}, {count!r}{given}).counts"
    )
