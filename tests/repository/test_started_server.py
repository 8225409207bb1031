"""Test the server as started by the README: its address, clients and outgoing requests."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest
from started_server import ROOT, Started, start_command, visited
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus

from dptopk.ui.server.middleware import MOST_SAID

ONE_OF_A_CLIENT = {"DPTOPK_SESSIONS_OF_CLIENT": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [True, False])
def test_a_proxy_is_believed_on_where_sessions_come_from_if_it_is_trusted(tmp_path, trusted):
    """What deploy/ says of a proxy: this machine is one, unless another is named."""
    other = {} if trusted else {"FORWARDED_ALLOW_IPS": "192.0.2.9"}
    here = [str(ROOT / "app.py") if part == "app.py" else part for part in start_command()]
    server = Started(tmp_path, here, tmp_path, **ONE_OF_A_CLIENT, **other)  # from another folder
    question = "/_stcore/host-config"
    one, other_one = ({"X-Forwarded-For": f"192.0.2.{n}"} for n in (1, 2))
    with server.session(**one) as session:
        visited(session)
        assert server.status(question, **one) == 503
        with pytest.raises(InvalidStatus, match="403"), server.session(**one):
            pass
        assert server.status(question, **other_one) == (200 if trusted else 503)
    server.stop()
    assert server.looked() == [f"socket.bind ('127.0.0.1', {server.port})"]


@pytest.mark.slow
def test_a_server_that_would_let_nobody_in_does_not_start(tmp_path):
    command = [*start_command(), "--server.port", "0"]
    own = os.environ | {"DPTOPK_SESSIONS": "0", "HOME": str(tmp_path)}
    how = {"capture_output": True, "text": True, "timeout": 60, "check": False}
    done = subprocess.run(command, cwd=ROOT, env=own, **how)
    assert done.returncode
    words = "dptopk does not start: DPTOPK_SESSIONS must be a number from 1 on, got '0'"
    assert done.stderr.splitlines()[-1:] == [words]
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """As the README says, in a clone."""
    server = Started(tmp_path_factory.mktemp("clone"), start_command(), ROOT)
    yield server
    server.stop()


@pytest.mark.slow
def test_it_listens_on_this_machine_only_and_asks_nobody(started):
    own = f"http://127.0.0.1:{started.port}"
    assert started.status("/", Origin=own) == 200
    with started.session(origin=own) as session:
        visited(session)
    for foreign in ("https://example.com", "null", f"http://127.0.0.1:{started.port + 1}"):
        assert started.status("/_stcore/health", Origin=foreign) == 403
        with pytest.raises(InvalidStatus, match="403"), started.session(origin=foreign):
            pass
    assert started.looked() == [f"socket.bind ('127.0.0.1', {started.port})"]
    assert re.findall(r"https?://\S+", started.said()) == [own]


def test_a_name_that_was_made_to_lead_here_gets_no_session(started):
    with started.session(host="localhost") as session:
        visited(session)
    for host in ("example.com", "127.0.0.1.example.com"):
        for origin in (None, f"http://{host}:{started.port}"):
            with pytest.raises(InvalidStatus, match="403"), started.session(host, origin):
                pass


@pytest.mark.parametrize("size", [MOST_SAID, 16_000_000])  # by the app; before it has arrived
def test_a_message_that_is_too_large_ends_the_session(started, size):
    message = BackMsg()
    message.rerun_script.query_string = "x" * size

    def say_too_much(session):
        session.send(message.SerializeToString())
        while True:
            session.recv(timeout=60)

    with started.session() as session, pytest.raises(ConnectionClosed):
        say_too_much(session)


def test_what_the_server_knows_of_itself_is_closed(started):
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/script-health-check"):
        assert started.status(path) == 404


def test_every_answer_tells_the_browser_to_be_careful(started):
    for path in ("/", "/errors", "/_stcore/health", "/favicon.png"):
        with started.ask(path) as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
            rules = dict(
                rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; ")
            )
        assert rules["default-src"] == rules["frame-ancestors"] == "'self'"
        assert rules["object-src"] == rules["base-uri"] == "'none'"
        assert not re.search("unsafe|https?:|[*]", rules["script-src"])


@pytest.mark.slow
def test_the_container_holds_all_that_the_app_needs_and_answers_to_its_site_alone(tmp_path):
    lines = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8").splitlines()
    for source in (line.split()[1] for line in lines if line.startswith("COPY ")):
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tmp_path / source)
        else:
            shutil.copy(ROOT / source, tmp_path)
    settings = [line.split()[1:] for line in lines if line.startswith("ENV ")]
    environment = dict(pair.split("=", 1) for line in settings for pair in line)
    compose = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    given = re.findall(r"^ +(STREAMLIT_\w+): \$\{SITE\b", compose, re.MULTILINE)
    environment |= dict.fromkeys(given, "topk.example.org")
    (command,) = (line.removeprefix("CMD ") for line in lines if line.startswith("CMD "))
    program, *arguments = json.loads(command)
    assert program == "streamlit"
    server = Started(tmp_path, [sys.executable, "-m", program, *arguments], tmp_path, **environment)
    with server.session("topk.example.org", f"https://topk.example.org:{server.port}") as session:
        visited(session)
    with pytest.raises(InvalidStatus, match="403"), server.session("localhost"):
        pass
    server.stop()
    assert server.looked() == [f"socket.bind ('0.0.0.0', {server.port})"]


@pytest.mark.slow
def test_a_run_of_a_session_begins_when_the_one_before_has_ended(tmp_path):
    """Streamlit has two at once, and the former removes the state that the next one reads."""
    command = [sys.executable, "-m", "streamlit", "run", "tests/toys/slow_page.py"]
    server = Started(tmp_path, command, ROOT, PYTHONPATH=str(ROOT))
    with server.session() as session:
        visited(session)
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        session.send(asked.SerializeToString())
        time.sleep(0.3)
        said = visited(session)
    server.stop()
    texts = [message.delta.new_element.text.body for message in said]
    assert [text for text in texts if text] == ["at once: 1"]
