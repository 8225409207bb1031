"""Test the page Release: summaries of all draws so far, and the introduction."""

import numpy as np
import pytest

from dptopk import (
    EMPeel,
    Joint,
    load_dataset,
    output_distribution,
    probability_exact_sequence,
    release,
)
from dptopk.data import classroom_vector

TITLE = "draws so far"


def counted(visit):
    """Show the table of the draws so far, by mechanism."""
    (frame,) = (e.value for e in visit.main.dataframe if "places right" in e.value)
    return frame.set_index("mechanism")


def headers(visit) -> list[str]:
    return [header.value for header in visit.main.header]


def test_each_draw_adds_to_those_before_until_they_are_counted_anew(opened):
    visit = opened("release", mechanisms="Joint,EMPeel", epsilon="0.5")
    assert not any(TITLE in header for header in headers(visit))
    for _ in range(3):
        visit.app.button(key="draw").click().run()
    assert "The 4 draws so far" in headers(visit.whole())
    games = load_dataset("games")
    row = counted(visit).loc["Joint"]
    mechanism = Joint(10, 0.5)
    drawn = np.array([release(games, mechanism, seed) for seed in range(4)])
    right = games.counts[drawn] == games.counts[games.order[:10]]
    assert row["places right"] == f"{right.mean():.1%}"
    assert row["all right in order"] == f"{right.all(axis=1).sum()} of 4"
    assert row["in order, exactly"] == f"{probability_exact_sequence(games, mechanism):.1%}"
    assert visit.press("count-anew").address["since"] == "3"
    assert not any(TITLE in header for header in headers(visit))
    assert "The 2 draws so far" in headers(visit.press("draw"))


def test_where_outputs_are_few_every_place_has_its_exact_probability(opened):
    visit = opened("release", mechanisms="EMPeel", data="classroom-paper_four", k=2, seed=5).whole()
    drawn, exact = visit.chart("right-places")["data"]
    assert drawn["name"] == "EM-Peel"
    assert exact["name"] == "EM-Peel, exact"
    counts = classroom_vector("paper_four")
    law = output_distribution(counts, EMPeel(2, 1.0))
    top = counts.counts[counts.order[:2]]
    expected = law.probabilities @ (counts.counts[law.sequences] == top)
    np.testing.assert_allclose(exact["y"], expected)


def test_only_the_last_fifty_are_counted(opened):
    visit = opened("release", mechanisms="Joint", k=2, seed=2_000).whole()
    assert "The 50 draws so far" in headers(visit)
    assert any("Seeds 1,951 to 2,000" in words for words in visit.captions)


@pytest.mark.parametrize(("query", "first"), [({}, True), ({"epsilon": "0.5"}, False)])
def test_the_first_visit_says_what_this_is_and_leads_to_the_tour(opened, query, first):
    visit = opened("release", **query).whole()
    assert ("**dptopk** shows what" in visit.words) == first
    labels = [link.proto.label for link in visit.main.get("page_link")]
    assert ("Start with lesson 1" in labels) == first
