"""Test the sentences of the page Privacy on the worst case of a mechanism."""

import pytest

from dptopk import ItemCounts, Joint
from dptopk.laws.privacy_losses import WorstCase
from dptopk.questions.privacy import describe
from dptopk.ui.sections.worst_cases import use_tile


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 1e12])
def test_a_promise_is_broken_by_what_is_above_it_relative_to_it(epsilon):
    for loss, sign in ((epsilon, "✓ kept"), (1.01 * epsilon, "✗ broken")):
        worst = WorstCase(loss, ItemCounts([1, 0]), (0,), False)
        assert sign in use_tile(Joint(1, epsilon), worst, None).kind


@pytest.mark.parametrize(
    ("neighbor", "said"),
    [
        ([6, 3, 2], "A user who holds a, c joins."),
        ([5, 2, 1], "A user who holds b leaves."),
        ([6, 2, 1], "A user with b is replaced by one with a."),
        ([5, 3, 1], "The user holds nothing: the data do not change."),
    ],
)
def test_the_change_by_a_user_is_told_from_the_data_to_the_neighbor(neighbor, said):
    counts = ItemCounts([5, 3, 1], list("abc"))
    assert describe(counts, ItemCounts(neighbor, list("abc"))) == said
