"""Test how numbers are written, with no false 0 or 1, and which typed ones are understood."""

import contextlib
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dptopk.core import numerals
from dptopk.core.estimate import EPSILON, PROBABILITY, SCORE, Estimate
from dptopk.core.number_parsing import parse_number
from dptopk.simulation.summaries import mean_of_runs, share_of_runs


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


@pytest.mark.parametrize(
    ("one", "text", "marked"),
    [
        (share_of_runs(0, 50), "0% [0%, 7.1%]", "0% [0%, 7.1%]"),
        (share_of_runs(50, 50), "100% [92.9%, 100%]", "100% [92.9%, 100%]"),
        (replace(mean_of_runs(np.full(250, 10), 10), most=10), "10 [9.818, 10]", "10 [9.818, 10]"),
        (Estimate.exactly(9.99999, most=10), "> 9.999", "> 9.999 exact"),
        (Estimate.exactly(1_234.5, "users"), "1,234.5", "1,234.5 exact"),
        (Estimate(2, 1, 3.5, 50, "users"), "2 [1, 3.5]", "2 [1, 3.5]"),
        (Estimate(0.99996, 0.9, 1.0, 50, SCORE), "0.99996 [0.9, 1]", "0.99996 [0.9, 1]"),
        (Estimate.exactly(1 - 2**-53, PROBABILITY), "> 99.9999%", "> 99.9999% exact"),
        (Estimate.of_logs(0.0, -math.inf), "100%", "100% exact"),
        (Estimate.of_logs(0.0, math.nan), "> 99.9999%", "> 99.9999% exact"),
        (Estimate.of_logs(-800.0, -0.0), "e^-800", "e^-800 exact"),
        (Estimate.of_logs(0.0, -20.516), "> 99.9999%", "> 99.9999% exact, 1.2e-9 below 1"),
    ],
)
def test_a_number_writes_itself(one, text, marked):
    assert (one.text, one.marked) == (text, marked)
    assert one.exact == ("exact" in marked)
    assert one.text.startswith(one.brief)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.1546, 0.1534, 0.1549), ("0.1546", "0.1534", "0.1549")),
        ((0.3693, 0.3629, 0.3716), ("0.37", "0.363", "0.372")),
        ((0.12344, 0.12344, 0.12344), ("0.124",) * 3),
        ((0.1546, 0.1534, 0.1546), ("0.155", "0.153", "0.155")),  # cut by an exact answer
        ((0.1546, 0.0, math.inf), ("0.155", "any ε", "no ε")),
        ((math.inf,) * 3, ("no ε",) * 3),
    ],
)
def test_an_epsilon_is_rounded_up_and_told_apart_from_its_ends(ends, words):
    assert Estimate(*ends, 100, EPSILON).parts == words


def test_a_number_says_how_it_was_found():
    assert Estimate.of_logs(math.log(0.25), math.log(0.75)).how == "exact"
    assert Estimate(0.5, 0.4, 0.6, 90, PROBABILITY).how == "simulated (95%: 40.0% to 60.0%)"


def test_a_number_is_read_back_from_the_columns_of_a_table():
    one = share_of_runs(3, 50)
    assert Estimate.of_row(one.columns("x"), "x", 50, PROBABILITY) == one
    ends = ([one.value, 0.5], [one.low, 0.5], [one.high, 0.5])
    assert Estimate.of_arrays(ends, 50, PROBABILITY) == [one, Estimate.exactly(0.5, PROBABILITY)]


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
