"""ASGI middleware: send Streamlit's page with the app's styles.

As an element of a page they would come after the first elements that they style, which then move
(80 pixels, measured).
"""

import functools
from collections.abc import Collection
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dptopk.questions import settings

PAGE = Path(st.__file__).parent / "static" / "index.html"
_ASSETS = Path(__file__).parents[1] / "assets"
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
        if not _asks_for_page(scope):
            await self._app(scope, receive, send)
            return
        asked_for = scope["path"].rpartition("/")[2], scope["query_string"].decode("latin-1")
        styles = _of_page(*asked_for, self._own_slides)
        page = self._page.replace(_BEFORE, styles + _BEFORE, 1)
        await HTMLResponse(page, headers={"Cache-Control": "no-cache"})(scope, receive, send)


def _asks_for_page(scope: Scope) -> bool:
    """Return True if Streamlit would answer with its page, as it does for most addresses."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    path = scope["path"]
    name = path.rpartition("/")[2]
    is_file = name in _FILES or any(part in path for part in _NO_PAGE)
    is_redirected = (not name and path != "/") or path.startswith("//")
    accepted = Headers(scope=scope).get("accept", "")
    return "text/html" in accepted and not is_file and not is_redirected


def of_slide(*, in_deck: bool, is_lesson: bool) -> str:
    """Return the styles of a slide, by itself or of a deck; a lesson lays out its own slide."""
    styles = _read("presentation.css")
    if in_deck or is_lesson:
        styles += _read("deck.css")
    return styles + (_read("lesson_slide.css") if is_lesson else "")


def _of_page(page: str, query: str, own_slides: Collection[str]) -> str:
    """Return the styles of a page that is asked for, also as a slide, as elements of HTML."""
    asked = dict(parse_qsl(query))
    presented, in_deck = (
        asked.get(parameter.key, "0") != "0" for parameter in (settings.PRESENT, settings.SLIDE)
    )
    look = f"<style>{_read('look.css')}{_read('print.css')}</style>"
    if presented or in_deck:
        styles = of_slide(in_deck=in_deck, is_lesson=page in own_slides)
        return f'{look}<style id="first-slide">{styles}</style>'
    return look


@functools.cache
def _read(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")
