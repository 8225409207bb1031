"""Test draws of every mechanism against its exact law: χ², fixed seed, alpha 1e-6.

The last tests prove that the judge rejects what is wrong.
"""

import dataclasses
import math

import numpy as np
import pytest
from ladder import (
    LIMIT,
    VARIANTS,
    both_relations,
    distance,
    every_class,
    every_variant,
    one_variant_a_class,
    relabelled,
    telling_counts,
)

from dptopk import (
    NOTHING,
    ItemCounts,
    NeighborRelation,
    SortedCounts,
    goodness_of_fit,
    merged_output_distribution,
    release,
    run_trials,
)
from dptopk.core.errors import all_errors
from dptopk.core.outputs import SEQUENCE
from dptopk.laws.distribution import merged_outputs
from dptopk.simulation.trials import generator_for, release_with_counts

ADD_REMOVE, SWAP = NeighborRelation
N = 50_000
COUNTED = dataclasses.replace(SEQUENCE, counted=True)

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
    ([10**9, 0, 10**9 - 3, 5], 2, 1e-9),
    ([3, 8, 6, 0, 6, 8, 3], 4, 1.5),  # ties on both sides of the k-th place
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [  # one of each relation in every run
        pytest.param(n, id=f"k{case[1]}-case{n}", marks=[pytest.mark.grid] * (n not in (3, 6)))
        for n, case in enumerate(CASES)
    ],
)
@every_variant
def test_few_items(variant, number, rng, fits):
    """Each mechanism at each case, under one relation here and the other there."""
    counts, k, epsilon = CASES[number]
    mechanism = variant(k, epsilon, (ADD_REMOVE, SWAP)[number % 2])
    data = ItemCounts(counts)
    assert fits(mechanism, data, mechanism.sample(data, N, rng))


@pytest.mark.slow
@both_relations
@every_variant
def test_counts_a_few_scales_apart(variant, neighbors, rng, fits):
    mechanism = variant(2, 0.5, neighbors)
    data = ItemCounts(telling_counts(mechanism))
    samples = mechanism.sample(data, N, rng)
    assert fits(mechanism, data, samples)
    assert len(np.unique(samples, axis=0)) >= variant.reference.n_told


@pytest.mark.slow
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.cls.exchangeable_ties], ids=str)
@pytest.mark.parametrize(
    ("d", "top", "epsilon", "neighbors"),
    [
        pytest.param(3000, 64, 1.0, ADD_REMOVE, marks=pytest.mark.grid),
        (300, 60, 0.3, SWAP),
        pytest.param(300, 30, 3.0, ADD_REMOVE, marks=pytest.mark.grid),
    ],
)
def test_many_tied_items_fit_the_merged_law(variant, d, top, epsilon, neighbors, rng):
    """Heavy-tailed counts: more outputs than can be listed, few enough with ties merged."""
    data = ItemCounts(rng.permutation(np.floor(top / np.arange(1, d + 1) ** 0.7)))
    mechanism = variant(2, epsilon, neighbors)
    merged = merged_output_distribution(data, mechanism)
    assert merged.probabilities.sum() == pytest.approx(1, abs=1e-9)
    levels = merged_outputs(data, mechanism.sample(data, N, rng))
    assert goodness_of_fit(merged, levels).p_value > 1e-6


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.cls.exchangeable_ties], ids=str)
def test_ties_come_out_equally_often(variant, rng, fits_law):
    """300 equal items: each is as often among the first, second and third, and none twice."""
    mechanism = variant(3, 1.0)
    samples = mechanism.sample(ItemCounts([7] * 300), 30_000, rng)
    uniform = np.full(300, -math.log(300))
    if mechanism.outputs.ordered:
        assert all(fits_law(np.arange(300), uniform, samples[:, place]) for place in range(3))
    else:  # places of a set follow from its items: one of them at random
        assert fits_law(np.arange(300), uniform, rng.permuted(samples, axis=1)[:, 0])
    assert np.all(np.diff(np.sort(samples, axis=1), axis=1) > 0)


@every_variant
def test_a_thousand_million_items(variant, rng):
    """The top alone at a large epsilon; at a small one ranks are spread out evenly."""
    counts = SortedCounts([10**6, 10**5, 3], [3, 7, 10**9 - 10])
    large = 5.0 * counts.d if variant.reference.grows else 5.0
    samples = variant(3, large).sample(counts, 300, rng)
    assert samples.dtype == np.int64
    assert np.all(np.sort(samples, axis=1) == [0, 1, 2])
    if variant.blind:
        spread = variant(5, 1e-9).sample(counts, 500, rng)
        assert np.all(np.diff(np.sort(spread, axis=1), axis=1) > 0)
        # uniform among a thousand million: their mean is half of it, within 5 sigma
        sigma = 1e9 / math.sqrt(12 * spread.size)
        assert spread.mean() == pytest.approx(0.5e9, abs=5 * sigma)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.reference.fills], ids=str)
def test_everything_comes_out_when_k_is_d(variant, rng):
    counts = ItemCounts(10_000 * rng.integers(1, 50, 60))
    samples = variant(60, 10.0).sample(counts, 50, rng)
    assert np.all(np.sort(samples, axis=1) == np.arange(60))


@every_class
def test_no_item_comes_twice_and_what_is_empty_comes_last(cls, rng):
    variant = next(v for v in VARIANTS if v.cls is cls)
    mechanism = variant(4, 1.0)
    counts = ItemCounts(np.tile(telling_counts(mechanism), 3))
    samples = mechanism.sample(counts, 2000, rng)
    kind = mechanism.outputs
    np.testing.assert_array_equal(kind.check("samples", samples, counts.d, 4), samples)
    assert kind.possible(samples).all()
    np.testing.assert_array_equal(kind.canonical(samples), samples)
    assert kind.short == (samples == NOTHING).any()


@one_variant_a_class
def test_a_seed_gives_the_same_draws_in_either_view_of_the_data(variant):
    mechanism = variant(3, 0.5)
    data = ItemCounts(telling_counts(mechanism))
    first, again, ranks, other = (
        mechanism.sample(view, 200, np.random.default_rng(seed))
        for view, seed in ((data, 5), (data, 5), (data.sorted, 5), (data, 6))
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, mechanism.outputs.canonical(relabelled(data.order, ranks)))
    assert not np.array_equal(first, other)


# --- noisy counts ------------------------------------------------------------------------


@every_variant
def test_counts_change_no_positions(variant):
    mechanism = variant(2, 0.5)
    data = ItemCounts(telling_counts(mechanism))
    seeded = np.random.default_rng
    released = mechanism.released(data, 300, seeded(5))
    np.testing.assert_array_equal(released.positions, mechanism.sample(data, 300, seeded(5)))
    assert mechanism.outputs.counted or variant.reference.noise_cdf is None
    if not mechanism.outputs.counted:
        assert released.counts is None
        assert mechanism.released(data, 0, seeded(5)).counts is None
        return
    assert (released.counts.shape, released.counts.dtype) == ((300, 2), np.float64)
    np.testing.assert_array_equal(np.isnan(released.counts), released.positions == NOTHING)
    assert mechanism.released(data, 0, seeded(5)).counts.shape == (0, 2)


@both_relations
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.reference.noise_cdf], ids=str)
def test_noise_of_released_counts_has_its_law(variant, neighbors, rng):
    """Largest distance of distribution functions (Dvoretzky, Kiefer, Wolfowitz) at 1e-6.

    Orders vary here, so that a count that goes to another item is noticed.
    """
    mechanism = variant(3, 1.0, neighbors)
    data = ItemCounts(telling_counts(mechanism))
    released = mechanism.released(data, N, rng)
    assert len(np.unique(released.positions, axis=0)) > 6
    noise = released.counts - data.counts[released.positions]  # not a number where nothing is

    def law(judge):
        return lambda values: variant.reference.noise_cdf(judge, values)

    for place in range(3):
        values = noise[:, place][~np.isnan(noise[:, place])]
        assert distance(values, law(mechanism)) < LIMIT
        for factor in (0.8, 1.25):
            assert distance(values, law(dataclasses.replace(mechanism, epsilon=factor))) > LIMIT
    whole = noise[~np.isnan(noise).any(axis=1)]
    between = np.corrcoef(whole.T)[np.triu_indices(3, 1)]
    assert np.all(np.abs(between) * math.sqrt(len(whole)) < 4.9)  # independent of each other


@one_variant_a_class
def test_trials_and_releases_take_any_output(variant):
    mechanism = variant(3, 1.0)
    data = ItemCounts(telling_counts(mechanism))
    table = run_trials(data, [mechanism], 300, seed=3)
    first = mechanism.sample(data, 250, generator_for(mechanism, 3))  # the first batch
    for key, values in all_errors(data, first, mechanism.outputs).items():
        np.testing.assert_array_equal(table[key][:250], values)
    assert table["l1"].nunique() > 1
    assert table["exact_sequence"].any() == mechanism.outputs.ordered
    positions, noisy = release_with_counts(data, mechanism, seed=3)
    np.testing.assert_array_equal(positions, release(data, mechanism, seed=3))
    assert (noisy is not None) == mechanism.outputs.counted


# --- power -------------------------------------------------------------------------------


OFF_BY_A_FIFTH = [pytest.param({"epsilon": e}, marks=pytest.mark.slow) for e in (0.4, 0.6)]


@pytest.mark.parametrize("other", [{"neighbors": SWAP}, *OFF_BY_A_FIFTH])
@every_variant
def test_another_relation_or_epsilon_is_noticed(variant, other, rng, fits):
    mechanism = variant(2, 0.5)
    counts = ItemCounts(telling_counts(mechanism))
    samples = mechanism.sample(counts, N, rng)
    assert not fits(dataclasses.replace(mechanism, **other), counts, samples)


def test_mechanisms_of_different_laws_are_told_apart(rng, fits):
    """All that release k items in order; some calibrations come to the same law here."""
    counts = ItemCounts([10, 5, 1, 1])
    sequences = [v(2, 1.0) for v in VARIANTS if v.cls.outputs in (SEQUENCE, COUNTED)]
    every = SEQUENCE.every(4, 2)
    laws = [np.exp(mechanism.log_pmf(counts, every)) for mechanism in sequences]
    told_apart = 0
    for drawn_from, law in zip(sequences, laws, strict=True):
        samples = drawn_from.sample(counts, 2 * N, rng)
        for judge, other in zip(sequences, laws, strict=True):
            same = np.allclose(law, other, rtol=1e-9)
            assert fits(judge, counts, samples) == same
            told_apart += not same
    assert told_apart >= len(sequences) * (len(sequences) - 2)
