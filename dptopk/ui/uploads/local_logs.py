"""Dialog that counts a log of events in files of the machine that the app runs on.

Only of an app that was started for it (`dptopk app --files DIR`), and only below that folder.  What
is chosen stays in the session and is in no link.
"""

from functools import partial
from typing import Any

import streamlit as st

from dptopk.core import application
from dptopk.data import ingest
from dptopk.data.event_logs import LogPreview
from dptopk.data.events import EventLog
from dptopk.data.local_files import count_below, count_periods_below, log_files, preview_below
from dptopk.ui import keys, show
from dptopk.ui.server import readers, work
from dptopk.ui.uploads import column_controls, dialog as uploads
from dptopk.ui.uploads.dialog import Draft
from dptopk.ui.uploads.session_uploads import Uploaded

_COUNTING = "log"  # the name of the run
_MISSING = "Names spelled NA, NULL, None and the like"
_LONGEST = 1_000  # characters of a path or a condition
_SAID = (
    "Counts of a log on the app's machine. They stay in this session and are not part of any link."
)


_close, _keep = partial(uploads.close, keys.LOG_DRAFT), partial(uploads.keep, keys.LOG_DRAFT)


@st.dialog("Open a log of this server", width="large", on_dismiss=_close)
def dialog() -> None:
    """Choose a log below the folder of the app, count it and use the counts."""
    root = application.files_folder()
    if root is None:  # the button is only drawn where there is one
        raise PermissionError("this app was not started with --files")
    if st.session_state.get("use-log"):
        st.rerun()  # closes the dialog
    given = st.selectbox(
        "File, folder or pattern",
        log_files(root),
        index=None,
        accept_new_options=True,
        placeholder="Choose one, or type such as 2026/*.parquet",
        key="log-file",
        help=f"{ingest.LOG_FORMATS}, below the folder with which the app was started.",
    )
    st.caption(
        "A row for each event, with a user and an item. Distinct users of each item are counted "
        "where the files are; nothing is stored."
    )
    if not given:
        return
    draft: Draft = st.session_state.setdefault(keys.LOG_DRAFT, Draft(_COUNTING))
    draft.file, draft.ready = given, False
    answer = st.container()
    try:
        _choose(draft, root, given[:_LONGEST], answer)
    except (work.StoppedError, ingest.IngestError) as error:
        uploads.say_unread(answer, error, _COUNTING)


def _choose(draft: Draft, root: str, given: str, answer: Any) -> None:
    table: str | None = st.session_state.get(f"log-table-{given}")
    below = (root, given, table)
    seen: LogPreview = draft.remembered(
        "preview", below[1:], answer, preview_below, *below, reader=readers.preview
    )
    if len(seen.tables) > 1:
        st.selectbox("Table", seen.tables, key=f"log-table-{given}")
        table = table or seen.tables[0]
    about = f"{given}-{table}"
    left, right = st.columns(2)
    user = left.selectbox("Users are named in", seen.columns, seen.user, key=f"log-user-{about}")
    item = right.selectbox("Item names are in", seen.columns, seen.item, key=f"log-item-{about}")
    times = st.container()
    with st.expander("Which events and items count?", icon=":material/tune:"):
        where = st.text_input(
            "Only events that meet this condition, in SQL",
            placeholder="day >= '2026-01-01'",
            max_chars=_LONGEST,
            key=f"log-where-{about}",
        )
        most = column_controls.bound(st, f"log-max_items-{about}")
        by_bound = st.checkbox(
            "Count under every such bound, too",
            True,
            key=f"log-by_bound-{about}",
            help="The page Users compares them. This takes several times as long.",
        )
        nulls = st.selectbox(
            _MISSING,
            ingest.ANSWERS["nulls"],
            index=None,
            placeholder="leave out, unless they may be among the largest items",
            format_func=str.capitalize,
            key=f"log-nulls-{about}",
        )
    on_list = uploads.ask_list()
    run = st.container()
    st.caption("First rows")
    st.dataframe(show.rows(seen.rows, seen.columns), hide_index=True)
    if user is None or item is None or user == item:
        run.caption("Choose two different columns, one of users and one of items.")
        return
    names, taken = seen.columns, [seen.columns.index(user), seen.columns.index(item)]
    chosen = column_controls.ask_time(times, names, taken, seen.time, f"log-{about}")
    dates, unclear = None, False
    if chosen is not None:
        dates, unclear = column_controls.ask_dates(times, draft.memory, chosen, f"log-{about}")
        times.caption(
            f"Each {chosen.length} is counted, too, which takes several times as long: choose “(no "
            "column)” for the counts of the whole log alone."
        )
    condition = where.strip() or None
    arguments = (user, item, condition, table, most, by_bound, nulls, on_list)
    of_periods = (given, arguments, chosen, dates)
    last = ("counts", (given, *arguments)) if chosen is None else ("periods", of_periods)
    if draft.memory.get(last[0], (None, None))[0] != last[1]:
        place = run.empty()
        pressed = place.button(
            "Count the users of each item", type="primary", key=f"log-count-{about}"
        )
        if st.session_state.get(keys.STOPPED.format(_COUNTING)) and not pressed:
            run.warning("Stopped: nothing was counted.", icon=":material/pause_circle:")
        work.resume(_COUNTING)
        if not pressed:
            return
        place.empty()
    log = EventLog(given, user, item, condition, table=table, nulls=nulls, dates=dates)
    counted = root, log, most, by_bound
    how: dict[str, Any] = {"listed": on_list, "reader": readers.count}
    try:
        counts = draft.remembered("counts", (given, *arguments), run, count_below, *counted, **how)
    except ingest.UnclearError as error:
        if error.questions[-1].key != "nulls":
            raise
        answer.text(error.questions[-1].sentence)
        answer.info(f"Choose at “{_MISSING}” what becomes of them.", icon=":material/help:")
        return
    by_period, python = None, ""
    _, list_file = on_list or (b"", "")
    read, listed = column_controls.lines_of_list(list_file), ", items=items" if on_list else ""
    if chosen is not None:
        time = names[chosen.time]
        try:
            split = root, log, time, chosen.length
            by_period = draft.remembered(
                "periods", of_periods, run, count_periods_below, *split, **how
            )
        except ingest.IngestError as error:  # the counts of the whole log can be used all the same
            if not column_controls.is_of_dates(error):
                run.text(str(error))
            elif not unclear:
                column_controls.ask_dates(times, draft.memory, chosen, f"log-{about}", error)
        else:
            column_controls.say_periods(run, by_period)
            columns = f"{user!r}, {item!r}, {time!r}, {chosen.length!r}"
            more = column_controls.arguments(where=condition, table=table, nulls=nulls, dates=dates)
            python = f"{read}periods = counts_of_periods({given!r}, {columns}{more}{listed})"
    result = ingest.IngestResult(counts, counts.report)
    column_controls.verdict(answer, st.container(), None, result, bool(on_list))
    unit = ingest.unit_of("", ingest.Contribution.COUNTED)
    options = column_controls.arguments(where=condition, table=table, nulls=nulls)
    options += listed + column_controls.arguments(max_items=most, by_bound=by_bound or None)
    draft.read = Uploaded(
        result,
        f"{read}counts = counts_from_events({given!r}, {user!r}, {item!r}{options})",
        unit,
        ingest.LogSettings(
            user, item, condition, table, bool(on_list), unit, nulls, max_items=most
        ),
        given,
        _SAID,
        by_period,
        python,
        list_file,
    )
    draft.ready = True
    answer.button(
        draft.read.use_label, type="primary", icon=":material/check:", key="use-log", on_click=_keep
    )
