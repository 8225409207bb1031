"""Choose ε: the smallest ε for a target, cheapest mechanism first."""

import math

import pytest

from dptopk import InverseSensitivitySet, Joint, load_dataset, smallest_epsilon
from dptopk.ui.presenters import choose


def test_the_cheapest_comes_first_with_its_exact_answer(opened):
    visit = opened("choose", mechanisms="Joint,InverseSensitivitySet").whole()
    assert visit.title == "What does the right 10 items cost?"
    games = load_dataset("games")
    exact = [
        smallest_epsilon(games, cls(10, 1.0), "exact_set").epsilon
        for cls in (InverseSensitivitySet, Joint)
    ]
    assert [float(value) for _, value in visit.tiles] == [float(f"{e:.3g}") for e in exact]
    assert [label for label, _ in visit.tiles] == ["ε, Inverse sensitivity", "ε, Joint"]
    marks = [t for t in visit.chart("target")["data"] if t["mode"] == "markers"]
    assert [t["x"][0] for t in marks] == pytest.approx(exact)
    assert choose.LEAK in [note.value for note in visit.app.main.info]


def test_a_target_by_runs_carries_its_interval(opened):
    visit = opened("choose", mechanisms="PNFPeel", goal="items_right", least=4, k=5).whole()
    (tile,) = visit.tiles
    assert visit.title == "What does at least 4 of the right 5 items cost?"
    assert any("simulated (95%: " in caption for caption in visit.captions)
    assert "smallest_epsilon(" in visit.app.main.code[0].value
    assert math.isfinite(float(tile[1]))


def test_mechanisms_that_give_no_order_are_left_out_of_an_order(opened):
    link = {"mechanisms": "Joint,InverseSensitivitySet", "goal": "exact_sequence"}
    visit = opened("choose", **link).whole()
    assert [label for label, _ in visit.tiles] == ["ε, Joint"]
    assert any("Inverse sensitivity is left out" in caption for caption in visit.captions)


def test_an_error_and_a_public_stand_in_and_other_k(opened):
    visit = opened(
        "choose",
        mechanisms="Joint",
        goal="error",
        metric="k_relative",
        most=20,
        stand_in="books",
        other_k="true",
    ).whole()
    assert "k-relative error of at most 20 users" in visit.title
    assert "ε on the public data" in visit.table(0).columns
    assert list(visit.table(1).columns) == ["mechanism", "k = 5", "k = 10", "k = 20", "k = 50"]


def test_what_no_epsilon_reaches_is_said(opened):
    visit = opened("choose", mechanisms="AdaptiveK", goal="exact_set").whole()
    assert visit.tiles == [("ε, Adaptive k", "no ε")]
