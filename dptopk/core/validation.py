"""Argument checks: each error names the argument, its value and the rule.

Kernels behind the public functions trust their input; these checks are what
earns that trust.  ``TypeError`` means the wrong kind of thing, ``ValueError``
the right kind out of range.
"""

import math
import numbers
from collections.abc import Iterable
from enum import Enum
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import BoolArray, IntArray

_Member = TypeVar("_Member", bound=Enum)
_Kind = TypeVar("_Kind")

MAX_COUNT = 2**53
"""Largest count accepted: up to here every integer is exact in float64."""


class ReturnedError(ValueError):
    """Code of a mechanism or measure returned something else than it must."""


def integer(name: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """Return ``value`` as an int in ``[low, high]`` (either end may be open)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {_shown(value)}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(f"{name} must be {_interval(low, high)}, got {number}")
    return number


MIN_EPSILON, MAX_EPSILON = 1e-9, 1e12
"""Privacy budgets of a release that are accepted, in natural-log units.

Below, the rounding of a log probability, about 1e-15, is no longer small against the privacy loss;
both ends leave room for what mechanisms make of the budget (shares, rates, sums over rounds) times
counts of up to 2^53.  All mechanisms are tested at both.
"""

EPSILON_RANGE = "from 1e-9 to 1e12"
"""The two in words."""


def epsilon(name: str, value: object) -> float:
    """Return ``value`` as a float in ``[MIN_EPSILON, MAX_EPSILON]``: a privacy budget."""
    number = _real(name, value)
    if not MIN_EPSILON <= number <= MAX_EPSILON:
        raise ValueError(f"{name} must be a number {EPSILON_RANGE}, got {number}")
    return number


def positive(name: str, value: object) -> float:
    """Return ``value`` as a finite float above zero."""
    number = _real(name, value)
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be a finite number above 0, got {number}")
    return number


def non_negative(name: str, value: object) -> float:
    """Return ``value`` as a finite float of at least zero."""
    number = _real(name, value)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be a finite number of at least 0, got {number}")
    return number


def probability(name: str, value: object, *, above_0: bool = False) -> float:
    """Return ``value`` as a float in ``[0, 1)``; if ``above_0``, in ``(0, 1)``."""
    number = _real(name, value)
    if not 0 <= number < 1 or (above_0 and number == 0):
        raise ValueError(f"{name} must be in {'(' if above_0 else '['}0, 1), got {number}")
    return number


def within(name: str, value: object, low: float, high: float) -> float:
    """Return ``value`` as a float in ``[low, high]``."""
    number = _real(name, value)
    if not low <= number <= high:
        raise ValueError(f"{name} must be in [{low:g}, {high:g}], got {number}")
    return number


def member(name: str, value: object, enum: type[_Member]) -> _Member:
    """Return ``value`` if it is a member of the enumeration ``enum``, or the one of that text."""
    if isinstance(value, enum):
        return value
    texts = ", ".join(repr(item.value) for item in enum)
    if isinstance(value, str):
        for item in enum:
            if item.value == value:
                return item
        raise ValueError(f"{name} must be one of {texts}, got {_shown(value)}")
    allowed = ", ".join(str(item) for item in enum)
    raise TypeError(f"{name} must be one of {allowed} or {texts}, got {_shown(value)}")


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the strings ``allowed``."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {_shown(value)}")
    if value not in allowed:
        options = ", ".join(repr(item) for item in allowed)
        raise ValueError(f"{name} must be one of {options}, got {value!r}")
    return value


def listed(name: str, value: Any) -> list[Any]:
    """Return the entries of a non-empty iterable as a list."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a sequence, got {_shown(value)}")
    entries = list(value)
    if not entries:
        raise ValueError(f"{name} must hold at least one entry, got none")
    return entries


def json_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of pairs of JSON; raise if a key occurs twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key occurs twice")
    return content


def json_object(name: str, value: object, allowed: Iterable[str]) -> dict[str, Any]:
    """Return an object of JSON that has exactly these entries."""
    names = tuple(allowed)
    if not isinstance(value, dict) or set(value) != set(names):
        raise ValueError(f"{name} must be an object of {', '.join(names)}")
    return value


def text(name: str, value: object, longest: int) -> str:
    """Return a JSON string within the maximum length."""
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name} must be text of at most {longest:,} characters")
    return value


def flag(name: str, value: object) -> bool:
    """Return a truth value of JSON."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")
    return value


def instance(name: str, value: object, kind: type[_Kind]) -> _Kind:
    """Return ``value`` if it is of this class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind.__name__}, got {type(value).__name__}")
    return value


def generator(name: str, value: object) -> np.random.Generator:
    """Return ``value`` if it is a numpy Generator."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{name} must be a numpy.random.Generator such as numpy.random.default_rng(0), "
            f"got {_shown(value)}"
        )
    return value


def count_vector(name: str, value: object, low: int = 0) -> IntArray:
    """Return ``value`` as a fresh 1-D int64 array of integers in ``[low, 2**53]``."""
    array = np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one item, got none")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold integers, got dtype {array.dtype}")
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # NaN and infinities are refused right here
            wrong = ~(array == np.floor(array)) | np.isinf(array)
        _refuse_first(name, array, wrong, "must be an integer")
    if array.min() < low:
        _refuse_first(name, array, array < low, f"must be at least {low}")
    if array.max() > MAX_COUNT:
        _refuse_first(name, array, array > MAX_COUNT, "must be at most 2**53")
    return array.astype(np.int64)


def _refuse_first(name: str, array: npt.NDArray[Any], wrong: BoolArray, rule: str) -> None:
    if wrong.any():
        position = int(np.argmax(wrong))
        raise ValueError(f"{name}[{position}] {rule}, got {array[position]}")


def _real(name: str, value: object) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {_shown(value)}")
    return float(value)


def _interval(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    return f"in [{low}, {high}]"


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
