"""Test every page in Chromium with three added mechanisms."""

import pytest

TOYS = "ToySet,ToyShort,ToyCounts"
NAMES = ("Toy-Set", "Toy-Short", "Toy-Counts")
PAGES = (
    *("Release", "Errors", "Side by side", "Across k and ε", "Gaps"),
    *("Exact", "Privacy", "Budget"),
)


@pytest.fixture(scope="module")
def toy_server(chromium, serve):
    yield from serve("tests/toys/serve.py")


@pytest.fixture
def toy_visitor(new_visitor, toy_server):
    return new_visitor(toy_server)


@pytest.mark.grid
@pytest.mark.parametrize("others", ["", ",Joint,CDPPeel"], ids=["alone", "beside others"])
def test_every_page_shows_them(others, toy_visitor):
    toy_visitor.open(f"/data?mechanisms={TOYS}{others}&runs=50")
    for title in PAGES:
        toy_visitor.go(title)
        text = toy_visitor.text()
        assert toy_visitor.page.get_by_test_id("stException").count() == 0
        assert toy_visitor.page.get_by_test_id("stPlotlyChart").count() >= 1
        assert all(name in text for name in NAMES), title
        assert toy_visitor.query()["mechanisms"].split(",")[-3:] == TOYS.split(",")


@pytest.mark.grid
def test_a_parameter_of_their_own_has_its_control_and_its_place_in_the_address(toy_visitor):
    toy_visitor.open("/?mechanisms=ToyShort&delta=0.01")
    toy_visitor.page.get_by_role("button", name="Assumptions").click()
    box = toy_visitor.page.get_by_role("spinbutton", name="Items read")
    box.fill("12")
    box.press("Enter")
    toy_visitor.follow()
    assert toy_visitor.query() == {"mechanisms": "ToyShort", "delta": "0.01", "k_bar": "12"}
    toy_visitor.take_away()
    toy_visitor.page.get_by_test_id("stCode").first.wait_for()  # sent when it is opened
    assert "ToyShort(10, 1.0, 0.01, k_bar=12)" in toy_visitor.text()
