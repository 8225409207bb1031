"""Explain a mechanism at the settings of a page: its picture, promise, noise and papers."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from dptopk import figures
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.papers import Paper
from dptopk.core.parameters import Number
from dptopk.mechanisms import MECHANISMS, Card, ComparesNoise, ExplainsValue, Group, Mechanism
from dptopk.mechanisms.pictures import Picture
from dptopk.questions import settings
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui import address, show, snippets
from dptopk.ui.formats import typeset
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sections.swaps import all_right, crowded_by_others
from dptopk.ui.sentences import base, texts
from dptopk.ui.sentences.gaps import threshold_meaning
from dptopk.ui.show import Button, Chart

_N_ITEMS = 6  # in a picture
_CLAIMED = "Its author claims it; nothing here proves it."


def gallery() -> None:
    """Show a card of every mechanism, by what it needs and gives; it opens its explanation."""
    for group in Group:
        kinds = [kind for kind in MECHANISMS.values() if kind.card.group is group]
        if kinds:
            st.header(group.value, anchor=False)
            with st.container(horizontal=True, gap="small"):
                for kind in kinds:
                    card = kind.card
                    act = partial(address.choose, settings.any_mechanism(), card.key)
                    does = card.summary.removeprefix(f"{card.name} ").partition(":")[0].rstrip(".")
                    needs = ["needs δ"] * card.takes("delta")
                    needs += ["no list of items"] * kind.open_domain
                    named = Button(f"**{card.name}**", f"explain-{card.key}", act)
                    lines = [f"{does[0].upper()}{does[1:]}", ", ".join(needs)]
                    show.card(named, " · ".join(filter(None, lines)))


def first_place(view: View) -> Number:
    """Return the setting of the picture's first place; by default the closest two counts."""
    gaps = -np.diff(view.counts.sorted.top(min(view.k, view.counts.d) + 1)).astype(float)
    gaps[gaps == 0] = np.inf  # ties show nothing
    default = int(gaps.argmin()) + 1
    return Number("from_place", "Picture from place", 1, settings.MAX_K, default)


def picture(view: View, mechanism: Mechanism | None, place: int) -> Picture | None:
    """Return the picture of a mechanism for the items from a place on, if it has one."""
    if mechanism is None:
        return None
    ranks = np.arange(place - 1, min(place - 1 + _N_ITEMS, view.counts.d))
    return mechanism.picture(view.counts.sorted, ranks, generator_for(mechanism, view.seed))


def chart(
    view: View, mechanism: Mechanism, drawn: Picture, place: int, origin: Origin, caption: str
) -> Chart:
    """Return the chart of a picture."""
    names = view.counts.names(view.counts.order[place - 1 : place - 1 + _N_ITEMS])
    title = f"How {mechanism.card.name} chooses."
    shown = how_it_chooses.chart(drawn, names, mechanism, view, "how-it-chooses", title, origin)
    ticks = shown.figure.layout.yaxis.ticktext or ()
    two_lines = any("<br>" in tick for tick in ticks)  # a name, and its count below
    height = figures.height_of_rows(len(ticks)) if two_lines else 320
    return replace(shown, height=height, slide=caption)


def caption(view: View, mechanism: Mechanism, drawn: Picture | None, place: int) -> str:
    """Describe the picture, and give the probability that all is right."""
    if drawn is None:
        return "There is no picture for these settings."
    return f"{how_it_chooses.caption(drawn, view, place)} {all_right(view, (mechanism,))}".strip()


def promise(view: View, card: Card, mechanism: Mechanism | None) -> str:
    """State the guarantee, and why it holds."""
    why = typeset(card.explanation.promise or _CLAIMED)
    if mechanism is None:
        return f"Why: {why}"
    guarantee = mechanism.guarantee
    statement = typeset(guarantee.statement_on(view.protects))
    return f"It is **{texts.kind_of(guarantee)}**: {statement}\n\n**Why.** {why}"


def does(card: Card, mechanism: Mechanism | None) -> str:
    """Explain how it chooses, with the value of its parameters and the unit of its noise."""
    paragraphs = list(card.explanation.does)
    if isinstance(mechanism, ExplainsValue):
        paragraphs.append(mechanism.at_present)
    return typeset("\n\n".join(paragraphs))


def when(card: Card, mechanism: Mechanism | None) -> str:
    """Say when to use it and when not, whether it can be published, and what its example shows."""
    explanation = card.explanation
    paragraphs = [
        typeset(f"**{begin}** {_lower(words)}")
        for begin, words in (("Use it", explanation.good_for), ("Not", explanation.not_for))
        if words
    ]
    if mechanism and mechanism.why_not_exact:
        paragraphs.append(f"**To publish** it is not possible: {_lower(mechanism.why_not_exact)}")
    elif mechanism:
        exactly = "`dptopk publish` draws it exactly, paid for from a ledger."
        paragraphs.append(f"**To publish** it: {exactly}")
    if explanation.example:
        paragraphs.append(explanation.example.shows)
    return "\n\n".join(filter(None, paragraphs))


def doing(view: View, mechanism: Mechanism) -> str:
    """Describe the scale of the noise beside the gaps."""
    alone = not crowded_by_others(view, (mechanism,))
    return base.scale_meaning(mechanism, view.unit, view.counts.d, alone=alone)


def scale(view: View, mechanism: Mechanism) -> str:
    """Describe its noise, its threshold and its cost in a series."""
    series = (
        f"In composition with other releases it counts as {mechanism.cost.words}. "
        f"{mechanism.cost.why}"
    )
    threshold = threshold_meaning(mechanism, view.counts.sorted, view.unit)
    words = f"{doing(view, mechanism)}. {f'{threshold} ' * bool(threshold)}{series}"
    if view.unit != COUNT_UNIT and not view.protects:
        words += (
            "\n\nNoise is measured in users. On the assumption that a user counts at most once for "
            f"an item, each of the {view.unit} is one user."
        )
    return words


def featured(view: View, card: Card) -> tuple[Mechanism, ...]:
    """Return the featured mechanisms that can run, except the one explained."""
    cards = (kind.card for kind in MECHANISMS.values() if kind.card.featured)
    return replace(view, keys=tuple(one.key for one in cards if one is not card)).mechanisms


def papers(card: Card) -> list[str]:
    """List the papers of a card, each once with all places that are cited."""
    cited: dict[Paper, list[str]] = {}
    for citation in dict.fromkeys([card.paper, *card.explanation.sources]):
        cited.setdefault(citation.paper, []).append(citation.place)
    return [
        f"{paper.citation}: [{paper.title}]({paper.url}), {paper.venue}; {'; '.join(places)}."
        for paper, places in cited.items()
    ]


def code(view: View, mechanism: Mechanism | None) -> str:
    """Return lines that print the guarantee, the noise and the swaps."""
    if mechanism is None:
        return snippets.snippet(view, "print(counts)", mechanisms=False)
    body = """
for mechanism in mechanisms:
    print(mechanism.label, mechanism.guarantee.statement)
    print(mechanism.scale, mechanism.cost.words)
    print(swaps(mechanism, counts.d))
"""
    if isinstance(mechanism, ComparesNoise):
        body += """    for row in mechanism.noise_scales(counts.d):
        print(row.noise, row.use, row.scale, row.deviation, row.refusal)
"""
    return snippets.small(view.source.python, (mechanism,), body)


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
