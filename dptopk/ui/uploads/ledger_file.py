"""Read an uploaded copy of a ledger of releases, which is shown and not changed.

It is read in a process of its own, within the limits of uploads; the session keeps the file and
what was read until the file is removed.
"""

from typing import Any

import streamlit as st

from dptopk.data.ingest import IngestError
from dptopk.publishing.ledger import MOST_BYTES, LedgerCopy, LedgerError, read_ledger
from dptopk.ui import keys
from dptopk.ui.server import work

_READING = "ledger-file"


def choose(place: Any) -> LedgerCopy | str | None:
    """Draw the uploader; return the ledger, the reason if it cannot be read, or None."""
    file = place.file_uploader(
        "Ledger file, as dptopk ledger create makes it",
        max_upload_size=MOST_BYTES // 2**20,
        key="ledger-copy",
    )
    if file is None:
        st.session_state.pop(keys.LEDGER_COPY, None)
        work.resume(_READING)
        return None
    held: tuple[str, LedgerCopy | str] | None = st.session_state.get(keys.LEDGER_COPY)
    if held is not None and held[0] == file.file_id:
        return held[1]
    found: LedgerCopy | str
    try:
        with place.container():
            found = work.stoppable(
                _READING, file.file_id, "copy", "Reading", read_ledger, file.getvalue()
            )
    except LedgerError as error:
        found = f"{error}."
    except IngestError:
        found = "the file takes too much time or memory to read."
    except work.StoppedError:
        return "stopped: remove the file, and add it again to read it."
    st.session_state[keys.LEDGER_COPY] = file.file_id, found
    return found
