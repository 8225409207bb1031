"""Exact laws of errors at any d and k, where a mechanism knows them.

Each family of mechanisms keeps its laws beside its sampler; here is the door to them, for any
mechanism and none named.  "Right" is meant up to ties throughout: items with equal counts are
interchangeable.
"""

import math

from dptopk import _validate, errors
from dptopk.counts import ItemCounts, SortedCounts
from dptopk.mechanisms import ErrorLaw, Mechanism, NoClosedFormError, joint_loss_bound
from dptopk.mechanisms.base import check_mechanism

__all__ = [
    "ErrorLaw",
    "NoClosedFormError",
    "exact_error",
    "joint_loss_bound",
    "probability_exact_sequence",
    "probability_exact_set",
]


def exact_error(mechanism: Mechanism, counts: ItemCounts | SortedCounts, metric: str) -> ErrorLaw:
    """Exact law of an error, where the mechanism knows one.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    counts : ItemCounts or SortedCounts
        The data.
    metric : str
        A key of `errors.METRICS`.

    Returns
    -------
    ErrorLaw

    Raises
    ------
    NoClosedFormError
        If no closed form is known; simulate with `run_trials` instead.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    check_mechanism("mechanism", mechanism).check(counts)
    _validate.choice("metric", metric, tuple(errors.METRICS))
    if metric not in mechanism.exact_metrics:
        title = errors.METRICS[metric].title
        raise NoClosedFormError(f"no closed form of the {title} of {mechanism.name} is known")
    return mechanism.error_law(counts.sorted, metric)


def probability_exact_sequence(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> float:
    """Probability that the true top k come out in order, up to ties.

    Raises
    ------
    NoClosedFormError
        For a mechanism that releases sets, or that does not treat tied items alike where the
        true top k is not unique.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    check_mechanism("mechanism", mechanism).check(counts)
    return _probability(mechanism.log_probability_exact_sequence(counts.sorted))


def probability_exact_set(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> float:
    """Probability that the true top k come out in any order, up to ties.

    Raises
    ------
    NoClosedFormError
        If no closed form is known; simulate with `run_trials` instead.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    check_mechanism("mechanism", mechanism).check(counts)
    return _probability(mechanism.log_probability_exact_set(counts.sorted))


def _probability(log_probability: float) -> float:
    """Probability from its logarithm; rounding may not lift it above 1."""
    return min(1.0, math.exp(log_probability))
