"""Test a lesson by keyboard: its steps, the prediction and the answer."""

import re

import pytest


def press_until(page, name: str) -> None:
    """Go on by Tab until a control of this name has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        here = page.evaluate(
            "() => document.activeElement.getAttribute('aria-label')"
            " || document.activeElement.innerText"
        )
        if here.startswith(name):
            return
    raise AssertionError(f"the keyboard does not reach {name}")


def test_a_lesson_is_done_by_the_keyboard_alone(visitor):
    visitor.open("/learn?lesson=3")
    page = visitor.page
    main = page.get_by_test_id("stMain")
    press_until(page, "Next step")
    page.keyboard.press("Enter")
    visitor.wait_for_query("step", "1")
    assert "Arrival 1" in main.inner_text()
    press_until(page, "Of 100 such races")
    page.keyboard.type("64")
    page.keyboard.press("a")  # heard in the field, whose number is taken over
    visitor.wait_for_query("guess_3", "64")
    visitor.wait_for_query("revealed", "3")
    values = main.get_by_test_id("stMetricValue").all_inner_texts()
    assert values == ["64", "66.2 of 100"]
    assert "Close: 2.2 too low." in main.inner_text()


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.grid)])
@pytest.mark.parametrize("lesson", ["1", pytest.param("10", marks=pytest.mark.grid)])
def test_a_reveal_moves_nothing(lesson, width, new_visitor, server):
    visitor = new_visitor(server, width, 844)
    visitor.open(f"/learn?lesson={lesson}")
    box = visitor.page.locator(".st-key-prediction")
    guess = box.locator(".st-key-buttons_guesses").get_by_role("button").nth(1)
    guess.scroll_into_view_if_needed()
    visitor.come_to_rest()
    visitor.watch_shifts()
    guess.click()
    visitor.follow()
    assert visitor.shifted() < 0.02
    assert "The answer" in box.inner_text()


@pytest.mark.grid
@pytest.mark.parametrize(
    ("lesson", "least", "most"),
    [
        ("5", "k = 1; EM-Peel, ε/k a round, 99.9955%; CDP-Peel", "k = 12; EM-Peel"),
        ("10", "δ = 1e-12, ⊥ at 60.4; A, 1 in 4.0 million; B", "δ = 0.01, ⊥ at 14.5; A, 99.9%; B"),
    ],
)
def test_the_law_of_a_lesson_follows_a_slider_and_the_keyboard(lesson, least, most, phone):
    phone.open(f"/learn?lesson={lesson}&revealed={lesson}")
    law = phone.page.locator(".law")
    scale, bar = law.locator("input"), law.locator(".bar").first
    found = []
    for key, begins in (("Home", least), ("End", most)):
        scale.press(key)
        said = scale.get_attribute("aria-valuetext")
        assert said.startswith(begins)
        assert law.locator(".setting").inner_text() == said.partition(";")[0]
        assert law.locator(".amount").first.inner_text() in said
        found.append(bar.bounding_box()["width"])
    assert max(found) > 50 * min(found)
    parts = [scale, law.locator(".name").last, law.locator(".amount").last]
    boxes = [part.bounding_box() for part in parts]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert boxes[1]["y"] + boxes[1]["height"] - boxes[0]["y"] < 844  # seen while it is moved


def test_the_timer_begins_anew_with_the_presentation_and_goes_on_when_loaded_anew(visitor):
    visitor.open("/learn?lesson=2")
    page = visitor.page
    timer = page.locator(".deck-tools button").first
    visitor.click("Present")
    page.evaluate(
        """() => Object.keys(sessionStorage).filter(key => key.startsWith('dptopk-began'))
        .forEach(key => sessionStorage.setItem(key, Date.now() - 720000))"""
    )
    timer.filter(has_text="12 min").wait_for()
    page.reload()
    timer.filter(has_text="12 min").wait_for()
    visitor.settle()
    visitor.press("Escape")
    visitor.click("Present")
    timer.filter(has_text=re.compile("^0 min")).wait_for()


@pytest.mark.parametrize(("lesson", "moving"), [("lesson=3", ".draws"), ("lesson=6", ".limit")])
def test_what_moves_on_a_slide_is_as_large_as_the_words_beside_it(
    lesson, moving, new_visitor, server
):
    visitor = new_visitor(server, 1920, 1080)
    visitor.open(f"/learn?{lesson}&present=1")
    words = visitor.pixels(visitor.page.locator(".st-key-guess p").first)
    figure = visitor.page.locator(moving)
    assert visitor.pixels(figure) > 0.9 * words > 20
    box = figure.bounding_box()
    assert box["y"] + box["height"] < visitor.page.locator(".st-key-deck_keys").bounding_box()["y"]
