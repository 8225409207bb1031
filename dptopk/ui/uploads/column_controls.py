"""Controls of the upload dialog for the table and columns of a file, and equivalent code."""

from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from dptopk.core.parameters import MAX_ITEMS
from dptopk.data import sources
from dptopk.data.events import CountsByPeriod
from dptopk.data.ingest import (
    ANSWERS,
    DELIMITERS,
    Ambiguity,
    ColumnPlaces,
    Contribution,
    IngestError,
    IngestResult,
    RawTable,
    Reply,
    UnclearError,
)
from dptopk.questions import settings
from dptopk.ui import show
from dptopk.ui.formats import plain, plural, quoting
from dptopk.ui.uploads import session_uploads

_ROLES = (
    ("Item names are in", "(number the items)"),
    ("Counts are in", "(count the rows or users)"),
    ("Users are named in", "(no column)"),
)
"""Labels of the columns to choose, and what it is called to choose none."""
_NO_COLUMN = -1
UNANSWERED = ""
"""Option of a question that nobody answered, where the data are read without an answer."""

_BOUND_HELP = (
    "Needed only for mechanisms whose guarantee is for users with few items, such as one with "
    f"“{MAX_ITEMS.label}” set: the guarantee holds if no user has more. The items to keep are "
    "chosen by a fixed hash of the names."
)
_TIME_HELP = (
    "For the page Users: what a list for each week or month costs in a year, and how many of its "
    "names are new by noise alone. Dates such as 2026-01-31 or 31.01.2026; times with a time zone "
    "are taken in UTC."
)


class Period(NamedTuple):
    """Choice of the column with the times of events, by position, and of the length of a period."""

    time: int
    length: str


def corrected(place: Any, key: str, table: RawTable | None) -> dict[str, Any]:
    """Draw controls of how the file is read and return those options that were changed."""
    with place.expander("Does this look wrong?", icon=":material/tune:"):
        delimiter = None
        if table is None or not table.sheet:
            delimiter = st.selectbox(
                "Columns are separated by",
                list(DELIMITERS),
                index=list(DELIMITERS).index(table.delimiter) if table else None,
                format_func=DELIMITERS.__getitem__,
                key=f"delimiter-{key}",
            )
        above, below = (
            st.number_input(
                f"Rows {where} the table that are not part of it", 0, 1_000, n, key=f"{name}-{key}"
            )
            for where, name, n in (
                ("above", "titles", len(table.titles) if table else 0),
                ("below", "footnotes", len(table.footnotes) if table else 0),
            )
        )
        header = st.checkbox(
            "The first row of the table names the columns",
            table.header if table else True,
            key=f"header-{key}",
        )
    values = {"delimiter": delimiter, "title_rows": above, "footnote_rows": below, "header": header}
    before = {"delimiter": None, "title_rows": 0, "footnote_rows": 0, "header": True}
    if table is not None:
        before = _shape(table)
    return {name: it for name, it in values.items() if it is not None and it != before[name]}


def columns(place: Any, below: Any, table: RawTable) -> ColumnPlaces:
    """Draw the choice of the columns of items, counts and users, with a preview below."""
    labels = table.columns  # all that controls may hold: Streamlit keeps them with the session

    def column(place: Any, role: tuple[str, str], guess: int | None) -> int | None:
        label, none = role
        key = _column_key(label, table.digest)
        if key not in st.session_state:
            st.session_state[key] = _chosen(guess)
        position: int = place.selectbox(
            label,
            [_NO_COLUMN, *range(len(labels))],
            format_func=lambda it: none if it == _NO_COLUMN else labels[it],
            key=key,
            on_change=_free_counts,
            args=(label, table.digest),
        )
        return None if position == _NO_COLUMN else position

    guesses = (table.item_column, table.count_column, table.user_column)
    item, count, user = map(column, place.columns(3), _ROLES, guesses)
    chosen = (item, count, user)
    below.caption(f"First rows of {table.n_rows:,}")
    below.dataframe(show.rows(table.preview, table.columns), hide_index=True)
    return chosen


def _free_counts(label: str, digest: str) -> None:
    """Read no counts from a column that was chosen for something else; a callback."""
    (_, (counts, _), _), chosen = _ROLES, st.session_state[_column_key(label, digest)]
    key = _column_key(counts, digest)
    if label != counts and st.session_state.get(key) == chosen:
        st.session_state[key] = _NO_COLUMN


def _chosen(place: int | None) -> int:
    """Return the control's value of a column; None would mean that nothing is chosen."""
    return _NO_COLUMN if place is None else place


def _column_key(label: str, digest: str) -> str:
    return f"{label}-{digest}"


def about_of(digest: str, columns: ColumnPlaces) -> str:
    """Return a key of a table and its columns, so that others are asked anew."""
    return f"{digest[:16]}-{columns}"


def _take(key: str, question: Ambiguity, digest: str) -> None:
    """Set the column controls to the columns of an answer; a callback.

    What was answered of the same column of items stays answered.
    """
    columns = question.columns.get(st.session_state[key])
    if columns is not None:
        before, after = key.removeprefix(f"ask-{question.key}-"), about_of(digest, columns)
        if st.session_state[_column_key(_ROLES[0][0], digest)] == _chosen(columns[0]):
            for other in ANSWERS.keys() - {question.key}:
                given = st.session_state.get(f"ask-{other}-{before}")
                if given:
                    st.session_state[f"ask-{other}-{after}"] = given
        for (label, _), place in zip(_ROLES, columns, strict=True):
            st.session_state[_column_key(label, digest)] = _chosen(place)
        if question.key == "rows":  # whose users are to be counted, as is said with the columns
            st.session_state[f"ask-rows-{about_of(digest, columns)}"] = Reply.COUNTED


def verdict(
    place: Any, below: Any, table: RawTable | None, result: IngestResult, listed: bool = False
) -> None:
    """Show a summary of the counts, and below it the steps by which they were read.

    ``table`` is that of an upload, None for a log; ``listed`` tells of a public list of items.
    """
    report = result.report
    sheet = ""
    if table is not None and len(table.sheets) > 1:
        sheet = f"Sheet {plain(table.sheet, 40)}, one of {len(table.sheets)}: "
    words = f"{sheet}{session_uploads.summary(result.counts)}"
    place.success(words, icon=":material/check_circle:")
    with place:
        show.points(result.confirmation)
    # how to merge users is an argument in Python; here it is a control
    sentences = [one.partition(" To merge them: ")[0] for one in report.sentences]
    if report.contribution is not Contribution.ASSUMED or report.duplicate_names:
        sentences.append(report.contribution.sentence)
    below.caption(sources.LIST_GIVEN if listed else sources.ITEM_LIST)
    with below:
        show.points(sentences)


def ask(place: Any, questions: Iterable[Ambiguity], about: str, digest: str) -> None:
    """Draw the questions on ambiguous files and the offers to undo a step."""
    for question in questions:
        key, options = f"ask-{question.key}-{about}", {**question.options}
        if question.unanswered:
            options = {UNANSWERED: question.unanswered} | options
        if question.suggested is not None:
            options[question.suggested] += " (proposed)"
        if not st.session_state.get(key):
            st.session_state[key] = question.answer or (UNANSWERED if question.unanswered else None)
        if question.needed:  # others are said among what was done
            place.text(question.sentence)
        if question.found:
            place.expander("See each of them", icon=":material/list:").text(
                "\n".join(question.found)
            )
        place.radio(
            quoting(question.label),
            list(options),
            index=None,
            format_func=lambda it, options=options: quoting(options[it]),
            key=key,
            on_change=_take,
            args=(key, question, digest),
        )
        if question.key == "suppressed":
            place.number_input(
                "Or read each as another number",
                0,
                int(ANSWERS[question.key][-1]),
                None,
                key=f"{key}-number",
                on_change=_take_number,
                args=(key,),
            )


def _take_number(key: str) -> None:
    """Take a number for the answer to a question; a callback."""
    number = st.session_state[f"{key}-number"]
    if number is not None:
        st.session_state[key] = str(number)


def bound(place: Any, key: str) -> int | None:
    """Draw a limit on the items of each user, which may be empty."""
    label, high, none = "Items to keep per user, at most", MAX_ITEMS.high, "all of them"
    most: int | None = place.number_input(
        label, 1, high, None, placeholder=none, key=key, help=_BOUND_HELP
    )
    return most


def ask_time(
    place: Any, names: Sequence[str], taken: Sequence[int], guess: int | None, about: str
) -> Period | None:
    """Draw the choice of a column with the times of events, and of the length of a period.

    ``taken`` are the positions of columns with something else; ``guess`` is proposed, unless it is
    one of them.
    """
    left, right = place.columns(2)
    offered = [_NO_COLUMN, *(at for at in range(len(names)) if at not in taken)]
    time = left.selectbox(
        "Times of events are in",
        offered,
        0 if guess is None or guess in taken else offered.index(guess),
        format_func=lambda it: "(no column)" if it == _NO_COLUMN else names[it],
        key=f"time-{about}",
        help=_TIME_HELP,
    )
    if time == _NO_COLUMN:
        return None
    period = settings.PERIOD
    length: str = right.selectbox(
        period.label,
        list(period.options),
        list(period.options).index(period.default),
        format_func=period.options.__getitem__,
        key=f"period-{about}",
    )
    return Period(time, length)


def is_of_dates(error: IngestError) -> bool:
    """Return whether an error asks how dates are read."""
    return isinstance(error, UnclearError) and error.questions[-1].key == "dates"


def ask_dates(
    place: Any, asked: MutableMapping[str, Any], chosen: Period, about: str, raised: Any = None
) -> tuple[str | None, bool]:
    """Draw the question how dates are read; return the answer, and whether it is missing.

    ``asked`` keeps the questions that counting has ``raised``.
    """
    key = f"dates-{about}-{chosen.time}"
    if raised is not None:
        asked[key] = raised.questions[-1]
    if key not in asked:
        return None, False
    ask(place, [asked[key]], f"{about}-{chosen.time}", "")
    answer: str | None = st.session_state[f"ask-{key}"]
    return answer, answer is None


def say_periods(place: Any, periods: CountsByPeriod) -> None:
    """Say how many periods were counted."""
    days = [*periods.series]
    place.caption(
        f"{plural(len(days), periods.period)} with events, from {days[0]} to {days[-1]}. The page "
        "Users shows a list for each; other pages show the counts of the whole log."
    )


def say_unused(place: Any, table: RawTable, columns: ColumnPlaces, result: IngestResult) -> None:
    """Show that the column of counts is not used, where distinct users are counted."""
    _, count, user = columns
    counted = result.report.contribution is Contribution.COUNTED
    survey = any(
        asked.key == "survey" and asked.answer == Reply.YES for asked in result.report.questions
    )
    if count is None or user is None or not counted or survey:
        return
    place.text(
        f"{table.labels([count])} is not used: counts are the distinct users in "
        f"{table.labels([user])}."
    )


def python(
    filename: str, table: RawTable, columns: ColumnPlaces, result: IngestResult, listed: str
) -> str:
    """Return lines that read the same counts, on the public list in a file if it is named."""
    item, count, user = columns
    answers = {asked.key: asked.answer for asked in result.report.questions if asked.answer}
    given = arguments(user_column=user) + (", listed=items" if listed else "")
    given += arguments(**answers, **{MAX_ITEMS.key: result.report.max_items})
    shape = {"sheet": table.sheet} | _shape(table)
    del shape["delimiter" if table.sheet else "sheet"]
    how = ", ".join(f"{key}={value!r}" for key, value in shape.items())
    return (
        f"table = read_table(pathlib.Path({filename!r}).read_bytes(), {filename!r}, {how})\n"
        f"{lines_of_list(listed)}counts = to_item_counts(table, {item!r}, {count!r}{given}).counts"
    )


def arguments(**given: Any) -> str:
    """Return the arguments of a call by name that are given, each after a comma."""
    return "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)


def lines_of_list(file: str) -> str:
    """Return the line that reads the public list in a file as ``items``; none without a name."""
    read = f"items = read_public_list(pathlib.Path({file!r}).read_bytes(), {file!r}).names\n"
    return read if file else ""


def _shape(table: RawTable) -> dict[str, Any]:
    return {
        "delimiter": table.delimiter,
        "header": table.header,
        "title_rows": len(table.titles),
        "footnote_rows": len(table.footnotes),
    }
