"""EM-Peel: rounds of the exponential mechanism and one shot of Gumbel noise are the same law."""

import numpy as np
import pytest

from dptopk import CDPPeel, EMPeel, ItemCounts, NeighborRelation


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


@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_it_is_cdp_peel_without_a_delta(neighbors):
    data = ItemCounts([40, 3, 25, 17, 17, 8])
    ours, other = EMPeel(3, 0.7, neighbors), CDPPeel(3, 0.7, 0.0, neighbors)
    every = ours.outputs.every(6, 3)
    np.testing.assert_allclose(ours.log_pmf(data, every), other.log_pmf(data, every), rtol=1e-12)
    assert ours.stream_key != other.stream_key
