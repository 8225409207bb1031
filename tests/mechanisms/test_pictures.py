"""Test the data of explanatory figures against the definitions of the mechanisms."""

import itertools

import numpy as np
import pytest
from ladder import one_variant_a_class

from dptopk import (
    AdaptiveK,
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    NeighborRelation,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    StableSet,
    exact_error,
    load_dataset,
    probability_exact_set,
)
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.pictures import Coins, Limits, NoisyCounts, Sizes, Threshold

COUNTS = ItemCounts([9, 7, 7, 4, 0])
SWAP = NeighborRelation.SWAP


def pictured(mechanism, counts=COUNTS, first=0, n=6, seed=0):
    ranks = np.arange(first, min(first + n, counts.d))
    return mechanism.picture(counts.sorted, ranks, np.random.default_rng(seed))


@one_variant_a_class
@pytest.mark.parametrize("first", [0, 2])
def test_every_picture_is_whole(variant, first):
    shown = pictured(variant(3, 0.5), first=first)
    if isinstance(shown, Coins):
        assert shown.log_heads[0] == 0
        assert (shown.log_released <= shown.log_heads).all()
        assert shown.counts.tolist() == COUNTS.counts[first:].tolist()
    elif isinstance(shown, NoisyCounts):
        assert sorted(shown.places) == list(range(1, 6 - first))
        assert shown.counts.tolist() == COUNTS.counts[first:].tolist()
        assert (shown.threshold is not None) == variant(3, 0.5).outputs.short
        assert not np.array_equal(shown.noisy, pictured(variant(3, 0.5), first=first, seed=1).noisy)
    elif isinstance(shown, Limits):
        assert (shown.start[0], shown.stop[:-1].tolist()) == (0, shown.start[1:].tolist())
        assert 0.999 <= shown.probabilities.sum() <= 1 + 1e-12
        assert (np.diff(shown.eligible, axis=1) >= 0).all()
    elif isinstance(shown, Threshold):
        assert {shown.distance, shown.threshold} <= set(shown.values)
        assert (np.diff(shown.values) > 0).all()
        assert np.trapezoid(shown.density, shown.values) == pytest.approx(1, abs=2e-3)
        assert np.logaddexp(shown.log_released, shown.log_withheld) == pytest.approx(0, abs=1e-12)
    elif isinstance(shown, Sizes):
        assert shown.gaps.tolist() == (COUNTS.counts[:3] - COUNTS.counts[1:4]).tolist()
        assert np.exp(shown.log_chosen).sum() == pytest.approx(1)
        total = np.exp(shown.log_released).sum() + np.exp(shown.log_nothing)
        assert total == pytest.approx(1)
    else:
        assert shown is None


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_the_coins_of_a_round_are_those_of_what_is_left(neighbors):
    mechanism = PNFPeel(2, 0.8, neighbors)
    for first in range(4):
        shown = pictured(mechanism, first=first)
        left = COUNTS.counts[first:]
        heads = np.exp(shown.log_heads)
        np.testing.assert_allclose(heads, np.exp(-mechanism.rate * (left[0] - left)))
        by_hand = np.zeros(left.size)
        for coins in itertools.product((False, True), repeat=left.size):
            chance = np.prod(np.where(coins, heads, 1 - heads))
            by_hand += chance * np.array(coins) / max(sum(coins), 1)
        np.testing.assert_allclose(np.exp(shown.log_released), by_hand, rtol=1e-10)


def test_noise_is_drawn_at_the_mechanisms_scale(fits_chance):
    mechanism = CDPPeel(2, 0.8, 1e-6)
    rng, counts = np.random.default_rng(3), SortedCounts([5], [20_000])
    noise = mechanism.picture(counts, np.arange(20_000), rng).noisy - 5
    assert fits_chance(np.exp(-1), noise < 0)  # P(Gumbel < 0) = 1 / e
    assert fits_chance(np.exp(-np.exp(-1)), noise < mechanism.scale)


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_limit_of_joint_has_weight_n_of_t_times_an_exponential(k, neighbors):
    mechanism = Joint(k, 1.3, neighbors)
    true = COUNTS.counts[:k]
    losses = [(true - COUNTS.counts[list(s)]).max() for s in itertools.permutations(range(5), k)]
    limits = np.arange(400)
    weight = (np.array(losses)[:, None] <= limits).sum(axis=0) * np.exp(-mechanism.rate * limits)
    at_most = mechanism.limit_at_most(COUNTS.sorted)
    np.testing.assert_allclose(at_most(limits), np.cumsum(weight) / weight.sum(), rtol=1e-10)
    assert at_most(np.array([-1])) == 0
    shown = pictured(mechanism)
    for place, let_in in zip(shown.places, shown.eligible, strict=True):
        items = (COUNTS.counts >= true[place - 1] - shown.limits[:, None]).sum(axis=1)
        assert let_in.tolist() == items.tolist()
    assert at_most(np.array([shown.median]))[0] >= 0.5 > at_most(np.array([shown.median - 1]))[0]


@pytest.mark.parametrize(
    ("mechanism", "metric"),
    [(PNFJoint(2, 0.9, SWAP), "signed_max"), (InverseSensitivitySet(2, 0.4), "k_relative")],
)
def test_other_limits_are_the_exact_law_of_an_error(mechanism, metric):
    shown, law = pictured(mechanism), exact_error(COUNTS, mechanism, metric)
    inside = law.values < shown.stop[-1]
    expected = np.zeros(shown.start.size)
    width = shown.stop[0]
    np.add.at(expected, law.values[inside] // width, law.probabilities[inside])
    np.testing.assert_allclose(shown.probabilities, expected, atol=1e-12)


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.7])
def test_what_of_the_density_lies_above_the_threshold_comes_out(neighbors, delta):
    counts = ItemCounts([40, 31, 3])
    for mechanism in (StableSet(2, 0.4, delta, neighbors), StableSet(1, 0.4, delta, neighbors)):
        shown = pictured(mechanism, counts)
        above = shown.values >= shown.threshold
        out = np.trapezoid(shown.density[above], shown.values[above])
        assert out == pytest.approx(probability_exact_set(counts, mechanism), abs=2e-3)
        assert np.exp(shown.log_released) == pytest.approx(out, abs=2e-3)


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_sizes_are_drawn_by_the_gap_behind_them(neighbors):
    """By the explanation on the card: e^(ε · gap / 4), or e^(ε · gap / 8)."""
    mechanism = AdaptiveK(5, 0.8, 0.01, neighbors)
    shown = pictured(mechanism)  # five items: sizes 1 to 4
    weight = np.exp(0.8 * np.array([2, 0, 3, 4]) / (4 * neighbors.gap_sensitivity))
    np.testing.assert_allclose(np.exp(shown.log_chosen), weight / weight.sum())
    sets = np.exp(mechanism.log_pmf(COUNTS, [[0, 1, 2, 3, -1], [0, 1, 2, -1, -1], [-1] * 5]))
    np.testing.assert_allclose(np.exp(shown.log_released[[3, 2]]), sets[:2])
    np.testing.assert_allclose(np.exp(shown.log_nothing), sets[2])


def test_where_nothing_is_asked_there_is_no_picture():
    assert pictured(StableSet(5, 1.0, 1e-6)) is None
    assert pictured(AdaptiveK(1, 1.0, 1e-6), ItemCounts([5])) is None


def test_wide_limits_are_shown_in_a_few_ranges():
    shown = pictured(Joint(10, 0.001), load_dataset("games"))
    assert 30 <= shown.start.size <= 40
    assert shown.places == (1, 5, 10)
    assert shown.stop[-1] > 5_000
    # as computed from T's law at each whole number, apart from the ranges
    assert pictured(Joint(10, 0.1), load_dataset("games")).median == 988


@pytest.mark.parametrize("kind", [InverseSensitivitySet, PNFInverseSensitivitySet, JointSet])
def test_a_limit_that_is_all_but_certain_is_shown_beside_a_few_others(kind):
    shown = pictured(kind(10, 20.0), load_dataset("games"))
    assert shown.start.tolist() == [0, 1, 2, 3, 4, 5]
    assert shown.probabilities[0] > 0.999
    assert shown.eligible.shape == (len(shown.places), 6)


@pytest.mark.parametrize("n", range(5))
def test_what_is_left_without_the_top(n):
    left = top.without_top(COUNTS.sorted, n)
    assert left.top(5).tolist() == COUNTS.counts[n:].tolist()
