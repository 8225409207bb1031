"""Compute the joint cost of several releases, and the probability that all are right.

The releases share one δ, which is of all of them together.  Mechanisms whose own δ adds up get a
share of it each, see `with_share_of_delta`; the others have no δ in composition.  The bounds are
those of `accounting.composition`: data may change from release to release, and each may be looked
at before the next, but number and settings of the releases are fixed before the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dptopk import accounting
from dptopk.accounting import Composition
from dptopk.core import validation
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.estimate import EPSILON, Estimate
from dptopk.core.numerals import compact, needed, stated
from dptopk.core.privacy import Cost, RangeCost
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.approximate import (
    checked_releases,
    with_share_of_delta as with_share_of_delta,
)
from dptopk.tuning.implications import Target
from dptopk.tuning.targets import chance_of_target, checked_target, successes

if TYPE_CHECKING:
    from dptopk.tuning.search import SmallestEpsilon

_LARGEST, _SMALLEST = 1e3, 1e-9  # epsilons between which one is looked for
_PRECISION = 1e-7  # of an epsilon, relative
_FAST = 2.0  # factor between epsilons that are tried one after another


def joint_cost(mechanism: Mechanism, releases: int, delta: float) -> Composition:
    """Return the joint cost of several releases of a mechanism at δ, with its theorem.

    One alone spends what it promises.  Arguments and errors as `with_share_of_delta`.
    """
    if checked_releases(releases) == 1:
        guarantee = mechanism.guarantee
        return Composition(guarantee.epsilon, guarantee.delta, "as it is promised")
    return accounting.composition(mechanism.cost, releases, delta)


def epsilon_each(mechanism: Mechanism, releases: int, epsilon: float, delta: float) -> float:
    """Return the largest ε of each release that keeps all together within a budget.

    To a ten-millionth, and never above; at most 1,000, and 0 where no ε is small enough.  The
    mechanism's own ε is ignored.
    """
    releases = checked_releases(releases)
    epsilon = validation.positive("epsilon", epsilon)
    delta = validation.probability("delta", delta)
    if releases == 1:
        return epsilon
    limit = epsilon
    if isinstance(mechanism.cost, RangeCost):  # one search for the range, none for each ε
        rounds = releases * mechanism.cost.rounds
        limit = accounting.local_epsilon(epsilon, delta, rounds, "optimal")

    def cost_of(each: float) -> Cost:
        return with_share_of_delta(mechanism.replaced(epsilon=each), releases, delta).cost

    def spent_together(each: float) -> float:
        return accounting.composed_epsilon(cost_of(each), releases, delta)

    def spent(each: float) -> float:
        cost = cost_of(each)
        return cost.range if isinstance(cost, RangeCost) else spent_together(each)

    low = high = min(epsilon / releases, _LARGEST)
    while low < _SMALLEST or spent(low) > limit:
        low, high = low / _FAST, low
        if low < _SMALLEST:
            return 0.0
    while high == low or spent(high) <= limit:
        if high == _LARGEST:
            return high
        low, high = high, min(high * _FAST, _LARGEST)

    def excess(log_each: float) -> float:
        return math.log(max(spent(math.exp(log_each)), 1e-300)) - math.log(limit)

    from scipy.optimize import brentq  # slow to load, as are those below

    # an end may spend the limit but for rounding, and exp(log(end)) then lie on its other side
    begin, end = math.log(low) - _PRECISION, math.log(high) + _PRECISION
    at = brentq(excess, begin, end, xtol=_PRECISION / 4, rtol=1e-12)
    each, step = max(math.exp(at), low), _PRECISION / 4
    while spent_together(each) > epsilon:  # of ranges by rounding, where they keep their limit
        each, step = max(each * (1 - step), low if each > low else 0.0), 2 * step
    return each


def chance_of_all(chance: Estimate, releases: int) -> Estimate:
    """Return the probability that all releases reach the target, from that of one.

    On given data the noise of each release is drawn anew, so that they are independent and the
    probabilities multiply; where the data change, it is that of releases of data like these.
    """
    n, log, log_rest = checked_releases(releases), chance.log, chance.log_complement
    if log_rest < -1:  # far more exact where one is nearly certain
        log = math.log1p(-math.exp(log_rest))
    log *= n
    if log_rest < -700:  # 1 - p^n is n (1 - p) to all digits
        log_rest += math.log(n)
    elif not math.isnan(log_rest):
        rest = -math.expm1(log)
        log_rest = math.log(rest) if rest > 0 else -math.inf
    value, low, high = (p**n for p in (chance.value, chance.low, chance.high))
    return replace(chance, value=value, low=low, high=high, log=log, log_complement=log_rest)


def probability_of_each(probability: float, releases: int) -> float:
    """Return the probability per release for all to be right with ``probability``."""
    probability = validation.probability("probability", probability)
    return math.exp(math.log(probability) / checked_releases(releases)) if probability else 0.0


@dataclass(frozen=True)
class NeededTogether(Estimate):
    """Joint ε of several releases, each at the smallest ε that reaches a target.

    Its interval is that of each, composed.
    """

    unit: str = EPSILON
    added: float = field(kw_only=True)  # plain sum of their ε's
    by: str = field(kw_only=True)  # the theorem behind it, to be read after it
    chance: Estimate = field(kw_only=True)  # that all reach the target


def needed_together(
    answer: SmallestEpsilon, mechanism: Mechanism, releases: int, delta: float
) -> NeededTogether:
    """Return the joint cost of several releases at the smallest ε found for one.

    ``answer`` is that of the mechanism as it is in the series: see `with_share_of_delta`; its own ε
    is ignored.  ``delta`` is of all releases together.
    """

    def spent(epsilon: float) -> float:
        if not 0 < epsilon < math.inf:
            return epsilon
        return joint_cost(mechanism.replaced(epsilon=epsilon), releases, delta).epsilon

    by = joint_cost(mechanism, releases, delta).by
    epsilon = spent(answer.epsilon)
    low, high = (epsilon, epsilon) if answer.exact else (spent(answer.low), spent(answer.high))
    added, chance = releases * answer.epsilon, chance_of_all(answer.chance, releases)
    return NeededTogether(epsilon, low, high, answer.runs, added=added, by=by, chance=chance)


@dataclass(frozen=True)
class WithinBudget:
    """Probability that each of several releases within a budget reaches a target."""

    epsilon: float  # of each
    chance: Estimate  # that one reaches the target


def within_budget(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    releases: int,
    epsilon: float,
    delta: float,
    seed: int = 0,
) -> WithinBudget | None:
    """Return the ε of each of several releases within a budget, and how often it suffices.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data of each release, or data like them.
    mechanism : Mechanism
        One release at any ε, which is ignored.
    target : str or tuple
        As for `smallest_epsilon`.
    releases : int
        Number of releases, in [1, `MOST_RELEASES`].
    epsilon, delta : float
        Budget of all releases together: ε above 0 in natural-log units, δ in [0, 1).
    seed : int
        Of the runs, where the probability has no closed form.

    Returns
    -------
    WithinBudget or None
        None where no ε is so small that the releases stay within the budget.
    """
    target = checked_target(target, mechanism)
    each = epsilon_each(mechanism, releases, epsilon, delta)
    if each == 0:
        return None
    at = with_share_of_delta(mechanism.replaced(epsilon=each), releases, delta)
    chance = chance_of_target(counts, at, target)
    if chance is not None:
        return WithinBudget(each, chance)
    from dptopk.simulation.summaries import share_of_runs
    from dptopk.tuning.search import runs_to_judge

    n = runs_to_judge(at.k)
    return WithinBudget(each, share_of_runs(successes(counts, at, target, n, seed), n))


def joint_cost_words(releases: int, together: Composition) -> str:
    """Return sentences on the joint cost of several releases."""
    if together.epsilon == math.inf:
        return f"For {releases:,} of them no total is known at δ = {stated(together.delta)}."
    at = f" and δ = {stated(together.delta)}" if together.delta else ""
    return (
        f"{releases:,} of them cost ε = {needed(together.epsilon)}{at} together, {together.by}. "
        f"{premise(releases, 0.0)}"
    )


def premise(releases: int, delta: float) -> str:
    """Return the conditions for the total cost of several releases, in sentences."""
    at = f"δ = {compact(delta)} is of all {releases:,} releases together. " if delta else ""
    return (
        f"{at}The total holds even if the data change and each release is seen before the next, "
        "provided that their number, k, ε and δ are fixed before the first."
    )
