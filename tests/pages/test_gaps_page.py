"""How hard is this data set?  What its gaps mean to what releases exact sets."""

import numpy as np
import pytest

from dptopk import ItemCounts, StableSet, probability_exact_set

TYPED = "400 380 380 379 300 40 20"


def test_what_each_top_set_needs_to_come_out_is_shown_where_it_is_asked_for(opened):
    visit = opened(
        "gaps", mechanisms="StableSet", data="typed", typed=TYPED, epsilon="0.5", neighbors="swap"
    ).whole()
    table = visit.table()
    needed = table["ε of Stable set for 95%"]
    assert np.isnan(needed).tolist() == [False, True, True, False, False, False]
    counts = ItemCounts([int(count) for count in TYPED.split()])
    for k, epsilon in needed.dropna().items():
        mechanism = StableSet(k + 1, epsilon, 1e-6, visit.told()[0]["mechanisms"][0].neighbors)
        assert probability_exact_set(mechanism, counts) == pytest.approx(0.95)
    words = "\n".join(element.value for element in visit.app.main.markdown)
    assert "at ε = 0.5, the top k would come out with at least 95% at 2 of k = 1 to 6" in words
    assert "k = 5 needs least, ε = 0.12. For 2 no ε is enough" in words
    needs, now = visit.chart("sets")["data"]
    assert needs["name"] == "Stable set"
    assert now["name"].startswith("ε = 0.5")
    assert "Stable set [" in visit.told()[1]


def test_nothing_is_said_of_sets_where_no_such_mechanism_is_chosen(opened):
    visit = opened("gaps").whole()
    assert list(visit.table()) == [
        "place",
        "item",
        "count (purchases)",
        "gap to the next (purchases)",
    ]
    assert [header.value for header in visit.app.main.header] == [
        "What they mean to each mechanism",
        "How many items have which count",
    ]


def test_where_no_epsilon_is_enough_there_is_no_figure_of_it(opened):
    visit = opened("gaps", mechanisms="StableSet", data="typed", typed="5 4 3", k="1").whole()
    keys = [chart.key for chart in visit.app.main.get("plotly_chart")]
    assert keys == ["chart-gaps", "chart-counts"]
    words = "\n".join(element.value for element in visit.app.main.markdown)
    assert "would come out with at least 95% at 0 of k = 1 to 2. For 2 no ε" in words
