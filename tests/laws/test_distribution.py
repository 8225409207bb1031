"""Test enumerated distributions, neighbors, and Pearson's χ² test itself."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from dptopk import (
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    LimitedDomain,
    NeighborRelation,
    OutputDistribution,
    StableSet,
    goodness_of_fit,
    merged_output_distribution,
    neighboring_counts,
    output_distribution,
)
from dptopk.laws.distribution import n_outputs
from dptopk.questions.exact import enumerate_outputs

ADD_REMOVE, SWAP = NeighborRelation
SET, SHORT = InverseSensitivitySet(2, 1.0), LimitedDomain(2, 2.0, 0.1)
EVERY = [Joint(2, 1.0), CDPPeel(2, 1.0, 1e-6), SET, SHORT]


# --- outputs -----------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_every_output_once_likeliest_first(mechanism):
    counts = ItemCounts([40, 100, 40, 10], ["a", "b", "c", "d"])
    outputs = output_distribution(counts, mechanism)
    listed = sorted(map(tuple, outputs.sequences.tolist()))
    assert listed == sorted(map(tuple, mechanism.outputs.every(4, 2).tolist()))
    assert len(outputs) == len(listed) == n_outputs(4, 2, mechanism.outputs)
    assert np.all(np.diff(outputs.probabilities) <= 0)
    assert outputs.probabilities.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_array_equal(
        outputs.log_probabilities, mechanism.log_pmf(counts, outputs.sequences)
    )
    assert outputs.labels()[0] in ("b, a", "b, c", "{a, b}", "{b, c}")


def test_iterates_as_pairs_and_tabulates():
    outputs = output_distribution(ItemCounts([1, 0], ["x", "y"]), Joint(1, 2.0))
    p = 1 / (1 + math.exp(-1))
    assert dict(outputs) == pytest.approx({(0,): p, (1,): 1 - p}, abs=1e-12)
    frame = outputs.to_frame()
    assert frame["output"].tolist() == ["x", "y"]
    assert frame["probability"].tolist() == pytest.approx([p, 1 - p])
    assert frame["log_probability"].tolist() == pytest.approx([math.log(p), math.log(1 - p)])
    assert frame["log_complement"].tolist() == pytest.approx([math.log(1 - p), math.log(p)])


def test_no_table_calls_an_output_certain_that_is_not():
    """A float rounds its probability to 1, and that of the other one to 0."""
    counts, certain = ItemCounts([1000, 5], ["x", "y"]), CDPPeel(1, 2.0, 0.0)
    law = output_distribution(counts, certain).to_frame()
    assert law["probability"].tolist() == [1.0, 0.0]
    assert law["log_complement"].tolist() == pytest.approx([-1990, 0])
    assert law["log_probability"].tolist() == pytest.approx([0, -1990])
    assert "-0.0" not in law.to_string()
    frame = enumerate_outputs(counts, [certain], 0, 0).frame()
    assert frame["CDP-Peel, log"].tolist() == law["log_probability"].tolist()
    assert frame["CDP-Peel, log complement"].tolist() == law["log_complement"].tolist()
    assert "-0.0" not in frame.to_csv()


def test_every_kind_of_output_comes_early_where_kinds_differ():
    counts = ItemCounts([10, 5, 1, 1], list("ABCD"))
    chosen = [Joint(2, 1.0), InverseSensitivitySet(2, 1.0), StableSet(2, 1.0, 1e-6)]
    found = enumerate_outputs(counts, [*chosen, LimitedDomain(2, 1.0, 1e-6)], 0, 0)
    assert found.labels[:3] == ["A, B", "⊥", "{A, B}"]
    assert found.labels.count("⊥") == 1  # nothing is the same of a set and of a sequence
    most = np.nanmax(list(found.exact.values()), axis=0)
    assert (np.diff(most[1:]) <= 0).all()
    alone = enumerate_outputs(counts, chosen[:1], 0, 0)
    assert (np.diff(alone.exact["Joint"]) <= 0).all()


def test_as_many_outputs_as_are_written_out():
    assert len(output_distribution(ItemCounts([1] * 50_000), Joint(1, 1.0))) == 50_000


@pytest.mark.parametrize(
    ("counts", "mechanism", "n"),
    [
        ([9, 9, 8, 8, 7, 6, 5, 4, 3], Joint(6, 1.0), 17_640),  # of 7^6 without any limit
        (range(8), Joint(8, 1.0), 40_320),
        ([3] * 2 + [2] * 40 + [1] * 2, JointSet(40, 1.0), 9),
    ],
)
def test_merged_outputs_are_counted_and_not_those_of_levels_without_an_end(counts, mechanism, n):
    law = merged_output_distribution(ItemCounts(counts), mechanism)
    assert len(law) == n
    assert law.probabilities.sum() == pytest.approx(1)


def test_too_many_merged_outputs_are_told_exactly_or_as_at_most():
    with pytest.raises(ValueError, match=r"k = 9 gives 362,880 possible"):
        merged_output_distribution(ItemCounts(range(9)), Joint(9, 1.0))
    with pytest.raises(ValueError, match=r"gives up to about 10\^"):
        merged_output_distribution(ItemCounts(range(200)), Joint(100, 1.0))


JOINT, PAIR = Joint(1, 1.0), ItemCounts([3, 1])
WRONG_OUTPUTS = [
    (([3, 1], JOINT), TypeError, r"counts must be ItemCounts, got list"),
    ((PAIR.sorted, JOINT), TypeError, r"counts must be ItemCounts, got Sorted"),
    ((PAIR, Joint(3, 1.0)), ValueError, r"k must be in \[1, 2\] for 2 items, got 3"),
    ((PAIR, "Joint"), TypeError, r"mechanism must"),
    ((Joint, PAIR), TypeError, r"mechanism must"),
    ((ItemCounts(range(9)), Joint(9, 1.0)), ValueError, r"counts has 9 items: k = 9 gives"),
]
TOO_MANY = [
    ((Joint(k, 1.0), ItemCounts(counts)), ValueError, message)  # in either order
    for counts, k, message in (
        (range(9), 9, r"9 items: k = 9 gives 362,880 possible out"),
        (range(100), 50, r"k = 50 gives about 10\^93 possible"),
        ([1] * 50_001, 1, r"50,001 items: k = 1 gives 50,001 possible"),
    )
]


@pytest.mark.parametrize("law", [output_distribution, merged_output_distribution])
def test_wrong_arguments_of_output_distributions(law, not_refused):
    alone = TOO_MANY if law is output_distribution else []
    assert not_refused(law, [*WRONG_OUTPUTS, *alone]) == []


# --- neighbours --------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[0], [1, 0], [2, 0, 1], [1, 1, 1, 0]])
@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
def test_every_neighbour_once(counts, neighbors):
    steps = (-1, 0, 1) if neighbors is SWAP else None
    changes = set(itertools.product(steps, repeat=len(counts))) if steps else set()
    if neighbors is ADD_REMOVE:
        joining = set(itertools.product((0, 1), repeat=len(counts)))
        changes = joining | {tuple(-x for x in change) for change in joining}
    expected = {tuple(c + x for c, x in zip(counts, change, strict=True)) for change in changes} - {
        tuple(counts)
    }
    expected = {other for other in expected if min(other) >= 0}
    ours = [tuple(o.counts.tolist()) for o in neighboring_counts(ItemCounts(counts), neighbors)]
    assert len(ours) == len(set(ours))
    assert set(ours) == expected


@pytest.mark.parametrize("most", [1, 2, 4])
def test_neighbours_of_a_user_of_few_items(most):
    """Who comes and who goes counts for so many at most; under swap both may."""
    counts = ItemCounts([3, 0, 1, 2])
    for relation in (ADD_REMOVE, SWAP):
        every = [o.counts - counts.counts for o in neighboring_counts(counts, relation)]
        few = [o.counts - counts.counts for o in neighboring_counts(counts, relation, most)]
        kept = [x for x in every if max((x > 0).sum(), (x < 0).sum()) <= most]
        np.testing.assert_array_equal(few, kept)
        assert max(np.abs(x).sum() for x in few) == min(4, most * (1 + (relation is SWAP)))


def test_neighbours_keep_the_names():
    others = neighboring_counts(ItemCounts([5, 5], ["x", "y"]), ADD_REMOVE)
    assert len(others) == 6
    assert all(other.items == ("x", "y") for other in others)


def test_most_items_for_neighbours():
    assert len(neighboring_counts(ItemCounts([5] * 8), ADD_REMOVE)) == 2 * 255
    assert len(neighboring_counts(ItemCounts([5] * 8), SWAP)) == 3**8 - 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([3, 1], SWAP), TypeError, r"counts must be ItemCounts, got list"),
        ((ItemCounts([3]).sorted, SWAP), TypeError, r"counts must be ItemCounts, got Sorted"),
        ((ItemCounts([3, 1]), "both"), ValueError, r"neighbors must be one of .*got 'both'"),
        ((ItemCounts([3]), SWAP, 0), ValueError, r"max_items must be at least 1, got 0"),
        ((ItemCounts([1] * 9), SWAP), ValueError, r"counts must have at most 8 items .* got 9"),
    ],
)
def test_wrong_arguments_of_neighboring_counts(arguments, error, message):
    with pytest.raises(error, match=message):
        neighboring_counts(*arguments)


# --- goodness of fit ---------------------------------------------------------------------


def distribution(probabilities) -> OutputDistribution:
    """One place, as many items as probabilities."""
    p = np.array(probabilities, dtype=float)
    with np.errstate(divide="ignore"):  # probability 0
        log_p = np.log(p)
    return OutputDistribution(np.arange(p.size)[:, None], log_p, tuple(map(str, range(p.size))))


def draws(tally) -> np.ndarray:
    return np.repeat(np.arange(len(tally)), tally)[:, None]


@pytest.mark.parametrize(
    ("p", "tally", "observed", "expected"),  # of 100 draws; the last two are of the cells
    [
        ([0.5, 0.3, 0.2], [60, 22, 18], [60, 22, 18], [50, 30, 20]),
        ([0.6, 0.3, 0.04, 0.03, 0.03], [55, 30, 9, 0, 6], [55, 30, 15], [60, 30, 10]),
        ([0.6, 0.37, 0.02, 0.01], [50, 45, 5, 0], [50, 50], [60, 40]),  # 3 alone are too few
    ],
)
def test_it_is_pearsons_test_with_rare_outputs_pooled(p, tally, observed, expected):
    fit = goodness_of_fit(distribution(p), draws(tally))
    pearson = chisquare(observed, expected)
    assert (fit.statistic, fit.p_value) == pytest.approx((pearson.statistic, pearson.pvalue))
    assert (fit.n_cells, fit.n_draws) == (len(observed), 100)
    assert fit.observed.tolist() == tally


def test_a_single_cell_cannot_disagree():
    fit = goodness_of_fit(distribution([1.0]), draws([10]))
    assert (fit.n_cells, fit.statistic, fit.p_value) == (1, 0.0, 1.0)
    assert goodness_of_fit(distribution([0.5, 0.5]), draws([3, 0])).p_value == 1.0


def test_impossible_outcomes_fail_outright():
    outputs = output_distribution(ItemCounts([3, 2, 1]), Joint(2, 1.0))
    samples = np.repeat(outputs.sequences, 1000, axis=0)
    assert goodness_of_fit(outputs, np.vstack([samples, [[1, 1]]])).p_value == 0.0
    assert goodness_of_fit(distribution([0.5, 0.5, 0.0]), draws([50, 50, 1])).p_value == 0.0
    assert goodness_of_fit(distribution([0.5, 0.5, 0.0]), draws([50, 50, 0])).p_value == 1.0


def test_p_values_are_uniform_under_the_law(rng):
    """1,000 fits to the right law: p-values in ten equal bins, by the same test."""
    p = np.array([0.4, 0.3, 0.2, 0.06, 0.04])
    law = distribution(p)
    p_values = [
        goodness_of_fit(law, draws(tally)).p_value for tally in rng.multinomial(20_000, p, 1000)
    ]
    bins = np.minimum((np.array(p_values) * 10).astype(int), 9)
    assert goodness_of_fit(distribution([0.1] * 10), bins[:, None]).p_value > 1e-6


@pytest.mark.parametrize(
    ("law", "samples", "error", "message"),
    [
        (distribution([0.5, 0.5]), [0, 1], ValueError, r"samples must have shape \(m, 1\), got"),
        (distribution([0.5, 0.5]), np.empty((0, 1), dtype=int), ValueError, r"samples must"),
        ({(0,): 1.0}, [[0]], TypeError, r"distribution must"),
    ],
)
def test_wrong_samples(law, samples, error, message):
    with pytest.raises(error, match=message):
        goodness_of_fit(law, samples)
