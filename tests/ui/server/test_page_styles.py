"""Test that Streamlit's page is sent with the app's styles, and nothing else is changed."""

import loops
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse

from dptopk.ui.server.page_styles import PageStyles

PAGE = '<html><head></head><body><div id="root"></div></body></html>' + " " * 2_000


def answered(
    response, accept="text/html", compressed=False, query=""
) -> tuple[dict[str, str], str, dict]:
    """Headers and text of an answer, and what the app behind was asked."""
    said, asked = [], {}

    async def behind(scope, receive, send):
        asked.update(scope["headers"])
        await response(scope, receive, send)

    async def send(message):
        said.append(message)

    given = {"accept": accept, "accept-encoding": "gzip", "if-none-match": '"1"'}
    headers = [(name.encode(), text.encode()) for name, text in given.items()]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    scope["query_string"] = query.encode()
    inner = GZipMiddleware(behind) if compressed else behind
    loops.run(PageStyles(inner)(scope, None, send))
    found = {key.decode(): value.decode() for key, value in said[0]["headers"]}
    return found, b"".join(each.get("body", b"") for each in said[1:]).decode(), asked


def test_the_styles_stand_before_the_page_also_where_it_would_be_compressed():
    page = HTMLResponse(PAGE, headers={"ETag": '"1"', "Last-Modified": "today"})
    for compressed in (False, True):
        headers, text, asked = answered(page, compressed=compressed)
        before, _, after = text.partition('<div id="root">')
        assert ".stMainBlockContainer {padding: 3rem" in before
        assert "@media print" in before
        assert after == PAGE.partition('<div id="root">')[2]
        assert headers["content-length"] == str(len(text.encode()))
        assert not {"etag", "last-modified", "content-encoding"} & headers.keys()
        assert b"if-none-match" not in asked


def test_a_slide_comes_with_styles_of_its_own():
    own = '<style id="first-slide">'
    for query in ("", "k=5", "deck=ninety&slide=0", "present="):
        assert own not in answered(HTMLResponse(PAGE), query=query)[1]
    for query in ("k=5&present=1", "deck=ninety&slide=2"):
        assert own in answered(HTMLResponse(PAGE), query=query)[1]


def test_other_answers_pass_as_they_are():
    _, text, asked = answered(PlainTextResponse(PAGE))
    assert text == PAGE
    _, text, asked = answered(HTMLResponse(PAGE), accept="*/*")
    assert text == PAGE
    assert b"if-none-match" in asked
