"""Test the middleware by itself: accepted requests, and the content security policy."""

import asyncio
import base64
import hashlib
import subprocess
import sys
import tempfile
from collections import Counter
from types import SimpleNamespace

import loops
import numpy as np
import pytest
from starlette.datastructures import Headers
from starlette.requests import Request
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from dptopk.ui.server import middleware
from dptopk.ui.server.middleware import GuardedApp, foreign, policy
from dptopk.ui.server.session_limits import SessionLimits


def said(kind: str) -> bytes:
    return BackMsg(**{kind: True}).SerializeToString()


def heard(*messages: bytes) -> list[bytes]:
    """What the app hears of what a client says."""
    words = iter(
        [
            *({"type": "websocket.receive", "bytes": message} for message in messages),
            {"type": "websocket.disconnect"},
        ]
    )
    through: list[bytes] = []

    async def receive():
        return next(words)

    async def app(scope, receive, send):
        message = await receive()
        while message["type"] == "websocket.receive":
            through.append(message["bytes"])
            message = await receive()

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    loops.run(GuardedApp(app)(scope, receive, None))
    return through


def test_no_client_empties_the_caches_of_all():
    assert heard(said("clear_cache")) == []
    rest = [said("stop_script"), b"no message \xff", said("app_heartbeat"), b""]
    assert heard(said("clear_cache"), *rest, said("clear_cache")) == rest


def test_a_client_that_says_or_presses_too_much_at_once_is_hung_up_on():
    pressed = BackMsg()
    for name in "abc":
        assert heard(pressed.SerializeToString(), said("stop_script"))[1:] == [said("stop_script")]
        pressed.rerun_script.widget_states.widgets.add(id=name, trigger_value=True)
    for too_much in (pressed.SerializeToString(), b"x" * (middleware.MOST_SAID + 1)):
        assert heard(too_much, said("stop_script")) == []


def test_what_a_client_says_is_passed_on_so_many_times_a_second(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(middleware, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(middleware, "time", SimpleNamespace(monotonic=lambda: 100.0))
    heard(*[said("stop_script")] * (middleware.AT_ONCE + 3))
    at_once, later = slept[: middleware.AT_ONCE], slept[middleware.AT_ONCE :]
    assert max(at_once) <= 1e-9
    assert np.allclose(later[:3], [n / middleware.A_SECOND for n in (1, 2, 3)])


STREAM = {"type": "websocket", "path": "/_stcore/stream"}
QUESTION = {"type": "http", "method": "GET", "path": "/app/_stcore/host-config"}


def test_who_finds_no_seat_is_told_why_and_may_come_once_one_is_free():
    """A page asks its first question, then connects; both say the same."""

    async def app(scope, receive, send):
        if scope["type"] == "websocket":
            await scope["closed"].wait()
            if scope.get("breaks"):
                raise OSError
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})

    middleware, said = GuardedApp(app, SessionLimits(1, 9)), []

    async def offer():
        return {"type": "websocket.connect"}

    async def send(message):
        said.append(message.get("status") or message.get("code") or message.get("body"))

    async def come(kind, **more):
        said.clear()
        scope = {"headers": [], "client": ("192.0.2.1", 1), "closed": asyncio.Event()}
        await middleware(scope | kind | more, offer, send)
        return list(said)

    async def visits():
        for breaks in (False, True):
            closed = asyncio.Event()
            first = asyncio.create_task(come(STREAM, closed=closed, breaks=breaks))
            await asyncio.sleep(0)
            sentence = b'"1 sessions are open from your address:\\nclose one, and this page opens."'
            assert await come(QUESTION) == [503, sentence]
            assert await come(STREAM) == [1008]
            assert await come(QUESTION, client=("192.0.2.2", 1)) == [200]
            assert await come(QUESTION | {"path": "/_stcore/health"}) == [200]
            closed.set()
            await asyncio.gather(first, return_exceptions=True)
            assert await come(QUESTION) == [200]

    loops.run(visits())


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        *((origin, "a.org:80") for origin in ("http://a.org:80", "https://A.org:80", None)),
        ("https://[::1]:8501", "[::1]:8501"),
    ],
)
def test_a_page_of_this_site_may_ask(origin, host):
    assert not foreign(Headers({"host": host} | ({"origin": origin} if origin else {})))


OTHERS = [
    *("http://[", "http://]", "//[", "http://[v1.x]", "", "null", "http://", "a.org", "\xff"),
    *("x" * 70, "http://b.org", "http://a.org.b.org", "http://a.org:1", "http://b@a.org"),
]


@pytest.mark.parametrize("host", ["a.org", "", "["])
def test_any_other_origin_is_foreign_also_if_it_is_no_address(host):
    for origin in OTHERS:
        headers = Headers({"origin": origin} | ({"host": host} if host else {}))
        assert foreign(headers) is (origin != f"http://{host}"), origin


@pytest.mark.parametrize("scripts", [[], ["a = 1"], ["\n  a = 1\n", "b()"]])
def test_of_scripts_in_the_page_only_its_own_may_run(scripts):
    page = "".join(f"<script>{script}</script><script src='x.js'></script>" for script in scripts)
    (rule,) = (rule for rule in policy(page).split("; ") if rule.startswith("script-src "))
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert rule.split() == ["script-src", "'self'", "blob:", *(f"'sha256-{h}'" for h in hashes)]


def test_a_session_holds_its_newest_files_only_and_takes_one_at_a_time(monkeypatch):
    files = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr(
        middleware.runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=files)
    )
    monkeypatch.setattr(middleware, "UPLOAD", 100)
    monkeypatch.setattr(middleware, "MOST_UPLOADED", 200)
    watched = []  # also a session that has run no page, or that was closed meanwhile
    monkeypatch.setattr(middleware.session_expiry, "connected", str)
    monkeypatch.setattr(middleware.session_expiry, "EXPIRY", SimpleNamespace(watch=watched.append))
    under_way, most = Counter(), Counter()

    async def app(scope, receive, send):
        session, file_id = scope["path"].split("/")[-2:]
        under_way[session] += 1
        most[session] = max(most[session], under_way[session])
        await asyncio.sleep(0)
        files.add_file(session, UploadedFileRec(file_id, "a.csv", "text/csv", bytes(60)))
        under_way[session] -= 1

    async def uploads():
        made = GuardedApp(app, SessionLimits(1, 9))
        for session in ("a", "b"):
            paths = [f"/app/_stcore/upload_file/{session}/{i}" for i in range(20)]
            scopes = [
                {"type": "http", "method": "PUT", "path": path, "headers": []} for path in paths
            ]
            await asyncio.gather(*(made(scope, None, None) for scope in scopes))

    loops.run(uploads())
    assert most == {"a": 1, "b": 1}
    assert watched == ["a"] * 20 + ["b"] * 20
    held = {session: [*kept] for session, kept in files.file_storage.items()}
    assert held == {"a": ["18", "19"], "b": ["18", "19"]}


def test_an_upload_that_trickles_is_ended_and_lets_the_next_one_in(monkeypatch):
    monkeypatch.setattr(middleware, "SLOWEST_UPLOAD", 0.05)
    monkeypatch.setattr(middleware, "delete_oldest_uploads", lambda session, left: None)
    monkeypatch.setattr(middleware.session_expiry, "connected", str)
    monkeypatch.setattr(middleware.session_expiry, "EXPIRY", SimpleNamespace(watch=id))
    said = []

    async def app(scope, receive, send):
        while (await receive())["more_body"]:
            pass
        await loops.BEHIND(scope, receive, send)

    async def trickle():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def whole():
        return {"type": "http.request", "body": b"x", "more_body": False}

    async def send(message):
        said.append(message.get("status"))

    async def uploads():
        guarded, path = GuardedApp(app, SessionLimits(1, 9)), "/_stcore/upload_file/a/1"
        scope = {"type": "http", "method": "PUT", "path": path, "headers": []}
        for receive in (trickle, whole):
            await asyncio.wait_for(guarded(scope, receive, send), 5)

    loops.run(uploads())
    assert [status for status in said if status] == [408, 200]


def test_an_upload_arrives_in_memory_and_not_on_disk(monkeypatch):
    rolled = []
    monkeypatch.setattr(tempfile.SpooledTemporaryFile, "rollover", lambda file: rolled.append(1))
    size = 65 * 2**20 - 1_000  # a megabyte more than is accepted is read before it is refused
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
    body = head + bytes(size) + b"\r\n--x--\r\n"

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def file():
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        async with Request({"type": "http", "headers": headers}, receive).form() as form:
            return form["f"].size

    assert (loops.run(file()), rolled) == (size, [])


def test_the_server_waits_for_nothing_of_scipy_before_it_answers():
    code = "import sys, dptopk.ui.layout.shell; sys.exit('scipy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
