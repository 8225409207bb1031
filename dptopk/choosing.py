"""From what a release must achieve back to the smallest epsilon that achieves it.

Where the probability of a target (see `targets`) is known in closed form, epsilon is solved for
exactly, as it is where gaps and ties make it the same event as another.  Else ``epsilon`` is the
best estimate from runs that share their random numbers between epsilons, with an interval: half of
such estimates are a little too small, and whoever must be sure takes the upper end.  The runs of
all targets are the same, and exact answers to harder and easier targets cut the estimate and its
interval, so that an easier target costs no more.

To choose epsilon by looking at private counts is itself a use of them, which no guarantee here
covers: choose it on public data of the same kind.
"""

import contextlib
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from dptopk import _validate
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.crossing import STREAMS, Shares
from dptopk.events import Target
from dptopk.exact import Chance, NoClosedFormError
from dptopk.implied import laws_about
from dptopk.mechanisms import Mechanism, check_mechanism
from dptopk.targets import (
    chance_of_target,
    checked_target,
    exact_chance,
    successes,
)

LARGEST, SMALLEST = 1_000.0, 1e-6
"""Epsilons between which is searched."""

_PRECISION = 1e-7  # of an exact epsilon, relative
_ROUGH, _FEWEST, _MOST = 200, 250, 5_000  # runs at an epsilon: roughly, and to judge, within
_RELEASED = 50_000  # items that the runs at one epsilon release together
_RUNG = 0.005  # between neighbouring epsilons that the most runs judge, relative
_SHORT = 0.01  # of steps to where a law is too large to write out
_SURE = 1e6  # log-odds beyond which certainty is not told apart
_FAST = 4.0  # factor between epsilons that are tried one after another
_STEPS_DOWN = ((100.0, _FAST), (25.0, 2.0), (0.0, 1.4))
"""Factors, by the log-odds above what is wanted: so far down most likely stays above it."""
_NEAR, _CLOSE = 8.0, 0.5  # log-odds from where on steps follow the chord: part of it, or beyond it
_SHORTEST = 1e-4  # of these steps, relative


@dataclass(frozen=True)
class SmallestEpsilon:
    """The smallest epsilon that reaches a target.

    Attributes
    ----------
    epsilon : float
        Natural-log units; 0 if any epsilon reaches the target, infinite if none up to `LARGEST`
        does.
    low, high : float
        Where it lies: for runs, at 95 % on either side the runs tell them from the target, 0 and
        infinite where they are too few to; the same as ``epsilon`` where it is exact.
    exact : bool
        Whether the probability of the target is known in closed form.
    reached : float
        Probability of the target at ``epsilon``, or share of runs; at `LARGEST` if none reaches it.
    runs : int
        How many runs that is a share of; 0 where it is exact.
    cut : bool
        Whether exact answers to harder or easier targets cut what the runs said.
    """

    epsilon: float
    low: float
    high: float
    exact: bool
    reached: float
    runs: int = 0
    cut: bool = False


def smallest_epsilon(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float = 0.95,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> SmallestEpsilon:
    """Smallest epsilon at which the target is reached with this probability.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanism : Mechanism
        The mechanism at any epsilon, which is ignored; its other parameters hold.
    target : str or tuple
        "exact_set", "exact_sequence", ("items_right", m) for at least m, or (key of
        `errors.METRICS`, x) for at most x.
    probability : float
        With which one release must reach it, in (0, 1).
    seed : int
        Of the runs, where there is no closed form.
    progress : callable, optional
        Called with the share done, in (0, 1], now and then.

    Returns
    -------
    SmallestEpsilon
        Exact to 1e-6 relative, or with its interval.  The probability is taken to grow with
        epsilon; where it does not, a crossing is returned.

    Raises
    ------
    NoClosedFormError
        For the order of a mechanism that releases sets.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
    """
    check_counts("counts", counts)
    check_mechanism("mechanism", mechanism).check(counts)
    target = checked_target(target, mechanism)
    probability = _validate.probability("probability", probability)
    if probability == 0:
        raise ValueError("probability must be in (0, 1), got 0")
    seed = _validate.integer("seed", seed, low=0)
    tell = progress or (lambda _: None)
    if chance_of_target(counts, mechanism, target) is not None:
        with contextlib.suppress(NoClosedFormError):  # too large to write out on the way
            return _solved(counts, mechanism, target, probability, tell)
    return _simulated(counts, mechanism, target, probability, seed, tell)


# --- where the probability is known ------------------------------------------------------


def _solved(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float,
    progress: Callable[[float], object],
) -> SmallestEpsilon:
    wanted = math.log(probability) - math.log1p(-probability)
    known: dict[float, Chance] = {}

    def chance(log_epsilon: float) -> Chance:
        if log_epsilon not in known:
            progress(_share_done(len(known) + 1))
            at = mechanism.replaced(epsilon=math.exp(log_epsilon))
            known[log_epsilon] = exact_chance(counts, at, target)
        return known[log_epsilon]

    def above(log_epsilon: float) -> float:
        found = chance(log_epsilon)
        rest = -_SURE if math.isnan(found.log_rest) else found.log_rest
        return min(max(found.log - rest, -_SURE), _SURE) - wanted

    def down(log_epsilon: float) -> float:
        """Laws are the larger the smaller epsilon is: no long steps to where none reaches it."""
        excess = above(log_epsilon)
        step = math.log(next(factor for least, factor in _STEPS_DOWN if excess >= least))
        larger = min((tried for tried in known if tried > log_epsilon), default=math.inf)
        if excess < _NEAR and larger < math.inf and above(larger) > excess:
            chord = (larger - log_epsilon) * excess / (above(larger) - excess)
            step = min(step, max(chord * (0.7 if excess > _CLOSE else 1.2), _SHORTEST))
        while True:
            try:
                chance(max(log_epsilon - step, math.log(SMALLEST)))
            except NoClosedFormError:  # too large to write out: the target may lie before it
                if step < _SHORT:
                    raise
                step /= 2
            else:
                return step

    bracket = _bracket(lambda log_epsilon: above(log_epsilon) >= 0, down)
    if isinstance(bracket, float):
        reached = chance(math.log(LARGEST if bracket else SMALLEST)).probability
        return SmallestEpsilon(bracket, bracket, bracket, True, reached)
    root = float(brentq(above, *bracket, xtol=_PRECISION, rtol=1e-12))
    while above(root) < 0:
        root += _PRECISION
    epsilon = math.exp(root)
    progress(1.0)
    return SmallestEpsilon(epsilon, epsilon, epsilon, True, chance(root).probability)


def _share_done(n_tried: int) -> float:
    """Share of the work done after so many epsilons: how many it takes is not known before."""
    return n_tried / (n_tried + 15)


def _bracket(
    reaches: Callable[[float], bool], down: Callable[[float], float] = lambda _: math.log(_FAST)
) -> tuple[float, float] | float:
    """Log epsilons on either side of the target; 0 if all reach it, infinite if none does.

    From epsilon = 1: in steps that ``down`` tells while the target is reached, else up by factors
    of 4, and down by 4 if nothing was found there.
    """
    lowest, highest, step = math.log(SMALLEST), math.log(LARGEST), math.log(_FAST)
    at = 0.0
    if not reaches(at):
        while at < highest:
            before, at = at, min(at + step, highest)
            if reaches(at):
                return before, at
        at = 0.0
        while at > lowest and not reaches(at):
            at = max(at - step, lowest)
        if not reaches(at):
            return math.inf
    while at > lowest:
        before, at = at, max(at - down(at), lowest)
        if not reaches(at):
            return at, before
    return 0.0


# --- where it is not ---------------------------------------------------------------------


def runs_to_judge(k: int) -> int:
    """How many runs judge an epsilon where the probability is not known."""
    return STREAMS * min(max(_RELEASED // k, _FEWEST), _MOST)


def _simulated(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float,
    seed: int,
    progress: Callable[[float], object],
) -> SmallestEpsilon:
    n = runs_to_judge(mechanism.k) // STREAMS
    width = _RUNG * math.sqrt(
        math.sqrt(_MOST / n)
    )  # what it blurs stays as small beside the interval
    tried = itertools.count(1)

    def rung(log_epsilon: float) -> int:
        return round(log_epsilon / width)

    def succeeded(rung: int, stream: int, n: int = n) -> int:
        progress(_share_done(next(tried)))
        at = mechanism.replaced(epsilon=math.exp(rung * width))
        return successes(counts, at, target, n, seed, stream)

    ends = rung(math.log(SMALLEST)), rung(math.log(LARGEST))
    shares = Shares(succeeded, n, ends)
    bracket = _bracket(lambda at: succeeded(rung(at), 0, _ROUGH) >= probability * _ROUGH)
    if isinstance(bracket, float):
        bracket = (math.log(LARGEST if bracket else SMALLEST),) * 2
    crossing = shares.crossing(probability, *map(rung, bracket))
    found, least, most = (math.exp(at * width) for at in (crossing.at, crossing.low, crossing.high))
    harder, easier = _bounds(counts, mechanism, target, probability, (least, most))
    epsilon = min(max(found, easier), harder)
    share = shares.between(math.log(min(max(epsilon, SMALLEST), LARGEST)) / width)
    if epsilon == harder < math.inf:  # reached as surely as what is harder
        share = max(share, probability)
    elif epsilon == easier > 0:
        share = min(share, probability)
    progress(1.0)
    return SmallestEpsilon(
        epsilon,
        max(least, easier),
        min(most, harder),
        False,
        share,
        shares.runs,
        cut=easier > least or harder < most,
    )


def _bounds(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float,
    interval: tuple[float, float],
) -> tuple[float, float]:
    """Exact answers to a harder and an easier target that cut an interval; else inf, 0."""
    laws = laws_about(counts, mechanism, target)
    low, high = (min(max(end, SMALLEST), LARGEST) for end in interval)
    harder, easier = [math.inf], [0.0]
    for bounds, known, end in ((harder, laws.harder, high), (easier, laws.easier, low)):
        for law in known:
            with contextlib.suppress(NoClosedFormError):
                at_end = exact_chance(counts, mechanism.replaced(epsilon=end), law)
                if (at_end.probability >= probability) is (bounds is harder):
                    solved = _solved(counts, mechanism, law, probability, lambda _: None)
                    bounds.append(solved.epsilon)
    return min(harder), max(easier)
