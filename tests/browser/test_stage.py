"""Test the presentation mode: one figure on the full screen, and its keys."""

import itertools
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from dptopk import MECHANISMS, dataset_names
from dptopk.ui.layout import deck

CAPTION = (
    ".st-key-stage [data-testid=stCaptionContainer] "
    "p:not(.st-key-stage_keys p, .st-key-deck_keys p, .st-key-stage_live p)"
)
"""The settings of the figure of a slide."""


def type_sizes(visitor) -> set[float]:
    """Sizes of the words in the figure, in pixels."""
    sizes = "e => [...e.querySelectorAll('.main-svg text')].map(t => getComputedStyle(t).fontSize)"
    found = visitor.page.locator(".st-key-lead").evaluate(sizes)
    return {float(size.removesuffix("px")) for size in found}


def lines(elements) -> list[int]:
    """Number of lines of each element."""
    high = "e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)"
    return [round(element.evaluate(high)) for element in elements.all()]


def test_a_figure_is_presented_by_its_key_and_left_by_escape(projector):
    page = projector.page
    projector.open("/release?epsilon=1")
    page.locator(".st-key-line").get_by_role("slider").first.focus()
    projector.press("p")  # a slider is no text field
    assert projector.query() == {"present": "1", "epsilon": "1"}
    assert page.get_by_role("heading").all_inner_texts() == ["What is released as the top 10?"]
    assert not page.locator(".st-key-line").is_visible()
    assert page.get_by_role("button", name="Draw again").count() == 1  # among the keys
    ranking = page.locator(".ranking")
    box = ranking.bounding_box()
    assert box["y"] + box["height"] <= 720
    before = ranking.inner_text()
    projector.press("d")
    assert projector.query() == {"present": "1", "seed": "1"}
    assert ranking.inner_text() != before
    projector.press("ArrowDown")
    projector.press("Shift+ArrowDown")
    assert projector.query() == {"present": "1", "seed": "1", "epsilon": "0.8", "k": "9"}
    projector.press("Shift+ArrowUp")
    projector.press("ArrowUp")
    assert projector.query() == {"present": "1", "seed": "1"}
    projector.press("PageDown")  # as a presenter's clicker sends
    assert projector.query() == {"present": "2", "seed": "1"}
    assert "seed 1" in page.locator(".st-key-stage").inner_text()
    assert min(type_sizes(projector)) >= 20
    projector.press("ArrowRight")  # the draws so far
    assert projector.query() == {"present": "3", "seed": "1"}
    projector.press("ArrowRight")  # on to the next page, and back to the last figure of this one
    assert projector.heading() == "Which outputs are possible, and how likely are they?"
    assert projector.query() == {"present": "1", "seed": "1"}
    projector.press("PageUp")
    assert projector.query() == {"present": "3", "seed": "1"}
    projector.press("Escape")
    assert projector.query() == {"seed": "1"}
    assert page.locator(".st-key-line").is_visible()


@pytest.mark.grid
def test_played_releases_fill_the_screen_and_rankings_are_shown_in_parts(projector):
    projector.open("/release?present=1&picture=outcomes")
    page = projector.page
    rows = page.locator(".places .chip.there")
    assert rows.count() == 10
    last = page.locator(".truth li").last.bounding_box()
    assert 600 < last["y"] + last["height"] <= 720
    assert projector.pixels(rows.first) >= 20
    projector.open("/release?present=1&picture=outcomes&k=20")
    assert rows.count() == 20
    last = page.locator(".truth li").last.bounding_box()
    assert 600 < last["y"] + last["height"] <= 720
    assert projector.pixels(rows.first) >= 17
    page.get_by_role("button", name="Draw 1", exact=True).click()
    assert page.get_by_role("status").inner_text().startswith("Release 2 of 100")
    page.keyboard.press("ArrowRight")  # keys of the stage work behind the button's focus
    projector.follow()
    assert projector.query()["present"] == "2"
    projector.open(
        "/release?present=2&mechanisms=" + ",".join(m.card.key for m in MECHANISMS.values())
    )
    heads = page.locator(".ranking th").all_inner_texts()
    names = [m.card.name for m in list(MECHANISMS.values())[5:10]]
    assert [head.split("\n")[0] for head in heads[3:]] == names


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 720), pytest.param(1920, 1080, marks=pytest.mark.grid)]
)
def test_fifty_places_are_read_on_one_slide(new_visitor, server, width, height):
    visitor = new_visitor(server, width=width, height=height)
    for link, below in (("", None), ("&deck=twenty&slide=1", ".st-key-deck_keys")):
        visitor.open(f"/release?k=50&present=1{link}")
        page = visitor.page
        places = [int(place) for place in page.locator(".ranking td:first-child").all_inner_texts()]
        assert places == list(range(1, 51))
        heads = [head.split("\n")[0] for head in page.locator(".ranking th").all_inner_texts()]
        assert heads[3:] == ["Joint", "place", "true item", "true count", "Joint"]
        ends = [table.bounding_box() for table in page.locator(".ranking").all()]
        bottom = page.locator(below).bounding_box()["y"] if below else height
        assert all(end["y"] + end["height"] <= bottom for end in ends)
        assert visitor.pixels(page.locator(".ranking td").first) >= 14 * height / 720


def slides_revealed(name: str) -> Iterator[str]:
    """Addresses of the slides of a ready deck, with their answers shown."""
    for place, slide in enumerate(deck.read(name).slides, 1):
        shown = {"deck": name, "slide": str(place), "answer": "revealed"}
        yield f"/{slide.page}?{urlencode(slide.query | shown)}"
        if "lesson" in slide.query:
            lesson = {"revealed": slide.query["lesson"]}
            yield f"/{slide.page}?{urlencode(slide.query | shown | lesson)}"


@pytest.mark.parametrize("name", ["twenty", pytest.param("ninety", marks=pytest.mark.grid)])
def test_captions_of_a_ready_deck_take_one_line(name, projector):
    page = projector.page
    captions = page.locator(
        f"{CAPTION}, .stColumn:has(.st-key-lead) [data-testid=stCaptionContainer] p"
    )
    for address in slides_revealed(name):
        page.set_viewport_size({"width": 1280, "height": 720})
        projector.open(address)
        for width, height in ((1280, 720), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            projector.settle()
            of_class = address.startswith("/classroom")  # a code, or the place for it
            assert lines(captions) == [] if of_class else [1], (address, width)


@pytest.mark.parametrize(
    "data",
    [pytest.param(d, marks=[pytest.mark.grid][: d != "movies_small"]) for d in dataset_names()],
)
def test_four_mechanisms_are_released_on_a_slide_with_a_line_above_and_a_caption(
    data, new_visitor, server
):
    keys = "PNFInverseSensitivitySet,LimitedDomainLaplace,ThresholdedLaplace,PrivateCountRelease"
    visitor = new_visitor(server)
    for width, height in ((1280, 720), (1920, 1080)):
        visitor.page.set_viewport_size({"width": width, "height": height})
        visitor.open(f"/release?present=1&data={data}&mechanisms={keys}")
        assert visitor.page.locator(".ranking thead .compared span").count() == 4
        assert lines(visitor.page.locator(".stage-line")) == [1]
        assert lines(visitor.page.locator(CAPTION)) == [1]
        table = visitor.page.locator(".ranking").bounding_box()
        assert table["y"] + table["height"] <= height


@pytest.mark.grid
@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1280, 720, "dark"), (1920, 1080, "light")]
)
def test_a_link_presents_and_the_figure_fills_the_screen(
    new_visitor, server, width, height, scheme
):
    visitor = new_visitor(server, width=width, height=height, scheme=scheme)
    visitor.open("/sweep?present=1&runs_a_point=5")
    box = visitor.page.locator(".st-key-lead").bounding_box()
    assert box["width"] > 0.9 * width
    assert 0.7 * height < box["height"] <= height - box["y"]
    visitor.page.wait_for_function(  # the browser first says how large its screen is
        "least => [...document.querySelectorAll('.st-key-lead .main-svg text')]"
        ".every(text => parseFloat(getComputedStyle(text).fontSize) >= least)",
        arg=20 * height / 720,
    )
    visitor.settle()
    assert min(type_sizes(visitor)) >= 20 * height / 720
    assert visitor.pixels(visitor.page.locator(".stage-line")) >= 20 * height / 720
    assert not visitor.page.locator(".st-key-lead .legend").count()
    visitor.page.get_by_role("button", name="Leave").click()
    visitor.follow()
    assert visitor.query() == {"runs_a_point": "5"}


@pytest.mark.grid
def test_on_a_phone_the_figure_is_the_pages_own_and_takes_what_is_left(phone):
    phone.open("/mechanisms?mechanism=CDPPeel&present=2")
    phone.page.wait_for_function(
        "() => [...document.querySelectorAll('.st-key-lead .main-svg text')].length"
        " && [...document.querySelectorAll('.st-key-lead .main-svg text')]"
        ".every(t => parseFloat(getComputedStyle(t).fontSize) < 20)"
    )
    phone.settle()
    lead = phone.page.locator(".st-key-lead").bounding_box()
    assert lead["y"] + lead["height"] > 0.9 * 844
    ticks = phone.page.locator(".st-key-lead .ytick text").evaluate_all(
        "all => all.map(t => t.getBoundingClientRect()).map(b => [b.top, b.bottom])"
    )
    assert all(above[1] <= below[0] for above, below in itertools.pairwise(ticks))
    words = phone.page.locator(".st-key-lead .main-svg text")
    assert all(box["x"] + box["width"] <= 390 for one in words.all() if (box := one.bounding_box()))


def test_a_page_without_a_figure_stays_visible_with_its_controls(projector):
    projector.open("/errors?present=1&mechanisms=")
    said = projector.page.get_by_text("Choose a mechanism to see its answer.")
    assert 0 < said.bounding_box()["y"] < 360
    projector.page.locator(".st-key-line").get_by_text("no mechanism", exact=True).wait_for()
    projector.click("Leave")
    assert projector.query() == {"mechanisms": ""}


def test_a_key_reveals_a_hidden_answer_and_hides_it_again(visitor):
    visitor.open("/errors?runs=20&answer=hidden")
    page = visitor.page
    assert page.locator(".js-plotly-plot, [data-testid=stMetric]").count() == 1  # the counts
    assert page.title() == "Errors · dptopk: differentially private top-k"
    page.get_by_label("Your prediction").fill("a lot")  # its letters are no keys of the page
    page.keyboard.press("Enter")
    visitor.wait_for_query("prediction", "a lot")
    page.get_by_role("heading", level=1).click()
    visitor.press("a")
    visitor.wait_for_query("answer", "revealed")
    page.locator(".js-plotly-plot").first.wait_for()
    assert "Your prediction: a lot" in page.get_by_test_id("stMain").inner_text()
    visitor.press("a")
    visitor.wait_for_query("answer", "hidden")
    assert page.locator(".js-plotly-plot, [data-testid=stMetric]").count() == 1
    visitor.press("p")
    visitor.wait_for_query("present", "1")
    title = page.locator(".st-key-lead .xtitle")
    assert title.text_content() == "purchases"  # of the counts
    visitor.press("a")
    page.locator(".st-key-lead").get_by_text("error", exact=False).first.wait_for()
