"""Laws of places agree with the sums over all outputs of small cases."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dptopk import (
    MECHANISMS,
    EMPeel,
    ItemCounts,
    Joint,
    Laplace,
    NeighborRelation,
    NoClosedFormError,
    load_dataset,
    output_distribution,
)
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.exact_laws import LawsOfPlaces

REGISTERED = MECHANISMS.values()
WITH_LAW = [m for m in REGISTERED if m.chances_within is not LawsOfPlaces.chances_within]
OF_NOISE = [m for m in REGISTERED if m.chances_released is not LawsOfPlaces.chances_released]


def built(kind, k, epsilon, neighbors=NeighborRelation.ADD_REMOVE, delta=0.05, **own):
    given = {"delta": delta} if kind.card.takes("delta") else {}
    return kind(k, epsilon, neighbors=neighbors, **given, **own)


@given(
    st.sampled_from([*WITH_LAW, *OF_NOISE]),
    st.lists(st.integers(0, 8), min_size=1, max_size=5),
    st.integers(1, 4),
    st.sampled_from([0.01, 0.7, 3.0, 50.0]),
    st.sampled_from(NeighborRelation),
)
def test_the_chance_of_each_item_is_that_of_all_outputs(kind, vector, k, epsilon, neighbors):
    counts = ItemCounts(vector)
    k = k if kind.open_domain else min(k, counts.d)
    mechanism = built(kind, k, epsilon, neighbors)
    law = output_distribution(counts, mechanism)
    expected = np.zeros(counts.d + 1)  # the last is of empty places
    np.add.at(expected, law.sequences, law.probabilities[:, None])
    ranks = counts.ranks_at(np.arange(counts.d))
    found = mechanism.chances_released(counts.sorted, ranks)
    np.testing.assert_allclose(found, expected[:-1], atol=1e-10)


@given(
    st.sampled_from(OF_NOISE),
    st.lists(st.integers(0, 8), min_size=1, max_size=5),
    st.integers(1, 4),
    st.sampled_from([0.01, 0.7, 3.0, 50.0]),
    st.sets(st.integers(0, 4), min_size=1),
    st.integers(1, 4),
)
@example(EMPeel, [40, 1, 1, 0], 3, 50.0, {0, 1, 2}, 2)  # the first comes out for certain
def test_the_number_of_some_items_is_counted_up_to_the_room(kind, vector, k, epsilon, some, room):
    counts = ItemCounts(vector)
    mechanism = built(kind, k if kind.open_domain else min(k, counts.d), epsilon)
    some = [place for place in sorted(some) if place < counts.d] or [0]
    law = output_distribution(counts, mechanism)
    number = np.isin(law.sequences, some).sum(axis=1)
    found = mechanism.chances_released(counts.sorted, counts.ranks_at(np.array(some)), room)
    assert found.sum() == pytest.approx(law.probabilities @ np.minimum(number, room), abs=1e-10)


@pytest.mark.parametrize("kind", OF_NOISE)
@pytest.mark.parametrize("most", [10**9, 2**53])
def test_large_counts_lose_no_digits(kind, most):
    counts = ItemCounts([most, most - 1, most - 2, most - 3])
    for epsilon in (1.0, 1000.0):
        mechanism = built(kind, 2, epsilon, delta=1e-6)
        law = output_distribution(counts, mechanism)
        expected = np.zeros(counts.d + 1)
        np.add.at(expected, law.sequences, law.probabilities[:, None])
        found = mechanism.chances_released(counts.sorted, np.arange(counts.d))
        np.testing.assert_allclose(found, expected[:-1], atol=1e-13)
    mechanism, far_below = built(kind, 4, 1.0, delta=1e-6), [most, most - 1, most - 2, 1]
    first_of_three = mechanism.chances_released(ItemCounts(far_below).sorted, np.arange(3), 1)
    assert first_of_three.sum() == pytest.approx(1.0, abs=1e-12)


@given(
    st.sampled_from([EMPeel, Laplace]),
    st.lists(st.integers(0, 10**7), min_size=1, max_size=60),
    st.integers(1, 60),
    st.sampled_from([1e-6, 0.01, 1.0, 1e4]),
)
def test_the_chances_of_all_items_add_up_to_k(kind, vector, k, epsilon):
    counts = ItemCounts([*vector, *[7] * 60])
    mechanism = kind(k, epsilon)
    found = mechanism.chances_released(counts.sorted, np.arange(counts.d))
    assert found.sum() == pytest.approx(k, abs=1e-8)
    assert (np.diff(found) <= 1e-10).all()


@pytest.mark.parametrize("kind", [EMPeel, Laplace])
@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.1), (60, 1.0)])
def test_the_chances_of_a_million_equal_items_add_up_with_the_others(kind, k, epsilon):
    levels = SortedCounts([*range(400, 300, -7), 2, 1], [1] * 15 + [10**4, 10**6])
    chances = built(kind, k, epsilon).chances_released(levels, levels.ends - 1)
    assert chances @ levels.multiplicities == pytest.approx(k, abs=1e-11)


@pytest.mark.parametrize("kind", OF_NOISE)
def test_the_chances_of_items_agree_with_draws_on_real_counts(kind):
    counts, n = load_dataset("games"), 4_000
    mechanism = built(kind, 20, 0.5, delta=1e-6)
    drawn = mechanism.sample(counts.sorted, n, np.random.default_rng(7))
    seen = np.bincount(drawn[drawn >= 0], minlength=counts.d) / n
    found = mechanism.chances_released(counts.sorted, np.arange(counts.d))
    error = np.sqrt(found * (1 - found) / n)
    assert (np.abs(seen - found) <= 6 * error + 2 / n).all()


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


@pytest.mark.parametrize("kind", [m for m in REGISTERED if m not in WITH_LAW])
def test_a_mechanism_without_such_laws_says_so(kind):
    counts = ItemCounts([9, 4, 1]).sorted
    own = {"delta": 1e-6, "max_items": 2}
    mechanism = kind(2, 1.0, **{key: own[key] for key in own if kind.card.takes(key)})
    with pytest.raises(NoClosedFormError, match="no closed form of the items at the places"):
        mechanism.chances_within(counts, counts.ends)
    with pytest.raises(NoClosedFormError, match="no closed form of the order of places"):
        mechanism.chances_in_order(counts)
    if kind not in OF_NOISE:
        with pytest.raises(NoClosedFormError, match="no closed form of the items at the places"):
            mechanism.chances_released(counts, np.arange(3))
        with pytest.raises(NoClosedFormError, match="no closed form of the numbers of items"):
            mechanism.chances_released(counts, np.arange(3), 1)


def test_too_many_different_counts_are_refused():
    counts = ItemCounts(range(3_000)).sorted
    with pytest.raises(NoClosedFormError, match="3,000 different counts are too many"):
        Joint(2, 1.0).chances_released(counts, np.arange(2))
    with pytest.raises(NoClosedFormError, match="different counts are too many for exact"):
        Laplace(200, 1.0).chances_released(counts, np.arange(2))
