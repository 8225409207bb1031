"""Test the presentation of a deck by keyboard, with its notes in a second window."""

import re

import pytest

from dptopk.ui.layout import deck


def press(visitor, key: str, slide: int):
    visitor.page.keyboard.press(key)
    visitor.wait_for_query("slide", str(slide))


PRESS_TWICE = """key => {
  const press = () => ['keydown', 'keyup'].forEach(type => document.body.dispatchEvent(
    new KeyboardEvent(type, {key, code: key.length > 1 ? key : `Key${key.toUpperCase()}`,
      bubbles: true, cancelable: true})));
  const app = document.querySelector('[data-testid=stApp]');
  new MutationObserver((_, observer) => {
    if (app.dataset.testScriptState !== 'running') return;
    observer.disconnect();
    press();
  }).observe(app, {attributeFilter: ['data-test-script-state']});
  press();
}"""
"""Presses a key, and again as soon as the first press has begun to run the script."""


def press_twice(visitor, address: str, key: str, name: str, value: str):
    """Open an address and press a key twice; fail if the setting does not reach its value.

    Streamlit itself loses a press now and then on a busy machine, if another one follows before
    its callback has run: there are three attempts, each of which must leave a whole page.
    """
    for _ in range(3):
        visitor.open(address)
        visitor.page.evaluate(PRESS_TWICE, key)
        visitor.follow()
        assert not visitor.page.get_by_test_id("stException").count()
        assert visitor.heading(timeout=5_000)
        if visitor.query().get(name) == value:
            return
    raise AssertionError(f"{name} is {visitor.query().get(name)}")


def hidden_below(page) -> float:
    """Pixels of the slide that lie below the screen."""
    return page.evaluate(
        "() => { const main = document.querySelector('[data-testid=stMain]');"
        " return main.scrollHeight - main.clientHeight; }"
    )


def test_a_deck_is_presented_by_keys(projector):
    page = projector.page
    projector.open("/learn?deck=twenty")
    page.get_by_text("A deck for your class", exact=True).click()
    projector.click("Present the deck")
    projector.wait_for_query("slide", "1")
    assert page.get_by_role("button", name="Open a class").is_visible()
    press(projector, "ArrowRight", 2)
    assert projector.heading() == "One release at ε = 0.1"
    assert not page.locator(".ranking").count()
    page.keyboard.press("a")
    projector.wait_for_query("answer", "revealed")
    table = page.locator(".ranking").bounding_box()
    keys = page.locator(".st-key-deck_keys").bounding_box()
    assert table["y"] + table["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 720
    press(projector, "ArrowRight", 3)
    assert projector.heading() == "What do two lists reveal about Alice?"
    assert not page.locator(".st-key-line").is_visible()
    press(projector, "PageDown", 4)
    press(projector, "Home", 1)
    press(projector, "ArrowRight", 2)
    assert projector.query()["answer"] == "hidden"
    press(projector, "End", 6)
    page.keyboard.press("a")
    page.locator(".st-key-lead .main-svg").first.wait_for()
    projector.settle()
    lead = page.locator(".st-key-lead").bounding_box()
    assert lead["y"] + lead["height"] <= page.locator(".st-key-deck_keys").bounding_box()["y"]
    page.keyboard.press("o")
    page.get_by_role("dialog").get_by_role("button", name="4. How can one choice").click()
    projector.wait_for_query("slide", "4")
    assert not page.get_by_role("dialog").count()
    page.keyboard.press("b")
    assert page.get_by_role("button", name="Show the slide again").is_visible()
    page.keyboard.press("b")
    assert not page.locator(".deck-blank").count()
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    assert "Joint makes one choice for the whole sequence." in notes.inner_text("body")
    assert "What students ask." in notes.inner_text("body")
    assert notes.locator(".katex-html").count() > 3  # formulas are typeset
    notes.wait_for_function(  # their styles come with the window or a moment later
        "() => document.querySelector('.katex-mathml').getBoundingClientRect().width <= 1"
    )
    assert "About 5 minutes" in notes.inner_text("body").replace("\u00a0", " ")  # of the deck
    notes.keyboard.press("ArrowRight")
    projector.wait_for_query("slide", "5")
    notes.get_by_role("heading", name="Error of many releases").wait_for()
    for _ in range(2):
        notes.keyboard.press("b")
    assert not page.locator(".deck-blank").count()
    notes.keyboard.press("a")  # as a key that is not held down with the one before
    projector.wait_for_query("answer", "revealed")
    notes.keyboard.press("o")
    page.get_by_role("dialog").wait_for()
    notes.keyboard.press("Escape")  # closes what is open, and does not leave
    page.get_by_role("dialog").wait_for(state="detached")
    projector.settle()
    assert projector.query()["slide"] == "5"
    notes.keyboard.press("ArrowLeft")
    projector.wait_for_query("slide", "4")
    notes.close()
    projector.settle()
    page.evaluate(
        """() => Object.keys(sessionStorage).filter(key => key.startsWith('dptopk-began'))
        .forEach(key => sessionStorage.setItem(key, sessionStorage.getItem(key) - 600000))"""
    )
    page.reload()
    projector.settle()
    assert projector.heading() == "How can one choice fill k places?"
    timer = page.locator(".deck-tools button").first.inner_text()
    assert re.fullmatch(r"10 min \d\d s of 20 min · leave this slide by 14", timer)
    page.keyboard.press("Escape")
    projector.follow()
    assert projector.query() == {"deck": "twenty", "lesson": "6"}
    assert page.get_by_text("The current data and ε").is_visible()


def test_arrows_turn_slides_after_a_choice_was_clicked(projector):
    page = projector.page
    projector.open("/learn?deck=ninety&slide=6&lesson=4&revealed=4")
    page.locator(".st-key-lesson_slide").get_by_text("Current data", exact=True).click()
    projector.follow()
    press(projector, "ArrowRight", 7)
    page.locator(".st-key-lesson_slide").get_by_text("10 times as large", exact=True).click()
    projector.wait_for_query("guess_5", "k")
    press(projector, "ArrowLeft", 6)
    assert projector.query().get("guess_5", "k") == "k"


def test_a_lesson_on_a_slide_grows_with_the_screen_and_begins_at_its_top(projector):
    page = projector.page
    projector.open("/release?deck=ninety&slide=15")  # whose page is another
    assert projector.query() == {"deck": "ninety", "slide": "15", "lesson": "9", "epsilon": "0.1"}

    def sizes() -> list[float]:
        found = page.evaluate(
            """() => ['h1', '.st-key-predict p, .st-key-buttons_predict p', '.main-svg text']
            .map(at => parseFloat(getComputedStyle(document.querySelector(at)).fontSize))"""
        )
        return [float(size) for size in found]

    small = sizes()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(
        "size => [...document.querySelectorAll('.main-svg text')].slice(0, 1)"
        ".some(text => parseFloat(getComputedStyle(text).fontSize) > 1.4 * size)",
        arg=small[2],
    )
    projector.settle()
    for now, before in zip(sizes(), small, strict=True):
        assert 1.45 < now / before < 1.55
    assert hidden_below(page) <= 0
    projector.open("/papers?deck=ninety&slide=5")  # longer than the screen
    page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 500)")
    press(projector, "ArrowRight", 6)
    projector.settle()
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0


@pytest.mark.parametrize(
    "lesson", [9, *(pytest.param(n, marks=pytest.mark.grid) for n in (*range(1, 9), 10))]
)
def test_a_lesson_fits_its_slide_before_and_after_its_answer(lesson, new_visitor, server):
    for width, height in ((1280, 720), (1920, 1080)):
        visitor = new_visitor(server, width=width, height=height)
        visitor.open(f"/learn?lesson={lesson}&deck=ninety&slide=5")
        assert hidden_below(visitor.page) <= 0
        visitor.page.keyboard.press("a")
        visitor.wait_for_query("revealed", str(lesson))
        visitor.page.locator(".st-key-lead .main-svg").first.wait_for()
        assert hidden_below(visitor.page) <= 0


@pytest.mark.parametrize(
    ("key", "here", "to"),
    [
        ("ArrowRight", 1, 3),
        pytest.param("ArrowRight", 3, 5, marks=pytest.mark.grid),
        pytest.param("ArrowLeft", 4, 2, marks=pytest.mark.grid),
    ],
)
def test_two_presses_at_once_turn_two_slides(key, here, to, projector):
    slides = deck.read("twenty").slides
    address = f"/{slides[here - 1].page}?deck=twenty&slide={here}"
    press_twice(projector, address, key, "slide", str(to))
    assert projector.heading() == slides[to - 1].title


@pytest.mark.parametrize(
    "address",
    [
        "/learn?lesson=3",
        pytest.param("/learn?lesson=3&deck=ninety&slide=5", marks=pytest.mark.grid),
    ],
)
def test_two_presses_at_once_go_two_steps_and_do_not_begin_again(address, projector):
    press_twice(projector, address, "s", "step", "2")
    press_twice(projector, f"{address}&step=2", "s", "step", "3")


def test_presses_count_while_a_slide_is_computed(projector):
    seeds = (f"errors?runs=3000&k=100&seed={seed}" for seed in range(5))
    slow = deck.written(deck.Deck("Slow", tuple(deck.Slide(link, link) for link in seeds)))
    projector.open(f"/errors?deck={slow}&slide=1")
    for key, name, value in (
        ("ArrowRight", "slide", "3"),
        ("ArrowDown", "epsilon", "0.6"),
        ("ArrowLeft", "slide", "1"),
    ):
        for _ in range(2):
            projector.page.keyboard.press(key)
            # longer than a press takes to arrive on a busy machine, where Streamlit may else lose
            # it, and shorter than a slide takes
            projector.page.wait_for_timeout(300)
        projector.wait_for_query(name, value)
        assert not projector.page.get_by_test_id("stException").count()


def test_epsilon_and_k_are_changed_by_the_pointer(projector):
    for address in ("/errors?deck=twenty&slide=2&runs=100", "/errors?present=1&runs=100"):
        projector.open(address)
        page = projector.page
        higher = page.get_by_role("button", name="ε = 1.2")
        row = page.locator("[data-testid=stLayoutWrapper]:has(> .st-key-slide_settings)")
        assert row.evaluate("row => getComputedStyle(row).opacity") == "0"
        page.locator(":is(.st-key-deck-leave, .st-key-present-Leave) button").hover()
        page.wait_for_function(
            "row => getComputedStyle(row).opacity === '1'", arg=row.element_handle()
        )
        higher.click()
        projector.wait_for_query("epsilon", "1.2")
