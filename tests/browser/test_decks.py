"""A deck is gone through by keys, with its notes in a second window."""


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
    assert visitor.heading() == "What do two lists say of Alice?"
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
