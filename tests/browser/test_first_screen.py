"""Test the content that is visible without scrolling, on a desktop and on a phone."""

import itertools
import json

import pytest

from dptopk import MECHANISMS
from dptopk.ui.sections.learn import LESSONS

# what leads to another view, a file or a popover
AWAY = (
    ".st-key-enter *, .st-key-upload *, [class*=st-key-card-] *, .stDownloadButton *, .stPopover *"
)
CONTROLS = ", ".join(
    f"[data-testid=stMain] {part}:not({AWAY})"
    for part in (
        "button:not([kind=elementToolbar], [kind=header], [aria-label^=Help], [aria-label=Open])",
        "input[type=range]",
        "[role=combobox]",
        ":is([data-testid=stCheckbox], [data-testid=stRadio]) label",
    )
)
NAME = """control => {
  const host = control.getRootNode().host || control;
  const key = host.closest('[class*=st-key-]').className.match(/st-key-([\\w-]+)/)[1];
  return [key, control.getAttribute('aria-label') || control.innerText];
}"""
MOST, LINE = 0.02, 30  # layout shift, and of the control itself: a line of words above it
EXCHANGES = {
    "all-mechanisms": "cards take the place of one mechanism",
    "mechanism": "all of its explanation takes the place of that of another",
    "picture": "a table, bars or dots take each other's place, and on a phone have other heights",
}
"""Keys of controls that may move what is below them, with the reasons; not themselves."""
EVERY = ",".join(mechanism.card.key for mechanism in MECHANISMS.values())

MEASURED = """() => {
  const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  document.querySelector('#js-plotly-tester').append(text);
  return text.getBoundingClientRect().width;
}"""
"""What Plotly does for each text of a figure, hundreds of times."""


def restyled(page, script: str) -> int:
    """Run a script; return of how many elements Chromium computed the style anew."""
    browser = page.context.browser
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.evaluate(script)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    steps = [event["args"] for event in events if event["name"] == "UpdateLayoutTree"]
    assert steps
    return sum(step.get("elementCount", 0) for step in steps)


@pytest.mark.parametrize("link", ["/choose", "/errors?present=1", "/learn?lesson=3&slide=1"])
def test_to_measure_a_text_of_a_figure_restyles_little_of_its_page(visitor, phone, link):
    # styles by ":has(...)" of what is inside restyle all of it, unless the last part names a class
    for one in (visitor, phone):
        one.open(link)
        one.page.locator("#js-plotly-tester").wait_for(state="attached")
        # the least of three: a timer or a late part of the page may have its turn at the same time
        assert min(restyled(one.page, MEASURED) for _ in range(3)) < 20


@pytest.mark.grid
def test_the_figure_is_seen_below_most_controls_and_grows_with_the_screen(projector):
    lead = projector.page.get_by_test_id("stMain").locator(".st-key-lead")
    projector.open("/handover?releases=12")
    box = lead.bounding_box()
    assert box["y"] < 0.85 * 720  # of all pages the most stands above it
    projector.open("/compare")
    heights = set()
    for width, height in ((2560, 1440), (1920, 1080)):
        projector.page.set_viewport_size({"width": width, "height": height})
        projector.settle()
        heights.add(lead.bounding_box()["height"])
    assert len(heights) == 1  # rows are no further apart
    projector.open("/gaps")
    assert lead.bounding_box()["height"] > 500


def test_a_phone_names_the_pages_and_shows_the_truth_beside_one_mechanism(phone):
    phone.open("/release?k=5")
    page = phone.page
    heads = page.locator(".ranking th:visible")
    assert heads.all_inner_texts()[:3] == ["place", "true item", "true count"]
    page.locator(".st-key-phone_only").get_by_text("CDP-Peel", exact=True).click()
    phone.follow()
    assert heads.all_inner_texts()[-1].startswith("CDP-Peel\n")
    title = page.get_by_role("heading", level=1).inner_text()
    assert title.startswith("CDP-Peel puts ")  # of the one that is shown
    box = page.locator(".ranking").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    for link in page.locator(".st-key-nav_places").get_by_role("link").all():
        box = link.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390  # all five in one row
    phone.go("Errors")
    assert phone.heading() == "How large is the error of a top 5?"
    assert phone.query() == {"k": "5"}
    phone.go("Gaps")
    assert phone.heading() == "How far apart are the top counts?"


@pytest.mark.grid
@pytest.mark.parametrize("page", ["errors", "compare"])
def test_rows_of_many_mechanisms_keep_apart_and_their_axis_is_whole(page, phone):
    phone.open(f"/{page}?runs=50&mechanisms={EVERY}")
    figure = phone.page.locator(".st-key-lead .main-svg").first.bounding_box()
    names = phone.page.locator(".st-key-lead .ytick text").all()
    boxes = [name.bounding_box() for name in names]
    tops = sorted((box["y"], box["height"]) for box in boxes)
    assert len(tops) == len(MECHANISMS)
    for (above, height), (below, _) in itertools.pairwise(tops):
        assert above + height <= below + 3  # the room between lines of type is part of a box
    title = phone.page.locator(".st-key-lead .xtitle").bounding_box()
    assert title["x"] + title["width"] <= figure["x"] + figure["width"]


PHONE, DESK = (390, 844), (1280, 720)
SLIDES = ("/release?deck=twenty&slide=2", "/learn?deck=twenty&slide=3")
OTHERS = ("/gaps?present=1", "/learn?lesson=4&present=1")


@pytest.mark.parametrize(
    ("address", "screen"),
    [
        ("/", PHONE),
        *((slide, screen) for slide in SLIDES for screen in (PHONE, DESK)),
        *(
            pytest.param(address, screen, marks=pytest.mark.grid)
            for address in OTHERS
            for screen in (PHONE, DESK)
        ),
        *(pytest.param(f"/learn?lesson={n}", PHONE, marks=pytest.mark.grid) for n in LESSONS),
    ],
)
def test_little_moves_while_a_page_or_a_slide_loads_and_the_next_one_comes(
    address, screen, new_visitor, server
):
    visitor = new_visitor(server, *screen)
    for _ in range(2):
        visitor.open(address)
    assert visitor.shifted() < 0.1  # Web Vitals: good
    if address == "/":
        assert visitor.page.locator(".moving").bounding_box()["y"] < 844
    if screen == DESK:  # on a phone the parts of the next slide come one below another: to 0.33
        visitor.watch_shifts()
        visitor.press("ArrowRight")
        assert visitor.shifted() < 0.2


def test_little_moves_for_code_of_controls_that_comes_late(phone):
    page, late = phone.page, []
    first = page.request.get(phone.url).text()  # names the code without which there is no page

    def hold(route):
        late.append(route) if route.request.url.split("/")[-1] not in first else route.continue_()

    page.route("**/static/js/*", hold)
    page.goto(phone.url, wait_until="commit")
    drawn = "[data-test-script-state=notRunning] .st-key-moving-ranks [data-testid=stSkeleton]"
    page.wait_for_selector(drawn, state="attached")
    while late:
        late.sort(key=lambda route: route.request.url)
        late.pop().continue_()
        page.wait_for_timeout(50)
    phone.settle()
    assert phone.shifted() < MOST


def test_a_phone_sees_the_finding_while_epsilon_is_moved(phone):
    phone.open("/")
    page = phone.page
    scale = page.locator(".st-key-epsilon input[type=range]")
    title = page.get_by_role("heading", level=1)
    before = title.inner_text()
    for _ in range(20):
        scale.press("ArrowRight")
    phone.wait_for_query("epsilon", "10")
    assert title.inner_text() != before
    assert scale.bounding_box()["y"] < title.bounding_box()["y"] < 844 / 2


def operate(page, control):
    """Choose another value with a control: the next one on a scale, the last one of a list."""
    if control.get_attribute("type") == "range":
        control.press("ArrowRight")
        return
    control.click()
    if control.get_attribute("role") == "combobox":
        page.get_by_role("option", selected=False).last.click()


@pytest.mark.parametrize(
    ("address", "width"),
    [
        ("/users", 1280),
        *(
            pytest.param(*one, marks=pytest.mark.grid)
            for one in (
                ("/budget", 1280),
                ("/ledger", 1280),
                ("/mechanisms?mechanism=Joint", 1280),
                ("/reader", 1280),
                ("/release", 390),
                ("/handover", 1280),
                ("/privacy", 1280),
                ("/users", 390),
            )
        ),
    ],
)
def test_nothing_moves_for_a_control_of_the_first_screen(address, width, new_visitor, server):
    height = 800 if width > 400 else 844
    visitor = new_visitor(server, width, height)
    page = visitor.page

    def controls() -> list:
        visitor.open(address)
        return page.locator(CONTROLS).element_handles()

    controls()  # what the browser has no code for yet comes late
    moved, left = {}, controls()
    first = page.url
    for n in range(len(left)):
        if page.url != first:
            left = controls()
        box = left[n].bounding_box()
        seen = box and box["y"] >= 0 and box["y"] + box["height"] <= height and box["width"] > 1
        if not seen or left[n].is_disabled() or left[n].get_attribute("aria-checked") == "true":
            continue
        key, name = left[n].evaluate(NAME)
        visitor.watch_shifts()
        operate(page, left[n])
        visitor.follow()
        page.keyboard.press("Escape")  # a popover
        page.wait_for_timeout(300)
        far, after = visitor.shifted(), left[n].bounding_box()
        if after and abs(after["y"] - box["y"]) > LINE:
            moved[key, name] = f"itself by {after['y'] - box['y']:.0f} pixels"
        elif far > MOST and key not in EXCHANGES:
            moved[key, name] = f"{far:.3f}"
    assert moved == {}
