"""Test Laplace: closed forms by hand, many places, and users with few items."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from dptopk import (
    CDPPeel,
    ItemCounts,
    Laplace,
    NeighborRelation,
    SortedCounts,
    load_dataset,
    neighboring_counts,
    probability_exact_set,
    worst_case_loss,
)
from dptopk.core import papers
from dptopk.laws.exact import QUICK, chance_exact_set
from dptopk.mechanisms import one_shot_laplace_scale
from dptopk.ui.sentences import texts

ADD_REMOVE, SWAP = NeighborRelation


def test_many_places_agree_with_the_two_that_are_certain():
    """Eighteen places, more than are looked at everywhere: far apart but for two ties at the end.

    The others are certain, so that what is left is the law of a small case.
    """
    counts = [*range(10**6, 10**6 - 16 * 10_000, -10_000), 7, 4, 0]
    mechanism, small = Laplace(18, 18 * 0.3), Laplace(2, 2 * 0.3)
    orders = list(itertools.permutations(range(3), 2))
    rows = [[*range(16), *(16 + item for item in order)] for order in orders]
    np.testing.assert_allclose(
        mechanism.log_pmf(ItemCounts(counts), rows),
        small.log_pmf(ItemCounts([7, 4, 0]), orders),
        rtol=1e-9,
    )


def test_unlikely_orders_of_many_places_keep_their_digits():
    """The first two of eighteen exchanged: as unlikely as two items alone, the rest being certain.

    What is certain above and below changes nothing, however rare the order.
    """
    counts = [10**5, 10**5 - 200, *range(8 * 10**4, 8 * 10**4 - 16 * 1_000, -1_000), 0]
    exchanged = [[1, 0, *range(2, 18)]]
    x = 200 * 0.5
    found = Laplace(18, 18 * 0.5).log_pmf(ItemCounts(counts), exchanged)
    assert found[0] == pytest.approx(math.log((2 + x) / 4) - x, rel=1e-9)


def test_a_thousand_tied_items_against_quadrature():
    counts = ItemCounts([6, *[0] * 1000])

    def integrand(y):
        f = math.exp(-abs(y - 6)) / 2
        return f * (math.exp(y) / 2 if y < 0 else 1 - math.exp(-y) / 2) ** 1000

    expected = quad(integrand, 0, 60, points=[6, 7], limit=200, epsabs=0, epsrel=1e-12)[0]
    found = Laplace(1, 1.0).log_pmf(counts, [[0]])[0]
    assert found == pytest.approx(math.log(expected), rel=1e-10)


def test_fewer_items_a_user_less_noise():
    assert [Laplace(5, 0.5, max_items=m).scale for m in (None, 7, 5, 2, 1)] == [10, 10, 10, 4, 2]
    assert Laplace(5, 0.5, SWAP, max_items=2).scale == 8
    assert [Laplace(5, 0.5, max_items=m).guarantee.max_items for m in (5, 4)] == [None, 4]
    assert Laplace(5, 0.5, max_items=1).label == "Laplace (1 item a user)"
    few = texts.kind_of(Laplace(5, 0.5, max_items=1).guarantee)
    assert few == "0.5-differentially private for users of at most 1 item"
    assert Laplace(5, 0.5, max_items=9).label == "Laplace"


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_the_promise_is_for_users_of_few_items_only(neighbors):
    """Kept for them, and broken by one who holds more."""
    mechanism, counts = Laplace(3, 1.0, neighbors, max_items=1), ItemCounts([9, 9, 9, 8])
    assert 0.5 < worst_case_loss(counts, mechanism).value <= 1 + 1e-9
    every = mechanism.outputs.every(4, 3)
    here = mechanism.log_pmf(counts, every)
    others = neighboring_counts(counts, neighbors)
    assert max(np.abs(here - mechanism.log_pmf(x, every)).max() for x in others) > 1.2


@pytest.mark.parametrize("top", [2**30, 2**40, 2**53])
@pytest.mark.parametrize("epsilon", [0.2, 1.4, 60.0])
def test_the_right_set_behind_an_enormous_gap(top, epsilon):
    """The first place is certain, so the set is right if 5 comes before 4."""
    found = chance_exact_set(ItemCounts([top, 5, 4]), Laplace(2, epsilon))
    x = epsilon / 2
    wrong = math.log((2 + x) / 4) - x
    assert found.log == pytest.approx(math.log1p(-math.exp(wrong)), rel=1e-11)
    assert found.log_complement == pytest.approx(wrong, rel=1e-11)


@pytest.mark.parametrize("gap", [0, 30, 3000])
def test_the_right_set_of_many_tied_items(gap):
    """A million items behind ten: against one integral over the smallest of the ten."""
    n, k = 10**6, 10
    counts = SortedCounts([gap, 0], [k, n]) if gap else SortedCounts([0], [k + n])
    found = Laplace(k, float(k)).log_probability_exact_set(counts)
    if gap == 0:
        assert found == pytest.approx(0.0, abs=1e-9)
        return

    def integrand(y):
        behind = math.exp(n * math.log1p(-math.exp(-y) / 2)) if y > 0 else 0.0
        x = y - gap
        above = math.exp(-x) / 2 if x > 0 else 1 - math.exp(x) / 2
        return k * math.exp(-abs(x)) / 2 * above ** (k - 1) * behind

    inside = [x for x in (13.5, 20, gap - 40, gap - 10, gap, gap + 10) if 0 < x < gap + 60]
    ends = sorted({0.0, *inside, gap + 60.0})
    expected = math.fsum(
        quad(integrand, a, b, epsabs=0, epsrel=1e-12, limit=200)[0]
        for a, b in itertools.pairwise(ends)
    )
    assert math.exp(found) == pytest.approx(expected, rel=1e-9)


def test_the_set_and_its_complement_on_real_data(rng):
    """Two integrals of their own add up to 1, and runs agree."""
    books = load_dataset("books")
    mechanism = Laplace(100, 0.01)
    chance = chance_exact_set(books, mechanism)
    wrong = mechanism.log_probability_not_exact_set(books.sorted)
    assert chance.probability + math.exp(wrong) == pytest.approx(1, abs=1e-12)
    samples = np.sort(mechanism.sample(books.sorted, 5_000, rng), axis=1)
    right = int((samples == np.arange(100)).all(axis=1).sum())
    sigma = math.sqrt(5_000 * chance.probability)
    assert right == pytest.approx(5_000 * chance.probability, abs=5 * sigma)
    assert probability_exact_set(books, Laplace(10, 1.0)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("d", [100, 5_000, 166_000])
@pytest.mark.parametrize("delta", [1e-6, 0.05])
def test_one_shot_with_a_delta_is_worth_what_the_card_says(d, delta):
    """Less noise than k / epsilon above 64 ln(d / delta) items only, and more than CDP-Peel's."""
    told = Laplace.card.explanation
    assert "k is above 64 ln(d/δ)" in told.not_for
    assert papers.QIAO_2021 in [source.paper for source in told.sources]
    for k in (1, 10, 100, 1_000, 10_000):
        scale = one_shot_laplace_scale(k, 0.2, delta, d)
        assert (scale < Laplace(k, 0.2).scale) == (k > 64 * math.log(d / delta))
        for neighbors in (ADD_REMOVE, SWAP):
            assert CDPPeel(k, 0.2, delta, neighbors).scale < scale


def test_places_are_work_and_counts_are_not():
    """However far noise reaches, at k = 100 one probability takes no noticeable time."""
    counts = load_dataset("books").sorted
    for epsilon in (1e-5, 1e-2, 10.0):
        assert Laplace(100, epsilon).pmf_work(counts) < QUICK
        assert Laplace(1000, epsilon).pmf_work(counts) > 10 * QUICK


@pytest.mark.parametrize(("rate", "second"), [(1e-5, 2), (1e-5, 100), (1e-3, 30), (0.02, 9)])
def test_hundreds_of_counts_within_reach_against_all_their_factors(rate, second):
    """Two places, by Gauss-Legendre between all counts: a factor for every item at every node."""
    rng = np.random.default_rng(5)
    values, n = np.unique(np.floor(rng.pareto(0.5, 700)).clip(max=10**4), return_counts=True)
    counts = SortedCounts(values[::-1].astype(int), n[::-1])
    values, n = counts.values, counts.multiplicities
    beyond = values[0] + np.arange(1, 80) / rate
    edges = np.concatenate([[values[-1] - 80 / rate], values[::-1], beyond])
    nodes, weights = np.polynomial.legendre.leggauss(24)
    pieces = [np.linspace(a, b, 2 + int((b - a) * rate * 4)) for a, b in itertools.pairwise(edges)]
    left, right = np.concatenate([np.array([p[:-1], p[1:]]) for p in pieces], axis=1)
    y = ((left + right)[:, None] / 2 + (right - left)[:, None] / 2 * nodes).ravel()
    weight = ((right - left)[:, None] / 2 * weights).ravel()

    def below(x):
        return np.where(x > 0, -np.expm1(-np.abs(x)) / 2 + 0.5, np.exp(-np.abs(x)) / 2)

    first, last = values[0], values[second]
    others = n.astype(float)
    others[[0, second]] -= 1
    log_rest = sum(m * np.log(below(rate * (y - c))) for c, m in zip(values, others, strict=True))
    f = rate / 2 * np.exp(-rate * np.abs(y - last))
    expected = np.log(weight @ (f * below(rate * (first - y)) * np.exp(log_rest)))
    ranks = [[0, counts.ends[second] - 1]]
    found = Laplace(2, 2 * rate).log_pmf(counts, ranks)[0]
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("rate", [0.03, 3.0])
def test_all_orders_of_two_add_up_to_one(rate):
    """Among forty counts, near and far."""
    rng = np.random.default_rng(6)
    values = np.unique(np.floor(rng.pareto(0.4, 40)).clip(max=10**5))[::-1].astype(int)
    counts = SortedCounts(values, rng.integers(1, 2000, values.size))
    firsts = counts.ends - counts.multiplicities
    pairs = [(a, b) for a in firsts for b in firsts]
    rows = [(a, b + (a == b)) for a, b in pairs if a != b or a + 1 in range(counts.d)]
    level = counts.level_of_rank(np.array(rows))
    n = counts.multiplicities[level]
    n[:, 1] -= level[:, 0] == level[:, 1]
    there = (n > 0).all(axis=1)
    rows = np.array(rows)[there]
    log_p = Laplace(2, 2 * rate).log_pmf(counts, rows)
    assert n[there].prod(axis=1) @ np.exp(log_p) == pytest.approx(1, abs=1e-11)
