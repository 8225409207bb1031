"""Count the distinct users of each item, as SQL on rows of users and items.

Each user counts once for an item, however many rows there are, so that one user changes each count
by at most 1; that is what every promise here rests on.  A promise for users of at most m items
holds only where every user's items are cut to m before they are counted ("contribution bounding",
Wilson et al. 2020, https://doi.org/10.2478/popets-2020-0025): a keyed hash chooses which are kept,
by nothing but the user's own items.

Names of items are told apart in Python, once for each different name; users, of whom there may be
a hundred times as many, in SQL.  The tables are temporary ones of the connection: dptopk_pairs (the
distinct pairs of user u and item i, of n rows) and dptopk_sizes (users u of m items each).
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import filterfalse
from typing import NamedTuple

import numpy as np

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.core.packed_names import ItemNames
from dptopk.data.ingest._columns import is_time
from dptopk.data.ingest._error import Ambiguity, Dialogue, IngestError, NothingLeftError, Reply
from dptopk.data.ingest._items_of_users import (
    HALF,
    MOST_CELLS,
    MOST_EXPLAINED,
    UNITS,
    CountsByBound,
    ItemsOfUsers,
    bound_steps,
    checked_bounds,
    pairs_said,
    weights_of,
)
from dptopk.data.ingest._missing import MISSING_WORDS, answer_missing
from dptopk.data.ingest._names import NO_DECIMALS, POINTED, Spelling, list_said, spell
from dptopk.data.ingest._numbers import is_suppressed
from dptopk.data.ingest._plain import SPACES, shown
from dptopk.data.ingest._report import Contribution, IngestReport, IngestResult
from dptopk.data.ingest._tables import like_a_number
from dptopk.data.ingest.queries import QueryRunner, literal

_BYTES_OF_PAIR = 64  # of memory for a pair of a user and an item while pairs are told apart
_EDGES = f"^[{SPACES}]|[{SPACES}]$"
BARE = f"trim(CAST(u AS VARCHAR), {literal(SPACES)})"
"""A user in SQL, without spaces around the name."""


class Rows(NamedTuple):
    """Rows of users and items."""

    sql: str  # has columns u and i, one row an event
    user: str  # what the columns are called
    item: str
    user_is_text: bool  # whether spaces and words for a missing value count in users
    words: str  # what the data are called in messages
    name: str  # and as counts
    needed: int = 0  # bytes of memory for the pairs, at most, about; 0: it follows from the rows
    counted: bool = False  # whether a row is a pair, and has a column n, its number of events
    met: str = ""  # " that meet the condition", if there is one
    order: Sequence[str] | None = None  # of items, by their names before these are cleaned


class Pairs(NamedTuple):
    """Distinct pairs of users and items, with how their names were read."""

    n_rows: int
    n_kept: int
    n_pairs: int
    spelling: Spelling
    order: Sequence[str] | None  # of names, None for by name
    on_list: str  # how they differ from a public list
    of_users: ItemsOfUsers
    parts: list[str]  # conditions on users u, who meet one each: pairs of a part fit into memory


def count_users(
    run: QueryRunner,
    rows: Rows,
    dialogue: Dialogue,
    max_items: int | None = None,
    key: str = "",
    by_bound: bool | Sequence[int] | None = False,
    keep_unused: bool = False,
) -> IngestResult:
    """Count users per item: distinct pairs without missing names, on the list, bounded.

    ``max_items`` and ``key`` are those of `counts_from_events`; ``by_bound`` counts under every
    bound as well, or under these (None: if they are not very many).  Items are in the order of the
    rows, else by name.  With ``keep_unused``, names that no user has count 0, as those of a public
    list do; else they are left out.  The report says nothing of how the rows were read.
    """
    every = None
    with ExitStack() as stack:
        for made in ("pairs", "sizes", "listed", "clean"):
            stack.callback(run.connection.execute, f"DROP TABLE IF EXISTS dptopk_{made}")
        pairs = _distinct_pairs(run, rows, dialogue, max_items is not None)
        kept = ["SELECT i, 1 AS c FROM dptopk_pairs"]
        if max_items is not None and pairs.of_users.sizes[-1] > max_items:
            kept = [_bounded(max_items, key, part) for part in pairs.parts]
        users = "CAST(sum(c) AS BIGINT)"
        until = 1.0 if by_bound is False else 0.9
        tally: Counter[str] = Counter()
        for done, of_part in enumerate(kept, 1):
            of_items = run(
                f"SELECT i, {users} FROM ({of_part}) GROUP BY i",
                until=0.8 + (until - 0.8) * done / len(kept),
            )
            tally.update(dict(of_items))
        items = [*(sorted(tally) if pairs.order is None else pairs.order)]
        if dialogue.listed is None and not keep_unused:
            items = [name for name in items if name in tally]
        some = {str(user).strip() for (user,) in run("SELECT u FROM dptopk_sizes LIMIT 1000")}
        notes = [] if keep_unused else _not_a_log(some, rows, pairs, tally)
        times = len(some) > 1 and all(map(is_time, some))
        if by_bound is None:
            by_bound = len(items) * len(bound_steps(pairs.of_users)) <= MOST_CELLS
        if by_bound is not False:
            bounds = None if by_bound is True else by_bound
            every = _under_bounds(run, rows.name, pairs, bounds, key, items)
    left_out = pairs.n_pairs - sum(tally.values())
    sentence = pairs_said(pairs.n_kept, pairs.n_pairs, pairs.of_users, max_items, left_out)
    spelling = pairs.spelling
    taken = f'column "{shown(rows.user)}", taken for users, holds dates or times'
    report = IngestReport(
        rows_read=pairs.n_rows,
        rows_kept=pairs.n_kept,
        changes=(*dialogue.notes, *sentence, *filter(None, [spelling.alike]), *notes),
        contribution=Contribution.COUNTED,
        questions=tuple(dialogue.questions),
        items_of_users=pairs.of_users,
        max_items=max_items,
        on_list=pairs.on_list,
        cut=sentence[-1] if left_out else "",
        by_bound=every,
        of_users=taken if times else "",
    )
    if every is not None and max_items is None:
        return IngestResult(every.counts, report)
    packed = ItemNames(items) if every is None else every.counts.items  # once
    counts = ItemCounts([tally.get(one, 0) for one in items], packed, rows.name)
    return IngestResult(counts, report)


def _not_a_log(users: set[str], rows: Rows, pairs: Pairs, tally: Mapping[str, int]) -> list[str]:
    """Return a sentence where each row has an item of its own, and for a user what counts are."""
    if not 1 < len(tally) == pairs.n_kept == pairs.n_pairs:
        return []
    others = [*filterfalse(like_a_number, users)]
    if len(others) == len(users) or not all(map(is_suppressed, others)):
        return []
    return [
        f'No item occurs twice, so that every count is at most 1: if column "{rows.user}" holds '
        "counts of users and does not name them, read this as a table of counts instead (--data, "
        "or ItemCounts in Python)."
    ]


def _distinct_pairs(run: QueryRunner, rows: Rows, dialogue: Dialogue, bounded: bool) -> Pairs:
    """Make the distinct pairs of users and items: without missing names, and on the list."""
    # 1. the distinct pairs of a user and an item, with their number of rows
    parts = _parts(run, rows)
    run.kind = "TEMP TABLE" if len(parts) == 1 else "TABLE"
    n, group = ("n", "") if rows.counted else ("count(*)", "GROUP BY ALL")
    for done, part in enumerate(parts, 1):
        into = f"CREATE OR REPLACE {run.kind} dptopk_pairs AS"
        run(
            f"{into if done == 1 else 'INSERT INTO dptopk_pairs'} SELECT u, coalesce(i, '') AS i, "
            f"{n} AS n FROM ({rows.sql}) WHERE {part} {group}",
            until=0.7 * done / len(parts),
        )
    ((n_rows, n_pairs),) = run(_SIZE)
    if not n_pairs:
        raise IngestError(f"There are no events{rows.met} in {rows.words}.")
    # 2. without those that miss a user or an item, under one spelling, and on the list
    named = _spelled(run, rows, dialogue, bounded)
    ((n_kept, n_pairs),) = run(_SIZE)
    if not n_pairs:
        raise NothingLeftError(
            f"No event of {rows.words} names a user and an item"
            f"{'' if dialogue.listed is None else ' of the list'}: choose other columns."
        )
    # 3. how many items each user has
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_sizes AS "
        "SELECT u, count(*) AS m FROM dptopk_pairs GROUP BY u",
        until=0.8,
    )
    levels = run("SELECT m, count(*) FROM dptopk_sizes GROUP BY m ORDER BY m")
    of_users = ItemsOfUsers(tuple(m for m, _ in levels), tuple(n for _, n in levels))
    return Pairs(n_rows, n_kept, n_pairs, *named, of_users, parts)


_SIZE = "SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*) FROM dptopk_pairs"


_WHOLE = (
    "TRY_CAST(u AS DOUBLE) = trunc(TRY_CAST(u AS DOUBLE)) AND abs(TRY_CAST(u AS DOUBLE)) < 9e15"
)
_FLOATS = "FROM dptopk_pairs WHERE typeof(u) IN ('FLOAT', 'DOUBLE') AND u IS NOT NULL"


def _spelled(
    run: QueryRunner, rows: Rows, dialogue: Dialogue, bounded: bool
) -> tuple[Spelling, Sequence[str] | None, str]:
    """Put all names under one spelling, without missing ones and those that are not listed."""
    totals = dict(run("SELECT i, CAST(sum(n) AS BIGINT) FROM dptopk_pairs GROUP BY i"))
    named = sorted(totals) if rows.order is None else rows.order
    n_of = {name: totals.get(name, 0) for name in named}
    # 1. missing names
    nobody = missing_user("u", rows.user_is_text, spelled=False)
    unnamed = missing_user("u", rows.user_is_text)
    of_users = Counter(
        dict(
            run(
                f"SELECT coalesce({BARE}, ''), CAST(sum(n) AS BIGINT) FROM (SELECT u, sum(n) AS n "
                f"FROM dptopk_pairs GROUP BY u) WHERE {unnamed} GROUP BY 1 ORDER BY 1 DESC"
            )
        )
    )
    leave_out, renamed = answer_missing(
        (rows.item, rows.user),
        n_of,
        of_users,
        lambda: dict(run("SELECT i, count(*) FROM dptopk_pairs GROUP BY i")),
        dialogue,
    )
    # 2. spaces, what cannot be seen, the list, and names that look alike
    without, user = unnamed if leave_out else nobody, "u"
    if rows.user_is_text:
        kept = f"({without}) IS NOT TRUE"
        user = _users_spelled(run, kept, dialogue, bounded)
    elif (all_whole := run(f"SELECT bool_and({_WHOLE}) {_FLOATS}")[0][0]) is not None:
        # pandas makes floats of whole numbers with gaps: a bound keeps the same items in any file,
        # and one user of another number changes nothing of the others
        user = "CAST(u AS BIGINT)"
        if not all_whole:
            user = f"CASE WHEN {_WHOLE} THEN CAST({user} AS VARCHAR) ELSE CAST(u AS VARCHAR) END"
    alike_of = partial(_alike_of, run) if dialogue.normalize else None
    spelling = spell(n_of, renamed, dialogue, alike_of=alike_of)
    if dialogue.normalize:
        ((before,),) = run(f"SELECT count(DISTINCT {user}) FROM dptopk_pairs WHERE NOT ({nobody})")
        user = _alike(f"CAST({user} AS VARCHAR)")
        ((after,),) = run(f"SELECT count(DISTINCT {user}) FROM dptopk_pairs WHERE NOT ({nobody})")
        dialogue.notes.append(
            f"Names were put in lower case with single spaces: {plural(before, 'user')} became "
            f"{after:,}, {plural(spelling.n_before, 'item')} {len(spelling.sizes):,}."
        )
    names, others, on_list = spelling.listed, False, ""
    if names is not None:
        merged: Counter[str] = Counter()
        for name, size in spelling.sizes.items():
            merged[spelling.heirs.get(name, name)] += size
        on_list = list_said(names, merged, dialogue)
        dialogue.notes.append(on_list)
        others = bool(merged.keys() - {*names})
    # 3. the pairs under these names
    if spelling.renamed or user != "u" or of_users:
        _rename(run, spelling.renamed, user, without)
    if others:
        run("CREATE OR REPLACE TEMP TABLE dptopk_listed AS SELECT unnest(?) AS i", [names])
        run(
            f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT * FROM dptopk_pairs "
            "WHERE i IN (SELECT i FROM dptopk_listed)"
        )
    if names is None and rows.order is not None:
        names = [*dict.fromkeys(spelling.heirs.get(name, name) for name in spelling.sizes)]
    return spelling, names, on_list


def missing_user(user: str, is_text: bool, spelled: bool = True) -> str:
    """Return the SQL of whether a user is missing: blank, or a word for a missing value."""
    if not is_text:
        return f"{user} IS NULL"
    space = f"[{SPACES}]*"  # RE2 takes a tenth of the time of trim() and lower()
    words = "|".join(map(re.escape, sorted(MISSING_WORDS))) if spelled else ""
    return (
        f"{user} IS NULL OR regexp_full_match({user}, {literal(f'(?i){space}(?:{words})?{space}')})"
    )


def without_point(user: str) -> str:
    """Return the SQL of a user who is text, without the decimals of a whole number."""
    bare = f"regexp_replace({user}, {literal(NO_DECIMALS)}, '', 'g')"
    return f"CASE WHEN regexp_full_match({user}, {literal(POINTED)}) THEN {bare} ELSE {user} END"


def _users_spelled(run: QueryRunner, kept: str, dialogue: Dialogue, bounded: bool) -> str:
    """Return the SQL of users, who are text, under one spelling.

    Without spaces around them; whole numbers alike whether a program wrote them as 1 or 1.0, each
    by itself: what one user is called changes nothing of the others.
    """
    notes, user = dialogue.notes, "u"
    users = f"(SELECT u FROM (SELECT DISTINCT u FROM dptopk_pairs) WHERE {kept})"
    spaced = f"regexp_matches(u, {literal(_EDGES)})"
    ((some_spaces, some_points, some_mail),) = run(
        f"SELECT bool_or({spaced}), bool_or(u LIKE '%.0%' OR u LIKE '%,0%'), "
        f"bool_or(u LIKE '%@%') FROM {users}"
    )
    if some_spaces:
        user = BARE
        ((n_spaced,),) = run(f"SELECT count(DISTINCT {user}) FROM {users} WHERE {spaced}")
        notes.append(f"{plural(n_spaced, 'user')} had spaces around the name, now removed.")
    if some_points:
        bare = without_point(user)
        ((n_points,),) = run(f"SELECT count(DISTINCT {user}) FROM {users} WHERE {user} <> {bare}")
        if n_points:
            user = bare
            what = "the decimal mark of a whole number, as in 7.0, now read as 7"
            notes.append(f"{plural(n_points, 'user')} had {what}.")
    if dialogue.normalize or not some_mail:  # which merges them
        return user
    alike = f"CASE WHEN {user} LIKE '%@%' THEN lower({user}) ELSE {user} END"
    ((n_users, n_alike),) = run(
        f"SELECT count(DISTINCT {user}), count(DISTINCT lower({user})) FROM {users} "
        f"WHERE {user} LIKE '%@%'"
    )
    if n_alike == n_users:  # one more may differ so, which shall move no item under a bound
        return alike if dialogue.answers.get("users_alike") == Reply.MERGE else user
    who = plural(n_users - n_alike, "user differs", "users differ")
    what = f"{who} from another only by the case of letters in an e-mail address"
    pairs = f"FROM dptopk_pairs WHERE {kept}"
    (((n_pairs,),), ((n_pairs_alike,),)) = (
        run(f"SELECT count(*) FROM (SELECT DISTINCT {one}, i {pairs})") for one in (user, alike)
    )
    question = Ambiguity(
        "users_alike",
        f"{what}.",
        {Reply.APART: "each is a user of its own", Reply.MERGE: "they are the same user"},
        Reply.APART,
        needed=False,
        matters=bounded or n_pairs > n_pairs_alike,
    )
    if dialogue.ask(question) == Reply.MERGE:
        notes.append(f"{what}: they were counted as the same user.")
        return alike
    notes.append(
        f'{what}: each was counted as a user of its own. To merge them: users_alike="merge".'
    )
    return user


def _rename(run: QueryRunner, clean: dict[str, str], user: str, without: str) -> None:
    """Rebuild the pairs under other names of items and users, without those that have none.

    After DELETE, DuckDB (2.0) would hold 16 kB in memory for every 2,048 rows that lost one.
    """
    item, named, kept = "i", "", f"({without}) IS NOT TRUE"
    if clean:
        run(
            "CREATE OR REPLACE TEMP TABLE dptopk_clean AS SELECT unnest(?) AS i, unnest(?) AS c",
            [[*clean], [*clean.values()]],
        )
        item, named = "coalesce(c, i)", "LEFT JOIN dptopk_clean USING (i)"
        kept += " AND (c IS NULL OR c <> '')"
    n, group = "CAST(sum(n) AS BIGINT) AS n", "GROUP BY ALL"
    if user == "u" and not clean:
        n, group = "n", ""
    run(
        f"CREATE OR REPLACE {run.kind} dptopk_pairs AS SELECT {user} AS u, {item} AS i, {n} "
        f"FROM dptopk_pairs {named} WHERE {kept} {group}"
    )


def _parts(run: QueryRunner, rows: Rows) -> list[str]:
    """Return conditions on users ``u`` that part a log so that the pairs of each fit into memory.

    One that holds for all, where they all fit, or where the engine is not ours.
    """
    if not run.on_disk:
        return ["TRUE"]
    needed = rows.needed
    if not needed:
        ((n_rows,),) = run(f"SELECT count(*) FROM ({rows.sql})")
        needed = _BYTES_OF_PAIR * n_rows
    ((limit,),) = run("SELECT parse_formatted_bytes(current_setting('memory_limit'))")
    n_parts = max(math.ceil(needed / limit), 1)
    return [f"hash(u) % {n_parts} = {part}" for part in range(n_parts)] if n_parts > 1 else ["TRUE"]


def _under_bounds(
    run: QueryRunner,
    name: str,
    pairs: Pairs,
    bounds: Sequence[int] | None,
    key: str,
    items: Sequence[str],
) -> CountsByBound:
    steps = bound_steps(pairs.of_users) if bounds is None else checked_bounds(bounds)
    steps = [*(step for step in steps if step < pairs.of_users.sizes[-1])]
    steps.append(pairs.of_users.sizes[-1])
    every = "FROM dptopk_pairs JOIN dptopk_sizes USING (u)"
    # a pair in place r of its user's m is kept under bounds from r on
    place_of_user = f"row_number() OVER (PARTITION BY u ORDER BY {_hash(key)}, i) AS r"
    kept = ", ".join(f"count(*) FILTER (WHERE r <= {step}) AS c{step}" for step in steps)
    place = {item: n for n, item in enumerate(items)}
    made = np.zeros((4, len(steps), len(items)), dtype=np.int64)
    values, sums = made[0], made[1:]
    for done, part in enumerate(pairs.parts, 1):
        item, *of_bounds = run.columns(
            f"SELECT i, {kept} FROM (SELECT i, {place_of_user} FROM dptopk_pairs WHERE {part}) "
            "GROUP BY i",
            until=0.9 + 0.05 * done / len(pairs.parts),
        )
        values[:, [*map(place.__getitem__, item)]] += of_bounds
    weight = f"CAST(round({UNITS} / sqrt(m)) AS BIGINT)"
    low = f"{weight} % {HALF}"
    step_of = " ".join(f"WHEN m <= {step} THEN {n}" for n, step in enumerate(steps))
    item, step, *columns = run.columns(
        f"SELECT i, CASE {step_of} END AS step, count(*) AS n, "
        f"CAST(sum(({weight} - {low}) / {HALF}) AS BIGINT) AS high, "
        f"CAST(sum({low}) AS BIGINT) AS low {every} GROUP BY 1, 2"
    )
    sums[:, step, [*map(place.__getitem__, item)]] = columns
    counts = ItemCounts(values[-1], ItemNames(items), name)
    largest = counts.order[:MOST_EXPLAINED]
    of_holders = run(
        f"SELECT i, m, count(*) {every} WHERE i IN (SELECT unnest(?)) GROUP BY ALL ORDER BY ALL",
        [[items[position] for position in largest]],
        until=1.0,
    )
    of_item: dict[int, list[tuple[int, int]]] = {int(position): [] for position in largest}
    for item, size, n in of_holders:
        of_item[place[item]].append((size, n))
    holders = {p: (*np.array(rows, np.int64).reshape(-1, 2).T,) for p, rows in of_item.items()}
    weights = weights_of(steps, values, sums)
    return CountsByBound(counts, tuple(steps), values, weights, pairs.of_users, holders)


def _bounded(max_items: int, key: str, part: str) -> str:
    """Return the SQL of bounded pairs of some users: all items, or the first by a keyed MD5."""
    pairs = "FROM dptopk_pairs JOIN dptopk_sizes USING (u)"
    # a window, as DuckDB has those on disk where memory ends, which it has not of min_by()
    return (
        f"SELECT i, 1 AS c {pairs} WHERE {part} AND m <= {max_items} UNION ALL SELECT i, 1 FROM "
        f"(SELECT i, row_number() OVER (PARTITION BY u ORDER BY {_hash(key)}, i) AS r {pairs} "
        f"WHERE {part} AND m > {max_items}) WHERE r <= {max_items} "
        f"UNION ALL SELECT DISTINCT i, 0 FROM dptopk_pairs WHERE {part}"
    )


def _hash(key: str) -> str:
    """Return the SQL of the keyed hash in whose order, and then by name, items are kept."""
    return f"md5_number(concat({literal(key)}, chr(31), CAST(u AS VARCHAR), chr(31), i))"


def _alike(cell: str) -> str:
    """Return the SQL of text in lower case, with single spaces and normalized accents."""
    return f"lower(trim(regexp_replace(nfc_normalize({cell}), '\\s+', ' ', 'g'), ' '))"


def _alike_of(run: QueryRunner, names: list[str]) -> dict[str, str]:
    """Return the names in lower case, with single spaces and normalized accents."""
    run("CREATE OR REPLACE TEMP TABLE dptopk_listed AS SELECT unnest(?) AS i", [names])
    return dict(run(f"SELECT i, {_alike('i')} FROM dptopk_listed"))
