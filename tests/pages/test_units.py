"""Test that the unit of the counts is stated beside numbers, and texts of figures."""

import re

import pytest

from dptopk.ui.layout.pages import PAGES

NEWS = {"data": "news", "runs": 7, "runs_a_point": 2, "k": 3}
# a small vector or log of their own
OF_OTHER_COUNTS = {"exact", "privacy", "learn", "classroom", "papers", "users"}
AT_ONCE = [page.key for page in PAGES if page.key != "papers"]  # that one draws when asked


def axis_titles(spec) -> str:
    """All titles of axes of a figure."""
    axes = (axis for name, axis in spec["layout"].items() if re.match("[xy]axis", name))
    return " ".join(axis.get("title", {}).get("text", "") for axis in axes)


@pytest.mark.grid
@pytest.mark.parametrize("page", [page.key for page in PAGES if page.key not in OF_OTHER_COUNTS])
def test_counts_of_shares_are_nowhere_called_users(opened, page):
    visit = opened(page, **NEWS).whole()
    charts = visit.main.get("plotly_chart")
    titles = " ".join(axis_titles(visit.chart(c.key.removeprefix("chart-"))) for c in charts)
    columns = " ".join(str(name) for frame in visit.main.dataframe for name in frame.value)
    kinds = " ".join(words for words in visit.captions if len(words) < 60)  # below the tiles
    assert "users" not in f"{titles} {columns} {kinds}".replace("users who could", "")
    if page not in ("ledger", "choose", "handover", "winners"):  # outcomes, ε, names
        assert "shares" in f"{titles} {columns} {kinds}"


@pytest.mark.grid
@pytest.mark.parametrize("page", AT_ONCE)
def test_figures_tell_a_number_that_they_find(opened, page):
    visit = opened(page, runs=7, runs_a_point=2).whole()
    charts = visit.main.get("plotly_chart")
    assert charts
    for chart in charts:
        title, _, finding = chart.proto.alt.partition(". ")
        assert title
        assert re.search(r"\d|not distinguishable|nothing|⊥", finding), chart.proto.alt
        assert "**" not in finding
        assert "`" not in finding


def test_what_is_protected_is_said_where_one_user_may_count_more_than_once(opened):
    words = " ".join(opened("release", data="news").whole().captions)
    assert "who counts up to m times" in words
    assert "an assumption" not in " ".join(opened("release", data="movies_small").whole().captions)
