"""Test gaps that come with a release: privacy by densities on all neighbors, law, and intervals."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2

from dptopk import EMPeel, ItemCounts, Laplace, NeighborRelation, SortedCounts
from dptopk.laws.privacy_losses import neighboring_counts
from dptopk.mechanisms import MECHANISMS
from dptopk.mechanisms.free_gaps import FreeGaps

MECHANISMS_WITH_GAPS = [m for m in MECHANISMS.values() if issubclass(m, FreeGaps)]
SWAP = NeighborRelation.SWAP


def test_two_mechanisms_have_gaps():
    assert {*MECHANISMS_WITH_GAPS} == {EMPeel, Laplace}


def gumbel_log_density(counts, items, gaps, scale):
    """Return the closed form of the log density of items with their gaps."""
    counts = np.asarray(counts) / scale
    others = np.delete(counts, items)
    above = np.cumsum(np.asarray(gaps)[::-1])[::-1] / scale
    terms = np.append(counts[list(items)] - above, logsumexp(others))
    k = len(items)
    return gammaln(k + 1) - k * math.log(scale) + terms.sum() - (k + 1) * logsumexp(terms)


POINTS, WEIGHTS = np.polynomial.legendre.leggauss(10)


def laplace_log_density(counts, items, gaps, scale):
    """Integrate over the largest of the other noisy counts, piece by piece between the kinks."""
    counts, items = np.asarray(counts, dtype=float), list(items)
    others = np.delete(counts, items)
    above = np.cumsum(np.asarray(gaps)[::-1])[::-1]
    kinks = np.unique(np.concatenate([others, counts[items] - above]))
    ends = np.concatenate([[kinks[0] - 30 * scale], kinks, [kinks[-1] + 30 * scale]])
    pieces = [
        piece
        for low, high in itertools.pairwise(ends)
        for piece in itertools.pairwise(np.linspace(low, high, 2 + int((high - low) / scale)))
    ]
    low, high = np.array(pieces).T
    largest = ((high - low)[:, None] * (POINTS + 1) / 2 + low[:, None]).ravel()
    widths = ((high - low)[:, None] * WEIGHTS / 2).ravel()

    def log_pdf(x):
        return -np.abs(x) / scale - math.log(2 * scale)

    away = largest[:, None] - others
    log_cdf = np.where(
        away > 0, np.log1p(-np.exp(-np.abs(away) / scale) / 2), away / scale - math.log(2)
    )
    # of one of the others that is the largest: the density of the maximum
    log_max = log_cdf.sum(axis=1) + logsumexp(log_pdf(away) - log_cdf, axis=1)
    log_own = log_pdf(largest[:, None] + above - counts[items]).sum(axis=1)
    return logsumexp(log_max + log_own, b=widths)


DENSITIES = {EMPeel: gumbel_log_density, Laplace: laplace_log_density}
LEAST_SPENT = {EMPeel: 0.97, Laplace: 0.6}  # with half of the noise more than epsilon
CASES = [
    (mechanism, relation, counts, k)
    for mechanism in MECHANISMS_WITH_GAPS
    for relation in NeighborRelation
    for counts, k in (((3, 3, 1), 1), ((4, 3, 3, 0), 2), ((5, 2, 2, 2, 0), 3))
    if relation is not SWAP or len(counts) < 5
]


@pytest.mark.parametrize(("mechanism", "relation", "counts", "k"), CASES)
def test_density_ratios_over_all_neighbors_keep_to_epsilon(mechanism, relation, counts, k):
    """At gaps from none to far beyond the noise, for every order; so little noise is needed."""
    epsilon, density, rng = 1.5, DENSITIES[mechanism], np.random.default_rng(8)
    built, data = mechanism(k, epsilon, relation), ItemCounts(counts)
    gaps = np.concatenate(
        [
            rng.exponential(built.scale, (3, k)),
            np.array([*itertools.product((0.0, 12 * built.scale), repeat=k)]),
        ]
    )
    worst = 0.0
    orders = [*itertools.permutations(range(len(counts)), k)][:: (1, 3, 17)[k - 1]]
    for order in orders:
        here = [density(counts, order, one, built.scale) for one in gaps]
        for neighbor in neighboring_counts(data, relation):
            moved = [density(neighbor.counts, order, one, built.scale) for one in gaps]
            worst = max(worst, np.abs(np.subtract(here, moved)).max())
    assert LEAST_SPENT[mechanism] * epsilon < worst <= epsilon + 1e-9


@pytest.mark.parametrize(("mechanism", "k"), [(EMPeel, 1), (EMPeel, 2), (Laplace, 1)])
def test_the_densities_integrate_to_the_probabilities(mechanism, k):
    counts = (4, 3, 1, 0)
    built = mechanism(k, 2.0)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    reached = 40 * built.scale  # of gaps; squared, so that most nodes are near 0
    values = reached * ((nodes + 1) / 2) ** 2
    steps = weights * reached * (nodes + 1) / 2
    for order in ((0, 1), (2, 0), (3, 2)):
        total = 0.0
        for at in itertools.product(range(40), repeat=k):
            log_p = DENSITIES[mechanism](counts, order[:k], values[[*at]], built.scale)
            total += math.exp(log_p) * steps[[*at]].prod()
        exact = math.exp(built.log_pmf(ItemCounts(counts), [order[:k]])[0])
        assert total == pytest.approx(exact, rel=5e-4)


def by_definition(built, counts, n, rng):
    """Draw noise on every count; return the items in order with the gaps behind them."""
    draw = {EMPeel: rng.gumbel, Laplace: rng.laplace}[type(built)]
    noisy = counts + draw(scale=built.scale, size=(n, len(counts)))
    order = np.argsort(-noisy, axis=1)
    ordered = np.take_along_axis(noisy, order, axis=1)
    gaps = (
        ordered[:, : built.k] - np.column_stack([ordered, np.full(n, np.nan)])[:, 1:][:, : built.k]
    )
    return order[:, : built.k], gaps


@pytest.mark.parametrize("mechanism", MECHANISMS_WITH_GAPS)
def test_gaps_are_those_of_the_noise_behind_the_same_draw(mechanism):
    data = ItemCounts([9, 7, 7, 7, 2, 0, 7, 1])
    for k in (1, 4, 8):
        built = mechanism(k, 1.0)
        for seed in range(30):
            output, gaps, noise = (
                ask(np.random.default_rng(seed))
                for ask in (
                    lambda rng, one=built: one.sample(data, 1, rng)[0],
                    lambda rng, one=built: one.gaps_behind(data, rng),
                    lambda rng, one=built: one.noise_behind(data, range(8), rng).on_items[0],
                )
            )
            noisy = data.counts + noise
            order = np.argsort(-noisy)
            assert order[:k].tolist() == output.tolist()
            behind = np.append(noisy[order], np.nan)
            assert gaps == pytest.approx(behind[:k] - behind[1 : k + 1], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("mechanism", MECHANISMS_WITH_GAPS)
def test_the_margin_is_met_with_the_probability_that_is_stated(mechanism):
    """Of noise on d counts, of which k + 1 are held from below, as the intervals ask for."""
    for d, k, confidence in ((5, 2, 0.9), (60, 3, 0.5), (4, 4, 0.95)):
        built, rng, n = mechanism(k, 1.0), np.random.default_rng(1), 40_000
        margin = built.gap_margin(d, confidence)
        draw = {EMPeel: rng.gumbel, Laplace: rng.laplace}[mechanism]
        noise = draw(scale=built.scale, size=(n, d))
        highest, lowest = noise.max(axis=1), noise[:, : k + 1].min(axis=1)
        ends = np.quantile(highest, np.linspace(0.5, 0.999, 60))
        best = max(((highest <= u) & (lowest >= u - margin)).mean() for u in ends)
        assert best == pytest.approx(confidence, abs=0.02)


@pytest.mark.parametrize("mechanism", MECHANISMS_WITH_GAPS)
@pytest.mark.parametrize("counts", [(5,) * 12, (40, 30, 9, 9, 9, 9, 8, 8, 8, 0, 0, 0)])
def test_all_intervals_hold_together_as_often_as_they_say(mechanism, counts):
    """Gaps, what is not released, and least counts, where ties make noise choose the items."""
    counts, k, n, confidence = np.array(counts), 4, 4_000, 0.8
    built = mechanism(k, 1.0)
    order, gaps = by_definition(built, counts, n, np.random.default_rng(2))
    margin = built.gap_margin(counts.size, confidence)
    mine = counts[order]
    true = mine[:, :-1] - mine[:, 1:]
    held = (np.abs(gaps[:, :-1] - true) <= margin).all(axis=1)
    rest = np.array([np.delete(counts, row).max() for row in order])
    held &= rest <= mine[:, -1] - gaps[:, -1] + margin
    least = np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1] - margin
    held &= (mine >= least).all(axis=1)
    assert held.mean() > confidence - 5 * math.sqrt(confidence * (1 - confidence) / n)
    assert held.mean() < 1  # of so many runs some are outside


def test_a_gap_before_very_many_tied_items_has_its_law():
    """Of one item ahead of 10^9: all others together are one Gumbel variable."""
    data, built, n = SortedCounts([46, 3], [1, 10**9]), EMPeel(1, 0.5), 800
    gaps = np.array([built.gaps_behind(data, np.random.default_rng(run))[0] for run in range(n)])
    came = [built.sample(data, 1, np.random.default_rng(run))[0, 0] for run in range(n)]
    first, tied = 46 * built.rate, 3 * built.rate
    others = np.where(
        np.array(came) == 0,
        math.log(1e9) + tied - first,
        np.logaddexp(first, math.log(1e9) + tied) - tied,
    )
    assert 50 < np.count_nonzero(came) < n - 50
    cdf = (1 + np.exp(others)) / (1 + np.exp(others + gaps * built.rate))  # of a logistic law
    cells = np.histogram(cdf, 8, (0, 1))[0]
    assert cells.sum() == n
    assert chi2.sf(((cells - n / 8) ** 2 / (n / 8)).sum(), 7) > 1e-6


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda it: it.gap_margin(2), ValueError, r"d must be at least 3, got 2"),
        (lambda it: it.gap_margin(9, 1.0), ValueError, "confidence must be"),
        (lambda it: it.gap_margin(9, 0), ValueError, "confidence must be above 0"),
        (lambda it: it.gaps_behind(ItemCounts([1, 2]), None), ValueError, "k must be in"),
        (lambda it: it.gaps_behind(ItemCounts([1, 2, 3]), 3), TypeError, "rng must be"),
    ],
)
def test_bad_arguments_are_named(ask, error, words):
    with pytest.raises(error, match=words):
        ask(Laplace(3, 1.0))
