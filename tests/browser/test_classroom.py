"""Test a class in two tabs: the teacher's on a projector and a student's on a phone."""

import pytest


@pytest.fixture
def teacher(projector):
    projector.open("/classroom")
    projector.click("Open a class")
    yield projector
    projector.page.get_by_role("button", name="Close the class").click()
    projector.page.get_by_role("button", name="Close it").click()
    projector.page.get_by_role("button", name="Open a class").wait_for()


def test_a_class_on_a_projector_and_a_phone(teacher, new_visitor, server):
    board = teacher.page
    code = board.locator(".class-code strong").inner_text()
    picture = board.locator(".class-code img")
    assert picture.get_attribute("alt").endswith(f"/join?code={code}")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")

    student = new_visitor(server, 390, 844)
    student.open("/join")
    phone = student.page
    phone.get_by_role("textbox", name="Code of the class").fill(code.lower())
    phone.keyboard.press("Enter")
    phone.get_by_text("You are in.").wait_for()
    board.get_by_role("button", name="Ask it").click()
    phone.get_by_text("Your prediction").wait_for()
    student.look_at()
    phone.get_by_text("60 to 70%").click()
    phone.get_by_role("button", name="Draw 10").click()
    phone.get_by_text("Your draws: 10 of").wait_for()
    tiles = board.locator(".st-key-tiles_class")
    tiles.get_by_text("10", exact=True).wait_for()
    assert "63.1%" not in board.inner_text("body") + phone.inner_text("body")

    board.get_by_role("button", name="Reveal the answer").click()
    tiles.get_by_text("63.1%").wait_for()
    board.get_by_text("1 of 1 predicted it").wait_for()
    teacher.look_at()
    phone.get_by_text("63.1% (exact).").wait_for()
    student.look_at()
    assert student.wider() <= 0
    assert teacher.wider() <= 0


def test_tabs_of_one_browser_are_one_student_whose_answer_the_teacher_deletes(
    teacher, new_visitor, server
):
    board = teacher.page
    code = board.locator(".class-code strong").inner_text()
    board.get_by_role("button", name="Ask it").click()
    tabs = [new_visitor(server, 390, 844) for _ in range(2)]
    numbers = board.locator(".st-key-tiles_class").get_by_test_id("stMetricValue")
    for tab, option in zip(tabs, ("60 to 70%", "20 to 30%"), strict=True):
        tab.page.bring_to_front()
        tab.open(f"/join?code={code}")
        tab.page.get_by_text(option).click()
        tab.page.get_by_role("radio", name=option, checked=True).wait_for()
    for tab in tabs:
        tab.page.bring_to_front()
        tab.page.get_by_role("button", name="Draw", exact=True).click()
        tab.page.get_by_text("Your prediction stands since your first draw.").wait_for()
    tabs[0].page.bring_to_front()
    tabs[0].page.get_by_role("radio", name="20 to 30%", checked=True).wait_for()
    tabs[0].page.get_by_text("Your draws: 2 of").wait_for()
    board.bring_to_front()
    numbers.nth(2).get_by_text("2", exact=True).wait_for()  # a new tab is a student for a moment
    assert numbers.all_inner_texts() == ["1", "1", "2"]
    board.get_by_role("button", name="Delete the answers").click()
    board.wait_for_timeout(2_500)  # the next looks leave it open
    teacher.look_at()
    board.get_by_role("button", name="Delete them").click()
    numbers.nth(2).get_by_text("0", exact=True).wait_for()
    assert numbers.all_inner_texts() == ["1", "0", "0"]
    for tab in tabs:
        tab.page.bring_to_front()
        tab.page.get_by_text("Predict first, then draw.").wait_for()


def test_a_teacher_who_reloads_the_page_goes_on_and_a_closed_class_stays_closed(teacher):
    board = teacher.page
    code = board.locator(".class-code strong").inner_text()
    board.wait_for_function("() => sessionStorage.getItem('dptopk-teacher')")
    board.reload()
    board.locator(".class-code strong").wait_for()
    assert board.locator(".class-code strong").inner_text() == code
    teacher.go("Lessons")
    board.get_by_text("A race").first.click()
    ask = board.get_by_role("button", name="Ask the class: 0 students")
    ask.wait_for()
    teacher.wait_for_query("lesson", "3")  # written after the button: at the end of the run
    board.reload()
    ask.click()
    board.locator(".st-key-tiles_class").get_by_text("Predictions").wait_for()
    teacher.go("Class")
    board.get_by_role("button", name="Close the class").click()
    board.get_by_role("button", name="Close it").click()
    board.get_by_role("button", name="Open a class").wait_for()
    board.wait_for_function("() => !sessionStorage.getItem('dptopk-teacher')")  # forgotten, too
    board.reload()
    board.get_by_role("button", name="Open a class").click()
    board.locator(".class-code strong").wait_for()
    assert board.locator(".class-code strong").inner_text() != code


@pytest.mark.grid
def test_the_board_is_live_on_a_slide(teacher, new_visitor, server):
    board = teacher.page
    code = board.locator(".class-code strong").inner_text()
    key = teacher.text()
    teacher.click("Present")
    assert teacher.heading() == f"Class {code}"
    assert "Teacher’s key" in key
    assert "Teacher’s key" not in board.locator(".st-key-stage").inner_text()
    student = new_visitor(server, 390, 844)
    student.open(f"/join?code={code}")
    board.get_by_role("button", name="Ask it").click()
    phone = student.page
    phone.get_by_text("60 to 70%").click()
    tiles = board.locator(".st-key-tiles_class")
    for draws in ("10", "20"):
        phone.get_by_role("button", name="Draw 10").click()
        tiles.get_by_text(draws, exact=True).wait_for()
    assert not board.locator(".st-key-line").is_visible()
    box = board.locator(".st-key-lead").bounding_box()
    assert box["y"] + box["height"] <= 720
    phone.reload()
    phone.get_by_text("Your draws: 20 of").wait_for()  # the same student
    assert board.locator(".st-key-tiles_class").get_by_text("20", exact=True).count() == 1
    board.get_by_role("button", name="Reveal the answer").click()
    tiles.get_by_text("63.1%").wait_for()
    teacher.look_at()
    assert teacher.wider() <= 0
    teacher.page.keyboard.press("Escape")
    board.get_by_role("button", name="Close the class").wait_for()
