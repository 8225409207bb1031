"""Draw the controls of the goal for which the smallest ε is sought."""

from typing import Any

from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.questions import settings
from dptopk.questions.epsilon import Repetition, Requirement, goal_of
from dptopk.tuning.targets import MEASURED, Goal
from dptopk.ui import address
from dptopk.ui.controls import inputs


def requirement(place: Any, k: int) -> Requirement:
    """Draw the controls of the goal, its probability and the number of releases."""
    goal = _goal(place, k)
    chance = inputs.ladder(place.container(width=210), settings.CHANCE)
    return Requirement(goal, chance, repetition(place))


def requirement_of_link(k: int, repeated: Repetition) -> Requirement:
    """Return the goal that is set on the page Choose ε, for so many releases."""
    settings_of_goal = (settings.GOAL, settings.METRIC, settings.LEAST)
    amounts = (settings.MOST, settings.MOST_SHARE, settings.LEAST_SCORE)
    values = {p.key: address.value(p) for p in (*settings_of_goal, *amounts)}
    return Requirement(goal_of(values, k), address.value(settings.CHANCE), repeated)


def repetition(place: Any, *, total: bool = True) -> Repetition:
    """Draw the controls of the number of releases and of the meaning of their probability.

    ``total`` adds a control of their total ε.
    """
    releases: int = inputs.number(place, settings.RELEASES, width=170)
    if releases == 1:
        return Repetition()
    together, all_of_it = inputs.choice(place, settings.TOGETHER, look="select"), None
    if total:
        how: dict[str, Any] = {"format": "%g", "step": 0.1, "width": 210}
        all_of_it = inputs.number(place, settings.TOTAL_EPSILON, **how)
    return Repetition(releases, together == settings.OF_ALL, all_of_it)


def planned_releases(usual: int) -> int:
    """Return the number of releases that a link or a page asked for, else the usual one."""
    releases = int(address.value(settings.RELEASES))
    return releases if releases > 1 else usual


def _goal(place: Any, k: int) -> Goal:
    kind = inputs.choice(place, settings.GOAL, look="select")
    if kind == ITEMS_RIGHT.key:
        return Goal(kind, "", inputs.number(place, settings.LEAST, high=k))
    if kind in MEASURED:
        metric = inputs.choice(place, settings.METRIC, allowed=MEASURED[kind], look="select")
        if kind == "score":
            high = METRICS[metric].allowed(k)[1]
            return Goal(kind, metric, inputs.number(place, settings.LEAST_SCORE, high=high))
        most = settings.MOST if kind == "error" else settings.MOST_SHARE
        return Goal(kind, metric, inputs.number(place, most))
    return Goal(kind, "", 0)
