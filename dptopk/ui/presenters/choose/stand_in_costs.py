"""Compute the cost of a target on the stand-in for the data, and offer its ε."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.epsilon import in_words
from dptopk.questions.stand_in import StandIn
from dptopk.questions.view import View
from dptopk.tuning.repeated import NeededTogether
from dptopk.tuning.search import SmallestEpsilon
from dptopk.ui.exhibits.base import Offer
from dptopk.ui.formats import needed
from dptopk.ui.presenters.choose.solving import Asked, by_label, solved
from dptopk.ui.presenters.handover.proposal import use_epsilon
from dptopk.ui.uploads import public_file


def asked(
    view: View, mechanisms: Sequence[Mechanism], choice: str, asked: Asked
) -> tuple[StandIn | str, dict[str, SmallestEpsilon]]:
    """Return the stand-in, or the reason why there is none, and the answers on it."""
    if choice == settings.NO_STAND_IN:
        return "", {}
    found = public_file.beside(choice, view.counts, view.unit)
    if isinstance(found, str):
        return found, {}
    fitting = [m for m in mechanisms if m.k <= found.counts.d]
    answers = solved(found.counts, fitting, asked, view.seed, "choose-public")
    return found, by_label(answers)


def view_on(view: View, stand_in: StandIn) -> View:
    """Return the view with the stand-in in place of its data; promises are still about the data."""
    there = replace(
        view.source,
        counts=stand_in.counts,
        title=stand_in.title,
        description="",
        notes=(),
        python=stand_in.python,
        items_of_users=None,
        items_of_data=False,
        how=None,
        brought=False,
    )
    return replace(view, source=there)


def offered(
    public: Mapping[str, SmallestEpsilon],
    name: str,
    present: float,
    together: Mapping[str, NeededTogether] | None = None,
) -> Offer | None:
    """Offer the smallest ε found on the stand-in, that of the cheapest mechanism.

    Of several releases, with costs ``together``, it is the ε of each.
    """
    cheapest = next(iter(public.items()), None)
    if cheapest is None:
        return None
    label, answer = cheapest
    if answer.epsilon == 0 or answer.epsilon == math.inf:
        return Offer(f"On {name} {needed(answer.epsilon)} is enough.", None)
    each = ""
    if together:
        each = f" each, {needed(together[label].epsilon)} together"
    sentence = f"On {name} {label} needs ε = {in_words(answer)[0]}{each}."
    if not answer.exact:
        untold = answer.high == math.inf
        high = "no upper end" if untold else f"{needed(answer.high)} at its upper end"
        sentence = f"{sentence[:-1]} (simulated; {high})."
    return Offer(sentence, use_epsilon(answer.high, present, name, exact=answer.exact))
