"""Smallest ε of the chosen mechanisms for what is asked of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dptopk import settings
from dptopk.choosing import SmallestEpsilon
from dptopk.counts import ItemCounts
from dptopk.goals import IN_COUNTS, Goal
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import goal_of
from dptopk.ui import address, controls, target_results


@dataclass(frozen=True)
class Asked:
    """What must be right, and how often."""

    goal: Goal
    probability: float


def asked(place: Any, k: int) -> Asked:
    """Controls of what must be right, and how often."""
    return Asked(_goal(place, k), _chance(place))


def asked_elsewhere(k: int) -> Asked:
    """The same as it stands on the page that has these controls."""
    settings_of_goal = (settings.GOAL, settings.METRIC, settings.LEAST)
    own = {p.key: address.value(p) for p in (*settings_of_goal, settings.MOST, settings.MOST_SHARE)}
    return Asked(goal_of(own, k), address.value(settings.CHANCE) or settings.CHANCE.default)


def _goal(place: Any, k: int) -> Goal:
    kind = controls.choice(place, settings.GOAL, look="select")
    if kind == "items_right":
        return Goal(kind, "", controls.number(place, settings.LEAST, high=k))
    if kind in ("error", "error_share"):
        metric = controls.choice(place, settings.METRIC, allowed=IN_COUNTS, look="select")
        most = settings.MOST if kind == "error" else settings.MOST_SHARE
        return Goal(kind, metric, controls.number(place, most))
    return Goal(kind, "", 0)


def _chance(place: Any) -> float:
    narrow = place.container(width=210)
    return controls.ladder(narrow, settings.CHANCE) or settings.CHANCE.default


def solved(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], asked: Asked, seed: int, key: str
) -> dict[Mechanism, SmallestEpsilon]:
    """Smallest epsilon of each mechanism; of those that were finished, if stopped."""
    targets = {m: asked.goal.target(counts, m.k) for m in mechanisms}
    return target_results.smallest_epsilons(counts, targets, asked.probability, seed, key)


def by_label(found: Mapping[Mechanism, SmallestEpsilon]) -> dict[str, SmallestEpsilon]:
    """What was found, by the name that people read."""
    return {mechanism.label: answer for mechanism, answer in found.items()}
