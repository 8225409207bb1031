"""Test that a condition of a stranger is one expression that compares, and reads nothing else."""

import operator
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, strategies as st

from dptopk import counts_from_events
from dptopk.data.conditions import plain_condition
from dptopk.data.event_logs import condition_of, open_log
from dptopk.data.events import EventLog

ROWS = [("ann", "tea", 1, "2026-01-05"), ("bob", "It's", -2, "2026-02-01"), ("cy", "TEA", 7, None)]
LOG = "who,what,n,day\n" + "".join(f"{a},{b},{n},{day or ''}\n" for a, b, n, day in ROWS * 3)

# A grammar of harmless conditions: each a text, and what it is of a row, in Python.

NUMBERS = {
    "n": lambda row: row[2],
    "abs(n)": lambda row: abs(row[2]),
    "length(what)": lambda row: len(row[1]),
    "-n * 3 + 2": lambda row: -row[2] * 3 + 2,
    "CAST(n AS BIGINT)": lambda row: row[2],
    "CASE WHEN n > 1 THEN 0 ELSE n END": lambda row: 0 if row[2] > 1 else row[2],
}
TEXTS = {
    "what": lambda row: row[1],
    '"who"': lambda row: row[0],
    "LOWER(what)": lambda row: row[1].lower(),
    "upper(who)": lambda row: row[0].upper(),
    "CAST(n AS VARCHAR)": lambda row: str(row[2]),
    "strftime(day, '%d')": lambda row: row[3] and row[3][-2:],
    "day": lambda row: row[3],
}
WORDS = ["tea", "It's", "%e%", "05", "a -- b", ") /* ", '"', "(SELECT 1)", "\\", "é\n", "~~", "$$"]
SIGNS = {"<": operator.lt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def like(text, pattern):
    return bool(re.fullmatch(".*".join(map(re.escape, pattern.split("%"))), text, re.DOTALL))


def of_text(text, decide):
    """Condition on a text, which is NULL where the text is."""
    return lambda row: None if TEXTS[text](row) is None else decide(TEXTS[text](row))


@st.composite
def comparisons(draw):
    number, bound = draw(st.sampled_from([*NUMBERS])), draw(st.integers(-3, 9))
    text, word = draw(st.sampled_from([*TEXTS][:-1])), draw(st.sampled_from(WORDS))
    sign = draw(st.sampled_from([*SIGNS]))
    said = quoted(word)
    since = "2026-01-31"
    return draw(
        st.sampled_from(
            [
                (f"{number} {sign} {bound}", lambda row: SIGNS[sign](NUMBERS[number](row), bound)),
                (f"{text} = {said}", of_text(text, lambda it: it == word)),
                (f"{text} LIKE {said}", of_text(text, lambda it: like(it, word))),
                (f"{text} NOT LIKE {said}", of_text(text, lambda it: not like(it, word))),
                (f"{text} IN ({said}, 'tea')", of_text(text, lambda it: it in (word, "tea"))),
                (
                    f"{number} BETWEEN -1 AND {bound}",
                    lambda row: -1 <= NUMBERS[number](row) <= bound,
                ),
                (f"day {sign} DATE '{since}'", of_text("day", lambda it: SIGNS[sign](it, since))),
            ]
        )
    )


def both(one, other):
    return False if False in (one, other) else None if None in (one, other) else True


def no(one):
    return None if one is None else not one


def joined(smaller):
    pairs = st.tuples(
        smaller, smaller, st.sampled_from([" ", "\n", "/* ) /* */ */", "-- ) OR (\n"])
    )
    return st.one_of(
        pairs.map(
            lambda it: (
                f"({it[0][0]}){it[2]}AND ({it[1][0]})",
                lambda row: both(it[0][1](row), it[1][1](row)),
            )
        ),
        pairs.map(
            lambda it: (
                f"({it[0][0]}) OR{it[2]}({it[1][0]})",
                lambda row: no(both(no(it[0][1](row)), no(it[1][1](row)))),
            )
        ),
        smaller.map(lambda it: (f"NOT ({it[0]})", lambda row: no(it[1](row)))),
        smaller.map(lambda it: (f"({it[0]}) IS NULL", lambda row: it[1](row) is None)),
    )


PLAIN = st.recursive(comparisons(), joined, max_leaves=6)

# Hostile pieces: operands, and what is put before, after or into a condition.

OPERANDS = [
    *("(SELECT count(*) FROM read_text('secret.txt')) > 0", "EXISTS (FROM read_csv('secret.txt'))"),
    *("n IN (SELECT 1)", "n = ANY (SELECT 1)", "what IN (FROM glob('*'))", "(FROM range(3)) = 1"),
    *("getenv('HOME') = ''", "getvariable('a') IS NULL", "current_setting('threads') = '1'"),
    *("count(*) OVER () > 0", "row_number() OVER () > 0", "sum(n) > 0", "random() > 0"),
    *("main.lower(what) = ''", "system.main.lower(what) = ''", "read_csv.n > 0", "a.b.c.n > 0"),
    *(
        "$1",
        "?",
        "$secret",
        "#1 = 1",
        "COLUMNS('n') > 0",
        "COLUMNS(*) IS NULL",
        "what.lower() = ''",
    ),
    *("list_filter([1], lambda x: x > 0) = []", "list_transform([n], x -> x) = []"),
    *("[x FOR x IN [1]] = []", "{'a': 1}.a = 1", "[n][1] = 1", "what[1] = 'a'", "TRY(n) = 1"),
    *(
        "CAST(n AS my.kind) = 1",
        "CAST(n AS ENUM ('a')) = 'a'",
        "what::JSON IS NULL",
        "n::INT[] = []",
    ),
    *(
        "what COLLATE NOCASE = ''",
        "what GLOB '*'",
        "repeat(what, 999999999) = ''",
        "nextval('s') = 1",
    ),
    *("read_text('secret.txt') = ''", "what IN read_text('secret.txt')", "query('SELECT 1') = 1"),
    *("lower(DISTINCT main.f(what)) = ''", "lower(what ORDER BY n) = ''", "n = DEFAULT"),
]
AFTER = [
    *(") LIMIT (SELECT CAST(content AS BIGINT) FROM read_text('secret.txt')", ") OFFSET (1"),
    *(
        ") ORDER BY (n",
        ") HAVING (1=1",
        ") QUALIFY (1=1",
        ") WINDOW w AS (ORDER BY n",
        "; SELECT (1",
    ),
    *(") USING SAMPLE (10", ") GROUP BY (n", "); COMMIT; (1=1", ") AND (1=1", ") --", " LIMIT 1"),
    *(
        ") UNION ALL SELECT content, content FROM read_text('secret.txt') WHERE (1=1",
        " EXCEPT SELECT 1",
    ),
    *(
        " UNION SELECT 1",
        " FROM read_text('secret.txt')",
        " WHERE 1=1",
        " SELECT 1",
        ", 1",
        " AS x",
    ),
    *(" x", " /*", " '", ' "', " $$", "\0", "\ud800"),
]
BEFORE = [
    *("DISTINCT ", "* , ", "x: ", "1=1) OR (", "(", "1; SELECT ", "FROM t SELECT ", "NOT " * 200),
    "/* ",
]
NOISE = st.sampled_from(
    [*"()';\"$,*#?[]{}:\\\n", "--", "/*", "*/", "$$", "E'", "SELECT ", "(SELECT 1)", "FROM t "]
    + ["read_text('secret.txt')", "LIMIT 1", "OVER ()", "main.", "::", "x -> ", "UNION "]
)

CLASSES = {"BETWEEN", "CASE", "CAST", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"}
CLASSES |= {"FUNCTION", "OPERATOR", "TYPE"}
CALLED = {*"+-*", "~~", "!~~", "abs", "length", "lower", "upper", "strftime"}


def parts_of(text):
    """Classes, functions and types in a condition, as DuckDB itself has them."""
    with duckdb.connect() as parser:
        (found,) = parser.execute("SELECT json_serialize_sql(?)", [f"SELECT {text}"]).fetchone()
    return [set(re.findall(rf'"{key}":"([^"]*)"', found)) for key in ("class", "function_name")]


@pytest.fixture(scope="module")
def count(tmp_path_factory):
    """Count the rows of a log that meet a condition, as the package does."""
    folder = tmp_path_factory.mktemp("conditions")
    (folder / "secret.txt").write_text("hunter2", "utf-8")
    (folder / "log.csv").write_text(LOG, "utf-8")
    duckdb.read_csv(str(folder / "log.csv")).write_parquet(str(folder / "log.parquet"))
    asked = EventLog("log.parquet", "who", "what")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with open_log(asked) as (run, log):
            yield lambda text: run(
                f"SELECT count(*) FROM {log.sql} {condition_of(replace(asked, where=text))}"
            )[0][0]


@given(made=PLAIN)
def test_a_plain_condition_is_run_as_it_was_read(count, made):
    text, expected = made
    rewritten = plain_condition(text)
    classes, called = parts_of(rewritten)
    assert classes <= CLASSES
    assert called <= CALLED
    assert plain_condition(rewritten) == rewritten
    assert count(rewritten) == 3 * sum(expected(row) is True for row in ROWS)


def refused(text):
    with pytest.raises(ValueError, match=r"."):
        plain_condition(text)


@pytest.mark.parametrize("operand", OPERANDS)
def test_an_operand_that_reads_more_is_refused(operand):
    refused(operand)
    refused(f"n > 1 AND CASE WHEN n > 2 THEN ({operand}) END")


AROUND = [*((one, "") for one in BEFORE), *(("", one) for one in AFTER)]


@pytest.mark.parametrize(
    ("before", "after"),
    [*AROUND, ("(" * 70_000, ""), ("-(" * 300, ")" * 300)],
    ids=lambda text: ascii(text)[:30],
)
def test_what_is_no_single_expression_is_refused(before, after):
    refused(f"{before}n > 1{after}")
    refused(f"{before}n > 1{after} --")


@given(made=PLAIN, other=PLAIN, operand=st.sampled_from(OPERANDS), around=st.sampled_from(AROUND))
def test_nothing_hostile_is_accepted_anywhere(made, other, operand, around):
    refused(f"({made[0]}) OR NOT ({operand}) OR ({other[0]})")
    refused(f"{around[0]}{made[0]}{around[1]}")
    refused(f"{around[0]}{made[0]}{around[1]} AND ({other[0]}) /* */")


@given(made=PLAIN, noise=NOISE, share=st.floats(0, 1))
def test_noise_anywhere_is_refused_or_harmless(made, noise, share):
    text = made[0]
    place = int(share * len(text))
    try:
        rewritten = plain_condition(text[:place] + noise + text[place:])
    except ValueError:
        return
    classes, called = parts_of(rewritten)
    assert classes <= CLASSES
    assert called <= CALLED


@pytest.mark.parametrize(
    ("where", "written"),
    [
        (
            "day >= '2026-01-01' AND x IN ('a', 'b') -- so",
            "((\"day\" >= '2026-01-01') AND (x IN ('a', 'b')))",
        ),
        ("year(day) = 2026 OR NOT x IS NULL", '(("year"("day") = 2026) OR (NOT (x IS NULL)))'),
        ("x NOT ILIKE 'a~~b' ", "(x NOT ILIKE 'a~~b')"),
        ("E'a\\'' = \"x~~\" OR $$)$$ = x", "(('a''' = \"x~~\") OR (')' = x))"),
    ],
)
def test_a_plain_condition_is_written_anew(where, written):
    assert plain_condition(where) == written


def test_a_condition_of_a_sqlite_file_is_of_its_own_sql(tmp_path):
    file = tmp_path / "log.db"
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE log (who, what, n, day)")
        base.executemany("INSERT INTO log VALUES (?, ?, ?, ?)", ROWS)
    for where in ("what NOT LIKE 't%' OR n > 5", "strftime('%Y', day) = '2026' AND n % 2 = 0"):
        given_text = counts_from_events(file, "who", "what", where)
        assert dict(counts_from_events(file, "who", "what", plain_condition(where))) == dict(
            given_text
        )
    for where in ("day >= CAST('2026-01-31' AS date)", plain_condition("day > DATE '2026-01-31'")):
        with pytest.raises(ValueError, match="SQLite has no dates, compare text"):
            counts_from_events(file, "who", "what", where)


COPIED = "1=1); COPY (SELECT 42) TO 'written.csv'; "


@pytest.mark.parametrize(
    "where",
    [
        *("1=1) LIMIT (1", "1=1) UNION ALL SELECT 'a', 'b' WHERE (1=1", "1, 2"),
        *(f"{COPIED}--", f"{COPIED}SELECT (1"),
    ],
)
def test_a_typed_condition_is_one_expression(tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG, "utf-8")
    with pytest.raises(ValueError, match="where must be a condition in SQL"):
        counts_from_events("log.csv", "who", "what", where)
    assert [path.name for path in Path().iterdir()] == ["log.csv"]


def test_only_the_files_of_a_log_are_open(tmp_path):
    (tmp_path / "log[1]*.csv").write_text(LOG, "utf-8")
    (tmp_path / "secret.csv").write_text("who\nhunter2\n", "utf-8")
    secret = f"read_csv('{tmp_path / 'secret.csv'}')"
    base = tmp_path / "log.duckdb"
    with duckdb.connect(str(base)) as made:
        made.execute("CREATE TABLE log AS SELECT 'ann' AS who, 'tea' AS what")
        made.execute(f"CREATE VIEW spy AS SELECT who, who AS what FROM {secret}")
    assert dict(counts_from_events(base, "who", "what", table="log")) == {"tea": 1}
    with pytest.raises(ValueError, match="file system operations are disabled") as caught:
        counts_from_events(base, "who", "what", table="spy")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(ValueError, match="it has a query of its own") as caught:
        counts_from_events(tmp_path / "log[[]1][*].csv", "who", "what", f"who IN (FROM {secret})")
    assert "hunter2" not in str(caught.value)


def in_database(connect, file):
    with closing(connect(file)) as base:
        base.execute("CREATE TABLE log (who VARCHAR, what VARCHAR)")
        base.executemany("INSERT INTO log VALUES (?, ?)", [(f"u{n}", "tea") for n in range(10)])
        base.execute("CREATE VIEW many AS SELECT what FROM log GROUP BY what HAVING count(*) > 9")
        base.commit()


@pytest.mark.parametrize("connect", [duckdb.connect, sqlite3.connect])
@pytest.mark.parametrize(
    "where",
    [
        "what IN (SELECT what FROM log GROUP BY what HAVING count(DISTINCT who) > 9)",
        "who <> 'ann' AND (SELECT count(*) FROM log) > 9",
        "NOT EXISTS (SELECT 1 FROM log AS o WHERE o.who > log.who)",
        "what IN many",
        "count(*) OVER () > 9",
        "count(*) > 9",
    ],
)
def test_no_user_decides_by_a_condition_on_the_events_of_others(tmp_path, connect, where):
    """Promises are that one user changes each count by at most 1."""
    file = tmp_path / "log.db"
    in_database(connect, str(file))
    with pytest.raises(ValueError, match="where must be a condition in SQL"):
        counts_from_events(file, "who", "what", where, table="log")


AMOUNTS = ("5", "9", "10", "100", "20")
DAYS = [f"2026-0{n}-1{n}" for n in range(1, 10)]


@pytest.mark.parametrize(
    ("cells", "more", "where", "n"),
    [
        (AMOUNTS, "NA", "amount > 9", 30),
        (AMOUNTS, "NaN", "9 < amount and amount is not null", 30),
        (AMOUNTS, "10.5", "amount between 9 and -9 or amount in (5, 10.0)", 20),
        (AMOUNTS, "x", "amount > '9'", None),
        (AMOUNTS, "x", "amount like '10%' and amount <> '10'", 10),
        (AMOUNTS, "x", "amount > 9 and amount <> 'x'", None),
        (("5", "9.4", "10"), "1_000", "amount > 9", 33),
        (("5", "9.4", "9"), "007", "amount = 9", 16),
        (("7", "7.0"), "x", "amount in ('7', '9')", 25),
        (("07", "7"), "x", "amount = '7'", 25),
        (("07", "7"), "x", "amount = 7", 50),
        (AMOUNTS, "x", "amount > 1_000 or amount > 0.000000001", 50),
        (AMOUNTS, "x", "amount > 0.0000000001", None),
        (AMOUNTS, "x", "amount between 0.12345678901 and 50", None),
        (AMOUNTS, "x", "try_cast(amount as double) > 0.0000000001", 50),
        (AMOUNTS, "x", "amount <> 123456789012345678901234567890", None),
        (AMOUNTS, "x", "amount <> 9::DECIMAL(38, 20) or amount = INTEGER '9'", None),
        (("5", "9"), "x", "amount < b", None),
        (("5", "9"), "x", "greatest(amount, b) = b", None),
        (("5", "9"), "x", "case when amount < b then 1 else 0 end = 1", None),
        (("5", "9"), "x", "try_cast(amount as decimal) < try_cast(b as decimal)", 50),
        (("1.50", "1.5"), "x", "amount || '' = '1.5'", 25),
        (("1.50", "1.5"), "x", "abs(amount) > 1", None),
        (("1.50", "1.5"), "x", "what = 7", None),
        (("1.50", "1.5"), "x", "what <> '2026-01-05' and who > '10:00'", 51),
        (DAYS, "n/a", "amount < '2026-3-1'", 12),
        (DAYS, "n/a", "amount >= DATE '2026-03-01'", 38),
        (DAYS, "n/a", "amount >= TIMESTAMPTZ '2026-03-01'", 38),
        (DAYS, "n/a", "amount >= TIMESTAMP WITH TIME ZONE '2026-03-01'", 38),
        (DAYS, "3026-01-01", "amount < TIMESTAMP_NS '2026-03-01'", 12),
        (DAYS, "n/a", "amount < TIMESTAMPTZ '2026-03-01' or amount > '2026-03-02'", None),
        (DAYS, "n/a", "amount >= DATE 'yesterday'", None),
        (DAYS, "n/a", "amount >= current_date", None),
        (DAYS, "2026-01-05 10:00", "cast(amount as varchar) like '%-11'", 6),
        (DAYS, "2026-01-05 10:00", "amount < '2026-03-13 12:00'", 18),
        (["2026-01-05 00:00:00"], "n/a", "amount <= '2026-01-05'", 50),
        (("13.02.2026", "2026-02-13"), "n/a", "amount <= '2026-02-13'", None),
        (["5 €", "6 €"], "n/a", "amount > 6", None),
        (("9:30", "10:30"), "n/a", "amount < '10:00'", 25),
        (("true", "1"), "x", "amount = '1'", 25),
        (("true", "false"), "maybe", "amount", 25),
        (("true", "false"), "maybe", "not amount or amount = false", 25),
        (("true", "false"), "maybe", "amount is true or if(amount, false, false)", 25),
        (("true", "false"), "maybe", "amount is not true and amount is distinct from true", 26),
        (("true", "false"), "maybe", "if(amount, b > 9, false)", 25),
        (("true", "false"), "maybe", "amount = BOOLEAN 'true'", 25),
        (("Yes", "no"), "maybe", "amount <> 'yes'", 50),
        (("a", "b"), "7", "amount = 'a'", 25),
    ],
)
def test_one_cell_of_text_changes_nothing_of_what_a_condition_means(
    tmp_path, cells, more, where, n
):
    """Constants say how a column is read; what they do not say is refused, whatever the cells."""
    rows = [f"u{n},tea,{cells[n % len(cells)]},10" for n in range(50)]
    rows.append("zoe,tea,,")
    for some in (rows, [*rows, f"eve,tea,{more},{more}"]):
        file = tmp_path / "log.csv"
        file.write_text("\n".join(["who,what,amount,b", *some]))
        if n is None:
            with pytest.raises(ValueError, match=r"where must be .* TRY_CAST|: write strptime"):
                counts_from_events(file, "who", "what", where)
        else:
            found = counts_from_events(file, "who", "what", where, items=["tea"])
            assert 0 <= dict(found)["tea"] - n <= (len(some) > len(rows))


def test_what_a_condition_cannot_read_is_told(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("who,what,n\nann,tea,12\nbob,tea,n/a\ncy,tea,\n")
    counts = counts_from_events(file, "who", "what", "n > 9 or n is null")
    assert dict(counts) == {"tea": 3}
    said = 'for missing what it cannot read as a number: 1 cell of column "n", such as "n/a".'
    assert said in " ".join(counts.report.sentences)
