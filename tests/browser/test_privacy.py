"""Test the pages Privacy and Budget, with guarantees that hold and guarantees that fail."""

import pytest
from playwright.sync_api import expect


def _tiles(visitor) -> list[str]:
    return visitor.page.get_by_test_id("stMetricValue").all_inner_texts()


def _choose(visitor, label: str, option: str):
    visitor.page.get_by_role("combobox", name=label).click()
    visitor.page.get_by_role("option", name=option).click()
    visitor.follow()


@pytest.mark.grid
def test_promises_are_kept_broken_or_wasted_and_the_samplers_are_checked(visitor):
    visitor.open("/privacy")
    assert all(0 < float(value) <= 1 for value in _tiles(visitor))
    assert visitor.text().count("✓ kept") == 4
    assert "✗ broken" not in visitor.text()
    assert "not hardened for real releases" in visitor.text()
    _choose(visitor, "What is run", "add/remove noise although a user is replaced")
    assert "one user is replaced" in visitor.text()
    assert visitor.text().count("✗ broken") == 4
    assert all(float(value) > 1 for value in _tiles(visitor))
    _choose(visitor, "What is run", "CDP-Peel with Gumbel noise 20% too small")
    assert "✗ broken" in visitor.text()
    _choose(visitor, "What is run", "CDP-Peel with the scale printed in Algorithm 3")
    assert "✓ kept" in visitor.text()
    assert float(_tiles(visitor)[0]) < 0.6
    tables = visitor.page.get_by_test_id("stDataFrame").count()
    visitor.click("Draw 100,000 times and check")
    assert visitor.page.get_by_test_id("stDataFrame").count() == tables + 1


@pytest.mark.grid
def test_a_user_can_be_chosen_and_the_link_keeps_them(visitor, new_visitor, server):
    visitor.open("/privacy")
    _choose(visitor, "Neighbour", "choose the user's items")
    assert "A user who holds A joins." in visitor.text()
    visitor.page.get_by_role("radio", name="leaves").click()
    visitor.follow()
    assert "A user who holds A leaves." in visitor.text()
    other = new_visitor(server)
    other.open(visitor.page.url.removeprefix(server.url))
    assert "A user who holds A leaves." in other.text()


@pytest.mark.grid
def test_a_calibration_chosen_for_the_budget_holds_on_all_pages(visitor):
    visitor.open("/budget?epsilon=1")
    assert _tiles(visitor)[:2] == ["8.46", "6.52"]
    assert "22.9% less than the paper's" in visitor.text()
    visitor.page.get_by_text("tightest proven (less noise)", exact=True).click()
    expect(visitor.page.get_by_test_id("stMetricValue").first).to_have_text("6.52", timeout=20_000)
    visitor.settle()
    assert visitor.query() == {"calibration": "optimal"}
    visitor.go("Errors")
    assert "CDP-Peel (optimal)" in visitor.text()
    visitor.go("Gaps")
    assert "CDP-Peel (optimal) adds Gumbel noise of scale 6.5 purchases" in visitor.text()
