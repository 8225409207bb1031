"""What a session keeps of uploads: the one in use, and what it took the place of.

The former data can be had back: a file that was used by mistake does no harm.  One step is kept,
in the session, and only of bounded size.
"""

from dataclasses import dataclass

import streamlit as st

from dptopk.core.numerals import COUNT_UNIT
from dptopk.data import sources
from dptopk.data.ingest import HowRead, IngestResult
from dptopk.ui import address, keys
from dptopk.ui.formats import plain, shortened
from dptopk.ui.server import session_expiry

BYTES_AN_ITEM = 100  # of counts with their order and names, at most
MOST_FORMER = 64 * 2**20
"""Bytes of an upload that is kept after another took its place."""

_LONGEST = 32  # characters of a file name in the sidebar


@dataclass(frozen=True)
class Uploaded:
    """What was read from a file, and the code that reads it; nothing of the file itself."""

    result: IngestResult
    python: str
    unit: str = COUNT_UNIT  # what the counts are numbers of, as was said
    how: HowRead | None = None
    filename: str = ""

    @property
    def name(self) -> str:
        """The name of the file, as markdown shows it."""
        name = self.filename or self.result.counts.name
        return plain(shortened(name, _LONGEST), _LONGEST)


@dataclass(frozen=True)
class Former:
    """The data that were shown before an upload, and the upload that there was."""

    choice: str
    upload: Uploaded | None

    @property
    def name(self) -> str:
        """What they are called, as markdown shows it."""
        if self.choice == sources.UPLOAD and self.upload is not None:
            return self.upload.name
        return sources.choice_label(self.choice)


def kept() -> Uploaded | None:
    """The upload that this session has."""
    held: Uploaded | None = st.session_state.get(keys.UPLOADED)
    return held


def use(upload: Uploaded) -> None:
    """Show an upload in place of what is shown; a callback."""
    former = Former(address.value(sources.data()), kept())
    before = former.upload
    if before is None:
        wanted = former.choice != sources.UPLOAD  # else nothing was shown
    else:
        wanted = before.result.counts.d * BYTES_AN_ITEM <= MOST_FORMER
    st.session_state.pop(keys.FORMER, None)
    if wanted:
        st.session_state[keys.FORMER] = former
    st.session_state[keys.UPLOADED] = upload
    address.choose(sources.data(), sources.UPLOAD)
    st.session_state[keys.NEWLY_UPLOADED] = True


def undo() -> None:
    """Show again what was shown before the upload, and let go of it; a callback."""
    former: Former | None = st.session_state.pop(keys.FORMER, None)
    if former is None:  # pressed twice
        return
    st.session_state.pop(keys.UPLOADED, None)
    if former.upload is not None:
        st.session_state[keys.UPLOADED] = former.upload
    address.choose(sources.data(), former.choice)
    session_expiry.tidy()
    st.toast(f"Shown again: {former.name}", icon=":material/undo:")


def told(upload: Uploaded) -> None:
    """Name the file below the choice of data, and offer what it took the place of."""
    former: Former | None = st.session_state.get(keys.FORMER)
    instead = "" if former is None else f", in place of {former.name}"
    st.caption(f"{upload.name}{instead}")
    if former is not None:
        st.button("Undo", icon=":material/undo:", key="undo-upload", on_click=undo)
    if st.session_state.pop(keys.NEWLY_UPLOADED, False):
        undone = "" if former is None else ". Undo is in the sidebar"
        st.toast(f"Shown now: {upload.name}{instead}{undone}.", icon=":material/check:")
