"""Dialog that reads an uploaded file, shows the result and corrects it.

One's own file is used at once if it can be read in one way only; chosen again, it is shown.  The
summary and the button that uses the counts are above the preview.  The session keeps the file
while the dialog is open; afterwards only counts, names and sentences, also where the dialog was
closed before they were used: `session_uploads.pending`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk.core.parameters import MAX_ITEMS
from dptopk.data import ingest
from dptopk.data.events import CountsByPeriod, periods_of_table
from dptopk.ui import keys, show
from dptopk.ui.server import readers, session_expiry, work
from dptopk.ui.uploads import column_controls, session_uploads
from dptopk.ui.uploads.session_uploads import Uploaded

_FILE, _LIST = "upload-file", "public-list"  # assets/pick_file.js knows the first by its key
_READING = "upload"  # the name of the run
_LARGER = (
    f"A log of events of more than {ingest.MAX_BYTES // 2**20} MB, a folder or a database: count "
    "it with `dptopk counts EVENTS --user COLUMN --item COLUMN -o counts.csv`, or start the app "
    "with `dptopk app --files DIR`, which opens logs below DIR on its machine."
)
_LONGEST_NAME = 200  # characters of a file name that are looked at
_LONGEST_PASTED = 50_000  # characters of a list; a message of the browser has at most 256 kB
_LIST_IS_FOR = (
    "Optional: all items that could be released at all, known without looking at the data, such as "
    "a catalogue; others are not counted, those that no user has count 0, and a name on it, like "
    "NA, is never taken for a missing one."
)

ListFile = tuple[bytes, str]
"""Content of a public list, and the name of its file."""


@dataclass
class Draft:
    """The file being read, with the last result of each step under its key.

    It is stored in the session and not in a shared cache, as uploads belong to their session.
    """

    run: str  # name of the run that Stop ends
    kept_as: str = keys.UPLOADED  # where the session keeps what is used
    file: str = ""
    read: Uploaded | None = None
    ready: bool = False  # whether what was read is that of the controls as they stand
    memory: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def remembered(
        self,
        key: str,
        given: Any,
        place: Any,
        function: Callable[..., Any],
        *args: Any,
        listed: ListFile | None = None,
        **how: Any,
    ) -> Any:
        """Return the cached result of a step or compute it, showing progress and Stop.

        A public list that is ``listed`` is read first, for the ``items`` of the function.
        """
        before, result = self.memory.get(key, (None, None))
        if listed is not None:
            function, args = ingest.with_list, (function, listed, *args)
        if before != given:
            with place:
                try:
                    result = work.stoppable(
                        self.run, self.file, (key, given), function, *args, **how
                    )
                except ingest.IngestError as error:  # likewise: it may have taken long
                    result = error
            self.memory[key] = (given, result)
        if isinstance(result, ingest.IngestError):
            raise result
        return result


_DECIDES = ("rows",)  # whether a guarantee holds: asked before the counts can be used
_OF_PERIODS = ("nulls", "twins", "users_alike", "split", "survey")  # answers that hold in each, too


def _forget(key: str) -> None:
    """Delete the file of a draft, and all that was computed from it."""
    st.session_state.pop(key, None)
    session_expiry.EXPIRY.tidy()
    context = get_script_run_ctx()
    files = context and context.uploaded_file_mgr
    if context is None or not isinstance(files, MemoryUploadedFileManager):
        return
    for file in filter(None, map(st.session_state.get, (_FILE, _LIST))):
        files.remove_file(context.session_id, file.file_id)


def close(key: str = keys.UPLOAD_DRAFT) -> None:
    """Delete a draft; counts that could have been used wait for it on the page; a callback."""
    draft: Draft | None = st.session_state.get(key)
    _forget(key)
    if draft is not None and draft.ready and draft.read is not None:
        session_uploads.wait(draft.read, draft.kept_as)


@st.dialog("Upload counts or a log", width="large", on_dismiss=close)
def dialog() -> None:
    """Read and use an uploaded file."""
    _draw()


@st.dialog("Upload public counts of the same kind", width="large", on_dismiss=close)
def public_dialog() -> None:
    """Read and use a file of public counts, to stand in for the data."""
    _draw(keys.PUBLIC_FILE)


def ask_list() -> ListFile | None:
    """Draw what a public list of items is given by, and return it."""
    with st.expander("Public list of items", icon=":material/checklist:"):
        st.caption(_LIST_IS_FOR)
        file = st.file_uploader(
            "File with one name a line", max_upload_size=ingest.MAX_BYTES // 2**20, key=_LIST
        )
        if file is not None:
            return file.getvalue(), file.name[-_LONGEST_NAME:]
        pasted = st.text_area(
            "Or paste the names, one a line", max_chars=_LONGEST_PASTED, key=f"{_LIST}-text"
        )
    return (pasted.encode(), "items.txt") if pasted.strip() else None


def _draw(kept_as: str = keys.UPLOADED) -> None:
    if st.session_state.get("use-upload"):
        st.rerun()  # closes the dialog before the file is looked at again
    words = st.empty()
    file = st.file_uploader(
        "Table of counts, or log of users and items",
        max_upload_size=ingest.MAX_BYTES // 2**20,
        key=_FILE,
    )
    on_list = ask_list() if kept_as == keys.UPLOADED else None
    if file is None:
        readers.READERS.prepare()
        words.markdown(
            "Counts have one row per item with its number of users; a log has one row per user and "
            f"item, whose distinct users are counted. {ingest.FORMATS}. The file goes to the "
            "server of this app, which stores nothing: the counts last until this page is reloaded "
            "or closed."
        )
        st.caption(_LARGER)
        st.session_state.pop(keys.UPLOAD_DRAFT, None)
        return
    draft: Draft = st.session_state.setdefault(keys.UPLOAD_DRAFT, Draft(_READING, kept_as))
    is_new = draft.file != file.file_id
    draft.file, draft.ready = file.file_id, False
    sheets, answer, needed, use, done, columns, unused, preview, corrections = (
        st.container() for _ in range(9)
    )
    try:
        table = _table(draft, file, answer, sheets, corrections)
        places = column_controls.columns(columns, preview, table)
        result = _counts(draft, table, places, on_list, answer)
    except ingest.UnclearError as error:
        answer.info(
            "The file can be read in more than one way. Which is right?", icon=":material/help:"
        )
        if error.questions[-1].key == "sheet":  # a control of its own asks for it
            answer.text(str(error))
            return
        column_controls.ask(
            needed, error.questions, column_controls.about_of(table.digest, places), table.digest
        )
        return
    except (work.StoppedError, ingest.IngestError) as error:
        say_unread(answer, error, _READING)
        if isinstance(error, ingest.IngestError) and error.questions:  # another answer may mend it
            about = column_controls.about_of(table.digest, places)
            column_controls.ask(needed, error.questions, about, table.digest)
        return
    _, listed = on_list or (b"", "")
    column_controls.verdict(answer, done, table, result, bool(listed))
    column_controls.say_unused(unused, table, places, result)
    questions, about = result.report.questions, column_controls.about_of(table.digest, places)
    first = [question for question in questions if question.needed or question.key in _DECIDES]
    column_controls.ask(needed, first, about, table.digest)
    others = [question for question in questions if question not in first]
    column_controls.ask(done, others, about, table.digest)
    users = result.report.items_of_users
    if users is not None and users.sizes[-1] > 1:
        column_controls.bound(done, f"ask-{MAX_ITEMS.key}-{about}")
    header = ingest.header_of_counts(table, places[1], result.report)
    unit = _ask_unit(done, header, result.report.contribution, about)
    filename = file.name[-_LONGEST_NAME:]
    work.resume(_READING)  # where Stop was pressed when all was read
    by_period, of_periods = _periods(draft, table, places, result, on_list, columns)
    lines = column_controls.python(filename, table, places, result, listed)
    draft.read = Uploaded(
        result,
        lines,
        unit,
        ingest.ReadingSettings.of(table, places, result, unit),
        filename,
        by_period=by_period,
        python_by_period="".join(lines.rpartition("\n")[:2]) + of_periods if by_period else "",
        listed=listed,
    )
    draft.ready = True
    held = session_uploads.kept()
    again = held is not None and held.filename == filename  # chosen to be looked at
    at_once = is_new and not again and kept_as == keys.UPLOADED and not listed
    if at_once and _is_clear(table, result):
        keep()
        st.rerun()
    use.button(
        draft.read.use_label,
        type="primary",
        icon=":material/check:",
        key="use-upload",
        on_click=keep,
    )


def say_unread(place: Any, error: Exception, run: str) -> None:
    """Say why a file is not used: its run was stopped, or what is wrong with it."""
    with place:
        if isinstance(error, work.StoppedError):
            words = "Stopped: this file is not used. The previous data are still shown."
            st.warning(words, icon=":material/pause_circle:")
            st.button("Read it again", on_click=work.resume, args=(run,))
        else:
            words = "This file cannot be used yet. The previous data are still shown."
            show.problem(words, str(error))


def _is_clear(table: ingest.RawTable, result: ingest.IngestResult) -> bool:
    """Return True if nothing is left out or summed, and no answer would give other counts."""
    report = result.report
    others = len(table.sheets) > 1 or table.time_column is not None or report.summing
    once = sum(result.counts.counts.tolist()) == report.rows_kept  # each row is one of its user
    open_ = [one for one in report.questions if not (once and one.answer == ingest.Reply.COUNTED)]
    doubted = report.n_users is not None and result.doubt
    return not (others or open_ or doubted)


def keep(key: str = keys.UPLOAD_DRAFT) -> None:
    """Store the counts of a draft; a callback that is not given them, as the session keeps it."""
    draft: Draft = st.session_state[key]
    assert draft.read is not None
    session_uploads.use(draft.read, draft.kept_as)
    _forget(key)


def _table(draft: Draft, file: Any, place: Any, sheets: Any, corrections: Any) -> ingest.RawTable:
    data, filename, key = file.getvalue(), file.name[-_LONGEST_NAME:], file.file_id

    def read(**options: Any) -> ingest.RawTable:
        given = (key, *options.items())
        name = "corrected" if options else "found"
        return draft.remembered(name, given, place, ingest.read_table, data, filename, **options)

    table, problem, chosen = None, None, {}
    names = draft.remembered("sheets", key, place, ingest.sheet_names, data)
    try:
        table = read()
    except ingest.IngestError as error:
        problem = error
    if len(names) > 1:
        first = names.index(table.sheet) if table else 0
        unclear = problem if isinstance(problem, ingest.UnclearError) else None
        sheet = sheets.selectbox(
            "Sheet", names, index=None if unclear else first, key=f"sheet-{key}"
        )
        if unclear is not None and sheet is None:
            raise unclear
        if table is None or sheet != table.sheet:
            chosen = {"sheet": sheet}
            key = f"{key}-{sheet}"
            try:
                table, problem = read(**chosen), None
            except ingest.IngestError as error:
                table, problem = None, error
    chosen |= column_controls.corrected(corrections, key, table)
    if set(chosen) - {"sheet"}:
        return read(**chosen)
    if table is None:
        assert problem is not None
        raise problem
    return table


def _counts(
    draft: Draft,
    table: ingest.RawTable,
    columns: ingest.ColumnPlaces,
    on_list: ListFile | None,
    place: Any,
) -> ingest.IngestResult:
    about = column_controls.about_of(table.digest, columns)
    given = {
        key: st.session_state.get(f"ask-{key}-{about}") for key in (*ingest.ANSWERS, MAX_ITEMS.key)
    }
    answers = {key: answer for key, answer in given.items() if answer}
    users_counted = columns[2] is not None and answers.get("rows") in (None, ingest.Reply.COUNTED)
    if not users_counted and answers.get("survey") != ingest.Reply.YES:
        answers.pop(MAX_ITEMS.key, None)  # of users that are not counted nothing is cut
    arguments = (about, tuple(answers.items()), on_list)
    result: ingest.IngestResult = draft.remembered(
        "counts", arguments, place, ingest.proposed_counts, table, columns, answers, listed=on_list
    )
    return result


def _periods(
    draft: Draft,
    table: ingest.RawTable,
    columns: ingest.ColumnPlaces,
    result: ingest.IngestResult,
    on_list: ListFile | None,
    place: Any,
) -> tuple[CountsByPeriod | None, str]:
    """Draw the choice of a time; return the counts of each period, with the line for them.

    They are counted when a button is pressed, as that may take long.
    """
    item, _, user = columns
    given = {asked.key: asked.answer for asked in result.report.questions}
    counted = result.report.contribution is ingest.Contribution.COUNTED
    if not counted or item is None or user is None or given.get("survey") == ingest.Reply.YES:
        return None, ""
    about = column_controls.about_of(table.digest, columns)
    chosen = column_controls.ask_time(place, table.columns, (item, user), table.time_column, about)
    if chosen is None:
        return None, ""
    answers = {key: given[key] for key in _OF_PERIODS if given.get(key) is not None}
    answer = place.container()
    dates, unclear = column_controls.ask_dates(answer, draft.memory, chosen, about)
    if unclear:
        return None, ""
    arguments = (about, chosen, tuple(answers.items()), dates, on_list)
    if dates is None and draft.memory.get("periods", (None, None))[0] != arguments:
        run = answer.empty()
        if not run.button(f"Count each {chosen.length}, too", key=f"count-{arguments[:-1]}"):
            return None, ""
        run.empty()
    try:
        periods: CountsByPeriod = draft.remembered(
            "periods",
            arguments,
            answer,
            periods_of_table,
            table,
            columns,
            *chosen,
            **answers,
            dates=dates,
            listed=on_list,
            reader=readers.recount,
        )
    except ingest.IngestError as error:
        if column_controls.is_of_dates(error):
            column_controls.ask_dates(answer, draft.memory, chosen, about, error)
        else:
            answer.text(str(error))
        return None, ""
    column_controls.say_periods(answer, periods)
    time, length = chosen
    more = column_controls.arguments(**answers, dates=dates)
    more += ", items=items" if on_list else ""
    return periods, f"periods = periods_of_table(table, {columns!r}, {time!r}, {length!r}{more})"


def _ask_unit(place: Any, header: str, contribution: ingest.Contribution, about: str) -> str:
    """Draw a box with the unit that the header suggests; ``about`` identifies the upload."""
    guess = ingest.unit_of(header, contribution)
    written = place.text_input(
        "The counts are numbers of",
        guess,
        max_chars=ingest.MAX_UNIT,
        key=f"unit-{about}-{contribution.value}",
        help="In the plural, such as users, likes or orders; used in axes, tables and sentences.",
    )
    unit = ingest.checked_unit(written)
    if unit is None:
        place.caption(f"Enter one to three words of letters; until then, {guess} is used.")
    return unit or guess
