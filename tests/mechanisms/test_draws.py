"""Draws of every mechanism against its exact law: χ² at a fixed seed, alpha 1e-6.

On few items every sequence is a cell; on many, the law of one or two places or of an
error is.  The last tests prove that the judge rejects what is wrong.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.special import logsumexp

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    exact_error,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.errors import is_exact_sequence, is_exact_set
from dptopk.mechanisms.kernels import peeling

ADD_REMOVE, SWAP = NeighborRelation
NAMES = ("Joint", "PNFJoint", "PNFPeel", "CDPPeel", "CDPPeel-optimal")
N = 100_000


def make(name, k, epsilon, neighbors=ADD_REMOVE):
    """A mechanism by name; CDP-Peel at delta = 1e-3, where it differs from delta = 0."""
    if name.startswith("CDPPeel"):
        calibration = "optimal" if name.endswith("optimal") else "paper"
        return CDPPeel(k, epsilon, 1e-3, neighbors, calibration)
    return {"Joint": Joint, "PNFJoint": PNFJoint, "PNFPeel": PNFPeel}[name](k, epsilon, neighbors)


CASES = [
    ([5], 1, 1.0),
    ([0, 0, 0, 0], 2, 1.0),
    ([10, 5, 1, 1], 2, 1.0),
    ([2, 7, 0, 7, 3], 3, 0.5),  # unsorted, tied, with a zero
    ([4, 9, 9, 0], 4, 0.3),  # k = d
    ([500, 3, 0, 2, 2], 2, 1.0),  # a gap nobody jumps
    ([100, 99, 100, 90, 97], 3, 0.05),
    (list(range(15, 30)) + list(range(15)), 1, 0.1),  # several counts a block
    (list(range(15, 30)) + list(range(15)), 2, 0.3),
    ([10**15, 0, 10**15 - 3, 5], 2, 1e-15),
]


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("counts", "k", "epsilon"), CASES)
def test_few_items(name, counts, k, epsilon, neighbors, rng, fits):
    mechanism = make(name, k, epsilon, neighbors)
    given = ItemCounts(counts)
    for data in (given, given.sorted):
        assert fits(mechanism, data, mechanism.sample(data, N // 2, rng))


@pytest.mark.parametrize("name", NAMES)
def test_more_draws_of_an_awkward_case(name, rng, fits):
    """Ties on both sides of the k-th place, a zero, and rates that matter everywhere."""
    counts = ItemCounts([3, 8, 6, 0, 6, 8, 3])
    mechanism = make(name, 4, 1.5)
    assert fits(mechanism, counts, mechanism.sample(counts, 400_000, rng))


# --- many items --------------------------------------------------------------------------


@pytest.fixture
def many_counts(rng):
    """Heavy-tailed counts in random order, most of them tied."""

    def build(d: int, top: float) -> ItemCounts:
        return ItemCounts(rng.permutation(np.floor(top / np.arange(1, d + 1) ** 0.7)))

    return build


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize(
    ("d", "k", "epsilon"), [(300, 3, 0.5), (2000, 10, 1.0), (2000, 60, 4.0), (200, 200, 20.0)]
)
@pytest.mark.parametrize("name", ["Joint", "PNFJoint"])
def test_errors_follow_their_exact_law(name, d, k, epsilon, neighbors, many_counts, rng, fits_law):
    counts = many_counts(d, 300)
    mechanism = make(name, k, epsilon, neighbors)
    released = counts.counts[mechanism.sample(counts, 10_000, rng)]
    best = np.sort(counts.counts)[::-1][:k]
    signed = exact_error(mechanism, counts, "signed_max")
    assert fits_law(signed.values, signed.log_probabilities, (best - released).max(axis=1))
    relative = exact_error(mechanism, counts, "k_relative")
    assert fits_law(relative.values, relative.log_probabilities, best[-1] - released.min(axis=1))


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize(("top", "epsilon"), [(60, 0.3), (30, 3.0)])
@pytest.mark.parametrize("name", NAMES)
def test_counts_at_two_places(name, top, epsilon, neighbors, many_counts, rng, fits_law):
    """d = 300, k = 2: the law of each pair of counts, from one sequence of each pair."""
    counts = many_counts(300, top).sorted
    mechanism = make(name, 2, epsilon, neighbors)
    n = counts.multiplicities
    first = counts.ends - n
    pairs = np.array([(a, b) for a in range(n.size) for b in range(n.size) if a != b or n[a] > 1])
    a, b = pairs.T
    sequences = np.column_stack([first[a], first[b] + (a == b)])
    log_p = mechanism.log_pmf(counts, sequences) + np.log(n[a] * (n[b] - (a == b)))
    assert logsumexp(log_p) == pytest.approx(0, abs=1e-10)
    drawn = counts.level_of_rank(mechanism.sample(counts, N, rng))
    code = np.array([n.size, 1])
    assert fits_law(pairs @ code, log_p, drawn @ code)


@pytest.mark.parametrize("d", [300, 2000])
@pytest.mark.parametrize("k", [5, 60])
@pytest.mark.parametrize("name", ["PNFPeel", "CDPPeel"])
def test_first_item_of_many_rounds(name, k, d, many_counts, rng, fits_law):
    """The first of k rounds is the mechanism with one round at the same rate."""
    counts = many_counts(d, 300)
    mechanism = make(name, k, 8.0)
    rate = mechanism.rate if name == "PNFPeel" else mechanism.local_epsilon
    alone = PNFPeel(1, rate) if name == "PNFPeel" else CDPPeel(1, rate, 0.0)
    log_p = alone.log_pmf(counts, np.arange(d)[:, None])
    drawn = mechanism.sample(counts, 10_000, rng)[:, 0]
    assert fits_law(np.arange(d), log_p, drawn)


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("name", NAMES)
def test_share_of_exact_releases(name, neighbors, many_counts, rng, fits_chance):
    """Right in order and right as a set, d = 2000, against the exact probabilities."""
    counts = many_counts(2000, 3000)
    epsilon = (0.03 if name == "CDPPeel-optimal" else 0.05) * (1 if neighbors is ADD_REMOVE else 2)
    mechanism = make(name, 6, epsilon, neighbors)
    samples = mechanism.sample(counts, N // 4, rng)

    in_order = probability_exact_sequence(mechanism, counts)
    assert 0.01 < in_order < 0.99  # else the test could hardly fail
    assert fits_chance(in_order, is_exact_sequence(counts, samples))
    if name == "PNFPeel":  # no closed form
        return
    as_a_set = probability_exact_set(mechanism, counts)
    assert 0.01 < as_a_set < 0.99
    assert fits_chance(as_a_set, is_exact_set(counts, samples))


@pytest.mark.parametrize("name", NAMES)
def test_ties_come_out_equally_often(name, rng, fits_law):
    """300 equal items: the item at every place is uniform, and no item comes twice."""
    samples = make(name, 3, 1.0).sample(ItemCounts([7] * 300), 30_000, rng)
    for place in range(3):
        assert fits_law(np.arange(300), np.full(300, -np.log(300)), samples[:, place])
    assert np.all(np.diff(np.sort(samples, axis=1), axis=1) > 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_thousand_million_items(name, rng):
    """Distinct ranks, the top alone at a large epsilon, spread out at a small one."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    samples = make(name, 5, 5.0).sample(counts, 500, rng)
    assert samples.dtype == np.int64
    assert np.all(np.sort(samples[:, :3], axis=1) == [0, 1, 2])
    assert np.all((samples[:, 3:] >= 3) & (samples[:, 3:] < 10))
    spread = make(name, 5, 1e-6).sample(counts, 500, rng)
    assert np.all(np.diff(np.sort(spread, axis=1), axis=1) > 0)
    assert np.mean(spread >= 10) > 0.99
    # ranks are uniform among a thousand million: their mean is half of it, within 5 sigma
    sigma = 1e9 / math.sqrt(12 * spread.size)
    assert spread.mean() == pytest.approx(0.5e9, abs=5 * sigma)


@pytest.mark.parametrize("name", NAMES)
def test_everything_comes_out_when_k_is_d(name, rng):
    counts = ItemCounts(rng.integers(0, 50, 120))
    samples = make(name, 120, 10.0).sample(counts, 50, rng)
    assert np.all(np.sort(samples, axis=1) == np.arange(120))


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_gives_the_same_draws(name):
    counts = ItemCounts([3, 1, 4, 1, 5, 9, 2, 6])
    mechanism = make(name, 3, 0.5)
    first, again, other = (
        mechanism.sample(counts, 200, np.random.default_rng(seed)) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


# --- power -------------------------------------------------------------------------------


def test_awkward_cases_do_thin_blocks():
    """The cases above put several counts into a block, so draws are thinned."""
    counts = ItemCounts(range(30)).sorted
    for mechanism in (PNFPeel(2, 0.3), CDPPeel(2, 0.3, 1e-3), PNFPeel(1, 0.1)):
        rate = getattr(mechanism, "rate", None) or mechanism.local_epsilon
        blocks = peeling.CountBlocks.cut(counts, mechanism.k, rate)
        assert blocks.size.max() >= 4
        assert blocks.size.size >= 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("factor", [0.8, 1.2, 0.5, 2.0])
def test_a_wrong_epsilon_is_noticed(name, factor, rng, fits):
    """Epsilon off by 20 %, or a factor 2 forgotten."""
    counts = ItemCounts([10, 5, 1, 1])
    mechanism = make(name, 2, 0.5)
    samples = mechanism.sample(counts, N, rng)
    assert fits(mechanism, counts, samples)
    assert not fits(dataclasses.replace(mechanism, epsilon=0.5 * factor), counts, samples)


@pytest.mark.parametrize("name", NAMES)
def test_the_other_relation_is_noticed(name, rng, fits):
    counts = ItemCounts([10, 5, 1, 1])
    samples = make(name, 2, 0.5).sample(counts, N, rng)
    assert not fits(make(name, 2, 0.5, SWAP), counts, samples)


def test_the_mechanisms_are_told_apart(rng, fits):
    counts = ItemCounts([10, 5, 1, 1])
    mechanisms = [make(name, 2, 1.0) for name in NAMES]
    for drawn_from in mechanisms:
        samples = drawn_from.sample(counts, N, rng)
        assert [fits(judge, counts, samples) for judge in mechanisms] == [
            judge is drawn_from for judge in mechanisms
        ]


def test_a_wrong_law_is_noticed_on_many_items(many_counts, rng, fits_law):
    counts = many_counts(2000, 300)
    drawn = exact_error(Joint(10, 1.0), counts, "signed_max")
    values = rng.choice(drawn.values, 10_000, p=drawn.probabilities / drawn.probabilities.sum())
    assert fits_law(drawn.values, drawn.log_probabilities, values)
    for wrong in (Joint(10, 0.8), Joint(10, 1.2), Joint(10, 1.0, SWAP), PNFJoint(10, 1.2)):
        law = exact_error(wrong, counts, "signed_max")
        assert not fits_law(law.values, law.log_probabilities, values)
    impossible = np.append(values[:-1], drawn.values[-1] + 10**6)
    assert not fits_law(drawn.values, drawn.log_probabilities, impossible)
