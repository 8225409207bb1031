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
    assert validation.choice("over", "k", ("k", "epsilon")) == "k"
    assert validation.generator("rng", rng) is rng


@pytest.mark.parametrize(
    "value", [[3, 0, 7], (3, 0, 7), np.array([3, 0, 7], dtype=np.uint8), [3.0, -0.0, 7.0]]
)
def test_count_vectors_become_fresh_int64(value):
    checked = validation.count_vector("counts", value)
    assert checked.dtype == np.int64
    assert checked.tolist() == [3, 0, 7]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8, np.float64])
def test_count_vectors_are_copies(dtype):
    given = np.array([1, 2], dtype=dtype)
    checked = validation.count_vector("counts", given)
    given[:] = 0
    assert checked.tolist() == [1, 2]


def test_the_largest_count_passes():
    assert validation.count_vector("counts", [2**53])[0] == 2**53
    assert validation.count_vector("counts", [2.0**53])[0] == 2**53


INTEGER = [
    ((1.0,), TypeError, r"^n must be an integer, got 1\.0 \(float\)$"),
    ((True,), TypeError, r"^n must be an integer, got True \(bool\)$"),
    ((np.True_,), TypeError, r"^n must be an integer, got .*True"),
    (("1",), TypeError, r"^n must be an integer, got '1' \(str\)$"),
    ((None,), TypeError, r"^n must be an integer, got None \(NoneType\)$"),
    (("x" * 100,), TypeError, r"^n must be an integer, got 'x+\.\.\. \(str\)$"),
    ((0, 1, 20), ValueError, r"^n must be in \[1, 20\], got 0$"),
    ((21, 1, 20), ValueError, r"^n must be in \[1, 20\], got 21$"),
    ((0, 1), ValueError, r"^n must be at least 1, got 0$"),
    ((9, None, 8), ValueError, r"^n must be at most 8, got 9$"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), INTEGER)
def test_integer(arguments, error, message):
    with pytest.raises(error, match=message):
        validation.integer("n", *arguments)


REAL_KINDS = ["1", None, True, np.False_, 1j, [1.0]]


@pytest.mark.parametrize("check", [validation.positive, validation.probability])
@pytest.mark.parametrize("value", REAL_KINDS, ids=repr)
def test_not_a_number(check, value):
    with pytest.raises(TypeError, match=r"^x must be a number, got "):
        check("x", value)


@pytest.mark.parametrize("value", [0, -0.0, -1, np.inf, -np.inf, np.nan])
def test_positive(value):
    with pytest.raises(ValueError, match=r"^epsilon must be a finite number above 0, got "):
        validation.positive("epsilon", value)


@pytest.mark.parametrize("value", [1, 1.5, -1e-300, np.inf, np.nan])
def test_probability(value):
    with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\), got "):
        validation.probability("delta", value)


def test_member():
    assert validation.member("colour", Colour.RED, Colour) is Colour.RED
    assert validation.member("colour", Colour.RED.value, Colour) is Colour.RED
    for value in (None, Colour):
        with pytest.raises(TypeError, match=r"^colour must be one of Colour.RED or .*, got "):
            validation.member("colour", value, Colour)
    with pytest.raises(ValueError, match=r"^colour must be one of .*, got 'mauve'"):
        validation.member("colour", "mauve", Colour)


def test_choice():
    with pytest.raises(ValueError, match=r"^over must be one of 'k', 'epsilon', got 'd'$"):
        validation.choice("over", "d", ("k", "epsilon"))
    with pytest.raises(TypeError, match=r"^over must be a string, got 3 \(int\)$"):
        validation.choice("over", 3, ("k", "epsilon"))


@pytest.mark.parametrize("value", [0, None, np.random, np.random.RandomState(0)])
def test_generator(value):
    with pytest.raises(TypeError, match=r"^rng must be a numpy.random.Generator such as "):
        validation.generator("rng", value)


COUNT_VECTOR = [
    (([[1, 2]],), ValueError, r"^counts must be one-dimensional, got shape \(1, 2\)$"),
    ((7,), ValueError, r"^counts must be one-dimensional, got shape \(\)$"),
    (([],), ValueError, r"^counts must hold at least one item, got none$"),
    ((["1", "2"],), TypeError, r"^counts must hold integers, got dtype <U1$"),
    (([True, False],), TypeError, r"^counts must hold integers, got dtype bool$"),
    (([1 + 0j],), TypeError, r"^counts must hold integers, got dtype complex128$"),
    (([None, 1],), TypeError, r"^counts must hold integers, got dtype object$"),
    (([1.0, 2.5],), ValueError, r"^counts\[1\] must be an integer, got 2\.5$"),
    (([1.0, np.nan],), ValueError, r"^counts\[1\] must be an integer, got nan$"),
    (([np.inf],), ValueError, r"^counts\[0\] must be an integer, got inf$"),
    (([3, -1, -2],), ValueError, r"^counts\[1\] must be at least 0, got -1$"),
    (([3, 0], 1), ValueError, r"^counts\[1\] must be at least 1, got 0$"),
    (([2**53 + 1],), ValueError, r"^counts\[0\] must be at most 2\*\*53, got 9007199254740993$"),
    (([2**63],), ValueError, r"^counts\[0\] must be at most 2\*\*53, got 9223372036854775808$"),
    (([1e300],), ValueError, r"^counts\[0\] must be at most 2\*\*53, got 1e\+300$"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), COUNT_VECTOR)
def test_count_vector(arguments, error, message):
    with pytest.raises(error, match=message):
        validation.count_vector("counts", *arguments)
