"""Test argument checks: accepted values, returned types, and error messages."""

import enum

import numpy as np
import pytest

from dptopk.core import validation


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_integers_become_int(value):
    checked = validation.integer("n", value, 3, 3)
    assert checked == 3
    assert type(checked) is int


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2)])
def test_numbers_become_float(value):
    checked = validation.positive("epsilon", value)
    assert checked == 2.0
    assert type(checked) is float


@pytest.mark.parametrize("value", [0, 0.0, 0.999, np.float64(0.5), 5e-324])
def test_probabilities_include_zero(value):
    assert validation.probability("delta", value) == value


def test_the_rest_pass_unchanged(rng):
    assert validation.member("colour", Colour.RED, Colour) is Colour.RED
    assert validation.member("colour", Colour.RED.value, Colour) is Colour.RED
    assert validation.choice("over", "k", ("k", "epsilon")) == "k"
    assert validation.generator("rng", rng) is rng


@pytest.mark.parametrize(
    "value",
    [
        *([3, 0, 7], (3, 0, 7), [3.0, -0.0, 7.0]),
        *(np.array([3, 0, 7], dtype) for dtype in (np.int64, np.uint64, np.uint8, np.float64)),
    ],
)
def test_count_vectors_become_fresh_int64(value):
    checked = validation.count_vector("counts", value)
    if isinstance(value, np.ndarray):
        value[:] = 0
    assert checked.dtype == np.int64
    assert checked.tolist() == [3, 0, 7]


def test_the_largest_count_passes():
    assert validation.count_vector("counts", [2**53])[0] == 2**53
    assert validation.count_vector("counts", [2.0**53])[0] == 2**53


WRONG = [
    *(
        (validation.integer, ("n", value), TypeError, rf"^n must be an integer, got {words}")
        for value, words in (
            (1.0, r"1\.0 \(float\)$"),
            (True, r"True \(bool\)$"),
            (np.True_, ".*True"),
            ("1", r"'1' \(str\)$"),
            (None, r"None \(NoneType\)$"),
            ("x" * 100, r"'x+\.\.\. \(str\)$"),
        )
    ),
    *(
        (validation.integer, ("n", *arguments), ValueError, f"^n must be {words}$")
        for arguments, words in (
            ((0, 1, 20), r"in \[1, 20\], got 0"),
            ((21, 1, 20), r"in \[1, 20\], got 21"),
            ((0, 1), "at least 1, got 0"),
            ((9, None, 8), "at most 8, got 9"),
        )
    ),
    *(
        (check, ("x", value), TypeError, "^x must be a number, got ")
        for check in (validation.positive, validation.probability)
        for value in ("1", None, True, np.False_, 1j, [1.0])
    ),
    *(
        (validation.positive, ("epsilon", value), ValueError, "^epsilon must be a finite number ab")
        for value in (0, -0.0, -1, np.inf, -np.inf, np.nan)
    ),
    *(
        (validation.probability, ("delta", value), ValueError, r"^delta must be in \[0, 1\), got ")
        for value in (1, 1.5, -1e-300, np.inf, np.nan)
    ),
    *(
        (validation.member, ("colour", value, Colour), TypeError, "^colour must be one of Colour.R")
        for value in (None, Colour)
    ),
    (validation.member, ("hue", "mauve", Colour), ValueError, "^hue must be one of .*got 'mauve'"),
    (validation.choice, ("x", "d", ("k", "ε")), ValueError, "^x must be one of 'k', 'ε', got 'd'$"),
    (validation.choice, ("x", 3, ("k", "ε")), TypeError, r"^x must be a string, got 3 \(int\)$"),
    *(
        (validation.generator, ("rng", value), TypeError, "^rng must be a numpy.random.Generator s")
        for value in (0, None, np.random, np.random.RandomState(0))
    ),
    *(
        (validation.count_vector, ("counts", value), TypeError, f"counts must hold integers, {got}")
        for value, got in (
            (["1", "2"], r"got dtype <U1$"),
            ([True, False], r"got dtype bool$"),
            ([1 + 0j], r"got dtype complex128$"),
            ([None, 1], r"got dtype object$"),
        )
    ),
    *(
        (validation.count_vector, ("counts", *arguments), ValueError, f"^counts{words}$")
        for arguments, words in (
            (([[1, 2]],), r" must be one-dimensional, got shape \(1, 2\)"),
            ((7,), r" must be one-dimensional, got shape \(\)"),
            (([],), r" must hold at least one item, got none"),
            (([1.0, 2.5],), r"\[1\] must be an integer, got 2\.5"),
            (([1.0, np.nan],), r"\[1\] must be an integer, got nan"),
            (([np.inf],), r"\[0\] must be an integer, got inf"),
            (([3, -1, -2],), r"\[1\] must be at least 0, got -1"),
            (([3, 0], 1), r"\[1\] must be at least 1, got 0"),
            (([2**53 + 1],), r"\[0\] must be at most 2\*\*53, got 9007199254740993"),
            (([2**63],), r"\[0\] must be at most 2\*\*53, got 9223372036854775808"),
            (([1e300],), r"\[0\] must be at most 2\*\*53, got 1e\+300"),
        )
    ),
]


@pytest.mark.parametrize(("check", "arguments", "error", "message"), WRONG)
def test_what_is_wrong_is_named_with_its_rule(check, arguments, error, message):
    with pytest.raises(error, match=message):
        check(*arguments)
