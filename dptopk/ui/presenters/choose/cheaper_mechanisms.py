"""Find a mechanism not chosen that needs a smaller ε, where that is exact and fast."""

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
from dptopk.ui.server import work

_OF_SETS = ("exact_set", ITEMS_RIGHT.key)  # goals of which only the law of sets is asked


def cheaper(
    view: View,
    asked: Asked,
    found: Mapping[str, SmallestEpsilon],
    on: str = "",
    together: Mapping[str, NeededTogether] | None = None,
) -> Offer | None:
    """Offer the cheapest mechanism not chosen, if its exact ε is smaller than any found.

    A simulated ε must be undercut at the lower end of its interval, as half of all estimates are
    too large.  ``on`` names the data if they are a stand-in.  Of several releases, with costs
    ``together``, the total ε is compared.

    Mechanisms with a δ are offered only if a chosen one has a δ; mechanisms that release sets are
    not offered where the goal depends on the order and all chosen ones give an order.
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
        f"{best.label}{which} is not chosen, and {needs}.",
        Button("Add it", "add-cheaper", act, best.card.summary),
    )


def _likelier(view: View, asked: Asked, epsilon: float) -> list[Mechanism]:
    """Return the mechanisms not chosen that reach the target at this ε, if quickly computed.

    Of several releases ``epsilon`` is the total, of which each gets its share.
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

    token = ("likelier", counts.identity, tuple(others), asked, epsilon, view.delta)
    found: list[Mechanism] = work.one(token, compute, 1)
    return found


def _sees_order(goal: Goal) -> bool:
    """Return True if the order of an output alone can make it miss the goal."""
    return bool(goal.metric) and METRICS[goal.metric].sees_order
