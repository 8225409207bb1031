"""Exact distributions of errors, and exact probabilities of a correct top k.

Each family of mechanisms keeps its laws beside its sampler; here is the door to them, for any
mechanism and none named.  "Right" is meant up to ties throughout: items with equal counts are
interchangeable.
"""

import math

import numpy as np

from dptopk.core import errors, validation
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import Law
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import MAX_OUTPUTS
from dptopk.mechanisms import ErrorLaw, Mechanism, NoClosedFormError, joint_loss_bound
from dptopk.mechanisms.base import check_mechanism, check_total

__all__ = [
    "QUICK",
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


def exact_error(counts: ItemCounts | SortedCounts, mechanism: Mechanism, metric: str) -> ErrorLaw:
    """Return the exact law of an error: the mechanism's own, or that of all its outputs.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanism : Mechanism
        The mechanism.
    metric : str
        A key of `errors.METRICS`.

    Raises
    ------
    NoClosedFormError
        If no closed form is known, and there are more than 50,000 outputs, or its values are no
        whole numbers; simulate with `run_trials` instead.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, exact_error
    >>> law = exact_error(ItemCounts([9, 7, 4, 2, 0]), Joint(2, 1.0), "signed_max")
    >>> law.quantile([0.5, 0.95]).tolist()
    [2, 7]
    >>> round(law.mean, 3)
    2.422
    """
    check_mechanism("mechanism", mechanism).check(counts)
    validation.choice("metric", metric, tuple(errors.METRICS))
    measure = errors.METRICS[metric]
    if measure.law is not None and measure.law in mechanism.exact_metrics:
        return mechanism.error_law(counts.sorted, measure.law)
    unknown = f"no closed form of the {measure.title} of {mechanism.name} is known"
    if measure.is_score:
        raise NoClosedFormError(f"{unknown}: its values are no whole numbers")
    if mechanism.outputs.n_outputs(counts.d, mechanism.k) > MAX_OUTPUTS:
        raise NoClosedFormError(f"{unknown}, and more than {MAX_OUTPUTS:,} outputs are possible")
    every = mechanism.outputs.every(counts.d, mechanism.k)
    log_p = check_total(mechanism, mechanism.log_pmf(counts, every))
    values, value_of = np.unique(measure.compute(counts, every, mechanism), return_inverse=True)
    sums = np.full(values.size, -np.inf)
    np.logaddexp.at(sums, value_of, log_p)
    possible = np.isfinite(sums)
    return ErrorLaw(values[possible], np.minimum(sums[possible], 0.0))


def probability_exact_sequence(counts: ItemCounts | SortedCounts, mechanism: Mechanism) -> float:
    """Return the probability that the true top k come out in order, up to ties.

    Raises
    ------
    NoClosedFormError
        For a mechanism that releases sets, or that does not treat tied items alike where more than
        1,000 sequences are a true top k.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, probability_exact_sequence
    >>> round(probability_exact_sequence(ItemCounts([9, 7, 4, 2, 0]), Joint(2, 1.0)), 3)
    0.403
    """
    return chance_exact_sequence(counts, mechanism).probability


def probability_exact_set(counts: ItemCounts | SortedCounts, mechanism: Mechanism) -> float:
    """Return the probability that the true top k come out in any order, up to ties.

    Raises
    ------
    NoClosedFormError
        If no closed form is known, and more than 1,000 outputs are a true top k; simulate with
        `run_trials` instead.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, probability_exact_set
    >>> round(probability_exact_set(ItemCounts([9, 7, 4, 2, 0]), Joint(2, 1.0)), 3)
    0.551
    """
    return chance_exact_set(counts, mechanism).probability


def chance_exact_sequence(counts: ItemCounts | SortedCounts, mechanism: Mechanism) -> Estimate:
    """Return `probability_exact_sequence` with its complement in logarithms."""
    check_mechanism("mechanism", mechanism).check(counts)
    log_p = mechanism.log_probability_exact_sequence(counts.sorted)
    if log_p < _LOG_NEARLY_CERTAIN:
        return _chance(log_p)
    log_wrong = mechanism.log_probability_not_exact_sequence(counts.sorted)
    if math.isnan(log_wrong):  # loss 0: the true sequence, and no other
        log_wrong = _log_any_error(mechanism, counts.sorted, Law.SIGNED_MAX)
    return Estimate.of_logs(min(log_p, 0.0), log_wrong)


def chance_exact_set(counts: ItemCounts | SortedCounts, mechanism: Mechanism) -> Estimate:
    """Return `probability_exact_set` with its complement in logarithms."""
    check_mechanism("mechanism", mechanism).check(counts)
    if is_always_right(mechanism, counts):
        return Estimate.of_logs(0.0, -math.inf)
    log_p = mechanism.log_probability_exact_set(counts.sorted)
    if log_p < _LOG_NEARLY_CERTAIN:
        return _chance(log_p)
    log_wrong = mechanism.log_probability_not_exact_set(counts.sorted)
    top = counts.sorted.top(min(mechanism.k + 1, counts.d))
    cut_tie = counts.d > mechanism.k and top[-2] == top[-1] and counts.sorted.n_levels > 1
    by_place = not mechanism.outputs.ordered and Law.SIGNED_MAX in mechanism.exact_metrics
    if math.isnan(log_wrong) and by_place:  # places by size: no error, no other set
        log_wrong = _log_any_error(mechanism, counts.sorted, Law.SIGNED_MAX)
    elif math.isnan(log_wrong) and not cut_tie:  # else a set without error may not be a top k
        log_wrong = _log_any_error(mechanism, counts.sorted, Law.K_RELATIVE)
    return Estimate.of_logs(min(log_p, 0.0), log_wrong)


def is_always_right(mechanism: Mechanism, counts: ItemCounts | SortedCounts) -> bool:
    """Return whether every k items are a true top k, and k items always come out."""
    any_right = counts.sorted.n_levels == 1 or counts.d == mechanism.k
    return any_right and not mechanism.outputs.short


def _chance(log_p: float) -> Estimate:
    return Estimate.of_logs(log_p, math.log(-math.expm1(log_p)))


def _log_any_error(mechanism: Mechanism, counts: SortedCounts, law: Law) -> float:
    """Return the log probability of an error above 0, from its law; NaN without one."""
    whole = counts.d == mechanism.k and (law is Law.K_RELATIVE or not mechanism.outputs.ordered)
    if (whole or counts.n_levels == 1) and not mechanism.outputs.short:
        return -math.inf  # no item is wrong
    if law not in mechanism.exact_metrics:
        return math.nan
    try:
        none = mechanism.chance_of_error(counts, law, 0)
    except NoClosedFormError:  # too large to write out
        return math.nan
    return none.log_complement if none.log > -math.inf else math.nan
