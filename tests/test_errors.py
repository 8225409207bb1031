"""Errors of released sequences against naive loops."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dptopk import (
    METRICS,
    ItemCounts,
    SortedCounts,
    items_right,
    k_relative_error,
    l1_error,
    linf_error,
    linf_error_index,
    signed_max_error,
)
from dptopk.errors import count_given_up, is_exact_sequence, is_exact_set
from dptopk.outputs import NOTHING, OutputKind


def naive(counts, sequence):
    """Definition 2.2 of the paper, place by place."""
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
    }


@st.composite
def released(draw):
    counts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=7))
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
        assert ours.dtype == np.int64


@given(released())
def test_sorted_counts_give_the_same(case):
    counts, sequences = case
    data = ItemCounts(counts)
    rank = np.argsort(data.order)
    for metric in METRICS.values():
        np.testing.assert_array_equal(
            metric.compute(data.sorted, rank[np.array(sequences)]),
            metric.compute(data, sequences),
        )


@given(released())
def test_right_up_to_ties(case):
    counts, sequences = case
    best = sorted(counts, reverse=True)[: len(sequences[0])]
    in_order = [[counts[i] for i in sequence] == best for sequence in sequences]
    as_a_set = [sorted((counts[i] for i in s), reverse=True) == best for s in sequences]
    assert is_exact_sequence(ItemCounts(counts), sequences).tolist() == in_order
    assert is_exact_set(ItemCounts(counts), sequences).tolist() == as_a_set


def test_right_by_hand():
    """Counts 5, 3, 3, 1: the two items at 3 stand in for each other."""
    counts = ItemCounts([3, 5, 1, 3])
    sequences = [[1, 0], [1, 3], [0, 1], [3, 1], [0, 3], [1, 2]]
    assert is_exact_sequence(counts, sequences).tolist() == [True, True] + [False] * 4
    assert is_exact_set(counts, sequences).tolist() == [True] * 4 + [False] * 2


def test_by_hand():
    counts = ItemCounts([10, 5, 1, 0])
    sequences = [[0, 1], [1, 0], [2, 3], [0, 3]]
    assert linf_error(counts, sequences).tolist() == [0, 5, 9, 5]
    assert l1_error(counts, sequences).tolist() == [0, 10, 14, 5]
    assert k_relative_error(counts, sequences).tolist() == [0, 0, 5, 5]
    assert signed_max_error(counts, sequences).tolist() == [0, 5, 9, 5]
    assert linf_error_index(counts, sequences).tolist() == [0, 0, 0, 1]
    assert count_given_up(counts, sequences).tolist() == [[0, 0], [5, -5], [9, 5], [0, 5]]


def test_items_right_by_hand():
    """Counts 5, 3, 3, 3, 1: of the three at 3 any two complete a top 3."""
    counts = ItemCounts([3, 5, 1, 3, 3])
    samples = [[1, 0, 3], [0, 3, 4], [4, 1, 2], [2, 0, 1]]
    assert items_right(counts, samples).tolist() == [3, 2, 2, 2]
    assert items_right(counts, [[0, 1, 3]], OutputKind(ordered=False)).tolist() == [3]


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


def test_signed_maximum_can_be_smaller_than_linf():
    """A large item released too late is no loss of the joint mechanisms, but an error."""
    counts = ItemCounts([10, 9, 0])
    assert signed_max_error(counts, [[1, 2, 0]]).tolist() == [9]
    assert linf_error(counts, [[1, 2, 0]]).tolist() == [10]
    assert linf_error_index(counts, [[1, 2, 0]]).tolist() == [2]


def test_huge_counts_and_many_items():
    counts = SortedCounts([2**53, 2, 0], [1, 1, 10**9])
    assert l1_error(counts, [[5, 10**9 + 1]]).tolist() == [2**53 + 2]
    assert linf_error(counts, [[1, 0]]).tolist() == [2**53 - 2]


def test_no_releases_give_no_errors():
    for metric in METRICS.values():
        assert metric.compute(ItemCounts([3, 1]), np.empty((0, 2), dtype=int)).shape == (0,)


def test_metrics_carry_their_words():
    errors = ["linf", "l1", "k_relative", "signed_max", "linf_index", "signed_index"]
    assert list(METRICS) == [*errors, "items_right"]
    assert [key for key, metric in METRICS.items() if metric.more_is_better] == ["items_right"]
    for key, metric in METRICS.items():
        assert metric.key == key
        assert all((metric.title, metric.unit, metric.meaning))


COUNTS = ItemCounts([5, 3, 1])
WRONG = [
    (([5, 3, 1], [[0]]), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((None, [[0]]), TypeError, r"counts must be ItemCounts or SortedCounts, got NoneType"),
    ((COUNTS, [0, 1]), ValueError, r"samples must have shape \(n, k\) with k in \[1, 3\], got \(2"),
    ((COUNTS, [[[0]]]), ValueError, r"samples must have shape \(n, k\)"),
    ((COUNTS, [[0, 1, 2, 0]]), ValueError, r"samples must have shape .*got \(1, 4\)"),
    ((COUNTS, np.empty((2, 0), int)), ValueError, r"samples must have shape .*got \(2, 0\)"),
    ((COUNTS, [[0, 3]]), ValueError, r"samples must hold positions in \[0, 2\], got 3"),
    ((COUNTS, [[-1]]), ValueError, r"samples must hold positions in \[0, 2\], got -1"),
    ((COUNTS, [[0.0]]), TypeError, r"samples must hold integer positions, got dtype float64"),
    ((COUNTS, [["a"]]), TypeError, r"samples must hold integer positions"),
]
FUNCTIONS = [metric.compute for metric in METRICS.values()] + [
    count_given_up,
    is_exact_sequence,
    is_exact_set,
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_wrong_arguments(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(*arguments)


def test_the_place_of_the_largest_error_as_defined_and_as_the_authors_take_it():
    """Counts 9, 5, 1: the order 5, 1, 9 gives up 4 and 4, and gains 8 at its last place."""
    counts = ItemCounts([9, 5, 1])
    samples = [[1, 2, 0], [0, 1, 2], [0, 2, 1]]
    assert linf_error_index(counts, samples).tolist() == [2, 0, 1]
    assert linf_error_index(counts, samples, signed=True).tolist() == [0, 0, 1]


def test_a_release_without_error_is_at_0_here_and_said_to_be_at_1_in_figure_2():
    assert linf_error_index(ItemCounts([3, 2, 1]), [[0, 1]], signed=True).tolist() == [0]
    assert "drawn there at 1 where nothing is wrong" in METRICS["signed_index"].meaning
