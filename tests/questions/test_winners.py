"""Test the best mechanism of each k and epsilon."""

from itertools import combinations

import numpy as np
import pytest

from dptopk import CDPPeel, ItemCounts, Joint, PNFPeel
from dptopk.questions.winners import map_winners, right_by_guessing


def test_more_than_half_right_is_poor_if_closer_to_guessing():
    counts = ItemCounts([900, 600, 300, 0])  # a guess of 3 of 4 items has 2.25 right, of 1 has 0.25
    asked = (counts, [Joint(3, 1.0)], (1, 3), (1e-3, 1e-2, 1.0), "exact_set", 2_000, 1)
    won = map_winners(*asked, items_right=True).won.set_index(["k", "epsilon"])
    right, poor = won["items_right_of_best"], won["poor"]
    assert 2 < right[3, 1e-3] < 2.5
    assert 0.7 < right[1, 1e-2] < 0.9
    assert poor.index[poor].tolist() == [(1, 1e-3), (3, 1e-3), (3, 1e-2)]
    assert len(poor) == 6
    assert "poor" not in map_winners(*asked).won


def test_every_cell_has_a_best_where_chances_imply_all_of_the_score():
    counts = ItemCounts([30, 26, 21, 17, 12, 9, 4])
    epsilons = [round(0.01 * 1.17**step, 6) for step in range(40)]
    mechanisms = [Joint(1, 1.0), PNFPeel(1, 1.0), CDPPeel(1, 1.0, 1e-6)]
    found = map_winners(counts, mechanisms, (1,), epsilons, "items_right", 20, 0, items_right=True)
    assert (found.scores["low"] <= found.scores["high"]).all()
    assert found.won["best"].map(len).min() >= 1
    assert len(found.won) == len(epsilons)


@pytest.mark.parametrize("counts", [[9, 7, 7, 7, 7, 2, 1], [5, 4, 3, 2], [3, 3, 3], [8, 0, 0, 0]])
def test_a_guess_gets_what_all_choices_get_on_average(counts):
    """By definition: the most that the counts of a choice have in common with the top k."""
    for k in range(1, len(counts) + 1):
        top = sorted(counts, reverse=True)[:k]
        right = [
            sum(min(one.count(value), top.count(value)) for value in set(top))
            for one in combinations(counts, k)
        ]
        assert right_by_guessing(ItemCounts(counts), k) == pytest.approx(np.mean(right))


@pytest.mark.parametrize("mechanism", [Joint(1, 1.0), PNFPeel(1, 1.0)], ids=str)
@pytest.mark.parametrize("d", [4, 10, 50])
def test_all_items_are_no_poor_list(mechanism, d):
    counts = ItemCounts(range(5 * d, 0, -5))
    asked = (counts, [mechanism], [d], [1.0, 10.0], "linf", 100, 0)
    assert not map_winners(*asked, items_right=True).won["poor"].any()


def test_what_ties_give_a_guess_is_no_win():
    """Of 20 of 1,000 items of which 998 tie a guess gets 18 right, where k²/d is 0.4."""
    counts = ItemCounts([900, 500, *[1] * 998])
    asked = (counts, [PNFPeel(1, 1.0)], [20], [0.01, 10.0], "linf", 200, 0)
    won = map_winners(*asked, items_right=True).won
    assert right_by_guessing(counts, 20) == pytest.approx(18, abs=0.05)
    assert won["poor"].tolist() == [True, False]
