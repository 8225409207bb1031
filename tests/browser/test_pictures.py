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
    expect(words).to_contain_text("Release 1 of 100, seed 7")  # no other plays by itself
    first = _places(page)
    assert len(first) == 10
    page.wait_for_timeout(2_000)
    expect(words).to_contain_text("Release 1 of 100, seed 7")

    play.focus()
    page.keyboard.press("Space")
    expect(words).to_contain_text("Release 3 of 100, seed 9", timeout=6_000)
    page.keyboard.press("Space")  # the same button stops
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    paused = words.inner_text()
    page.wait_for_timeout(2_000)
    assert words.inner_text() == paused
    assert _places(page) != first

    slider = page.get_by_role("slider", name="Release", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    expect(words).to_contain_text("Release 1 of 100")
    assert _places(page) == first
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("Release 2 of 100")
    assert slider.get_attribute("aria-valuetext") == words.inner_text()
    page.get_by_role("button", name="Draw 1", exact=True).click()
    expect(words).to_contain_text("Release 3 of 100")

    dots, outline = page.locator(".column i"), page.locator(".outline").first
    assert dots.count() == 100
    assert page.locator(".column i.there").count() == 3
    expect(outline).to_have_css("opacity", "0")
    visitor.watch_shifts()
    page.get_by_role("button", name="Draw 100").click()
    expect(words).to_contain_text("Release 100 of 100", timeout=20_000)
    expect(outline).to_have_css("opacity", "1")
    assert page.locator(".column i.there").count() == 100
    tops = page.locator(".column i").evaluate_all("dots => dots.map(dot => dot.offsetTop)")
    assert min(tops) >= -1  # no column is too low for its dots
    assert visitor.shifted() < 0.02
    assert "simulated" in page.locator(".moving .tally").get_attribute("aria-label")

    assert page.locator(".st-key-draw").count() == 0  # the picture draws by itself
    page.locator(".st-key-shown").get_by_text("PNF-Peel", exact=True).click()
    visitor.follow()  # other releases begin anew
    expect(words).to_contain_text("Release 1 of 100, seed 7")
    moving = "chip => getComputedStyle(chip).transitionDuration"
    chip = page.locator(".chip.there").first
    assert "0.6s" in chip.evaluate(moving)
    page.emulate_media(reduced_motion="reduce")
    expect(play).to_be_hidden()
    page.get_by_role("button", name="Draw 100").click()
    assert "Release 100 of 100" in words.inner_text()  # at once
    assert chip.evaluate(moving) in ("0s", "0s, 0s")
    page.emulate_media(reduced_motion="no-preference")
    expect(play).to_be_visible()
    page.emulate_media(media="print")  # what nobody can press
    expect(play).to_be_hidden()
    expect(slider).to_be_hidden()
    expect(words).to_be_visible()
    page.emulate_media(media="screen")
