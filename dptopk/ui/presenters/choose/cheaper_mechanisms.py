"""Whoever was not chosen and would need a smaller ε, as far as that is known exactly and soon."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.laws.exact import QUICK
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.tuning.goals import Goal, able
from dptopk.tuning.repeated import NeededTogether, epsilon_each
from dptopk.tuning.search import LARGEST, SmallestEpsilon
from dptopk.tuning.targets import chance_of_target
from dptopk.ui import address, target_results
from dptopk.ui.exhibits.base import Button, Offer
from dptopk.ui.formats import compact, needed
from dptopk.ui.presenters.choose.solving import Asked, solved
from dptopk.ui.results import digest
from dptopk.ui.server import work

_OF_SETS = ("exact_set", ITEMS_RIGHT.key)  # goals of which only the law of sets is asked


def cheaper(
    view: View,
    asked: Asked,
    found: Mapping[str, SmallestEpsilon],
    on: str = "",
    together: Mapping[str, NeededTogether] | None = None,
) -> Offer | None:
    """The cheapest of those not chosen, if its ε is exact, soon known and smaller than any found.

    Smaller than one from runs is only what lies below its interval: half of all best estimates are
    too large.

    ``on`` is what the data of the view are, where these are not one's own.  Of several releases,
    which cost so much ``together``, it is the ε of all of them.

    None takes a δ that nobody chosen takes, nor releases sets where the error that is asked for
    sees the order and all that are chosen give one: sets cannot err in it.
    """
    least = min((answer.low for answer in (together or found).values()), default=0.0)
    if not least:
        return None
    likelier = _likelier(view, asked, min(least, LARGEST))
    answers = solved(view.counts, likelier, asked, view.seed, "choose-unchosen")
    exact = {m: answer.epsilon for m, answer in answers.items() if answer.exact}
    if together:
        by_label = {m.label: m for m in exact}
        of_exact = {m.label: answers[m] for m in exact}
        costs = target_results.together(of_exact, by_label, view.releases, view.delta)
        exact = {by_label[label]: cost.epsilon for label, cost in costs.items()}
    best = min(exact, key=exact.__getitem__, default=None)
    if best is None or not 0 < exact[best] < least:
        return None
    key, delta = best.card.key, best.guarantee.delta
    all_of = f" for all {view.releases:,}" if together else ""
    which = "" if best.outputs.ordered else ", which gives no order,"
    with_delta = f" with δ = {compact(delta)}" if delta else ""
    needs = f"needs ε = {needed(exact[best])}{all_of}{with_delta}{f' on {on}' if on else ''}"
    act = partial(address.choose, settings.mechanisms(), (*view.keys, key))
    return Offer(
        f"{best.label}{which} {needs} and is not chosen.",
        Button("Add it", "add-cheaper", act, best.card.summary),
    )


def _likelier(view: View, asked: Asked, epsilon: float) -> list[Mechanism]:
    """Those not chosen that reach the target at this ε, as far as that is known soon.

    Of several releases it is the ε of all of them together, of which each gets its share.
    """
    counts = view.counts
    relaxed = any(mechanism.guarantee.delta for mechanism in view.mechanisms)
    keys = tuple(m.card.key for m in MECHANISMS.values() if m.card.key not in view.keys)
    fit, _ = able(counts, replace(view, keys=keys).mechanisms, asked.goal)
    others = [m for m in fit if relaxed or not m.guarantee.delta]
    if _sees_order(asked.goal) and all(m.outputs.ordered for m in view.mechanisms):
        others = [m for m in others if m.outputs.ordered]

    def compute(pause: Callable[..., object]) -> list[Mechanism]:
        reaching = []
        for mechanism in others:
            pause()
            each = epsilon_each(mechanism, view.releases, epsilon, view.delta)
            if not each:
                continue
            at = mechanism.replaced(epsilon=each)
            work_of_law = at.set_work if asked.goal.kind in _OF_SETS else at.pmf_work
            if work_of_law(counts.sorted) > QUICK:
                continue
            known = chance_of_target(counts, at, asked.goal.target(counts, at.k))
            if known is not None and known.log >= math.log(asked.probability):
                reaching.append(mechanism)
        return reaching

    token = ("likelier", digest(counts), tuple(others), asked, epsilon, view.delta)
    found: list[Mechanism] = work.one(token, compute, 1)
    return found


def _sees_order(goal: Goal) -> bool:
    """Whether an output in order may miss the goal for its order alone."""
    return bool(goal.metric) and METRICS[goal.metric].sees_order
