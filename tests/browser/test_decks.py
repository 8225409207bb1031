"""Test the presentation of a deck by keyboard, with its notes in a second window."""


def press(visitor, key: str, slide: int):
    visitor.page.keyboard.press(key)
    visitor.wait_for_query("slide", str(slide))


def test_a_deck_is_presented_by_keys(new_visitor, server):
    visitor = new_visitor(server, width=1280, height=720)
    page = visitor.page
    visitor.open("/learn?deck=twenty")
    page.get_by_text("A deck for your class", exact=True).click()
    visitor.click("Present the deck")
    visitor.wait_for_query("slide", "1")
    assert visitor.heading() == "One release at ε = 0.1"
    assert not page.locator(".ranking").count()
    page.keyboard.press("a")
    visitor.wait_for_query("answer", "revealed")
    table = page.locator(".ranking").bounding_box()
    keys = page.locator(".st-key-deck_keys").bounding_box()
    assert table["y"] + table["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 720
    press(visitor, "ArrowRight", 2)
    assert visitor.heading() == "What do two lists reveal about Alice?"
    assert not page.get_by_test_id("stSidebar").is_visible()
    press(visitor, "PageDown", 3)
    press(visitor, "Home", 1)
    assert visitor.query()["answer"] == "hidden"
    press(visitor, "End", 5)
    page.keyboard.press("a")
    page.locator(".st-key-lead .main-svg").first.wait_for()
    visitor.settle()
    lead = page.locator(".st-key-lead").bounding_box()
    assert lead["y"] + lead["height"] <= page.locator(".st-key-deck_keys").bounding_box()["y"]
    page.keyboard.press("o")
    page.get_by_role("dialog").get_by_role("button", name="3. How can one choice").click()
    visitor.wait_for_query("slide", "3")
    assert not page.get_by_role("dialog").count()
    page.keyboard.press("b")
    assert page.get_by_role("button", name="Show the slide again").is_visible()
    page.keyboard.press("b")
    assert not page.locator(".deck-blank").count()
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    assert "Joint makes one choice for the whole sequence." in notes.inner_text("body")
    notes.keyboard.press("ArrowRight")
    visitor.wait_for_query("slide", "4")
    notes.get_by_role("heading", name="Error of many releases").wait_for()
    notes.close()
    visitor.settle()
    page.go_back()
    visitor.wait_for_query("slide", "3")
    page.reload()
    visitor.settle()
    assert visitor.heading() == "How can one choice fill k places?"
    page.keyboard.press("Escape")
    visitor.follow()
    assert visitor.query() == {"deck": "twenty", "epsilon": "0.1", "lesson": "6"}
    assert page.get_by_test_id("stSidebar").is_visible()


def test_a_lesson_on_a_slide_grows_with_the_screen_and_begins_at_its_top(new_visitor, server):
    visitor = new_visitor(server, width=1280, height=720)
    page = visitor.page
    visitor.open("/learn?lesson=3&deck=ninety&slide=4")

    def sizes() -> list[float]:
        found = page.evaluate(
            """() => ['h1', '.st-key-predict p, .st-key-buttons_predict p', '.main-svg text']
            .map(at => parseFloat(getComputedStyle(document.querySelector(at)).fontSize))"""
        )
        return [float(size) for size in found]

    small = sizes()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(
        "size => parseFloat(getComputedStyle(document.querySelector('.main-svg text')).fontSize)"
        " > 1.4 * size",
        arg=small[2],
    )
    visitor.settle()
    for now, before in zip(sizes(), small, strict=True):
        assert 1.45 < now / before < 1.55
    page.get_by_text("The same numbers in Python").scroll_into_view_if_needed()
    page.get_by_role("button", name="Next", exact=False).last.focus()
    page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 500)")
    press(visitor, "ArrowRight", 5)
    visitor.settle()
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_epsilon_is_changed_by_keys_on_a_page_of_a_deck(new_visitor, server):
    visitor = new_visitor(server, width=1280, height=720)
    visitor.open("/errors?deck=twenty&slide=2&runs=100")
    visitor.page.keyboard.press("ArrowDown")
    visitor.wait_for_query("epsilon", "0.8")
    visitor.page.keyboard.press("Shift+ArrowDown")
    visitor.wait_for_query("k", "9")
