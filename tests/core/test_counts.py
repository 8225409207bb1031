"""Item counts and their sorted view: immutability, order, look-ups against naive ones."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from dptopk import NOTHING, ItemCounts, SortedCounts

count_lists = st.lists(st.one_of(st.integers(0, 8), st.integers(0, 2**53)), min_size=1, max_size=30)


@given(count_lists)
def test_levels_are_the_distinct_counts(counts):
    levels = ItemCounts(counts).sorted
    values, multiplicities = np.unique(counts, return_counts=True)
    np.testing.assert_array_equal(levels.values, values[::-1])
    np.testing.assert_array_equal(levels.multiplicities, multiplicities[::-1])
    np.testing.assert_array_equal(levels.ends, np.cumsum(multiplicities[::-1]))
    assert levels.d == len(counts)
    assert levels.n_levels == len(set(counts))
    assert levels.sorted is levels


@given(count_lists)
def test_order_is_stable_and_descending(counts):
    expected = sorted(range(len(counts)), key=lambda position: (-counts[position], position))
    assert ItemCounts(counts).order.tolist() == expected


@given(count_lists, st.data())
def test_lookups_by_rank(counts, data):
    given_counts = ItemCounts(counts)
    levels = given_counts.sorted
    descending = sorted(counts, reverse=True)
    ranks = np.arange(len(counts))
    assert levels.counts_at_ranks(ranks).tolist() == descending
    assert levels.counts_at(ranks).tolist() == descending
    assert [int(levels.values[level]) for level in levels.level_of_rank(ranks)] == descending
    assert levels.positions(ranks) is ranks
    n = data.draw(st.integers(0, len(counts) + 3))
    assert levels.top(n).tolist() == descending[:n]
    assert given_counts.counts_at(given_counts.positions(ranks)).tolist() == descending


@given(count_lists)
def test_lookups_by_position(counts):
    given_counts = ItemCounts(counts)
    positions = np.arange(len(counts))
    assert given_counts.counts_at(positions).tolist() == counts
    at = given_counts.sorted.values[given_counts.levels_at(positions)]
    assert at.tolist() == counts
    levels = given_counts.sorted
    assert levels.levels_at(positions).tolist() == levels.level_of_rank(positions).tolist()


@given(count_lists, st.lists(st.integers(-(2**53), 2**54), min_size=1, max_size=5))
def test_number_of_items_at_least(counts, thresholds):
    thresholds += [counts[0], counts[0] + 1, counts[-1] - 1]
    naive = [sum(count >= threshold for count in counts) for threshold in thresholds]
    ours = ItemCounts(counts).sorted.n_at_least(np.array(thresholds))
    assert ours.tolist() == naive
    table = ItemCounts(counts).sorted.n_at_least(np.array([thresholds, thresholds]))
    assert table.tolist() == [naive, naive]


def test_order_of_counts_too_wide_for_one_key():
    """Gaps times d beyond 2**62 take the other road to the same order."""
    counts = np.full(2000, 5)
    counts[[7, 9, 1500]] = 2**53
    order = ItemCounts(counts).order
    assert order[:4].tolist() == [7, 9, 1500, 0]
    np.testing.assert_array_equal(order, np.argsort(-counts, kind="stable"))


def test_a_thousand_million_items_cost_nothing():
    levels = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    assert levels.d == 10**9
    assert levels.top(12).tolist() == [900] * 3 + [400] * 7 + [3] * 2
    assert levels.n_at_least(np.array([1000, 900, 401, 4, 3])).tolist() == [0, 3, 3, 10, 10**9]
    found = levels.level_of_rank(np.array([0, 2, 3, 9, 10, 10**9 - 1]))
    assert found.tolist() == [0, 0, 1, 1, 2, 2]


def test_places_that_stayed_empty_are_no_items():
    counts, empty = ItemCounts([5, 9, 1]), np.array([1, NOTHING])
    for one in (counts, counts.sorted):
        for look in (one.counts_at, one.levels_at, one.ranks_at, one.positions):
            with pytest.raises(ValueError, match=r"got -1: .* are -1 \(NOTHING\)"):
                look(empty)
            assert look(empty[:1]).shape == (1,)
            assert look(empty[:0]).shape == (0,)


def test_counts_are_copied_and_read_only():
    given_array = np.array([3, 1, 2])
    counts = ItemCounts(given_array)
    given_array[0] = 99
    assert counts.counts.tolist() == [3, 1, 2]
    levels = SortedCounts(values := np.array([3, 1]), multiplicities := np.array([1, 2]))
    values[0], multiplicities[0] = 99, 99
    assert (levels.values.tolist(), levels.multiplicities.tolist()) == ([3, 1], [1, 2])
    for array in (counts.counts, counts.order, levels.values, levels.multiplicities, levels.ends):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    for attribute in ("counts", "name", "d"):
        with pytest.raises(AttributeError):
            setattr(counts, attribute, 1)


def test_names():
    assert ItemCounts([1, 2]).items == ("item 1", "item 2")
    assert ItemCounts([1, 2], ["b", "a"]).items == ("b", "a")
    assert ItemCounts([1, 2], [10, np.int64(7)]).items == ("10", "7")
    assert ItemCounts([1, 2], (name for name in "xy")).items == ("x", "y")
    assert ItemCounts([1], name="votes").name == "votes"
    assert ItemCounts([1]).name == ""


def test_head_keeps_names_with_their_counts():
    head = ItemCounts([1, 9, 4, 9], ["a", "b", "c", "d"], "letters").head(3)
    assert head.items == ("b", "d", "c")
    assert head.counts.tolist() == [9, 9, 4]
    assert head.name == "letters"
    assert ItemCounts([1, 2]).head(5).counts.tolist() == [2, 1]


def test_equality_hash_and_text():
    one, same = ItemCounts([1, 2], name="x"), ItemCounts(np.array([1.0, 2.0]), name="x")
    assert one == same
    assert hash(one) == hash(same)
    for other in (
        ItemCounts([2, 1], name="x"),
        ItemCounts([1, 2], name="y"),
        ItemCounts([1, 2], ["a", "b"], "x"),
        [1, 2],
    ):
        assert one != other
    assert repr(ItemCounts([1000, 2], name="x")) == "ItemCounts('x', d=2, largest=1,000)"
    assert repr(ItemCounts([0])) == "ItemCounts(d=1, largest=0)"


ITEM_COUNTS = [
    (([],), ValueError, r"counts must hold at least one item"),
    (([[1]],), ValueError, r"counts must be one-dimensional"),
    ((None,), ValueError, r"counts must be one-dimensional"),
    (([1, 2], ["a"]), ValueError, r"items must have as many entries as counts \(2\), got 1"),
    (([1, 2], ["a", "a"]), ValueError, r"items must be distinct, got 'a' more than once"),
    (([1, 2], ["1", 1]), ValueError, r"items must be distinct, got '1' more than once"),
    (([1, 2], "ab"), TypeError, r"items must be a sequence of 2 names, got one string"),
    (([1, 2], ["a", 1.5]), TypeError, r"items\[1\] must be a string, got 1\.5"),
    (([1, 2], ["a", None]), TypeError, r"items\[1\] must be a string, got None"),
    (([1, 2], [True, "a"]), TypeError, r"items\[0\] must be a string, got True"),
    (([1], None, 3), TypeError, r"name must be a string, got 3"),
    (([1], None, None), TypeError, r"name must be a string, got None"),
]
SORTED_COUNTS = [
    (([], []), ValueError, r"values must hold at least one item"),
    (([3, 1], [1, 0]), ValueError, r"multiplicities\[1\] must be at least 1, got 0"),
    (([3, -1], [1, 1]), ValueError, r"values\[1\] must be at least 0, got -1"),
    (([3, 1], [1]), ValueError, r"multiplicities must have as many entries as values, got 1 for 2"),
    (([1, 3], [1, 1]), ValueError, r"values must be strictly decreasing"),
    (([3, 3], [1, 1]), ValueError, r"values must be strictly decreasing"),
]


@pytest.mark.parametrize(
    ("kind", "arguments", "error", "message"),
    [
        *((ItemCounts, *row) for row in ITEM_COUNTS),
        *((SortedCounts, *row) for row in SORTED_COUNTS),
    ],
)
def test_wrong_counts(kind, arguments, error, message):
    with pytest.raises(error, match=message):
        kind(*arguments)


def test_a_mapping_names_its_items():
    counts = ItemCounts({"pear": 3, "apple": 5})
    assert counts.items == ("pear", "apple")
    assert counts.counts.tolist() == [3, 5]
    assert ItemCounts({"pear": 3}, items=["fig"]).items == ("fig",)


def test_the_index_of_a_series_names_the_items():
    series = pd.Series([3, 5], index=["pear", "apple"])
    assert ItemCounts(series) == ItemCounts([3, 5], ["pear", "apple"])
    assert ItemCounts(series, items=["a", "b"]).items == ("a", "b")
    assert ItemCounts(pd.Series([3, 5], index=[17, 4])).items == ("17", "4")
    assert ItemCounts(pd.Series([3, 5])).items == ("item 1", "item 2")  # rows are only numbered
    counted = pd.Series(["x", "y", "x"]).value_counts()
    assert ItemCounts(counted) == ItemCounts([2, 1], ["x", "y"])


def test_more_items_than_ranks_can_count_are_refused():
    levels = np.arange(1_100, 0, -1)
    with pytest.raises(ValueError, match=r"add up to at most 2\*\*62 items, got about 9.91e\+18"):
        SortedCounts(levels, np.full(1_100, 2**53))
    assert SortedCounts(levels[:500], np.full(500, 2**53)).d == 500 * 2**53


def test_names_of_one_output_leave_out_the_places_that_stayed_empty():
    counts = ItemCounts([5, 9, 1], ["a", "b", "c"])
    assert counts.names([1, 0, NOTHING]) == ["b", "a"]
    assert counts.names([NOTHING, NOTHING]) == []
    assert counts.names(np.array([2], dtype=np.uint8)) == ["c"]
    for wrong, error, message in (
        ([[0, 1]], ValueError, r"one output, of shape \(k,\), got \(1, 2\): give the rows"),
        ([0, 3], ValueError, r"release must hold positions in \[0, 2\] \(or -1 .*\), got 3"),
        ([-2], ValueError, r"got -2"),
        ([0.5], TypeError, r"release must hold integer positions, got dtype float64"),
    ):
        with pytest.raises(error, match=message):
            counts.names(wrong)


def test_counts_have_a_length_and_yield_items_with_their_counts():
    counts = ItemCounts({"pear": 3, "apple": 5})
    assert len(counts) == counts.d == 2
    assert list(counts) == [("pear", 3), ("apple", 5)]
    assert dict(counts) == {"pear": 3, "apple": 5}
    assert sorted(counts, key=lambda pair: -pair[1])[0] == ("apple", 5)


def test_a_series_names_the_data_and_a_table_is_told_which_column_to_pass():
    fruit = pd.Series([3, 5], index=["pear", "apple"], name="fruit sold")
    assert ItemCounts(fruit).name == "fruit sold"
    assert ItemCounts(fruit, name="fruit").name == "fruit"
    assert ItemCounts(fruit.rename(7)).name == ""
    assert ItemCounts(pd.Series(["x", "y", "x"]).value_counts()).name == ""  # pandas' own word
    frame = fruit.rename_axis("kind").reset_index()
    with pytest.raises(TypeError, match=r"got a DataFrame: .*set_index\('kind'\)\['fruit sold'\]"):
        ItemCounts(frame)
    assert ItemCounts(frame.set_index("kind")["fruit sold"]) == ItemCounts(fruit)
    with pytest.raises(TypeError, match=r"as frame\['kind'\].value_counts\(\)"):
        ItemCounts(frame[["kind"]])
    with pytest.raises(TypeError, match=r"one of its columns, as frame\['fruit sold'\]"):
        ItemCounts(frame[["fruit sold"]])


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=200),
    st.sampled_from([0, 2**16, 2**40]),
    st.data(),
)
def test_items_of_some_ranks_are_those_of_the_whole_order(counts, largest, data):
    """Looked up without the order, at any number of ranks, they are the same."""
    counts = [*counts, largest]
    ranks = st.lists(st.integers(0, len(counts) - 1), min_size=1, max_size=12)
    asked = np.array(data.draw(ranks), dtype=np.int64)
    fresh, known = ItemCounts(counts), ItemCounts(counts)
    expected = known.order[asked]
    np.testing.assert_array_equal(fresh.positions(asked), expected)
    np.testing.assert_array_equal(known.positions(asked[None]), expected[None])
    np.testing.assert_array_equal(ItemCounts(counts).positions(asked[None]), expected[None])
