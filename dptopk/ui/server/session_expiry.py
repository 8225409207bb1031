"""Close disconnected sessions within a minute and free their memory.

Streamlit keeps the session of a closed tab, in case the tab only lost its connection, and deletes
it when another client connects, which may be never.  Unused downloads are likewise only marked, and
deleted by the next run of another session.  Here the server's event loop deletes both and returns
their memory to the system.
"""

import asyncio
import ctypes
import gc
import sys
import time
from collections.abc import Callable
from typing import Protocol

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk.ui.server.classroom import CLASSROOMS

KEPT_SECONDS = 30.0  # for a tab that lost its connection, and comes back
EVERY_SECONDS = 5.0
DOWNLOADS_SECONDS = 10.0  # between two looks at downloads: a click may be on its way to one


class Host(Protocol):
    """Protocol of the server that holds the sessions."""

    def is_active_session(self, session_id: str) -> bool:
        """Return True if a browser tab is connected."""

    def close_session(self, session_id: str) -> None:
        """Delete a session; do nothing if there is none of that name."""

    def drop_downloads(self) -> None:
        """Delete downloads unused by any session now and at the last call."""


class _Server:
    """Adapter of Streamlit's runtime."""

    def __init__(self, server: runtime.Runtime):
        self._server = server

    def is_active_session(self, session_id: str) -> bool:
        return self._server.is_active_session(session_id)

    def close_session(self, session_id: str) -> None:
        """Close and empty a session, as Streamlit's loop may keep a reference to it."""
        info = self._server._session_mgr.get_session_info(session_id)  # there is no public way
        self._server.close_session(session_id)
        if info is not None:
            state = info.session.session_state
            state.clear()
            state._new_widget_state.widget_metadata.clear()  # what callbacks hold

    def drop_downloads(self) -> None:
        """Delete the marked downloads and mark those no longer shown."""
        self._server.media_file_mgr.remove_orphaned_files()


class Expiry:
    """Closes sessions that stay disconnected; ``clock`` returns seconds."""

    def __init__(self, host: Host, clock: Callable[[], float] = time.monotonic):
        self._host = host
        self._clock = clock
        self._closed: dict[str, float | None] = {}  # since when, if not connected
        self._untidy = False
        self._dropped = clock()

    def watch(self, session: str) -> None:
        """Register a session, from any thread."""
        self._closed.setdefault(session, None)

    def tidy(self) -> None:
        """Free memory at the next call of `look`, from any thread."""
        self._untidy = True

    def look(self) -> None:
        """Close sessions disconnected for long enough; runs on the server's event loop."""
        now, gone = self._clock(), []
        for session, since in list(self._closed.items()):
            if self._host.is_active_session(session):
                self._closed[session] = None
            elif since is None:
                self._closed[session] = now
            elif now - since >= KEPT_SECONDS:
                self._host.close_session(session)
                gone.append(session)
        for session in gone:
            del self._closed[session]
        if now - self._dropped >= DOWNLOADS_SECONDS:
            self._dropped = now
            self._host.drop_downloads()
        if gone or self._untidy:
            self._untidy = False
            return_memory()

    def keep_looking(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call `look` now and periodically, and delete classes that are over."""
        self.look()
        CLASSROOMS.sweep()
        loop.call_later(EVERY_SECONDS, self.keep_looking, loop)


def watch() -> None:
    """Register the session of this run."""
    context = get_script_run_ctx()
    if _on_server() and context is not None:
        _of_process().watch(context.session_id)


def free_memory_soon() -> None:
    """Free memory soon, after an upload was deleted."""
    if _on_server():
        _of_process().tidy()


def return_memory() -> None:
    """Collect reference cycles, as of sessions, and return free memory to the system.

    Objects frozen at start-up (see `shell`) are included: some belong to sessions closed since.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others do not
        if trim is not None:
            trim(0)


def _on_server() -> bool:
    """Return True if Streamlit's server runs, rather than a stand-in of the tests."""
    return runtime.exists() and isinstance(runtime.get_instance(), runtime.Runtime)


@st.cache_resource(show_spinner=False)
def _of_process() -> Expiry:
    host = runtime.get_instance()
    expiry = Expiry(_Server(host))
    loop = host._get_async_objs().eventloop  # there is no public way to it
    loop.call_soon_threadsafe(expiry.keep_looking, loop)
    return expiry
