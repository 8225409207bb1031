"""Test the exact δ of the Gaussian sparse histogram over all users, and its tightness."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr, ndtri

from dptopk.accounting.sparse_gaussian import SparseGaussian

SETTINGS = [
    (epsilon, delta, max_items, weighted)
    for epsilon in (0.05, 0.5, 1.0, 4.0, 30.0)
    for delta in (1e-10, 1e-6, 1e-3, 0.02, 0.2)
    for max_items in (1, 2, 3, 7, 40)
    for weighted in (True, False)
    if delta <= 1 - math.exp(-epsilon / 2)
]


def hockey_stick(epsilon, mu):
    """Return H(ε, μ) of two Gaussians of variance 1 that are μ apart, elementwise."""
    apart = np.where(mu > 0, mu, 1.0)
    d1, d2 = apart / 2 - epsilon / apart, -apart / 2 - epsilon / apart
    found = np.exp(log_ndtr(d1)) - np.exp(np.minimum(epsilon + log_ndtr(d2), log_ndtr(d1)))
    return np.where(mu > 0, found, np.maximum(-np.expm1(epsilon), 0.0))


def deltas(mechanism):
    """Return the exact δ of every user of t <= m items, j of them new, in both directions."""
    m = mechanism.max_items
    t = np.repeat(np.arange(1, m + 1), m + 1)
    j = np.tile(np.arange(m + 1), m)
    t, j = t[j <= t], j[j <= t]
    adds = 1 / np.sqrt(t) if mechanism.weighted else np.ones(t.size)
    log_q = j * log_ndtr((mechanism.threshold - adds) / mechanism.sigma)
    mu = np.sqrt(t - j) * adds / mechanism.sigma
    epsilon = mechanism.epsilon
    added = -np.expm1(log_q) + np.exp(log_q) * hockey_stick(epsilon - log_q, mu)
    return t, j, added, hockey_stick(epsilon + log_q, mu)


@pytest.mark.parametrize(("epsilon", "delta", "max_items", "weighted"), SETTINGS)
def test_no_user_exceeds_delta_and_one_meets_it(epsilon, delta, max_items, weighted):
    mechanism = SparseGaussian(epsilon, delta, max_items, weighted)
    t, j, added, removed = deltas(mechanism)
    assert max(added.max(), removed.max()) <= delta * (1 + 1e-9)
    assert added[j == t].max() == pytest.approx(delta, rel=1e-9)
    assert removed.max() <= added[j == 0].max() * (1 + 1e-9)
    if delta < epsilon / 13:  # there is nothing to make the noise larger for
        assert added[j == 0].max() == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("part", ["sigma", "threshold"])
@pytest.mark.parametrize("weighted", [True, False])
def test_neither_less_noise_nor_a_lower_threshold_is_private(part, weighted):
    """Both are the least at once, so nothing is gained by dividing delta between them."""
    mechanism = SparseGaussian(1.0, 1e-6, 10, weighted)
    mechanism.__dict__[part] = getattr(mechanism, part) * 0.999
    mechanism.__dict__.setdefault("threshold", mechanism.threshold)
    assert deltas(mechanism)[2].max() > 1.001e-6


def test_the_worst_user_of_very_many_items_is_within_delta():
    """All new items for t up to 10^9, where the threshold is that of one of both ends."""
    for max_items in (10**4, 10**9):
        for epsilon, delta in ((0.3, 1e-8), (1.0, 0.2), (20.0, 0.2), (1e4, 0.1)):
            mechanism = SparseGaussian(epsilon, delta, max_items)
            t = np.unique(np.geomspace(1, max_items, 5_000).astype(np.int64))
            log_q = t * log_ndtr((mechanism.threshold - t**-0.5) / mechanism.sigma)
            assert -np.expm1(log_q).min() <= delta * (1 + 1e-6)


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.2])
def test_the_threshold_serves_every_number_of_items(delta):
    for epsilon in (0.5, 3.0, 50.0, 1e4):
        mechanism = SparseGaussian(epsilon, delta, 3_000)
        t = np.arange(1, 3_001)
        each = t**-0.5 - mechanism.sigma * ndtri(-np.expm1(np.log1p(-delta) / t))
        assert mechanism.threshold == pytest.approx(each.max(), rel=1e-12)


@pytest.mark.parametrize("count", [0.7, 3.0, 9.0, 200.0])
def test_the_formula_is_that_of_the_mechanism_itself(count):
    """One old item that a user shares and one new: summed, with what the threshold hides."""
    epsilon = 1.0
    mechanism = SparseGaussian(epsilon, 0.01, 2)
    sigma, threshold = mechanism.sigma, mechanism.threshold
    adds = 1 / math.sqrt(2)
    q = float(ndtr((threshold - adds) / sigma))

    values = np.linspace(threshold, max(threshold, count) + 14 * sigma, 2_000_001)

    def excess(one, other, factor, times):
        """Return the sum of (times · one - factor · other)+ over what may come out."""
        densities = [np.exp(-(((values - mean) / sigma) ** 2) / 2) for mean in (one, other)]
        above = np.maximum(times * densities[0] - factor * densities[1], 0.0)
        whole = np.trapezoid(above, values) / (sigma * math.sqrt(2 * math.pi))
        below = [float(ndtr((threshold - mean) / sigma)) for mean in (one, other)]
        return whole + max(times * below[0] - factor * below[1], 0.0)

    e = math.exp(epsilon)
    added = 1 - q + excess(count + adds, count, e, q)
    removed = excess(count, count + adds, e * q, 1.0)
    mu = np.array([adds / sigma])
    bound = 1 - q + q * hockey_stick(epsilon - math.log(q), mu)[0]
    other_bound = hockey_stick(epsilon + math.log(q), mu)[0]
    assert added <= bound + 1e-9
    assert removed <= other_bound + 1e-9
    if count > threshold + 12 * sigma:
        assert added == pytest.approx(bound, rel=1e-6)
        assert removed == pytest.approx(other_bound, rel=1e-6)


def test_noise_is_that_of_the_analytic_gaussian_mechanism():
    """H(ε, 1 / σ) = δ, by SciPy's own distribution functions."""
    for epsilon, delta in ((0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-3)):
        mu = 1 / SparseGaussian(epsilon, delta, 5).sigma
        spent = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
        assert spent == pytest.approx(delta, rel=1e-6)
    unweighted = SparseGaussian(1.0, 1e-6, 9, weighted=False)
    assert unweighted.sigma == pytest.approx(3 * SparseGaussian(1.0, 1e-6, 9).sigma, rel=1e-12)


def test_delta_in_two_halves_takes_more_noise_and_a_higher_threshold():
    """As Google's dp_mm_domain divides it: σ and τ of δ / 2 each."""
    whole, half = (SparseGaussian(1.0, delta, 10) for delta in (1e-6, 5e-7))
    assert whole.sigma < half.sigma
    assert whole.threshold < half.threshold
    assert deltas(half)[2].max() < 0.6e-6


def test_extremes_of_the_arguments_are_finite():
    for epsilon in (1e-9, 1e-3, 1.0, 1e6, 1e12):
        for delta in (1e-300, 1e-12, min(0.2, -math.expm1(-epsilon / 2))):
            for max_items in (1, 10**9):
                mechanism = SparseGaussian(epsilon, delta, max_items)
                assert 0 < mechanism.sigma < mechanism.threshold < np.inf or epsilon > 1e3
                assert np.isfinite([mechanism.sigma, mechanism.threshold]).all()


def test_items_without_users_never_come_out():
    mechanism = SparseGaussian(1.0, 1e-3, 4)
    found = mechanism.survival(np.array([0.0, mechanism.threshold, mechanism.threshold + 50]))
    assert found[0] == 0
    assert found[1] == 0.5
    assert found[2] == pytest.approx(1)


def test_the_guarantee_names_whom_it_protects():
    guarantee = SparseGaussian(1.0, 1e-6, 7).guarantee
    assert (guarantee.fixed_items, guarantee.max_items) == (False, 7)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((0.0, 1e-6, 3), ValueError, "epsilon must be a number from 1e-9"),
        ((1.0, 0.0, 3), ValueError, r"delta must be above 0 and at most 0\.2"),
        ((1.0, 0.3, 3), ValueError, "delta must be above 0"),
        ((0.01, 0.006, 3), ValueError, r"at most 0\.004988, .*got 0\.006"),
        ((1.0, 1e-6, 0), ValueError, "max_items must be in"),
        ((1.0, 1e-6, 2.5), TypeError, "max_items must be an integer"),
    ],
)
def test_bad_arguments_are_named(arguments, error, words):
    with pytest.raises(error, match=words):
        SparseGaussian(*arguments)
