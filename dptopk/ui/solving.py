"""Smallest ε of the chosen mechanisms for what is asked of a release."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dptopk.choosing import SmallestEpsilon
from dptopk.counts import ItemCounts
from dptopk.exact import NoClosedFormError
from dptopk.mechanisms import Mechanism
from dptopk.targets import checked_target
from dptopk.ui import target_results
from dptopk.ui.formats import compact
from dptopk.ui.goals import Goal

_MINUTES = 100_000_000  # steps of a pmf


@dataclass(frozen=True)
class Asked:
    """What must be right, and how often."""

    goal: Goal
    probability: float


def able(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], goal: Goal
) -> tuple[list[Mechanism], list[str]]:
    """Mechanisms that can reach the target at all, and why others cannot."""
    fit, refused = [], []
    for mechanism in mechanisms:
        try:
            checked_target(goal.target(counts, mechanism.k), mechanism)
        except NoClosedFormError as error:
            refused.append(f"{mechanism.label} is left out: {error}.")
            continue
        if mechanism.pmf_work(counts.sorted) > _MINUTES:
            refused.append(
                f"{mechanism.label} is left out: at k = {mechanism.k} it would take minutes."
            )
        else:
            fit.append(mechanism)
    return fit, refused


def solved(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], asked: Asked, seed: int, key: str
) -> dict[Mechanism, SmallestEpsilon]:
    """Smallest epsilon of each mechanism; of those that were finished, if stopped."""
    targets = {m: asked.goal.target(counts, m.k) for m in mechanisms}
    return target_results.smallest_epsilons(counts, targets, asked.probability, seed, key)


def by_label(found: Mapping[Mechanism, SmallestEpsilon]) -> dict[str, SmallestEpsilon]:
    """What was found, by the name that people read."""
    return {mechanism.label: answer for mechanism, answer in found.items()}


def amount(answer: SmallestEpsilon) -> str:
    """Render an epsilon that was found, in three digits."""
    if answer.epsilon == 0:
        return "any ε"
    if answer.epsilon == math.inf:
        return "no ε"
    return compact(float(f"{answer.epsilon:.3g}"))
