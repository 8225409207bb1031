"""Test every page, export, snippet and law with three added mechanisms."""

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    ItemCounts,
    NeighborRelation,
    exact_error,
    output_distribution,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.ui.layout.pages import PAGES

TOYS = "ToySet,ToyShort,ToyCounts"
SMALL = ItemCounts([10, 5, 1, 1], ["A", "B", "C", "D"])


def made(toy, k=2, neighbors=NeighborRelation.ADD_REMOVE):
    delta = {"delta": 1e-6} if toy.card.takes("delta") else {}
    return toy(k=k, epsilon=1.0, neighbors=neighbors, **delta)


@pytest.mark.grid
@pytest.mark.parametrize(
    ("chosen", "neighbors"),
    [
        *(("ToySet", "swap"), ("ToyShort", "add-remove"), ("ToyCounts", "swap")),
        (f"Joint,{TOYS},CDPPeel", "add-remove"),
    ],
)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_and_its_code_work(page, chosen, neighbors, opened, toys):
    visit = opened(page.key, mechanisms=chosen, neighbors=neighbors, runs=50, epsilon="0.5")
    visit.whole()
    names, printed = visit.told()
    assert printed
    if page.mechanisms:
        keys = [type(mechanism).card.key for mechanism in names["mechanisms"]]
        assert sorted(keys) == sorted(chosen.split(","))


@pytest.mark.parametrize("chosen", ["ToySet", "ToyShort", "ToyCounts"])
def test_the_exact_page_shows_their_law(chosen, opened, toys):
    visit = opened("exact", mechanisms=chosen).whole()
    (toy,) = (m for m in MECHANISMS.values() if m.card.key == chosen)
    law = output_distribution(SMALL, made(toy))
    shown = visit.table().set_index("output")[toy.name]
    assert shown.sum() == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(shown.loc[law.labels()], law.probabilities, rtol=1e-12)
    fit = visit.table(1).set_index("mechanism")
    assert fit.loc[toy.name, "agrees"] in ("✓ yes", "one cell: nothing to test")


def test_mechanisms_of_different_kinds_stand_side_by_side(opened, toys):
    visit = opened("exact", mechanisms=f"Joint,{TOYS}").whole()
    frame = visit.table().set_index("output")
    assert frame["Joint"].sum() == pytest.approx(1, abs=1e-9)
    assert frame["Toy-Set"].sum() == pytest.approx(1, abs=1e-9)
    assert frame["Toy-Set"].dropna().index.str.startswith("{").all()
    assert frame["Toy-Short"].sum() == pytest.approx(1, abs=1e-9)
    assert "⊥" in frame["Toy-Short"].dropna().index
    law = dict(output_distribution(SMALL, made(MECHANISMS["Toy-Set"])))
    assert visit.firsts["Toy-Set"] == f"{law[0, 1]:.1%}"  # in any order


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_the_privacy_page_shows_their_loss(neighbors, opened, toys):
    visit = opened("privacy", mechanisms=TOYS, neighbors=neighbors.value).whole()
    shown = dict(visit.tiles)
    for toy in toys:
        mechanism = made(toy, neighbors=neighbors)
        worst = worst_case_loss(SMALL, mechanism, neighbors).value
        assert shown[toy.name] == ("∞" if np.isinf(worst) else f"{worst:.3f}")
        if mechanism.guarantee.delta:
            stick = worst_case_hockey_stick(SMALL, mechanism, 1.0, neighbors)
            assert stick.value <= mechanism.guarantee.delta
        else:
            assert worst <= 1 + 1e-9
    assert sum("✓ kept" in words for words in visit.captions) == 3


def test_the_errors_page_takes_the_law_that_one_of_them_knows(opened, toys):
    visit = opened("errors", mechanisms=TOYS, metric="k_relative", epsilon="0.05", runs=50).whole()
    (toy,) = (toy for toy in toys if toy.exact_metrics)
    mechanism = toy(k=10, epsilon=0.05)
    names, _ = visit.told()
    law = exact_error(names["counts"], mechanism, "k_relative")
    assert visit.medians[toy.name] == f"{law.quantile(0.5):,}"
    rows = visit.table().set_index("mechanism")
    assert rows.loc[toy.name, "right in order"] == "sets have no order"
    assert rows.loc[toy.name, "median"].endswith("exact")


def test_a_release_tells_empty_places_and_released_counts(opened, toys):
    visit = opened("release", mechanisms=TOYS, epsilon="0.05", delta="1e-06").whole()
    shown = visit.ranking()
    assert (shown["Toy-Short"] == "⊥ nothing").any()
    assert shown["Toy-Counts"].str.contains(r"\[[\d,-]+\]", regex=True).all()
    heads = " ".join(element.proto.body for element in visit.main.get("html"))
    assert "empty (⊥)</span>" in heads
    beside = visit.table()
    assert set(beside["mechanism"]) == {"Toy-Counts"}
    off = beside["released count"] - beside["true count (purchases)"]
    np.testing.assert_allclose(beside["error"], off, atol=0.06)


def test_taking_them_out_again_leaves_a_link_that_says_so(opened):
    visit = opened("release", mechanisms=f"Joint,{TOYS}").whole()
    assert "not among those offered" in " ".join(visit.complaints)
