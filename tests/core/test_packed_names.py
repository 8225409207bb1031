"""Test that packed names equal the given ones and take little memory."""

import sys

import pytest

from dptopk import ItemCounts
from dptopk.core.packed_names import ItemNames

NAMES = ("apple", "Öl", "", "🏆 wins", "\ud800", "日本", "a" * 500)


def test_they_are_as_they_were_given():
    names = ItemNames(NAMES)
    assert names == NAMES
    assert names == ItemNames(iter(NAMES))
    assert names == NAMES
    assert hash(names) == hash(NAMES)
    assert repr(names) == repr(NAMES)
    assert list(names) == list(NAMES)
    assert [names[place] for place in range(-7, 7)] == [NAMES[place] for place in range(-7, 7)]
    assert names[1:-1:2] == NAMES[1:-1:2]
    assert names.index("日本") == 5
    assert "Öl" in names


@pytest.mark.parametrize(
    "others", [NAMES[:-1], ("apfel", *NAMES[1:]), ItemNames(["apple"]), "apple"]
)
def test_others_are_others(others):
    assert ItemNames(NAMES) != others


@pytest.mark.parametrize("place", [7, -8])
def test_there_are_no_names_beyond_the_last(place):
    with pytest.raises(IndexError):
        _ = ItemNames(NAMES)[place]


def test_many_take_little_more_than_their_text():
    names = ItemNames(f"item {number:06d}" for number in range(50_000))
    assert names[49_999] == "item 049999"
    assert list(names)[16_383:16_386] == ["item 016383", "item 016384", "item 016385"]
    assert names.n_bytes == 50_000 * 11 + 50_001 * 4
    assert sys.getsizeof(names._text) < 50_000 * 11 + 100


def test_no_names_are_names_too():
    assert ItemNames([]) == ()


def test_counts_of_the_same_items_share_their_names():
    counts = ItemCounts([3, 1], ["a", "b"])
    assert ItemCounts([4, 1], counts.items).items is counts.items
    with pytest.raises(ValueError, match=r"as many entries as counts \(1\), got 2"):
        ItemCounts([4], counts.items)
