"""Test properties of every mechanism's probability mass function, without sampling.

Every registered mechanism takes these steps, and one as of a third party: read from their cards.
"""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from ladder import VARIANTS, both_relations, every_class, every_variant, relabelled
from references import REFERENCES

from dptopk import (
    ItemCounts,
    NeighborRelation,
    merged_output_distribution,
    output_distribution,
)
from dptopk.core.outputs import released_counts
from dptopk.core.validation import MAX_EPSILON, MIN_EPSILON
from dptopk.laws.distribution import merged_outputs

small_counts = st.lists(
    st.one_of(st.integers(0, 12), st.integers(0, 10**4), st.sampled_from([0, 2**52])),
    min_size=1,
    max_size=5,
)
epsilons = st.one_of(st.floats(1e-3, 20.0), st.sampled_from([MIN_EPSILON, 1e3]))
relations = st.sampled_from(NeighborRelation)


@st.composite
def cases(draw, lists=small_counts):
    counts = draw(lists)
    return counts, draw(st.integers(1, len(counts))), draw(epsilons), draw(relations)


def listed(mechanism, d: int) -> np.ndarray:
    return mechanism.outputs.every(d, mechanism.k)


@every_class
def test_has_a_reference(cls):
    assert cls.card.key in REFERENCES


# --- the pmf itself ----------------------------------------------------------------------


@every_variant
@given(case=cases())
def test_sums_to_one(variant, case):
    counts, k, epsilon, neighbors = case
    mechanism = variant(k, epsilon, neighbors)
    log_p = mechanism.log_pmf(ItemCounts(counts), listed(mechanism, len(counts)))
    assert math.fsum(np.exp(log_p)) == pytest.approx(1, abs=1e-11)
    assert np.all(log_p <= 1e-11)


VECTORS = [
    *([4], [3, 3], [0, 9, 0], [10, 5, 1, 1], [2, 7, 0, 7, 3], [90, 31, 60, 0, 31]),
    *([2**53 - 1, 5, 2**52, 0], [2**53, 0, 2**53 - 5], [1, 1000, 2, 0, 30, 2]),
]
ENUMERATED = [(counts, k) for counts in VECTORS for k in range(1, min(len(counts), 4) + 1)]
EPSILONS = [MIN_EPSILON, 0.01, 0.3, 1.0, 30.0, 1e5]


@pytest.mark.parametrize(
    "neighbors",
    [NeighborRelation.ADD_REMOVE, pytest.param(NeighborRelation.SWAP, marks=pytest.mark.slow)],
    ids=lambda relation: relation.value,
)
@every_variant
def test_agrees_with_the_slow_reference(variant, neighbors):
    """Each pair of counts and k at two epsilons, at one where users are replaced."""
    for number, (counts, k) in enumerate(ENUMERATED):
        for turn in (number, number + 3)[neighbors is NeighborRelation.SWAP :]:
            epsilon = EPSILONS[turn % 6]
            mechanism = variant(k, epsilon, neighbors)
            every = listed(mechanism, len(counts))
            np.testing.assert_allclose(
                mechanism.log_pmf(ItemCounts(counts), every),
                variant.reference.log_pmf(mechanism, counts, every.tolist()),
                rtol=1e-10,
                atol=1e-10,
                err_msg=f"{counts}, k = {k}, epsilon = {epsilon}",
            )


@every_variant
def test_repeated_items_are_impossible(variant):
    mechanism = variant(2, 1.0)
    counts = ItemCounts([30, 10, 10])
    assert np.isneginf(mechanism.log_pmf(counts, [[0, 0], [1, 1]])).all()
    assert np.isfinite(mechanism.log_pmf(counts, [[0, 1]])).all()


@every_variant
def test_sets_may_be_given_in_any_order_and_sequences_may_not(variant):
    mechanism = variant(3, 1.0)
    counts = ItemCounts([40, 20, 10, 0])
    log_p = mechanism.log_pmf(counts, [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    assert len(np.unique(log_p)) == (3 if mechanism.outputs.ordered else 1)


# --- symmetries --------------------------------------------------------------------------


@pytest.mark.slow
@every_variant
@given(case=cases(), data=st.data())
def test_permuting_items_permutes_outputs(variant, case, data):
    counts, k, epsilon, neighbors = case
    if not variant.cls.exchangeable_ties:  # ties are cut in the order given
        counts = list(dict.fromkeys(counts))
    mechanism = variant(min(k, len(counts)), epsilon, neighbors)
    to = np.array(data.draw(st.permutations(range(len(counts)))))
    moved = np.empty(len(counts), dtype=np.int64)
    moved[to] = counts
    every = listed(mechanism, len(counts))
    np.testing.assert_array_equal(
        mechanism.log_pmf(ItemCounts(moved), relabelled(to, every)),
        mechanism.log_pmf(ItemCounts(counts), every),
    )


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.reference.ignores_shift], ids=str)
@given(case=cases(), shift=st.integers(1, 2**51))
def test_adding_a_constant_changes_nothing(variant, case, shift):
    counts, k, epsilon, neighbors = case
    mechanism = variant(k, epsilon, neighbors)
    every = listed(mechanism, len(counts))
    np.testing.assert_allclose(
        mechanism.log_pmf(ItemCounts([count + shift for count in counts]), every),
        mechanism.log_pmf(ItemCounts(counts), every),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.slow
@every_variant
@given(case=cases())
def test_sorted_counts_give_the_same(variant, case):
    counts, k, epsilon, neighbors = case
    mechanism, data = variant(k, epsilon, neighbors), ItemCounts(counts)
    every = listed(mechanism, data.d)
    np.testing.assert_array_equal(
        mechanism.log_pmf(data.sorted, every),
        mechanism.log_pmf(data, relabelled(data.order, every)),
    )


# --- ties --------------------------------------------------------------------------------


def with_ties_exchanged(mechanism, counts, one: int, other: int):
    """Log pmf of every output, and of the same with two positions exchanged."""
    every = listed(mechanism, len(counts))
    exchange = np.arange(len(counts))
    exchange[[one, other]] = exchange[[other, one]]
    data = ItemCounts(counts)
    return mechanism.log_pmf(data, every), mechanism.log_pmf(data, relabelled(exchange, every))


@pytest.mark.slow
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.cls.exchangeable_ties], ids=str)
@given(case=cases(), data=st.data())
def test_ties_are_exchangeable(variant, case, data):
    counts, k, epsilon, neighbors = case
    twin = data.draw(st.integers(0, len(counts) - 1))
    counts = [*counts, counts[twin]]
    here, there = with_ties_exchanged(variant(k, epsilon, neighbors), counts, twin, -1)
    np.testing.assert_allclose(here, there, rtol=1e-12)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if not v.cls.exchangeable_ties], ids=str)
def test_ties_are_not_exchangeable_where_that_is_not_declared(variant):
    """A mechanism that does treat ties alike should say so: its laws can be merged then."""
    cut = False
    for k in (1, 2, 3):
        here, there = with_ties_exchanged(variant(k, 1.0), [5, 5, 5, 5], 0, -1)
        cut |= not np.allclose(here, there)
    assert cut
    with pytest.raises(ValueError, match="does not treat items with equal counts alike"):
        merged_output_distribution(ItemCounts([5, 5, 1]), variant(2, 1.0))


@both_relations
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.cls.exchangeable_ties], ids=str)
def test_merging_ties_adds_up_their_outputs(variant, neighbors):
    for counts in ([4, 10, 4, 1], [2, 2, 2], [5, 1], [0, 7, 7, 0, 0]):
        data = ItemCounts(counts)
        mechanism = variant(2, 1.0, neighbors)
        whole = output_distribution(data, mechanism)
        levels = merged_outputs(data, whole.sequences)
        expected = {}
        for row, p in zip(mechanism.outputs.canonical(levels), whole.probabilities, strict=True):
            expected[tuple(row.tolist())] = expected.get(tuple(row.tolist()), 0.0) + p
        merged = merged_output_distribution(data, mechanism)
        assert dict(merged) == pytest.approx(expected, rel=1e-10)
        assert np.all(merged.log_probabilities[1:] <= merged.log_probabilities[:-1])


# --- the ends of epsilon -----------------------------------------------------------------


BLIND = [v for v in VARIANTS if v.blind]


@pytest.mark.parametrize("variant", BLIND, ids=str)
@given(counts=st.lists(st.integers(0, 10**4), min_size=1, max_size=5), data=st.data())
def test_without_budget_everything_is_equally_likely(variant, counts, data):
    k, neighbors = data.draw(st.integers(1, len(counts))), data.draw(relations)
    mechanism = variant(k, MIN_EPSILON, neighbors)
    every = listed(mechanism, len(counts))
    log_p = mechanism.log_pmf(ItemCounts(counts), every)
    np.testing.assert_allclose(log_p, -math.log(len(every)), atol=2e4 * k * MIN_EPSILON)


@pytest.mark.slow
@every_variant
@given(counts=small_counts, data=st.data())
def test_with_a_large_budget_only_the_top_comes_out(variant, counts, data):
    """Whatever comes out belongs where it stands; a gap brings all k out."""
    k, neighbors = data.draw(st.integers(1, len(counts))), data.draw(relations)
    mechanism = variant(k, 1e4, neighbors)
    stairs = [*range(100_000, 90_000, -2_000), *[0] * 6]
    for values in (counts, stairs) if variant.reference.fills else (counts,):
        items = ItemCounts(values)
        every = listed(mechanism, items.d) if values is counts else np.arange(k)[None]
        there = released_counts(items, mechanism.outputs.aligned(items, every))
        right = ((there == items.sorted.top(k)) | (every < 0)).all(axis=1)
        assert np.exp(mechanism.log_pmf(items, every[right])).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("epsilon", [MIN_EPSILON, MAX_EPSILON])
@every_variant
def test_an_extreme_epsilon_is_no_problem(variant, epsilon, rng):
    """No warning and no nan; at the upper end the true top comes out."""
    mechanism = variant(2, epsilon)
    data = ItemCounts([50_000, 30_000, 0, 0, 0, 0])
    log_p = mechanism.log_pmf(data, listed(mechanism, 6))
    assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-11)
    samples = mechanism.sample(data, 400, rng)
    if epsilon < 1 and variant.blind:
        np.testing.assert_allclose(log_p, -math.log(len(log_p)), atol=2e5 * epsilon)
        assert len(np.unique(samples, axis=0)) == len(log_p)
    if epsilon > 1:
        assert log_p[0] == pytest.approx(0, abs=1e-12)
        assert np.all(samples == [0, 1])
    assert mechanism == dataclasses.replace(mechanism)


@every_variant
@given(case=cases())
def test_a_larger_count_is_never_less_likely_alone(variant, case):
    counts, _, epsilon, neighbors = case
    every = np.arange(len(counts))[:, None]
    log_p = variant(1, epsilon, neighbors).log_pmf(ItemCounts(counts), every)
    for low in range(len(counts)):
        larger = np.array(counts) > counts[low]
        assert np.all(log_p[larger] >= log_p[low] - 1e-11)
