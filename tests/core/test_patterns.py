"""Test that regular expressions take time proportional to the length of their input.

Each is tried with long repeats of whatever it could match, so that a pattern of quadratic time
takes a second and one of linear time a thousandth: a limit for each text tells them apart.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes, _parser as parser

import pytest
import worker_calls

from dptopk.core.worker_process import CallLimits, WorkerError, Workers

ROOT = Path(__file__).resolve().parents[2]
N = 40_000  # characters
SECONDS = 0.3  # of the processor, for one of the texts
LIMITS = CallLimits(seconds=30.0, elapsed=600.0, memory=2**30)
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub")


def patterns() -> Iterator[tuple[str, re.Pattern, str]]:
    """Every pattern of the package and every method it is used by, with its place."""
    for path in sorted(ROOT.glob("dptopk/**/*.py")):
        source = path.read_text(encoding="utf-8")
        if "import re\n" not in source:
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        tree = ast.parse(source)
        kept = vars(importlib.import_module(name))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            method, owner = node.func.attr, node.func.value
            where = f"{name}:{node.lineno}"
            if isinstance(owner, ast.Name) and owner.id == "re" and method in METHODS:
                yield where, re.compile(_text(node.args[0], kept)), method
        for constant, value in kept.items():
            for one in _compiled(value):
                used = set(
                    re.findall(rf"\b{constant}(?:\[\w+\])?\.({'|'.join(METHODS)})\b", source)
                )
                for method in sorted(used) or ["search"]:  # taken out of a table: at worst
                    yield f"{name}.{constant}", one, method


def _text(pattern: ast.expr, kept: dict) -> str | bytes:
    """A pattern that is written where it is used; what stands in its braces may be anything."""
    if isinstance(pattern, ast.JoinedStr):
        return "".join(
            _text(part.value, kept) if isinstance(part, ast.FormattedValue) else part.value
            for part in pattern.values
        )
    if isinstance(pattern, ast.Constant):
        return pattern.value
    return kept[pattern.id] if isinstance(pattern, ast.Name) and pattern.id in kept else "x"


def _compiled(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _compiled(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _compiled(one)


def _sample(tree) -> str:
    """A short text that a part of a pattern matches."""
    said = ""
    for code, given in tree:
        if code is codes.LITERAL:
            said += chr(given)
        elif code is codes.NOT_LITERAL or code is codes.ANY:
            said += "x" if given != ord("x") else "y"
        elif code is codes.IN:
            said += _members(given)[0]
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            said += _sample(given[2]) * max(given[0], 1)
        elif code is codes.SUBPATTERN:
            said += _sample(given[3])
        elif code is codes.BRANCH:
            said += next(filter(None, map(_sample, given[1])), "")
    return said


def _members(given) -> list[str]:
    """Some characters of a class."""
    classes = {codes.CATEGORY_DIGIT: "1", codes.CATEGORY_SPACE: " ", codes.CATEGORY_WORD: "a"}
    found = []
    for code, value in given:
        if code is codes.LITERAL:
            found.append(chr(value))
        elif code is codes.RANGE:
            found += [chr(value[0]), chr(value[1])]
        elif code is codes.CATEGORY:
            found.append(classes.get(value, "!"))
    if given[0][0] is codes.NEGATE:
        return [char for char in "ax1 -<(" if char not in found] or ["~"]
    return found


def _pumps(tree) -> Iterator[str]:
    """What may be repeated in a text: samples of every part, and of its classes."""
    yield _sample(tree)
    for code, given in tree:
        if code is codes.IN:
            yield from _members(given)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield from _pumps(given[2])
        elif code is codes.SUBPATTERN:
            yield from _pumps(given[3])
        elif code is codes.BRANCH:
            for branch in given[1]:
                yield from _pumps(branch)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _pumps(given[1])
        elif code is codes.LITERAL:
            yield chr(given)


def texts(pattern: re.Pattern) -> list:
    """Long texts of repeats, alone and after what the pattern begins with."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    begin = _sample(tree)
    pumps = dict.fromkeys(pump for pump in _pumps(tree) if pump)
    made = [
        before + pump * (N // len(pump)) + "\0"
        for pump in pumps
        for before in dict.fromkeys(("", begin[:1]))
    ]
    return [text.encode("latin-1") for text in made] if isinstance(pattern.pattern, bytes) else made


@pytest.fixture(scope="module")
def workers():
    made = Workers(["worker_calls"], 1, 1)
    yield made
    made.close()


def slow(workers, found, limits=LIMITS) -> list[str]:
    """Places of patterns that take long for one of their texts, or for ever."""
    wanted, tried = [(pattern, method, texts(pattern)) for _, pattern, method in found], [0.0]
    try:
        places = workers.call(
            worker_calls.slowly_searched, wanted, SECONDS, limits=limits, progress=tried.append
        )
    except WorkerError:
        places = [int(max(tried))]
    return [f"{found[place][0]}, {found[place][2]}" for place in places]


def test_every_pattern_is_linear(workers):
    found = list(patterns())
    assert len(found) > 40
    assert slow(workers, found) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (rb"(<\?xml[^>]*>|<!--.*?-->|\s)*<svg\b", "match"),
        (rb"\+[A-Za-z0-9+/]{2,}-", "findall"),
        (r"(a|a)*b", "search"),
    ],
)
def test_so_are_those_found_that_are_not(workers, pattern, method):
    found, soon = [("here", re.compile(pattern), method)], LIMITS._replace(seconds=1.0)
    assert slow(workers, found, soon) == [f"here, {method}"]
