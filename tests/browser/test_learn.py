"""Test a lesson by keyboard: its steps, the prediction and the answer."""

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
    page.keyboard.press("Enter")
    visitor.wait_for_query("guess_3", "64")
    press_until(page, "Reveal")
    page.keyboard.press("Enter")
    visitor.wait_for_query("revealed", "3")
    values = main.get_by_test_id("stMetricValue").all_inner_texts()
    assert values == ["64", "66.2 of 100"]
    assert "Close: 2.2 too low." in main.inner_text()


@pytest.mark.grid
def test_the_tour_begins_at_the_first_lesson_with_little_budget(visitor):
    visitor.open("/")
    visitor.page.get_by_role("link", name="Start the tour").click()
    visitor.wait_for_query("epsilon", "0.1")
    assert visitor.heading() == "What do two lists reveal about Alice?"
    visitor.click("Next lesson")
    assert visitor.heading() == "When does noise swap two items?"
    assert visitor.query() == {"epsilon": "0.1", "lesson": "2"}
