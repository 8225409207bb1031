"""Errors of released sequences against naive loops."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dptopk import (
    METRICS,
    ItemCounts,
    JointSet,
    SortedCounts,
    items_right,
    k_relative_error,
    l1_error,
    linf_error,
    linf_error_index,
    signed_max_error,
)
from dptopk.core.errors import all_errors, count_given_up, is_exact_sequence, is_exact_set
from dptopk.core.outputs import NOTHING, OutputKind


def fagin(best, listed):
    """K^(0) of two top-k lists by the four cases of Fagin, Kumar, Sivakumar (2003)."""
    distance = 0
    for i, j in combinations({*best, *listed}, 2):
        in_best, in_listed = ([x in one for x in (i, j)] for one in (best, listed))
        if all(in_best) and all(in_listed):
            before = best.index(i) < best.index(j)
            distance += before != (listed.index(i) < listed.index(j))
        elif all(in_best) and any(in_listed):
            ahead, behind = (i, j) if in_listed[0] else (j, i)
            distance += best.index(ahead) > best.index(behind)
        elif all(in_listed) and any(in_best):
            ahead, behind = (i, j) if in_best[0] else (j, i)
            distance += listed.index(ahead) > listed.index(behind)
        elif in_best != in_listed and any(in_best) and any(in_listed):
            distance += 1  # each is in another list
    return distance


def kendall(counts, sequence):
    """K^(0) to the nearest order of the items by their counts; empty places hold items behind."""
    listed = [i if i != NOTHING else f"empty {place}" for place, i in enumerate(sequence)]
    orders = permutations(range(len(counts)))
    in_order = (o for o in orders if all(counts[a] >= counts[b] for a, b in pairwise(o)))
    return min(fagin(list(order[: len(listed)]), listed) for order in in_order)


def ndcg(counts, sequence):
    best = sorted(counts, reverse=True)[: len(sequence)]
    gain, ideal = (
        sum(c / math.log2(place + 1) for place, c in enumerate(gains, 1))
        for gains in ([counts[i] if i != NOTHING else 0 for i in sequence], best)
    )
    return gain / ideal if ideal else 1.0


def jaccard(counts, sequence):
    """Of the nearest true top k, by ties."""
    released, k = {i for i in sequence if i != NOTHING}, len(sequence)
    best = sum(sorted(counts, reverse=True)[:k])
    tops = (
        set(t) for t in combinations(range(len(counts)), k) if sum(counts[i] for i in t) == best
    )
    return max(len(released & top) / len(released | top) for top in tops)


def naive(counts, sequence):
    """Definition 2.2 of the paper, place by place, and the definitions of all others."""
    best = sorted(counts, reverse=True)[: len(sequence)]
    given_up = [c - counts[i] for c, i in zip(best, sequence, strict=True)]
    absolute = [abs(x) for x in given_up]
    return {
        "linf": max(absolute),
        "l1": sum(absolute),
        "k_relative": max(best[-1] - counts[i] for i in sequence),
        "signed_max": max(given_up),
        "linf_index": absolute.index(max(absolute)),
        "signed_index": given_up.index(max(given_up)),
        "items_right": sum((Counter(best) & Counter(counts[i] for i in sequence)).values()),
        "kendall": kendall(counts, sequence),
        "ndcg": pytest.approx(ndcg(counts, sequence), rel=1e-12),
        "jaccard": pytest.approx(jaccard(counts, sequence), rel=1e-12),
    }


@st.composite
def released(draw):
    counts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6))
    k = draw(st.integers(1, len(counts)))
    n = draw(st.integers(1, 4))
    sequences = [draw(st.permutations(range(len(counts))))[:k] for _ in range(n)]
    return counts, sequences


@given(released())
def test_every_metric_against_loops(case):
    counts, sequences = case
    expected = [naive(counts, sequence) for sequence in sequences]
    for key, metric in METRICS.items():
        ours = metric.compute(ItemCounts(counts), sequences)
        assert ours.tolist() == [errors[key] for errors in expected], key
        assert ours.dtype == (np.float64 if metric.is_score else np.int64)


@given(released())
def test_sorted_counts_give_the_same(case):
    counts, sequences = case
    data = ItemCounts(counts)
    rank = np.argsort(data.order)
    for metric in METRICS.values():
        np.testing.assert_array_equal(
            metric.compute(data.sorted, rank[np.array(sequences)]), metric.compute(data, sequences)
        )


@given(released())
def test_right_up_to_ties(case):
    counts, sequences = case
    best = sorted(counts, reverse=True)[: len(sequences[0])]
    in_order = [[counts[i] for i in sequence] == best for sequence in sequences]
    as_a_set = [sorted((counts[i] for i in s), reverse=True) == best for s in sequences]
    assert is_exact_sequence(ItemCounts(counts), sequences).tolist() == in_order
    assert is_exact_set(ItemCounts(counts), sequences).tolist() == as_a_set


def test_an_empty_place_is_never_right_even_where_the_top_has_items_without_users():
    short = OutputKind(short=True)
    counts = ItemCounts([4, 0, 0, 0])
    samples = [[0, 1, 2], [0, 3, NOTHING], [0, NOTHING, NOTHING], [NOTHING] * 3]
    assert items_right(counts, samples, short).tolist() == [3, 2, 1, 0]


@given(released())
def test_what_sees_no_order_is_the_same_in_any_order(case):
    counts, sequences = case
    backwards = np.array(sequences)[:, ::-1]
    for metric in METRICS.values():
        if not metric.sees_order:
            ours = metric.compute(ItemCounts(counts), sequences)
            assert ours.tolist() == metric.compute(ItemCounts(counts), backwards).tolist()


def test_huge_counts_and_many_items():
    counts = SortedCounts([2**53, 2, 0], [1, 1, 10**9])
    assert l1_error(counts, [[5, 10**9 + 1]]).tolist() == [2**53 + 2]
    assert linf_error(counts, [[1, 0]]).tolist() == [2**53 - 2]


@pytest.mark.parametrize("k", [1_500, 2_048, 2_500])
def test_sums_beyond_64_bits_do_not_wrap(k):
    counts = SortedCounts([2**53, 2**53 - 1, 0], [k - 1, 2, k])
    top, zeros = np.arange(k), np.arange(k + 1, 2 * k + 1)
    samples = [zeros, top[::-1], [*top[:-1], k], [*top[:-2], k - 1, k]]
    assert l1_error(counts, samples).tolist() == [float(k * 2**53 - 1), 2, 0, 1]
    assert is_exact_set(counts, samples).tolist() == [False, True, True, False]
    assert all_errors(counts, samples)["exact_set"].tolist() == [False, True, True, False]


def test_no_releases_give_no_errors():
    for metric in METRICS.values():
        assert metric.compute(ItemCounts([3, 1]), np.empty((0, 2), dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        (np.array([2, 99]), "99"),
        (np.array([-1, 2]), "-1"),
        (np.array([2, np.nan]), "nan"),
        (np.array([2, -np.inf]), "-inf"),
        (np.array(["a", "b"]), "dtype <U1"),
        (np.array([True, False]), "dtype bool"),
        (np.ones((2, 2)), r"shape \(2, 2\)"),
        (3, r"shape \(\)"),
        (None, r"shape \(\)"),
    ],
)
def test_what_is_no_measure_is_told_with_its_key(returned, found, monkeypatch):
    mine = replace(METRICS["items_right"], key="mine", reduce=lambda seen: returned)
    monkeypatch.setitem(METRICS, "mine", mine)
    told = (
        "^reduce of the metric mine must return 2 finite numbers, one for each output, within its "
        rf"bounds \[0, 2\], got {found}$"
    )
    for computed in (mine.compute, all_errors):
        with pytest.raises(ValueError, match=told):
            computed(ItemCounts([5, 3, 1]), [[0, 1], [2, 1]])


def test_a_measure_may_pass_its_bounds_by_rounding():
    mine = replace(METRICS["ndcg"], reduce=lambda seen: [math.nextafter(1, 2), -1e-17])
    assert mine.compute(ItemCounts([5, 3, 1]), [[0, 1], [2, 1]]).shape == (2,)


def test_metrics_carry_their_words():
    for key, metric in METRICS.items():
        assert metric.key == key
        assert all((metric.title, metric.unit, metric.meaning))
        assert metric.more_is_better == metric.meaning.endswith("; more is better")


COUNTS = ItemCounts([5, 3, 1])
WRONG = [
    (([5, 3, 1], [[0]]), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((COUNTS, [0, 1]), ValueError, r"samples must have shape \(n, k\) with k in \[1, 3\], got \(2"),
    ((COUNTS, [[0, 1, 2, 0]]), ValueError, r"samples must have shape .*got \(1, 4\)"),
    ((COUNTS, np.empty((2, 0), int)), ValueError, r"samples must have shape .*got \(2, 0\)"),
    ((COUNTS, [[0, 3]]), ValueError, r"samples must hold positions in \[0, 2\], got 3"),
    ((COUNTS, [[-1]]), ValueError, r"samples must hold positions in \[0, 2\], got -1"),
    ((COUNTS, [[0.0]]), TypeError, r"samples must hold integer positions, got dtype float64"),
]
FUNCTIONS = [metric.compute for metric in METRICS.values()]
FUNCTIONS += [count_given_up, is_exact_sequence, is_exact_set]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_wrong_arguments(function, not_refused):
    assert not_refused(function, WRONG) == []


def test_the_place_of_the_largest_error_as_defined_and_as_the_authors_take_it():
    """Counts 9, 5, 1: the order 5, 1, 9 gives up 4 and 4, and gains 8 at its last place."""
    counts = ItemCounts([9, 5, 1])
    samples = [[1, 2, 0], [0, 1, 2], [0, 2, 1]]
    assert linf_error_index(counts, samples).tolist() == [2, 0, 1]
    assert linf_error_index(counts, samples, signed=True).tolist() == [0, 0, 1]


@pytest.mark.parametrize("ordered", [True, False])
def test_measures_of_short_outputs_and_sets_against_their_definitions(ordered):
    """All outputs of up to three of five items, with ties, one of them without users."""
    data, kind = [4, 7, 4, 0, 2], OutputKind(ordered=ordered, short=True)
    samples = kind.every(5, 3)
    by_count = [sorted(row, key=lambda i: -data[i] if i != NOTHING else 1) for row in samples]
    rows = samples.tolist() if ordered else by_count
    for key, reference in (("kendall", kendall), ("ndcg", ndcg), ("jaccard", jaccard)):
        ours = METRICS[key].compute(ItemCounts(data), samples, kind)
        assert ours.tolist() == pytest.approx([reference(data, row) for row in rows], rel=1e-12)


@pytest.mark.parametrize(
    "kind", [OutputKind(o, s) for o in (True, False) for s in (True, False)], ids=lambda k: k.words
)
@pytest.mark.parametrize("data", [[9, 7, 7, 3, 0], [2, 2, 2, 2], [5, 4, 4, 4, 0, 0], [0, 0, 0]])
def test_a_measure_keeps_within_what_it_says_of_its_values(data, kind):
    """Over all outputs: its range, that of wrong ones, its best, and when only it is reached."""
    counts, k = ItemCounts(data), 2
    samples = kind.every(counts.d, k)
    in_order, as_set = is_exact_sequence(counts, samples, kind), is_exact_set(counts, samples, kind)
    assert as_set.any()
    for metric in METRICS.values():
        values = metric.compute(counts, samples, kind)
        if metric.is_place:
            values = metric.counted_from_1(
                values, METRICS[metric.place_of].compute(counts, samples, kind)
            )
        low, high = metric.range(counts, k, kind)
        assert ((low <= values) & (values <= high)).all(), metric.key
        right = in_order if metric.sees_order and kind.ordered else as_set
        assert (values[right] == metric.right(k)).all(), metric.key
        assert metric.is_place or metric.reaches(metric.right(k), values).all(), metric.key
        low, high = metric.range(counts, k, kind, wrong=True)
        assert ((low <= values[~right]) & (values[~right] <= high)).all(), metric.key


def test_targets_are_in_the_range_and_the_direction_of_their_measure():
    at_most, at_least = METRICS["kendall"], METRICS["ndcg"]
    assert at_most.reaches([3, 4, 5], 4).tolist() == [True, True, False]
    assert at_least.reaches([0.5, 0.75, 1.0], 0.75).tolist() == [False, True, True]
    assert at_least.checked_target(0.75, 3) == 0.75
    with pytest.raises(ValueError, match=r"largest kendall must be in \[0, 9\], got 10.0"):
        at_most.checked_target(10, 3)
    with pytest.raises(ValueError, match=r"smallest ndcg must be in \[0, 1\], got 1.5"):
        at_least.checked_target(1.5, 3)
    with pytest.raises(TypeError, match=r"items_right must be an integer, got 1.5"):
        METRICS["items_right"].checked_target(1.5, 3)


def test_the_errors_of_a_set_are_those_of_a_set_in_whatever_order_it_is_written():
    """Of 9, 7, 1 the right two as a mechanism of sets writes them: no error by any measure."""
    counts, joint_set = ItemCounts([7, 9, 1]), JointSet(2, 1.0)
    assert linf_error(counts, [[0, 1]]).tolist() == [2]  # as a sequence, the old call
    for metric in METRICS.values():
        for function in (metric.compute, *PUBLIC.get(metric.key, ())):
            both = function(counts, [[0, 1], [1, 0]], joint_set)
            assert both.tolist() == [0 if metric.is_place else metric.right(2)] * 2, metric.key
            assert both.tolist() == function(counts, [[1, 0]] * 2, joint_set.outputs).tolist()
    assert is_exact_set(counts, [[0, 1]], joint_set).all()
    assert not is_exact_sequence(counts, [[1, 0]], joint_set).any()
    assert all_errors(counts, [[0, 1]], joint_set)["linf"].tolist() == [0]
    with pytest.raises(TypeError, match="outputs must be a mechanism or its outputs, got 'set'"):
        linf_error(counts, [[0, 1]], "set")


PUBLIC = {"linf": (linf_error,), "l1": (l1_error,), "k_relative": (k_relative_error,)}
PUBLIC |= {"signed_max": (signed_max_error,), "linf_index": (linf_error_index,)}
PUBLIC |= {"items_right": (items_right,)}
