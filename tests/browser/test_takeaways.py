"""Test that saved and printed figures are complete, with their captions."""

import re
import struct
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

LINE = (
    "Games (Steam) · k = 10, ε = 1, δ = 1e-6, "
    "calibration by Gillenwater et al. 2022, Lemma 4.2, one user"
)
WORDS = "() => [...document.querySelectorAll('text')].map(e => e.textContent).join(' ')"
CUT = """() => {
  const picture = document.querySelector('svg').getBoundingClientRect();
  return [...document.querySelectorAll('text')].map(e => [e, e.getBoundingClientRect()])
    .filter(([_, box]) => box.width && (box.left < picture.left - 1 || box.top < picture.top - 1
      || box.right > picture.right + 1 || box.bottom > picture.bottom + 1))
    .map(([e]) => e.textContent);
}"""


def saved(page: Page, button: str, folder: Path) -> Path:
    """Click a button and keep the file under the name it offers."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_figure_is_saved_with_its_title_and_settings(visitor, chromium: Browser, tmp_path):
    visitor.open("/errors?runs=50")
    visitor.take_away()
    buttons = visitor.page.locator(".dptopk-saves:has(button)")
    visitor.page.emulate_media(color_scheme="dark")  # another theme, another run of the buttons
    visitor.page.wait_for_function("() => matchMedia('(prefers-color-scheme: dark)').matches")
    visitor.page.emulate_media(color_scheme="light")
    visitor.settle()
    assert buttons.count() == 1
    png = saved(visitor.page, "Errors as PNG", tmp_path)
    assert re.fullmatch(r"dptopk-errors-games-steam-k10-eps1-seed0-\w{10}\.png", png.name)
    assert png.read_bytes().startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert width >= 1_600
    shown = visitor.page.locator(".st-key-chart-errors .svg-container").bounding_box()
    assert height / width > shown["height"] / shown["width"]  # there is room for the words
    svg = saved(visitor.page, "Errors as SVG", tmp_path)
    html = saved(visitor.page, "Errors as HTML", tmp_path)
    elsewhere = chromium.new_context(
        offline=True, accept_downloads=True, viewport={"width": 390, "height": 800}
    )
    page = elsewhere.new_page()
    page.goto(svg.as_uri())
    words = page.evaluate(WORDS)
    assert "Distribution of the maximum error (ℓ∞) over 50 runs of each mechanism" in words
    assert LINE in words
    assert "to their exact probability, 50 runs of each mechanism, seed 0" in words
    assert re.search(r"Made with dptopk [\d.]+, \d{4}-\d\d-\d\d", words)
    assert page.evaluate(CUT) == []
    page.goto(html.as_uri())
    page.wait_for_selector(".main-svg")
    assert LINE in page.locator("figcaption").inner_text()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    narrow = saved(page, "Save as SVG", tmp_path)
    assert saved(page, "Save as PNG", tmp_path).read_bytes().startswith(b"\x89PNG")
    page.goto(narrow.as_uri())
    assert "seed 0" in page.evaluate(WORDS)
    assert page.evaluate(CUT) == []
    elsewhere.close()


def test_a_page_is_printed_whole_without_what_only_works_on_a_screen(visitor):
    page = visitor.page
    page.emulate_media(color_scheme="dark")
    visitor.open("/errors?runs=50")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 500})
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    for hidden in ("stHeader", "stDownloadButton"):
        assert not page.get_by_test_id(hidden).first.is_visible(), hidden
    assert not page.locator(".stMain [class*=st-key-explained_]").is_visible()  # links alone
    for replaced in ("stPlotlyChart", "stDataFrame"):
        box = page.get_by_test_id(replaced).bounding_box()
        assert box["x"] + box["width"] < 0, replaced
    assert page.locator(".st-key-lead").bounding_box()["x"] < -700  # and leaves no hole
    picture = page.locator(".dptopk-printed > svg")
    assert picture.bounding_box()["width"] <= 700
    words = " ".join(picture.locator("text").all_text_contents())
    assert "to their exact probability, 50 runs of each mechanism, seed 0" in words
    table = page.locator(".dptopk-on-paper")
    assert table.locator("tbody tr").count() == 4
    assert table.evaluate("e => getComputedStyle(e).breakInside") == "avoid"
    assert LINE in table.inner_text()
    around = "() => getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(around) == "rgb(255, 255, 255)"  # also below the page, in the dark
    # the page is as high as what stands on it, not a window with a scroll bar
    assert page.evaluate("() => document.documentElement.scrollHeight") > 700
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="light")
    assert picture.count() == 0
    assert not table.is_visible()
    assert page.get_by_test_id("stPlotlyChart").is_visible()


@pytest.mark.grid
def test_a_report_opens_without_a_network_and_prints(visitor, chromium: Browser, tmp_path):
    visitor.open("/handover?runs=50&mechanisms=Joint,CDPPeel&shown=CDPPeel")
    report = saved(visitor.page, "Confidential report as HTML", tmp_path)
    elsewhere = chromium.new_context(offline=True, viewport={"width": 390, "height": 800})
    page = elsewhere.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    page.wait_for_selector("body[data-drawn]")
    assert asked == [report.as_uri()]
    assert page.locator("figure .main-svg").count() >= 2
    assert "OpenDP script" in page.locator("body").inner_text()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert len(page.pdf()) > 50_000
    elsewhere.close()
