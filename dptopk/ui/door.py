"""The door of the server: whom it lets in, and what goes with everything it gives out.

Left to itself Streamlit (1.67) asks a public service for the address of this machine when a
request comes from another site, lets any client empty the caches of all, tells anybody who asks
what is in its memory, writes parts of an upload to disk, and sends no header that tells a browser
to be careful.  All of it is mended here and holds however the server is published.  Nor does it
bound the number of sessions: `seats` does, and who finds none is told so by Streamlit's page, which
shows what its first question is answered with, and asks again and again.  Starlette is the
framework that Streamlit's server is made of.
"""

import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from dptopk.ui.seats import Seats

_CLOSED = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
_FIRST_QUESTION = "/_stcore/host-config"  # of every page before it connects
_PAGE = Path(st.__file__).parent / "static" / "index.html"
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class Door:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, seats: Seats | None = None):
        self._app = app
        self._seats = seats or Seats.of_environment()
        self._headers = {
            "Content-Security-Policy": policy(_PAGE.read_text(encoding="utf-8")),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say no."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        else:
            await self._answer(scope, receive, self._dressed(send))

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = _address(scope)
        if foreign(Headers(scope=scope)) or self._seats.refusal(address):
            await receive()  # the offer to connect
            await send({"type": "websocket.close", "code": 1008})
            return
        self._seats.take(address)
        try:
            await self._app(_without_origin(scope), _careful(receive), send)
        finally:
            self._seats.leave(address)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if foreign(Headers(scope=scope)):
            foreigner = PlainTextResponse("Requests of other sites are not answered.", 403)
            await foreigner(scope, receive, send)
        elif any(closed in scope["path"] for closed in _CLOSED):
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        elif scope["path"].endswith(_FIRST_QUESTION) and (
            refusal := self._seats.refusal(_address(scope))
        ):
            await JSONResponse(refusal, 503)(scope, receive, send)  # the page shows no other text
        else:
            await self._app(_without_origin(scope), receive, send)

    def _dressed(self, send: Send) -> Send:
        """Send with our headers."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        return dressed


def foreign(headers: Headers) -> bool:
    """Whether the page that asks is of another site than the one that is asked."""
    origin = headers.get("origin")
    if origin is None or origin in st.get_option("server.corsAllowedOrigins"):
        return False
    return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def policy(page: str) -> str:
    """What a browser may load and run: this server's files, and of scripts the page's own."""
    inline = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page))
    own = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in inline)
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {own}",  # blob: how Streamlit loads a component's script
        "style-src": "'self' 'unsafe-inline'",  # Streamlit and Plotly style as they go
        "img-src": "'self' blob: data:",  # pictures of figures are drawn in the browser
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def _address(scope: Scope) -> str:
    """Where a request comes from; a proxy is believed on it by uvicorn, if it is trusted."""
    client = scope.get("client")
    return client[0] if client else ""


def _without_origin(scope: Scope) -> Scope:
    """The request without its origin, which was judged: Streamlit would judge it its own way."""
    headers = [pair for pair in scope["headers"] if pair[0] != b"origin"]
    return {**scope, "headers": headers}


def _careful(receive: Receive) -> Receive:
    """What a client says, without what would empty the caches of all."""

    async def careful() -> Message:
        message = await receive()
        while message["type"] == "websocket.receive" and _empties_caches(message.get("bytes")):
            message = await receive()
        return message

    return careful


def _empties_caches(said: bytes | None) -> bool:
    try:
        return said is not None and BackMsg.FromString(said).WhichOneof("type") == "clear_cache"
    except DecodeError:  # no message at all: Streamlit ends such a connection
        return False


# An upload arrives in memory: above this size it would be written to a temporary file.
MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 2**20
DOOR = Middleware(Door)
