"""Test the listing, counting, checking, naming and comparison of outputs of every kind."""

import math

import numpy as np
import pytest

from dptopk import NOTHING, ItemCounts, OutputKind, SortedCounts
from dptopk.core.outputs import SEQUENCE, released_counts

SET = OutputKind(ordered=False)
SHORT = OutputKind(short=True)
SHORT_SET = OutputKind(ordered=False, short=True)
KINDS = [SEQUENCE, SET, SHORT, SHORT_SET]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.words)


@every_kind
@pytest.mark.parametrize(("d", "k"), [(1, 1), (4, 2), (5, 3), (4, 4)])
def test_every_output_once_and_as_many_as_counted(kind, d, k):
    every = kind.every(d, k)
    assert (every.dtype, every.shape) == (np.int64, (kind.n_outputs(d, k), k))
    assert len(np.unique(every, axis=0)) == len(every)
    np.testing.assert_array_equal(kind.check("outputs", every, d, k), every)
    assert kind.possible(every).all()
    np.testing.assert_array_equal(kind.canonical(every), every)
    assert len(np.unique(kind.codes(every, d))) == len(every)
    labels = [kind.label(row, tuple("abcde")) for row in every.tolist()]
    assert len(set(labels)) == len(labels)


def test_numbers_of_outputs_by_hand():
    assert [kind.n_outputs(4, 2) for kind in KINDS] == [12, 6, 12 + 4 + 1, 6 + 4 + 1]
    assert SHORT_SET.every(2, 2).tolist() == [[0, 1], [0, -1], [1, -1], [-1, -1]]


@every_kind
def test_by_level_each_output_is_counted_once(kind):
    """Levels with their numbers of outputs add up to all outputs; representatives are of them."""
    counts, k = SortedCounts([9, 4, 1], [1, 3, 2]), 3
    levels, ranks, log_n = kind.every_by_level(counts, k)
    assert np.exp(log_n).sum() == pytest.approx(kind.n_outputs(counts.d, k), rel=1e-12)
    assert len(levels) <= kind.n_by_level(counts.n_levels, k)
    assert len(levels) == kind.count_by_level(counts.multiplicities, k)
    filled = np.where(levels == NOTHING, counts.n_levels, levels)  # the longest come first
    n_items = (levels != NOTHING).sum(axis=1)
    np.testing.assert_array_equal(np.lexsort([*filled.T[::-1], -n_items]), np.arange(len(levels)))
    for row in levels:
        assert kind.ordered or (np.diff(row[row != NOTHING]) >= 0).all()
    assert kind.possible(ranks).all()
    there = ranks != NOTHING
    np.testing.assert_array_equal(counts.level_of_rank(ranks[there]), levels[there])
    np.testing.assert_array_equal(levels == NOTHING, ~there)


def test_sets_know_no_order():
    rows = np.array([[3, 1, 2], [1, 2, 3], [2, 3, 1]])
    assert np.unique(SET.codes(rows, 4)).size == 1
    assert SEQUENCE.canonical(rows) is rows
    assert SET.canonical(rows).tolist() == [[1, 2, 3]] * 3
    assert SHORT_SET.canonical(np.array([[4, 0, -1]])).tolist() == [[0, 4, -1]]


def test_labels():
    items = ("a", "b", "c")
    assert SEQUENCE.label([2, 0], items) == "c, a"
    assert SET.label([0, 2], items) == "{a, c}"
    assert SHORT.label([2, -1], items) == "c, ⊥"
    assert SHORT_SET.label([0, 2, -1], items) == "{a, c}, ⊥"
    assert [kind.label([-1, -1], items) for kind in (SHORT, SHORT_SET)] == ["⊥", "⊥"]


def test_repeated_items_are_impossible_and_nothing_may_repeat():
    rows = np.array([[0, 1, 0], [0, 1, 2], [1, 1, -1], [2, -1, -1], [-1, -1, -1]])
    assert SHORT.possible(rows).tolist() == [False, True, False, True, True]


def test_sets_are_compared_largest_first_and_empty_places_last():
    counts = ItemCounts([5, 9, 1, 7])
    rows = np.array([[0, 1, 3], [0, 2, -1], [2, -1, -1]])
    assert SHORT_SET.aligned(counts, rows).tolist() == [[1, 3, 0], [0, 2, -1], [2, -1, -1]]
    assert SHORT.aligned(counts, rows) is rows
    assert released_counts(counts, rows).tolist() == [[5, 9, 7], [5, 1, -1], [1, -1, -1]]


@every_kind
def test_words_tell_kinds_apart(kind):
    assert kind.words.startswith("up to k items" if kind.short else "k items")
    assert ("in order" in kind.words) == kind.ordered == (kind.how == "in this order")
    assert "noisy counts" in OutputKind(counted=True).words


MALFORMED = [
    ([0, 1], ValueError, r"^samples must have shape \(m, 2\), got \(2,\)$"),
    ([[0, 1, 2]], ValueError, r"^samples must have shape \(m, 2\), got \(1, 3\)$"),
    ([[0.0, 1.0]], TypeError, r"^samples must hold integer positions, got dtype float64$"),
    ([["a", "b"]], TypeError, r"^samples must hold integer positions, got dtype <U1$"),
    ([[True, False]], TypeError, r"^samples must hold integer positions, got dtype bool$"),
    ([[0, 5]], ValueError, r"^samples must hold positions in \[0, 4\], got 5$"),
    ([[0, 1], [-1, 1]], ValueError, r"^samples must hold positions in \[0, 4\], got -1$"),
]


MALFORMED_SHORT = [
    ([[-1, 0]], ValueError, "must hold -1 at the end of a row only"),
    ([[0, -2]], ValueError, r"must hold positions in \[0, 4\] \(or -1 for nothing\), got -2"),
    ([[0, 5]], ValueError, r"\(or -1 for nothing\), got 5"),
]


def test_malformed_outputs(not_refused):
    for kind, wrong in ((SEQUENCE, MALFORMED), (SHORT, MALFORMED_SHORT)):
        cases = [(("samples", value, 5, 2), error, message) for value, error, message in wrong]
        assert not_refused(kind.check, cases) == []


@pytest.mark.parametrize("shape", [(3,), (2, 0), (2, 6), (1, 2, 2)])
def test_any_k_up_to_d_where_none_is_given(shape):
    with pytest.raises(ValueError, match=r"samples must have shape \(n, k\) with k in \[1, 5\]"):
        SEQUENCE.check("samples", np.zeros(shape, dtype=int), 5)


def test_no_rows_are_no_problem():
    assert SEQUENCE.check("samples", np.empty((0, 2)), 5, 2).shape == (0, 2)
    assert math.isclose(SET.n_outputs(50, 10), math.comb(50, 10))
