"""Test every page as a visitor sees it."""

import re
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import expect

from dptopk.ui.layout.pages import PAGES, PLACES


@pytest.mark.grid
@pytest.mark.parametrize("address", ["/", "/privacy"])
def test_cold_server_shows_the_page_whole_at_its_own_address(address, cold_server, new_visitor):
    visitor = new_visitor(cold_server)
    visitor.open(address)
    assert visitor.heading().endswith("?")
    assert urlsplit(visitor.page.url).path == address
    places = visitor.page.locator(".st-key-nav_places").get_by_role("link")
    assert places.all_inner_texts() == list(PLACES)
    here = next(page.place for page in PAGES if page.key == (address.strip("/") or "release"))
    named = visitor.page.locator(".st-key-nav_pages").get_by_role("link").all_inner_texts()
    assert named == [page.title for page in PAGES if page.place == here]
    assert visitor.page.locator(".st-key-word_epsilon input[type=range]").is_visible()
    assert not visitor.page.get_by_text("Page not found").count()
    shown = visitor.page.locator("[data-testid=stPlotlyChart], [data-testid=stDataFrame]")
    assert shown.count() >= 1


def test_walking_through_all_pages_finds_each_whole_with_the_settings_kept(visitor):
    visitor.open("/?k=7&epsilon=0.5")
    headings, all_of_it = [visitor.heading()], {}
    for page in PAGES[1:]:
        visitor.go(page.title)
        headings.append(visitor.heading())
        assert urlsplit(visitor.page.url).path == f"/{page.key}"
        all_of_it |= {page.gallery: page.first} if page.gallery else {}  # a card of each
        cards = {key: text for key, text in all_of_it.items() if key in page.settings}
        assert visitor.query() == {"k": "7", "epsilon": "0.5"} | cards
        for chart in visitor.page.get_by_test_id("stPlotlyChart").all():
            labelled = chart.locator("xpath=descendant-or-self::*[@aria-label or @alt]")
            above = chart.locator("xpath=ancestor::*[@aria-label][1]")
            assert labelled.count() + above.count() > 0, "no words for those who cannot see it"
    assert len(set(headings)) == len(PAGES)
    visitor.go(PAGES[0].title)
    assert visitor.heading() == "What is released as the top 7?"


def test_a_card_opens_wherever_it_is_clicked(visitor):
    visitor.open("/learn")
    card = visitor.page.locator("[class*=st-key-card-]").nth(1)
    box = card.bounding_box()
    visitor.page.mouse.click(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)
    visitor.wait_for_query("lesson", "2")


def test_the_first_page_answers_at_once_and_draws_again(visitor):
    visitor.open()
    words = visitor.page.locator(".moving .words")
    assert visitor.page.locator(".chip.there").count() == 10
    expect(words).to_contain_text("Release 1 of 100, seed 0: 5 in the right place")
    dot, number = (
        visitor.page.locator(f".column{one}").bounding_box()
        for one in (" i.there", ":has(i.there) > span")
    )
    assert abs(dot["x"] + dot["width"] / 2 - number["x"] - number["width"] / 2) < 2
    visitor.page.get_by_role("button", name="Draw 1", exact=True).click()
    visitor.page.keyboard.press("d")
    expect(words).to_contain_text("Release 3 of 100, seed 2")
    visitor.page.get_by_text("Table", exact=True).click()
    visitor.follow()
    text = visitor.text()
    assert "Games (Steam)" in text
    assert len(re.findall(r"\d+ of 10", text)) >= 4
    assert visitor.page.get_by_test_id("stPlotlyChart").count() == 1
    assert "Seed 0 " in text
    visitor.click("Draw again")
    assert "Seed 1 " in visitor.text()
    visitor.page.keyboard.press("d")
    visitor.follow()
    assert "Seed 2 " in visitor.text()
    assert visitor.query() == {"epsilon": "0.1", "seed": "2"}
    visitor.page.get_by_role("slider", name="k, items to release").focus()
    visitor.page.keyboard.press("ArrowRight")
    visitor.follow()
    assert visitor.heading() == "What is released as the top 11?"


def test_the_link_is_copied_with_its_draws_or_for_own_ones(visitor, server):
    visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.open("/errors?seed=7&runs=100")
    visitor.page.get_by_role("button", name="Share").click()
    for name, seed in (("Copy link", "7"), ("Copy link with new draws", "own")):
        visitor.page.get_by_role("button", name=name, exact=True).click()
        visitor.page.get_by_role("status").get_by_text("Copied.").wait_for()
        copied = visitor.page.evaluate("() => navigator.clipboard.readText()")
        assert copied == f"{server.url}/errors?seed={seed}&runs=100"


def test_a_long_run_can_be_stopped_and_continued(visitor):
    visitor.open("/data")  # so that the browser has all it needs to draw: a long run delays that
    visitor.page.goto(f"{visitor.url}/sweep?against=k+as+in+the+paper&runs_a_point=1000")
    main = visitor.page.get_by_test_id("stMain")
    ours = main.get_by_role("button", name="Stop")
    ours.wait_for(timeout=30_000)
    theirs = visitor.page.get_by_test_id("stStatusWidget")  # after its Stop nobody could say so
    theirs.locator("button").wait_for(state="attached", timeout=30_000)
    theirs.locator("button").wait_for(state="hidden", timeout=30_000)
    assert ours.is_visible()
    ours.click()
    main.get_by_text("Stopped:").wait_for(timeout=30_000)
    visitor.settle()
    assert re.search(r"Stopped: \d+ of 80 parts are done", main.inner_text())
    assert main.get_by_test_id("stPlotlyChart").count() == 1
    main.get_by_role("button", name="Continue").click()
    main.get_by_text("Drawing:").wait_for(timeout=30_000)
    assert visitor.query() == {"against": "paper", "runs_a_point": "1000"}


def test_going_back_undoes_the_last_setting_also_after_changing_pages(visitor):
    """Other ways back and forth, as a browser tells of them: tests/ui/test_address.py."""
    visitor.open("/?k=12")
    slider = visitor.page.get_by_role("slider", name="k, items to release")
    slider.focus()
    visitor.page.keyboard.press("ArrowRight")
    visitor.follow()
    assert visitor.query() == {"k": "13"}
    visitor.go("Errors")
    visitor.page.get_by_text("histogram", exact=True).click()
    visitor.follow()
    assert visitor.query() == {"k": "13", "shape": "histogram"}
    visitor.go("Gaps")  # which has no shape: still one press of Back
    assert visitor.query() == {"k": "13"}
    visitor.back()
    assert visitor.heading() == "How large is the error of a top 13?"
    assert visitor.query() == {"k": "13", "shape": "histogram"}
    visitor.back()
    assert visitor.query() == {"k": "13"}
    assert visitor.page.get_by_role("radio", name="20 dots").is_checked()
    visitor.back()
    assert visitor.query() == {"k": "13"}
    assert visitor.heading() == "What is released as the top 13?"
    visitor.back()
    assert visitor.heading() == "What is released as the top 12?"


def test_a_page_whose_settings_come_before_it_is_one_entry_of_history(visitor):
    """A busy browser hears of the new page's settings while it still shows the old page."""
    visitor.open("/errors?k=13&shape=histogram")
    visitor.page.evaluate(
        """() => {
          dispatchEvent(new Event("pointerdown"));
          history.pushState({}, "", "/errors?k=13");
          history.pushState({}, "", "/gaps?k=13");
        }"""
    )
    visitor.back()
    assert urlsplit(visitor.page.url).path == "/errors"
    assert visitor.query() == {"k": "13", "shape": "histogram"}


def test_a_control_that_the_browser_draws_late_has_its_value_and_keeps_the_setting(
    cold_server, new_visitor
):
    visitor = new_visitor(cold_server)
    page, held = visitor.page, []

    def draw_again(seed: str, drawn: bool):
        page.keyboard.press("d")
        page.wait_for_url(f"**seed={seed}*")  # which is early in the run
        visitor.settle(drawn)

    page.route(re.compile(r"/Slider\."), lambda route: held.append(route))  # a slow network
    try:
        page.goto(f"{cold_server.url}/?k=20")
        page.get_by_role("button", name="Draw again").wait_for()
        visitor.settle(drawn=False)
        draw_again("1", drawn=False)
        draw_again("2", drawn=False)  # these runs no longer send the value as a change
        assert held
        assert not page.get_by_role("slider").count()
    finally:
        for route in held:
            route.continue_()
    page.get_by_role("slider").first.wait_for()
    draw_again("3", drawn=True)
    assert visitor.query() == {"k": "20", "seed": "3"}
    assert "top 20" in visitor.heading()


def test_back_from_the_first_view_leaves_the_app(visitor, server):
    visitor.page.goto(f"{server.url}/_stcore/health")
    visitor.open("/")
    visitor.wait_for_query("epsilon", "0.1")
    visitor.page.go_back()
    if "health" not in visitor.page.url:  # the first entry was left in the history
        visitor.settle()
        assert visitor.query() == {}
        visitor.page.go_back()
    assert visitor.page.url.endswith("/_stcore/health")


_PLACES = """names => {
  const walker = document.createTreeWalker(
    document.querySelector("[data-testid=stMain]"), NodeFilter.SHOW_TEXT);
  const left = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  };
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, at = names.map(name => node.data.indexOf(name));
    if (Math.min(...at) >= 0 && left(node, 0))  // written there, and seen
      found.push([at[0] < at[1], left(node, at[0]) < left(node, at[1])]);
  }
  return found;
}"""


def test_names_from_right_to_left_stand_in_the_order_of_their_list(visitor):
    names = ["شاي", "קפה"]
    typed = quote("\n".join(f"{name} {count}" for name, count in zip(names, (40, 30), strict=True)))
    visitor.open(f"/exact?data=typed&typed={typed}&small=all&small_k=2")
    visitor.page.locator(".ytick").nth(1).wait_for()
    found = visitor.page.evaluate(_PLACES, names)
    assert len(found) >= 3  # the title and two rows of the figure
    assert all(written == seen for written, seen in found)


def test_a_click_into_a_box_beside_a_scale_lets_its_number_be_typed_anew(visitor):
    visitor.open("/gaps")
    box = visitor.page.locator(".st-key-_typed-k input")
    box.click()
    visitor.page.keyboard.type("20")
    visitor.press("Enter")
    assert visitor.query()["k"] == "20"
    box.click()
    visitor.page.keyboard.press("End")
    visitor.page.keyboard.type("0")
    visitor.press("Enter")
    assert visitor.query()["k"] == "200"
