"""What a target costs on what stands in for the data, and its ε as the one to use."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dptopk import settings
from dptopk.choosing import SmallestEpsilon
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import cheapest_first, in_words
from dptopk.questions.stand_in import StandIn
from dptopk.ui import public_file
from dptopk.ui.exhibits import Offer
from dptopk.ui.formats import needed
from dptopk.ui.proposal import use_epsilon
from dptopk.ui.solving import Asked, by_label, solved
from dptopk.view import View


def asked(
    view: View, mechanisms: Sequence[Mechanism], choice: str, asked: Asked
) -> tuple[StandIn | str, dict[str, SmallestEpsilon]]:
    """What stands beside the data, or why nothing does, and what is asked costs there."""
    if choice == settings.NO_STAND_IN:
        return "", {}
    found = public_file.beside(choice, view.counts, view.unit)
    if isinstance(found, str):
        return found, {}
    fitting = [m for m in mechanisms if m.k <= found.counts.d]
    answers = solved(found.counts, fitting, asked, view.seed, "choose-public")
    return found, cheapest_first(by_label(answers))


def view_on(view: View, stand_in: StandIn) -> View:
    """The view with what stands in for its data in their place; a promise is still of the data."""
    there = replace(
        view.source,
        counts=stand_in.counts,
        title=stand_in.title,
        description="",
        notes=(),
        python=stand_in.python,
        n_users=None,
        items_of_data=False,
        how=None,
        brought=False,
    )
    return replace(view, source=there)


def offered(public: Mapping[str, SmallestEpsilon], name: str, present: float) -> Offer | None:
    """The smallest ε found there, to be used instead of that of the data."""
    cheapest = next(iter(public.items()), None)
    if cheapest is None:
        return None
    label, answer = cheapest
    if answer.epsilon == 0 or answer.epsilon == math.inf:
        return Offer(f"On {name} {needed(answer.epsilon)} is enough.", None)
    sentence = f"On {name} {label} needs ε = {in_words(answer)[0]}."
    if not answer.exact:
        untold = answer.high == math.inf
        high = "no upper end" if untold else f"{needed(answer.high)} at its upper end"
        sentence = f"{sentence[:-1]} (simulated; {high})."
    return Offer(sentence, use_epsilon(answer.high, present, name, exact=answer.exact))
