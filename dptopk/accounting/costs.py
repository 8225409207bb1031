"""What releases cost together, from what each of them declares."""

import numpy as np
from scipy.special import gammaln

from dptopk import _validate
from dptopk.accounting._limits import MAX_ROUNDS
from dptopk.accounting.calibration import spent_epsilon
from dptopk.privacy import ApproximateCost, Cost, PureCost

_MOST_BITS = 10**6


def composed_epsilon(cost: Cost, times: int, delta: float) -> float:
    """Return the ε that many releases of one cost spend together at δ, at most.

    Parameters
    ----------
    cost : PureCost, RangeCost or ApproximateCost
        What one release counts as: a mechanism's ``cost``.
    times : int
        Number of releases, each chosen freely after seeing those before, at least 1.
    delta : float
        Extra probability of any set of outputs of all releases beyond e^result times, in [0, 1).

    Returns
    -------
    float
        By the tightest proof of this package: rounds of bounded range by the adaptive optimum;
        a pure ε by the optimal composition of such (Kairouz, Oh, Viswanath 2015, arXiv 1311.0776,
        Theorem 3.3), beyond a million times as a round of range 2ε; an (ε, δ) by adding up,
        infinite where its own δ alone adds up to more than ``delta``.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range or of the wrong kind.
    """
    times = _validate.integer("times", times, 1, MAX_ROUNDS)
    delta = _validate.probability("delta", delta)
    if isinstance(cost, ApproximateCost):
        return times * cost.epsilon if times * cost.delta <= delta else float("inf")
    if isinstance(cost, PureCost):
        return _pure(cost.epsilon, times, delta)
    rounds = _validate.integer("times", times * cost.rounds, 1, MAX_ROUNDS)
    return spent_epsilon(cost.range, rounds, delta, "optimal")


def _pure(epsilon: float, times: int, delta: float) -> float:
    """The ε that ``times`` pure releases spend, each of them any ``epsilon``-DP mechanism.

    None is worse than one bit that is told right with odds e^ε.  Of n bits let P_J and Q_J be the
    probabilities that J or more are 1 if the truth is 1, or 0: then δ(ε') = max_J P_J - e^ε' Q_J,
    and the ε' at δ is the largest ln((P_J - δ) / Q_J).
    """
    if times > _MOST_BITS:
        return min(times * epsilon, spent_epsilon(2 * epsilon, times, delta, "optimal"))
    ones = np.arange(times, -1, -1, dtype=np.float64)
    ways = gammaln(times + 1) - gammaln(ones + 1) - gammaln(times - ones + 1)
    if_one, if_none = (
        ways + n * epsilon - times * np.logaddexp(0, epsilon) for n in (ones, times - ones)
    )
    p, q = np.logaddexp.accumulate(if_one), np.logaddexp.accumulate(if_none)
    left = np.exp(p) - delta
    found = np.log(left[left > 0]) - q[left > 0]
    most = times * epsilon
    rounding = 2e-15 * (1 + gammaln(times + 1) + most)
    return float(np.clip(found.max() + rounding, 0.0, most))
