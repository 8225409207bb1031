"""Choose a small vector of counts, short enough to enumerate all outputs."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dptopk.core.counts import ItemCounts
from dptopk.core.papers import GILLENWATER_2022
from dptopk.core.parameters import EPSILON
from dptopk.data import sources
from dptopk.data.sources import NoDataError
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions import settings
from dptopk.questions.settings import SMALL_ALL, SMALL_TOP, SMALL_TYPED
from dptopk.questions.small_cases import SmallCase, small_case
from dptopk.questions.view import View
from dptopk.tuning.search import SMALLEST
from dptopk.ui import address, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact
from dptopk.ui.show import Button, Offer
from dptopk.ui.widgets import dragged_counts

_ALL_BUT_CERTAIN = 1e-6  # what is left for all other outputs together
_MOST_ITEMS = 10  # of which one probability is soon known at many ε
_CUT = (
    "Only the {} largest of {:,} items are kept. The probabilities are exact for these items "
    "only; with all items they may differ. Restricting a data set to its "
    "largest counts is itself not private."
)
_MOST_DRAGGED = 12  # bars that a finger can tell apart on a phone
_NUMBERS = re.compile(r"[\d\s,]+")
_MANY_ONES = "classroom-paper_thousand"
_EXAMPLES = GILLENWATER_2022.at("Appendix D.3")


def choose(
    view: View, place: Any, most_items: int = 10, most_outputs: int | None = None
) -> SmallCase:
    """Draw the controls of a small vector and k; end the page if they cannot be used.

    ``most_outputs`` limits k to that number of outputs, where all outputs are enumerated for many
    neighbors; the whole data set cannot be chosen then.
    """
    allowed = [SMALL_TYPED, SMALL_TOP] if most_outputs else [SMALL_TYPED, SMALL_TOP, SMALL_ALL]
    small = inputs.choice(place, settings.SMALL, allowed, look="select")
    vector, n_items = settings.VECTOR.default, settings.N_ITEMS.default
    if small == SMALL_TYPED:
        vector = inputs.text(place, settings.VECTOR)
    elif small == SMALL_TOP:
        n_items = inputs.number(place, settings.N_ITEMS, high=most_items, slider=True)
    else:
        place.caption(f"{view.source.title}: {view.counts.d:,} items; ties are merged")
    try:
        case = small_case(view.source, small, vector, int(n_items or 0), 1)
    except NoDataError as error:
        show.problem(error.headline, str(error))
        show.end()
    counts = case.counts
    if case.summing and small == SMALL_TYPED:  # of the data it is said above
        show.offer(inputs.names_apart(settings.VECTOR, case.summing))
    if most_outputs and counts.d > most_items:
        show.problem(
            "Too many items here",
            f"{counts.d} items have too many neighbours to list: keep at most {most_items}.",
        )
        show.end()
    largest = min(counts.d, int(settings.SMALL_K.high))
    if most_outputs:
        largest = max(
            k
            for k in range(1, largest + 1)
            if all(m.outputs.n_outputs(counts.d, k) <= most_outputs for m in view.classes)
        )
    k = inputs.number(place, settings.SMALL_K, high=largest, slider=True) if largest > 1 else 1
    show.require(view.at(k, counts, by_law=True), view.refusals(k, counts, by_law=True))
    cut = small == SMALL_TOP and counts.d < view.counts.d
    notes = (_CUT.format(counts.d, view.counts.d),) if cut else ()
    return replace(case, k=k, notes=notes)


def drag(case: SmallCase) -> None:
    """Draw a few typed counts without names as bars that can be dragged."""
    few = case.counts.d <= _MOST_DRAGGED and address.value(settings.SMALL) == SMALL_TYPED
    if few and _NUMBERS.fullmatch(address.value(settings.VECTOR)):
        dragged_counts.show(case.counts, case.k)


def too_many(error: ValueError) -> None:
    """Say what is too large, with a button that takes the top of the data instead."""
    show.problem("Too many outputs to list", f"{error}.")
    act = partial(address.choose, settings.SMALL, SMALL_TOP)
    with show.uncovered():
        show.button(Button(f"Use {settings.SMALL.options[SMALL_TOP]}", "take-top", act))


def telling(view: View, case: SmallCase) -> None:
    """Offer a smaller ε if the true top k has almost all of the probability."""
    mechanisms = view.at(case.k, case.counts, by_law=True)
    certain = np.log1p(-_ALL_BUT_CERTAIN)
    if case.counts.d > _MOST_ITEMS or any(_log_p(m, case.counts) < certain for m in mechanisms):
        return
    first = mechanisms[0]
    low, high = SMALLEST, first.epsilon
    if _log_p(first.replaced(epsilon=low), case.counts) > np.log(0.5):
        return
    while high > 1.001 * low:
        middle = float(np.sqrt(low * high))
        above = _log_p(first.replaced(epsilon=middle), case.counts) > np.log(0.5)
        low, high = (low, middle) if above else (middle, high)
    wanted = float(f"{high:.2g}")
    setting, act = f"ε = {compact(wanted)}", partial(address.choose, EPSILON, wanted)
    words = (
        f"One output has almost all of the probability here. At {setting} its probability under "
        f"{first.label} is about one half."
    )
    button = Button(f"Use {setting}", "telling-epsilon", act, "Sets ε for all pages.")
    show.offer(Offer(words, button, ":material/check:"))


def _log_p(mechanism: Mechanism, counts: ItemCounts) -> float:
    """Return the log probability of the true top k."""
    top = counts.order[: mechanism.k]
    row = top if mechanism.outputs.ordered else np.sort(top)
    return float(mechanism.log_pmf(counts, row[None])[0])


def presets(place: Any) -> None:
    """Draw buttons for the paper's two examples and those of the mechanisms' cards."""
    examples: list[tuple[str, tuple[Any, ...], str]] = [
        (
            "Paper: 10, 5, 1, 1",
            (SMALL_TYPED, settings.VECTOR.default),
            f"{_EXAMPLES.link}: the first two come out in order with probability 0.63 under Joint "
            "and 0.75 under permute-and-flip over sequences.",
        ),
        (
            "Paper: 30, 15 and 998 ones",
            (SMALL_ALL, settings.VECTOR.default, _MANY_ONES),
            f"{_EXAMPLES.link}: 0.34 under Joint and 0.44 under permute-and-flip over sequences.",
        ),
    ]
    for card in (mechanism.card for mechanism in MECHANISMS.values()):
        if example := card.explanation.example:
            vector = ", ".join(map(str, example.counts))
            of_card = SMALL_TYPED, vector, None, example.k
            examples.append((f"{card.name}: {vector}, k = {example.k}", of_card, example.shows))
    with place.popover("Examples", icon=":material/menu_book:"):
        for label, preset, shows in examples:
            st.button(label, on_click=_preset, args=preset, width="stretch", help=shows)


def _preset(small: str, vector: str, data: str | None = None, k: int = 2) -> None:
    address.choose(settings.SMALL, small)
    address.choose(settings.SMALL_K, k)
    address.choose(EPSILON, 1.0)
    if data is None:
        address.choose(settings.VECTOR, vector)
    else:
        address.choose(sources.data(), data)
    what = "ε was" if data is None else "ε and the data were"
    st.toast(f"{what} set to the example, on all pages.", icon=":material/info:")
