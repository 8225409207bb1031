"""Close disconnected sessions within a minute and free their memory.

Streamlit keeps the session of a closed tab, in case the tab only lost its connection, and deletes
it when another client connects, which may be never.  Unused downloads are likewise only marked, and
deleted by the next run of another session.  Here the server's event loop deletes both, and classes
that are over, and returns their memory to the system.
"""

import asyncio
import contextlib
import ctypes
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable
from functools import partial

from streamlit import runtime
from streamlit.runtime.app_session import AppSession

from dptopk.ui.server import log_lines, streamlit_internals
from dptopk.ui.server.classroom import CLASSROOMS

KEPT_SECONDS = 30.0  # for a tab that lost its connection, and comes back
EVERY_SECONDS = 5.0
DOWNLOADS_SECONDS = 10.0  # between two looks at downloads: a click may be on its way to one


class Expiry:
    """Closes sessions that stay disconnected; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._closed: dict[AppSession, float | None] = {}  # since when, if not connected
        self._untidy = False
        self._dropped = clock()

    def watch(self, session: AppSession | None) -> None:
        """Register a session if there is one, from any thread."""
        if session is not None:
            self._closed.setdefault(session, None)

    def tidy(self) -> None:
        """Free memory at the next call of `look`, from any thread."""
        self._untidy = True

    def look(self, host: runtime.Runtime) -> None:
        """Close sessions disconnected for long enough; runs on the server's event loop."""
        now = self._clock()
        for session, since in list(self._closed.items()):
            if host.is_active_session(session.id):
                self._closed[session] = None
            elif since is None:
                self._closed[session] = now
            elif now - since >= KEPT_SECONDS:
                del self._closed[session]
                self._untidy = True
                _close(host, session)  # if it raises, others are closed at the next look
        if now - self._dropped >= DOWNLOADS_SECONDS:
            self._dropped = now
            host.media_file_mgr.remove_orphaned_files()  # and marks those no longer shown
        if self._untidy:
            self._untidy = False
            return_memory()


EXPIRY = Expiry()
"""The sessions of this process."""


def connected(session_id: str) -> AppSession | None:
    """Return the session of this name if a browser is connected to it."""
    session = runtime.get_instance().get_app_session(session_id) if runtime.exists() else None
    return session if isinstance(session, AppSession) else None  # else of a stand-in of the tests


def _close(host: runtime.Runtime, session: AppSession) -> None:
    """Close and empty a session, also one that Streamlit has let go of without closing it."""
    host.close_session(session.id)
    host.uploaded_file_mgr.remove_session_files(session.id)  # also one that came after the closing
    streamlit_internals.empty(session)


@contextlib.asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Look after sessions and classes while the server runs."""
    log_lines.shorten()
    looks = partial(EXPIRY.look, runtime.get_instance()), CLASSROOMS.sweep
    repeated = asyncio.create_task(repeat(EVERY_SECONDS, *looks))
    yield
    repeated.cancel()


async def repeat(seconds: float, *functions: Callable[[], object]) -> None:
    """Have the event loop call functions, ``seconds`` apart; it logs what they raise."""
    while True:
        for function in functions:
            asyncio.get_running_loop().call_soon(function)
        await asyncio.sleep(seconds)


def return_memory() -> None:
    """Collect reference cycles, as of sessions, and return free memory to the system.

    Objects frozen at the start (see `middleware`) are included: some belong to sessions closed
    since.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others do not
        if trim is not None:
            trim(0)
