"""Sentences on a smallest sufficient ε: how it was found, its δ, and the belief it permits."""

import math

from dptopk.core.counts import ItemCounts
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import NeededEpsilons, in_words, larger_may_not
from dptopk.tuning.goals import Goal
from dptopk.tuning.implications import laws_about
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon
from dptopk.ui.findings import texts
from dptopk.ui.formats import compact, share


def certain_of(counts: ItemCounts, needed: NeededEpsilons, goal: Goal) -> frozenset[str]:
    """Return the labels of mechanisms all of whose outputs reach the goal, at any ε."""
    return frozenset(
        mechanism.label
        for mechanism, answer in needed.solved.items()
        if answer.epsilon == 0
        and laws_about(counts, mechanism, goal.target(counts, mechanism.k)).certain
    )


def how(answer: SmallestEpsilon, certain: bool) -> str:
    """Describe how an ε is known, and whether a larger one may miss the target."""
    words = _how(answer, certain)
    return f"{words}; {larger_may_not(answer)}" if answer.may_fall else words


def _how(answer: SmallestEpsilon, certain: bool) -> str:
    if answer.epsilon == 0:
        return "every output achieves it" if certain else f"down to ε = {compact(SMALLEST)}"
    if answer.epsilon == math.inf:
        return f"up to {LARGEST:,.0f}: there {share(answer.reached)}"
    if answer.exact:
        return "exact"
    _, low, high = in_words(answer)
    high = high if answer.high < math.inf else "no upper limit from these runs"
    cut = ", cut by exact answers to easier or harder goals" if answer.cut else ""
    return f"simulated (95%: {low if answer.low else 0} to {high}{cut})"


def needs(mechanism: Mechanism) -> str:
    """Return the δ of a mechanism and whether it gives no order, where notable."""
    delta = mechanism.guarantee.delta
    parts = [f"δ = {compact(delta)}"] if delta else []
    parts += [] if mechanism.outputs.ordered else ["no order"]
    return ", ".join(parts)


def belief(answer: SmallestEpsilon, total: float | None = None) -> str:
    """Format the largest posterior of a 50 % prior at the ε found, or at the total of several."""
    if not 0 < answer.epsilon < math.inf:
        return ""
    epsilon = answer.epsilon if total is None else total
    return texts.sure(epsilon) if texts.worth_a_promise(epsilon) else texts.UNPROTECTED
