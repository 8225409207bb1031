"""Test that EM-Peel in rounds and by one shot of Gumbel noise has the same distribution."""

import numpy as np
import pytest
from scipy.stats import chisquare

from dptopk import EMPeel, Gamma, ItemCounts, Laplace, NeighborRelation
from dptopk.mechanisms.kernels import race, shared_radius_top


@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_one_shot_of_gumbel_noise_has_the_law_of_the_rounds(neighbors, rng, fits):
    """Noise of scale k / epsilon (twice that under swap) on every count, the k largest in order."""
    mechanism = EMPeel(3, 1.2, neighbors)
    data = ItemCounts([9, 2, 14, 9, 5, 0])
    scale = (6 if neighbors is NeighborRelation.SWAP else 3) / 1.2
    for factor in (1.0, 1.25):
        noisy = data.counts + rng.gumbel(scale=factor * scale, size=(100_000, data.d))
        one_shot = np.argsort(-noisy, axis=1)[:, :3]
        assert fits(mechanism, data, one_shot) == (factor == 1.0)
    assert fits(mechanism, data, mechanism.sample(data, 100_000, rng))


@pytest.mark.parametrize("rate", [0.002, 0.05, 2.0])
def test_draws_from_thousands_of_different_counts_have_their_law(rate):
    counts = ItemCounts(np.arange(6_000))
    drawn = EMPeel(1, rate).sample(counts, 20_000, np.random.default_rng(5))[:, 0]
    weights = np.exp(rate * (counts.counts - counts.counts.max()))
    groups = np.searchsorted(np.cumsum(weights) / weights.sum(), np.linspace(0, 1, 21)[1:-1])
    expected = np.add.reduceat(weights / weights.sum(), [0, *np.unique(groups)])
    seen = np.histogram(drawn, [0, *np.unique(groups), counts.d])[0]
    assert chisquare(seen, 20_000 * expected).pvalue > 1e-6


def test_of_several_arrivals_of_an_item_the_first_counts(rng):
    ranks = rng.integers(-1, 6, (200, 12))
    times = np.where(ranks < 0, np.inf, rng.exponential(size=ranks.shape))
    found = race.Arrivals(ranks, np.zeros_like(ranks), times.copy()).without_repeats()
    for row in range(len(ranks)):
        for item in range(6):
            own = ranks[row] == item
            first = np.sort(times[row, own])[:1]
            kept = found.times[row, own]
            np.testing.assert_array_equal(kept[np.isfinite(kept)], first)


@pytest.mark.parametrize("steps", [1, 100, 2**20, 2**50])
def test_the_largest_come_in_order_also_where_only_last_bits_differ(steps, rng):
    """Noisy counts as many steps of a double apart, and nothing at some places."""
    value = 1 + rng.permuted(np.tile(np.arange(40), (50, 1)), axis=1) * steps * 2.0**-52
    value[:, ::8] = -np.inf
    place = race.largest(30, value, np.ones(value.shape, dtype=np.int64), value - 1)
    expected = np.sort(value, axis=1)[:, ::-1][:, :30]
    np.testing.assert_array_equal(np.take_along_axis(value, place, axis=1), expected)


@pytest.mark.parametrize("mechanism", [EMPeel(3, 1.2), Laplace(3, 1.2), Gamma(3, 1.2)])
@pytest.mark.parametrize("n", [1, 1_000])
def test_draws_go_on_where_nothing_or_too_little_is_found_at_first(
    mechanism, n, monkeypatch, rng, fits
):
    limit, depth_of = race._Levels.limit, shared_radius_top._depth_of
    monkeypatch.setattr(race._Levels, "limit", lambda self, m, low: limit(self, m / 10, low))
    monkeypatch.setattr(shared_radius_top, "_depth_of", lambda m, *rest: depth_of(m / 4, *rest))
    data = ItemCounts([9, 2, 14, 9, 5, 0])
    drawn = np.concatenate([mechanism.sample(data, n, rng) for _ in range(1_000 // n)])
    assert fits(mechanism, data, drawn)
