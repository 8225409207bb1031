"""ASGI middleware: send the app's styles with Streamlit's page.

As an element of a page they would come after the first elements that they style, which then move
(80 pixels, measured).
"""

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ASSETS = Path(__file__).parents[1] / "assets"
_BEFORE = b'<div id="root">'  # after the head, where Streamlit's own styles are, which they replace
_NOT_PASSED = (
    *(b"if-none-match", b"if-modified-since"),  # asked of Streamlit's page alone
    b"accept-encoding",  # what is compressed cannot be changed
)


class PageStyles:
    """ASGI middleware that adds styles to the pages that pass, ahead of their contents."""

    def __init__(self, app: ASGIApp):
        self._app = app
        styles = ((_ASSETS / name).read_bytes() for name in ("look.css", "print.css"))
        self._added = b"<style>" + b"\n".join(styles) + b"</style>"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, a page with the styles."""
        asked = Headers(scope=scope).get("accept", "") if scope["type"] == "http" else ""
        if "text/html" not in asked or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers = [pair for pair in scope["headers"] if pair[0] not in _NOT_PASSED]
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
                    page = body.replace(_BEFORE, self._added + _BEFORE, 1)
                    own = MutableHeaders(scope=start)
                    own["Content-Length"] = str(len(page))
                    for of_file in ("ETag", "Last-Modified"):  # of Streamlit's page alone
                        del own[of_file]
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        await self._app({**scope, "headers": headers}, receive, styled)


def _is_page(start: Message) -> bool:
    """Return True if an answer begins a whole page."""
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
