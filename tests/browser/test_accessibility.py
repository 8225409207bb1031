"""Test every page for accessibility by axe-core, for contrast and for use by keyboard.

Its figure is whole on the first screen of a projector, and nothing overflows on a phone.
"""

import pytest

from dptopk import MECHANISMS
from dptopk.ui.layout.pages import PAGES

DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
EVERY = ",".join(mechanism.card.key for mechanism in MECHANISMS.values())
# Relative luminance and contrast as WCAG defines them, of every text in figures on the page.
_TEXT_IN_FIGURES = """() => {
  const parts = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = color => parts(color).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const page = luminance(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
  return [...document.querySelectorAll('.js-plotly-plot .main-svg :is(text, tspan)')]
    .filter(text => text.textContent.trim() && !'━■'.includes(text.textContent))  // keys
    .map(text => {
      const style = getComputedStyle(text), own = luminance(style.fill);
      const contrast = (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
      return {text: text.textContent, size: parseFloat(style.fontSize), contrast};
    });
}"""
# Where the keyboard stands: what it is called, and whether a ring is drawn around it.  The native
# inputs of sliders and switches are invisible, and Streamlit rings what stands for them; cells of
# a table are on a canvas, which shows the chosen one.
_FOCUS = """() => {
  let here = document.activeElement;
  while (here?.shadowRoot?.activeElement) here = here.shadowRoot.activeElement;
  if (!here || here === document.body) return null;
  const style = getComputedStyle(here);
  const named = (here.getAttribute('aria-labelledby') || '').split(' ').filter(Boolean)
    .map(id => document.getElementById(id)?.innerText || '').join(' ');
  return {
    what: here.outerHTML.slice(0, 200),
    name: (here.getAttribute('aria-label') || named || here.innerText || here.title
      || [...(here.labels || [])].map(label => label.innerText).join(' ')).trim(),
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    stands_in: here.matches('input[type=range], input[type=checkbox], input[type=radio]'),
    in_table: !!here.closest('[data-testid=stDataFrame]'),
  };
}"""


def look_at_figures(page, scheme: str) -> None:
    """All text in figures is large, and dark on light or light on dark."""
    for text in page.evaluate(_TEXT_IN_FIGURES):
        assert text["size"] >= 14, text
        assert text["contrast"] >= 4.5, (text, scheme)


def look_at_first_screen(visitor) -> None:
    """The figure is whole without scrolling, and the numbers are in the largest type."""
    main = visitor.page.get_by_test_id("stMain")
    box = main.locator(".st-key-lead, .ranking, .limit, .stPlotlyChart").first.bounding_box()
    assert box["height"] > 250
    assert box["y"] + box["height"] <= DESK["height"]
    assert box["x"] + box["width"] <= DESK["width"]
    drawn = main.locator(".st-key-lead .main-svg")
    if drawn.count():  # nothing of it is cut off
        assert drawn.first.bounding_box()["height"] <= box["height"] + 1
    values = main.get_by_test_id("stMetricValue")
    if values.count():
        title = main.get_by_role("heading", level=1)
        assert visitor.pixels(values.first) > visitor.pixels(title)


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(shown, id=shown.key, marks=() if shown is PAGES[0] else pytest.mark.grid)
        for shown in PAGES
    ],
)
def test_everybody_can_use_a_page_on_a_projector_in_the_dark_and_on_a_phone(
    shown, new_visitor, server
):
    visitor = new_visitor(server, **DESK)
    page = visitor.page
    visitor.open(f"/{shown.key}?runs=50")
    assert visitor.findings() == []
    look_at_figures(page, "light")
    if shown.key != "papers":  # a list of statements, whose figure is measured when asked
        look_at_first_screen(visitor)
    page.emulate_media(color_scheme="dark")
    visitor.settle()
    assert visitor.findings(contrast=True) == []
    look_at_figures(page, "dark")
    page.set_viewport_size(PHONE)
    visitor.settle()
    assert visitor.findings(".stMain", contrast=False) == []
    look_at_figures(page, "dark")
    assert visitor.wider() <= 0


@pytest.mark.grid
def test_axe_finds_nothing_serious_in_what_opens(visitor):
    page = visitor.page
    visitor.open(f"/release?mechanisms={EVERY}")
    visitor.take_away()
    visitor.look_at()
    for opens, within in (
        ("Joint and", ("More mechanisms", "Which ones fit?")),
        ("Assumptions", ()),
        ("Games (Steam)", ()),
    ):
        page.locator(".st-key-line").get_by_role("button", name=opens).click()
        body = page.get_by_test_id("stPopoverBody")
        body.wait_for()
        for words in within:
            body.get_by_text(words, exact=True).click()
        visitor.settle()
        visitor.look_at("[data-testid=stPopoverBody]")
        page.keyboard.press("Escape")
        body.wait_for(state="detached")
    page.locator(".stMain").get_by_test_id("stTooltipIcon").first.hover()
    page.get_by_test_id("stTooltipContent").wait_for()
    visitor.look_at("[data-testid=stTooltipContent]")
    rows = "item;who;count\nfig;1;3\nplum;2;2\nfig;2;1\n"
    visitor.upload("fruit.csv", rows.encode())
    visitor.look_at("[role=dialog]")
    visitor.upload("empty.csv", b"")
    visitor.look_at("[role=dialog]")


@pytest.mark.grid
def test_axe_finds_nothing_serious_in_a_lesson_with_its_answer(visitor):
    visitor.open("/learn?lesson=4&revealed=4&guess_4=less&step=2")
    visitor.page.get_by_text("Teacher’s notes", exact=True).click()
    visitor.settle()
    visitor.look_at(".stMain")
    look_at_figures(visitor.page, "dark")


@pytest.mark.grid
@pytest.mark.parametrize(
    "query",
    [
        *("release?answer=hidden&present=1", "errors?present=1&runs=50&deck=twenty&slide=4"),
        *("release?present=1&picture=outcomes", "sweep?present=1&runs=50"),
        *("mechanisms?present=1", "release?answer=hidden", "learn?deck=twenty&slide=2"),
    ],
)
def test_axe_finds_nothing_serious_on_the_stage(query, visitor):
    visitor.open(f"/{query}")
    visitor.look_at()
    look_at_figures(visitor.page, "dark")


def test_the_keyboard_reaches_every_control_which_has_a_name_and_a_ring(visitor):
    visitor.open("/release")
    page = visitor.page
    reached = []
    for _ in range(150):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUS)
        if stop is None:
            break  # round the page once
        if not stop["in_table"]:
            assert stop["name"], stop
            assert stop["ring"] or stop["stands_in"], stop
        reached.append(stop["name"])
    else:
        raise AssertionError(f"the keyboard is caught: {reached[-5:]}")
    for name in ("k, items to release", "Games (Steam)", "ε, privacy budget", "Assumptions"):
        assert any(name in stop for stop in reached), name
    assert any("Draw 1" in stop for stop in reached)


def test_nothing_moves_where_the_system_asks_for_that(visitor):
    visitor.page.emulate_media(reduced_motion="reduce")
    visitor.open("/release")
    longest = visitor.page.evaluate(
        """() => Math.max(...[...document.querySelectorAll('*')].flatMap(e => {
          const style = getComputedStyle(e);
          return [style.animationDuration, style.transitionDuration]
            .flatMap(all => all.split(',').map(parseFloat));
        }))"""
    )
    assert longest <= 0.001
