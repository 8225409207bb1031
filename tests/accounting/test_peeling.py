"""Test that peeling, enumerated on small data, never spends more than the accounting says."""

import itertools

import numpy as np
import pytest

from dptopk.accounting import METHODS, spent_delta


def peeling_pmf(counts, eta, k):
    """Probabilities of all ordered outputs of k exponential-mechanism rounds, weights e^(ηc)."""
    weights = np.exp(eta * (np.asarray(counts) - max(counts)))
    outputs = np.array(list(itertools.permutations(range(len(counts)), k)))
    pmf = np.ones(len(outputs))
    free = np.tile(weights, (len(outputs), 1))
    for item in outputs.T[:, :, None]:
        pmf *= np.take_along_axis(free, item, 1)[:, 0] / free.sum(axis=1)
        np.put_along_axis(free, item, 0.0, 1)
    return pmf


def peeling_deltas(counts, eta, k, epsilons):
    """Largest hockey-stick divergence at each ε over every user that could join or leave."""
    here = peeling_pmf(counts, eta, k)
    worst = np.zeros(len(epsilons))
    for user in itertools.product((0, 1), repeat=len(counts)):
        there = peeling_pmf(np.asarray(counts) + user, eta, k)
        for p, q in ((here, there), (there, here)):
            excess = np.maximum(p - np.exp(epsilons)[:, None] * q, 0).sum(axis=1)
            worst = np.maximum(worst, excess)
    return worst


COUNTS = [(0, 0, 0, 0, 0, 0), (3, 3, 2, 2, 1, 0), (40, 20, 20, 19, 3, 0), (9, 8, 7, 6, 5, 4, 3)]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("eta", [0.1, 0.7, 2.5])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_enumerated_peeling_stays_below(counts, eta, k):
    epsilons = np.array([0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) * k * eta
    deltas = peeling_deltas(counts, eta, k, epsilons)
    assert deltas.max() > 0
    for method in METHODS:
        assert np.all(deltas <= spent_delta(eta, k, epsilons, method) * (1 + 1e-9))


def test_one_round_of_peeling_reaches_the_optimum():
    # Two items; one user adds to the first.  Some gap of the counts makes nearly the worst t.
    epsilons = np.array([0.02, 0.05, 0.08])
    reached = np.max([peeling_deltas((0, c), 0.1, 1, epsilons) for c in range(60)], axis=0)
    optimum = spent_delta(0.1, 1, epsilons, "optimal")
    assert np.all(reached <= optimum)
    assert np.all(reached >= 0.99 * optimum)
    # So a mechanism of twice that range, as peeling under swap has, is caught.
    assert np.all(reached > spent_delta(0.05, 1, epsilons, "optimal"))
