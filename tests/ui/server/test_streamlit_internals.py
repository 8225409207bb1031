"""Test each part of Streamlit and uvicorn that is not public, and that there is no other."""

import ast
import asyncio
import contextlib
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import loops
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from dptopk.ui.server import streamlit_internals

ROOT = Path(__file__).parents[3]
IN = "has changed: mend dptopk/ui/server/streamlit_internals.py,"
PUBLIC = {"_exit", "_replace", "_fields", "_asdict"}  # of os, and of a NamedTuple
OWN = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def test_no_other_module_uses_a_private_attribute_of_a_library():
    """Nor does a module of the app use one of another module's class."""
    folders = ("dptopk", "pages", "benchmarks", "tests")
    paths = [ROOT / "app.py", *(path for name in folders for path in ROOT.glob(f"{name}/**/*.py"))]
    own, used = set(), []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name):
                own.add(node.id)
            elif isinstance(node, OWN):
                own.add(node.name.rpartition(".")[2])
            elif isinstance(node, ast.Attribute) and is_private(node.attr):
                if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                    own.add(node.attr)
                elif path.name != "streamlit_internals.py":
                    used.append((path.relative_to(ROOT), node))
    assert not [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, node in used
        if path.is_relative_to("dptopk/ui") or node.attr not in own
    ]


@pytest.mark.parametrize(("fragment", "ends"), [(frozenset({"dialog"}), True), (None, False)])
def test_a_control_of_a_dialog_ends_its_run_as_well(monkeypatch, fragment, ends):
    """Streamlit lets such a run go on; elsewhere it ends runs by itself."""
    requests = ScriptRequests()
    assert hasattr(requests, "_state"), f"ScriptRequests of Streamlit {IN} end_dialog_run"
    context = SimpleNamespace(fragment_ids_this_run=fragment, script_requests=requests)
    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda: context)
    streamlit_internals.end_dialog_run()  # nothing was asked
    requests.request_rerun(RerunData(fragment_id="dialog"))
    with pytest.raises(RerunException) if ends else contextlib.nullcontext():
        streamlit_internals.end_dialog_run()
    assert ends or requests.on_scriptrunner_yield() is None, (
        "Streamlit ends the run of a fragment by itself now: take end_dialog_run out"
    )


def test_what_is_drawn_in_a_withheld_container_is_not_sent():
    def page():
        import streamlit as st

        from dptopk.ui.server.streamlit_internals import withheld

        with withheld("covered"):
            st.text("hidden")
            with st.container():
                st.text("hidden, too")
        st.text("shown")

    app = AppTest.from_function(page).run()
    assert [text.value for text in app.text] == ["shown"], (
        f"ScriptRunContext.enqueue of Streamlit {IN} withheld"
    )


def delays(patched: bool) -> bool:
    """Serve one request on a socket such as Streamlit makes; does the connection wait (Nagle)?"""
    seen = []

    class Protocol(AutoHTTPProtocol):
        pass

    if patched:
        streamlit_internals.send_at_once(Protocol)
    made = Protocol.connection_made

    def connection_made(self, transport):
        made(self, transport)
        connection = transport.get_extra_info("socket")
        seen.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    Protocol.connection_made = connection_made

    async def serve(bound):
        config = uvicorn.Config(
            PlainTextResponse("ok"), http=Protocol, lifespan="off", log_config=None
        )
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started:
            await asyncio.sleep(0.01)
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"ok")
        writer.close()
        server.should_exit = True
        await running

    with socket.socket(socket.AF_INET) as bound:
        bound.bind(("127.0.0.1", 0))
        loops.run(serve(bound))
    (option,) = seen
    return not option


def test_answers_are_sent_at_once():
    assert delays(patched=False), "Answers are sent at once by themselves: take send_at_once out"
    assert not delays(patched=True), f"The HTTP protocol of uvicorn {IN} send_at_once"


def overlap(patched: bool) -> bool:
    """Return whether a run writes to the state of a session while another one reads it."""
    reading, go_on, written = threading.Event(), threading.Event(), threading.Event()

    class State(SessionState):
        def __getitem__(self, key):
            reading.set()
            assert go_on.wait(10)
            return key

    class Safe(SafeSessionState):
        pass

    if patched:
        streamlit_internals.share_locks(Safe)
    state = State()
    before, after = (Safe(state, lambda: None) for _ in range(2))

    def write():
        before["key"] = 1
        written.set()

    threads = [threading.Thread(target=lambda: after["key"]), threading.Thread(target=write)]
    threads[0].start()
    assert reading.wait(10)
    threads[1].start()
    overlapped = written.wait(0.2)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert written.is_set()
    return overlapped


def test_runs_of_a_session_share_a_lock():
    assert overlap(patched=False), "Runs share a lock by themselves: take share_locks out"
    assert not overlap(patched=True), f"SafeSessionState of Streamlit {IN} share_locks"
