"""ASGI middleware: send Streamlit's scripts and styles compressed.

Streamlit (1.67) sends its files as they are: 9.5 MB until the first figure, of which Plotly is 4.7.
A class in one room loads them a hundred times over one network.  (Announcing Plotly with the page,
for browsers to load it early, was tried: the page came later and the figure no earlier.)
"""

import asyncio
import gzip
from ipaddress import ip_address
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER = Path(st.__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css"}


class StaticFiles:
    """ASGI middleware that compresses each file once, when it is first asked for.

    A browser on this machine gets files as they are: it has nothing to gain.
    """

    def __init__(self, app: ASGIApp):
        self._app = app
        files = (path for path in FOLDER.rglob("static/**/*") if path.suffix in TYPES)
        self._files = {f"/{path.relative_to(FOLDER).as_posix()}": path for path in files}
        self._compressed: dict[Path, asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a script or style; forward any other."""
        if scope["type"] == "http" and (file := self._asked(scope)) is not None:
            await (await self._answer(file))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _asked(self, scope: Scope) -> Path | None:
        """Return the file that is asked for, if the client takes it compressed."""
        path = scope["path"]
        file = self._files.get(path[max(path.find("/static/"), 0) :])
        takes = Headers(scope=scope).get("accept-encoding", "")
        encodings = {each.strip().lower() for each in takes.split(",")}
        if scope["method"] != "GET" or "gzip" not in encodings or _is_local(scope):
            return None
        return file

    async def _answer(self, file: Path) -> Response:
        if file not in self._compressed:
            self._compressed[file] = asyncio.create_task(asyncio.to_thread(_compressed, file))
        content = await asyncio.shield(self._compressed[file])  # others may wait for it, too
        headers = {
            "Content-Encoding": "gzip",
            "Vary": "Accept-Encoding",
            "Cache-Control": "public, immutable, max-age=31536000",  # names change with contents
        }
        return Response(content, headers=headers, media_type=TYPES[file.suffix])


def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), compresslevel=6, mtime=0)


def _is_local(scope: Scope) -> bool:
    """Return True if the client is a program of this machine."""
    try:
        return ip_address(scope["client"][0]).is_loopback
    except (KeyError, TypeError, ValueError):  # no address, or none of a network
        return False
