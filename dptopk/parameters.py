"""Numbers and choices that people set: their key, words, limits, and how a link writes them.

A mechanism's card lists the parameters it takes beyond k, epsilon and neighbours; controls,
links, snippets and checks all read them here.  A key is stable: it is the name of the
dataclass field and of the entry in a link.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from dptopk import _validate


@dataclass(frozen=True)
class Choice:
    """One of a few named values.

    Parameters
    ----------
    key, label, help : str
        Its stable name, what people call it, and one or two sentences on it.
    options : mapping of str to str
        Words for each value, in the order shown.
    default : str
        One of the values.
    """

    key: str
    label: str
    options: Mapping[str, str] = field(hash=False)
    default: str
    help: str = ""

    def checked(self, value: object) -> str:
        """Return ``value`` if it is one of the options."""
        return _validate.choice(self.key, value, tuple(self.options))

    def parse(self, text: str) -> str:
        """Read a value from a link; the words for it are understood as well."""
        by_words = {words: value for value, words in self.options.items()}
        return self.checked(by_words.get(text, text))

    def text(self, value: str) -> str:
        """Write a value into a link."""
        return value


@dataclass(frozen=True)
class Ladder:
    """A real number, offered in steps; any number that keeps the rule is accepted.

    Parameters
    ----------
    key, label, help : str
        As for `Choice`.
    steps : tuple of float
        The values offered, ascending.
    default : float
        One of them.
    rule : {"positive", "probability"}
        Above 0 and finite, or in [0, 1).
    """

    key: str
    label: str
    steps: tuple[float, ...]
    default: float
    rule: str
    help: str = ""

    def checked(self, value: object) -> float:
        """Return ``value`` as a float that keeps the rule."""
        check = {"positive": _validate.positive, "probability": _validate.probability}
        return check[self.rule](self.key, value)

    def parse(self, text: str) -> float:
        """Read a value from a link."""
        return self.checked(_number(self.key, text, float))

    def text(self, value: float) -> str:
        """Write a value into a link, so that it is read back exactly."""
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Number:
    """A number in [low, high]; without a default it may be left to the mechanism.

    Parameters
    ----------
    key, label, help : str
        As for `Choice`.
    low, high : int or float
        Smallest and largest value.
    default : int, float or None
        Its value when nothing is set; None leaves it to who reads it.
    integer : bool
        Whether it is a whole number.
    """

    key: str
    label: str
    low: float
    high: float
    default: float | None
    integer: bool = True
    help: str = ""

    def checked(self, value: object) -> float | None:
        """Return ``value`` as a number in the range, or None where that is allowed."""
        if value is None and self.default is None:
            return None
        if self.integer:
            return _validate.integer(self.key, value, int(self.low), int(self.high))
        return _validate.within(self.key, value, self.low, self.high)

    def parse(self, text: str) -> float | None:
        """Read a value from a link."""
        if not text and self.default is None:
            return None
        return self.checked(_number(self.key, text, int if self.integer else float))

    def text(self, value: float | None) -> str:
        """Write a value into a link."""
        return "" if value is None else str(value)


Parameter = Choice | Ladder | Number
"""Whatever people can set of a mechanism."""

_EPSILONS = (
    *(
        round(lead * 10.0**power, 4)
        for power in (-2, -1, 0)
        for lead in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    ),
    10.0,
)

EPSILON = Ladder(
    "epsilon",
    "ε, privacy budget",
    _EPSILONS,
    1.0,
    "positive",
    "One user changes the probability of any outcome by a factor of at most e^ε (beyond a "
    "probability of δ, where a mechanism has one): smaller is more private and noisier. The scale "
    "is logarithmic.",
)
"""The privacy budget of the whole release, natural-log units."""

DELTA = Ladder(
    "delta",
    "δ, extra probability",
    (0.0, *(10.0**-power for power in range(12, 1, -1))),
    1e-6,
    "probability",
    "Extra probability by which an outcome may exceed the factor e^ε; 0 is pure differential "
    "privacy. Take it far below 1 / number of users.",
)
"""Probability mass that may exceed the budget."""


def _number(key: str, text: str, kind: type) -> float:
    """Read a plain decimal number; what Python reads beyond that is refused."""
    try:
        if not text.isascii() or "_" in text:
            raise ValueError(text)
        number = kind(text)
    except ValueError:
        raise ValueError(f"{key} must be a number, got {text[:40]!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{key} must be a finite number, got {text[:40]!r}")
    return number
