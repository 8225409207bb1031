"""What releases cost together, from what each of them declares."""

from dptopk import _validate
from dptopk.accounting._limits import MAX_ROUNDS
from dptopk.accounting.calibration import spent_epsilon
from dptopk.privacy import ApproximateCost, Cost, PureCost


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
        a pure ε as a round of range 2ε where that is better than adding up; an (ε, δ) by adding
        up, infinite where its own δ alone adds up to more than ``delta``.

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
        narrow = spent_epsilon(2 * cost.epsilon, times, delta, "optimal")
        return min(times * cost.epsilon, narrow)
    rounds = _validate.integer("times", times * cost.rounds, 1, MAX_ROUNDS)
    return spent_epsilon(cost.range, rounds, delta, "optimal")
