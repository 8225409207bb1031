"""Measure the time from releasing a slider to the new figure in Chromium, page by page.

    python benchmarks/page.py [--pages release errors ...] [--moves 4] [--mbit 20]

Starts the servers itself: ours, and as the yardstick `PLAIN`, an app of Streamlit with one slider
and one figure: what Streamlit and Plotly take by themselves.  On each page the first slider is
dragged.  From the release of the pointer on: *asked* until the browser has sent the change,
*server* until the last message of the run has come (the run itself and the wire, which here is the
machine), *figure* until the page's last change, which is Plotly's drawing and React's; *all* is
their sum, and *leading* the time from the release until the leading figure, or Release's table, has
changed.  Bytes are those of the run's messages.  Cold is the time from the opening of the first
page to its first release; with ``--mbit`` also over a network of so many Mbit/s and 20 ms, which
Chromium emulates, with files as they are, as a browser on this machine gets them, and compressed,
as others do.  Times are on the clock, those of the fastest move, as the browser has processes of
its own: other work on the machine hurts, and its load is printed.

Playwright has Chromium record the stack of every exception, also of those that scripts catch, for
which it parses Plotly's bundle again: 0.4 s of the first figure that no visitor waits.  `FLAGS`
spare that.

Nothing is asserted.
"""

import argparse
import contextlib
import itertools
import os
import tempfile
from pathlib import Path

from playwright.sync_api import TimeoutError, sync_playwright
from tabs import COMMAND, ROOT, Server

from dptopk.ui.layout.pages import PAGES

PLAIN = """
import plotly.graph_objects as go
import streamlit as st
st.set_page_config(layout="wide")
n = st.slider("n", 1, 200, 10)
figure = go.Figure()
for line in range(4):
    figure.add_scatter(x=[*range(39)], y=[(x * n + line) % 17 for x in range(39)])
with st.container(key="lead"):
    st.plotly_chart(figure, key="chart")
"""
FLAGS = ["--js-flags=--no-enable-lazy-source-positions"]
NOTED = """
const LEADING = '.st-key-lead .main-svg, .st-key-ranked';
window.noted = {released: 0, sent: 0, got: 0, first: 0, drawn: 0, bytes: 0, figure: 0};
addEventListener('pointerup', () => Object.assign(window.noted,
  {released: performance.now(), sent: 0, got: 0, first: 0, drawn: 0, bytes: 0}), true);
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...args) {
    super(...args);
    this.addEventListener('message', event => {
      window.noted.got = performance.now();
      window.noted.bytes += event.data.byteLength || event.data.size || 0;
    });
  }
  send(...args) { window.noted.sent = window.noted.sent || performance.now(); super.send(...args); }
};
new MutationObserver(changes => {
  window.noted.drawn = performance.now();
  if (changes.some(change => change.type === 'childList' && change.target.closest?.(LEADING)))
    window.noted.first = performance.now();
  const plain = document.querySelector('.st-key-lead .main-svg');
  const components = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')];
  const moving = components.some(e => e.shadowRoot?.querySelector('.chip.there'));
  if (!window.noted.figure && (plain || moving)) window.noted.figure = performance.now();
}).observe(document, {subtree: true, childList: true, attributes: true});
"""
QUIET = "() => performance.now() - Math.max(noted.drawn, noted.got) > 1200"
SLIDER = "[data-testid=stSlider] input[type=range]"  # invisible, and begins where the thumb does


def moved(page, move: int) -> dict | None:
    """Drag the first slider to the left or right; the times of what follows, in milliseconds."""
    thumb = page.locator(SLIDER).first
    box = thumb.bounding_box()
    if box is None:
        return None
    x, y = box["x"] + 4, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + (40 if move % 2 else -40), y, steps=3)
    page.mouse.up()
    page.wait_for_timeout(300)
    page.wait_for_function(QUIET, timeout=60_000)
    return page.evaluate("() => noted")


def over_network(play, given, port: int, client: str) -> tuple[float, float]:
    """Time of the first figure in ms, and MB received, over an emulated network from an address."""
    browser = play.chromium.launch(executable_path=given.chromium, args=FLAGS)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_extra_http_headers({"X-Forwarded-For": client})
    page.add_init_script(NOTED)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    rate = given.mbit * 1e6 / 8
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 20, "downloadThroughput": rate, "uploadThroughput": rate},
    )
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_function("() => noted.figure", timeout=120_000)
    figure, size = page.evaluate(
        "() => [noted.figure, performance.getEntriesByType('resource')"
        ".reduce((sum, each) => sum + each.transferSize, 0)]"
    )
    browser.close()
    return figure, size / 1e6


def first_figures(play, chromium: str, url: str) -> list[float]:
    """Times of the first figure of a cold server and browser, and of a cold browser alone."""
    times = []
    for _ in range(2):
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(NOTED)
        page.goto(url)
        page.wait_for_function("() => noted.figure", timeout=60_000)
        times.append(page.evaluate("() => noted.figure"))
        browser.close()
    return times


def row(page, name: str, url: str, moves: int) -> str:
    """Return the row of a page in the table: that of the fastest of some moves."""
    page.goto(url)
    try:
        page.locator(SLIDER).first.wait_for(state="attached", timeout=20_000)
    except TimeoutError:
        return f"| {name} | no slider | | | | | |"
    page.wait_for_function(QUIET, timeout=60_000)
    seen = [moved(page, move) for move in range(moves)]
    seen = [one for one in seen if one and one["sent"]]
    if not seen:
        return f"| {name} | nothing asked | | | | | |"
    best = min(seen, key=lambda one: max(one["drawn"], one["got"]) - one["released"])
    ends = [best[name] for name in ("released", "sent", "got")]
    ends.append(max(best["drawn"], best["got"]))
    parts = [f"{b - a:,.0f}" for a, b in itertools.pairwise(ends)]
    whole, size = ends[-1] - ends[0], best["bytes"] / 1e3
    first = best["first"] - best["released"]
    parts += [f"{whole:,.0f}", f"{first:,.0f}" if first > 0 else "–", f"{size:,.0f}"]
    return f"| {name} | {' | '.join(parts)} |"


def main() -> None:
    """Measure every page, and the plain app before them, and print a table of Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", nargs="+", default=[page.key for page in PAGES])
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--mbit", type=float, help="measure the first figure at this rate, too")
    given = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "app.py").write_text(PLAIN)
        play = stack.enter_context(sync_playwright())
        urls = {}
        for name, cwd in (("a plain app", folder), ("dptopk", ROOT)):
            server = Server(COMMAND, cwd)
            stack.callback(server.stop)
            urls[name] = f"{server.url}/"
            cold, warm = first_figures(play, given.chromium, urls[name])
            words = f"{cold:,.0f} ms of a cold server and browser, {warm:,.0f} of a cold browser"
            print(f"first figure of {name}: {words}")
        clients = {"as they are": "127.0.0.1", "compressed": "192.0.2.7"} if given.mbit else {}
        for files, client in clients.items():
            figure, size = over_network(play, given, server.port, client)
            at = f"at {given.mbit:g} Mbit/s, files {files} ({size:.1f} MB)"
            print(f"first figure {at}: {figure:,.0f} ms")
        heads = "| page | asked | server | figure | all, ms | leading, ms | KB |"
        print(f"\n{heads}\n" + "| --- " * 7 + "|")
        browser = play.chromium.launch(executable_path=given.chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(NOTED)
        print(row(page, "a plain app", urls["a plain app"], given.moves), flush=True)
        for key in given.pages:
            print(row(page, key, f"{urls['dptopk']}{key}?epsilon=0.1", given.moves), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
