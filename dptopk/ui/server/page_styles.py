"""ASGI middleware: send the app's styles with Streamlit's page.

As an element of a page they would come after the first elements that they style, which then move
(80 pixels, measured).
"""

import functools
from collections.abc import Collection
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dptopk.questions import settings

_ASSETS = Path(__file__).parents[1] / "assets"
_BEFORE = b'<div id="root">'  # after the head, where Streamlit's own styles are, which they replace
_NOT_PASSED = (
    *(b"if-none-match", b"if-modified-since"),  # asked of Streamlit's page alone
    b"accept-encoding",  # what is compressed cannot be changed
)


class PageStyles:
    """ASGI middleware that adds styles to the pages that pass, ahead of their contents.

    ``own_slides`` are the names of pages that lay out their own slide.
    """

    def __init__(self, app: ASGIApp, own_slides: Collection[str] = ()):
        self._app, self._own_slides = app, own_slides

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, a page with the styles."""
        asked = Headers(scope=scope).get("accept", "") if scope["type"] == "http" else ""
        if "text/html" not in asked or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers = [pair for pair in scope["headers"] if pair[0] not in _NOT_PASSED]
        asked_for = scope["path"].rpartition("/")[2], scope["query_string"].decode("latin-1")
        added = _of_page(*asked_for, self._own_slides).encode()
        start: Message | None = None
        body = b""

        async def styled(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    page = body.replace(_BEFORE, added + _BEFORE, 1)
                    own = MutableHeaders(scope=start)
                    own["Content-Length"] = str(len(page))
                    for of_file in ("ETag", "Last-Modified"):  # of Streamlit's page alone
                        del own[of_file]
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        await self._app({**scope, "headers": headers}, receive, styled)


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


def _is_page(start: Message) -> bool:
    """Return True if an answer begins a whole page."""
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
