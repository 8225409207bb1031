"""Test counts with gaps so large that the smaller is lost in a double-precision sum.

Audited from outside: absolute clocks gave (first, second) of [2^53, 1, 0] 0.817 for 0.731.
"""

import math

import mpmath
import numpy as np
import pytest
from ladder import one_variant_a_class

from dptopk import (
    MECHANISMS,
    METRICS,
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    NoClosedFormError,
    PNFJoint,
    exact_error,
    probability_exact_set,
)

GAPS = [
    *([2**53, 1, 0], [2**46, 3, 1, 1], [2**53, 2**53 - 1, 3, 2]),
    *([2**53, 2**52, 2**52 - 1, 1, 0], [0, 2**53, 2, 2**40, 2**40 - 2]),
]


@pytest.mark.grid
@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda m: m.card.key)
def test_draws_across_enormous_gaps(mechanism, neighbors, rng, fits):
    delta = {"delta": 1e-3} if mechanism.card.takes("delta") else {}
    for counts in GAPS:
        for k in range(1, len(counts)):
            one = mechanism(k=k, epsilon=1.5 * k, neighbors=neighbors, **delta)
            data = ItemCounts(counts)
            assert fits(one, data, one.sample(data, 20_000, rng)), (counts, k)


@pytest.mark.slow
@pytest.mark.parametrize(
    "epsilon", [0.1, *(pytest.param(e, marks=pytest.mark.grid) for e in (1e-9, 1e-6, 4.0, 40.0))]
)
@one_variant_a_class
def test_laws_across_enormous_gaps(variant, epsilon):
    """The pmf against its definition in 60 digits; every other law against the pmf."""
    for counts in GAPS:
        check_laws(variant, counts, epsilon)


def check_laws(variant, counts, epsilon):
    data = ItemCounts(counts)
    for k in range(1, len(counts) + 1):
        mechanism = variant(k, epsilon, (NeighborRelation.ADD_REMOVE, NeighborRelation.SWAP)[k % 2])
        every = mechanism.outputs.every(data.d, k)
        log_p = mechanism.log_pmf(data, every)
        with mpmath.workdps(60):
            expected = variant.reference.log_pmf(mechanism, counts, every.tolist())
        np.testing.assert_allclose(log_p, np.array(expected, dtype=float), rtol=1e-12, atol=1e-9)
        for metric in mechanism.exact_metrics:
            law = exact_error(data, mechanism, metric)
            errors = METRICS[metric].compute(data, every, mechanism.outputs)
            found = dict(zip(law.values.tolist(), law.probabilities, strict=True))
            for value in np.unique(errors).tolist():
                p = np.exp(log_p[errors == value]).sum()
                assert found.get(value, 0.0) == pytest.approx(p, rel=1e-8, abs=1e-19)


@pytest.mark.parametrize("top", [2**30, 2**40, 2**46, 2**53])
@pytest.mark.parametrize("rate", [0.1, 0.7, 3.0])
def test_probability_of_the_set_behind_an_enormous_gap(top, rate):
    """The first place is certain, so the set is right if 5 comes before 4."""
    found = probability_exact_set(ItemCounts([top, 5, 4]), CDPPeel(2, 2 * rate, 0))
    assert found == pytest.approx(1 / (1 + math.exp(-rate)), rel=1e-12)


@pytest.mark.parametrize("mechanism", [Joint, PNFJoint])
@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0, 30.0])
@pytest.mark.parametrize("counts", [[30, 25, 21, 14, 9, 2], [7, 7, 7, 3, 3, 0], [900, 40, 4, 4]])
def test_the_chance_of_one_k_relative_error_is_that_of_the_whole_law(mechanism, epsilon, counts):
    data = ItemCounts(counts)
    for k in (1, 3, len(counts)):
        law = exact_error(data, mechanism(k, epsilon), "k_relative")
        for most in (0, 4.5, 5, 50, 1_000):
            alone = mechanism(k, epsilon).chance_of_error(data.sorted, "k_relative", most)
            whole = law.chance_of_at_most(most)
            assert alone.log == pytest.approx(whole.log, rel=1e-12, abs=1e-15)
            assert alone.log_complement == pytest.approx(
                whole.log_complement, rel=1e-12, nan_ok=True
            )


def test_the_chance_of_one_k_relative_error_is_known_where_the_whole_law_is_too_large():
    """Where 20,000 losses have 20,000 values; of 2 in 20,000 items 10,000 are within 10,000."""
    counts, mechanism = ItemCounts(np.arange(20_000)), Joint(2, 1e-9)
    with pytest.raises(NoClosedFormError):
        exact_error(counts, mechanism, "k_relative")
    chance = mechanism.chance_of_error(counts.sorted, "k_relative", 9_998)
    assert chance.probability == pytest.approx((10_000 / 20_000) ** 2, rel=1e-3)
    assert chance.probability + math.exp(chance.log_complement) == pytest.approx(1, rel=1e-12)
