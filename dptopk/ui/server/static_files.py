"""ASGI middleware: send Streamlit's scripts and styles from memory, to other machines compressed.

Streamlit (1.67) reads them anew each time, and sends them as they are: 120 files until the first
figure, 9.5 MB, of which Plotly is 4.7.  A class in one room loads them a hundred times over one
network.  (Announcing Plotly with the page, for browsers to load it early, was tried: the page came
later and the figure no earlier.)
"""

import asyncio
import gzip
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(st.__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css"}
_HERE = ("127.0.0.1", "::1")
_LARGEST = "PlotlyChart."
# A comment that has Chromium compile all functions of a script beside the page, when it is loaded.
# It would compile Plotly's when the page first waits for it, and show numbers and table later.
_AHEAD = b"//# allFunctionsCalledOnLoad\n"


class StaticFiles:
    """ASGI middleware that reads, and compresses, each file once, when it is first asked for.

    A browser on this machine gets files as they are: it has nothing to gain.
    """

    def __init__(self, app: ASGIApp):
        self._app = app
        files = (path for path in FOLDER.rglob("static/**/*") if path.suffix in TYPES)
        self._files = {f"/{path.relative_to(FOLDER).as_posix()}": path for path in files}
        self._contents: dict[tuple[Path, bool], asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a script or style; forward any other."""
        path = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        file = self._files.get(path[max(path.find("/static/"), 0) :])
        if file is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        gzipped = "gzip" in request.headers.get("accept-encoding", "")
        elsewhere = request.client is None or request.client.host not in _HERE
        await (await self._answer(file, gzipped and elsewhere))(scope, receive, send)

    async def _answer(self, file: Path, compressed: bool) -> Response:
        kind = file, compressed
        read = self._contents.get(kind)
        if read is None or (read.done() and read.exception()):
            read = self._contents[kind] = asyncio.create_task(asyncio.to_thread(_content, *kind))
        content = await asyncio.shield(read)  # others may wait for it, too
        headers = {
            "Vary": "Accept-Encoding",
            "Cache-Control": "public, immutable, max-age=31536000",  # names change with contents
        }
        if compressed:
            headers["Content-Encoding"] = "gzip"
        return Response(content, headers=headers, media_type=TYPES[file.suffix])


def _content(file: Path, compressed: bool) -> bytes:
    content = file.read_bytes()
    if file.name.startswith(_LARGEST):
        content = _AHEAD + content
    return gzip.compress(content, compresslevel=6, mtime=0) if compressed else content
