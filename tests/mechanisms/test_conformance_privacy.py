"""Test guarantees and costs on small data: all outputs, all neighbors, exact probabilities.

That the judge notices too little noise is shown by mechanisms that are wrong on purpose, in
`test_pitfalls`.
"""

import functools
import itertools

import numpy as np
import pytest
from ladder import VARIANTS, both_relations, every_variant

from dptopk import (
    ItemCounts,
    NeighborRelation,
    neighboring_counts,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.core.privacy import ApproximateCost, PureCost, RangeCost

ADD_REMOVE, SWAP = NeighborRelation
CASES = [
    *(([1], 1), ([0, 0], 1), ([0, 0], 2), ([5, 5], 1), ([3, 2, 1], 1), ([3, 2, 1], 2)),
    *(([40, 39, 38], 3), ([4, 4, 0, 0], 2), ([9, 2, 1, 1], 3)),
    ([10, 20, 10, 20], 3),  # ties and gaps make Joint spend most of its budget
    ([20, 20, 10, 0], 4),
]
FIVE = [([1, 0, 2, 0, 3], 1), ([1, 0, 2, 0, 3], 3), ([2] * 5, 2), ([12, 12, 6, 6, 0], 3)]
EPSILONS = (0.1, 1.0, 3.0)


# Guarantees and costs ask the same of the same data.
@functools.cache
def worst_loss(mechanism, counts: tuple[int, ...]) -> float:
    return worst_case_loss(ItemCounts(counts), mechanism).value


@functools.cache
def worst_hockey_stick(mechanism, counts: tuple[int, ...], epsilon: float) -> float:
    return worst_case_hockey_stick(ItemCounts(counts), mechanism, epsilon).value


def spent(mechanism, counts) -> float:
    """What the worst neighbour and output spend of a guarantee: of epsilon, or of delta."""
    epsilon, delta = mechanism.guarantee.epsilon, mechanism.guarantee.delta
    if delta:
        return worst_hockey_stick(mechanism, tuple(counts), epsilon) / delta
    return worst_loss(mechanism, tuple(counts)) / epsilon


@both_relations
@every_variant
def test_the_guarantee_is_of_what_was_asked_for(variant, neighbors):
    mechanism = variant(3, 0.25, neighbors)
    guarantee = mechanism.guarantee
    assert (guarantee.epsilon, guarantee.neighbors) == (0.25, neighbors)
    assert guarantee.delta == getattr(mechanism, "delta", 0.0)
    assert ("replacing" in guarantee.statement.lower()) == (neighbors is SWAP)
    assert guarantee.statement.endswith(".")


@both_relations
@every_variant
def test_the_guarantee_holds(variant, neighbors):
    """Each case at one epsilon, at another one for the other relation."""
    for number, (counts, k) in enumerate(CASES, start=neighbors is SWAP):
        epsilon = EPSILONS[number % 3]
        assert spent(variant(k, epsilon, neighbors), counts) <= 1 + 1e-9, (counts, k)


@pytest.mark.slow
@both_relations
@every_variant
def test_the_guarantee_holds_on_five_items(variant, neighbors):
    for number, (counts, k) in enumerate(FIVE):
        epsilon = EPSILONS[number % 2]
        assert spent(variant(k, epsilon, neighbors), counts) <= 1 + 1e-9, (counts, k)


@pytest.mark.slow
@both_relations
@every_variant
def test_the_guarantee_is_nearly_used_up(variant, neighbors):
    """Some data come close: the bound is not true for trivial reasons."""
    reference = variant.reference
    k, epsilon, own = reference.spends_at
    mechanism = variant(k, epsilon, neighbors, **own)
    vectors = ([20, 20, 10, 10], [40, 39, 38, 0], [20, 20, 0], [1, 1, 1], [9, 2, 1, 1])
    worst = max(spent(mechanism, counts) for counts in vectors)
    assert reference.spends < worst <= 1 + 1e-9


# --- costs -------------------------------------------------------------------------------


def widest_round(mechanism, counts) -> float:
    """Longest interval that the privacy loss of one round fills, whatever came out before.

    A round is a place of a sequence, or the whole output where that is a single choice.
    """
    data = ItemCounts(counts)
    every = mechanism.outputs.every(data.d, mechanism.k)
    if mechanism.cost.rounds == 1:
        steps = [(np.zeros(len(every), dtype=int), np.arange(len(every)))]
    else:
        prefixes = [np.unique(every[:, :r], axis=0, return_inverse=True)[1] for r in range(1, 9)]
        histories = [np.zeros(len(every), dtype=int), *prefixes][: mechanism.k + 1]
        steps = list(itertools.pairwise(histories))
    widest = 0.0
    for other in neighboring_counts(data, mechanism.neighbors):
        here, there = (np.exp(mechanism.log_pmf(x, every)) for x in (data, other))
        for before, after in steps:
            for history in np.unique(before):
                rows = before == history
                first, second = (
                    np.bincount(after[rows], p[rows])[np.unique(after[rows])] for p in (here, there)
                )
                widest = max(widest, float(np.ptp(np.log(first / second))))
    return widest


@pytest.mark.slow
@both_relations
@every_variant
def test_the_cost_is_true(variant, neighbors):
    """What a release counts as in composition: one round, and all rounds together."""
    for number, (counts, k) in enumerate(CASES, start=neighbors is SWAP):
        mechanism = variant(k, EPSILONS[number % 3], neighbors)
        cost, data = mechanism.cost, tuple(counts)
        if isinstance(cost, PureCost):
            assert worst_loss(mechanism, data) <= cost.epsilon + 1e-9
        elif isinstance(cost, ApproximateCost):
            assert worst_hockey_stick(mechanism, data, cost.epsilon) <= cost.delta + 1e-12
        else:
            assert isinstance(cost, RangeCost)
            assert worst_loss(mechanism, data) <= cost.rounds * cost.range + 1e-9
            assert widest_round(mechanism, counts) <= cost.range + 1e-9


RANGED = [variant for variant in VARIANTS if isinstance(variant(1, 1.0).cost, RangeCost)]


@both_relations
@pytest.mark.parametrize("variant", RANGED, ids=str)
def test_the_range_of_a_round_is_no_waste(variant, neighbors):
    for k, vectors in ((1, ([3, 2, 1], [20, 20, 0])), (2, ([4, 4, 0, 0], [20, 20, 10]))):
        mechanism = variant(k, 1.0, neighbors)
        worst = max(widest_round(mechanism, counts) for counts in vectors)
        assert 0.45 * mechanism.cost.range < worst <= mechanism.cost.range + 1e-9


@every_variant
def test_the_cost_is_said_in_words(variant):
    cost = variant(3, 1.0).cost
    assert cost.why.endswith(".")
    assert cost.words


@every_variant
def test_a_replaced_user_takes_twice_the_noise(variant):
    """Two counts part by two users then, and by one where a user joins or leaves."""
    joined, swapped = (variant(3, 1.0, relation).scale for relation in (ADD_REMOVE, SWAP))
    assert swapped == pytest.approx(2 * joined, rel=1e-6)
