"""Peeling on many levels and items against its definition; the calibration of CDP-Peel."""

import math

import numpy as np
import pytest
from references import REFERENCES

from dptopk import CDPPeel, ItemCounts, Joint, NeighborRelation, PNFPeel, SortedCounts

ADD_REMOVE, SWAP = NeighborRelation


def test_it_is_said_from_which_k_on_delta_buys_anything():
    """The scale is k / epsilon exactly up to there, so that no square root is claimed before."""
    for k, epsilon, delta in ((5, 1.0, 1e-6), (3, 8.0, 1e-9), (2, 0.1, 1e-2)):
        few = CDPPeel(k, epsilon, delta)
        assert few.scale == pytest.approx(k / epsilon, rel=1e-12)
        assert f"at k = {k} δ has no effect" in few.at_present
        begins = int(few.at_present.partition("begins at k = ")[2].split(",")[0])
        assert CDPPeel(begins - 1, epsilon, delta).scale == pytest.approx((begins - 1) / epsilon)
        assert CDPPeel(begins, epsilon, delta).scale < begins / epsilon
        assert "buys nothing" not in CDPPeel(begins, epsilon, delta).at_present
    assert CDPPeel(5, 1.0, 1e-6).at_present.startswith("Here ε₀ = 0.2, exactly ε/k: ")
    assert "begins at k = 8," in CDPPeel(5, 1.0, 1e-6).at_present
    assert CDPPeel(10, 1.0, 1e-6).at_present.startswith("Here ε₀ = 0.118, 1.18 times ε/k = 0.1, ")
    assert CDPPeel(10, 1.0, 0.0, SWAP).at_present == (
        "Here ε₀ = 0.05, exactly half of ε/k: δ = 0 has no effect."
    )


@pytest.mark.parametrize(
    ("mechanism", "d"),
    [
        (CDPPeel(6, 1.0, 1e-6), 2000),
        (CDPPeel(6, 1.0, 1e-6, calibration="optimal"), 2000),
        (PNFPeel(4, 0.3), 120),
    ],
)
def test_many_levels_against_a_plain_product(mechanism, d, rng):
    counts = rng.permutation(np.floor(400 / np.arange(1, d + 1) ** 0.6)).astype(np.int64)
    sequences = np.array([rng.permutation(d)[: mechanism.k] for _ in range(8)])
    sequences[0] = np.argsort(-counts)[: mechanism.k]
    law = REFERENCES[mechanism.card.key].log_pmf
    expected = law(mechanism, counts.tolist(), sequences.tolist())
    ours = mechanism.log_pmf(ItemCounts(counts), sequences)
    np.testing.assert_allclose(ours, expected, rtol=1e-10)


@pytest.mark.parametrize("mechanism", [CDPPeel(5, 5.0, 0.0), PNFPeel(5, 5.0), Joint(5, 1.0)])
def test_the_top_of_a_thousand_million_items_or_without_budget_any_comes_in_any_order(mechanism):
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    top, others = [2, 0, 1, 9, 3], [10**9 - 1, 0, 5, 77, 12]
    log_p = mechanism.log_pmf(counts, [top])
    assert log_p[0] == pytest.approx(-math.log(3 * 2 * 1 * 7 * 6), abs=1e-10)
    blind = mechanism.replaced(epsilon=1e-9).log_pmf(counts, [top, others])
    np.testing.assert_allclose(blind, -5 * math.log(1e9), atol=1e-6)


def test_a_choice_among_a_thousand_million_items_by_hand():
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    log_p = CDPPeel(1, 0.01, 0.0).log_pmf(counts, [[0], [5], [10**9 - 1]])
    log_total = np.log(3 * math.exp(8.97) + 7 * math.exp(3.97) + 10**9 - 10)
    np.testing.assert_allclose(log_p, np.array([8.97, 3.97, 0.0]) - log_total, rtol=1e-12)
