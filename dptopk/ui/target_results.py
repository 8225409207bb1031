"""Call the package for the ε of a target, in turns and cached as in `results`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from dptopk.core.counts import ItemCounts
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import Repetition, costs_together
from dptopk.tuning.implications import Target
from dptopk.tuning.repeated import NeededTogether, WithinBudget, within_budget
from dptopk.tuning.search import SmallestEpsilon, smallest_epsilon
from dptopk.tuning.targets import TargetCurve, target_curve
from dptopk.ui.server import work


def smallest_epsilons(
    counts: ItemCounts,
    targets: Mapping[Mechanism, Target],
    probability: float,
    seed: int,
    key: str,
) -> dict[Mechanism, SmallestEpsilon]:
    """Return the smallest epsilon of each mechanism, whatever its own; see `work.done`."""
    data = counts.identity

    def piece(mechanism: Mechanism, target: Target) -> work.Piece:
        at = mechanism.replaced(epsilon=1.0)
        compute = partial(smallest_epsilon, counts, at, target, probability, seed)
        return work.Piece(("epsilon", data, at, target, probability, seed), 1, 1, compute)

    pieces = {mechanism: piece(mechanism, target) for mechanism, target in targets.items()}
    done = work.done(list(pieces.values()), key)
    return {m: done[p.token] for m, p in pieces.items() if p.token in done}


def together(
    found: Mapping[str, SmallestEpsilon],
    at: Mapping[str, Mechanism],
    releases: int,
    delta: float,
) -> dict[str, NeededTogether]:
    """Return the total cost of several releases by label; empty for one release."""
    if releases == 1 or not found:
        return {}
    pieces = tuple((label, answer, at[label]) for label, answer in found.items())

    def compute(pause: Callable[..., object]) -> dict[str, NeededTogether]:
        costs: dict[str, NeededTogether] = {}
        for label, answer, mechanism in pieces:
            pause()
            costs |= costs_together({label: answer}, {label: mechanism}, releases, delta)
        return costs

    costs: dict[str, NeededTogether] = work.one(
        ("together", pieces, releases, delta), compute, len(pieces)
    )
    return costs


def within_budgets(
    counts: ItemCounts,
    targets: Mapping[Mechanism, Target],
    repeated: Repetition,
    delta: float,
    seed: int,
    key: str,
) -> dict[str, WithinBudget]:
    """Return the share of each release in a given total, by label; see `work.done`.

    Mechanisms without any share are left out.
    """
    data, total = counts.identity, repeated.total
    if total is None or not repeated.several:
        return {}

    def piece(mechanism: Mechanism, target: Target) -> work.Piece:
        at = mechanism.replaced(epsilon=1.0)
        asked = (at, target, repeated.releases, total, delta, seed)

        def compute(_: Callable[[float], None]) -> WithinBudget | None:
            return within_budget(counts, *asked)

        return work.Piece(("budget", data, *asked), 1, 1, compute)

    pieces = {mechanism.label: piece(mechanism, target) for mechanism, target in targets.items()}
    done = work.done(list(pieces.values()), key)
    return {label: done[p.token] for label, p in pieces.items() if done.get(p.token)}


def target_curves(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    target: Target,
    ends: tuple[float, float],
    seed: int,
    key: str,
) -> dict[str, TargetCurve]:
    """Return the probability of a target between two epsilons, by label; see `work.done`."""
    data = counts.identity

    def piece(mechanism: Mechanism) -> work.Piece:
        at = mechanism.replaced(epsilon=1.0)
        compute = partial(quietly, target_curve, counts, at, target, *ends, seed)
        return work.Piece(("curve", data, at, target, ends, seed), 1, 1, compute)

    pieces = {mechanism.label: piece(mechanism) for mechanism in mechanisms}
    done = work.done(list(pieces.values()), key)
    return {label: done[p.token] for label, p in pieces.items() if p.token in done}


def quietly(function: Any, *arguments: Any) -> Any:
    """Call a function without the last argument, a progress callback that it does not take."""
    return function(*arguments[:-1])
