"""Number that knows how it was found, exactly or from runs, and writes itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dptopk.core.numerals import (
    distance_from_1,
    mean_of,
    needed,
    number,
    probability,
    rounded,
    score,
    share,
)

PROBABILITY, EPSILON, SCORE = "probability", "epsilon", "score"
"""Units whose numbers are written in a way of their own; any other is that of an amount."""


@dataclass(frozen=True)
class Estimate:
    """Number that is exact, or comes from runs with its 95% interval.

    Attributes
    ----------
    value, low, high : float
        The number and the ends of its interval; all the same where it is exact.
    runs : int
        How many runs it comes from; 0 where it is exact.
    unit : str
        `PROBABILITY`, `EPSILON`, `SCORE`, or what it is an amount of, in the plural.
    most : int
        Of a mean of items how many there are, as it is never rounded up to all of them; else 0.
    log, log_complement : float
        Of an exact probability its natural logarithm and that of what it falls short of 1: a float
        next to 1 has lost how far from 1 it is, and e^-800 is 0.  The second is -inf if it is
        certain, NaN if it is not known, and then less than one in a million.
    """

    value: float
    low: float
    high: float
    runs: int = 0
    unit: str = ""
    most: int = 0
    log: float = math.nan
    log_complement: float = math.nan

    @staticmethod
    def exactly(value: float, unit: str = "", most: int = 0) -> Estimate:
        """Return a number that is known exactly."""
        return Estimate(value, value, value, unit=unit, most=most)

    @staticmethod
    def of_logs(log: float, log_complement: float) -> Estimate:
        """Return an exact probability, given in logarithms."""
        p = math.exp(log)
        return Estimate(p, p, p, unit=PROBABILITY, log=log, log_complement=log_complement)

    @staticmethod
    def of_row(
        row: Mapping[Any, Any], name: str, runs: int, unit: str = "", most: int = 0
    ) -> Estimate:
        """Return the number that a row of a table holds in the `columns` of a name."""
        value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
        return Estimate(value, low, high, runs, unit, most)

    @staticmethod
    def of_arrays(ends: Iterable[ArrayLike], runs: int, unit: str) -> list[Estimate]:
        """Return the numbers of arrays of values and ends; exact where the ends are the same."""
        rows = zip(*(np.asarray(end, dtype=float).tolist() for end in ends), strict=True)
        return [Estimate(p, low, high, runs * (low != high), unit) for p, low, high in rows]

    @property
    def exact(self) -> bool:
        """True if no run had a say in it."""
        return not self.runs

    @property
    def probability(self) -> float:
        """The probability as a float, which rounds to 1 where it is nearly certain."""
        return self.value

    @property
    def parts(self) -> tuple[str, str, str]:
        """The number and the ends of its interval as text, with as many digits as are known.

        No probability is a false 0 or 1, no mean of items all of them, and an epsilon is rounded
        up so that it suffices.
        """
        ends = (self.value, self.low, self.high)
        if self.unit == EPSILON:
            return _epsilons(*ends)
        value, low, high = map(self._written, ends)
        known = not math.isnan(self.log)
        return probability(self.log, self.log_complement) if known else value, low, high

    @property
    def brief(self) -> str:
        """The number as text, without its interval."""
        return self.parts[0]

    @property
    def text(self) -> str:
        """The number as text, with its interval in brackets if it comes from runs."""
        value, low, high = self.parts
        return value if self.exact else f"{value} [{low}, {high}]"

    @property
    def how(self) -> str:
        """Method in words: exact, or simulated with its interval."""
        _, low, high = self.parts
        return "exact" if self.exact else f"simulated (95%: {low} to {high})"

    @property
    def marked(self) -> str:
        """The number as text, marked where it is exact, and a tiny distance from 1 beside it."""
        return ", ".join(filter(None, [self.text + " exact" * self.exact, self.shortfall]))

    @property
    def shortfall(self) -> str:
        """Distance from 1 of a probability that is nearly 1, as text; empty for other numbers."""
        return "" if math.isnan(self.log) else distance_from_1(self.log, self.log_complement)

    def columns(self, name: str) -> dict[Any, float]:
        """Return the columns of a table that hold the number and the ends of its interval."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    def _written(self, value: float) -> str:
        if self.unit == PROBABILITY:
            return share(value)
        if self.most:
            return mean_of(value, self.most)
        return score(value) if self.unit == SCORE else number(value)


def _epsilons(epsilon: float, low: float, high: float) -> tuple[str, str, str]:
    """Write an ε and the ends of its interval, in four digits where two would else read alike."""
    n_different = len({epsilon, low, high})
    for n_digits in (3, 4):
        lower = rounded(low, n_digits) if 0 < low < epsilon else needed(low, n_digits)
        words = needed(epsilon, n_digits), lower, needed(high, n_digits)
        if len(set(words)) == n_different:
            break
    return words
