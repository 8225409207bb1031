"""Small vectors of counts, few enough to write everything out: choosing one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dptopk import sources
from dptopk.counts import ItemCounts
from dptopk.ingest import IngestError, parse_typed
from dptopk.mechanisms import Mechanism
from dptopk.origin import Origin
from dptopk.papers import GILLENWATER_2022
from dptopk.parameters import EPSILON, Choice, Number, Text
from dptopk.ui import address, controls, widgets
from dptopk.ui.view import View

TYPED, TOP, ALL = "typed", "top", "all"
ORIGIN = Choice(
    "small",
    "Counts from",
    {TYPED: "a small vector", TOP: "the top of the data", ALL: "all of the data"},
    TYPED,
)
VECTOR = Text("vector", "Counts (edit them)", "10, 5, 1, 1", 400)
N_ITEMS = Number("small_items", "Items", 2, 10, 5)
SMALL_K = Number("small_k", "k here", 1, 5, 2)
_CUT = (
    "Only the {} largest of {:,} items are kept. The numbers are exact for these alone: with all "
    "items each of these outputs is less likely, and cutting a data set to its top is itself not "
    "private."
)
_MANY_ONES = "classroom-paper_thousand"
_EXAMPLES = GILLENWATER_2022.at("Appendix D.3")


@dataclass(frozen=True)
class SmallCase:
    """Counts few enough to write everything out, what they are, and the Python that makes them."""

    counts: ItemCounts
    k: int
    title: str
    python: str
    notes: tuple[str, ...] = ()

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """What goes with figures and tables of the case."""
        return Origin(self.title, self.counts, mechanisms, computed, **how)


def choose(
    view: View, place: Any, most_items: int = 10, most_outputs: int | None = None
) -> SmallCase:
    """Choose a small vector and k; ends the page if it cannot be used.

    With ``most_outputs`` everything is written out several times over: k is limited to
    so many outputs, and all of the data cannot be chosen.
    """
    allowed = [TYPED, TOP] if most_outputs else [TYPED, TOP, ALL]
    origin = controls.choice(place, ORIGIN, allowed, look="select")
    counts, title, python = {TYPED: _typed, TOP: _top, ALL: _all}[origin](view, place, most_items)
    if most_outputs and counts.d > most_items:
        widgets.problem(
            "Too many items here",
            f"All neighbours of {counts.d} items cannot be listed: keep at most {most_items}.",
        )
        widgets.end()
    largest = min(counts.d, int(SMALL_K.high))
    if most_outputs:
        largest = max(
            k
            for k in range(1, largest + 1)
            if all(m.outputs.n_outputs(counts.d, k) <= most_outputs for m in view.classes)
        )
    k = controls.number(place, SMALL_K, high=largest, slider=True) if largest > 1 else 1
    widgets.require(view.at(k, counts), view.refusals(k, counts))
    cut = origin == TOP and counts.d < view.counts.d
    notes = (_CUT.format(counts.d, view.counts.d),) if cut else ()
    return SmallCase(counts, k, title, python, notes)


def presets(place: Any) -> None:
    """Reproduce the paper's two examples."""
    examples = place.popover("Examples", icon=":material/menu_book:")
    examples.button(
        "Paper: 10, 5, 1, 1",
        on_click=_preset,
        args=(TYPED, None),
        width="stretch",
        help=f"{_EXAMPLES.link}: the first two come out in order with probability 0.63 under Joint "
        "and 0.75 under permute-and-flip over sequences.",
    )
    examples.button(
        "Paper: 30, 15 and 998 ones",
        on_click=_preset,
        args=(ALL, _MANY_ONES),
        width="stretch",
        help=f"{_EXAMPLES.link}: 0.34 under Joint and 0.44 under permute-and-flip over sequences.",
    )


def _preset(origin: str, data: str | None) -> None:
    address.choose(ORIGIN, origin)
    address.choose(SMALL_K, 2)
    address.choose(EPSILON, 1.0)
    if data is None:
        address.choose(VECTOR, VECTOR.default)
    else:
        address.choose(sources.data(), data)
    what = "ε was" if data is None else "ε and the data were"
    st.toast(f"{what} set to the paper's example, on all pages.", icon=":material/info:")


def _typed(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    try:
        counts = parse_typed(controls.text(place, VECTOR), "small vector").counts
    except IngestError as error:
        widgets.problem("These counts could not be read", str(error))
        widgets.end()
    if not sources.text_has_names(counts):
        counts = ItemCounts(counts.counts, [_letter(i) for i in range(counts.d)], counts.name)
    python = f"counts = ItemCounts({counts.counts.tolist()}, {list(counts.items)})"
    return counts, f"Counts {', '.join(map(str, counts.counts.tolist()))}", python


def _top(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    n = controls.number(place, N_ITEMS, high=most_items, slider=True)
    counts = view.counts.head(n)
    title = f"The {counts.d} largest of {view.source.title}"
    return counts, title, f"{view.source.python}\ncounts = counts.head({n})"


def _all(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    place.caption(f"{view.source.title}: {view.counts.d:,} items; ties are merged")
    return view.counts, view.source.title, view.source.python


def _letter(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else f"item {position + 1}"
