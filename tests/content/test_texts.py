"""Test texts: numbers are filled in by name, every section of a lesson and every file is used."""

import ast
import inspect
import re

import pytest

from dptopk import MECHANISMS
from dptopk.content import texts
from dptopk.ui.sections import learn

OF_THE_PAGE = {"The point", "The usual misconception", "Questions for the class"}
OF_THE_PAGE |= {"What students ask"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in {right} of 100", "in 63.5 of 100"),
        ("$e^{right}$ and $e^{{right}}$", "$e^63.5$ and $e^{63.5}$"),
        (r"$e^{-\varepsilon\, \mathrm{gap}}$", r"$e^{-\varepsilon\, \mathrm{gap}}$"),
        ("{hostile}", "{right} $"),
    ],
)
def test_numbers_are_filled_in_by_name_and_formulas_are_left(text, expected):
    assert texts.filled(text, {"right": "63.5", "hostile": "{right} $"}) == expected


def test_a_number_that_is_not_known_is_named_with_its_place():
    text = texts.read("lessons/race")
    with pytest.raises(ValueError, match=r"lessons/race.md, section “Example”: \{counts\} is none"):
        text.section("Example", {"right": 1})
    with pytest.raises(ValueError, match=r"lessons/race.md has no section “Exampel”"):
        text.section("Exampel", {})


def said(module) -> list[tuple[str, set[str]]]:
    """Return patterns of the sections that a module says, and the names of their numbers.

    What it computes of a section's name may be any text.
    """
    found = []
    for call in filter(is_say, ast.walk(ast.parse(inspect.getsource(module)))):
        numbers = {str(keyword.arg) for keyword in call.keywords}
        for part in ast.walk(call.args[0]):
            if isinstance(part, ast.Constant):
                found.append((re.escape(str(part.value)), numbers))
            if isinstance(part, ast.JoinedStr):
                fixed = (
                    value.value if isinstance(value, ast.Constant) else "" for value in part.values
                )
                found.append((".*".join(map(re.escape, fixed)), numbers))
    return found


def is_say(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "say"


@pytest.mark.parametrize("module", learn.MODULES, ids=lambda module: module.LESSON.name)
def test_every_section_of_a_lesson_is_said_and_has_its_numbers(module):
    lesson, sections = module.LESSON, said(module)
    for section in lesson.text.sections:
        known = [numbers for name, numbers in sections if re.fullmatch(name, section)]
        assert known or section in OF_THE_PAGE, f"{section}: no line of the lesson says it"
        assert lesson.say(section, **dict.fromkeys(set().union(*known), "1"))


def test_a_number_with_a_format_is_refused_outside_of_formulas():
    assert texts.filled("${right:x}$ of {right}", {"right": 3}) == "${right:x}$ of 3"
    with pytest.raises(ValueError, match=r"\{right:\.2f\} must have no format"):
        texts.filled("{right:.2f}", {"right": 3})


def test_every_explanation_is_that_of_a_mechanism():
    files = {path.stem for path in texts.FOLDER.glob("mechanisms/*.md")}
    assert files == {mechanism.card.key for mechanism in MECHANISMS.values()}
