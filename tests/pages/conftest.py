"""Fixtures that run pages by AppTest without a browser, from a link.

AppTest serves every visit as a fresh server would: each is a cold deep link.
"""

import base64
import contextlib
import io
import itertools
import json
import pickle
import re
import sys
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit
from lxml import html
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from dptopk.core.worker_process import Workers
from dptopk.questions import papers
from dptopk.questions.papers import check_statements
from dptopk.tuning import search, targets
from dptopk.ui import address, keys
from dptopk.ui.layout import control_line
from dptopk.ui.sections import papers as page_of_papers

# A run of AppTest starts by reading the metadata of every installed package, in search of
# components: two thirds of its time.  There are none here.
with contextlib.suppress(ImportError):
    from streamlit.components.v2 import manifest_scanner

    manifest_scanner.scan_component_manifests = list

# Each visit would compile the script of its page anew.
with contextlib.suppress(ImportError):
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache

    _compiled, _compile = ScriptCache(), ScriptCache.get_bytecode
    ScriptCache.get_bytecode = lambda _, path: _compile(_compiled, path)

_LINK = ":material/link_off:"  # beside what is said against a link
MEASURED = "ms a draw, measured"  # a column that differs from visit to visit
sys.path.insert(0, str(Path(__file__).parent))  # what several test modules here share

MOST_KEPT = 200  # visits that tests share

HERE = Path(__file__).resolve().parent
APP = HERE.parents[1] / "app.py"


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(items):
    """Leave the fast path of daily work one test module of pages, which opens each of them."""
    for item in items:
        if HERE in item.path.parents and item.path.stem != "test_whole":
            item.add_marker("slow")


def _unpacked(part: dict[str, Any]) -> Any:
    """Return numbers that were packed for the browser as a list."""
    if "bdata" not in part:
        return part
    numbers = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
    return [None if number != number else number for number in numbers.tolist()]  # a gap


class Visit:
    """One session, begun by a link: what a page shows and what is wrong with it."""

    def __init__(self, page: str, query: Mapping[str, Any]):
        self.app = AppTest.from_file(str(APP), default_timeout=120)
        for name, value in query.items():
            self.app.query_params[name] = value if isinstance(value, list) else str(value)
        # opened: most tests are about it
        self.app.session_state[keys.TABS] = "Take away"
        self.app.session_state[keys.TAKE_AWAY] = True
        if page:
            self.go(page)
        else:  # the bare address of the app, or that with settings
            self.app.run()

    def go(self, page: str) -> "Visit":
        """Move on to another page of the same session."""
        self.app.switch_page(f"pages/{page}.py").run()
        return self

    def press(self, key: str) -> "Visit":
        """Press a button, after which the page is whole."""
        self.app.button(key=key).click().run()
        return self.whole()

    @property
    def address(self) -> dict[str, str]:
        """What the address holds."""
        query = self.app.query_params.items()
        return {key: text if isinstance(text, str) else ",".join(text) for key, text in query}

    @property
    def epsilon(self) -> float:
        """The ε of what is shown."""
        return self.app.session_state[keys.VIEW][1].epsilon

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the page has read, by key."""
        return self.app.session_state[keys.ADDRESS].touched

    @property
    def title(self) -> str:
        """The question of the page: above its title, where that is what it finds."""
        (title,) = self.app.title
        above = [box for box in self.app.get("container") if box.key == "question"]
        return above[0].markdown[0].value if above else title.value

    @property
    def finding(self) -> str:
        """The title of the page, below its question."""
        (title,) = self.app.title
        return title.value

    @property
    def line(self) -> Block:
        """The control line."""
        return self.app.get_by_key("line")

    @property
    def main(self) -> Block:
        """The page below the navigation and the control line, and the buttons beside these."""
        rest = Block(None, self.app.main.root)
        rest.children = {
            place: part
            for place, part in self.app.main.children.items()
            if getattr(part, "key", None) not in ("head", "enter")
        }
        return rest

    @property
    def said(self) -> list[str]:
        """The page's sentences in the type of its text."""
        return [words.value for words in self.main.markdown]

    @property
    def words(self) -> str:
        """All of these sentences."""
        return "\n".join(self.said)

    @property
    def tiles(self) -> list[tuple[str, str]]:
        return [(tile.label, tile.value) for tile in self.main.metric]

    @property
    def losses(self) -> list[tuple[str, str]]:
        """Largest privacy loss below the verdict on each mechanism, on the page Privacy."""
        used = re.findall(r"· loss (\S+) of ε", "\n".join(self.captions))
        return [(label, one) for (label, _), one in zip(self.tiles, used, strict=True)]

    @property
    def firsts(self) -> dict[str, str]:
        """Number of the first output beside the name of each mechanism, on the page Exact."""
        above = [note["text"] for note in self.chart("outputs")["layout"]["annotations"]]
        return dict(re.findall("<b>(.+)</b> (.+)", "\n".join(above)))

    @property
    def medians(self) -> dict[str, str]:
        """Median beside the dots of each mechanism, on the page Errors."""
        rows = self.chart("errors")["layout"]["yaxis"]["ticktext"]
        return dict(re.findall("(.+?)<br>median <b>(.+?)</b>", "\n".join(rows)))

    @property
    def captions(self) -> list[str]:
        """Captions without the word joiners that keep powers of ten on one line."""
        return [caption.value.replace("\u2060", "") for caption in self.main.caption]

    @property
    def toasts(self) -> list[str]:
        return [toast.value for toast in self.app.toast]

    @property
    def complaints(self) -> list[str]:
        """What is said against the link, a sentence each; beside a slide it is behind a button."""
        lines = [line for banner in self._banners() for line in banner.value.splitlines()]
        assert lines[:1] in ([], ["In the link:"])
        for button in self._buttons():
            lines = [_LINK, *button.markdown[0].value.splitlines()]
        return [line.removeprefix("- ") for line in lines[1:]]

    def _banners(self) -> list[Any]:
        return [box for box in self.main.warning if box.icon == _LINK]

    def _buttons(self) -> list[Any]:
        found = self.main.get("popover")
        return [button for button in found if button.proto.popover.icon == _LINK]

    def table(self, position: int = 0) -> pd.DataFrame:
        return self.main.dataframe[position].value

    def ranking(self) -> pd.DataFrame:
        """The table of the release page, as text."""
        return self._written_table("<table")

    def small_table(self) -> pd.DataFrame:
        """A table of few rows, as text."""
        return self._written_table('<div class="small-table"')

    def _written_table(self, begins: str) -> pd.DataFrame:
        written = (element.proto.body for element in self.main.get("html"))
        (body,) = (body for body in written if body.startswith(begins))
        table = html.fromstring(body)
        for below in table.xpath("//th/span"):  # what is said below the name of a column
            below.drop_tree()
        rows = [[cell.text_content() for cell in row.xpath("th|td")] for row in table.iter("tr")]
        return pd.DataFrame(rows[1:], columns=rows[0])

    @property
    def slide_lines(self) -> list[str]:
        """What a slide says under its question."""
        written = " ".join(element.proto.body for element in self.main.get("html"))
        return [unescape(line) for line in re.findall('<p class="stage-line[^>]*>([^<]+)', written)]

    def chart(self, name: str) -> dict:
        """What is sent to the browser for a figure, with its packed numbers as lists."""
        found = (c for c in self.main.get("plotly_chart") if c.key == f"chart-{name}")
        (only,) = found
        return json.loads(only.proto.spec, object_hook=_unpacked)

    @property
    def charts(self) -> list[str]:
        """Keys of the figures, in order."""
        return [chart.key for chart in self.main.get("plotly_chart")]

    def everything(self) -> dict[str, Any]:
        """All that a page shows, to be compared with another visit."""
        main = self.main
        texts = [element.value for element in main.markdown]
        against = [button.markdown[0].value for button in self._buttons()]
        return {
            "address": self.address,
            "problems": [element.value for element in (*main.error, *main.text, *main.info)],
            "titles": [element.value for element in main.title],
            "tiles": self.tiles,
            "words": self.captions + [text for text in texts if text not in against],
            # but the time that was measured
            "tables": [
                element.value.drop(columns=MEASURED, errors="ignore").to_json()
                for element in main.dataframe
            ],
            "written": [
                element.proto.body
                for element in main.get("html")
                if MEASURED not in element.proto.body and 'class="sketch"' not in element.proto.body
            ],
            "charts": [element.proto.spec for element in main.get("plotly_chart")],
            "code": [element.value for element in main.code],
        }

    def whole(self) -> "Visit":
        """Assert one page with its title, and nothing that went wrong.

        Every setting that it reads is one that a link to any page may name: a new one is
        declared in dptopk/ui/layout/pages.py.
        """
        assert self.exceptions() == []
        wrong = [*self.app.error, *self.app.warning]
        assert [element.value for element in wrong if element not in self._banners()] == []
        assert len(self.app.title) == 1
        assert self.settings.keys() <= control_line.known()
        return self

    def exceptions(self) -> list[str]:
        return [element.message for element in self.app.exception]

    def problem(self) -> tuple[str, str]:
        """Headline of the one problem that is shown, and its sentence."""
        assert self.exceptions() == []
        (headline,) = (element.value for element in self.app.error)
        return headline, self.main.text[0].value

    @property
    def code(self) -> str:
        """The code of the page, beside other texts that it may show as they are."""
        (code,) = (block.value for block in self.app.code if "pip install ." in block.value)
        return code

    def told(self) -> tuple[dict, str]:
        """Run the code of the page; its names, and what it printed."""
        names: dict = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(self.code, "snippet", "exec"), names)
        return names, printed.getvalue()


class Visits:
    """Visits by link, each opened once for all tests that only look at it.

    A test gets none that a test went on in, none twice (two that it compares are two), and shares
    none where it changes the program itself, or is about what the server remembers of a visit.
    """

    ALONE = frozenset({"monkeypatch", "toys", "fresh_visits"})  # fixtures of such tests

    def __init__(self) -> None:
        self._kept: dict[tuple, tuple[Visit, Any]] = {}
        self.begin_test(fixtures=())

    def begin_test(self, fixtures: Sequence[str]) -> None:
        self._given: set[tuple] = set()
        self._shared = self.ALONE.isdisjoint(fixtures)

    def __call__(self, page: str, **query: Any) -> Visit:
        key = (page, *((name, repr(value)) for name, value in query.items()))
        if not self._shared or key in self._given:
            return Visit(page, query)
        self._given.add(key)
        visit, shown = self._kept.pop(key, (None, None))
        if visit is None or visit.app.main is not shown:  # a run shows a tree of its own
            visit = Visit(page, query)
        self._kept[key] = visit, visit.app.main  # as the one that was used last
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return visit


@pytest.fixture(scope="session")
def opened():
    """Open a page by its link on a fresh server: opened(page, **query) -> Visit."""
    return Visits()


@pytest.fixture(scope="session")
def parameters(opened):
    """Every setting by its key."""
    from controls import settings_of_pages

    return settings_of_pages(opened)


@pytest.fixture
def fresh_visits():
    """Share no visits with other tests."""


def _stated(runner=None, statements=papers.STATEMENTS):
    """Return statements as their sources have them, without what they come to."""
    return [
        papers.Checked(
            one,
            papers.Result(
                not one.why_differs,
                re.sub(r"\{.*?\}", "1", one.found),
                one.computed or "exact",
                tuple(papers.SourceNumber(*words, float(n), n) for *words, n, _ in one.compared),
            )
            if one.check
            else None,
        )
        for one in statements
    ]


@pytest.fixture(scope="session", autouse=True)
def papers_at_once():
    """Let the page Papers list its statements without what they come to, which takes seconds.

    And draw the panels of its wall once, which took two seconds of each visit.
    """
    panels, draw = {}, page_of_papers._drawn

    def drawn(panel, n_left):
        if panels.get(panel.name) is None:  # not there, or stopped
            panels[panel.name] = draw(panel, n_left)
        return panels[panel.name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(papers, "check_statements", _stated)
        patch.setattr(page_of_papers, "_drawn", drawn)
        yield


@pytest.fixture
def statements_computed(monkeypatch):
    """Compute a few of what the page Papers lists; tests of questions compute all."""

    def computed(runner, statements):
        few = [one.key in ("four", "pure", "one_shot") for one in statements]
        how = [check_statements if is_computed else _stated for is_computed in few]
        return [checks(runner, [one])[0] for checks, one in zip(how, statements, strict=True)]

    monkeypatch.setattr(papers, "check_statements", computed)


@pytest.fixture
def few_runs(monkeypatch):
    """Few runs where a page makes many to be precise: whether it is, is tested elsewhere."""
    monkeypatch.setattr(targets, "RUNS_OF_CURVE", 20)
    for name in ("_ROUGH", "_FEWEST", "_MOST"):
        monkeypatch.setattr(search, name, 20)


@pytest.fixture(autouse=True)
def visits_of_this_test(request, opened):
    opened.begin_test(request.fixturenames)


def _passed(what: Any) -> Any:
    """Return what pickle makes of what passes from one process to another."""
    return pickle.loads(pickle.dumps(what))  # noqa: S301  of this process


def _called_here(_, function, *arguments, limits, progress, client="", waiting=None, **options):
    """Do what a process of its own would."""
    function, arguments, options = _passed((function, arguments, options))
    try:
        return _passed(function(*arguments, progress=progress, **options))
    except ValueError as error:
        raise _passed(error) from None


@pytest.fixture(autouse=True)
def files_read_here(request):
    """Read files without processes, which took longer than all else; some tests have them."""
    with pytest.MonkeyPatch.context() as patch:
        if "in_processes" not in request.fixturenames:
            patch.setattr(Workers, "call", _called_here)
            patch.setattr(Workers, "prepare", lambda _: None)
        yield


@pytest.fixture
def in_processes():
    """Read files in processes of their own, as the server does."""


def covering(
    first: tuple[str, Sequence], second: tuple[str, Sequence], others: Mapping[str, Sequence]
) -> list[dict[str, Any]]:
    """Rows with every pair of ``first`` and ``second``, and of either with any other value.

    Greedy and deterministic: each row takes of every other factor the value that has met the
    fewest of the row's values so far.
    """
    met: dict[tuple, int] = {}
    rows = []

    def add(row: dict[str, Any]) -> None:
        for name, values in others.items():
            if name not in row:
                chosen = list(row.items())
                n_met = [[met.get((pair, (name, v)), 0) for pair in chosen] for v in values]
                best = min(range(len(values)), key=lambda i: (sum(map(bool, n_met[i])), n_met[i]))
                row[name] = values[best]
        for one, other in itertools.permutations(row.items(), 2):
            met[one, other] = met.get((one, other), 0) + 1
        rows.append(row)

    for pair in itertools.product(first[1], second[1]):
        add(dict(zip((first[0], second[0]), pair, strict=True)))
    for (lead, leads), (name, values) in itertools.product((first, second), others.items()):
        for one, other in itertools.product(leads, values):
            if ((lead, one), (name, other)) not in met:
                rest = second if lead == first[0] else first
                add({lead: one, rest[0]: rest[1][len(rows) % len(rest[1])], name: other})
    return rows


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test the rows of the module's ``COVER``: covering(*COVER) as ``row``.

    The first of each page (of each value of the first factor) is in every run, the others are
    marked ``grid``.
    """
    if "row" in metafunc.fixturenames:
        rows = covering(*metafunc.module.COVER)
        names = [" ".join(str(value) for value in list(row.values())[:2]) for row in rows]
        lead = metafunc.module.COVER[0][0]
        first = {row[lead]: row for row in reversed(rows)}
        marks = [() if first[row[lead]] is row else pytest.mark.grid for row in rows]
        named = zip(rows, names, marks, strict=True)
        metafunc.parametrize("row", [pytest.param(r, id=n, marks=m) for r, n, m in named])


@pytest.fixture(scope="session")
def cover():
    """The helper itself, to be tested."""
    return covering


@pytest.fixture
def offered(opened, monkeypatch):
    """Visit a page; every download it offers, by its label: file name and content."""
    found: dict[str, tuple[str, bytes | str]] = {}
    draw = streamlit.download_button

    def kept(label, data, file_name, **options):
        assert label not in found, "two downloads of one name"
        found[label] = file_name, data() if callable(data) else data
        return draw(label, data=data, file_name=file_name, **options)

    monkeypatch.setattr(streamlit, "download_button", kept)

    arrive = address.arrive
    monkeypatch.setattr(
        address, "arrive", lambda *given: (found.clear(), arrive(*given))
    )  # begins every run

    def visit(page, **query):
        visited = opened(page, **query).whole()
        return visited, dict(found)

    visit.found = found  # of the last run of the page
    return visit
