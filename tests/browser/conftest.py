"""Fixtures with a running server and a Chromium.

Chromium is looked for on the machine, then fetched through playwright, when the first
test needs it.  Where there is none, the tests here are left out and the report says so in
one line; under CI that is an error.  With pytest-xdist every worker that gets a test from
here starts its own server and Chromium.  Console errors, page errors, requests to other
machines and Streamlit exceptions fail whatever test they happen in.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from dptopk.ui.layout.pages import PAGES

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import tabs

HERE = Path(__file__).resolve().parent
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
]
_CONTRAST = "color-contrast"  # most of axe-core's time
_COUNT_RUNS = """
new MutationObserver(changes => changes.forEach(change => {
  if (change.target.dataset.testScriptState === 'running')
    window.scriptRuns = (window.scriptRuns || 0) + 1;
})).observe(document, {subtree: true, attributeFilter: ['data-test-script-state']});
"""
# How far the layout moves, as Web Vitals measure it, also by what a click moves.
_SHIFTS = """
window.moved = 0;
new PerformanceObserver(seen => seen.getEntries().forEach(entry => window.moved += entry.value))
  .observe({type: 'layout-shift', buffered: true});
"""
# What axe-core calls serious or critical, and jumps from h1 to h3, a line for each element.  Of a
# figure all text is looked at below, and there are hundreds of marks; what else is found would be
# copied at great length.
_FIND = """async ([within, options]) => {
  const found = await axe.run({include: [within], exclude: [".js-plotly-plot"]},
    {resultTypes: ["violations"], ...options});
  const grave = ["serious", "critical"];
  const wrong = rule => grave.includes(rule.impact) || rule.id === "heading-order";
  return found.violations.filter(wrong)
    .flatMap(rule => rule.nodes.map(node =>
      `${rule.id} (${rule.impact}): ${node.target} ${node.html.slice(0, 200)}`));
}"""
# By how many pixels a page is wider than the window, once figures had ten seconds to follow it.
_WIDER = """async () => {
  const main = document.querySelector('[data-testid=stMain]');
  const wider = () => main.scrollWidth - window.innerWidth;
  for (let i = 0; i < 100 && wider() > 0; i++) await new Promise(next => setTimeout(next, 100));
  return wider();
}"""
# Whether an upload can be used, or was at once.
_READ = """() => {
  const dialog = document.querySelector("[role=dialog]");
  return !dialog || dialog.innerText.includes("Use these");
}"""
# On a deep link Streamlit's own page asks below that address first, and then at the root.
_PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")


def _own_chromium() -> str | None:
    """Path of the Chromium that playwright keeps for itself, if it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _find_chromium() -> str | None:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found or (found := _own_chromium()):
        return found
    fetch = [sys.executable, "-m", "playwright", "install", "chromium"]
    done = subprocess.run(fetch, capture_output=True, timeout=300, check=False)
    return _own_chromium() if done.returncode == 0 else None


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


class Server(tabs.Server):
    """The app, served from the repository's root."""

    def __init__(self, folder: Path):
        self._terminal = folder / "said"
        with self._terminal.open("wb") as said:
            super().__init__(said=said)

    def said(self) -> str:
        """The last lines on its terminal, with the places of errors that a page does not tell."""
        return self._terminal.read_text("utf-8", "replace")[-2_000:]


class Visitor:
    """One browser tab, with what a person does in it."""

    def __init__(self, page, url: str):
        self.page = page
        self.url = url
        self._settled = 0

    def open(self, address: str = "/"):
        self.page.goto(self.url + address)
        self.settle()

    def settle(self, drawn: bool = True):
        """Wait until the script has run, nothing on the page is stale, and it stays so.

        With ``drawn=False`` the browser may still wait for code of its own to draw some of it.
        """
        unsettled = "[data-stale=true]" + ", [data-testid=stSkeleton]" * drawn
        before = None
        while before != self.runs():
            before = self.runs()
            self.page.wait_for_selector(
                "[data-testid=stApp][data-test-script-state=notRunning]", timeout=60_000
            )
            self.page.wait_for_function(
                "unsettled => !document.querySelector(unsettled)", arg=unsettled, timeout=60_000
            )
            self.page.wait_for_timeout(150)
        self._settled = before

    def runs(self) -> int:
        """How often the script has begun to run since the page was loaded."""
        return self.page.evaluate("() => window.scriptRuns || 0")

    def follow(self):
        """Wait for the run that comes of what was just done, if one does, then settle."""
        from playwright.sync_api import TimeoutError

        with contextlib.suppress(TimeoutError):
            self.page.wait_for_function(
                "seen => (window.scriptRuns || 0) > seen", arg=self._settled, timeout=2_000
            )
        self.settle()

    def wait_for_query(self, name: str, value: str):
        """Wait until the address holds this setting: several keys may make several runs."""
        self.page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) === value",
            arg=[name, value],
            timeout=30_000,
        )
        self.settle()

    def come_to_rest(self):
        """Wait until nothing moves any more: figures of a busy machine are drawn late."""
        moved = None
        for _ in range(20):
            if moved == (moved := self.shifted()):
                return
            self.page.wait_for_timeout(300)
        raise AssertionError("the page moved for six seconds")

    def watch_shifts(self):
        """Measure from here on how far the layout moves; see `shifted`."""
        self.page.evaluate("() => { window.moved = 0; }")

    def shifted(self) -> float:
        """Layout shift since the page began to load, or since `watch_shifts`."""
        return self.page.evaluate("() => window.moved")

    def query(self) -> dict[str, str]:
        """What the address holds."""
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    def back(self):
        """Go back as the browser's button does."""
        self.page.go_back()
        self.follow()

    def heading(self, timeout: float | None = None) -> str:
        """The question of the page: above its title, where that is what it finds."""
        title = self.page.get_by_role("heading", level=1).first
        title.wait_for(timeout=timeout)
        return self.page.locator(".st-key-question p, h1").first.inner_text(timeout=timeout)

    def go(self, title: str):
        place = next(page.place for page in PAGES if page.title == title)
        there = self.page.locator(".st-key-nav_places").get_by_role("link", name=place, exact=True)
        if not there.locator("strong").count():  # else it is the place that is shown
            there.click()
            self.follow()
        name = re.compile(rf"(\d · )?{re.escape(title)}$")
        link = self.page.locator(".st-key-nav_pages").get_by_role("link", name=name)
        if not link.locator("strong").count():
            link.click()
            self.follow()

    def click(self, name: str):
        self.page.get_by_role("button", name=name).first.click()
        self.follow()

    def take_away(self):
        """Open the downloads and the code of a page."""
        self.page.get_by_text("Take away", exact=False).first.click()
        self.page.get_by_text("The same numbers in Python").wait_for()
        self.settle()

    def upload(self, name: str, data: bytes, opened_by: str = "Upload"):
        """Choose a file: in the upload dialog if it is open, else as the button asks for it."""
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        dialog = self.page.get_by_role("dialog")
        with self.page.expect_response("**/_stcore/upload_file/**"):
            if dialog.count():
                uploader = dialog.get_by_test_id("stFileUploader").first
                uploader.locator("input[type=file]").set_input_files(file)
            else:
                self.page.wait_for_function("() => window.dptopkPickFile")
                with self.page.expect_file_chooser() as chosen:
                    self.page.get_by_role("button", name=opened_by, exact=True).click()
                chosen.value.set_files(file)
        self.follow()

    def use(self):
        """Use what the upload dialog has read, unless that is done at once."""
        button = self.page.get_by_role("button", name="Use these")
        self.page.wait_for_function(_READ, timeout=60_000)
        if button.count():
            button.click()
        self.page.get_by_role("dialog").wait_for(state="detached")
        self.settle()

    def press(self, key: str):
        self.page.keyboard.press(key)
        self.follow()

    def pixels(self, element) -> float:
        """Size of the type of an element."""
        return float(element.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))

    def wider(self) -> float:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate(_WIDER)

    def findings(self, within: str = "body", contrast: bool | None = None) -> list[str]:
        """What is wrong in a part of the page: contrast alone, all but contrast, or all."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        options = {
            None: {},
            True: {"runOnly": [_CONTRAST]},
            False: {"rules": {_CONTRAST: {"enabled": False}}},
        }
        return self.page.evaluate(_FIND, [within, options[contrast]])

    def look_at(self, within: str = "body"):
        """Assert that nothing serious is found in a part of the page, in light and in dark."""
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.settle()
            # nothing but colours changes with the scheme
            assert self.findings(within, True if scheme == "dark" else None) == [], scheme

    def text(self) -> str:
        return self.page.get_by_test_id("stApp").inner_text()


@contextlib.contextmanager
def launched():
    """Yield a Chromium, which is closed in the end."""
    from playwright.sync_api import sync_playwright

    path = _find_chromium()
    if path is None:
        raise RuntimeError(
            "no Chromium was found or could be fetched: install one (CHROMIUM names its path), "
            'or leave these tests out with -m "not browser"'
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield browser
        browser.close()


def watched(browser):
    """Return a context of tabs whose pages count their runs and how far their layout moves."""
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(60_000)  # a cold server on a busy machine takes half of that
    context.add_init_script(_COUNT_RUNS + _SHIFTS)
    return context


@pytest.fixture(scope="session")
def chromium():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    """A server; there is no need of one where there is no browser."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture
def cold_server(chromium, tmp_path):
    """A server that nobody has visited yet."""
    server = Server(tmp_path)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def context(chromium):
    """One context for all tabs, so that the app's scripts are fetched once."""
    context = watched(chromium)
    yield context
    context.close()


@pytest.fixture(scope="session")
def free_tabs():
    """Tabs that tests have done with: the app's scripts are compiled there, which takes seconds."""
    return []


@pytest.fixture
def new_visitor(context, free_tabs):
    """Make visitors in tabs of their own; at the end, look at what went wrong in them."""
    pages, servers, wrong = [], set(), []

    def visit(server: Server, width: int = 1280, height: int = 900, scheme: str = "light"):
        page = free_tabs.pop() if free_tabs else context.new_page()
        page.bring_to_front()  # Chromium draws a tab in the background once a second
        pages.append(page)
        servers.add(server)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="null", media="null")
        for event, listener in listeners.items():
            page.on(event, listener)
        return Visitor(page, server.url)

    def note(message):
        if message.type == "error" and not _PROBE.search(message.location["url"]):
            wrong.append(f"console error at {message.page.url}: {message.text}")

    def foreign(request):
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            wrong.append(f"request to another machine: {request.url}")

    listeners = {
        "pageerror": lambda error: wrong.append(f"page error: {error}"),
        "console": note,
        "request": foreign,
    }
    yield visit
    for page in pages:
        exceptions = page.get_by_test_id("stException")
        wrong.extend(f"exception: {text}" for text in exceptions.all_inner_texts())
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
    clean = wrong == []
    for page in pages:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        if clean:
            page.unroute_all()
            page.goto("about:blank")  # ends its session
            free_tabs.append(page)
        else:
            page.close()
    assert wrong == [], [server.said() for server in servers]


@pytest.fixture
def visitor(new_visitor, server):
    return new_visitor(server)


@pytest.fixture
def projector(new_visitor, server):
    return new_visitor(server, 1280, 720)


@pytest.fixture
def phone(new_visitor, server):
    return new_visitor(server, 390, 844)
