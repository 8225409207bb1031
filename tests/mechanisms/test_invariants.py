"""What must hold of every mechanism's pmf whatever the counts; nothing is sampled."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dptopk import CDPPeel, ItemCounts, Joint, NeighborRelation, PNFJoint, PNFPeel

EVERY = [
    mechanism(1, 1.0, neighbors)
    for mechanism in (Joint, PNFJoint, PNFPeel)
    for neighbors in NeighborRelation
] + [CDPPeel(1, 1.0, 1e-3, neighbors) for neighbors in NeighborRelation]

every_mechanism = pytest.mark.parametrize(
    "mechanism", EVERY, ids=lambda m: f"{m.name}-{m.neighbors.value}"
)
small_counts = st.lists(
    st.one_of(st.integers(0, 12), st.integers(0, 10**4), st.sampled_from([0, 2**52])),
    min_size=1,
    max_size=5,
)
epsilons = st.one_of(st.floats(1e-3, 20.0), st.sampled_from([1e-12, 1e3]))


@st.composite
def cases(draw):
    counts = draw(small_counts)
    return counts, draw(st.integers(1, len(counts))), draw(epsilons)


def log_pmf(mechanism, counts, k, epsilon, sequences):
    setting = dataclasses.replace(mechanism, k=k, epsilon=epsilon)
    return setting.log_pmf(ItemCounts(counts), sequences)


@every_mechanism
@given(case=cases())
def test_sums_to_one(mechanism, case, every_sequence):
    counts, k, epsilon = case
    log_p = log_pmf(mechanism, counts, k, epsilon, every_sequence(len(counts), k))
    assert math.fsum(np.exp(log_p)) == pytest.approx(1, abs=1e-11)
    assert np.all(log_p <= 1e-11)


@every_mechanism
@given(case=cases(), data=st.data())
def test_permuting_items_permutes_outputs(mechanism, case, data, every_sequence):
    counts, k, epsilon = case
    to = np.array(data.draw(st.permutations(range(len(counts)))))
    moved = np.empty(len(counts), dtype=np.int64)
    moved[to] = counts
    every = every_sequence(len(counts), k)
    np.testing.assert_array_equal(
        log_pmf(mechanism, moved, k, epsilon, to[every]),
        log_pmf(mechanism, counts, k, epsilon, every),
    )


@every_mechanism
@given(case=cases(), shift=st.integers(1, 2**51))
def test_adding_a_constant_changes_nothing(mechanism, case, shift, every_sequence):
    counts, k, epsilon = case
    every = every_sequence(len(counts), k)
    shifted = [count + shift for count in counts]
    np.testing.assert_allclose(
        log_pmf(mechanism, shifted, k, epsilon, every),
        log_pmf(mechanism, counts, k, epsilon, every),
        rtol=1e-12,
        atol=1e-12,
    )


@every_mechanism
@given(case=cases(), data=st.data())
def test_ties_are_exchangeable(mechanism, case, data, every_sequence):
    counts, k, epsilon = case
    twin = data.draw(st.integers(0, len(counts) - 1))
    counts = [*counts, counts[twin]]
    every = every_sequence(len(counts), k)
    exchange = np.arange(len(counts))
    exchange[[twin, -1]] = exchange[[-1, twin]]
    np.testing.assert_allclose(
        log_pmf(mechanism, counts, k, epsilon, exchange[every]),
        log_pmf(mechanism, counts, k, epsilon, every),
        rtol=1e-12,
    )


@every_mechanism
@given(counts=st.lists(st.integers(0, 10**4), min_size=1, max_size=5), data=st.data())
def test_without_budget_everything_is_equally_likely(mechanism, counts, data, every_sequence):
    if isinstance(mechanism, CDPPeel):  # delta alone buys information
        mechanism = dataclasses.replace(mechanism, delta=0.0)
    k = data.draw(st.integers(1, len(counts)))
    every = every_sequence(len(counts), k)
    np.testing.assert_allclose(
        log_pmf(mechanism, counts, k, 1e-15, every), -math.log(len(every)), atol=1e-9
    )


@every_mechanism
@given(counts=small_counts, data=st.data())
def test_with_a_large_budget_the_top_comes_out(mechanism, counts, data, every_sequence):
    k = data.draw(st.integers(1, len(counts)))
    every = every_sequence(len(counts), k)
    p = np.exp(log_pmf(mechanism, counts, k, 1e4, every))
    right = (np.array(counts)[every] == np.sort(counts)[::-1][:k]).all(axis=1)
    assert p[right].sum() == pytest.approx(1, abs=1e-9)


@every_mechanism
@given(counts=st.lists(st.integers(0, 10**4), min_size=2, max_size=5), epsilon=epsilons)
def test_releasing_all_or_all_but_one_is_the_same(mechanism, counts, epsilon, every_sequence):
    """The last of d items has nothing left to choose, at the same rate."""
    d = len(counts)
    share = 1.0 if isinstance(mechanism, Joint | PNFJoint) else (d - 1) / d  # epsilon per round
    if isinstance(mechanism, CDPPeel):
        mechanism = dataclasses.replace(mechanism, delta=0.0)
    every = every_sequence(d, d)
    np.testing.assert_allclose(
        log_pmf(mechanism, counts, d, epsilon, every),
        log_pmf(mechanism, counts, d - 1, epsilon * share, every[:, :-1]),
        rtol=1e-9,
        atol=1e-9,
    )


@every_mechanism
@given(case=cases())
def test_a_larger_count_is_never_less_likely_first(mechanism, case):
    counts, _, epsilon = case
    log_p = log_pmf(mechanism, counts, 1, epsilon, np.arange(len(counts))[:, None])
    order = np.argsort(counts, kind="stable")
    assert np.all(np.diff(log_p[order]) >= -1e-11)


@every_mechanism
@given(case=cases())
def test_sorted_counts_give_the_same(mechanism, case, every_sequence):
    counts, k, epsilon = case
    setting = dataclasses.replace(mechanism, k=k, epsilon=epsilon)
    data = ItemCounts(counts)
    every = every_sequence(len(counts), k)
    np.testing.assert_array_equal(
        setting.log_pmf(data.sorted, every), setting.log_pmf(data, data.order[every])
    )
