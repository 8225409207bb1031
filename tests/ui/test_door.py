"""The door by itself: which words of a client come through, and what a browser may run."""

import asyncio
import base64
import hashlib

import pytest
from starlette.requests import Request
from streamlit.proto.BackMsg_pb2 import BackMsg

from dptopk.ui.door import Door, policy


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
    asyncio.run(Door(app)(scope, receive, None))
    return through


def test_no_client_empties_the_caches_of_all():
    assert heard(said("clear_cache")) == []
    rest = [said("stop_script"), b"no message \xff", said("app_heartbeat"), b""]
    assert heard(said("clear_cache"), *rest, said("clear_cache")) == rest


@pytest.mark.parametrize("scripts", [[], ["a = 1"], ["\n  a = 1\n", "b()"]])
def test_of_scripts_in_the_page_only_its_own_may_run(scripts):
    page = "".join(f"<script>{script}</script><script src='x.js'></script>" for script in scripts)
    (rule,) = (rule for rule in policy(page).split("; ") if rule.startswith("script-src "))
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert rule.split() == ["script-src", "'self'", "blob:", *(f"'sha256-{h}'" for h in hashes)]


def test_an_upload_arrives_in_memory_and_not_on_disk():
    size = 64 * 2**20 - 1_000
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
    body = head + bytes(size) + b"\r\n--x--\r\n"

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def file():
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        async with Request({"type": "http", "headers": headers}, receive).form() as form:
            return form["f"].size, form["f"].file._rolled  # into a file

    assert asyncio.run(file()) == (size, False)
