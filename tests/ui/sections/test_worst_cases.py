"""Test the worst case of a mechanism on the page Privacy: its outputs and its sentences."""

import pytest

from dptopk import CDPPeel, ItemCounts, Joint
from dptopk.laws.privacy_losses import WorstCase
from dptopk.questions.privacy import describe
from dptopk.ui.sections import worst_cases
from dptopk.ui.sections.worst_cases import use_tile


def test_all_outputs_that_are_equally_far_are_marked_and_told():
    counts, other = ItemCounts([5, 5, 1], list("abc")), ItemCounts([6, 6, 1], list("abc"))
    found = worst_cases.compare(Joint(1, 1.0), counts, other)
    far = found["privacy loss (ln)"].abs()
    assert set(found["output"][found["furthest"]]) == {"c"}
    assert (far[found["furthest"]] == far.max()).all()
    found = worst_cases.compare(Joint(2, 1.0), counts, other)
    assert set(found["output"][found["furthest"]]) == {"a, c", "b, c", "c, a", "c, b"}
    assert worst_cases.words_of_the_furthest(found).endswith("; 3 others equally large.")
    assert worst_cases.few(found)["furthest"].tolist() == found["furthest"].tolist()
    assert not worst_cases.compare(Joint(2, 1.0), counts, counts)["furthest"].any()


def test_numbers_of_a_neighbour_tell_what_floats_round_away():
    counts, other = ItemCounts([1000, 5], list("ab")), ItemCounts([1000, 6], list("ab"))
    frame = worst_cases.compare(CDPPeel(1, 2.0, 0.0), counts, other)
    assert frame["mechanism"].tolist() == ["CDP-Peel"] * 2
    assert frame["on the data"].tolist() == [1.0, 0.0]
    for place, log in (("on the data", -1990), ("on the neighbour", -1988)):
        assert frame[f"{place}, log"].tolist() == pytest.approx([0, log])
        assert frame[f"{place}, log complement"].tolist() == pytest.approx([log, 0])
    assert "-0.0" not in frame.to_csv()


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 1e12])
def test_a_promise_is_broken_by_what_is_above_it_relative_to_it(epsilon):
    for share, sign in ((1.0, "✓ kept"), (1.01, "✗ broken")):
        loss, stick = (
            WorstCase(share * most, ItemCounts([1, 0]), (0,), False) for most in (epsilon, 1e-6)
        )
        assert use_tile(Joint(1, epsilon), loss, None).value == sign
        assert use_tile(CDPPeel(1, epsilon, 1e-6), loss, stick).value == sign  # by its δ


@pytest.mark.parametrize(
    ("neighbor", "said"),
    [
        ([6, 3, 2], "A user who holds a, c joins."),
        ([5, 2, 1], "A user who holds b leaves."),
        ([6, 2, 1], "A user with b is replaced by one with a."),
        ([5, 3, 1], "The data do not change."),
    ],
)
def test_the_change_by_a_user_is_told_from_the_data_to_the_neighbor(neighbor, said):
    counts = ItemCounts([5, 3, 1], list("abc"))
    assert describe(counts, ItemCounts(neighbor, list("abc"))) == said
