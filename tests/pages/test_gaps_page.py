"""Test the page Gaps: the difficulty of a data set, and the ε of exact sets."""

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    StableSet,
    exact_error,
    load_dataset,
    probability_exact_set,
)

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
        assert probability_exact_set(counts, mechanism) == pytest.approx(0.95)
    assert "For 2 of them no ε" in "\n".join(visit.said)
    needs, now = visit.chart("sets")["data"]
    assert needs["name"] == "Stable set"
    assert now["name"].startswith("ε = 0.5")
    assert "Stable set [" in visit.told()[1]


def test_where_no_epsilon_is_enough_or_no_set_is_released_there_is_no_figure_of_sets(opened):
    visit = opened("gaps", mechanisms="StableSet", data="typed", typed="5 4 3", k="1").whole()
    assert visit.charts == ["chart-gaps", "chart-counts"]
    assert "for 0 of the values" in visit.words
    visit = opened("gaps").whole()
    assert not [column for column in visit.table() if "ε" in column]
    assert "chart-sets" not in visit.charts
    assert len(visit.main.header) == 2


def test_what_weighs_whole_outputs_is_not_told_by_two_items_alone_where_many_are_near(opened):
    """At k = 40 Joint swaps items 30 purchases apart in half of its draws, not those 6 apart."""
    few, many = (opened("gaps", k=k).whole() for k in (10, 40))
    drawn = [[trace["name"] for trace in each.chart("swaps")["data"]] for each in (few, many)]
    assert {"Joint", "PNFJoint", "PNF-Peel", "CDP-Peel"} < set(drawn[0])
    assert {"Joint", "PNFJoint"}.isdisjoint(drawn[1])
    law = exact_error(load_dataset("games"), Joint(40, 1.0), "signed_max")
    told = f", exact: Joint {law.quantile(0.95):,} and"
    assert any(told in words for words in many.captions)
    lines = "\n".join(many.said).splitlines()
    told = {line[4:].partition("**")[0]: line for line in lines if line.startswith("- **")}
    apart = {label: "once their counts differ by" in told[label] for label in told}
    assert [apart[label] for label in ("CDP-Peel", "PNF-Peel", "Joint", "PNFJoint")] == [
        *(True, True, False, False)  # no gap from which Joint would win
    ]


def test_chances_side_by_side_are_of_one_measure(opened):
    """Joint's 80 % in order once stood beside the sets' in any order."""
    counts = load_dataset("games")
    shown = opened("mechanisms", mechanism="InverseSensitivitySet", present=4).whole()
    (line,) = (line for line in shown.slide_lines if "Exact probability" in line)
    assert "the right 10, in any" in line
    joint, peel = Joint(10, 1.0), CDPPeel(10, 1.0, 1e-6)
    assert probability_exact_set(counts, joint) > 0.999999
    assert "Joint > 99.9999%" in line
    assert f"CDP-Peel {probability_exact_set(counts, peel):.4%}" in line
    (line,) = opened("gaps", present=2, epsilon=1).whole().slide_lines
    assert "these data: Joint 80.3%" in line
