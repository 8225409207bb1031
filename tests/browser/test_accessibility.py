"""Everybody can use every page: axe-core finds nothing, text can be read, the keyboard suffices."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from dptopk.ui.plan import PAGES

WINDOWS = ((1280, 720), (390, 844))
_SERIOUS = {"serious", "critical"}
# Relative luminance and contrast as WCAG defines them, of every text in figures on the page.
_TEXT_IN_FIGURES = """() => {
  const parts = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = color => parts(color).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const page = luminance(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
  return [...document.querySelectorAll('.js-plotly-plot .main-svg text')]
    .filter(text => text.textContent.trim()).map(text => {
      const style = getComputedStyle(text), own = luminance(style.fill);
      const contrast = (Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05);
      return {text: text.textContent, size: parseFloat(style.fontSize), contrast};
    });
}"""
# Where the keyboard stands: what it is called, and whether a ring is drawn around it.  The native
# inputs of sliders and switches are invisible, and Streamlit rings what stands for them; cells of
# a table are on a canvas, which shows the chosen one.
_FOCUS = """() => {
  const here = document.activeElement;
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


def findings(page) -> list[str]:
    """What axe-core calls serious or critical, a line for each element."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:200]}"
        for rule in found
        if rule["impact"] in _SERIOUS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("key", [page.key for page in PAGES])
def test_axe_finds_nothing_serious_and_figures_can_be_read(key, new_visitor, server):
    visitor = new_visitor(server)
    for width, height in WINDOWS:
        visitor.page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=scheme)
            if scheme == "light":
                visitor.open(f"/{key}?runs=50")
            visitor.settle()
            assert findings(visitor.page) == [], (width, scheme)
            for text in visitor.page.evaluate(_TEXT_IN_FIGURES):
                assert text["size"] >= 14, text
                assert text["contrast"] >= 4.5, (text, scheme)


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
    for name in ("Data", "k, items to release", "ε, privacy budget", "More settings"):
        assert any(name in stop for stop in reached), name
    assert any("Draw again" in stop for stop in reached)


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
