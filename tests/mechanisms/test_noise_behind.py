"""The noise behind a draw: its law, drawn outcomes and noise together, and its order."""

import math

import numpy as np
import pytest
from ladder import VARIANTS, both_relations, telling_counts

from dptopk import ItemCounts, SortedCounts
from dptopk.mechanisms import NoisyOrder

NOISY = pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if issubclass(v.cls, NoisyOrder)], ids=str
)
N = 2_000
LIMIT = math.sqrt(math.log(2 / 1e-6) / 2)  # Dvoretzky, Kiefer, Wolfowitz at 1e-6


def distance(values: np.ndarray, cdf) -> float:
    """Largest distance of distribution functions, in standard errors."""
    steps = np.arange(values.size + 1) / values.size
    expected = cdf(np.sort(values))
    gap = max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max())
    return math.sqrt(values.size) * gap


def law_of(mechanism):
    """Distribution function of the noise on a count, from its definition."""
    if mechanism.fresh_noise:
        return lambda x: np.where(x < 0, 0.0, -np.expm1(-np.maximum(x, 0) / mechanism.scale))
    return lambda x: np.exp(-np.exp(-x / mechanism.scale))


def draws(mechanism, counts, n, rng):
    """Outcomes from the mechanism, and the noise of every item behind each."""
    outputs = mechanism.sample(counts, n, rng)
    every = np.arange(counts.d)
    return outputs, np.array([mechanism.noise_behind(counts, o, every, rng) for o in outputs])


@both_relations
@NOISY
def test_noise_of_outcomes_that_were_drawn_is_that_of_the_mechanism(variant, neighbors, rng):
    """Over all outcomes the noise of every item is as if it had been drawn first."""
    mechanism = variant(3, 0.7, neighbors)
    counts = ItemCounts(telling_counts(mechanism))
    outputs, noise = draws(mechanism, counts, N, rng)
    assert len(np.unique(outputs, axis=0)) > 6
    right = law_of(mechanism)
    wrong = law_of(mechanism.replaced(epsilon=0.7 * 1.5))
    for item in range(counts.d):
        first = noise[:, 0, item]
        assert distance(first, right) < LIMIT
        assert distance(first, wrong) > LIMIT
    between = np.corrcoef(noise[:, 0].T)[np.triu_indices(counts.d, 1)]
    assert np.all(np.abs(between) * math.sqrt(N) < 4.9)
    for later in range(1, noise.shape[1]):  # whoever is left has noise of its own
        values = noise[:, later][~np.isnan(noise[:, later])]
        assert values.size == N * (counts.d - later)
        assert distance(values[:: counts.d - later], right) < LIMIT


@NOISY
def test_the_order_of_the_noisy_counts_is_the_draw(variant, rng):
    mechanism = variant(4, 0.5)
    counts = ItemCounts(np.repeat(telling_counts(mechanism), 3))
    outputs, noise = draws(mechanism, counts, 300, rng)
    noisy = counts.counts + noise
    if mechanism.fresh_noise:
        assert noise.shape == (300, 4, 15)
        np.testing.assert_array_equal(np.nanargmax(noisy, axis=2), outputs)
        for later in range(4):
            out = np.isnan(np.take_along_axis(noisy[:, later], outputs, axis=1))
            np.testing.assert_array_equal(out, np.broadcast_to(np.arange(4) < later, out.shape))
    else:
        assert noise.shape == (300, 1, 15)
        np.testing.assert_array_equal(np.argsort(-noisy[:, 0], axis=1)[:, :4], outputs)


@NOISY
def test_noise_keeps_its_digits_across_wide_gaps(variant, rng):
    """Noise is a few scales large, wherever the counts are and however they lie apart."""
    mechanism = variant(3, 3.0)
    for values in ([2**53, 2**46, 1, 0], [2**53, 2**53 - 1, 2**53 - 2, 0]):
        counts = ItemCounts(values)
        first = draws(mechanism, counts, 400, rng)[1][:, 0]
        for item in range(4):
            assert distance(first[:, item], law_of(mechanism)) < LIMIT


@NOISY
def test_some_items_of_a_thousand_million(variant, rng):
    mechanism = variant(2, 5.0)
    counts = SortedCounts([10**6, 10**5, 3], [1, 7, 10**9 - 8])
    (output,) = mechanism.sample(counts, 1, rng)
    noise = mechanism.noise_behind(counts, output, [0, 5, 10**9 - 1], rng)
    assert noise.shape == (2 if mechanism.fresh_noise else 1, 3)
    assert np.isfinite(noise[0]).all()


@NOISY
def test_arguments_are_checked(variant, rng):
    mechanism = variant(2, 1.0)
    counts = ItemCounts([5, 3, 1])
    for output, shown, message in (
        ([0, 0], [1], "must hold 2 different items"),
        ([0, 3], [1], "sequences"),
        ([0], [1], "sequences"),
        ([0, 1], [3], r"shown\[0\] must be in \[0, 2\], got 3"),
        ([0, 1], 1, "shown"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            mechanism.noise_behind(counts, output, shown, rng)
    with pytest.raises(TypeError, match="rng"):
        mechanism.noise_behind(counts, [0, 1], [1], 7)
    with pytest.raises(ValueError, match="k must be in"):
        mechanism.noise_behind(ItemCounts([1]), [0, 1], [0], rng)
