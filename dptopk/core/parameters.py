"""Types of user-set parameters, with labels, limits and conversion to and from text.

A mechanism's card lists the parameters it takes beyond k, epsilon and neighbours; controls,
links, snippets and checks all read them here.  A key is stable: it is the name of the
dataclass field and of the entry in a link.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dptopk.core import validation


@dataclass(frozen=True)
class Choice:
    """One of several named values: ``options`` has words for each, in the order shown.

    ``key`` is its stable name, ``label`` what people call it, ``help`` a sentence or two.
    """

    key: str
    label: str
    options: Mapping[str, str] = field(hash=False)
    default: str
    help: str = ""

    def checked(self, value: object) -> str:
        """Return ``value`` if it is one of the options."""
        return validation.choice(self.key, value, tuple(self.options))

    def parse(self, text: str) -> str:
        """Read a value from a link, in any case; the words for it are understood as well."""
        return self.checked(_named(self.options).get(text.casefold(), text))

    def text(self, value: str) -> str:
        """Write a value into a link."""
        return value


@dataclass(frozen=True)
class Ladder:
    """Real number offered in ascending steps; any within the limits of ``rule`` is accepted.

    ``rule`` is "epsilon", the range that all mechanisms are tested for, "probability", [0, 1), or
    "chance", (0, 1).
    """

    key: str
    label: str
    steps: tuple[float, ...]
    default: float
    rule: str
    help: str = ""

    @property
    def rule_words(self) -> str:
        """Limits in words, to be read after "must be"."""
        return {
            "epsilon": validation.EPSILON_RANGE,
            "probability": "at least 0 and below 1",
            "chance": "above 0 and below 1",
        }[self.rule]

    def checked(self, value: object) -> float:
        """Return ``value`` as a float within the limits."""
        check = validation.epsilon if self.rule == "epsilon" else validation.probability
        if self.rule == "chance" and value == 0:
            raise ValueError(f"{self.key} must be {self.rule_words}, got 0")
        return check(self.key, value)

    def parse(self, text: str) -> float:
        """Read a value from a link."""
        return self.checked(_number(self.key, text, float))

    def of_percent(self, text: str) -> str:
        """Return the probability that was written in percent, such as 95 or 99.5%, or nothing."""
        share = text.strip().removesuffix("%").rstrip()
        if self.rule == "epsilon" or not re.fullmatch(r"\d{1,2}(\.\d+)?", share):
            return ""
        percent = float(share)
        return f"{percent / 100:.12g}" if percent > 1.0 or share != text.strip() else ""

    def text(self, value: float) -> str:
        """Write a value into a link, so that it is read back exactly."""
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Number:
    """A number in [low, high]; without a default it may be left to the mechanism."""

    key: str
    label: str
    low: float
    high: float
    default: float | None
    integer: bool = True
    help: str = ""
    empty: str = "automatic"  # what stands where none is chosen and none need be

    @property
    def rule_words(self) -> str:
        """Limits in words, to be read after "must be"."""
        return f"a {'whole ' * self.integer}number from {self.low:g} to {self.high:g}"

    def checked(self, value: object) -> float | None:
        """Return ``value`` as a number in the range, or None where that is allowed."""
        if value is None and self.default is None:
            return None
        if self.integer:
            return validation.integer(self.key, value, int(self.low), int(self.high))
        return validation.within(self.key, value, self.low, self.high)

    def parse(self, text: str) -> float | None:
        """Read a value from a link."""
        if not text and self.default is None:
            return None
        return self.checked(_number(self.key, text, int if self.integer else float))

    def text(self, value: float | None) -> str:
        """Write a value into a link."""
        return "" if value is None else str(value)


@dataclass(frozen=True)
class Flag:
    """Boolean parameter."""

    key: str
    label: str
    default: bool
    help: str = ""

    def checked(self, value: object) -> bool:
        """Return ``value`` if it is a bool."""
        if not isinstance(value, bool):
            raise TypeError(f"{self.key} must be true or false, got {value!r}")
        return value

    def parse(self, text: str) -> bool:
        """Read a value from a link."""
        return validation.choice(self.key, text.lower(), ("true", "false")) == "true"

    def text(self, value: bool) -> str:
        """Write a value into a link."""
        return str(value).lower()


@dataclass(frozen=True)
class Text:
    """Free text of at most so many characters."""

    key: str
    label: str
    default: str
    longest: int
    help: str = ""

    def checked(self, value: object) -> str:
        """Return ``value`` if it is a string within the maximum length."""
        if not isinstance(value, str):
            raise TypeError(f"{self.key} must be text, got {value!r}")
        if len(value) > self.longest:
            raise ValueError(
                f"{self.key} must have at most {self.longest:,} characters, got {len(value):,}"
            )
        return value

    def parse(self, text: str) -> str:
        """Read a value from a link."""
        return self.checked(text)

    def text(self, value: str) -> str:
        """Write a value into a link."""
        return value


@dataclass(frozen=True)
class Several:
    """Any number of a few named values, in the order of the options."""

    key: str
    label: str
    options: Mapping[str, str] = field(hash=False)
    default: tuple[str, ...]
    help: str = ""

    def checked(self, value: object) -> tuple[str, ...]:
        """Return ``value`` as a tuple of options."""
        chosen = () if not value else validation.listed(self.key, value)
        for entry in chosen:
            validation.choice(self.key, entry, tuple(self.options))
        return tuple(option for option in self.options if option in chosen)

    def parse(self, text: str) -> tuple[str, ...]:
        """Read values from a link, separated by commas, or all; words for them are understood."""
        return self.checked(self._entries(text))

    def parted(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Split the entries of a link into options and unknown ones."""
        entries = self._entries(text)
        unknown = tuple(entry for entry in dict.fromkeys(entries) if entry not in self.options)
        return self.checked([entry for entry in entries if entry in self.options]), unknown

    def _entries(self, text: str) -> list[str]:
        """Split text at commas into option values; unknown entries stay as written."""
        if text.strip() == "all":
            return list(self.options)
        named = _named(self.options)
        entries = [entry.strip() for entry in text.split(",")] if text.strip() else []
        return [named.get(entry.casefold(), entry) for entry in entries]

    def text(self, value: tuple[str, ...]) -> str:
        """Write values into a link."""
        return ",".join(value)


def _named(options: Mapping[str, str]) -> dict[str, str]:
    """Return values by their words and themselves, in small letters."""
    by_words = {words.casefold(): value for value, words in options.items()}
    return by_words | {value.casefold(): value for value in options}


Parameter = Choice | Ladder | Number
"""Union of the kinds of parameters that a mechanism may have."""

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
    "epsilon",
    "One user changes the probability of any outcome by a factor of at most e^ε (up to an "
    "additional probability δ, where a mechanism has one): a smaller ε gives more privacy and more "
    "noise. The scale is logarithmic.",
)
"""The privacy budget of the whole release, natural-log units."""

DELTA = Ladder(
    "delta",
    "δ, extra probability",
    (0.0, *(10.0**-power for power in range(12, 1, -1))),
    1e-6,
    "probability",
    "Probability by which any set of outcomes may exceed the bound of e^ε; 0 is pure differential "
    "privacy. It should be far below 1 / number of users; enter that number under Assumptions to "
    "check it.",
)
"""Extra probability of any set of outputs beyond e^ε times."""

MAX_ITEMS = Number(
    "max_items",
    "Items per user",
    1,
    10**9,
    None,
    help=(
        "The largest number of items that one user counts for; if empty, unlimited, or 1 where a "
        "mechanism needs a limit. A smaller one needs less noise or a lower threshold, but the "
        "guarantee then holds only for users within it. Read a list of users and items with the "
        "same limit; it cannot be checked from counts "
        "alone."
    ),
)
"""Largest number of items one user counts for, where a mechanism uses such a bound."""


def _number(key: str, text: str, kind: Callable[[str], float]) -> float:
    """Read a plain decimal number; refuse Python's other notations."""
    try:
        if not text.isascii() or "_" in text:
            raise ValueError(text)
        number = kind(text)
    except ValueError:
        kind_of = "whole number" if kind is int else "number"
        raise ValueError(f"{key} must be a {kind_of}, got {text[:40]!r}") from None
    if isinstance(number, float) and not math.isfinite(number):  # whole numbers may be too large
        raise ValueError(f"{key} must be a finite number, got {text[:40]!r}")
    return number
