"""Test that answers are sent without waiting for the client's confirmation."""

import asyncio
import socket

import loops
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from dptopk.ui.server.middleware import send_at_once


def delays(patched: bool) -> bool:
    """Serve one request on a socket such as Streamlit makes; does the connection wait (Nagle)?"""
    seen = []

    class Protocol(AutoHTTPProtocol):
        pass

    if patched:
        send_at_once(Protocol)
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
    assert delays(patched=False)  # else the patch is not needed any more
    assert not delays(patched=True)
