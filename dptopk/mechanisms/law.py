"""Exact laws as mechanisms give them: of an error, and bounds on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dptopk._types import FloatArray, IntArray
from dptopk.papers import Citation


class NoClosedFormError(NotImplementedError):
    """The exact law asked for is not known, not defined here, or too large to write out."""


@dataclass(frozen=True)
class ErrorLaw:
    """The exact law of an error.

    Attributes
    ----------
    values : numpy.ndarray of int64, shape (m,)
        Possible values in users, ascending; values with less than about 1e-19 of
        the probability together are left out.  That is what is cut; what is kept is computed in
        float64, good to about ten digits.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.
    """

    values: IntArray
    log_probabilities: FloatArray

    def __iter__(self) -> Iterator[IntArray | FloatArray]:
        """Unpack as (values, probabilities)."""
        return iter((self.values, self.probabilities))

    @property
    def probabilities(self) -> FloatArray:
        """Probabilities, shape (m,)."""
        probabilities: FloatArray = np.exp(self.log_probabilities)
        return probabilities

    @property
    def cumulative(self) -> FloatArray:
        """Probability of at most each value, shape (m,)."""
        cumulative: FloatArray = np.minimum(np.cumsum(self.probabilities), 1.0)
        return cumulative

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
    source : Citation
        The theorem.
    words : str
        What it says, in a sentence.
    """

    metric: str
    value: float
    probability: float
    source: Citation
    words: str
