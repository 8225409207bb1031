"""Test that an animation of releases can be played, paused, stepped through and disabled."""

from playwright.sync_api import expect


def _places(page) -> list[str]:
    """Names as they stand, place by place."""
    row_and_name = "chip => [parseFloat(chip.style.transform.slice(11)), chip.lastChild.innerText]"
    found = page.locator(".chip.there").evaluate_all(f"chips => chips.map({row_and_name})")
    return [name for _, name in sorted(found)]


def test_releases_are_played_paused_and_stepped_through(visitor):
    page = visitor.page
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/?picture=outcomes&shown=CDPPeel&epsilon=0.1&seed=7")
    words, play = page.locator(".moving .words"), page.get_by_role("button", name="Play")
    expect(words).to_contain_text("Release 1 of 20, seed 7")  # nothing plays by itself
    first = _places(page)
    assert len(first) == 10
    page.wait_for_timeout(2_000)
    expect(words).to_contain_text("Release 1 of 20, seed 7")

    play.focus()
    page.keyboard.press("Space")
    expect(words).to_contain_text("Release 3 of 20, seed 9", timeout=6_000)
    page.keyboard.press("Space")  # the same button pauses
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    paused = words.inner_text()
    page.wait_for_timeout(2_000)
    assert words.inner_text() == paused
    assert _places(page) != first

    slider = page.get_by_role("slider", name="Release", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    expect(words).to_contain_text("Release 1 of 20")
    assert _places(page) == first
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("Release 2 of 20")
    assert slider.get_attribute("aria-valuetext") == words.inner_text()
    page.get_by_role("button", name="Next release").click()
    expect(words).to_contain_text("Release 3 of 20")

    visitor.click("Draw again")  # other releases begin anew
    expect(words).to_contain_text("Release 1 of 20, seed 8")
    moving = "chip => getComputedStyle(chip).transitionDuration"
    chip = page.locator(".chip.there").first
    assert "0.6s" in chip.evaluate(moving)
    page.emulate_media(reduced_motion="reduce")
    expect(page.get_by_text("Step by hand")).to_be_visible()
    expect(play).to_be_hidden()
    assert chip.evaluate(moving) in ("0s", "0s, 0s")
    page.emulate_media(reduced_motion="no-preference")
    expect(play).to_be_visible()
    page.emulate_media(media="print")  # what nobody can press
    expect(play).to_be_hidden()
    expect(slider).to_be_hidden()
    expect(words).to_be_visible()
    page.emulate_media(media="screen")
