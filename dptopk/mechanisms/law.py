"""Exact laws as mechanisms give them: of an error, and bounds on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


class NoClosedFormError(NotImplementedError):
    """The exact law asked for is not known, not defined here, or too large to write out."""


@dataclass(frozen=True)
class ErrorLaw:
    """The exact law of an error.

    Attributes
    ----------
    values : numpy.ndarray of int64, shape (m,)
        Possible values in users, ascending; values with less than about 1e-19 of
        the probability together are left out.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.
    """

    values: np.ndarray
    log_probabilities: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        """Unpack as (values, probabilities)."""
        return iter((self.values, self.probabilities))

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities, shape (m,)."""
        return np.exp(self.log_probabilities)

    @property
    def cumulative(self) -> np.ndarray:
        """Probability of at most each value, shape (m,)."""
        return np.minimum(np.cumsum(self.probabilities), 1.0)

    @property
    def mean(self) -> float:
        """Expected error, in users."""
        return float(self.values @ self.probabilities)

    def quantile(self, level: float) -> int:
        """Smallest value whose cumulative probability reaches ``level``."""
        place = np.searchsorted(self.cumulative, level * self.cumulative[-1])
        return int(self.values[min(place, len(self.values) - 1)])


@dataclass(frozen=True)
class ErrorBound:
    """A proven bound on an error: at most ``value`` with probability ``probability``.

    Attributes
    ----------
    metric : str
        The key of the error in `errors.METRICS`.
    value : float
        In users.
    probability : float
        With which the error stays within ``value``, at least.
    source : str
        The theorem, in two or three words.
    words : str
        What it says, in a sentence.
    """

    metric: str
    value: float
    probability: float
    source: str
    words: str
