"""Closed sessions are gone within a minute, with all they hold.

Streamlit keeps a session whose tab was closed, in case the tab only lost its connection, and lets
go of it when somebody else connects: on a quiet evening never.  So it does with downloads that no
session shows any more: it marks them for the next run of somebody else to delete.  Here the
server's own loop looks after both, and gives the memory that they held back to the system.
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

KEPT_SECONDS = 30.0  # for a tab that lost its connection, and comes back
EVERY_SECONDS = 5.0
DOWNLOADS_SECONDS = 10.0  # between two looks at downloads: a click may be on its way to one


class Host(Protocol):
    """What keeps the sessions."""

    def is_active_session(self, session_id: str) -> bool:
        """Tell whether a tab is connected."""

    def close_session(self, session_id: str) -> None:
        """Forget a session; none of that name is no error."""

    def drop_downloads(self) -> None:
        """Forget downloads that no session shows and none showed at the last call."""


class _Server:
    """Streamlit's server."""

    def __init__(self, server: runtime.Runtime):
        self._server = server

    def is_active_session(self, session_id: str) -> bool:
        return self._server.is_active_session(session_id)

    def close_session(self, session_id: str) -> None:
        """Close it and empty it: Streamlit's loop holds the last session until there is another."""
        info = self._server._session_mgr.get_session_info(session_id)  # there is no public way
        self._server.close_session(session_id)
        if info is not None:
            state = info.session.session_state
            state.clear()
            state._new_widget_state.widget_metadata.clear()  # what callbacks hold

    def drop_downloads(self) -> None:
        """Delete what is marked, and mark what is no longer shown; a closed session's is."""
        self._server.media_file_mgr.remove_orphaned_files()


class Expiry:
    """Closes sessions that nobody came back to; ``clock`` tells seconds."""

    def __init__(self, host: Host, clock: Callable[[], float] = time.monotonic):
        self._host = host
        self._clock = clock
        self._closed: dict[str, float | None] = {}  # since when, if not connected
        self._untidy = False
        self._dropped = clock()

    def watch(self, session: str) -> None:
        """Look after a session, from any thread."""
        self._closed.setdefault(session, None)

    def tidy(self) -> None:
        """Give memory back at the next look, from any thread: much was let go of."""
        self._untidy = True

    def look(self) -> None:
        """Close what has been closed for long enough; on the thread of the server's loop."""
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
            give_back()

    def keep_looking(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look now, and again and again."""
        self.look()
        loop.call_later(EVERY_SECONDS, self.keep_looking, loop)


def watch() -> None:
    """Look after the session of this run."""
    context = get_script_run_ctx()
    if _on_server() and context is not None:
        _of_process().watch(context.session_id)


def tidy() -> None:
    """Give memory back soon: an upload was let go of."""
    if _on_server():
        _of_process().tidy()


def give_back() -> None:
    """Free what holds itself in circles, as sessions do, and give free memory to the system.

    What was frozen (see `shell`) was alive then: a session of that moment may be gone now.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others do not
        if trim is not None:
            trim(0)


def _on_server() -> bool:
    """Whether Streamlit's server runs, and no stand-in as in tests."""
    return runtime.exists() and isinstance(runtime.get_instance(), runtime.Runtime)


@st.cache_resource(show_spinner=False)
def _of_process() -> Expiry:
    host = runtime.get_instance()
    expiry = Expiry(_Server(host))
    loop = host._get_async_objs().eventloop  # there is no public way to it
    loop.call_soon_threadsafe(expiry.keep_looking, loop)
    return expiry
