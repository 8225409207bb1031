"""Test every mechanism at the smallest and largest epsilon and counts."""

import numpy as np
import pytest
from ladder import both_relations, every_variant

from dptopk import (
    ItemCounts,
    NeighborRelation,
    output_distribution,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.core.counts import MAX_COUNT
from dptopk.core.validation import MAX_EPSILON, MIN_EPSILON
from dptopk.laws.privacy_losses import within

SWAP = NeighborRelation.SWAP
ENDS = pytest.mark.parametrize("epsilon", [MIN_EPSILON, MAX_EPSILON], ids=["least", "most"])
COUNTS = (
    *(([0, 0, 0], 2), ([1, 0, 0, 0], 2), ([1, 1, 0], 1), ([MAX_COUNT, 1, 0], 2)),
    *(([MAX_COUNT, MAX_COUNT, 1], 1), ([MAX_COUNT, MAX_COUNT - 1, 1, 0], 2)),
)


@pytest.mark.slow
@ENDS
@both_relations
@every_variant
def test_outputs_come_and_their_probabilities_add_up(variant, neighbors, epsilon, rng):
    """Whatever is left of a warning is an error here, and what never returns fails the suite."""
    for vector, k in COUNTS:
        counts, mechanism = ItemCounts(vector), variant(k, epsilon, neighbors)
        law = output_distribution(counts, mechanism)
        assert law.log_probabilities.max() <= 0, vector
        assert law.probabilities.sum() == pytest.approx(1.0, abs=1e-10), vector
        samples = mechanism.released(counts, 20, rng).positions
        drawn = mechanism.log_pmf(counts, samples)
        assert (drawn > np.log(1e-9)).all(), vector  # 20 draws, none of them unheard of


@pytest.mark.slow
@ENDS
@both_relations
@every_variant
def test_the_promise_holds(variant, neighbors, epsilon):
    for vector, k in COUNTS[neighbors is SWAP :: 2]:  # each for one of the relations
        counts, mechanism = ItemCounts(vector), variant(k, epsilon, neighbors)
        if delta := mechanism.guarantee.delta:
            worst = worst_case_hockey_stick(counts, mechanism, epsilon)
            assert worst.value <= delta * (1 + 1e-9), vector
        else:
            assert within(worst_case_loss(counts, mechanism).value, epsilon), vector
