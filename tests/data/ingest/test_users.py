"""Test the distribution of items per user of a log, and bounds on it."""

from operator import itemgetter

import numpy as np
import pandas as pd
import pytest

from dptopk import counts_by_bound
from dptopk.data.ingest import (
    IngestError,
    ReadingSettings,
    UnclearError,
    parse_reading_settings,
    read_again,
    read_table,
    to_item_counts,
)

USERS = {"rows": "users"}


def log(n_users: int, seed: int = 0) -> list[tuple[str, str]]:
    """Users with one to twenty of thirty items, some rows twice."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"u{user}", f"item {item}")
        for user in range(n_users)
        for item in rng.choice(30, size=rng.integers(1, 21), replace=False)
    ]
    return [*rows, *rows[:50]]


def as_file(rows) -> bytes:
    return "\n".join(["user,item", *(",".join(row) for row in rows)]).encode()


def test_it_is_asked_what_rows_are_before_their_numbers_are_read(ingested):
    """Numbers beside users may be no counts: totals among a million times took longer than all."""
    rows = "user,item,users\nu1,a,1\nu2,a,2\nu3,b,1\nu4,Total,9\n"
    with pytest.raises(UnclearError) as asked:
        ingested(rows.encode())
    assert [question.key for question in asked.value.questions] == ["rows"]
    with pytest.raises(UnclearError) as asked:
        ingested(rows.encode(), answers={"rows": "stated"})
    assert [question.key for question in asked.value.questions] == ["total"]


def test_a_bound_is_kept_by_every_user_and_takes_nothing_more(ingested, as_dict):
    """Read user by user: each brings as many items as the bound allows, and those it brings."""
    rows = log(20)
    whole = as_dict(ingested(as_file(rows), answers=USERS | {"max_items": 5}))
    total = dict.fromkeys(whole, 0)
    for user in {user for user, _ in rows}:
        own = [row for row in rows if row[0] == user]
        alone = as_dict(ingested(as_file(own), answers=USERS | {"max_items": 5}))
        assert set(alone.values()) <= {0, 1}
        assert sum(alone.values()) == min(5, len(set(own)))
        for item, count in alone.items():
            total[item] += count
    assert total == whole  # what is kept of a user depends on no other


def test_what_a_bound_takes_away_is_said(ingested, said):
    rows = [("a", str(i)) for i in range(8)] + [("b", "0"), ("c", "1"), ("d", "0")]
    read = ingested(as_file(rows), answers=USERS | {"max_items": 5})
    words = "3 of 11 pairs of a user and an item (27.3%) were left out, as 25.0% of the users"
    assert words in said(read)
    assert read.counts.counts.sum() == 8
    assert read.report.max_items == 5
    assert read.report.items_of_users.share_above(5) == 0.25
    with pytest.raises(ValueError, match="max_items must be"):
        ingested(as_file(rows), answers=USERS | {"max_items": 0})
    with pytest.raises(IngestError, match="distinct users must be counted"):
        ingested(b"item,count\na,5\nb,3\n", answers={"max_items": 2})


def test_what_is_to_be_confirmed_is_said_with_the_numbers_of_the_file(ingested):
    rows = [("a", str(i)) for i in range(8)] + [("b", "0"), ("c", "1"), ("d", "0"), ("e", "<NA>")]
    read = ingested(as_file(rows), answers=USERS)
    assert read.confirmation == (
        "12 rows, 4 users, 8 items.",
        "Items per user: 1 in the median, 8 at the 99% quantile, 8 at most.",
        'Largest counts: "0" 3, "1" 2, "2" 1, "3" 1, "4" 1.',
        "Check the columns: there are more items than users, as where their columns are exchanged.",
        'Left out: 1 row. Column "item" has missing names: "<NA>" in 1 row.',
    )
    plain = ingested(b"item,count\na,5\nb,3\n")
    assert plain.confirmation == ("2 rows, 2 items.", 'Largest counts: "a" 5, "b" 3.')
    sizes = ingested(as_file(log(500)), answers=USERS).report.items_of_users
    own: dict[str, set[str]] = {}
    for user, item in log(500):
        own.setdefault(user, set()).add(item)
    lengths = np.array([len(items) for items in own.values()])
    assert sizes.n_users == 500
    assert sizes.quantile(0.5) == np.quantile(lengths, 0.5, method="inverted_cdf")
    assert sizes.quantile(0.99) == np.quantile(lengths, 0.99, method="inverted_cdf")
    assert sizes.share_above(5) == (lengths > 5).mean()


def test_a_bound_is_kept_with_how_a_file_was_read(as_dict):
    data = as_file(log(20))
    table = read_table(data)
    read = to_item_counts(table, "item", None, user_column="user", rows="users", max_items=2)
    how = ReadingSettings.of(table, (1, None, 0), read, "users")
    assert as_dict(read_again(data, "", parse_reading_settings(how.saved()))) == as_dict(read)
    with pytest.raises(ValueError, match="max_items must be"):
        parse_reading_settings(how.saved() | {"max_items": 0})


def test_an_upload_is_counted_under_every_bound_as_a_log_is(ingested):
    rows = sorted(log(300), key=itemgetter(1))
    found = ingested(as_file(rows), answers=USERS).report.by_bound
    wanted = counts_by_bound(pd.DataFrame(rows, columns=["user", "item"]), "user", "item")
    assert found.identity == wanted.identity
    assert found.holders.keys() == wanted.holders.keys()
    for position, held in wanted.holders.items():
        np.testing.assert_array_equal(found.holders[position], held)
