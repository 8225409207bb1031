"""Closed sessions are gone within a minute, with all they hold.

Streamlit keeps a session whose tab was closed, in case the tab only lost its connection, and lets
go of it when somebody else connects: on a quiet evening never.  Here the server's own loop looks
after them.
"""

import asyncio
import gc
import time
from collections.abc import Callable
from typing import Protocol

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

KEPT_SECONDS = 30.0  # for a tab that lost its connection, and comes back
EVERY_SECONDS = 10.0


class Host(Protocol):
    """What keeps the sessions: Streamlit's `Runtime`, whose methods these are."""

    def is_active_session(self, session_id: str) -> bool:
        """Tell whether a tab is connected."""

    def close_session(self, session_id: str) -> None:
        """Forget a session; none of that name is no error."""


class Expiry:
    """Closes sessions that nobody came back to; ``clock`` tells seconds."""

    def __init__(self, host: Host, clock: Callable[[], float] = time.monotonic):
        self._host = host
        self._clock = clock
        self._closed: dict[str, float | None] = {}  # since when, if not connected

    def watch(self, session: str) -> None:
        """Look after a session, from any thread."""
        self._closed.setdefault(session, None)

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
        if gone:
            gc.collect()  # sessions hold themselves in circles

    def keep_looking(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look now, and again and again."""
        self.look()
        loop.call_later(EVERY_SECONDS, self.keep_looking, loop)


def watch() -> None:
    """Look after the session of this run."""
    host, context = runtime.get_instance() if runtime.exists() else None, get_script_run_ctx()
    if isinstance(host, runtime.Runtime) and context is not None:  # no stand-in, as in tests
        _of_process().watch(context.session_id)


@st.cache_resource(show_spinner=False)
def _of_process() -> Expiry:
    host = runtime.get_instance()
    expiry = Expiry(host)
    loop = host._get_async_objs().eventloop  # there is no public way to it
    loop.call_soon_threadsafe(expiry.keep_looking, loop)
    return expiry
