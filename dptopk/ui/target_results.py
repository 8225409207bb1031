"""Calls about what a release must achieve, in turns and remembered as in `results`."""

from collections.abc import Mapping, Sequence
from functools import partial

from dptopk.choosing import SmallestEpsilon, smallest_epsilon
from dptopk.counts import ItemCounts
from dptopk.events import Target
from dptopk.mechanisms import Mechanism
from dptopk.targets import TargetCurve, target_curve
from dptopk.ui import work
from dptopk.ui.results import digest, quietly


def smallest_epsilons(
    counts: ItemCounts,
    targets: Mapping[Mechanism, Target],
    probability: float,
    seed: int,
    key: str,
) -> dict[Mechanism, SmallestEpsilon]:
    """Smallest epsilon of each mechanism, whatever its own is; see `work.done`."""
    data = digest(counts)

    def piece(mechanism: Mechanism, target: Target) -> work.Piece:
        at = mechanism.replaced(epsilon=1.0)
        compute = partial(smallest_epsilon, counts, at, target, probability, seed)
        return work.Piece(("epsilon", data, at, target, probability, seed), 1, 1, compute)

    pieces = {mechanism: piece(mechanism, target) for mechanism, target in targets.items()}
    done = work.done(list(pieces.values()), key)
    return {m: done[p.token] for m, p in pieces.items() if p.token in done}


def target_curves(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    target: Target,
    ends: tuple[float, float],
    seed: int,
    key: str,
) -> dict[str, TargetCurve]:
    """Probability of a target between two epsilons, by label; see `work.done`."""
    data = digest(counts)

    def piece(mechanism: Mechanism) -> work.Piece:
        at = mechanism.replaced(epsilon=1.0)
        compute = partial(quietly, target_curve, counts, at, target, *ends, seed)
        return work.Piece(("curve", data, at, target, ends, seed), 1, 1, compute)

    pieces = {mechanism.label: piece(mechanism) for mechanism in mechanisms}
    done = work.done(list(pieces.values()), key)
    return {label: done[p.token] for label, p in pieces.items() if p.token in done}
