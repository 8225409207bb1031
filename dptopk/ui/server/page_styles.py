"""ASGI middleware: send Streamlit's page with the app's styles.

As an element of a page they would come after the first elements that they style, which then move
(80 pixels, measured).
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dptopk.questions import settings

PAGE = Path(st.__file__).parent / "static" / "index.html"
_ASSETS = Path(__file__).parents[1] / "assets"
_STYLES = {file.stem: file.read_text("utf-8") for file in _ASSETS.glob("*.css")}
_BEFORE = '<div id="root">'  # after the head, where Streamlit's own styles are, which they replace
_FILES = {file.name for file in PAGE.parent.iterdir()}
_NO_PAGE = ("/_stcore/", "/media/", "/component/", "/static/", "/auth/", "/oauth2callback", "..")


class PageStyles:
    """ASGI middleware that answers a request for a page, with styles ahead of its contents.

    ``own_slides`` are the names of pages that lay out their own slide.
    """

    def __init__(self, app: ASGIApp, own_slides: Collection[str] = ()):
        self._app, self._own_slides = app, own_slides
        self._page = PAGE.read_text("utf-8")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a page; forward any other."""
        if scope["type"] != "http" or not _is_for_page(request := Request(scope)):
            await self._app(scope, receive, send)
            return
        styles = self._styles(scope["path"].rpartition("/")[2], request.query_params)
        page = self._page.replace(_BEFORE, styles + _BEFORE, 1)
        await HTMLResponse(page, headers={"Cache-Control": "no-cache"})(scope, receive, send)

    def _styles(self, page: str, query: Mapping[str, str]) -> str:
        """Return the styles of a page that is asked for, also as a slide, as elements of HTML."""
        presented, in_deck = (
            query.get(parameter.key, "") not in ("", "0")
            for parameter in (settings.PRESENT, settings.SLIDE)
        )
        look = f"<style>{_STYLES['look']}{_STYLES['print']}</style>"
        if presented or in_deck:
            styles = of_slide(in_deck=in_deck, is_lesson=page in self._own_slides)
            return f'{look}<style id="first-slide">{styles}</style>'
        return look


def _is_for_page(request: Request) -> bool:
    """Return True if Streamlit would answer with its page, as it does for most addresses."""
    path = request.scope["path"]
    name = path.rpartition("/")[2]
    is_file = name in _FILES or any(part in path for part in _NO_PAGE)
    is_redirected = (not name and path != "/") or path.startswith("//")
    is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return is_page and not is_file and not is_redirected


def of_slide(*, in_deck: bool, is_lesson: bool) -> str:
    """Return the styles of a slide, by itself or of a deck; a lesson lays out its own slide."""
    styles = _STYLES["presentation"]
    if in_deck or is_lesson:
        styles += _STYLES["deck"]
    return styles + (_STYLES["lesson_slide"] if is_lesson else "")
