"""Targets of a release, such as the exact set, their probabilities, and goals that give them.

A target is a success of one release: "exact_set" or "exact_sequence" (up to ties),
("items_right", m) for at least m items of the true top k, or (key of any metric, x) for at most x,
of a metric of which more is better for at least x.  On given data one may be the same event as
another (see `implications`), whose law is known.  A `Goal`, such as an error of at most 5 %, gives
a target on any data.
"""

import contextlib
import itertools
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dptopk.core import errors, validation
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.core.estimate import Estimate
from dptopk.core.numerals import compact, counted, score
from dptopk.laws.exact import QUICK, NoClosedFormError, chance_exact_sequence, chance_exact_set
from dptopk.mechanisms import Mechanism
from dptopk.tuning.implications import LONG, Target, laws_about

RUNS_OF_CURVE = 500
"""Runs at each point of a curve that no exact law gives."""

_SMOOTH = 0.06  # change of a probability between neighbouring points of a simulated curve
_BENT = 0.008  # of a probability, from the chord of an exact curve
_STEEP = 0.15  # a longer rise may bend both ways and yet meet its chord in the middle
_CLOSE = 1.001  # ratio of two epsilons with nothing between them
IN_COUNTS = tuple(key for key, metric in METRICS.items() if metric.in_counts)
"""Errors that a target can bound by a share of a count."""

_ERRORS = tuple(
    key for key, m in METRICS.items() if not (m.is_place or m.more_is_better or m.in_counts)
)
MEASURED = {
    "error": (*IN_COUNTS, *_ERRORS),
    "error_share": IN_COUNTS,
    "score": tuple(key for key, metric in METRICS.items() if metric.is_scored),
}
"""The measures of goals that need one, by kind."""


def checked_target(target: object, mechanism: Mechanism) -> Target:
    """Return the target if it is valid and this mechanism can reach it."""
    if target == "exact_sequence" and not mechanism.outputs.ordered:
        raise NoClosedFormError(
            f"{mechanism.name} releases sets, which have no order: ask for the exact set"
        )
    if target in ("exact_set", "exact_sequence"):
        return str(target)
    if not (isinstance(target, tuple) and len(target) == 2):
        raise TypeError(
            'target must be "exact_set", "exact_sequence" or (key of a metric, number), got '
            f"{target!r}"
        )
    key, value = target
    if key in ("exact_set", "exact_sequence"):
        raise ValueError(f'target must be "{key}" alone, without a number, got {target!r}')
    metric = errors.METRICS[validation.choice("target", key, tuple(errors.METRICS))]
    return key, metric.checked_target(value, mechanism.k)


def chance_of_target(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, target: Target
) -> Estimate | None:
    """Return the exact probability of the target at the mechanism's epsilon, if it is known."""
    exact = chance_by_law(counts, mechanism, target)
    if exact is not None:
        return exact
    laws = laws_about(counts, mechanism, target)
    if laws.certain:
        return Estimate.of_logs(0.0, -math.inf)
    known = (chance_by_law(counts, mechanism, law) for law in laws.same)
    return next((chance for chance in known if chance is not None), None)


def chance_by_law(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, target: Target
) -> Estimate | None:
    """Return the exact probability of the target from its own law; None without one."""
    try:
        if target == "exact_sequence":
            return chance_exact_sequence(counts, mechanism)
        if target == "exact_set":
            return chance_exact_set(counts, mechanism)
        if isinstance(target, str):
            return None
        law = errors.METRICS[target[0]].law
        if law is None or law not in mechanism.exact_metrics:
            return None
        return mechanism.chance_of_error(counts.sorted, law, target[1])
    except NoClosedFormError:
        return None


def exact_chance(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, target: Target
) -> Estimate:
    """Return `chance_of_target`, or raise if it is not known."""
    chance = chance_of_target(counts, mechanism, target)
    if chance is None:
        raise NoClosedFormError(f"the chance of {target} is not known at {mechanism.epsilon}")
    return chance


@dataclass(frozen=True)
class TargetCurve:
    """Probability of a target at ascending epsilons, exact or as share of ``runs``."""

    epsilons: FloatArray
    probabilities: FloatArray
    runs: int


def target_curve(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    low: float,
    high: float,
    seed: int = 0,
) -> TargetCurve:
    """Compute the probability of the target between two epsilons, on an adaptive grid.

    Exact where it is known and soon, then with chords (over log epsilon) within half a percentage
    point of the curve; else the share of 500 runs.  Arguments as `smallest_epsilon`.
    """
    target = checked_target(target, mechanism)
    at_low = mechanism.replaced(epsilon=low)
    of_law = target != "exact_sequence" and chance_by_law(counts, at_low, target) is not None
    quick = of_law or at_low.pmf_work(counts.sorted) < QUICK
    if quick and chance_of_target(counts, mechanism, target) is not None:
        with contextlib.suppress(NoClosedFormError):  # too large to write out at some epsilon
            return _curve(counts, mechanism, target, (low, high), None)
    return _curve(counts, mechanism, target, (low, high), seed)


def _curve(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    ends: tuple[float, float],
    seed: int | None,
) -> TargetCurve:
    exact = seed is None

    def at(epsilon: float) -> float:
        pause()
        changed = mechanism.replaced(epsilon=epsilon)
        if seed is None:
            return exact_chance(counts, changed, target).probability
        return successes(counts, changed, target, RUNS_OF_CURVE, seed) / RUNS_OF_CURVE

    known = {epsilon: at(epsilon) for epsilon in np.geomspace(*ends, 13).tolist()}
    waiting = list(itertools.pairwise(known))
    while waiting:
        left, right = waiting.pop()
        steep = abs(known[right] - known[left]) > (_STEEP if exact else _SMOOTH)
        if right < left * _CLOSE or not (exact or steep):
            continue
        middle = math.sqrt(left) * math.sqrt(right)  # their product may be no float
        known[middle] = at(middle)
        bent = abs(known[middle] - (known[left] + known[right]) / 2) > _BENT
        if exact and (steep or bent):
            waiting += [(left, middle), (middle, right)]
    epsilons = sorted(known)
    shares = np.array([known[epsilon] for epsilon in epsilons])
    return TargetCurve(np.array(epsilons), shares, 0 if exact else RUNS_OF_CURVE)


def successes(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    target: Target,
    n: int,
    seed: int,
    stream: int = 0,
) -> int:
    """Count the runs that reach the target, of ``n``, with the random numbers of a stream."""
    stream_seed = zlib.crc32(mechanism.replaced(epsilon=1.0).stream_key.encode())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream_seed, stream)))
    samples = mechanism.sample(counts, n, rng)
    if isinstance(target, str):
        is_right = errors.is_exact_set if target == "exact_set" else errors.is_exact_sequence
        return int(is_right(counts, samples, mechanism.outputs).sum())
    metric, value = errors.METRICS[target[0]], target[1]
    return int(metric.reaches(metric.compute(counts, samples, mechanism.outputs), value).sum())


def measure_of(kind: str, chosen: str) -> str:
    """Return the chosen measure, or the first one that the kind of goal allows."""
    allowed = MEASURED[kind]
    return chosen if chosen in allowed else allowed[0]


def check_measure(kind: str, chosen: str) -> None:
    """Raise a ValueError for a measure that a kind of goal does not allow."""
    if kind in MEASURED and chosen not in MEASURED[kind]:
        raise ValueError(
            f"metric must be one of {', '.join(MEASURED[kind])} for the goal {kind}, got {chosen}"
        )


@dataclass(frozen=True)
class Goal:
    """Requirement on a release, for any counts and k.

    ``metric`` and ``amount`` are of what is asked: an error and its most, as it is measured or, for
    "error_share", in percent of the count at place k; a "score" and its least; or how many items
    at least.
    """

    kind: str
    metric: str
    amount: float

    def target(self, counts: ItemCounts, k: int) -> Target:
        """Return the target on these counts."""
        if self.kind == ITEMS_RIGHT.key:
            return self.kind, min(int(self.amount), k)
        if self.kind in ("error", "score"):
            return self.metric, min(self.amount, METRICS[self.metric].allowed(k)[1])
        if self.kind == "error_share":
            return self.metric, float(int(self.amount * int(counts.sorted.padded_top(k)[-1]) / 100))
        return self.kind

    def words(self, counts: ItemCounts, k: int, unit: str) -> str:
        """Return the target on these counts in words: "the right 10 items in any order"."""
        items = f"{k:,} items" if k > 1 else "item"
        if self.kind == "exact_set":
            return f"the right {items}{' in any order' * (k > 1)}"
        if self.kind == "exact_sequence":
            return f"the right {items}{' in order' * (k > 1)}"
        target = self.target(counts, k)
        metric = METRICS.get(self.metric, ITEMS_RIGHT)
        if self.kind == "score":
            return f"{metric.article} {metric.title} of at least {score(float(target[1]))}"
        most = int(target[1])
        if self.kind == ITEMS_RIGHT.key:
            return f"at least {most} of the right {items}" if k > 1 else "the right item"
        error = f"{metric.article} {metric.title} of at most"
        if self.kind == "error":
            return f"{error} {counted(most, metric.counted_in(unit).unit)}"
        share = f"{compact(self.amount)}% of the count at place {k}"
        return f"{error} {share} ({counted(most, unit)})"


def filter_by_goal(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], goal: Goal
) -> tuple[list[Mechanism], list[str]]:
    """Return the mechanisms that can reach the target, and why the others cannot."""
    fit, refused = [], []
    for mechanism in mechanisms:
        try:
            checked_target(goal.target(counts, mechanism.k), mechanism)
        except NoClosedFormError as error:
            refused.append(f"{mechanism.label} is left out: {error}.")
            continue
        in_order = goal.kind == "exact_sequence"  # by the pmf at many ε; all else is quick, or runs
        if in_order and mechanism.pmf_work(counts.sorted) > LONG:
            refused.append(
                f"{mechanism.label} is left out: computing the probability of the right order at k "
                f"= {mechanism.k} would take minutes."
            )
        else:
            fit.append(mechanism)
    return fit, refused
