"""Test the checks of parameters, and that a value written to a link is read back."""

import math

import pytest
from hypothesis import given, strategies as st

from dptopk import MECHANISMS
from dptopk.core.parameters import DELTA, EPSILON, Choice, Flag, Ladder, Number, Several, Text
from dptopk.core.validation import MAX_EPSILON, MIN_EPSILON

CHOICE = Choice("side", "Side", {"left": "to the left", "right": "to the right"}, "left")
WHOLE = Number("n", "Number", 1, 200, 10)
REAL = Number("share", "Share", 0.5, 4.0, 1.0, integer=False)
OPEN = Number("factor", "Factor", 1, 9, None)
FLAG = Flag("log", "Logarithmic", True)
WORDS = Text("typed", "Counts", "1, 2", 12)
SEVERAL = Several("who", "Who", {"a": "Ann", "b": "Bob", "c": "Cy"}, ("a",))
EVERY = (CHOICE, WHOLE, REAL, OPEN, FLAG, WORDS, SEVERAL, EPSILON, DELTA)


@pytest.mark.parametrize("parameter", EVERY, ids=lambda parameter: parameter.key)
def test_the_default_keeps_the_rule_and_is_read_back(parameter):
    assert parameter.checked(parameter.default) == parameter.default
    assert parameter.parse(parameter.text(parameter.default)) == parameter.default
    hash(parameter)


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (CHOICE, "right", "right"),
        (CHOICE, "RIGHT", "right"),
        (CHOICE, "to the right", "right"),  # as links of version 0.1 write it
        (WHOLE, "200", 200),
        (WHOLE, " 7 ", 7),
        (WHOLE, "+7", 7),
        (REAL, "0.5", 0.5),
        (REAL, "4", 4.0),
        (REAL, "1e0", 1.0),
        (OPEN, "", None),
        (OPEN, "3", 3),
        (FLAG, "false", False),
        (FLAG, "True", True),
        (WORDS, "", ""),
        (WORDS, "<b>, ٣", "<b>, ٣"),
        (SEVERAL, "", ()),
        (SEVERAL, "  ", ()),
        (SEVERAL, "c,a", ("a", "c")),
        (SEVERAL, "Bob, ann ,B", ("a", "b")),
        (EPSILON, "0.123", 0.123),
        (EPSILON, "1e-05", 1e-5),
        (DELTA, "0", 0.0),
        (DELTA, "0.0005", 0.0005),
    ],
)
def test_links_say_it_and_it_is_understood(parameter, text, value):
    read = parameter.parse(text)
    assert read == value
    assert type(read) is type(value)
    assert parameter.parse(parameter.text(read)) == read


NOT_NUMBERS = ("", " ", "many", "٣", "１", "1_0", "1,0", "0x1", "nan", "inf", "-inf", "1e400", "½")


@pytest.mark.parametrize(
    ("parameter", "text", "rule"),
    [
        *((parameter, text, "must be a") for parameter in (REAL, EPSILON) for text in NOT_NUMBERS),
        *((WHOLE, text, "n must be a whole number") for text in NOT_NUMBERS),
        (WHOLE, "7.5", "n must be a whole number"),
        (WHOLE, "0", r"n must be in \[1, 200\], got 0"),
        (WHOLE, "201", r"n must be in \[1, 200\], got 201"),
        (WHOLE, "9" * 400, r"n must be in \[1, 200\], got 999"),
        (WHOLE, "9" * 5_000, "n must be a whole number, got '9{40}'"),
        (OPEN, "10", r"factor must be in \[1, 9\], got 10"),
        (REAL, "0.49", r"share must be in \[0.5, 4\], got 0.49"),
        (EPSILON, "0", "epsilon must be a number from 1e-9 to 1e12, got 0.0"),
        (EPSILON, "-1", "epsilon must be a number from 1e-9 to 1e12, got -1.0"),
        (DELTA, "1", r"delta must be in \[0, 1\), got 1.0"),
        (DELTA, "-1e-9", r"delta must be in \[0, 1\)"),
        (CHOICE, "up", "side must be one of 'left', 'right', got 'up'"),
        (CHOICE, "", "side must be one of 'left', 'right', got ''"),
        (FLAG, "maybe", "log must be one of 'true', 'false', got 'maybe'"),
        (WORDS, "x" * 13, "typed must have at most 12 characters, got 13"),
        (SEVERAL, "a,d", "who must be one of 'a', 'b', 'c', got 'd'"),
        (SEVERAL, ",", "who must be one of 'a', 'b', 'c', got ''"),
    ],
)
def test_what_a_link_cannot_ask_for_is_refused_by_its_rule(parameter, text, rule):
    with pytest.raises(ValueError, match=rule):
        parameter.parse(text)


@pytest.mark.parametrize(
    ("parameter", "value", "rule"),
    [
        (WHOLE, 7.0, "n must be an integer"),
        (WHOLE, True, "n must be an integer"),
        (WHOLE, None, "n must be an integer"),
        (REAL, "1", "share must be a number"),
        (EPSILON, None, "epsilon must be a number"),
        (CHOICE, None, "side must be a string"),
        (FLAG, "true", "log must be true or false, got 'true'"),
        (FLAG, 1, "log must be true or false, got 1"),
        (WORDS, None, "typed must be text, got None"),
        (SEVERAL, "a", "who must be a sequence"),
    ],
)
def test_values_of_another_kind_are_refused(parameter, value, rule):
    with pytest.raises(TypeError, match=rule):
        parameter.checked(value)


@given(st.floats(MIN_EPSILON, MAX_EPSILON))
def test_every_budget_is_read_back_exactly_as_it_was_written(epsilon):
    assert EPSILON.parse(EPSILON.text(epsilon)) == epsilon


@given(st.floats(min_value=0, max_value=1, exclude_max=True))
def test_every_delta_is_read_back_exactly_as_it_was_written(delta):
    assert DELTA.parse(DELTA.text(delta)) == delta


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_by_a_rule_that_names_the_key(text):
    for parameter in EVERY:
        complaint = ""
        try:
            value = parameter.parse(text)
        except ValueError as error:
            complaint = str(error)
        assert complaint.startswith(f"{parameter.key} must ") or (
            value == parameter.checked(value) == parameter.parse(parameter.text(value))
        )


@pytest.mark.parametrize("ladder", [EPSILON, DELTA], ids=["epsilon", "delta"])
def test_steps_ascend_hold_the_default_and_read_as_short_numbers(ladder: Ladder):
    assert list(ladder.steps) == sorted(set(ladder.steps))
    assert ladder.default in ladder.steps
    for step in ladder.steps:
        assert ladder.checked(step) == step
        assert len(ladder.text(step)) <= 6
        assert math.isclose(float(f"{step:.2g}"), step, rel_tol=1e-12)


def test_keys_of_mechanisms_are_fields_and_mean_the_same_everywhere():
    by_key = {}
    for mechanism in MECHANISMS.values():
        for parameter in mechanism.card.parameters:
            assert parameter.key in mechanism.__dataclass_fields__
            assert by_key.setdefault(parameter.key, parameter) == parameter
