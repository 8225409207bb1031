"""Test that incomplete requests that stall are closed, and no others."""

import asyncio
import contextlib

import loops
import pytest
import uvicorn
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from dptopk.ui.server import middleware
from dptopk.ui.server.middleware import GuardedApp, end_half_sent

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = HEAD + (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: " + b"x" * 60_000 + b"\r\n\r\n"
)
BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"


async def slow(scope, receive, send):
    """Answer after longer than a head may take, and say how much was sent."""
    n, more = 0, True
    while more:
        message = await receive()
        if scope["path"] == "/read" and message["type"] == "http.disconnect":
            raise ClientDisconnect  # as Starlette does where it reads a form
        n += len(message.get("body", b""))
        more = message.get("more_body", False)
    await asyncio.sleep(0.6)
    length = (b"content-length", b"1")
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": str(n).encode()})


@contextlib.asynccontextmanager
async def connected():
    """A connection to a server that waits 0.3 s for a head."""

    class Patient(AutoHTTPProtocol):
        pass

    end_half_sent(Patient, 0.3)
    config = uvicorn.Config(
        GuardedApp(slow),
        port=0,
        http=Patient,
        ws="websockets-sansio",  # as Streamlit has it
        lifespan="off",
        log_config=None,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = True
        await running


def answers_to(*parts: bytes) -> list[bytes]:
    """Last bytes of what comes back after each part; nothing where the connection is closed."""

    async def ask():
        found = []
        async with connected() as (reader, writer):
            for part in parts:
                writer.write(part)
                try:
                    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
                    found.append(await reader.read(1) if b"200 OK" in head else head)
                except asyncio.IncompleteReadError:
                    return [*found, b""]
        return found

    return loops.run(ask())


@pytest.mark.parametrize("half", [b"", HEAD, UPGRADE])
def test_a_head_that_does_not_end_is_waited_for_no_longer(half):
    assert answers_to(half) == [b""]


def test_whole_requests_are_answered_however_long_that_takes_and_the_next_one_must_be_whole():
    whole = HEAD + b"\r\n"
    assert answers_to(whole, BODY + b"123456789", whole, HEAD) == [b"0", b"9", b"0", b""]


def test_who_stops_in_the_middle_of_a_body_has_left(monkeypatch):
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.2)
    assert answers_to(BODY + b"1234") == [b"4"]  # the app is not kept waiting
    (answer,) = answers_to(BODY.replace(b"/", b"/read", 1) + b"1234")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer.lower()
