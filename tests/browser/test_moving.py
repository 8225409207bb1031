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
    track = limit.locator(".track:has(.line)").first.bounding_box()
    page.mouse.move(track["x"] + track["width"] * 3 / 20, track["y"] + 5)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] * 10 / 20, track["y"] + 5)
    page.mouse.up()
    expect(words).to_contain_text("T = 2 has probability")  # the line of place 3 at 10
    assert lit(page) == [1, 2, 3]

    limit.locator(".draw").click()
    placed = limit.locator(".placed li")
    assert "–" in placed.last.inner_text()  # not at once
    expect(words).to_contain_text("Drawn with seed 0", timeout=6_000)
    assert "–" not in limit.locator(".placed").inner_text()
    assert limit.locator(".taken").count() == 3
    page.emulate_media(reduced_motion="reduce")
    limit.locator(".draw").click()
    assert "Drawn with seed 1" in words.inner_text()  # at once
    assert limit.locator(".taken").count() == 3
    assert visitor.shifted() < 0.02
    box = limit.bounding_box()
    assert limit.evaluate("part => part.scrollWidth") <= box["width"] + 1
    page.emulate_media(media="print")
    expect(limit.locator(".draw")).to_be_hidden()
    expect(limit.locator(".items")).to_be_visible()
    page.emulate_media(media="screen")
