"""Test the best mechanism of each k and epsilon."""

from dptopk import CDPPeel, ItemCounts, Joint, PNFPeel
from dptopk.questions.winners import map_winners


def test_more_than_half_right_is_poor_if_closer_to_guessing():
    counts = ItemCounts([900, 600, 300, 0])  # a guess of 3 of 4 items has 2.25 right, of 1 has 0.25
    asked = (counts, [Joint(3, 1.0)], (1, 3), (1e-3, 1e-2, 1.0), "exact_set", 2_000, 1)
    won = map_winners(*asked, items_right=True).won.set_index(["k", "epsilon"])
    right, poor = won["items_right_of_best"], won["poor"]
    assert 2 < right[3, 1e-3] < 2.5
    assert 0.7 < right[1, 1e-2] < 0.9
    assert poor.to_dict() == {
        (1, 1e-3): True,
        (1, 1e-2): False,
        (1, 1.0): False,
        (3, 1e-3): True,
        (3, 1e-2): True,
        (3, 1.0): False,
    }
    assert "poor" not in map_winners(*asked).won


def test_every_cell_has_a_best_where_chances_imply_all_of_the_score():
    counts = ItemCounts([30, 26, 21, 17, 12, 9, 4])
    epsilons = [round(0.01 * 1.17**step, 6) for step in range(40)]
    mechanisms = [Joint(1, 1.0), PNFPeel(1, 1.0), CDPPeel(1, 1.0, 1e-6)]
    found = map_winners(counts, mechanisms, (1,), epsilons, "items_right", 20, 0, items_right=True)
    assert (found.scores["low"] <= found.scores["high"]).all()
    assert found.won["best"].map(len).min() >= 1
    assert len(found.won) == len(epsilons)
