"""Write SQL queries that release noisy counts above a threshold from a table of events."""

import textwrap

from dptopk.core.numerals import plural
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms import Mechanism

NOT_HARDENED = (
    "Its noise comes from the database's random() and floating-point logarithms, which no "
    "guarantee covers exactly: floating-point noise can reveal the count beneath it, and a "
    "random() that is seeded or not cryptographic can be predicted."
)


def sql_script(mechanism: Mechanism) -> str | None:
    """Return SQL for the same release from a table of events; None if it has no such query.

    It is for DuckDB, on which it is tested, or PostgreSQL, on a table ``events`` with the columns
    ``user_id`` and ``item``; where users join or leave, with the same question to BigQuery as a
    comment.
    """
    query = mechanism.sql_query
    if query is None:
        return None
    epsilon, delta = mechanism.guarantee.epsilon, mechanism.guarantee.delta
    return f"""\
-- {mechanism.label}, k = {mechanism.k}, epsilon = {epsilon!r}, delta = {delta!r}.
{_comment(mechanism.guarantee.statement)}
{_comment(NOT_HARDENED)}
-- For DuckDB, where it was tested, and PostgreSQL, where it was not; put your table and columns
-- for events, user_id and item.
WITH pairs AS (
    SELECT DISTINCT user_id, item FROM events WHERE user_id IS NOT NULL AND item IS NOT NULL
), shuffled AS MATERIALIZED (
    SELECT user_id, item, random() AS key FROM pairs
), ordered AS (
    SELECT item, row_number() OVER (PARTITION BY user_id ORDER BY key) AS place FROM shuffled
), counted AS ( -- {plural(query.max_items, "item")} of each user at most, chosen at random
    SELECT item, count(*) AS users FROM ordered WHERE place <= {query.max_items} GROUP BY item
), noisy AS MATERIALIZED ( -- a difference of two exponential variables is a Laplace variable
    SELECT item, users + {query.scale!r} * (ln(1 - random()) - ln(1 - random())) AS noisy_count
    FROM counted
)
SELECT item, noisy_count FROM noisy WHERE noisy_count > {query.threshold!r}
ORDER BY noisy_count DESC LIMIT {mechanism.k};
{_bigquery(mechanism, query.max_items)}"""


def _bigquery(mechanism: Mechanism, max_items: int) -> str:
    """Return the question to BigQuery, as a comment; empty for what it does not protect."""
    guarantee = mechanism.guarantee
    if guarantee.neighbors is not NeighborRelation.ADD_REMOVE:
        return ""
    return f"""\

-- BigQuery has a clause for it. Its noise and threshold are its own: this text was not run there.
--   SELECT WITH DIFFERENTIAL_PRIVACY
--     OPTIONS (epsilon = {guarantee.epsilon!r}, delta = {guarantee.delta!r},
--              max_groups_contributed = {max_items}, privacy_unit_column = user_id)
--     item, COUNT(*, contribution_bounds_per_group => (0, 1)) AS noisy_count
--   FROM events GROUP BY item ORDER BY noisy_count DESC LIMIT {mechanism.k};
"""


def _comment(sentences: str) -> str:
    return textwrap.fill(sentences, 98, initial_indent="-- ", subsequent_indent="-- ")
