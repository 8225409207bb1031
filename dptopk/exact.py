"""Exact laws of errors at any d and k, where a mechanism knows them.

Each family of mechanisms keeps its laws beside its sampler; here is the door to them, for any
mechanism and none named.  "Right" is meant up to ties throughout: items with equal counts are
interchangeable.
"""

import math

from dptopk import _validate, errors
from dptopk.counts import ItemCounts, SortedCounts
from dptopk.mechanisms import Chance, ErrorLaw, Mechanism, NoClosedFormError, joint_loss_bound
from dptopk.mechanisms.checks import check_mechanism

__all__ = [
    "QUICK",
    "Chance",
    "ErrorLaw",
    "NoClosedFormError",
    "chance_exact_sequence",
    "chance_exact_set",
    "exact_error",
    "joint_loss_bound",
    "probability_exact_sequence",
    "probability_exact_set",
]

QUICK = 2_000_000
"""Steps of a law (`Mechanism.pmf_work`, `set_work`) that take no noticeable time."""

_LOG_NEARLY_CERTAIN = -1e-6  # from here on the complement of a logarithm loses digits


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
    return chance_exact_sequence(mechanism, counts).probability


def probability_exact_set(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> float:
    """Probability that the true top k come out in any order, up to ties.

    Raises
    ------
    NoClosedFormError
        If no closed form is known; simulate with `run_trials` instead.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    return chance_exact_set(mechanism, counts).probability


def chance_exact_sequence(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> Chance:
    """`probability_exact_sequence` with what it falls short of 1; errors likewise."""
    check_mechanism("mechanism", mechanism).check(counts)
    log_p = mechanism.log_probability_exact_sequence(counts.sorted)
    if log_p < _LOG_NEARLY_CERTAIN:
        return _chance(log_p)
    log_wrong = mechanism.log_probability_not_exact_sequence(counts.sorted)
    if math.isnan(log_wrong):  # loss 0: the true sequence, and no other
        log_wrong = _log_any_error(mechanism, counts.sorted, "signed_max")
    return Chance(min(log_p, 0.0), log_wrong)


def chance_exact_set(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> Chance:
    """`probability_exact_set` with what it falls short of 1; errors likewise."""
    check_mechanism("mechanism", mechanism).check(counts)
    if is_always_right(mechanism, counts):
        return Chance(0.0, -math.inf)
    log_p = mechanism.log_probability_exact_set(counts.sorted)
    if log_p < _LOG_NEARLY_CERTAIN:
        return _chance(log_p)
    log_wrong = mechanism.log_probability_not_exact_set(counts.sorted)
    top = counts.sorted.top(min(mechanism.k + 1, counts.d))
    cut_tie = counts.d > mechanism.k and top[-2] == top[-1] and counts.sorted.n_levels > 1
    by_place = not mechanism.outputs.ordered and "signed_max" in mechanism.exact_metrics
    if math.isnan(log_wrong) and by_place:  # places by size: no error, no other set
        log_wrong = _log_any_error(mechanism, counts.sorted, "signed_max")
    elif math.isnan(log_wrong) and not cut_tie:  # else a set without error may not be a top k
        log_wrong = _log_any_error(mechanism, counts.sorted, "k_relative")
    return Chance(min(log_p, 0.0), log_wrong)


def is_always_right(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> bool:
    """Whether any k items are the true top k, up to ties, and k items come out for certain."""
    any_right = counts.sorted.n_levels == 1 or counts.d == mechanism.k
    return any_right and not mechanism.outputs.short


def _chance(log_p: float) -> Chance:
    """A probability that is not close to 1: its complement has all its digits."""
    return Chance(log_p, math.log(-math.expm1(log_p)))


def _log_any_error(mechanism: Mechanism, counts: SortedCounts, metric: str) -> float:
    """Log probability of an error above 0, from its law; not a number if there is none."""
    whole = counts.d == mechanism.k and (metric == "k_relative" or not mechanism.outputs.ordered)
    if (whole or counts.n_levels == 1) and not mechanism.outputs.short:
        return -math.inf  # no item is wrong
    if metric not in mechanism.exact_metrics:
        return math.nan
    try:
        none = mechanism.chance_of_error(counts, metric, 0)
    except NoClosedFormError:  # too large to write out
        return math.nan
    return none.log_rest if none.log > -math.inf else math.nan
