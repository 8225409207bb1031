"""Test that Streamlit's page is sent with the app's styles, and its scripts from memory."""

import gzip

import loops
import pytest

from dptopk.ui.server import front_end
from dptopk.ui.server.front_end import FOLDER, PAGE, FrontEnd

ROOT = '<div id="root">'
OWN = '<style id="first-slide">'
SCRIPT = next(FOLDER.glob("static/js/index.*.js"))
PATH = f"/static/js/{SCRIPT.name}"
(PLOTLY,) = FOLDER.glob("static/js/PlotlyChart.*.js")


def answered(path="/errors", query="", accept="text/html", method="GET") -> tuple[dict, str]:
    """Headers and text of an answer, which is "as it is" of the app behind."""
    asked = {"method": method, "path": path, "query_string": query.encode()}
    asked["headers"] = [(b"accept", accept.encode())]
    ((headers, body),) = loops.answers(FrontEnd(loops.BEHIND), asked)
    return headers, body.decode()


@pytest.mark.parametrize("path", ["/", "/errors", "/app/errors", "/nowhere"])
def test_the_styles_stand_before_the_page(path):
    headers, text = answered(path)
    before, _, after = text.partition(ROOT)
    assert ".stMainBlockContainer {padding: 3rem" in before
    assert "@media print" in before
    assert OWN not in before
    assert after == PAGE.partition(ROOT)[2]
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


def asked(*requests: dict) -> list[tuple[dict[str, str], bytes]]:
    """Headers and bodies of the answers to requests that come at once."""
    encodings = [{"headers": [(b"accept-encoding", b"gzip, br")]} | request for request in requests]
    return loops.answers(FrontEnd(loops.BEHIND), *encodings)


@pytest.mark.parametrize("client", ["192.0.2.7", "127.0.0.1"])
@pytest.mark.parametrize("path", [PATH, f"/app{PATH}"])
def test_a_script_is_read_once_for_all_who_ask(monkeypatch, path, client):
    read = []
    monkeypatch.setattr(front_end, "_content", lambda *asked: read.append(asked) or b"of one")
    answers = asked(*({"path": path, "client": (client, 5)} for _ in range(5)))
    assert [body for _, body in answers] == [b"of one"] * 5
    assert read == [(SCRIPT, client == "192.0.2.7")]


def test_a_file_that_could_not_be_read_is_read_again(monkeypatch):
    read = []

    def content(*asked):
        read.append(asked)
        if len(read) == 1:
            raise OSError("Too many open files")
        return b"of one"

    monkeypatch.setattr(front_end, "_content", content)
    app = FrontEnd(loops.BEHIND)
    with pytest.raises(OSError, match="open files"):
        loops.answers(app, {"path": PATH, "headers": []})
    ((_, body),) = loops.answers(app, {"path": PATH, "headers": []})
    assert body == b"of one"


def test_what_is_sent_is_the_file():
    ((headers, body),) = asked({"path": PATH})
    assert gzip.decompress(body) == SCRIPT.read_bytes()
    assert len(body) < 0.5 * SCRIPT.stat().st_size
    assert headers["content-encoding"] == "gzip"
    assert headers["content-length"] == str(len(body))
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize(
    "request_",
    [
        {"headers": [(b"accept-encoding", b"br")]},
        {"client": ("127.0.0.1", 5)},
        {"client": ("::1", 5)},
    ],
    ids=lambda request: f"{request}",
)
def test_whom_compression_does_not_help_gets_the_file(request_):
    ((headers, body),) = asked({"path": PATH} | request_)
    assert body == SCRIPT.read_bytes()
    assert "content-encoding" not in headers
    assert "immutable" in headers["cache-control"]
    assert headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("client", ["192.0.2.7", "127.0.0.1"])
def test_the_largest_script_is_compiled_ahead(client):
    request = {"path": f"/static/js/{PLOTLY.name}", "client": (client, 5)}
    ((headers, body),) = asked(request)
    script = gzip.decompress(body) if "content-encoding" in headers else body
    assert script == b"//# allFunctionsCalledOnLoad\n" + PLOTLY.read_bytes()


@pytest.mark.parametrize(
    "request_",
    [
        {"path": PATH, "method": "HEAD"},
        {"path": "/static/js/../index.html"},
        {"path": "/static/js/none.js"},
    ],
    ids=lambda request: f"{request}"[-40:],
)
def test_any_other_request_is_for_streamlit_itself(request_):
    ((headers, body),) = asked(request_)
    assert body == b"as it is"
    assert "content-encoding" not in headers
