"""Test every page for accessibility by axe-core, for contrast and for use by keyboard.

Its figure is whole on the first screen of a projector, and nothing overflows on a phone.
"""

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from dptopk import MECHANISMS
from dptopk.ui.layout.pages import PAGES

DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
CONTRAST = "color-contrast"  # most of axe-core's time
EVERY = ",".join(mechanism.card.key for mechanism in MECHANISMS.values())
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


def findings(page, within: str = "body", contrast: bool | None = None) -> list[str]:
    """What is wrong in a part of the page: contrast alone, all but contrast, or all."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {
        None: {},
        True: {"runOnly": [CONTRAST]},
        False: {"rules": {CONTRAST: {"enabled": False}}},
    }
    return page.evaluate(_FIND, [within, options[contrast]])


def look_at(visitor, within: str = "body") -> None:
    """Find nothing serious in a part of the page, in light and in dark."""
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        visitor.settle()
        # nothing but colours changes with the scheme
        found = findings(visitor.page, within, contrast=True if scheme == "dark" else None)
        assert found == [], scheme


def look_at_figures(page, scheme: str) -> None:
    """All text in figures is large, and dark on light or light on dark."""
    for text in page.evaluate(_TEXT_IN_FIGURES):
        assert text["size"] >= 14, text
        assert text["contrast"] >= 4.5, (text, scheme)


def pixels(element) -> float:
    """Size of the type of an element."""
    return float(element.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))


def look_at_first_screen(page) -> None:
    """The figure is whole without scrolling, and the numbers are in the largest type."""
    main = page.get_by_test_id("stMain")
    box = main.locator(".st-key-lead, .ranking, .limit, .stPlotlyChart").first.bounding_box()
    assert box["height"] > 250
    assert box["y"] + box["height"] <= DESK["height"]
    assert box["x"] + box["width"] <= DESK["width"]
    drawn = main.locator(".st-key-lead .main-svg")
    if drawn.count():  # nothing of it is cut off
        assert drawn.first.bounding_box()["height"] <= box["height"] + 1
    values = main.get_by_test_id("stMetricValue")
    if values.count():
        assert pixels(values.first) > pixels(main.get_by_role("heading", level=1))


def wider_than_the_window(page) -> int:
    """By how many pixels the page is, once figures had ten seconds to follow the window."""
    return page.evaluate(
        """async () => {
            const main = document.querySelector('[data-testid=stMain]');
            const wider = () => main.scrollWidth - window.innerWidth;
            for (let i = 0; i < 100 && wider() > 0; i++)
                await new Promise(next => setTimeout(next, 100));
            return wider();
        }"""
    )


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
    assert findings(page) == []
    look_at_figures(page, "light")
    if shown.key != "papers":  # a list of statements, whose figure is measured when asked
        look_at_first_screen(page)
    page.emulate_media(color_scheme="dark")
    visitor.settle()
    assert findings(page, contrast=True) == []
    look_at_figures(page, "dark")
    page.set_viewport_size(PHONE)
    visitor.settle()
    assert findings(page, ".stMain", contrast=False) == []
    look_at_figures(page, "dark")
    assert wider_than_the_window(page) <= 0


@pytest.mark.grid
def test_axe_finds_nothing_serious_in_what_opens(visitor):
    page = visitor.page
    visitor.open(f"/release?mechanisms={EVERY}")
    visitor.take_away()
    look_at(visitor)
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
        look_at(visitor, "[data-testid=stPopoverBody]")
        page.keyboard.press("Escape")
        body.wait_for(state="detached")
    page.locator(".stMain").get_by_test_id("stTooltipIcon").first.hover()
    page.get_by_test_id("stTooltipContent").wait_for()
    look_at(visitor, "[data-testid=stTooltipContent]")
    rows = "item;who;count\nfig;1;3\nplum;2;2\nfig;2;1\n"
    visitor.upload("fruit.csv", rows.encode())
    look_at(visitor, "[role=dialog]")
    visitor.upload("empty.csv", b"")
    look_at(visitor, "[role=dialog]")


@pytest.mark.grid
def test_axe_finds_nothing_serious_in_a_lesson_with_its_answer(visitor):
    visitor.open("/learn?lesson=4&revealed=4&guess_4=less&step=2")
    visitor.page.get_by_text("Teacher’s notes", exact=True).click()
    visitor.settle()
    look_at(visitor, ".stMain")
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
    look_at(visitor)
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
