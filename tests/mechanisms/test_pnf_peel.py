"""PNF-Peel: by hand and as a product of rounds, each integrated exactly."""

import math

import numpy as np
import pytest

from dptopk import ItemCounts, NeighborRelation, PNFPeel, SortedCounts

ADD_REMOVE, SWAP = NeighborRelation


def test_golden_value_of_the_paper():
    """Gillenwater et al. 2022, Appendix D.3."""
    log_p = PNFPeel(2, 1.0).log_pmf(ItemCounts([10, 5, 1, 1]), [[0, 1]])
    assert math.exp(log_p[0]) == pytest.approx(0.8259209502, abs=1e-9)


@pytest.mark.parametrize(("neighbors", "rate"), [(ADD_REMOVE, 0.35), (SWAP, 0.175)])
def test_both_of_two_items_by_hand(neighbors, rate):
    """The first round is a coin of q / 2; the last item follows by itself."""
    ours = np.exp(PNFPeel(2, 0.7, neighbors).log_pmf(ItemCounts([3, 8]), [[0, 1], [1, 0]]))
    q = math.exp(-5 * rate)
    np.testing.assert_allclose(ours, [q / 2, 1 - q / 2], rtol=1e-12)


def test_three_items_by_hand():
    """First round with odds 1, a, b: P = (1 - (a + b) / 2 + a b / 3), and so on."""
    a, b = math.exp(-2 * 0.5), math.exp(-3 * 0.5)  # epsilon / k = 0.5, counts 4, 2, 1
    ours = np.exp(PNFPeel(2, 1.0).log_pmf(ItemCounts([4, 2, 1]), [[0, 1], [2, 0]]))
    top_first = 1 - (a + b) / 2 + a * b / 3
    last_first = b * (1 - (1 + a) / 2 + a / 3)
    expected = [top_first * (1 - b / a / 2), last_first * (1 - a / 2)]
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_a_single_item_is_certain(neighbors, rng):
    mechanism = PNFPeel(1, 0.3, neighbors)
    counts = ItemCounts([5])
    assert mechanism.log_pmf(counts, [[0]])[0] == pytest.approx(0, abs=1e-12)
    assert mechanism.sample(counts, 4, rng).tolist() == [[0]] * 4


@pytest.mark.parametrize("value", [0, 7, 2**53])
def test_all_ties_are_uniform(value, every_sequence):
    ours = PNFPeel(3, 1.0).log_pmf(ItemCounts([value] * 5), every_sequence(5, 3))
    np.testing.assert_allclose(ours, -math.log(60), atol=1e-12)


def test_sixty_ties():
    """Where the alternating series of the literature is off by hundreds."""
    log_p = PNFPeel(2, 1.0).log_pmf(ItemCounts([9] * 60), [[3, 59]])
    assert log_p[0] == pytest.approx(-math.log(60 * 59), abs=1e-12)


def test_repeated_items_are_impossible():
    log_p = PNFPeel(2, 1.0).log_pmf(ItemCounts([3, 1, 1]), [[0, 0], [0, 1]])
    assert np.isneginf(log_p[0])
    assert np.isfinite(log_p[1])


VECTORS = [
    [3, 3],
    [0, 9, 0],
    [10, 5, 1, 1],
    [2, 7, 0, 7, 3],
    [1, 1000, 2, 0, 30, 2],
    [2**53, 5, 2**53 - 1, 0],
    [3, 6, 1, 5, 2, 4],
]
CASES = [(counts, k) for counts in VECTORS for k in range(1, len(counts) + 1)]


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [1e-15, 0.01, 1.0, 30.0, 1e5])
@pytest.mark.parametrize(("counts", "k"), CASES)
def test_pmf_of_every_sequence(
    counts, k, epsilon, neighbors, every_sequence, slow_permute_and_flip
):
    rate = epsilon / (k if neighbors is ADD_REMOVE else 2 * k)
    rounds = {}  # remaining items -> log probability of each

    def log_round(left):
        if left not in rounds:
            best = max(counts[i] for i in left)
            exact = slow_permute_and_flip([rate * (counts[i] - best) for i in left])
            rounds[left] = dict(zip(left, exact, strict=True))
        return rounds[left]

    def log_pmf(sequence):
        left, total = tuple(range(len(counts))), 0.0
        for item in sequence:
            total += log_round(left)[item]
            left = tuple(i for i in left if i != item)
        return total

    every = every_sequence(len(counts), k)
    expected = [log_pmf(sequence) for sequence in every.tolist()]
    ours = PNFPeel(k, epsilon, neighbors).log_pmf(ItemCounts(counts), every)
    np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-10)


def test_many_levels_against_a_plain_product(rng):
    """d = 300, one sequence after another: rounds by 200-node quadrature over all items."""
    counts = rng.permutation(np.floor(400 / np.arange(1, 301) ** 0.6)).astype(np.int64)
    sequences = np.array([rng.permutation(300)[:4] for _ in range(20)])
    sequences[0] = np.argsort(-counts)[:4]
    nodes, weights = np.polynomial.legendre.leggauss(160)  # exact: 300 factors need 151
    t, weights = (nodes + 1) / 2, weights / weights.sum()
    expected = []
    for sequence in sequences.tolist():
        left, total = np.ones(300, dtype=bool), 0.0
        for item in sequence:
            q = np.where(left, np.exp(-0.3 / 4 * (counts[left].max() - counts)), 0.0)
            others = q.copy()
            others[item] = 0.0
            product = np.prod(1 - t[:, None] * others, axis=1)
            total += math.log(q[item] * (weights @ product))
            left[item] = False
        expected.append(total)
    ours = PNFPeel(4, 0.3).log_pmf(ItemCounts(counts), sequences)
    np.testing.assert_allclose(ours, expected, rtol=1e-10)


@pytest.mark.parametrize(("neighbors", "rate"), [(ADD_REMOVE, 0.25), (SWAP, 0.125)])
def test_rate(neighbors, rate):
    assert PNFPeel(4, 1.0, neighbors).rate == rate


def test_a_thousand_million_items():
    """1e9 - 10 items at 3 against 3 at 900: by hand, everything but the top is hopeless."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    log_p = PNFPeel(5, 5.0).log_pmf(counts, [[2, 0, 1, 9, 3]])
    assert log_p[0] == pytest.approx(-math.log(3 * 2 * 1 * 7 * 6), abs=1e-10)
    # all odds near 1: every item of a round is as likely as any other
    log_p = PNFPeel(5, 1e-12).log_pmf(counts, [[2, 0, 1, 9, 3], [10**9 - 1, 0, 5, 77, 12]])
    np.testing.assert_allclose(log_p, -5 * math.log(1e9), atol=1e-7)
