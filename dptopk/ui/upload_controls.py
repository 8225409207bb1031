"""Controls of the upload dialog for what is read of a file, and the lines that read the same."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from dptopk import sources
from dptopk.ingest import DELIMITERS, Contribution, IngestResult, Question, RawTable
from dptopk.ui import widgets
from dptopk.ui.formats import plain, plural

Columns = tuple[int | None, int | None, int | None]  # of items, counts and users


def corrected(place: Any, key: str, found: RawTable | None) -> dict[str, Any]:
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


def columns(place: Any, below: Any, table: RawTable) -> Columns:
    """Which columns hold items, counts and users, with a preview below."""
    labels = table.columns  # all that controls may hold: Streamlit keeps them with the session

    def column(place: Any, label: str, none: str, guess: int | None) -> int | None:
        options = [None, *range(len(labels))]
        position: int | None = place.selectbox(
            label,
            options,
            index=options.index(guess),
            format_func=lambda it: none if it is None else labels[it],
            key=f"{label}-{table.digest}",
        )
        return position

    left, middle, right = place.columns(3)
    chosen = (
        column(left, "Item names are in", "(number the items)", table.item_column),
        column(middle, "Counts are in", "(count the rows)", table.count_column),
        column(right, "Users are named in", "(no column)", table.user_column),
    )
    below.caption(f"First rows of {table.n_rows:,}")
    below.dataframe(widgets.rows(table.preview, table.columns), hide_index=True)
    return chosen


def verdict(place: Any, below: Any, table: RawTable, result: IngestResult) -> None:
    """Say what was read, and below it what was done to it."""
    counts, report = result.counts, result.report
    top = int(counts.order[0])
    sheet = ""
    if len(table.sheets) > 1:
        sheet = f"Sheet {plain(table.sheet, 40)}, one of {len(table.sheets)}: "
    place.success(
        f"{sheet}{plural(counts.d, 'item')}, {sum(counts.counts.tolist()):,} in total; the "
        f"largest count is {counts.counts[top]:,}, of {plain(counts.items[top], 40)}",
        icon=":material/check_circle:",
    )
    place.caption(sources.ITEM_LIST)
    sentences = [*report.sentences]
    if report.contribution is not Contribution.ASSUMED or report.duplicate_names:
        sentences.append(report.contribution.sentence)
    with below:
        widgets.points(sentences)


def ask(place: Any, questions: Iterable[Question], about: str) -> None:
    """Ask what two readings are possible of, and offer to undo what was done."""
    for question in questions:
        key = f"ask-{question.key}-{about}"
        if key not in st.session_state:
            st.session_state[key] = question.answer
        if question.needed:  # others are said among what was done
            place.text(question.sentence)
        if question.found:
            place.expander("See each of them", icon=":material/list:").text(
                "\n".join(question.found)
            )
        place.radio(
            question.label,
            list(question.options),
            index=None,
            format_func=question.options.__getitem__,
            key=key,
        )


def say_unused(place: Any, table: RawTable, columns: Columns, result: IngestResult) -> None:
    """Say beside a column of counts that it does nothing, where distinct users are counted."""
    _, count, user = columns
    if count is None or user is None or result.report.contribution is not Contribution.COUNTED:
        return
    place.text(
        f'"{table.columns[count]}" is not used: counts are the distinct users in '
        f'"{table.columns[user]}".'
    )


def python(filename: str, table: RawTable, columns: Columns, result: IngestResult) -> str:
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


def _shape(table: RawTable) -> dict[str, Any]:
    """Where the table of a file begins and ends: options of `read_table`."""
    return {
        "delimiter": table.delimiter,
        "header": table.header,
        "title_rows": len(table.titles),
        "footnote_rows": len(table.footnotes),
    }
