"""Pictures of how mechanisms choose: what they show, by its definition."""

import itertools

import numpy as np
import pytest
from ladder import one_variant_a_class

from dptopk import (
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    exact_error,
    load_dataset,
)
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.pictures import Coins, Limits, NoisyCounts

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
        assert not np.array_equal(shown.noisy, pictured(variant(3, 0.5), first=first, seed=1).noisy)
    elif isinstance(shown, Limits):
        assert (shown.start[0], shown.stop[:-1].tolist()) == (0, shown.start[1:].tolist())
        assert 0.999 <= shown.probabilities.sum() <= 1 + 1e-12
        assert (np.diff(shown.eligible, axis=1) >= 0).all()
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
        items = (COUNTS.counts >= true[place - 1] - shown.start[:, None]).sum(axis=1)
        assert let_in.tolist() == items.tolist()


@pytest.mark.parametrize(
    ("mechanism", "metric"),
    [
        (PNFJoint(2, 0.9, SWAP), "signed_max"),
        (InverseSensitivitySet(2, 0.4), "k_relative"),
    ],
)
def test_other_limits_are_the_exact_law_of_an_error(mechanism, metric):
    shown, law = pictured(mechanism), exact_error(mechanism, COUNTS, metric)
    inside = law.values < shown.stop[-1]
    expected = np.zeros(shown.start.size)
    width = shown.stop[0]
    np.add.at(expected, law.values[inside] // width, law.probabilities[inside])
    np.testing.assert_allclose(shown.probabilities, expected, atol=1e-12)


def test_wide_limits_are_shown_in_a_few_ranges():
    shown = pictured(Joint(10, 0.001), load_dataset("games"))
    assert 30 <= shown.start.size <= 40
    assert shown.places == (1, 5, 10)
    assert shown.stop[-1] > 5_000


@pytest.mark.parametrize("n", range(5))
def test_what_is_left_without_the_top(n):
    left = top.without_top(COUNTS.sorted, n)
    assert left.top(5).tolist() == COUNTS.counts[n:].tolist()
