"""Test PrivateCountRelease: its calibration, and the joint privacy of list and counts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from dptopk import (
    NOTHING,
    ItemCounts,
    LimitedDomain,
    LimitedDomainLaplace,
    NeighborRelation,
    PrivateCountRelease,
)
from dptopk.core.random_bits import SYSTEM_BITS
from dptopk.laws.privacy_losses import most_items, neighbor_changes

ADD_REMOVE, SWAP = NeighborRelation
both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))


@both_relations
@pytest.mark.parametrize(
    ("k", "epsilon", "delta"), [(1, 3.0, 0.1), (10, 1.0, 1e-6), (200, 0.1, 1e-9)]
)
def test_the_calibration_by_hand(k, epsilon, delta, neighbors):
    """k rounds and k Gaussian counts, half of rho each, with half of delta."""
    mechanism = PrivateCountRelease(k, epsilon, delta, neighbors)
    rounds = k * (neighbors.gap_sensitivity / mechanism.scale) ** 2 / 8
    counted = k / (2 * mechanism.count_scale**2)
    assert rounds == pytest.approx(counted, rel=1e-12)
    rho = rounds + counted
    spent = rho + 2 * math.sqrt(rho * math.log(2 / delta))
    domain = k * math.log1p(min(delta / 2, epsilon / (100 * k)))
    assert spent + domain == pytest.approx(epsilon, rel=1e-12)
    chooses = LimitedDomain(k, epsilon, delta, neighbors)
    assert mechanism.domain_delta == chooses.domain_delta
    assert mechanism.scale > chooses.scale
    if k > 1:  # a single round is worth more alone
        assert mechanism.scale == pytest.approx(math.sqrt(2) * chooses.scale, rel=1e-12)


def test_a_bound_lowers_threshold_and_noise_on_counts():
    """One user of m items moves m of the counts, a user who is replaced 2 m; any number: k."""
    plain = PrivateCountRelease(6, 1.0, 1e-6)
    for neighbors, moved in ((ADD_REMOVE, (1, 2, 6, 6)), (SWAP, (2, 4, 6, 6))):
        of_any = plain.replaced(neighbors=neighbors)
        for most, n in zip((1, 2, 7, 10**9), moved, strict=True):
            bounded = of_any.replaced(max_items=most)
            assert bounded.count_scale == pytest.approx(math.sqrt(n / 6) * plain.count_scale)
            assert bounded.scale == of_any.scale
            assert bounded.guarantee.max_items == (most if most < 12 else None)
    counts = ItemCounts([90, 80, 70, 60, 50]).sorted
    lower = plain.threshold(counts) - plain.scale * math.log(12)
    assert plain.replaced(max_items=1).threshold(counts) == pytest.approx(lower, rel=1e-12)


def test_noise_of_each_kind_is_that_of_the_mechanism_that_adds_it():
    mechanism = PrivateCountRelease(10, 0.2, 1e-6, SWAP, 15, 3)
    rows = mechanism.noise_scales(5000)
    alone = LimitedDomain(10, 0.2, 1e-6, SWAP, 15, 3)
    laplace = LimitedDomainLaplace(10, 0.2, 1e-6, 3, SWAP, 15)
    scales = [mechanism.scale, mechanism.count_scale, alone.scale, laplace.scale]
    assert [row.scale for row in rows] == scales
    laws = {"Gumbel": math.pi / math.sqrt(6), "Laplace": math.sqrt(2), "Gaussian": 1.0}
    assert [row.noise for row in rows] == ["Gumbel", "Gaussian", "Gumbel", "Laplace"]
    for row in rows:
        assert row.deviation == pytest.approx(laws[row.noise] * row.scale)
        assert not row.by_items


def test_counts_are_of_the_items_they_stand_beside(rng):
    """In floats and exactly; empty places have none."""
    mechanism, data = PrivateCountRelease(3, 1e9, 1e-6), ItemCounts([7, 0, 900, 40, 0])
    for released in (
        mechanism.released(data, 5, rng),
        mechanism.released_exactly(data, SYSTEM_BITS),
    ):
        assert (released.positions == [2, 3, 0]).all()
        np.testing.assert_allclose(released.counts, data.counts[released.positions], atol=0.01)
    nobody = ItemCounts([0, 0])
    for released in (
        mechanism.released(nobody, 5, rng),
        mechanism.released_exactly(nobody, SYSTEM_BITS),
    ):
        assert (released.positions == NOTHING).all()
        assert np.isnan(released.counts).all()


# --- the joint law of list and counts ----------------------------------------------------


def excess_of_gaussian(log_ratio: np.ndarray, n_moved: np.ndarray, deviation: float) -> np.ndarray:
    """Hockey-stick at any e^log_ratio of Gaussian noise and the same with n counts moved by one.

    Balle, Wang (2018), for a log ratio below 0 as well.
    """
    apart = np.maximum(np.sqrt(n_moved) / deviation, 1e-300)
    half, far = apart / 2, log_ratio / apart
    moved = ndtr(half - far) - np.exp(np.minimum(log_ratio, 700)) * ndtr(-half - far)
    return np.where(n_moved == 0, -np.expm1(np.minimum(log_ratio, 0.0)), np.maximum(moved, 0.0))


def excess_of_discrete(log_ratio: np.ndarray, n_moved: np.ndarray, variance: float) -> np.ndarray:
    """Upper bound on the same of discrete Gaussian noise: over a grid, and all mass beyond it.

    The loss depends on the sum of the noise of the moved counts only, which is convolved.  The law
    is subgaussian (Canonne, Kamath, Steinke 2020): P(|noise| > m) <= 2 e^(-m^2 / (2 variance)).
    """
    reach = math.ceil(12 * math.sqrt(variance)) + 2
    grid = np.arange(-reach, reach + 1)
    p = np.exp(-(grid**2) / (2 * variance))
    p /= p.sum()  # at least its true mass
    beyond = 2 * math.exp(-(reach**2) / (2 * variance))
    found, sums = np.empty(log_ratio.shape), np.ones(1)
    for n in range(int(n_moved.max()) + 1):
        here = n_moved == n
        total = np.arange(sums.size) - sums.size // 2
        loss = -(2 * total - n) / (2 * variance)  # of all noise against all noise less one each
        kept = -np.expm1(np.minimum(log_ratio[here][:, None] - loss, 0.0))
        found[here] = (sums * kept).sum(axis=1) + n * beyond
        sums = np.convolve(sums, p)
    return found


def excess(mechanism, here: ItemCounts, there: ItemCounts, of_noise) -> float:
    """Hockey-stick of list and counts together: list by list, and the counts given the list."""
    every = mechanism.outputs.every(here.d, mechanism.k)
    log_p, log_q = mechanism.log_pmf(here, every), mechanism.log_pmf(there, every)
    possible = np.isfinite(log_p)
    every, log_p, log_q = every[possible], log_p[possible], log_q[possible]
    moved = np.append(np.abs(here.counts - there.counts), 0)  # the last: nothing is there
    assert moved.max() <= 1
    left = mechanism.epsilon - (log_p - log_q)  # -inf where the list tells the two apart
    return float(np.exp(log_p) @ of_noise(left, moved[every].sum(axis=1)))


def worst_excess(mechanism, counts, of_noise) -> float:
    """The most over all neighbors that the guarantee is for, both ways."""
    data = ItemCounts(counts)
    changes = neighbor_changes(data, mechanism.neighbors)
    if mechanism.max_items is not None:
        changes = changes[most_items(changes) <= mechanism.max_items]
    worst = 0.0
    for change in changes:
        other = ItemCounts(data.counts + change)
        both = ((data, other), (other, data))
        worst = max(worst, *(excess(mechanism, *pair, of_noise) for pair in both))
    return worst


def with_noise(mechanism):
    return lambda left, n_moved: excess_of_gaussian(left, n_moved, mechanism.count_scale)


def with_whole_noise(mechanism):
    variance = float(mechanism.exact_count_variance)
    return lambda left, n_moved: excess_of_discrete(left, n_moved, variance)


VECTORS = (
    *([0], [3, 2, 1], [20, 20, 0], [1, 1, 1], [0, 0, 0]),
    *([9, 9, 1, 1], [5, 5, 5, 0], [40, 39, 38, 1]),
)
BUDGETS = ((0.3, 0.02), (1.0, 1e-3), (4.0, 0.3), (8.0, 1e-6))


@both_relations
@pytest.mark.parametrize("own", [{}, {"k_bar": 3}, {"max_items": 1}, {"k_bar": 3, "max_items": 2}])
@pytest.mark.parametrize("noise", [with_noise, with_whole_noise])
def test_list_and_counts_keep_the_promise_together(noise, own, neighbors):
    worst = 0.0
    for number, counts in enumerate(VECTORS):
        for k in (1, 2, 3):  # more than there are items, too
            epsilon, delta = BUDGETS[(number + k) % 4]
            mechanism = PrivateCountRelease(k, epsilon, delta, neighbors, **own)
            worst = max(worst, worst_excess(mechanism, counts, noise(mechanism)) / delta)
    assert 0.1 < worst <= 1


@both_relations
def test_counts_spend_what_the_list_leaves(neighbors):
    """The judge of both notices more than that of the list alone, and a deviation of a third."""
    mechanism = PrivateCountRelease(3, 3.0, 0.1, neighbors)
    counts = [60, 60, 60]
    alone = worst_excess(mechanism, counts, with_noise(mechanism.replaced(epsilon=1e-9)))
    promised = worst_excess(mechanism, counts, with_noise(mechanism))
    assert alone < promised <= 0.1

    class Careless(PrivateCountRelease):
        count_scale = mechanism.count_scale / 3

    careless = Careless(3, 3.0, 0.1, neighbors)
    assert worst_excess(careless, counts, with_noise(careless)) > 0.1


def test_a_bound_that_users_do_not_keep_is_noticed():
    """The noise for users of one item, against users of three."""

    class Careless(PrivateCountRelease):
        n_moved = 1

    careless = Careless(6, 4.0, 0.05, ADD_REMOVE, 6)
    data, other = ItemCounts([90] * 6), ItemCounts([91] * 6)
    assert excess(careless, data, other, with_noise(careless)) > 0.05
    plain = PrivateCountRelease(6, 4.0, 0.05, ADD_REMOVE, 6)
    assert excess(plain, data, other, with_noise(plain)) <= 0.05


def test_profiles_of_noise_agree_with_sums():
    """Gaussian and discrete Gaussian noise of a large variance have about one profile."""
    left, n_moved = np.array([-np.inf, -0.2, 0.0, 0.1, 0.5]), np.array([0, 1, 2, 3, 2])
    smooth = excess_of_gaussian(left, n_moved, 8.0)
    np.testing.assert_allclose(excess_of_discrete(left, n_moved, 64.0), smooth, atol=2e-3)
    grid = np.linspace(-200, 200, 400_001)
    for e, n, expected in zip(left, n_moved, smooth, strict=True):
        apart = math.sqrt(n)
        p, q = (
            np.exp(-((grid - at) ** 2) / 128) / (8 * math.sqrt(2 * math.pi)) for at in (0, apart)
        )
        stick = np.maximum(p - math.exp(e) * q, 0).sum() * 1e-3
        assert stick == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("delta", [1e-6, 0.1])
def test_published_noise_is_no_less_than_that_of_the_law(delta):
    for k, epsilon, most in ((1, 0.1, None), (20, 1.0, 3), (300, 5.0, None)):
        mechanism = PrivateCountRelease(k, epsilon, delta, max_items=most)
        exact = mechanism.exact_count_variance
        assert exact >= Fraction(mechanism.n_moved, k) / Fraction(mechanism.local_epsilon / 2) ** 2
        assert math.sqrt(exact) == pytest.approx(mechanism.count_scale, rel=1e-12)
