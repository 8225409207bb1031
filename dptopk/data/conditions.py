"""Check the conditions on which events of a log are counted: one expression in SQL.

One from a stranger is written anew by `plain_condition`; all are checked for what one cell of
delimited text could change in what they mean of others.
"""

import json
import re
from collections.abc import Collection, Iterator
from itertools import compress
from typing import Any

from dptopk.data.ingest.queries import (
    QueryRunner,
    columns_of,
    first_line,
    literal,
    quoted,
    restricted_connection,
)

_LOOKED_AT = 1_000  # rows with texts known to be dates


def check_condition(run: QueryRunner, sql: str, where: str, named: set[str]) -> None:
    """Raise unless the condition, on columns of these names, can be evaluated on the log."""
    import duckdb

    try:
        run(f"DESCRIBE SELECT * FROM {sql} WHERE ({where}\n)")
    except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException) as error:
        raise not_a_condition(where, error) from error
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


def check_constants(run: QueryRunner, sql: str, where: str, texts: Collection[str]) -> None:
    """Raise if a cell is compared with a constant otherwise than as the type that both seem to be.

    One cell of another kind makes a whole column text, or whole numbers decimals, and would change
    what all others mean.  The columns ``texts``, of users and items, are text whatever they hold.
    """
    kinds = {name.lower(): kind for name, kind in columns_of(run, sql).values()}
    for name, sign, value in _compared(_parsed(where)[0]):
        kind = kinds.get(name.lower())
        is_text, is_quoted = kind == "VARCHAR", value[0] == "'"
        if kind is None or not (is_text or is_quoted):
            continue
        if name.lower() in map(str.lower, texts):
            continue
        cell, as_is = quoted(name), f"{quoted(name)} {sign} {value}"
        value = value if is_quoted else literal(value)
        source = f"(SELECT DISTINCT {cell} FROM {sql})"  # which is faster than all patterns
        if not is_text:  # all cells are of one type, and so must the constant be
            cell, source = f"CAST(TRY_CAST({value} AS {kind}) AS VARCHAR)", "(SELECT 1)"
            sign, as_is = "=", "TRUE"
        differs = ", ".join(
            f"bool_or((TRY_CAST(regexp_extract({cell}, {literal(pattern)}) AS {seeming}) {sign} "
            f"TRY_CAST({value} AS {seeming})) <> ({as_is}))"
            for pattern, seeming in _SEEMING.values()
        )
        seems = " OR ".join(f"TRY_CAST({value} AS {it}) IS NOT NULL" for _, it in _SEEMING.values())
        (found,) = run(f"SELECT {differs} FROM {source} WHERE {seems}")
        for how in compress(_SEEMING, found):
            words = (
                f'column "{name}" is read as {kind}, as which it is compared otherwise with '
                f"{value} than as {how}: compare TRY_CAST({quoted(name)} AS {how}) with "
                f"CAST({value} AS {how})"
            )
            raise not_a_condition(where, ValueError(words))


def _compared(expression: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each column that is compared with a constant, the sign between them, and that."""
    for part in _parts_of(expression):
        sign = _SIGNS.get(part.get("type", ""))
        if sign is None:
            continue
        if "left" in part:
            sides = [part["left"], part["right"]]
            if "literal" in sides[0]:
                sides, sign = sides[::-1], sign.translate(_TURNED)
            pairs = [(sign, sides[1])]
        elif "input" in part:
            sides, pairs = [part["input"]], [(">=", part["lower"]), ("<=", part["upper"])]
        else:
            sides, pairs = part["children"], [(sign, one) for one in part["children"][1:]]
        for sign, other in pairs:
            text, kind = map(other.get("literal", {}).get, ("text", "kind"))
            if "column_names" in sides[0] and text and kind != "BOOLEAN":
                value = literal(text) if kind == "STRING" else text
                yield sides[0]["column_names"][-1], sign, value


_SEEMING = {
    "DOUBLE": (r"^ *-?(0|[1-9]\d*)?([.eE].*)?$", "DECIMAL(38, 9)"),  # exact, and 007 is text
    "TIMESTAMP": (r"^ *\d{4}[-/].*", "TIMESTAMP"),
    "TIME": (r"^ *\d{1,2}:.*", "TIME"),
    "BOOLEAN": ("(?i)^ *(true|false|t|f|yes|no) *$", "BOOLEAN"),
}
"""Types that columns of text may get, with the pattern of their cells and how they are read."""
_SIGNS = {
    **dict.fromkeys(["COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_BETWEEN"], "="),
    **dict.fromkeys(["COMPARE_NOT_IN", "COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"], "="),
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<=",
}
_TURNED = str.maketrans("<>", "><")


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
    reads no other table, file or setting.

    Raises
    ------
    ValueError
        If it does more, or is no condition.
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
    """Return the names of columns in a condition, in small letters.

    Raises
    ------
    ValueError
        If it is no condition.
    """
    return {
        name.lower()
        for part in _parts_of(_parsed(where)[0])
        if part.get("type") == "COLUMN_REF"
        for name in part["column_names"]
    }


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
    asked = "SELECT json_serialize_sql(CAST(? AS VARCHAR))"
    with restricted_connection(threads=1) as parser:
        try:
            found, bare = (
                parser.execute(asked, [sql]).fetchall()[0][0]
                for sql in (f"SELECT {where}\n", "SELECT 1")
            )
            statement, template = json.loads(found), json.loads(bare)
            if statement["error"]:
                raise ValueError(statement["error_message"])
            selected = statement["statements"][0]["node"].get("select_list", [])
            template["statements"][0]["node"]["select_list"] = selected
            if statement != template or len(selected) != 1 or selected[0]["alias"]:
                raise ValueError("it is not one expression")
            ((text,),) = parser.execute("SELECT json_deserialize_sql(?)", [found]).fetchall()
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
