"""ASGI middleware: access control, limits and security headers.

By default Streamlit (1.67) asks a public service for the address of this machine when a request
comes from another site, lets any client clear the caches of all sessions, exposes memory
statistics, writes parts of an upload to disk, and sends no security headers.  This middleware
prevents that however the server is published.  Streamlit does not limit the number of sessions
either: `session_limits` does, and Streamlit's page shows the refusal, which answers its first
request, and tries again.  How long a request may take to arrive is for the proxy to say (deploy/),
but for an upload: without one the server listens on this machine only.  Streamlit's server uses the
framework Starlette.
"""

import asyncio
import base64
import gc
import hashlib
import importlib
import inspect
import re
import threading
import time
from collections.abc import Collection
from functools import partial
from weakref import WeakValueDictionary

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dptopk.ui.server import session_expiry, streamlit_internals
from dptopk.ui.server.front_end import PAGE, FrontEnd
from dptopk.ui.server.session_limits import SessionLimits

UPLOAD = st.get_option("server.maxUploadSize") * 2**20
MOST_UPLOADED = 2 * UPLOAD
"""Most bytes of files that one session holds: the one that is read, and one before it."""

SLOWEST_UPLOAD = 600.0
"""Most seconds in which a file arrives: 64 MB take 0.9 Mbit/s.  Proxies limit HTTP/1.1 alone."""

MOST_SAID = 2**18
"""Most bytes of one message of a browser, whose longest text is of 20,000 characters."""

MOST_PRESSED = 2
"""Most buttons that one message presses: Streamlit collects them until a run has ended."""

A_SECOND, AT_ONCE = 10, 20
"""Messages of one browser that are passed on in a second, and as many more at once."""

_CLOSED = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
_FIRST_QUESTION = "/_stcore/host-config"  # of every page before it connects
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+")
_HANG_UP: Message = {"type": "websocket.disconnect", "code": 1009}
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class GuardedApp:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, limits: SessionLimits | None = None):
        self._app = app
        self._limits = limits or SessionLimits.of_environment()
        self._uploading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._headers = {
            "Content-Security-Policy": policy(PAGE),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        is_foreign = foreign(Headers(scope=scope))
        client, *_ = scope.get("client") or ("",)  # of the headers of a trusted proxy, by uvicorn
        # Streamlit would check the origin differently
        scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"origin"]}
        if scope["type"] == "http":
            await self._answer(scope, receive, self._dressed(send), client, is_foreign)
        elif is_foreign or self._limits.refusal(client):
            await receive()  # the offer to connect
            await send({"type": "websocket.close", "code": 1008})
        else:
            self._limits.take(client)
            try:
                await self._app(scope, _careful(receive), send)
            finally:
                self._limits.leave(client)

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, client: str, is_foreign: bool
    ) -> None:
        answer, path = self._app, scope["path"]
        if is_foreign:
            answer = PlainTextResponse("Requests of other sites are not answered.", 403)
        elif any(closed in path for closed in _CLOSED):
            answer = PlainTextResponse("Not found", 404)
        elif path.endswith(_FIRST_QUESTION) and (refusal := self._limits.refusal(client)):
            answer = JSONResponse(refusal, 503)  # the page shows no other text
        elif scope["method"] == "PUT" and (upload := _UPLOAD.search(path)):
            answer = partial(self._upload, upload[1])
        await answer(scope, receive, send)

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Receive one file of a session at a time, deleting older ones beyond the limit."""
        one = self._uploading.setdefault(session, asyncio.Lock())
        holder = session_expiry.connected(session)
        try:
            async with asyncio.timeout(SLOWEST_UPLOAD), one:
                delete_oldest_uploads(session, MOST_UPLOADED - UPLOAD)
                await self._app(scope, receive, send)
        except TimeoutError:
            await PlainTextResponse("The file took too long.", 408)(scope, receive, send)
        finally:
            session_expiry.EXPIRY.watch(holder)  # it may have run no page, or be closed by now

    def _dressed(self, send: Send) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        return dressed


def delete_oldest_uploads(session: str, left: int) -> None:
    """Delete the oldest uploads of a session until at most so many bytes are left."""
    files = runtime.get_instance().uploaded_file_mgr
    assert isinstance(files, MemoryUploadedFileManager), "uploads of Streamlit are bounded by this"
    held = list(files.file_storage.get(session, {}).values())
    total = sum(len(file.data) for file in held)
    for file in held:
        if total <= left:
            return
        files.remove_file(session, file.file_id)
        total -= len(file.data)


def foreign(headers: Headers) -> bool:
    """Return True if a request comes from a page of another site."""
    origin = headers.get("origin")
    if origin is None or origin in st.get_option("server.corsAllowedOrigins"):
        return False
    host = headers.get("host", "").lower()
    return origin.lower() not in (f"http://{host}", f"https://{host}")


def policy(page: str) -> str:
    """Return the content security policy: this server's files and the page's own scripts."""
    inline = (hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page))
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in inline)
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {hashes}",  # blob: how Streamlit loads a component's script
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


def _careful(receive: Receive) -> Receive:
    """Wrap ``receive`` to drop messages that clear all caches, and to bound the others.

    Without a bound, some megabytes of presses hold up all sessions for a minute.
    """
    due = 0.0

    async def careful() -> Message:
        nonlocal due
        while True:
            message = await receive()
            content = message.get("bytes") or b""
            if len(content) > MOST_SAID:
                return _HANG_UP
            due = max(due, time.monotonic() - AT_ONCE / A_SECOND) + 1 / A_SECOND
            await asyncio.sleep(due - time.monotonic())
            try:
                heard = BackMsg.FromString(content)
            except DecodeError:  # no message at all: Streamlit ends such a connection
                return message
            states = heard.rerun_script.widget_states.widgets
            kinds = (state.WhichOneof("value") or "" for state in states)
            if sum(kind.endswith("trigger_value") for kind in kinds) > MOST_PRESSED:
                return _HANG_UP
            if heard.WhichOneof("type") != "clear_cache":
                return message

    return careful


# An upload arrives in memory: above this size it would be written to a temporary file.  Streamlit
# reads a megabyte more than a file may have before it refuses one.
MultiPartParser.spool_max_size = UPLOAD + 2 * 2**20


_AHEAD = (
    "dptopk.ui.layout.shell",
    "dptopk.ui.sections.releases",
    "dptopk.ui.sections.draws",
    "dptopk.ui.widgets.moving_ranks",
    "pandas.io.formats.style",
    "streamlit.emojis",
    "streamlit.material_icon_names",
    "scipy.optimize",  # last, as the first page does without
)


def _prepare() -> None:
    """Do once what the first visitor's run would wait for, while they load Streamlit's scripts.

    Excluded from garbage collection, imported modules do not cost 40 ms of each full collection.
    """
    for module in _AHEAD:
        importlib.import_module(module)
    inspect.stack()  # Streamlit asks it once; the first time it reads the paths of all modules
    gc.collect()
    gc.freeze()


def at_start(own_slides: Collection[str] = ()) -> list[Middleware]:
    """Return the middleware of a server that starts, the outermost first.

    ``own_slides`` are the names of pages that lay out their own slide.
    """
    streamlit_internals.send_at_once()
    streamlit_internals.share_locks()
    threading.Thread(target=_prepare, daemon=True).start()
    guard = Middleware(GuardedApp, limits=SessionLimits.of_environment())
    return [guard, Middleware(FrontEnd, own_slides=own_slides)]
