"""Test draws of OpenDP's mechanisms, calibrated by its privacy maps, against our laws.

Our own draws are held against the same laws in `tests/mechanisms` and `tests/publishing`.  OpenDP
cannot be seeded, so its draws are judged at `UNSEEDED_ALPHA`.
"""

import functools
import math

import numpy as np
import opendp.prelude as dp
import pytest

from dptopk import CDPPeel, NeighborRelation, PNFPeel, goodness_of_fit, output_distribution
from dptopk.accounting import spent_epsilon

JOINS = NeighborRelation.ADD_REMOVE
UNSEEDED_ALPHA = 1e-9  # nominal chance that one test of OpenDP's draws fails
N_UNSEEDED = 10_000  # a scale wrong by 20% is then missed less than once in 10^12 times


@functools.cache
def opendp_scale(case) -> float:
    """Least scale at which OpenDP promises the case's budget."""
    return dp.binary_search_param(
        case.measurement, d_in=case.sensitivity, d_out=case.budget, T=float
    )


@functools.cache
def opendp_draws(case) -> np.ndarray:
    release, scores = case.measurement(opendp_scale(case)), case.scores()
    drawn = np.array([release(scores) for _ in range(N_UNSEEDED)])
    if case.over_sequences:
        return case.sequences[drawn]
    return drawn.reshape(N_UNSEEDED, case.mechanism.k)


def test_opendp_maps_our_noise_to_what_we_promise(case):
    assert case.mapped(1 / case.rate) == pytest.approx(case.budget, rel=1e-12)
    assert opendp_scale(case) == pytest.approx(1 / case.rate, rel=1e-12)


@pytest.mark.slow
def test_opendp_draws_our_law(case):
    law = output_distribution(case.data, case.mechanism)
    assert goodness_of_fit(law, opendp_draws(case)).p_value > UNSEEDED_ALPHA


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.2])  # 0.5: a forgotten factor 2
def test_opendp_draws_refuse_a_wrong_scale(misscaled, case, factor):
    law = output_distribution(case.data, misscaled(case.mechanism, factor))
    assert goodness_of_fit(law, opendp_draws(case)).p_value < UNSEEDED_ALPHA


@pytest.mark.slow
def test_opendp_tells_peeling_mechanisms_apart(make_case):
    """Permute-and-flip and the exponential mechanism of the same rate are different laws."""
    flipped = make_case(PNFPeel(3, 3.0), (6, 5, 4, 4, 3))
    raced = CDPPeel(3, 3.0, 0.0)  # without delta the same rate, epsilon / k
    assert raced.local_epsilon == flipped.rate
    law = output_distribution(flipped.data, raced)
    assert goodness_of_fit(law, opendp_draws(flipped)).p_value < UNSEEDED_ALPHA


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize(("eta", "k"), [(0.03, 200), (0.1, 50), (0.3, 10), (1.0, 5), (2.0, 1)])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 0.01, 0.2])
def test_paper_spends_what_opendp_charges(neighbors, eta, k, delta):
    """k rounds of range eta are charged k eta^2 / 8; Bun, Steinke (2016), Prop. 1.3, converts."""
    scale = 1 / eta if neighbors is JOINS else 2 / eta
    top_k = dp.m.make_noisy_top_k(
        dp.vector_domain(dp.atom_domain(T="i64")),
        dp.linf_distance(T="i64", monotonic=neighbors is JOINS),
        dp.zero_concentrated_divergence(),
        k=k,
        scale=scale,
    )
    rho = top_k.map(1)
    assert rho == pytest.approx(k * eta**2 / 8, rel=1e-12)
    expected = min(rho + 2 * math.sqrt(-rho * math.log(delta)), k * eta)
    assert spent_epsilon(eta, k, delta, "paper") == pytest.approx(expected, rel=1e-12)
