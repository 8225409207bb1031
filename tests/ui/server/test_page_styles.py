"""Test that Streamlit's page is sent with the app's styles, and nothing else is changed."""

import loops
import pytest

from dptopk.ui.server.page_styles import PAGE, PageStyles

ROOT = '<div id="root">'
OWN = '<style id="first-slide">'


def answered(path="/errors", query="", accept="text/html", method="GET") -> tuple[dict, str]:
    """Headers and text of an answer, which is "as it is" of the app behind."""
    asked = {"method": method, "path": path, "query_string": query.encode()}
    asked["headers"] = [(b"accept", accept.encode())]
    ((headers, body),) = loops.answers(PageStyles(loops.BEHIND), asked)
    return headers, body.decode()


@pytest.mark.parametrize("path", ["/", "/errors", "/app/errors", "/nowhere"])
def test_the_styles_stand_before_the_page(path):
    headers, text = answered(path)
    before, _, after = text.partition(ROOT)
    assert ".stMainBlockContainer {padding: 3rem" in before
    assert "@media print" in before
    assert OWN not in before
    assert after == PAGE.read_text("utf-8").partition(ROOT)[2]
    assert headers["cache-control"] == "no-cache"  # as Streamlit's own
    assert headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("query", "is_slide"),
    [("k=5", 0), ("deck=ninety&slide=0", 0), ("present=", 0), ("k=5&present=1", 1)]
    + [("deck=ninety&slide=2", 1)],
)
def test_a_slide_comes_with_styles_of_its_own(query, is_slide):
    assert answered(query=query)[1].count(OWN) == is_slide


@pytest.mark.parametrize(
    "path", ["//errors", "/errors/", "/../errors", "/favicon.png", "/media/0123.html"]
)
def test_other_addresses_are_for_streamlit_itself(path):
    assert answered(path)[1] == "as it is"


@pytest.mark.parametrize("asked", [{"method": "HEAD"}, {"accept": "*/*"}], ids=str)
def test_other_requests_are_for_streamlit_itself(asked):
    assert answered(**asked)[1] == "as it is"
