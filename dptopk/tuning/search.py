"""Find the smallest epsilon that reaches a target with a given probability.

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
from dataclasses import dataclass, field, replace

import numpy as np

from dptopk.core import validation
from dptopk.core.cancellation import Progress, no_progress
from dptopk.core.counts import ItemCounts, SortedCounts, check_counts
from dptopk.core.estimate import EPSILON, Estimate
from dptopk.laws.exact import NoClosedFormError
from dptopk.mechanisms import Mechanism, check_mechanism
from dptopk.simulation.summaries import share_of_runs
from dptopk.tuning.implications import Target, laws_about
from dptopk.tuning.stochastic_root import STREAMS, Shares
from dptopk.tuning.targets import chance_of_target, checked_target, exact_chance, successes

LARGEST, SMALLEST = 1_000.0, 1e-6
"""Epsilons between which is searched."""

_PRECISION = 1e-7  # of an exact epsilon, relative
_ROUGH, _FEWEST, _MOST = 200, 250, 5_000  # runs at an epsilon: roughly, and to judge, within
_RELEASED = 50_000  # items that the runs at one epsilon release together
_RUNG = 0.005  # between neighbouring epsilons that the most runs judge, relative
_SHORT = 0.01  # of steps to where a law is too large to write out
_SURE = 1e6  # log-odds beyond which certainty is not told apart
_UNKNOWN = 1e-12  # distance from 1 below which a probability without its complement has no digits
_FAST = 4.0  # factor between epsilons that are tried one after another
_STEPS_DOWN = ((100.0, _FAST), (25.0, 2.0), (0.0, 1.4))
"""Factors, by the log-odds above what is wanted: so far down most likely stays above it."""
_NEAR, _CLOSE = 8.0, 0.5  # log-odds from where on steps follow the chord: part of it, or beyond it
_SHORTEST = 1e-4  # of these steps, relative
_GRID = 0.25  # between log epsilons, where a probability may fall again


@dataclass(frozen=True)
class SmallestEpsilon(Estimate):
    """Smallest epsilon that reaches a target.

    Attributes
    ----------
    epsilon, value : float
        Natural-log units; 0 if epsilons down to `SMALLEST` reach the target, infinite if none up to
        `LARGEST` does.
    low, high : float
        Where it lies: for runs, at 95 % on either side the runs tell them from the target, 0 and
        infinite where they are too few to; the same as ``epsilon`` where it is exact.
    exact : bool
        Whether the probability of the target is known in closed form.
    chance : Estimate
        Probability of the target at ``epsilon``, exact or as share of runs; at `LARGEST` if none
        reaches it.
    reached : float
        The same as a float.
    runs : int
        How many runs that is a share of; 0 where it is exact.
    cut : bool
        Whether exact answers to harder or easier targets cut what the runs said.
    until : float
        Up to which epsilon the target stays reached: infinite where no larger one up to `LARGEST`
        fails to, NaN where that is not known.
    """

    unit: str = EPSILON
    chance: Estimate = field(kw_only=True)
    cut: bool = field(default=False, kw_only=True)
    until: float = field(default=math.inf, kw_only=True)

    @property
    def epsilon(self) -> float:
        """The smallest epsilon."""
        return self.value

    @property
    def reached(self) -> float:
        """Probability of the target there, or share of runs."""
        return self.chance.value

    @property
    def may_fall(self) -> bool:
        """True if larger epsilons than the one found may miss the target."""
        return self.epsilon < math.inf and self.until != math.inf


def smallest_epsilon(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> SmallestEpsilon:
    """Find the smallest epsilon at which the target has this probability.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanism : Mechanism
        The mechanism at any epsilon, which is ignored; its other parameters hold.
    target : str or tuple
        "exact_set", "exact_sequence", ("items_right", m) for at least m, or (key of
        `errors.METRICS`, x) for at most x; where more is better, for at least x.
    probability : float
        With which one release must reach it, in (0, 1).
    seed : int
        Of the runs, where there is no closed form.
    progress : callable, optional
        Called with the share done, in (0, 1], now and then.

    Returns
    -------
    SmallestEpsilon
        Exact to 1e-6 relative, or with its interval.  Where the probability may fall as epsilon
        grows (`Mechanism.chance_grows`), all epsilons are looked at, and `until` tells how far the
        target stays reached.

    Raises
    ------
    NoClosedFormError
        For the order of a mechanism that releases sets.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, smallest_epsilon
    >>> found = smallest_epsilon(ItemCounts([90, 70, 40, 20]), Joint(2, 1.0), "exact_set", 0.95)
    >>> round(found.epsilon, 3), found.exact
    (0.25, True)
    """
    check_counts("counts", counts)
    check_mechanism("mechanism", mechanism).check(counts)
    target = checked_target(target, mechanism)
    probability = validation.probability("probability", probability, above_0=True)
    seed = validation.integer("seed", seed, low=0)
    tell = progress or no_progress
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
    progress: Progress,
) -> SmallestEpsilon:
    wanted = math.log(probability) - math.log1p(-probability)
    known: dict[float, Estimate] = {}

    def chance(log_epsilon: float) -> Estimate:
        if log_epsilon not in known:
            progress(_share_done(len(known) + 1))
            at = mechanism.replaced(epsilon=math.exp(log_epsilon))
            known[log_epsilon] = exact_chance(counts, at, target)
        return known[log_epsilon]

    def above(log_epsilon: float) -> float:
        at_epsilon = chance(log_epsilon)
        rest = at_epsilon.log_complement
        if math.isnan(rest):
            short = -math.expm1(at_epsilon.log)
            if max(short, 1 - probability) < _UNKNOWN:
                raise NoClosedFormError(f"the chance of {target} is known to {_UNKNOWN:g} only")
            rest = math.log(max(short, _UNKNOWN))
        return min(max(at_epsilon.log - rest, -_SURE), _SURE) - wanted

    def down(log_epsilon: float) -> float:
        """Return the next step down in log epsilon, short enough that exact laws stay feasible."""
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

    if not mechanism.chance_grows(_key(target)):
        solved = _scanned(above)
        at = math.log(min(max(solved[0], SMALLEST), LARGEST))
        progress(1.0)
        return SmallestEpsilon(*(solved[0],) * 3, chance=chance(at), until=solved[1])
    bracket = _bracket(lambda log_epsilon: above(log_epsilon) >= 0, down)
    if isinstance(bracket, float):
        reached = chance(math.log(LARGEST if bracket else SMALLEST))
        return SmallestEpsilon(bracket, bracket, bracket, chance=reached)
    root = _root(above, *bracket)
    epsilon = math.exp(root)
    progress(1.0)
    return SmallestEpsilon(epsilon, epsilon, epsilon, chance=chance(root))


def _key(target: Target) -> str:
    return target if isinstance(target, str) else target[0]


def _scanned(above: Callable[[float], float]) -> tuple[float, float]:
    """Return the interval of epsilon, from the smallest, where a curve is at least 0.

    The curve is looked at all along, and closely where it may turn.
    """
    grid = np.arange(math.log(SMALLEST), math.log(LARGEST) + _GRID, _GRID)
    grid[-1] = math.log(LARGEST)
    known = {at: above(at) for at in grid.tolist()}
    for left, at, right in zip(grid.tolist(), grid[1:].tolist(), grid[2:].tolist(), strict=False):
        side = 1 if known[at] >= 0 else -1  # a valley of what is reached, a peak of what is not
        sides = sorted((side * known[left], side * known[right]))
        if side * known[at] <= sides[0] and side * known[at] < sides[1]:
            turn = _lowest(above, side, left, right)
            known[turn] = above(turn)
    tried = sorted(known)
    start = next((place for place, at in enumerate(tried) if known[at] >= 0), None)
    if start is None:
        return math.inf, math.inf
    end = next((p for p in range(start, len(tried)) if known[tried[p]] < 0), None)
    until = math.inf if end is None else math.exp(_root(above, tried[end], tried[end - 1]))
    if start == 0:
        return 0.0, until
    return math.exp(_root(above, tried[start - 1], tried[start])), until


def _lowest(curve: Callable[[float], float], side: int, left: float, right: float) -> float:
    """Return the minimizer, between two places, of a curve times a sign."""
    from scipy.optimize import minimize_scalar  # slow to load

    minimum = minimize_scalar(
        lambda at: side * curve(at), bounds=(left, right), method="bounded", options={"xatol": 1e-9}
    )
    return float(minimum.x)


def _root(above: Callable[[float], float], below: float, reached: float) -> float:
    """Return a root of a curve between two places, on the side where it is at least 0."""
    from scipy.optimize import brentq  # slow to load

    root = float(brentq(above, below, reached, xtol=_PRECISION, rtol=1e-12))
    step = math.copysign(_PRECISION, reached - below)
    while above(root) < 0:
        root += step
    return root


def _share_done(n_tried: int) -> float:
    """Estimate the share of the work done after so many epsilons."""
    return n_tried / (n_tried + 15)


def _bracket(
    reaches: Callable[[float], bool],
    down: Callable[[float], float] = lambda _: math.log(_FAST),
    upwards: bool = False,
) -> tuple[float, float] | float:
    """Return log epsilons around the target; 0 if all reach it, infinity if none does.

    From epsilon = 1: in steps that ``down`` tells while the target is reached, else up by factors
    of 4, and down by 4 if nothing was found there.  Or ``upwards`` from the smallest, by factors of
    4, for the first that reaches it.
    """
    lowest, highest, step = math.log(SMALLEST), math.log(LARGEST), math.log(_FAST)
    at = lowest if upwards else 0.0
    if upwards and reaches(at):
        return 0.0
    if not reaches(at):
        while at < highest:
            before, at = at, min(at + step, highest)
            if reaches(at):
                return before, at
        if upwards:
            return math.inf
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
    """Return the number of runs that estimate a probability without a closed form."""
    return STREAMS * min(max(_RELEASED // k, _FEWEST), _MOST)


def _simulated(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float,
    seed: int,
    progress: Progress,
) -> SmallestEpsilon:
    n = runs_to_judge(mechanism.k) // STREAMS
    # what it blurs stays as small beside the interval
    width = _RUNG * math.sqrt(math.sqrt(_MOST / n))
    tried = itertools.count(1)

    def rung(log_epsilon: float) -> int:
        return round(log_epsilon / width)

    def succeeded(rung: int, stream: int, n: int = n) -> int:
        progress(_share_done(next(tried)))
        at = mechanism.replaced(epsilon=math.exp(rung * width))
        return successes(counts, at, target, n, seed, stream)

    ends = rung(math.log(SMALLEST)), rung(math.log(LARGEST))
    shares = Shares(succeeded, n, ends)
    grows = mechanism.chance_grows(_key(target))
    bracket = _bracket(
        lambda at: succeeded(rung(at), 0, _ROUGH) >= probability * _ROUGH, upwards=not grows
    )
    if isinstance(bracket, float):
        bracket = (math.log(LARGEST if bracket else SMALLEST),) * 2
    root = shares.root(probability, *map(rung, bracket))
    likely, least, most = (math.exp(at * width) for at in (root.at, root.low, root.high))
    harder, easier = _bounds(counts, mechanism, target, probability, (least, most))
    epsilon = min(max(likely, easier), harder)
    share = shares.between(math.log(min(max(epsilon, SMALLEST), LARGEST)) / width)
    if epsilon == harder < math.inf:  # reached as surely as what is harder
        share = max(share, probability)
    elif epsilon == easier > 0:
        share = min(share, probability)
    low, high = max(least, easier), min(most, harder)
    if low > high:  # the interval of the runs has nothing of what is exact, which stands alone
        low, high = easier, harder
    progress(1.0)
    return SmallestEpsilon(
        epsilon,
        low,
        high,
        shares.runs,
        chance=replace(share_of_runs(round(share * shares.runs), shares.runs), value=share),
        cut=easier > least or harder < most,
        until=math.inf if grows else math.nan,
    )


def _bounds(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    probability: float,
    interval: tuple[float, float],
) -> tuple[float, float]:
    """Return exact answers to a harder and an easier target that cut an interval; else inf, 0."""
    laws = laws_about(counts, mechanism, target)
    low, high = (min(max(end, SMALLEST), LARGEST) for end in interval)
    harder, easier = [math.inf], [0.0]
    for bounds, known, end in ((harder, laws.harder, high), (easier, laws.easier, low)):
        for law in known:
            with contextlib.suppress(NoClosedFormError):
                at_end = exact_chance(counts, mechanism.replaced(epsilon=end), law)
                if (at_end.probability >= probability) is (bounds is harder):
                    bounds.append(_solved(counts, mechanism, law, probability, no_progress).epsilon)
    if 1 - probability < _UNKNOWN:  # its own law may not tell how close to 1, but that it is so
        with contextlib.suppress(NoClosedFormError):
            easier.append(_solved(counts, mechanism, target, 1 - 2 * _UNKNOWN, no_progress).epsilon)
    return min(harder), max(easier)
