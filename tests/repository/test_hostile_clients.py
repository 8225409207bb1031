"""Test that what clients hold goes with them, and that they fill no log, whatever they send."""

import contextlib
import http.client
import re
import socket
import time
import uuid
from pathlib import Path

import pytest
from started_server import ROOT, Started, start_command, visited
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

END = b"\r\n--x--\r\n"
MB = 2**20
NAME = "Anna Smith"
MALFORMED = [
    {"json_value": f'{{"{NAME}'},
    {"json_value": "[" * 100_000},
    {"json_value": "1" * 5_000},
    {"string_value": NAME},
    {"double_value": 1e308},
    {"double_value": float("nan")},
    {"int_value": 2**63 - 1},
    {"bytes_value": b"\xff"},
    {"trigger_value": True},
    {"json_trigger_value": NAME},
    {"double_array_value": {"data": [float("inf")] * 3}},
    {"file_uploader_state_value": {"uploaded_file_info": [{"file_id": NAME, "size": 2**40}]}},
]


# as the README starts it, but that it waits less for a tab that lost its connection
IMPATIENT = """
import runpy, sys
from dptopk.ui.server import session_expiry
session_expiry.KEPT_SECONDS, session_expiry.EVERY_SECONDS = 12.0, 1.0
sys.argv[0] = "streamlit"
runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    python, _, streamlit, *rest = start_command()
    assert streamlit == "streamlit"
    command, folder = [python, "-c", IMPATIENT, *rest], tmp_path_factory.mktemp("hostile")
    started = Started(folder, command, ROOT, OPENBLAS_NUM_THREADS="1")
    yield started
    started.stop()


def begun_upload(server: Started, session: str, size: int) -> http.client.HTTPConnection:
    """A connection on which all of a file was sent but its `END`."""
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
    token = generate_xsrf_token_string()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest("PUT", f"/_stcore/upload_file/{session}/{uuid.uuid4()}")
    connection.putheader("Content-Type", "multipart/form-data; boundary=x")
    connection.putheader("Content-Length", str(len(head) + size + len(END)))
    connection.putheader("X-Xsrftoken", token)
    connection.putheader("Cookie", f"_streamlit_xsrf={token}")
    connection.endheaders(head)
    connection.send(bytes(size))
    return connection


def status(connection: http.client.HTTPConnection) -> int:
    """What is answered to the end of a file."""
    with contextlib.closing(connection):
        connection.send(END)
        return connection.getresponse().status


def named(session) -> str:
    """The name of a session, for which a client may ask before it runs a page."""
    message = BackMsg(file_urls_request={"request_id": "1", "file_names": ["a.csv"]})
    session.send(message.SerializeToString())
    urls: list = []
    while not urls:
        urls = ForwardMsg.FromString(session.recv(timeout=60)).file_urls_response.file_urls
    return urls[0].upload_url.split("/")[-2]


def held(server: Started) -> tuple[int, int, int]:
    """Megabytes, threads and open files of the server."""
    process = Path(f"/proc/{server.pid}")
    status = (process / "status").read_text(encoding="ascii")
    megabytes, threads = (
        int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)[1])
        for name in ("VmRSS", "Threads")
    )
    return megabytes // 1024, threads, len(list((process / "fd").iterdir()))


def wait_until_left(server: Started, before: tuple[int, int, int]) -> None:
    """Wait, a minute at most, until the server holds no more than before: 40 MB, 10 files.

    A pool keeps some threads.
    """
    until = time.monotonic() + 60
    while True:
        megabytes, threads, files = (
            now - then for now, then in zip(held(server), before, strict=True)
        )
        if megabytes < 40 and threads < 5 and files < 10:
            return
        assert time.monotonic() < until, (megabytes, threads, files)
        time.sleep(1)


@pytest.mark.slow
def test_what_a_session_holds_goes_with_it_whatever_its_client_sent(server):
    with server.session() as first:
        widgets = {
            element.id
            for message in visited(first)
            for element in [message.delta.new_element.slider, message.delta.new_element.selectbox]
            if element.id
        }
        before = held(server)
    for first_of_two in range(0, len(MALFORMED), 2):
        with server.session() as session:
            visited(session)
            assert status(begun_upload(server, named(session), 20 * MB)) == 204
            for malformed in MALFORMED[first_of_two : first_of_two + 2]:
                # two at once: of more presses, or more text, the server would hang up
                some = sorted(widgets)[first_of_two % 4 :][:2]
                visited(session, *(WidgetState(id=widget, **malformed) for widget in some))
    with server.session() as session:  # without a page
        assert status(begun_upload(server, named(session), 20 * MB)) == 204
    assert held(server)[0] > before[0] + 60  # of the last sessions at least
    wait_until_left(server, before)
    with server.session() as session:
        assert visited(session)[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    assert NAME not in server.said()
    assert "Traceback" not in server.said()


@pytest.mark.slow
def test_sixty_sessions_that_leave_while_they_wait_for_their_page_leave_nothing(server):
    with server.session() as first:
        visited(first)
        before = held(server)
    message = BackMsg()
    message.rerun_script.query_string = ""
    with contextlib.ExitStack() as opened:
        sessions = [opened.enter_context(server.session()) for _ in range(60)]
        for session in sessions:
            session.send(message.SerializeToString())
        for session in sessions:
            session.socket.shutdown(socket.SHUT_RDWR)
    wait_until_left(server, before)


@pytest.mark.slow
def test_who_does_not_know_the_name_of_a_session_gets_and_gives_it_no_file(server):
    with server.session() as session, server.session() as other:
        name, told = named(session), b"".join(each.SerializeToString() for each in visited(other))
        assert name.encode() not in told
        assert status(begun_upload(server, name, 1)) == 204
        for guess in (str(uuid.uuid4()), name[:-1], name.upper(), "*", "..", ""):
            assert status(begun_upload(server, guess, 1)) in (400, 404, 405)
        assert server.status(f"/media/{'0' * 32}.csv") == 404
