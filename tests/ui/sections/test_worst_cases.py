"""Test that the outputs whose probability changes most are found."""

import numpy as np
import pytest

from dptopk import CDPPeel, ItemCounts, Joint
from dptopk.ui.sections import worst_cases


def test_all_outputs_that_are_equally_far_are_marked_and_told():
    counts, other = ItemCounts([5, 5, 1], list("abc")), ItemCounts([6, 6, 1], list("abc"))
    found = worst_cases.compare(Joint(1, 1.0), counts, other)
    far = np.abs(found.loss)
    assert {found.labels[place] for place in found.marked} == {"c"}
    assert far[list(found.marked)] == far.max()
    found = worst_cases.compare(Joint(2, 1.0), counts, other)
    assert {found.labels[place] for place in found.marked} == {"a, c", "b, c", "c, a", "c, b"}
    assert found.words_of_the_furthest.endswith("; 3 others equally large.")
    assert found.shown().marked == found.marked
    assert worst_cases.compare(Joint(2, 1.0), counts, counts).marked == ()


def test_numbers_of_a_neighbour_tell_what_floats_round_away():
    counts, other = ItemCounts([1000, 5], list("ab")), ItemCounts([1000, 6], list("ab"))
    frame = worst_cases.compare(CDPPeel(1, 2.0, 0.0), counts, other).numbers("CDP-Peel")
    assert frame["mechanism"].tolist() == ["CDP-Peel"] * 2
    assert frame["on the data"].tolist() == [1.0, 0.0]
    for place, log in (("on the data", -1990), ("on the neighbour", -1988)):
        assert frame[f"{place}, log"].tolist() == pytest.approx([0, log])
        assert frame[f"{place}, log complement"].tolist() == pytest.approx([log, 0])
    assert "-0.0" not in frame.to_csv()
