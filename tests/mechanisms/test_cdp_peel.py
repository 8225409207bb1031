"""CDP-Peel: Plackett-Luce by hand and by a naive loop; the calibration it uses."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from dptopk import CDPPeel, ItemCounts, NeighborRelation, SortedCounts, accounting

ADD_REMOVE, SWAP = NeighborRelation


def test_plackett_luce_by_hand():
    """Weights 8, 2, 1 with local epsilon ln 2: P(first, then last) = 8/11 * 1/3."""
    mechanism = CDPPeel(2, 2 * math.log(2), 0.0)
    assert mechanism.local_epsilon == pytest.approx(math.log(2), rel=1e-12)
    ours = np.exp(mechanism.log_pmf(ItemCounts([1, 3, 0]), [[1, 2], [0, 1], [2, 0]]))
    np.testing.assert_allclose(ours, [8 / 11 / 3, 2 / 11 * 8 / 9, 1 / 11 * 2 / 10], rtol=1e-12)


def test_swap_halves_the_exponent_by_hand():
    """Range of a round doubles when counts move both ways: weights 2^(count / 2)."""
    mechanism = CDPPeel(1, 2 * math.log(2), 0.0, SWAP)
    ours = np.exp(mechanism.log_pmf(ItemCounts([2, 0]), [[0], [1]]))
    np.testing.assert_allclose(ours, [4 / 5, 1 / 5], rtol=1e-12)


def test_paper_calibration_by_hand():
    """Lemma 4.2: k e^2 / 8 + 2 e sqrt(k ln(1/delta) / 8) = epsilon."""
    for k, epsilon, delta in ((10, 1.0, 1e-6), (200, 0.1, 1e-9), (50, 4.0, 1e-5)):
        local = CDPPeel(k, epsilon, delta).local_epsilon
        spent = k * local**2 / 8 + 2 * local * math.sqrt(k * math.log(1 / delta) / 8)
        assert spent == pytest.approx(epsilon, rel=1e-10)
        assert CDPPeel(k, epsilon, delta, SWAP).local_epsilon == pytest.approx(local / 2)


@pytest.mark.parametrize(
    ("k", "epsilon", "paper", "optimal"),
    [(10, 0.1, 0.01201, 0.01756), (50, 1.0, 0.05287, 0.06703), (10, 4.0, 0.45072, 0.55314)],
)
def test_local_epsilon_golden(k, epsilon, paper, optimal):
    assert CDPPeel(k, epsilon, 1e-6).local_epsilon == pytest.approx(paper, abs=1e-5)
    tighter = CDPPeel(k, epsilon, 1e-6, calibration="optimal").local_epsilon
    assert tighter == pytest.approx(optimal, rel=5e-4)  # the golden values come from a coarser grid
    assert tighter == accounting.local_epsilon(epsilon, 1e-6, k, method="optimal")


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
    assert CDPPeel(10, 1.0, 1e-6).at_present == (
        "Here ε₀ = 0.118, 1.18 times ε/k = 0.1, which is the effect of δ. The square root begins "
        "at k = 8."
    )
    assert CDPPeel(10, 1.0, 0.0, SWAP).at_present == (
        "Here ε₀ = 0.05, exactly half of ε/k: δ = 0 has no effect."
    )


def test_without_delta_it_is_basic_composition():
    assert CDPPeel(7, 1.4, 0.0).local_epsilon == pytest.approx(0.2)
    assert CDPPeel(7, 1.4, 0.0, calibration="optimal").local_epsilon == pytest.approx(0.2)


def test_guarantee_and_label():
    mechanism = CDPPeel(3, 0.5, 1e-7, SWAP, "optimal")
    guarantee = mechanism.guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.neighbors) == (0.5, 1e-7, SWAP)
    assert mechanism.label == "CDP-Peel (optimal)"
    assert CDPPeel(3, 0.5, 1e-7).label == "CDP-Peel"


def plackett_luce(counts, rate, sequence):
    """Round by round over the items left, relative to the best one left."""
    left, total = list(range(len(counts))), 0.0
    for item in sequence:
        best = max(counts[i] for i in left)
        log_odds = [rate * (counts[i] - best) for i in left]
        total += rate * (counts[item] - best) - logsumexp(log_odds)
        left.remove(item)
    return total


@pytest.mark.parametrize("calibration", ["paper", "optimal"])
def test_many_levels_against_a_plain_product(calibration, rng):
    counts = rng.permutation(np.floor(400 / np.arange(1, 2001) ** 0.6)).astype(np.int64)
    sequences = np.array([rng.permutation(2000)[:6] for _ in range(20)])
    sequences[0] = np.argsort(-counts)[:6]
    mechanism = CDPPeel(6, 1.0, 1e-6, calibration=calibration)
    rate = mechanism.local_epsilon
    expected = [plackett_luce(counts.tolist(), rate, s) for s in sequences.tolist()]
    np.testing.assert_allclose(
        mechanism.log_pmf(ItemCounts(counts), sequences), expected, rtol=1e-10
    )


@pytest.mark.parametrize("scale", [1.0, 0.8, 1.25, 2.0])
def test_one_shot_of_gumbel_noise_is_the_same_law(scale, rng, fits):
    """Noise of scale 1 / local_epsilon on every count, the k largest in order.

    With the scale off, or the scale k / local_epsilon that Algorithm 3 prints (k = 2
    here), the test must notice.
    """
    counts = ItemCounts([10, 5, 0, 7])
    mechanism = CDPPeel(2, 1.0, 1e-6)
    noise = rng.gumbel(scale=scale / mechanism.local_epsilon, size=(100_000, 4))
    samples = np.argsort(-(counts.counts + noise), axis=1)[:, :2]
    assert fits(mechanism, counts, samples) == (scale == 1.0)


def test_a_thousand_million_items():
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    log_p = CDPPeel(5, 5.0, 0.0).log_pmf(counts, [[2, 0, 1, 9, 3]])
    assert log_p[0] == pytest.approx(-math.log(3 * 2 * 1 * 7 * 6), abs=1e-10)
    log_p = CDPPeel(1, 0.01, 0.0).log_pmf(counts, [[0], [5], [10**9 - 1]])
    log_total = np.log(3 * math.exp(8.97) + 7 * math.exp(3.97) + 10**9 - 10)
    np.testing.assert_allclose(log_p, np.array([8.97, 3.97, 0.0]) - log_total, rtol=1e-12)


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_in_composition_a_round_counts_by_its_whole_range(neighbors):
    """The calibrated one: twice the weight of a count where a user is replaced."""
    peel = CDPPeel(10, 1.0, 1e-6, neighbors)
    assert peel.cost.rounds == 10
    assert peel.cost.range == pytest.approx(accounting.local_epsilon(1.0, 1e-6, 10, method="paper"))
