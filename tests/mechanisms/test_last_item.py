"""Test all mechanisms at k = d - 1 against k = d, where the last item is determined."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import CDPPeel, ItemCounts, Joint, NeighborRelation, PNFJoint, PNFPeel
from dptopk.core.validation import MIN_EPSILON


@pytest.mark.parametrize(
    ("mechanism", "by_rounds"),
    [
        (Joint(1, 1.0), False),
        (PNFJoint(1, 1.0), False),
        (PNFPeel(1, 1.0), True),
        (CDPPeel(1, 1.0, 0.0), True),
    ],
    ids=lambda value: getattr(value, "name", None),
)
@given(
    counts=st.lists(st.integers(0, 10**4), min_size=2, max_size=5),
    epsilon=st.one_of(st.floats(1e-3, 20.0), st.sampled_from([2 * MIN_EPSILON, 1e3])),
    neighbors=st.sampled_from(NeighborRelation),
)
def test_releasing_all_or_all_but_one_is_the_same(
    mechanism, by_rounds, counts, epsilon, neighbors, every_sequence
):
    """At the same rate: with one round less, a share of epsilon less for those that have rounds."""
    data, d = ItemCounts(counts), len(counts)
    every = every_sequence(d, d)
    less = epsilon * (d - 1) / d if by_rounds else epsilon
    whole = dataclasses.replace(mechanism, k=d, epsilon=epsilon, neighbors=neighbors)
    but_one = dataclasses.replace(mechanism, k=d - 1, epsilon=less, neighbors=neighbors)
    np.testing.assert_allclose(
        whole.log_pmf(data, every), but_one.log_pmf(data, every[:, :-1]), rtol=1e-9, atol=1e-9
    )
