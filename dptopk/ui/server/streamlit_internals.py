"""Parts of Streamlit and uvicorn that are not public, all in one place.

Each is here for something that has no public way, and names the issue that would make it needless.
A test says of each what to do when a release changes it.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState
from uvicorn.protocols.http.auto import AutoHTTPProtocol


def end_dialog_run() -> None:
    """End the run of a dialog if one of its controls was moved, such as Stop.

    Streamlit lets it go on: https://github.com/streamlit/streamlit/issues/11030.
    """
    context = get_script_run_ctx()
    requests = context.script_requests if context and context.fragment_ids_this_run else None
    if requests is not None and requests._state is ScriptRequestType.RERUN:
        request = requests.on_scriptrunner_ready()
        if request.type is ScriptRequestType.RERUN:  # else the tab was closed just now
            raise RerunException(request.rerun_data)


@contextmanager
def withheld(key: str) -> Iterator[None]:
    """Draw within the context in a container whose contents are not sent to the browser.

    What is sent and hidden could be read there.  What would do is an argument for what is not to be
    seen: https://github.com/streamlit/streamlit/issues/6715.
    """
    context = get_script_run_ctx()
    assert context is not None
    send = context.enqueue
    within: list[int] = []

    def sieve(message: Any) -> None:
        path = list(message.metadata.delta_path)
        if not within:  # the container itself
            within.extend(path)
        elif path[: len(within)] == within:
            return
        send(message)

    context.enqueue = sieve  # type: ignore[assignment, method-assign]
    try:
        with st.container(key=key):
            yield
    finally:
        context.enqueue = send  # type: ignore[method-assign]


def share_locks(safe: type[Any] = SafeSessionState) -> None:
    """Have all runs of a session share one lock of its state.

    Streamlit gives each its own, so that a run that begins, and goes through the state, met one
    that was just to be ended and wrote to it: "dictionary changed size during iteration" took the
    place of the page.  That runs overlap was named as a risk of fast reruns:
    https://github.com/streamlit/streamlit/pull/4628.
    """
    made = safe.__init__

    def init(self: Any, state: SessionState, yield_callback: Any) -> None:
        made(self, state, yield_callback)
        of_session = vars(state.query_params)  # the state itself takes no more attributes
        object.__setattr__(self, "_lock", of_session.setdefault("lock_of_runs", self._lock))

    safe.__init__ = init


def empty(session: AppSession) -> None:
    """End a session that was closed, and empty it, as Streamlit may go on holding it.

    Its own `clear` reads each value first, which raises for one that is malformed.  Nothing public
    ends a session: https://github.com/streamlit/streamlit/issues/8545.
    """
    session.shutdown()
    SessionState.__init__(session.session_state)


def send_at_once(protocol: type[Any] = AutoHTTPProtocol) -> None:
    """Have the server send what is written without waiting (TCP_NODELAY).

    asyncio sets it for sockets that name their protocol, and Streamlit's names none, as uvicorn's:
    https://github.com/Kludex/uvicorn/issues/3149.  The body of an answer, or a second message,
    would wait for the client to confirm the first: 40 ms on Linux.
    """
    made = protocol.connection_made

    def connection_made(self: Any, transport: Any) -> None:
        if (connection := transport.get_extra_info("socket")).family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made(self, transport)

    protocol.connection_made = connection_made
