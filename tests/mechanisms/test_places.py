"""Laws of places agree with the sums over all outputs of small cases."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import (
    MECHANISMS,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    NeighborRelation,
    NoClosedFormError,
    PNFInverseSensitivitySet,
    PNFJoint,
    load_dataset,
    output_distribution,
)

WITH_LAW = (Joint, PNFJoint, InverseSensitivitySet, PNFInverseSensitivitySet)


@given(
    st.sampled_from(WITH_LAW),
    st.lists(st.integers(0, 8), min_size=1, max_size=6),
    st.integers(1, 4),
    st.sampled_from([0.1, 0.7, 3.0, 20.0]),
    st.sampled_from(NeighborRelation),
)
def test_laws_of_places_are_those_of_all_outputs(kind, vector, k, epsilon, neighbors):
    counts = ItemCounts(vector)
    mechanism = kind(min(k, counts.d), epsilon, neighbors)
    law = output_distribution(counts, mechanism)
    released = counts.counts[law.sequences]
    ends = counts.sorted.ends
    within = mechanism.chances_within(counts.sorted, ends)
    assert within.shape == (ends.size, mechanism.k)
    for value, row in zip(counts.sorted.values, within, strict=True):
        expected = law.probabilities @ (released >= value)
        if not mechanism.outputs.ordered:  # sets have no places
            expected = np.full(mechanism.k, expected.mean())
        np.testing.assert_allclose(row, expected, atol=1e-11)
    if mechanism.outputs.ordered:
        expected = law.probabilities @ (released[:, :-1] >= released[:, 1:])
        np.testing.assert_allclose(mechanism.chances_in_order(counts.sorted), expected, atol=1e-11)


@pytest.mark.parametrize("kind", WITH_LAW)
def test_laws_of_places_agree_with_draws_on_real_counts(kind):
    counts, n = load_dataset("games"), 4_000
    mechanism = kind(40, 0.5)
    released = counts.counts[mechanism.sample(counts, n, np.random.default_rng(7))]
    ends = counts.sorted.ends[[0, 10, 38, 60, -1]]
    values = counts.sorted.values[[0, 10, 38, 60, -1]]
    within = mechanism.chances_within(counts.sorted, ends)
    np.testing.assert_allclose(within[-1], 1.0, atol=1e-9)
    for value, row in zip(values, within, strict=True):
        seen = (released >= value).mean(axis=0)
        if not mechanism.outputs.ordered:
            seen = np.full(mechanism.k, seen.mean())
        np.testing.assert_allclose(row, seen, atol=0.05)  # six standard errors
    if mechanism.outputs.ordered:
        seen = (released[:, :-1] >= released[:, 1:]).mean(axis=0)
        np.testing.assert_allclose(mechanism.chances_in_order(counts.sorted), seen, atol=0.05)


@pytest.mark.parametrize("kind", [m for m in MECHANISMS.values() if m not in WITH_LAW])
def test_a_mechanism_without_such_laws_says_so(kind):
    counts = ItemCounts([9, 4, 1]).sorted
    own = {"delta": 1e-6, "max_items": 2}
    mechanism = kind(2, 1.0, **{key: own[key] for key in own if kind.card.takes(key)})
    with pytest.raises(NoClosedFormError, match="no closed form of the items at the places"):
        mechanism.chances_within(counts, counts.ends)
    with pytest.raises(NoClosedFormError, match="no closed form of the order of places"):
        mechanism.chances_in_order(counts)
