"""Test the noise behind a draw: its distribution, jointly with the output, and its order."""

import math

import numpy as np
import pytest
from ladder import LIMIT, VARIANTS, distance, telling_counts
from scipy.special import gammainc, gammaincinv

from dptopk import NOTHING, ItemCounts, NeighborRelation, SortedCounts, ThresholdedLaplace
from dptopk.mechanisms import NoisyOrder

NOISY = pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if issubclass(v.cls, NoisyOrder)], ids=str
)
N = 400  # a draw at a time


def law_of(mechanism, counts):
    """Distribution function of the noise on a count, from its definition."""
    if mechanism.fresh_noise:
        return lambda x: np.where(x < 0, 0.0, -np.expm1(-np.maximum(x, 0) / mechanism.scale))
    kind = mechanism.picture(counts.sorted, np.arange(1), np.random.default_rng(0)).noise
    if kind == "uniform":
        radii = mechanism.scale * gammaincinv(counts.d + 1.0, (np.arange(500) + 0.5) / 500)
        return lambda x: np.clip((1 + x[:, None] / radii) / 2, 0, 1).mean(axis=1)
    if kind == "Laplace":
        half = lambda x: np.exp(-np.abs(x) / mechanism.scale) / 2  # noqa: E731
        return lambda x: np.where(x < 0, half(x), 1 - half(x))
    return lambda x: np.exp(-np.exp(-x / mechanism.scale))


def draws(mechanism, counts, n, rng):
    """Outcomes from the mechanism, and what is behind each on every item that gets noise."""
    noisy = counts.order[: mechanism.n_noisy(counts.sorted)]
    outputs, found = [], []
    for seed in rng.integers(2**63, size=n):
        (output,) = mechanism.sample(counts, 1, np.random.default_rng(seed))
        outputs.append(output)
        found.append(mechanism.noise_behind(counts, noisy, np.random.default_rng(seed)))
    noise = np.full((n, len(found[0].on_items), counts.d), np.nan)
    noise[:, :, noisy] = [behind.on_items for behind in found]
    return np.array(outputs), noise, [behind.bottom for behind in found]


@pytest.mark.slow
@NOISY
def test_noise_of_outcomes_that_were_drawn_is_that_of_the_mechanism(variant, rng):
    """Over all outcomes the noise of every item, and of ⊥, is as if it had been drawn first."""
    mechanism = variant(3, 0.7, NeighborRelation.SWAP)
    counts = ItemCounts(telling_counts(mechanism))
    outputs, noise, bottoms = draws(mechanism, counts, N, rng)
    assert len(np.unique(outputs, axis=0)) > 4
    right = law_of(mechanism, counts)
    wrong = law_of(mechanism.replaced(epsilon=0.7 * 2.5), counts)
    firsts = [noise[:, 0, item] for item in counts.order[: mechanism.n_noisy(counts.sorted)]]
    if isinstance(mechanism, ThresholdedLaplace):
        assert set(bottoms) == {mechanism.threshold(counts.sorted)}
    elif mechanism.outputs.short:
        firsts.append(np.array(bottoms) - mechanism.threshold(counts.sorted))
    for first in firsts:
        assert distance(first, right) < LIMIT
        assert distance(first, wrong) > LIMIT
    between = np.corrcoef(firsts)[np.triu_indices(len(firsts), 1)]
    assert np.all(np.abs(between) * math.sqrt(N) < 6.5)  # 4.9 and more for one common radius
    for later in range(1, noise.shape[1]):  # whoever is left has noise of its own
        values = noise[:, later][~np.isnan(noise[:, later])]
        assert values.size == N * (counts.d - later)
        assert distance(values[:: counts.d - later], right) < LIMIT


@pytest.mark.slow
@NOISY
def test_the_order_of_the_noisy_counts_is_the_draw(variant, rng):
    mechanism = variant(4, 0.5)
    counts = ItemCounts(np.repeat(telling_counts(mechanism), 3))
    outputs, noise, bottoms = draws(mechanism, counts, 200, rng)
    noisy = counts.counts + noise
    if mechanism.fresh_noise:
        assert noise.shape == (200, 4, 15)
        np.testing.assert_array_equal(np.nanargmax(noisy, axis=2), outputs)
        for later in range(4):
            out = np.isnan(np.take_along_axis(noisy[:, later], outputs, axis=1))
            np.testing.assert_array_equal(out, np.broadcast_to(np.arange(4) < later, out.shape))
    else:
        assert noise.shape == (200, 1, 15)
        largest = np.argsort(-np.nan_to_num(noisy[:, 0], nan=-np.inf), axis=1)[:, :4]
        if mechanism.outputs.short:  # above ⊥ is what comes out, and no more
            above = np.take_along_axis(noisy[:, 0], largest, axis=1) > np.array(bottoms)[:, None]
            largest = np.where(above, largest, NOTHING)
            assert (largest == NOTHING).any()
        else:
            assert bottoms == [None] * 200
        np.testing.assert_array_equal(largest, outputs)


def test_noise_of_one_radius_is_that_of_the_norm(rng):
    """Its density falls with the largest noise alone: what parts one radius from many."""
    mechanism = next(v for v in VARIANTS if v.cls.__name__ == "Gamma")(2, 0.7)
    counts = ItemCounts(telling_counts(mechanism))
    noise = draws(mechanism, counts, N, rng)[1][:, 0]
    largest = np.abs(noise).max(axis=1)
    assert distance(largest, lambda x: gammainc(counts.d, x / mechanism.scale)) < LIMIT
    assert distance(largest, lambda x: gammainc(counts.d + 1, x / mechanism.scale)) > LIMIT
    others = np.sort(np.abs(noise) / largest[:, None], axis=1)[:, :-1]  # uniform, in any order
    assert distance(rng.permuted(others, axis=1)[:, 0], lambda x: x) < LIMIT


@pytest.mark.grid
@pytest.mark.slow
@NOISY
def test_noise_keeps_its_digits_across_wide_gaps(variant, rng):
    """Noise is a few scales large, wherever the counts are and however they lie apart."""
    mechanism = variant(3, 3.0)
    for values in ([2**53, 2**46, 1, 0], [2**53, 2**53 - 1, 2**53 - 2, 0]):
        counts = ItemCounts(values)
        first = draws(mechanism, counts, 400, rng)[1][:, 0]
        for item in counts.order[: mechanism.n_noisy(counts.sorted)]:
            assert distance(first[:, item], law_of(mechanism, counts)) < LIMIT


@NOISY
def test_some_items_of_a_thousand_million(variant, rng):
    mechanism = variant(2, 5.0)
    counts = SortedCounts([10**6, 10**5, 3], [1, 7, 10**9 - 8])
    shown = [0, 1, mechanism.n_noisy(counts) - 1]
    noise = mechanism.noise_behind(counts, shown, rng).on_items
    assert noise.shape == (2 if mechanism.fresh_noise else 1, 3)
    assert np.isfinite(noise[0]).all()


@NOISY
def test_arguments_are_checked(variant, rng):
    mechanism = variant(2, 1.0)
    counts = ItemCounts([5, 3, 1])
    for shown, message in (([3], r"shown\[0\] must be in \[0, 2\], got 3"), (1, "shown")):
        with pytest.raises((TypeError, ValueError), match=message):
            mechanism.noise_behind(counts, shown, rng)
    with pytest.raises(TypeError, match="rng"):
        mechanism.noise_behind(counts, [1], 7)
    if mechanism.open_domain:
        assert np.isfinite(mechanism.noise_behind(ItemCounts([1]), [0], rng).on_items).all()
    else:
        with pytest.raises(ValueError, match="k must be in"):
            mechanism.noise_behind(ItemCounts([1]), [0], rng)
    if mechanism.outputs.short:
        with pytest.raises(ValueError, match="must be of the 2 items that get noise"):
            mechanism.noise_behind(ItemCounts([5, 3, 0, 0]), [2], rng)
        with pytest.raises(ValueError, match="an item with users"):
            mechanism.noise_behind(ItemCounts([0, 0]), [0], rng)
