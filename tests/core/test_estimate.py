"""Test that a number writes itself with as many digits as are known, and how it was found."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dptopk.core.estimate import EPSILON, PROBABILITY, SCORE, Estimate
from dptopk.simulation.summaries import mean_of_runs, share_of_runs


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
