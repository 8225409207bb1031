"""Counting sequences by loss: against enumeration, plain dense sums, and big integers."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import gammaln, logsumexp

from dptopk import ItemCounts, SortedCounts
from dptopk.core.outputs import SEQUENCE
from dptopk.mechanisms.kernels.sequences import _ONE_BY_ONE, SequencesByLoss, draw_distinct

VECTORS = [
    *([4], [3, 3], [0, 0, 0], [10, 5, 1, 1], [7, 7, 3, 2, 0], [1000, 30, 2, 1, 1, 0]),
    *([2**53, 2**53 - 1, 5, 0], [2**53 - 1, 2**52, 2**52, 0], [6, 5, 4, 3, 2, 1]),
]
CASES = [(counts, k) for counts in VECTORS for k in range(1, len(counts) + 1)]


class InBlocks(SequencesByLoss):
    """As where there are too many jumps to go through all of them."""

    few_jumps = 0


BOTH_WAYS = pytest.mark.parametrize("kind", [SequencesByLoss, InBlocks])


def brute_losses(counts, k):
    """How many sequences have each loss, by listing them (counts descending)."""
    return Counter(
        max(c - x for c, x in zip(counts, chosen, strict=False))
        for chosen in itertools.permutations(counts, k)
    )


def sequences_of(counts, k) -> SequencesByLoss:
    return SequencesByLoss(ItemCounts(counts).sorted, k)


@pytest.mark.parametrize(("counts", "k"), CASES)
def test_sequences_of_few_items_against_enumeration(counts, k):
    """How many lie within a loss, the losses of given ones, and every loss that matters."""
    brute, sequences = brute_losses(counts, k), sequences_of(counts, k)
    thresholds = sorted({t for loss in brute for t in (loss, loss + 1, max(loss - 1, 0))})
    expected = [sum(n for loss, n in brute.items() if loss <= t) for t in thresholds]
    ours = sequences.log_n_at_most(np.array(thresholds))
    np.testing.assert_allclose(np.exp(ours), expected, rtol=1e-12)
    chosen = np.array(list(itertools.permutations(counts, k)))
    assert Counter(sequences.losses_of(chosen).tolist()) == brute
    for rate in (1e-17, 1e-9, 0.01, 0.5, 3.0, 50.0, 1e6):
        for kind in (SequencesByLoss, InBlocks):
            check_levels(kind(ItemCounts(counts).sorted, k).loss_levels(rate), rate, brute)


def check_levels(levels, rate, brute):
    found = dict(zip(levels.losses.tolist(), np.exp(levels.log_n), strict=True))
    assert len(found) == len(levels.losses)
    assert np.all(np.diff(levels.losses) > 0)
    for loss, n in found.items():
        assert n == pytest.approx(brute[loss], rel=1e-10), loss
    left_out = sum(n * math.exp(-rate * loss) for loss, n in brute.items() if loss not in found)
    assert left_out < 1e-18 * sum(n * math.exp(-rate * loss) for loss, n in brute.items())


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=7).map(lambda x: sorted(x, reverse=True)),
    st.data(),
)
def test_levels_of_any_small_counts(counts, data):
    k = data.draw(st.integers(1, len(counts)))
    rate = data.draw(st.sampled_from([1e-3, 0.1, 0.4]))
    brute = brute_losses(counts, k)
    levels = sequences_of(counts, k).loss_levels(rate)
    assert levels.losses.tolist() == sorted(brute)  # nothing is negligible at these rates
    np.testing.assert_allclose(
        np.exp(levels.log_n), [brute[loss] for loss in sorted(brute)], rtol=1e-9
    )


def dense_log_n(counts, k, thresholds):
    """Log N(T), one position at a time, from the plain ascending counts."""
    ascending = np.sort(counts)
    log_n = np.zeros(thresholds.size)
    for r in range(k):
        within = counts.size - np.searchsorted(ascending, ascending[-1 - r] - thresholds, "left")
        log_n += np.log(within - r)
    return log_n


def many_counts(rng, d=2000):
    """Heavy-tailed counts, every one of the lower ones tied many times."""
    return rng.permutation(np.floor(4000 / np.arange(1, d + 1) ** 0.8).astype(np.int64))


@BOTH_WAYS
@pytest.mark.parametrize("k", [1, 7, 60, 2000])
@pytest.mark.parametrize("rate", [1e-4, 0.02, 0.5, 8.0])
def test_normaliser_against_a_dense_sum(rng, k, rate, kind):
    """Z = (1 - e^-rate) sum over all T of N(T) e^(-rate T), T by T."""
    counts = many_counts(rng)
    sequences = kind(ItemCounts(counts).sorted, k)
    thresholds = np.arange(counts.max() - counts.min() + 1)
    log_n = dense_log_n(counts, k, thresholds)
    log_mass = log_n - rate * thresholds + math.log(-math.expm1(-rate))
    log_mass[-1] = log_n[-1] - rate * thresholds[-1]  # N is constant from here on
    dense = logsumexp(log_mass)
    levels = sequences.loss_levels(rate)
    assert logsumexp(levels.log_n - rate * levels.losses) == pytest.approx(dense, abs=1e-10)
    blocks = sequences.blocks(rate)
    assert blocks.log_lower_total <= dense + 1e-10
    assert logsumexp(blocks.log_upper) >= dense - 1e-10
    np.testing.assert_allclose(sequences.log_n_at_most(thresholds), log_n, rtol=1e-12, atol=1e-12)


@BOTH_WAYS
@pytest.mark.parametrize(("k", "rate"), [(1, 1e-3), (7, 0.005), (60, 0.02), (60, 0.5), (400, 2.0)])
def test_every_level_against_differences_of_the_dense_count(rng, k, rate, kind):
    counts = many_counts(rng)
    thresholds = np.arange(counts.max() - counts.min() + 1)
    log_n = dense_log_n(counts, k, thresholds)
    levels = kind(ItemCounts(counts).sorted, k).loss_levels(rate)
    log_before = np.append(-np.inf, log_n)[levels.losses]
    expected = log_n[levels.losses] + np.log(-np.expm1(log_before - log_n[levels.losses]))
    # the difference of two logarithms near 500 is good to about 1e-13 / (rise of log N)
    assert levels.losses.size > 100
    np.testing.assert_allclose(levels.log_n, expected, atol=1e-8)


@pytest.mark.parametrize("rate", [1e-4, 0.02, 0.5, 8.0])
@pytest.mark.parametrize("k", [1, 7, 60])
def test_blocks_cover_all_thresholds_once_and_bound_them(rng, k, rate):
    counts = many_counts(rng)
    sequences = SequencesByLoss(ItemCounts(counts).sorted, k)
    blocks = sequences.blocks(rate)
    order = np.argsort(blocks.start)
    start, length = blocks.start[order], blocks.length[order]
    assert start[0] == 0
    assert np.isinf(length[-1])
    assert start[-1] == sequences.widest
    np.testing.assert_array_equal(start[:-1] + length[:-1], start[1:])
    at_start = sequences.log_n_at_most(blocks.start)
    np.testing.assert_allclose(blocks.log_n_first, at_start, rtol=1e-15)
    bounded = np.isfinite(blocks.length)
    stop = (blocks.start[bounded] + blocks.length[bounded]).astype(np.int64)
    np.testing.assert_array_equal(blocks.log_n_last[bounded], sequences.log_n_at_most(stop - 1))
    assert np.all(blocks.log_n_first <= blocks.log_n_last)


def test_multiplicities_far_beyond_enumeration():
    """N from the definition in big integers: t_r(T) is a cumulative multiplicity."""
    d, multiplicities = 10**9, [3, 7, 10**9 - 10]
    counts = SortedCounts([900, 400, 0], multiplicities)
    k = 5  # three places at 900, two at 400
    sequences = SequencesByLoss(counts, k)

    def n_within(count, threshold):
        return sum(
            m for v, m in zip((900, 400, 0), multiplicities, strict=True) if v >= count - threshold
        )

    thresholds = [0, 399, 400, 499, 500, 899, 900, 10**6]
    expected = [
        math.log(math.prod(n_within(c, t) - r for r, c in enumerate([900] * 3 + [400] * 2)))
        for t in thresholds
    ]
    np.testing.assert_allclose(sequences.log_n_at_most(np.array(thresholds)), expected, rtol=1e-13)
    assert expected[-1] == pytest.approx(gammaln(d + 1) - gammaln(d - k + 1), rel=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "n_allowed"),
    [
        ([0, 1, 2, 3], [2, 4, 4, 5], 2 * 3 * 2 * 2),  # all prod (t_r - r + 1) sequences
        ([0, 1, 3], [3, 3, 5], 3 * 2 * 2),  # in segments: two of ranks 0, 1, 2, then 3 or 4
    ],
)
def test_fisher_yates_gives_every_sequence_equally_often(low, high, n_allowed, rng, fits_law):
    k, n = len(low), 100_000
    least = np.where(np.diff(low, prepend=-1) > 1, low, 0)
    every = SEQUENCE.every(5, k)
    allowed = [s for s in every if np.all(s < high) and np.all(s >= least)]
    assert len(allowed) == n_allowed
    low, high = (np.broadcast_to(np.array(ends)[:, None], (k, n)) for ends in (low, high))
    code = 5 ** np.arange(k)
    values, drawn = np.array(allowed) @ code, draw_distinct(low, high, rng) @ code
    assert fits_law(values, np.full(len(values), -np.log(len(values))), drawn)


@given(st.integers(1, 24), st.integers(0, 8), st.integers(0, 2**32 - 1))
def test_few_draws_are_those_of_many(k, spare, seed):
    """One by one and all at once: the same random numbers give the same ranks."""
    rng = np.random.default_rng(seed)
    n = _ONE_BY_ONE + 1
    high = np.sort(rng.integers(k, k + spare + 1, (k, n)), axis=0)
    low = np.broadcast_to(np.arange(k)[:, None], high.shape)

    class Given:  # cells are drawn place by place: give one draw the cells of the many
        def integers(self, low, high):
            return cells[:, : high.shape[1]]

    cells = rng.integers(low, high)
    many = draw_distinct(low, high, Given())
    few = draw_distinct(low[:, :-1], high[:, :-1], Given())
    np.testing.assert_array_equal(few, many[:-1])
