"""Test that cached pages of bundled data are equal in all sessions, and contain no uploads."""

import pytest
from dialog import uploaded

from dptopk import load_dataset
from dptopk.ui import show
from dptopk.ui.server import work

pytestmark = pytest.mark.usefixtures("fresh_visits")


@pytest.mark.parametrize("page", ["release", "errors", "compare"])
def test_a_second_session_sees_the_same_page(opened, page):
    link = {"runs": 50, "k": 10, "epsilon": 0.1}
    first = opened(page, **link).whole().everything()
    assert work._SHARED.size > 0
    assert opened(page, **link).whole().everything() == first
    moved = {"epsilon": 0.5, "k": 5, "runs": 50}
    again = opened(page, **moved).whole().everything()
    work._SHARED.clear()
    assert opened(page, **moved).whole().everything() == again != first


def test_a_phone_gets_its_own_figure_of_errors(opened, monkeypatch):
    link = {"runs": 50, "k": 10, "epsilon": 0.1}
    wide = opened("errors", **link).chart("errors")
    monkeypatch.setattr(show, "is_narrow", lambda: True)
    narrow = opened("errors", **link).chart("errors")
    work._SHARED.clear()
    assert opened("errors", **link).chart("errors") == narrow != wide
    labels = [[trace["name"] for trace in figure["data"]] for figure in (wide, narrow)]
    medians = [sorted(trace["customdata"])[10] for trace in narrow["data"]]
    assert medians == sorted(medians)  # the best first: the others are out of sight
    assert sorted(labels[0]) == sorted(labels[1])


def test_nothing_of_an_upload_is_shared(opened):
    visit = opened("release", data="upload", k=2)
    work._SHARED.clear()  # what the page showed before
    uploaded(visit, "fruit.csv", b"fruit,users\npear,30\nplum,20\nfig,10\n")
    work._SHARED.clear()
    visit.go("release")
    assert "pear" in str(visit.ranking())
    visit.go("errors")
    assert work._SHARED.size == 0


def test_an_upload_of_bundled_counts_gets_its_own_page(opened):
    counts = load_dataset("games")
    lines = (f'"{item}",{n}' for item, n in zip(counts.items, counts.counts, strict=True))
    data = "\n".join(["item,users", *lines]).encode()
    opened("release", k=2)
    visit = opened("release", data="upload", k=2)
    uploaded(visit, "Games (Steam).csv", data)
    visit.go("release").whole()
    assert "load_dataset" not in visit.code
