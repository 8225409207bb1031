"""Test our laws against integrals of SciPy's densities, and against its draws."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dptopk import CDPPeel, ItemCounts

N_SEEDED = 200_000


def largest_wins(noise, scores: np.ndarray) -> np.ndarray:
    """P(score i with its noise is largest): integral of f(x - s_i) prod_{j != i} F(x - s_j)."""
    scores = np.asarray(scores, float)
    others = ~np.eye(scores.size, dtype=bool)

    def integrand(x):
        return noise.pdf(x - scores) * np.where(others, noise.cdf(x - scores), 1.0).prod(axis=1)

    low, high = scores.max() + noise.ppf(1e-300), scores.max() + noise.isf(1e-18)
    return integrate.quad_vec(integrand, low, high, epsabs=1e-13, epsrel=1e-12)[0]


def peeled(noise, counts, k: int) -> dict[tuple[int, ...], float]:
    """Chances of k rounds of `largest_wins`, each on the items left."""
    if k == 0:
        return {(): 1.0}
    chances = {}
    for s, chance in peeled(noise, counts, k - 1).items():
        left = [i for i in range(len(counts)) if i not in s]
        for i, wins in zip(left, largest_wins(noise, [counts[i] for i in left]), strict=True):
            chances[*s, i] = chance * wins
    return chances


def scipy_noise(case, factor: float = 1.0):
    kind = stats.gumbel_r if case.concentrated else stats.expon
    return kind(scale=factor / case.rate)


def test_law_is_that_of_scipys_noise(case):
    """Ours against numerical integrals of SciPy's densities, which share no formula with it."""
    if case.over_sequences:
        losses = np.array(case.scores())
        chances = dict(
            zip(map(tuple, case.sequences), largest_wins(scipy_noise(case), -losses), strict=True)
        )
    else:
        chances = peeled(scipy_noise(case), case.counts, case.mechanism.k)
    ours = case.mechanism.log_pmf(case.data, list(chances))
    np.testing.assert_allclose(np.exp(ours), list(chances.values()), rtol=1e-8, atol=1e-12)


def test_one_shot_of_scipys_gumbel_noise_is_plackett_luce():
    """The two largest of one shot: f at the second, the first above it, the others below."""
    mechanism, counts = CDPPeel(2, 3.0, 0.05), np.array([6, 5, 3, 3])
    noise = stats.gumbel_r(scale=1 / mechanism.local_epsilon)
    for first, second in itertools.permutations(range(4), 2):
        rest = [j for j in range(4) if j not in (first, second)]

        def integrand(x, first=first, second=second, rest=rest):
            below = noise.cdf(x - counts[rest]).prod()
            return noise.pdf(x - counts[second]) * noise.sf(x - counts[first]) * below

        chance, _ = integrate.quad(integrand, -20, 60, epsabs=1e-13, epsrel=1e-11, limit=200)
        ours = mechanism.log_pmf(ItemCounts(counts), [[first, second]])
        assert ours == pytest.approx([math.log(chance)], rel=1e-8)


def scipy_draws(case, factor: float, rng) -> np.ndarray:
    """One shot of Gumbel noise, or k rounds of fresh exponential noise."""
    shape, k = (N_SEEDED, len(case.counts)), case.mechanism.k
    noise = scipy_noise(case, factor)
    if case.concentrated:
        noisy = case.counts + noise.rvs(size=shape, random_state=rng)
        return np.argsort(-noisy, axis=1)[:, :k]
    left = np.tile(np.array(case.counts, float), (N_SEEDED, 1))
    taken = []
    for _ in range(k):
        taken.append(np.argmax(left + noise.rvs(size=shape, random_state=rng), axis=1))
        left[np.arange(N_SEEDED), taken[-1]] = -np.inf
    return np.column_stack(taken)


def test_draws_of_scipys_noise_fit(peeling_case, rng, fits):
    case = peeling_case
    assert fits(case.mechanism, case.data, scipy_draws(case, 1.0, rng))
    for factor in (0.8, 1.2):
        assert not fits(case.mechanism, case.data, scipy_draws(case, factor, rng))
