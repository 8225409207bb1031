"""Test what moves: a limit that is dragged over counts and drawn."""

import pytest
from playwright.sync_api import expect


def lit(page) -> list[int]:
    """Numbers of items that light up, place by place."""
    return page.locator(".limit .row").evaluate_all(
        """rows => [...rows[0].querySelectorAll('.cell')].map((_, place) => rows.slice(1)
          .filter(row => row.querySelectorAll('.cell')[place].matches('.lit')).length)"""
    )


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.grid)])
def test_a_limit_is_moved_by_hand_and_by_keys_and_its_draw_fills_the_places(
    width, new_visitor, server
):
    visitor = new_visitor(server, width, 844)
    page = visitor.page
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/mechanisms?mechanism=Joint&data=typed&typed=20,16,12,3,2&k=3")
    limit = page.locator(".limit")
    slider, words = limit.locator(".at"), limit.locator(".words")
    slider.scroll_into_view_if_needed()
    visitor.watch_shifts()
    slider.press("Home")
    assert lit(page) == [1, 2, 3]
    for _ in range(9):
        slider.press("ArrowRight")
    expect(words).to_contain_text("T = 9 has probability")
    assert slider.get_attribute("aria-valuetext") == words.inner_text()
    assert lit(page) == [3, 3, 4]  # at least 11, 7 and 3
    limit.locator(".column").press("End")
    expect(limit.locator(".place")).to_have_text("Place 3: 12 − 9 = 3")
    first = limit.locator(".track:has(.line)").first
    first.scroll_into_view_if_needed()
    track = first.bounding_box()
    page.mouse.move(track["x"] + track["width"] * 3 / 20, track["y"] + 5)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] * 10 / 20, track["y"] + 5)
    page.mouse.up()
    expect(words).to_contain_text("T = 2 has probability")  # the line of place 3 at 10
    assert lit(page) == [1, 2, 3]

    limit.locator(".draw").click()
    placed = limit.locator(".placed li")
    assert "–" in placed.last.inner_text()  # not at once
    expect(words).to_contain_text("Release of seed 0", timeout=6_000)
    assert "–" not in limit.locator(".placed").inner_text()
    assert limit.locator(".taken").count() == 3
    page.emulate_media(reduced_motion="reduce")
    limit.locator(".draw").click()
    assert "Release of seed 1" in words.inner_text()  # at once
    assert limit.locator(".taken").count() == 3
    assert visitor.shifted() < 0.02
    box = limit.bounding_box()
    assert limit.evaluate("part => part.scrollWidth") <= box["width"] + 1
    page.emulate_media(media="print")
    expect(limit.locator(".draw")).to_be_hidden()
    expect(limit.locator(".items")).to_be_visible()
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.grid)])
def test_counts_are_dragged_and_the_probabilities_follow(width, new_visitor, server):
    visitor = new_visitor(server, width, 844)
    page = visitor.page
    visitor.open("/exact?vector=10,5,1,1&mechanisms=Joint")
    title, before = page.get_by_role("heading", level=1), "Probability of A, B, in this order"
    expect(title).to_contain_text(before)
    bars = page.locator(".counts .track")
    box = bars.nth(1).bounding_box()
    across, height = box["x"] + box["width"] / 2, box["height"]
    visitor.watch_shifts()
    page.mouse.move(across, box["y"] + height * 0.66)
    page.mouse.down()
    page.mouse.move(across, box["y"] + height * 0.1, steps=5)
    expect(title).to_contain_text("Probability of B, A")  # while it is held
    page.mouse.up()
    count = int(bars.nth(1).locator("output").inner_text())
    assert count > 10
    visitor.wait_for_query("vector", f"10, {count}, 1, 1")
    bars.nth(2).get_by_role("slider", name="Count of C").press("ArrowUp")
    visitor.wait_for_query("vector", f"10, {count}, 2, 1")
    assert visitor.shifted() < 0.02
    typed = page.get_by_label("Counts (edit them)")
    expect(typed).to_have_value(f"10, {count}, 2, 1")
    typed.fill("7, 3")
    typed.press("Enter")
    expect(page.locator(".counts output")).to_have_text(["7", "3"])
    typed.fill("tea 7, milk 3")  # names would be lost
    typed.press("Enter")
    expect(page.locator(".counts")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.grid)])
def test_races_pile_up_before_the_prediction_and_the_reveal(width, new_visitor, server):
    visitor = new_visitor(server, width, 844)
    page = visitor.page
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/learn?lesson=3&guess_3=50")
    draws = page.locator(".draws")
    words, counted = draws.locator(".words"), draws.locator(".number")
    assert draws.locator(".flag").inner_text() == "you: 50"
    assert draws.locator(".exact").count() == 0
    visitor.watch_shifts()
    draws.get_by_role("button", name="Run a race").press("Enter")
    expect(words).to_contain_text("Race 1 of 100, seed 0")
    assert sum(map(int, counted.all_inner_texts())) == 1
    draws.get_by_role("button", name="100 at once").click()
    expect(words).to_contain_text("Race 100 of 100", timeout=30_000)
    numbers = [int(number) for number in counted.all_inner_texts()]
    assert sum(numbers) == 100
    pile, bar = draws.locator(".pile").first.bounding_box(), draws.locator(".bar").first
    share = bar.bounding_box()["width"] / pile["width"]
    assert share == pytest.approx(numbers[0] / 100, abs=0.03)
    assert visitor.shifted() < 0.02
    assert f"A: {numbers[0]}" in draws.locator(".sum").inner_text()
    visitor.click("Show the answer")
    expect(draws.locator(".exact")).to_have_count(4)
    assert [int(number) for number in counted.all_inner_texts()] == numbers  # what was drawn stays
    line = draws.locator(".exact").first.bounding_box()["x"]
    assert (line - pile["x"]) / pile["width"] == pytest.approx(0.662, abs=0.02)
    assert "A: 66.2" in draws.locator(".sum").inner_text()
    assert pile["x"] + pile["width"] <= width


def test_many_draws_wait_for_a_prediction_and_go_on_through_a_run_of_the_page(visitor):
    visitor.page.emulate_media(reduced_motion="no-preference")
    visitor.open("/learn?lesson=4")
    draws = visitor.page.locator(".draws")
    many = draws.get_by_role("button", name="100 at once")
    expect(many).to_be_disabled()  # it would tell the answer
    visitor.click("more often")
    expect(many).to_be_enabled()
    many.click()
    visitor.click("Show the answer")
    expect(draws.locator(".words")).to_contain_text("Draw 100 of 100", timeout=30_000)
    assert sum(map(int, draws.locator(".number").all_inner_texts())) == 100


def test_coins_turn_one_by_one_and_at_once_where_nothing_is_to_move(visitor):
    page = visitor.page
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/learn?lesson=4&guess_4=more")
    draws = page.locator(".draws")
    runners, words = draws.locator(".runner"), draws.locator(".words")
    assert draws.locator(".flag").inner_text() == "the race; you: more often"
    assert runners.all_inner_texts() == ["100%", "37%", "14%", "1%"]
    draws.get_by_role("button", name="Turn the coins").click()
    expect(words).to_contain_text("Draw 1 of 100, seed 0: A is the first to show heads")
    assert "3. heads" in runners.all_inner_texts()
    assert runners.all_inner_texts().count("14%") == 1  # C was not turned
    page.emulate_media(reduced_motion="reduce")
    draws.get_by_role("button", name="100 at once").click()
    assert "Draw 100 of 100" in words.inner_text()
    assert sum(map(int, draws.locator(".number").all_inner_texts())) == 100
    page.emulate_media(media="print")
    expect(draws.locator(".controls")).to_be_hidden()
    expect(draws.locator(".pile").first).to_be_visible()
    page.emulate_media(media="screen")


def test_the_lists_of_draws_stay_where_they_are_and_names_are_marked_on_arrival(visitor):
    page, tops = visitor.page, set()
    for mechanism, epsilon in (("CDPPeel", 0.1), ("PNFJoint", 10)):  # few places right, and all
        visitor.open(f"/?picture=outcomes&mechanisms={mechanism}&epsilon={epsilon}")
        tops.add(page.locator(".moving .truth li").first.bounding_box()["y"])
        caption, window = page.locator(".moving .of").bounding_box(), page.viewport_size
        assert caption["y"] + caption["height"] < window["height"]
    assert len(tops) == 1
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/?picture=outcomes&shown=CDPPeel&epsilon=0.1")
    expect(page.locator(".chip.there .mark").first).to_have_text("✓")
    marks = """button => {
      button.click();
      const marks = button.getRootNode().querySelectorAll('.there .mark');
      return [...marks].map(mark => mark.textContent);
    }"""
    moving = page.get_by_role("button", name="Draw 1", exact=True).evaluate(marks)
    assert len(moving) == 10
    assert "" in moving
    expect(page.locator(".chip.there .mark:empty")).to_have_count(0)
