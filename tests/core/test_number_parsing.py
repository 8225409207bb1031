"""Test which typed numbers are understood, and the messages for the others."""

import contextlib
import math
import re

import pytest
from hypothesis import given, strategies as st

from dptopk.core.number_parsing import parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.7", 0.7),
        ("0,7", 0.7),
        (" ,5 ", 0.5),
        ("3.", 3.0),
        ("0,125", 0.125),  # a leading 0 has no thousands
        ("1e-7", 1e-7),
        ("1E-7", 1e-7),
        ("1,5e-3", 1.5e-3),
        ("ln 3", math.log(3)),
        ("ln(3)", math.log(3)),
        ("LN3", math.log(3)),
        ("log(3)", math.log(3)),
        ("log10(1000)", 3.0),
        ("log2 8", 3.0),
        ("ln 3 / 2", math.log(3) / 2),
        ("ln(3/2)", math.log(1.5)),
        ("2 ln 3", None),
        ("2*ln 3", 2 * math.log(3)),
        ("ln 2^3", 3 * math.log(2)),
        ("ln e", 1.0),
        ("exp(-2)", math.exp(-2)),
        ("sqrt 2", math.sqrt(2)),
        ("1/2", 0.5),
        ("1/2/2", 0.25),
        ("2^-20", 2.0**-20),
        ("2**-20", 2.0**-20),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("10^−6", 1e-6),
        ("1 / 1000^1.5", 1000**-1.5),
        ("1 - 2 - 3", -4.0),
        ("(1 + 2) × 3", 9.0),
        ("--1", 1.0),
    ],
)
def test_what_is_typed_is_understood(text, number):
    if number is None:  # a multiplication is written
        with pytest.raises(ValueError, match="is not a number"):
            parse_number(text)
    else:
        assert parse_number(text) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not a number"),
        *(
            (text, "is not a number: type one such as 0.7, ln 3")
            for text in ("many", "ln x", "1_0")
        ),
        *((text, "is not a number") for text in ("٣", "½", "１", "0x1", "nan", "inf", "(1", "1)")),
        *((text, "is not a number") for text in ("1 2", "ln", "+", "ln(-1)", "(0-1)^0.5", "1;2")),
        *((text, "is not a number") for text in ("__import__('os')", "(1).real", "1 if 1 else 2")),
        *((text, "is not a finite number") for text in ("1/0", "1e999", "9^9^9", "exp(1000)")),
        ("1,000", "can be read in two ways: type 1000, or a point for the comma"),
        ("1,234,567", "in two ways: type 1234567"),
        ("1" * 61, "more than 60 characters"),
    ],
)
def test_what_is_no_number_is_refused_in_a_sentence(text, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        parse_number(text)


@given(st.text(alphabet="0123456789.,e+-*/^() lnogsqrtxp", max_size=70))
def test_any_text_gives_a_finite_number_or_is_refused(text):
    with contextlib.suppress(ValueError):
        assert math.isfinite(parse_number(text))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_python_writes_it_is_read_exactly(number):
    assert parse_number(repr(number)) == number
