"""Compose the privacy costs of several releases.

Every bound here is of adaptive composition: each release may be chosen, and its data may change,
after seeing those before it, as long as number and cost of the releases are fixed beforehand and
neighbouring data sets differ in the same user throughout.  Costs that are themselves chosen on the
way take a filter, which is a theorem of its own; a plain sum is one (Rogers, Roth, Ullman, Vadhan
2016, arXiv 1605.08294, their filter of basic composition).
"""

import math
from dataclasses import dataclass

import numpy as np

from dptopk.accounting._curves import MAX_ROUNDS, OPTIMAL_MAX_RANGE, OPTIMAL_MAX_ROUNDS
from dptopk.accounting.calibration import spent_epsilon
from dptopk.accounting.ledger import OutcomeLedger
from dptopk.core import papers, validation
from dptopk.core.log_space import log_factorial
from dptopk.core.privacy import ApproximateCost, Cost, PerOutcomeCost, PureCost, RangeCost

_MOST_BITS = 10**6
_ROUNDING = 1e-12  # of a δ, given up so that sums of floats stay below it

BASIC = "by adding up"
_OPTIMAL = f"by the optimal adaptive composition of {papers.KAIROUZ_2015.at('Theorem 3.3').words}"
_ROUNDS = f"as adaptive rounds of bounded range ({papers.DONG_2020.short})"
_MOMENTS = f"by the moments of adaptive rounds of bounded range ({papers.DONG_2020.short})"
_BY_OUTCOME = f"by the outcomes of the calls ({papers.DURFEE_2019.short})"


@dataclass(frozen=True)
class Composition:
    """Total cost of several releases of one cost."""

    # at most so much at ``delta``, natural-log units; infinite where no bound is known
    epsilon: float
    delta: float  # extra probability of any set of outputs of all releases, beyond e^epsilon times
    by: str  # the theorem, to be read after the number


def composition(cost: Cost, times: int, delta: float) -> Composition:
    """Return the total cost of ``times`` releases at δ, and the theorem it follows from.

    Parameters
    ----------
    cost : PureCost, RangeCost or ApproximateCost
        What one release counts as: a mechanism's ``cost``.
    times : int
        Number of releases, each chosen freely after seeing those before, at least 1.
    delta : float
        Extra probability of any set of outputs of all releases beyond e^epsilon times, in [0, 1).

    Returns
    -------
    Composition
        By the tightest proof of this package: rounds of bounded range by the adaptive optimum;
        a pure ε by the optimal composition of such (Kairouz, Oh, Viswanath 2015, arXiv 1311.0776,
        Theorem 3.3), beyond a million times as a round of range 2ε; an (ε, δ) by the same theorem,
        infinite where its own δ alone composes to more than ``delta``; one that is paid by its
        outcomes also as a `OutcomeLedger` that holds so many calls, whichever is less.
    """
    times = validation.integer("times", times, 1, MAX_ROUNDS)
    delta = validation.probability("delta", delta)
    if isinstance(cost, RangeCost):
        rounds = validation.integer("times", times * cost.rounds, 1, MAX_ROUNDS)
        epsilon = spent_epsilon(cost.range, rounds, delta, "optimal")
        optimum = rounds <= OPTIMAL_MAX_ROUNDS and cost.range <= OPTIMAL_MAX_RANGE
        return Composition(epsilon, delta, (_ROUNDS if optimum else _MOMENTS) if delta else BASIC)
    if isinstance(cost, PureCost):
        epsilon, by = _pure(cost.epsilon, times, delta)
        return Composition(epsilon, delta, by if delta else BASIC)
    epsilon, by = _approximate(cost, times, delta)
    bounds = [Composition(epsilon, delta, by)]
    if isinstance(cost, PerOutcomeCost):
        left = (delta - 2 * times * cost.call_delta) * (1 - _ROUNDING)
        if left >= 0:
            ledger = OutcomeLedger(cost, times * cost.outcomes, times)
            bounds.append(Composition(ledger.total_epsilon(left, "optimal"), delta, _BY_OUTCOME))
    return min(bounds, key=lambda one: one.epsilon)


def composed_epsilon(cost: Cost, times: int, delta: float) -> float:
    """Return an upper bound on the total ε of several releases of one cost at δ.

    Arguments and errors as `composition`, whose ``epsilon`` it is.
    """
    return composition(cost, times, delta).epsilon


def _approximate(cost: ApproximateCost, times: int, delta: float) -> tuple[float, str]:
    """Return the total ε of ``times`` (ε, δ)-DP releases at ``delta``, and the theorem.

    They are (ε', 1 - (1 - δ)^times (1 - δ'))-DP for every (ε', δ') of as many pure ones.
    """
    if times == 1:
        return cost.epsilon if cost.delta <= delta else math.inf, BASIC
    left = -math.expm1(math.log1p(-delta) - times * math.log1p(-cost.delta)) - _ROUNDING * delta
    if left >= 0:
        return _pure(cost.epsilon, times, left)
    enough = times * cost.delta <= delta * (1 + _ROUNDING)  # as decimals
    return times * cost.epsilon if enough else math.inf, BASIC


def _pure(epsilon: float, times: int, delta: float) -> tuple[float, str]:
    """Return the total ε of ``times`` ``epsilon``-DP releases at ``delta``, and the theorem.

    None is worse than one bit that is told right with odds e^ε.  Of n bits let P_J and Q_J be the
    probabilities that J or more are 1 if the truth is 1, or 0: then δ(ε') = max_J P_J - e^ε' Q_J,
    and the ε' at δ is the largest ln((P_J - δ) / Q_J).
    """
    if times > _MOST_BITS:
        by_range = spent_epsilon(2 * epsilon, times, delta, "optimal")
        return min((times * epsilon, BASIC), (by_range, _MOMENTS))
    ones = np.arange(times, -1, -1, dtype=np.float64)
    ways = log_factorial(times) - log_factorial(ones) - log_factorial(times - ones)
    if_one, if_none = (
        ways + n * epsilon - times * np.logaddexp(0, epsilon) for n in (ones, times - ones)
    )
    p, q = np.logaddexp.accumulate(if_one), np.logaddexp.accumulate(if_none)
    left = np.exp(p) - delta
    epsilons = np.log(left[left > 0]) - q[left > 0]
    most = times * epsilon
    rounding = 2e-15 * (1 + log_factorial(times) + most)
    return float(np.clip(epsilons.max() + rounding, 0.0, most)), _OPTIMAL
