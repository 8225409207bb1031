"""Outputs on the data and on a neighbour: those that change most are all found."""

import numpy as np

from dptopk import ItemCounts, Joint
from dptopk.ui import neighbours


def test_all_outputs_that_are_equally_far_are_marked_and_told():
    counts, other = ItemCounts([5, 5, 1], list("abc")), ItemCounts([6, 6, 1], list("abc"))
    found = neighbours.compare(Joint(1, 1.0), counts, other)
    far = np.abs(found.loss)
    assert {found.labels[place] for place in found.marked} == {"c"}
    assert far[list(found.marked)] == far.max()
    found = neighbours.compare(Joint(2, 1.0), counts, other)
    assert {found.labels[place] for place in found.marked} == {"a, c", "b, c", "c, a", "c, b"}
    assert found.words_of_the_furthest.endswith("; 3 others as far.")
    assert found.shown().marked == found.marked
    assert neighbours.compare(Joint(2, 1.0), counts, counts).marked == ()
