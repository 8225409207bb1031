"""Types of exact laws: probabilities in logarithms, laws of errors, and bounds."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.estimate import Estimate
from dptopk.core.papers import Citation

LOG_UNSURE = -38.0  # a mass of e^-45 that was left out is a thousandth of this
_MOST_LEVELS = 300  # distinct counts at which laws of places are evaluated


class NoClosedFormError(NotImplementedError):
    """The exact law asked for is not known, not defined here, or too large to write out."""


class NearCertainty:
    """Log probabilities of wrong outputs, which keep their digits near certainty.

    Where the chance of being right is not close to 1, its complement says as much.
    """

    def log_probability_not_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability of any output but the true top k in order; NaN if unknown."""
        return math.nan

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability of any output but the true top k; NaN if unknown."""
        return math.nan


def known(log_p: float) -> float:
    """Return the log of a summed mass; NaN if it may be smaller than the truncation error."""
    return log_p if log_p >= LOG_UNSURE else math.nan


@dataclass(frozen=True)
class ErrorLaw:
    """Exact law of an error.

    Attributes
    ----------
    values : numpy.ndarray of int64, shape (m,)
        Possible values in users, ascending (sums that may not fit are float64, as in `l1_error`);
        values with less than about 1e-19 of the probability together are left out.  That is what
        is cut; what is kept is computed in float64.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.  A probability p is known to within 1e-10 p + 1e-19: to ten digits
        from about 1e-9 on, and below to fewer, as sums leave out what is below 1e-19.
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
        """Cumulative probability at each value, shape (m,)."""
        cumulative: FloatArray = np.minimum(np.cumsum(self.probabilities), 1.0)
        return cumulative

    @property
    def log_beyond(self) -> FloatArray:
        """Log probability of larger values than each, shape (m,).

        Not a number where it may be what was left out.
        """
        beyond = np.logaddexp.accumulate(self.log_probabilities[::-1])[::-1]
        log_beyond: FloatArray = np.append(beyond[1:], -np.inf)
        log_beyond[log_beyond < LOG_UNSURE] = np.nan
        return log_beyond

    @property
    def mean(self) -> float:
        """Expected error, in users."""
        return float(self.values @ self.probabilities)

    def chance_of_at_most(self, most: float) -> Estimate:
        """Return the probability of an error of at most ``most``."""
        validation.within("most", most, -math.inf, math.inf)
        within = int(np.searchsorted(self.values, most, side="right"))
        if within == 0:
            return Estimate.of_logs(-math.inf, 0.0)
        log_p = float(np.logaddexp.reduce(self.log_probabilities[:within]))
        return Estimate.of_logs(min(log_p, 0.0), float(self.log_beyond[within - 1]))

    @overload
    def quantile(self, level: float) -> int: ...

    @overload
    def quantile(self, level: Sequence[float] | FloatArray) -> IntArray: ...

    def quantile(self, level: float | Sequence[float] | FloatArray) -> int | IntArray:
        """Return the smallest value whose cumulative probability reaches ``level``.

        Parameters
        ----------
        level : float or array_like of float
            In [0, 1].

        Returns
        -------
        int or numpy.ndarray of int64, of the shape of ``level``
            In users.

        Raises
        ------
        ValueError
            For a level outside [0, 1].

        Examples
        --------
        >>> from dptopk import ItemCounts, Joint, exact_error
        >>> law = exact_error(ItemCounts([9, 7, 4]), Joint(2, 1.0), "signed_max")
        >>> law.quantile(0.5), law.quantile([0.5, 0.99]).tolist()
        (0, [0, 5])
        """
        levels = np.asarray(level, dtype=np.float64)
        if not ((levels >= 0) & (levels <= 1)).all():
            wrong = levels[~((levels >= 0) & (levels <= 1))].flat[0]
            raise ValueError(f"level must be in [0, 1], got {wrong:g}")
        cumulative = self.cumulative
        places = np.searchsorted(cumulative, levels * cumulative[-1])
        quantiles: IntArray = self.values[np.minimum(places, len(self.values) - 1)]
        return quantiles if levels.ndim else int(quantiles)


class LawsOfErrors:
    """Exact laws of errors of a mechanism."""

    name: ClassVar[str]  # the card's: what the literature calls it
    exact_metrics: ClassVar[tuple[str, ...]] = ()  # `errors.Law`s that `error_law` knows

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of one of the `exact_metrics`; see `exact.exact_error`."""
        raise NotImplementedError(f"{self.name} has no exact law of {metric}")

    def chance_of_error(self, counts: SortedCounts, metric: str, most: float) -> Estimate:
        """Return the probability that one of the `exact_metrics` is at most ``most``."""
        return self.error_law(counts, metric).chance_of_at_most(most)


class LawsOfPlaces:
    """Exact laws of the items released at each place."""

    name: ClassVar[str]  # the card's: what the literature calls it

    def chances_within(self, counts: SortedCounts, ends: IntArray) -> FloatArray:
        """Return the chance that the item at each place is among the first ranks, shape (m, k).

        Each of ``ends``, shape (m,), is a number of ranks at the end of a level: no tie is cut.
        For a set, which has no places, it is that of a released item chosen uniformly.
        """
        raise NoClosedFormError(
            f"no closed form of the items at the places of {self.name} is known"
        )

    def chances_released(
        self, counts: SortedCounts, ranks: IntArray, room: int | None = None
    ) -> FloatArray:
        """Return the probability that the items at these distinct ranks are released, at any place.

        With ``room``, that they are among the first so many of these items: the probabilities then
        add up to the expected number of them that are released, counted up to ``room``.
        """
        if room is not None:
            raise NoClosedFormError(
                f"no closed form of the numbers of items of {self.name} is known"
            )
        if counts.n_levels > _MOST_LEVELS:
            raise NoClosedFormError(f"{counts.n_levels:,} different counts are too many for this")
        within = self.chances_within(counts, counts.ends).sum(axis=1)
        each: FloatArray = (np.diff(within, prepend=0.0) / counts.multiplicities).clip(0.0, 1.0)
        return each[counts.level_of_rank(ranks)]

    def chances_in_order(self, counts: SortedCounts) -> FloatArray:
        """Return the probability that each place's count is at least the next one's, (k - 1,)."""
        raise NoClosedFormError(f"no closed form of the order of places of {self.name} is known")


@dataclass(frozen=True)
class ErrorBound:
    """Proven bound on an error: at most ``value``, in users, with probability ``probability``."""

    metric: str  # key of the error in `errors.METRICS`
    value: float
    probability: float
    source: Citation  # the theorem
    words: str  # what it says, in a sentence
