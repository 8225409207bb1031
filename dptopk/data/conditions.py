"""Check the conditions on which events of a log are counted: one expression in SQL.

One from a stranger is written anew by `plain_condition`.  Delimited text has no types, so a
condition's constants say how a column is read, and no cell changes what the others are: see
`as_compared`.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from dptopk.core.numerals import plural
from dptopk.data.ingest import shown
from dptopk.data.ingest.queries import (
    QueryRunner,
    columns_of,
    first_line,
    literal,
    quoted,
    restricted_connection,
)

_LOOKED_AT = 1_000  # rows with texts known to be dates


def check_condition(run: QueryRunner, sql: str, where: str, hint: str = "") -> None:
    """Raise unless the condition can be evaluated on the log; ``hint`` follows what is wrong."""
    import duckdb

    try:
        run(f"DESCRIBE SELECT * FROM {sql} WHERE ({where}\n)")
    except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException) as error:
        raise not_a_condition(where, ValueError(f"{first_line(error)}{hint}")) from error


def check_dates(run: QueryRunner, sql: str, where: str, named: set[str]) -> None:
    """Raise if text in a column of these names is compared as a date and seems to be another."""
    if not _A_DATE.search(where) or "strptime" in where:
        return
    for name, kind in columns_of(run, sql).values():
        if kind == "VARCHAR" and name.lower() in named:
            begin = f"SELECT {quoted(name)} AS c FROM {sql} LIMIT {_LOOKED_AT}"
            dated = run(
                f"SELECT c FROM ({begin}) WHERE regexp_full_match(c, {literal(_NO_DATE)}) LIMIT 1"
            )
            if dated:
                raise not_a_condition(where, ValueError(_COMPARED.format(name, dated[0][0])))


def as_compared(
    run: QueryRunner, sql: str, where: str, texts: Collection[str]
) -> tuple[str, list[str]]:
    """Return the SQL of delimited text with columns as a condition compares them, and notes.

    All columns are text.  One that is compared with numbers, dates, times or TRUE is read as these,
    and its other cells as missing (NULL): so no cell changes how others are read.  The columns
    ``texts``, of users and items, stay text.  A column that is compared with what is no constant or
    with constants of two kinds is refused, and one without any cell of that kind.
    """
    there = {column.name.lower(): column.name for column in columns_of(run, sql).values()}
    kinds: dict[str, str] = {}
    for column, kind in _compared(_parsed(where)[0]):
        name = there.get(column.lower())
        if name is None:  # the whole condition is checked later
            continue
        if name in texts and kind in _SEEMING.values():
            kind = _TEXT
        wrong = ""
        if kinds.setdefault(name, kind) != kind or not kind:
            wrong = "is compared with something else than constants of one kind"
        elif kind != _TEXT and name in texts:
            wrong = "holds names, which are text: write a constant as '7'"
        if wrong:
            raise not_a_condition(where, ValueError(f'column "{name}" {wrong}{HINT}'))
    read = {name: kind for name, kind in kinds.items() if kind != _TEXT}
    if not read:
        return sql, []
    typed, tests = [], []
    for name, kind in read.items():
        cell = quoted(name)
        typed.append(f"TRY_CAST({cell} AS {kind}) AS {cell}")
        other = f"FILTER (TRY_CAST({cell} AS {kind}) IS NULL AND trim({cell}) <> '')"
        tests.append(
            f"count(TRY_CAST({cell} AS {kind})), count({cell}) {other}, min({cell}) {other}"
        )
    (row,) = run(f"SELECT {', '.join(tests)} FROM {sql}")
    notes = []
    for place, (name, kind) in enumerate(read.items()):
        n_read, n_other, example = row[3 * place : 3 * place + 3]
        if n_other:
            such = f'of column "{name}", such as "{shown(example)}"'
            if not n_read:
                words = f"no cell {such}, is {_KINDS[kind]}{HINT}"
                raise not_a_condition(where, ValueError(words))
            words = f"The condition takes for missing what it cannot read as {_KINDS[kind]}"
            notes.append(f"{words}: {plural(n_other, 'cell')} {such}.")
    return f"(SELECT * REPLACE ({', '.join(typed)}) FROM {sql})", notes


HINT = (
    "; cells of text files and workbooks are text: write TRY_CAST(column AS DECIMAL(38, 9)), AS "
    "DOUBLE for more digits, AS TIMESTAMP, the type of a constant, or AS VARCHAR"
)
"""End of the refusal of a condition on delimited text."""


def _compared(expression: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each column that is compared, with the kind of each that it is compared with.

    That is empty for what is no constant.
    """
    for part in [{"type": "OPERATOR_NOT", "children": [expression]}, *_parts_of(expression)]:
        kind, sides = part.get("type", ""), part.get("children", [])
        if kind.startswith("COMPARE_"):
            sides = sides + [part[side] for side in _SIDES if side in part]
            for side in sides:
                if "column_names" in side:
                    name, in_order = side["column_names"][-1], kind not in _EQUAL
                    yield from ((name, _kind(it, in_order)) for it in sides if it is not side)
            continue
        if kind == "OPERATOR_CAST" and _declared(part) == "BOOLEAN" and not part["try_cast"]:
            sides = [part["child"]]  # as IS TRUE has it
        elif part.get("function_name") == "if":
            sides = [it["expression"] for it in part["arguments"][:1]]
        elif not kind.startswith("CONJUNCTION_") and kind != "OPERATOR_NOT":
            sides = [part.get("when_expr", {})]
        for side in sides:
            if "column_names" in side:
                yield side["column_names"][-1], "BOOLEAN"


def _kind(part: dict[str, Any], in_order: bool) -> str:
    """Return as what a column is read that is compared with a constant; empty for others."""
    constant = part.get("literal") or (part.get("child") or {}).get("literal")  # DATE '2026-01-31'
    if constant is None:
        return ""
    text, kind, declared = constant["text"], constant["kind"], _declared(part)
    if "BOOLEAN" in (kind, declared):
        return "BOOLEAN"
    if kind != "STRING":
        return _NUMBER if _FITS.fullmatch(text) and declared != "DECIMAL" else ""
    if declared in _WIDER:  # as which DuckDB would read the text itself, and refuse all for a cell
        return declared
    for pattern, seeming in _SEEMING.items():
        if re.fullmatch(pattern, text):
            return seeming
    unclear = in_order and re.fullmatch(r"[ \d.,+-]+", text)  # as '9' > '10'
    return "" if unclear or declared not in ("", _TEXT, "TEXT", "STRING") else _TEXT


def _declared(part: dict[str, Any]) -> str:
    """Return the type that a part of an expression is cast to; empty for others."""
    name: str = part.get("type_expr", {}).get("type_name", "")
    return name.upper()


_TEXT, _NUMBER = "VARCHAR", "DECIMAL(38, 9)"  # which has no NaN, as DOUBLE has
_FITS = re.compile(r"-?[\d_]{0,29}([.][\d_]{0,9})?|.+e.+", re.IGNORECASE)
"""Pattern of numbers beside which a column stays of that type: all but decimals of more digits."""
_WIDER = ("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS")
_KINDS = dict.fromkeys(("TIMESTAMP", *_WIDER), "a date") | {
    _NUMBER: "a number",
    "TIME": "a time",
    "BOOLEAN": "yes or no",
}
_SEEMING = {r"\d{4}([-/])\d{1,2}\1\d{1,2}([ T].*)?": "TIMESTAMP", r"\d{1,2}:\d\d(:.*)?": "TIME"}
"""Kinds of constants in quotation marks, by how they are written."""
_SIDES = ("left", "right", "input", "lower", "upper")
_EQUAL = {
    *("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN"),
    *("COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"),
}


_A_DATE = re.compile(  # as DuckDB writes one, or another that is put in order
    r"'\d{4}-\d\d-\d\d|(?:<=?|(?<!<)>=?|\bbetween)\s*'\d{1,2}[./]\d{1,2}[./]\d{4}", re.IGNORECASE
)
_NO_DATE = r"\d{1,2}[./]\d{1,2}[./]\d{4}.*"
_COMPARED = (
    'column "{0}" is text such as "{1}", which is not compared as a date: write '
    "strptime({0}, '%d.%m.%Y') with the order and marks of its dates"
)


def plain_condition(where: str) -> str:
    """Return a condition of a stranger, written anew from what DuckDB reads in it.

    It compares columns and constants, by functions that compute: it has no query of its own, and
    reads no other table, file or setting.  One that does more is refused.
    """
    if len(where) > _MOST_PARSED:
        raise ValueError(f"it has more than {_MOST_PARSED:,} characters")
    expression, text = _parsed(where)
    if not all("type" not in part or _is_plain(part) for part in _parts_of(expression)):
        raise ValueError("it does more than compare columns and constants")
    return text


def _parts_of(expression: Any) -> Iterator[dict[str, Any]]:
    """Yield an expression of DuckDB's parser and all expressions in it."""
    parts = [expression]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            yield part


def columns_named(where: str) -> set[str]:
    """Return the names of columns in a condition, in small letters; refuse a query of its own."""
    parts = [*_parts_of(_parsed(where)[0])]
    if any(part.get("type") == "SUBQUERY" for part in parts):
        raise ValueError(OWN_QUERY)
    return {
        name.lower()
        for part in parts
        if part.get("type") == "COLUMN_REF"
        for name in part["column_names"]
    }


OWN_QUERY = (
    "it has a query of its own, by which one user may decide on the events of others, and change a "
    "count by more than 1: write what it finds into a column of the log"
)


def _is_plain(part: dict[str, Any]) -> bool:
    """Return whether a part of an expression is of those listed, and named without a schema."""
    kind = part["type"]
    if kind == "COLUMN_REF":
        return len(part["column_names"]) == 1
    if kind in _PLAIN_NAMES:
        path = part["qualified_name"]["path"]
        return len(path) == 1 and path[0].lower() in _PLAIN_NAMES[kind]
    return kind in _PLAIN_PARTS


def _parsed(where: str) -> tuple[dict[str, Any], str]:
    """Return the one expression that a text is, as DuckDB's parser has it, and as text of it."""
    import duckdb

    if "\0" in where:  # where DuckDB would end it
        raise ValueError("it has a character that is no text")
    query = "SELECT json_serialize_sql(CAST(? AS VARCHAR))"
    with restricted_connection(threads=1) as parser:
        try:
            tree, bare = (
                parser.execute(query, [sql]).fetchall()[0][0]
                for sql in (f"SELECT {where}\n", "SELECT 1")
            )
            statement, template = json.loads(tree), json.loads(bare)
            if statement["error"]:
                raise ValueError(statement["error_message"])
            selected = statement["statements"][0]["node"].get("select_list", [])
            template["statements"][0]["node"]["select_list"] = selected
            if statement != template or len(selected) != 1 or selected[0]["alias"]:
                raise ValueError("it is not one expression")
            ((text,),) = parser.execute("SELECT json_deserialize_sql(?)", [tree]).fetchall()
        except (duckdb.Error, RecursionError) as error:
            raise ValueError(first_line(error)) from error
    return selected[0], _OPERATOR.sub(
        lambda token: _SPELLED.get(token[0], token[0]), text.removeprefix("SELECT ")
    )


_MOST_PARSED = 1_000  # characters: DuckDB's parser takes a second for 1,000 open brackets

_OPERATOR = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[!~*]+")
_SPELLED = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}
"""Operators of DuckDB's own text as people write them, and as SQLite reads them."""

_PLAIN_PARTS = frozenset(
    {"CASE_EXPR", "COMPARE_BETWEEN", "COMPARE_DISTINCT_FROM", "COMPARE_EQUAL", "COMPARE_IN"}
    | {"COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO", "COMPARE_LESSTHAN"}
    | {"COMPARE_LESSTHANOREQUALTO", "COMPARE_NOTEQUAL", "COMPARE_NOT_DISTINCT_FROM"}
    | {"CONJUNCTION_AND", "CONJUNCTION_OR", "OPERATOR_CAST", "OPERATOR_COALESCE"}
    | {"OPERATOR_IS_NOT_NULL", "OPERATOR_IS_NULL", "OPERATOR_NOT", "VALUE_CONSTANT"}
    | {"ORDER_MODIFIER"}  # which every function has, with a list that must be empty
)
"""Kinds of parts of a plain condition, beside columns and what has a name."""

_PLAIN_NAMES = {
    "FUNCTION": frozenset(
        {*"+-*/%", "~~", "!~~", "~~*", "!~~*", "abs", "contains", "date_part", "date_trunc", "day"}
        | {"hour", "length", "lower", "month", "prefix", "quarter", "regexp_matches", "round"}
        | {"strftime", "strptime", "substring", "suffix", "trim", "upper", "week", "weekday"}
        | {"year"}
    ),
    "TYPE": frozenset(
        {"bigint", "bool", "boolean", "date", "decimal", "double", "float", "hugeint", "integer"}
        | {"smallint", "text", "time", "timestamp", "timestamptz", "timestamp with time zone"}
        | {"tinyint", "varchar"}
    ),
}


def not_a_condition(where: str | None, error: Exception) -> ValueError:
    """Return the refusal of a condition, in the words of an error."""
    return ValueError(
        f"where must be a condition in SQL on columns of the log, got {where!r}: "
        f"{first_line(error)}"
    )
