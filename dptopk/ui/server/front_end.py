"""ASGI middleware: send Streamlit's page with the app's styles, and its scripts from memory.

As an element of a page the styles would come after the first elements that they style, which then
move (80 pixels, measured).

Streamlit (1.67) reads its scripts and styles anew each time, and sends them as they are: 120 files
until the first figure, 9.5 MB, of which Plotly is 4.7.  A class in one room loads them a hundred
times over one network.  Each is read once here, and compressed for other machines.  (Announcing
Plotly with the page, for browsers to load it early, was tried: the page came later and the figure
no earlier.)
"""

import asyncio
import gzip
from collections.abc import Collection
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dptopk.questions import settings

FOLDER = Path(st.__file__).parent / "static"
PAGE = (FOLDER / "index.html").read_text("utf-8")
_STYLES = {
    file.stem: file.read_text("utf-8")
    for file in (Path(__file__).parents[1] / "assets").glob("*.css")
}
_BEFORE = '<div id="root">'  # after the head, where Streamlit's own styles are, which they replace
_FILES = {file.name for file in FOLDER.iterdir()}
_NO_PAGE = ("/_stcore/", "/media/", "/component/", "/static/", "/auth/", "/oauth2callback", "..")

_TYPES = {".js": "text/javascript", ".css": "text/css"}
_HERE = ("127.0.0.1", "::1")  # where a browser has nothing to gain from compression
_LARGEST = "PlotlyChart."
# A comment that has Chromium compile all functions of a script beside the page, when it is loaded.
# It would compile Plotly's when the page first waits for it, and show numbers and table later.
_AHEAD = b"//# allFunctionsCalledOnLoad\n"


class FrontEnd:
    """ASGI middleware that answers requests for a page, and for its scripts and styles.

    ``own_slides`` are the names of pages that lay out their own slide.
    """

    def __init__(self, app: ASGIApp, own_slides: Collection[str] = ()):
        self._app, self._own_slides = app, own_slides
        files = (path for path in FOLDER.rglob("static/**/*") if path.suffix in _TYPES)
        self._files = {f"/{path.relative_to(FOLDER).as_posix()}": path for path in files}
        self._contents: dict[tuple[Path, bool], asyncio.Task[bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a page, a script or a style; forward any other."""
        answer = self._app
        if scope["type"] == "http" and scope["method"] == "GET":
            request, path = Request(scope), scope["path"]
            if file := self._files.get(path[max(path.find("/static/"), 0) :]):
                answer = await self._file(file, request)
            elif _is_for_page(request):
                answer = self._page(request)
        await answer(scope, receive, send)

    def _page(self, request: Request) -> Response:
        """Return the page with its styles, also those of a slide."""
        presented, in_deck = (
            request.query_params.get(parameter.key, "") not in ("", "0")
            for parameter in (settings.PRESENT, settings.SLIDE)
        )
        styles = f"<style>{_STYLES['look']}{_STYLES['print']}</style>"
        if presented or in_deck:
            is_lesson = request.scope["path"].rpartition("/")[2] in self._own_slides
            of_it = of_slide(in_deck=in_deck, is_lesson=is_lesson)
            styles += f'<style id="first-slide">{of_it}</style>'
        page = PAGE.replace(_BEFORE, styles + _BEFORE, 1)
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    async def _file(self, file: Path, request: Request) -> Response:
        """Return a script or style, which is read when it is first asked for."""
        gzipped = "gzip" in request.headers.get("accept-encoding", "")
        compressed = gzipped and (request.client is None or request.client.host not in _HERE)
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
        return Response(content, headers=headers, media_type=_TYPES[file.suffix])


def _is_for_page(request: Request) -> bool:
    """Return True if Streamlit would answer with its page, as it does for most addresses."""
    path = request.scope["path"]
    name = path.rpartition("/")[2]
    is_file = name in _FILES or any(part in path for part in _NO_PAGE)
    is_redirected = (not name and path != "/") or path.startswith("//")
    return "text/html" in request.headers.get("accept", "") and not is_file and not is_redirected


def of_slide(*, in_deck: bool, is_lesson: bool) -> str:
    """Return the styles of a slide, by itself or of a deck; a lesson lays out its own slide."""
    styles = _STYLES["presentation"]
    if in_deck or is_lesson:
        styles += _STYLES["deck"]
    return styles + (_STYLES["lesson_slide"] if is_lesson else "")


def _content(file: Path, compressed: bool) -> bytes:
    content = file.read_bytes()
    if file.name.startswith(_LARGEST):
        content = _AHEAD + content
    return gzip.compress(content, compresslevel=6, mtime=0) if compressed else content
