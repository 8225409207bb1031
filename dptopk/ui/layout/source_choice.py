"""Draw the controls of the data and load the counts.

Uploaded counts stay in the session that uploaded them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dptopk.core import application
from dptopk.core.parameters import Number
from dptopk.data import sources
from dptopk.data.sources import D, NoDataError, Source
from dptopk.ui import address
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain
from dptopk.ui.server.lru_cache import LRUCache
from dptopk.ui.uploads import local_logs, session_uploads
from dptopk.ui.uploads.session_uploads import BYTES_AN_ITEM

_SYNTHETIC: LRUCache[Source] = LRUCache(256 * 2**20)


@dataclass(frozen=True)
class Missing:
    """Reason why there are no data, in a sentence that may quote untrusted text."""

    headline: str
    sentence: str
    upload: bool = False  # whether an upload would mend it


def chosen_source(upload: Callable[[], None], place: Any) -> Source | Missing:
    """Return the chosen data, and draw their controls if they have a place, behind their name.

    ``upload`` opens the dialog.
    """
    choice = address.value(sources.data())
    values = {own.key: address.value(own) for own in sources.own_settings(choice)}
    if place is None:
        return _loaded(choice, values)
    # beside the popover, which would lie over the dialog
    with place:
        beside = st.container(horizontal=True, width="content", gap="small")
    upload_kept = session_uploads.kept() if choice == sources.UPLOAD else None
    name = upload_kept.name if upload_kept else sources.choices()[choice]
    named = beside.popover(name, width="content", key="data-chosen")
    if beside.button(
        "Upload", icon=":material/upload_file:", key="upload", help="Upload counts or a log"
    ):
        upload()
    if application.files_folder() is not None and beside.button(
        "Open a log of this server", icon=":material/folder_open:"
    ):
        local_logs.dialog()
    with named:
        choice = inputs.choice(st, sources.data(), look="select")
        if choice == sources.UPLOAD and (kept := session_uploads.kept()):
            session_uploads.show(kept)
        values = {
            own.key: inputs.number(st, own)
            if isinstance(own, Number)
            else inputs.text(st, own, area=True)
            for own in sources.own_settings(choice)
        }
        source = _loaded(choice, values)
        for note in source.notes if isinstance(source, Source) and choice != sources.UPLOAD else ():
            st.caption(note)
    return source


def _loaded(choice: str, values: dict[str, Any]) -> Source | Missing:
    """Load the counts."""
    if choice == sources.UPLOAD:
        return _uploaded()
    try:
        if D.key not in values:
            return sources.source_of(choice, values)
        return _SYNTHETIC.get(
            (choice, *values.items()),
            values[D.key] * BYTES_AN_ITEM,
            lambda: sources.source_of(choice, values),
        )
    except NoDataError as error:
        return Missing(error.headline, str(error))


def _uploaded() -> Source | Missing:
    upload = session_uploads.kept()
    if upload is None:
        return Missing(
            "The file is not in this session",
            "Uploads are never stored and are not part of a link: they stay in the memory of one "
            "session and are deleted with it. If the file is yours, upload it again: reloading a "
            "page or opening a link starts a new session. If somebody sent you this link, ask "
            "them for the file, or choose other data.",
            upload=True,
        )
    counts, report = upload.result.counts, upload.result.report
    return Source(
        counts,
        plain(counts.name),
        upload.said,
        (
            *report.sentences,
            f"The counts are numbers of {upload.unit}.",
            report.contribution.sentence,
        ),
        upload.python,
        report.contribution,
        upload.unit,
        report.items_of_users,
        report.max_items,
        report.cut,
        items_of_data=True,
        how=upload.how,
        brought=True,
        by_bound=report.by_bound,
        by_period=upload.by_period,
        python_by_period=upload.python_by_period,
    )
