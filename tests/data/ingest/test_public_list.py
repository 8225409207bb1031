"""Test public lists: how they are read, and what becomes of counts on them."""

import pandas as pd
import pytest

from dptopk import counts_by_bound, counts_from_events
from dptopk.data import read_public_list, read_table
from dptopk.data.ingest import IngestError, UnclearError, proposed_counts


@pytest.mark.parametrize(
    "content",
    ["tea\nNA\n ale \n\n", "\ufefftea\r\nNA\r\nale", "tea\rNA\rale"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_list_has_a_name_a_line_trimmed_and_without_blank_ones(content, encoding):
    assert read_public_list(content.encode(encoding), most=3).names == ("tea", "NA", "ale")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "^it names no item: write one a line"),
        (b" \n\t\n", "^it names no item"),
        (b"tea\nale\n tea\n", "^line 3 names 'tea', as line 1 does: write each item once"),
        (b"a\nb\nc\nd\n", "^it names 4 items, more than the 3 that are read"),
        (b"\x89PNG\r\n", "PNG picture"),
        (b"a" * (64 * 2**20 + 1), "^it has more than 67,108,864 bytes"),
    ],
)
def test_what_is_no_list_is_refused_in_a_sentence(content, said):
    with pytest.raises(IngestError, match=said):
        read_public_list(content, "items.txt", 3)


def test_a_bound_on_a_list_is_that_of_reading_with_both():
    pairs = [f"u{user},i{item}" for user in range(9) for item in range(1 + user % 4)]
    table = read_table("\n".join(["user,item", *pairs]).encode(), "log.csv")
    columns, items = (1, None, 0), ("i2", "rum", "i0")
    whole, cut = (proposed_counts(table, columns, how, items) for how in ({}, {"max_items": 2}))
    assert dict(whole.counts) == {"i0": 9, "i2": 4, "rum": 0}
    for found, wanted in ((whole.bounded(2), cut), (cut.bounded(None), whole)):
        assert found.counts == wanted.counts
        assert found.counts.items == wanted.counts.items
        assert found.report.changes == wanted.report.changes
        assert found.report.cut == wanted.report.cut
    log = pd.DataFrame([pair.split(",") for pair in pairs], columns=["user", "item"])
    assert (
        whole.report.by_bound.identity == counts_by_bound(log, "user", "item", items=items).identity
    )


@pytest.mark.parametrize(
    ("items", "wanted"),
    [
        (("7.0", "8"), {"7.0": 11, "8": 2}),
        (("7", "8.00"), {"7": 11, "8.00": 2}),
        (("7", "7.0", "8"), {"7": 10, "7.0": 1, "8": 2}),
    ],
)
def test_a_whole_number_is_an_item_of_the_list_whether_with_decimals_or_without(items, wanted):
    cells = ["7"] * 9 + ["7.0", "7.00"] + ["8.0", "8"]
    log = pd.DataFrame({"user": [f"u{n}" for n in range(len(cells))], "item": cells})
    table = read_table(log.to_csv(index=False).encode(), "log.csv")
    counts = counts_from_events(log, "user", "item", items=items)
    read = proposed_counts(table, (1, None, 0), {"rows": "users"}, items)
    assert dict(counts) == dict(read.counts) == wanted
    numbers = pd.DataFrame({"user": range(3), "item": [7, 7, 8]})
    there = dict(counts_from_events(numbers, "user", "item", items=("7.0", "8.0")))
    assert there == {"7.0": 2, "8.0": 1}


def test_names_that_only_look_like_listed_ones_are_asked_about():
    table = read_table(b"item,users\nTea,5\nale,3\n", "counts.csv")
    for given in ({}, {"twins": "apart"}):
        with pytest.raises(UnclearError, match='list of items has "tea" and the data have "Tea"'):
            proposed_counts(table, (0, 1, None), given, ("tea", "ale"))
    merged = proposed_counts(table, (0, 1, None), {"twins": "merge"}, ("tea", "ale"))
    assert dict(merged.counts) == {"tea": 5, "ale": 3}
    with pytest.raises(IngestError, match='none of the items of the list, such as "rum"'):
        proposed_counts(table, (0, 1, None), {}, ("rum",))
