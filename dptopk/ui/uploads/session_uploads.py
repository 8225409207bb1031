"""Store the upload of a session, the data that it replaced, and what was read and is not used.

Using a file can be undone: the session stores the previous data, one step and of bounded size.
"""

import re
from dataclasses import dataclass, replace

import streamlit as st

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.parameters import MAX_ITEMS
from dptopk.data import sources
from dptopk.data.events import CountsByPeriod
from dptopk.data.ingest import IngestResult, LogSettings, ReadingSettings
from dptopk.questions import settings
from dptopk.ui import address, keys
from dptopk.ui.formats import plain, plural, shortened
from dptopk.ui.server import session_expiry

BYTES_AN_ITEM = 100  # of counts with their order and names, at most
MOST_FORMER = 64 * 2**20
"""Bytes of an upload that is kept after another took its place."""

_LONGEST = 32  # characters of a file name in the control line
_BOUND = re.compile(r"(?:, max_items=\d+)?((?:, by_bound=True)?\)(?:\.counts)?)$")  # of a call


@dataclass(frozen=True)
class Uploaded:
    """Counts read from a file and the code that reads them, without the file itself.

    ``said`` describes the counts, where it is not an upload.  ``by_period`` are those of each
    period of a log, if its time was read, and ``python_by_period`` the code for them.
    """

    result: IngestResult
    python: str
    unit: str = COUNT_UNIT  # what the counts are numbers of, as was said
    how: ReadingSettings | LogSettings | None = None
    filename: str = ""
    said: str = "Counts you uploaded. They stay in this session and are not part of any link."
    by_period: CountsByPeriod | None = None
    python_by_period: str = ""
    listed: str = ""  # name of the file of the public list that they are on, if there is one

    @property
    def name(self) -> str:
        """File name, escaped for markdown."""
        name = self.filename or self.result.counts.name
        return plain(shortened(name, _LONGEST), _LONGEST)

    @property
    def of_users(self) -> bool:
        """True if the users of a log were counted, under every bound or of each period."""
        return (self.result.report.by_bound or self.by_period) is not None

    @property
    def use_label(self) -> str:
        """Label of the button that uses the counts."""
        d = self.result.counts.d
        return "Use this item" if d == 1 else f"Use these {d:,} items"


def summary(counts: ItemCounts) -> str:
    """Return the number of items, their total and the largest count, escaped for markdown."""
    top = int(counts.order[0])
    return (
        f"{plural(counts.d, 'item')}, {sum(counts.counts.tolist()):,} in total; the largest count "
        f"is {counts.counts[top]:,}, of {plain(counts.items[top], 40)}"
    )


@dataclass(frozen=True)
class Former:
    """Data that were shown before an upload, with the previous upload."""

    choice: str
    upload: Uploaded | None

    @property
    def name(self) -> str:
        """Name of these data, escaped for markdown."""
        if self.choice == sources.UPLOAD and self.upload is not None:
            return self.upload.name
        return sources.choices()[self.choice]


def kept() -> Uploaded | None:
    """Return the upload of this session, or None."""
    held: Uploaded | None = st.session_state.get(keys.UPLOADED)
    return held


def wait(upload: Uploaded, kept_as: str = keys.UPLOADED) -> None:
    """Keep counts that were read until they are used or dropped, if they are others; a callback."""
    held: Uploaded | None = st.session_state.get(kept_as)
    if held and (held.python, held.result.counts) == (upload.python, upload.result.counts):
        return
    st.session_state[keys.PENDING] = upload, kept_as
    st.toast(
        f"{upload.name} was read, but is not used yet. “{upload.use_label}” is at the top of the "
        "page.",
        icon=":material/pending:",
        duration="long",
    )


def pending() -> None:
    """Say on the page that a file was read and is not used yet, with buttons to go on."""
    upload: Uploaded
    upload, _ = st.session_state.get(keys.PENDING, (None, ""))
    if upload is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        words = f":material/pending: {upload.name} was read, but is not used yet."
        st.markdown(words, width="content")
        st.button(upload.use_label, icon=":material/check:", key="use-pending", on_click=_go_on)
        st.button("Drop it", icon=":material/delete:", key="drop-pending", on_click=_drop_pending)


def _go_on() -> None:
    if keys.PENDING in st.session_state:  # else pressed twice
        use(*st.session_state[keys.PENDING])


def _drop_pending() -> None:
    st.session_state.pop(keys.PENDING, None)
    session_expiry.EXPIRY.tidy()


def drop_public() -> None:
    """Delete the public counts; a callback."""
    st.session_state.pop(keys.PUBLIC_FILE, None)
    address.choose(settings.stand_in(), settings.NO_STAND_IN)
    session_expiry.EXPIRY.tidy()


def use(upload: Uploaded, kept_as: str = keys.UPLOADED) -> None:
    """Show an upload in place of the present data, or beside them as public; a callback."""
    st.session_state.pop(keys.PENDING, None)
    if kept_as == keys.PUBLIC_FILE:
        st.session_state[kept_as] = upload
        address.choose(settings.stand_in(), settings.FILE_STAND_IN)
        return
    former = Former(address.value(sources.data()), kept())
    before = former.upload
    was_shown = before is not None or former.choice != sources.UPLOAD
    st.session_state.pop(keys.FORMER, None)
    if was_shown and (before.result.counts.d if before else 0) * BYTES_AN_ITEM <= MOST_FORMER:
        st.session_state[keys.FORMER] = former
    st.session_state[keys.UPLOADED] = upload
    address.choose(sources.data(), sources.UPLOAD)
    st.session_state[keys.NEWLY_UPLOADED] = True


def bound(max_items: int | None) -> None:
    """Count at most so many items of each user of the upload, None for all; a callback."""
    upload = kept()
    if upload is None or upload.result.report.by_bound is None:  # undone before
        return
    given = "" if max_items is None else f", max_items={max_items}"
    how = upload.how
    if how is not None:
        how = replace(how, max_items=max_items)
    result, python = upload.result.bounded(max_items), _BOUND.sub(rf"{given}\1", upload.python)
    use(replace(upload, result=result, python=python, how=how))
    address.choose(MAX_ITEMS, max_items)


def may_undo() -> bool:
    """Return whether the upload took the place of data that can be shown again."""
    return keys.FORMER in st.session_state


def undo() -> None:
    """Show the previous data again and delete the upload; a callback."""
    former: Former | None = st.session_state.pop(keys.FORMER, None)
    if former is None:  # pressed twice
        return
    st.session_state.pop(keys.UPLOADED, None)
    if former.upload is not None:
        st.session_state[keys.UPLOADED] = former.upload
    address.choose(sources.data(), former.choice)
    session_expiry.EXPIRY.tidy()
    st.toast(f"Data shown again: {former.name}", icon=":material/undo:")


def show(upload: Uploaded) -> None:
    """Draw the file's name below the choice of data, with a button to undo."""
    former: Former | None = st.session_state.get(keys.FORMER)
    instead = "" if former is None else f", in place of {former.name}"
    st.caption(f"{upload.name}{instead}")
    if former is not None:
        st.button("Undo", icon=":material/undo:", key="undo-upload", on_click=undo)
    if st.session_state.pop(keys.NEWLY_UPLOADED, False):
        undone = "" if former is None else " To undo, click its name."
        items = plural(upload.result.counts.d, "item")
        # in two lines, and soon gone: it covers rows of a table
        st.toast(f"{upload.name}: {items}.{undone}", icon=":material/check:")
