"""Test the formatting of numbers, and that no probability is shown as a false 0 or 1."""

import math
import re

import pytest
from hypothesis import example, given, strategies as st

from dptopk.core import numerals


def told(shown: str) -> tuple[float, float]:
    """What a probability as shown says: itself, and what it falls short of 1."""
    near = re.fullmatch(r"> 99\.9999% \((\S+) below 1\)", shown)
    if near:
        return 1.0, told(near[1])[0]
    if shown.startswith("e^-"):
        return math.exp(float(shown.removeprefix("e^").replace(",", ""))), 1.0
    p = float(shown.rstrip("%")) / (100 if shown.endswith("%") else 1)
    return p, 1 - p


@given(st.floats(-3_000, -1e-15))
@example(-1e-7)
@example(math.log(1e-6))
@example(math.log(0.0009999))
@example(math.log(0.9990001))
@example(math.log(0.99999949))
@example(-1e-300)
@example(-745.0)
def test_a_probability_is_never_a_false_0_or_1(log_p):
    """Whether it or its complement is the small one."""
    log_complement = math.log(-math.expm1(log_p))
    for pair in ((log_p, log_complement), (log_complement, log_p)):
        shown = numerals.in_full(*pair)
        assert shown.startswith(numerals.probability(*pair))
        assert not re.fullmatch(r"0(\.0+)?(e[+-]?\d+)?%?|100(\.0+)?%|1", shown)
        p, rest = told(shown)
        assert p == pytest.approx(math.exp(pair[0]), rel=0.06, abs=1e-320)
        assert rest == pytest.approx(math.exp(pair[1]), rel=0.06, abs=1e-320)


@pytest.mark.parametrize(
    ("log_p", "log_complement", "shown"),
    [
        (-math.inf, 0.0, "0%"),
        (0.0, -math.inf, "100%"),
        (0.0, math.nan, "> 99.9999%"),
        (0.0, math.log(1.23e-9), "> 99.9999%"),
        (0.0, -5_000.0, "> 99.9999%"),
        (math.log(0.25), math.log(0.75), "25.0%"),
        (math.log(0.0005), math.log(0.9995), "5.0e-4"),
        (math.log(0.99995), math.log(0.00005), "99.9950%"),
        (math.log(1e-9), -1e-9, "1.0e-9"),
        (math.log(9.97e-9), 0.0, "1.0e-8"),
        (-5_000.0, 0.0, "e^-5,000"),
    ],
)
def test_probabilities(log_p, log_complement, shown):
    assert numerals.probability(log_p, log_complement) == shown


def test_what_is_nearly_certain_says_how_nearly():
    assert numerals.in_full(0.0, -5_000.0) == "> 99.9999% (e^-5,000 below 1)"
    assert numerals.in_full(0.0, math.nan) == "> 99.9999%"


@given(st.lists(st.floats(-3_000, -1e-3), min_size=2, max_size=5))
@example([math.log(p) for p in (4e-6, 5.6e-7)])  # once "0.0004%" beside "5.6e-7"
@example([math.log(0.001), math.log(0.0009999)])
def test_probabilities_beside_each_other_read_as_one_kind(logs):
    """From 0.1% on a percentage, below a power of ten; where no float can hold it a power of e."""
    for log_p in logs:
        shown = numerals.probability(log_p, math.log(-math.expm1(log_p)))
        if log_p >= math.log(0.001):
            kind = r"\d+\.\d%|99\.\d{4}%"
        else:
            kind = r"\d\.\de-\d+" if log_p > -708 else r"e\^-[\d,]+"
        assert re.fullmatch(kind, shown)


def test_what_no_float_holds_is_written_as_its_logarithm():
    assert numerals.scientific(-29_501.2) == "e^-29,501"
    assert numerals.scientific(-708.0) == "3.3e-308"
    assert numerals.scientific(800.0) == "e^800"


@pytest.mark.parametrize(
    ("value", "down"),
    [
        (0.034435, 0.0344),
        (0.03449999, 0.0344),
        (0.0345, 0.0345),
        (12345.0, 12300),
        (0.0, 0.0),
        (0.2999999999999998, 0.299),
    ],
)
def test_what_may_be_spent_is_rounded_down(value, down):
    assert numerals.rounded_down(value) == down
    assert numerals.rounded_down(value) <= value
    assert numerals.rounded_up(down) == down
