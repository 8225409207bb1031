"""Test the SQL query on DuckDB against the exact distribution of the mechanism."""

import duckdb
import numpy as np
import pytest

from dptopk import MECHANISMS, NOTHING, ItemCounts, Joint, NeighborRelation, ThresholdedLaplace
from dptopk.export.handover import sql_script

COUNTS = ItemCounts([6, 5, 3, 1], [*"abcd"])
ROWS = [(100 * place + user, item) for place, (item, n) in enumerate(COUNTS) for user in range(n)]


def table(connection, rows) -> None:
    connection.execute("CREATE OR REPLACE TABLE events (user_id BIGINT, item VARCHAR)")
    connection.executemany("INSERT INTO events VALUES (?, ?)", rows)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_the_query_draws_from_the_law_of_the_mechanism(neighbors, fits):
    """Of rows that come twice, or lack a user or an item."""
    mechanism = ThresholdedLaplace(2, 1.0, 0.05, neighbors=neighbors)
    query, found = sql_script(mechanism), []
    with duckdb.connect(config={"threads": 1}) as connection:
        table(connection, [*ROWS, *ROWS, (None, "a"), (7, None)])
        connection.execute("SELECT setseed(0.25)")
        for _ in range(1_200):
            rows = connection.execute(query).fetchall()
            noisy = [number for _, number in rows]
            assert noisy == sorted(noisy, reverse=True)
            assert all(number > mechanism.threshold(COUNTS.sorted) for number in noisy)
            places = [COUNTS.items.index(item) for item, _ in rows]
            found.append(places + [NOTHING] * (2 - len(places)))
    assert fits(mechanism, COUNTS, np.array(found))
    assert not fits(mechanism.replaced(epsilon=1.3), COUNTS, np.array(found))


def test_a_user_counts_for_so_many_items_at_most():
    """One user of a thousand items, and next to no noise: two of them come out."""
    mechanism = ThresholdedLaplace(1_000, 1e9, 0.5, 2)
    with duckdb.connect(config={"threads": 1}) as connection:
        table(connection, [(1, f"i{n}") for n in range(1_000)])
        query = sql_script(mechanism).replace("> 1.0", "> 0.9")
        assert query != sql_script(mechanism)
        assert len(connection.execute(query).fetchall()) == 2


def test_it_says_what_it_promises_and_what_it_does_not():
    script = sql_script(ThresholdedLaplace(3, 0.5, 1e-6, 4))
    assert "for at most 4 items" in " ".join(script.replace("\n-- ", " ").split())
    assert "max_groups_contributed = 4" in script
    assert "floating-point" in script
    assert "BigQuery" not in sql_script(ThresholdedLaplace(3, 0.5, 1e-6, 4, NeighborRelation.SWAP))


def test_who_has_a_query():
    assert sql_script(Joint(2, 1.0)) is None
    given = {"k": 2, "epsilon": 1.0}
    able = [
        make.__name__
        for make in MECHANISMS.values()
        if sql_script(make(**given, **({"delta": 1e-6} if make.card.takes("delta") else {})))
    ]
    assert able == ["ThresholdedLaplace"]
