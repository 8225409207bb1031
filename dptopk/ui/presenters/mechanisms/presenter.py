"""Explain a mechanism: how it chooses, why it is private, and when to use it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk import figures
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.papers import Paper
from dptopk.core.parameters import Number
from dptopk.mechanisms import (
    MECHANISMS,
    Card,
    ComparesNoise,
    ExplainsValue,
    Mechanism,
)
from dptopk.mechanisms.pictures import Coins, NoisyCounts, Picture
from dptopk.questions import settings
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Caption,
    Chapters,
    Chart,
    Code,
    Columns,
    Exhibit,
    Header,
    Markdown,
    Redraw,
    Words,
)
from dptopk.ui.findings import base, texts
from dptopk.ui.findings.gaps import threshold_meaning
from dptopk.ui.formats import plain, typeset
from dptopk.ui.presenters.budget import noise_scales
from dptopk.ui.presenters.mechanisms import how_it_chooses
from dptopk.ui.sections.swaps import all_right, crowded_by_others, swap_chart

_N_ITEMS = 6  # in a picture


@dataclass(frozen=True)
class Chosen:
    """The mechanism that is explained, or the reason why it cannot run."""

    card: Card
    mechanism: Mechanism | None
    refusal: str
    place: int  # the picture shows the items from this place on


def choose(view: View, place: Any) -> Chosen:
    """Draw the choice of mechanism and of the first place of its picture."""
    key = inputs.choice(place, settings.mechanism(), look="select")
    (kind,) = (m for m in MECHANISMS.values() if m.card.key == key)
    built = view.build_on(kind, view.k, view.counts)
    if isinstance(built, str):
        return Chosen(kind.card, None, built, 1)
    by_item = isinstance(_picture(view, built, 1), Coins | NoisyCounts)
    return Chosen(kind.card, built, "", _choose_place(place, view) if by_item else 1)


def question(chosen: Chosen) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        f"What is {chosen.card.name}?",
        "How it chooses, what it guarantees and why, and when to use it. The picture is computed "
        "from the data.",
    )


def _chapters(view: View, chosen: Chosen) -> Chapters:
    """Return the chosen mechanisms as chapters; the one shown comes first if not chosen."""
    shown = chosen.card.key
    of_them = () if shown in view.keys else (shown,)
    return Chapters(settings.mechanism(), (*of_them, *view.keys), shown)


def present(view: View, chosen: Chosen) -> list[Exhibit]:
    """Explain the mechanism at the chosen settings."""
    card, mechanism = chosen.card, chosen.mechanism
    explanation = card.explanation
    picture = None if mechanism is None else _picture(view, mechanism, chosen.place)
    origin = _origin(view, chosen, picture)
    scale = plain(chosen.refusal, 300) if mechanism is None else _scale(view, mechanism)
    noise = "" if mechanism is None else f"{_doing(view, mechanism)}."
    redrawn = Redraw("Draw again", "draw", primary=False)
    several = () if mechanism is None else (mechanism, *_featured(view, card))
    swaps = swap_chart(view, several)
    noises = noise_scales(view, mechanism) if isinstance(mechanism, ComparesNoise) else []
    return [
        _chapters(view, chosen),
        Columns(
            (2, 3),
            (
                [Words(f"How {card.name} chooses.", _does(view, chosen), origin)],
                [
                    Caption(_caption(view, chosen, picture)),
                    _chart(view, chosen, picture),
                    redrawn if isinstance(picture, NoisyCounts) else None,
                ],
            ),
        ),
        Header("What it promises, and why"),
        Words("What it promises, and why", _promise(view, chosen), origin),
        Header("Noise and gaps"),
        Markdown(scale),
        Markdown(_others(view, card)),
        swaps and Caption(swaps.line),
        swaps,
        *noises,
        Header("When to use it, and when not"),
        Words(
            f"When to use it, and when not. {noise}".strip(),
            typeset(
                f"**Use it** {_lower(explanation.good_for)}\n\n"
                f"**Not** {_lower(explanation.not_for)}"
            )
            + ("" if mechanism is None else f"\n\n{_publishing(mechanism)}")
            + (f"\n\n{explanation.example.shows}" if explanation.example else ""),
            origin,
        ),
        explanation.example,
        Header("References"),
        Markdown("\n".join(f"- {line}" for line in _papers(card))),
        Code(_code(view, mechanism), origin),
    ]


def _publishing(mechanism: Mechanism) -> str:
    """Return whether a real release can be drawn exactly, and else why not, in markdown."""
    if mechanism.why_not_exact:
        return f"**To publish** it is not possible: {_lower(mechanism.why_not_exact)}"
    return "**To publish** it: `dptopk publish` draws it exactly, paid for from a ledger."


def _choose_place(place: Any, view: View) -> int:
    """Draw the choice of the picture's first place; by default the closest two counts."""
    last = min(view.k, view.counts.d)
    if last == 1:
        return 1
    top = view.counts.sorted.top(last + 1)
    gaps = (top[:-1] - top[1:]).astype(float)
    gaps[gaps == 0] = np.inf  # ties show nothing
    setting = Number("from_place", "Picture from place", 1, settings.MAX_K, int(gaps.argmin()) + 1)
    return int(inputs.number(place, setting, high=last, slider=True))


def _picture(view: View, mechanism: Mechanism, place: int) -> Picture | None:
    ranks = np.arange(place - 1, min(place - 1 + _N_ITEMS, view.counts.d))
    rng = generator_for(mechanism, view.seed)
    return mechanism.picture(view.counts.sorted, ranks, rng)


def _names(view: View, place: int) -> list[str]:
    return view.counts.names(view.counts.order[place - 1 : place - 1 + _N_ITEMS])


def _origin(view: View, chosen: Chosen, picture: Picture | None) -> Origin:
    """Return the origin of the picture and the code."""
    drawn = isinstance(picture, NoisyCounts)
    return view.origin(
        () if chosen.mechanism is None else (chosen.mechanism,),
        "one draw of the noise" if drawn else "exact",
        seed=view.seed if drawn else None,
        more={"from_place": chosen.place},
    )


def _chart(view: View, chosen: Chosen, picture: Picture | None) -> Chart | None:
    mechanism = chosen.mechanism
    if mechanism is None or picture is None:
        return None
    names = _names(view, chosen.place)
    figure = how_it_chooses.figure(picture, names, mechanism, view.unit, view.counts.d)
    ticks = figure.layout.yaxis.ticktext or ()
    two_lines = any("<br>" in tick for tick in ticks)  # a name, and its count below
    return Chart(
        figure,
        "how-it-chooses",
        f"How {chosen.card.name} chooses.",
        _origin(view, chosen, picture),
        height=figures.height_of_rows(len(ticks)) if two_lines else 340,
        finding=how_it_chooses.described(picture, names),
        slide=_caption(view, chosen, picture),
    )


def _caption(view: View, chosen: Chosen, picture: Picture | None) -> str:
    """Describe the picture, and give the probability that all is right."""
    if chosen.mechanism is None:
        return ""
    if picture is None:
        return "There is no picture for these settings."
    shown = how_it_chooses.caption(picture, view, chosen.place)
    return f"{shown} {all_right(view, (chosen.mechanism,))}".strip()


def _promise(view: View, chosen: Chosen) -> str:
    why = typeset(chosen.card.explanation.promise)
    if chosen.mechanism is None:
        return f"Why: {why}"
    guarantee = chosen.mechanism.guarantee
    statement = typeset(guarantee.statement_on(view.protects))
    return f"It is **{texts.kind_of(guarantee)}**: {statement}\n\n**Why.** {why}"


def _does(view: View, chosen: Chosen) -> str:
    """Explain how it chooses, with the value of its parameters and the unit of its noise."""
    paragraphs = list(chosen.card.explanation.does)
    if isinstance(chosen.mechanism, ExplainsValue):
        paragraphs.append(chosen.mechanism.at_present)
    if view.unit != COUNT_UNIT and not view.protects:
        paragraphs.append(
            "Noise is measured in users. On the assumption that a user counts at most once for an "
            f"item, each of the {view.unit} is one user."
        )
    return typeset("\n\n".join(paragraphs))


def _doing(view: View, mechanism: Mechanism) -> str:
    alone = not crowded_by_others(view, (mechanism,))
    return base.scale_meaning(mechanism, view.unit, view.counts.d, alone=alone)


def _scale(view: View, mechanism: Mechanism) -> str:
    series = (
        f"In composition with other releases it counts as {mechanism.cost.words}. "
        f"{mechanism.cost.why}"
    )
    threshold = threshold_meaning(mechanism, view.counts.sorted, view.unit)
    return f"{_doing(view, mechanism)}. {f'{threshold} ' * bool(threshold)}{series}"


def _others(view: View, card: Card) -> str:
    """List the effect of counts on the featured mechanisms, at the same settings."""
    lines = [_doing(view, mechanism) for mechanism in _featured(view, card)]
    return "\n".join(["Others, at the same k and ε:\n", *(f"- {line}." for line in lines)])


def _featured(view: View, card: Card) -> list[Mechanism]:
    """Return the featured mechanisms that can run, except the one explained."""
    featured = [m for m in MECHANISMS.values() if m.card.featured and m.card.key != card.key]
    built = [view.build_on(m, view.k, view.counts) for m in featured]
    return [m for m in built if not isinstance(m, str)]


def _papers(card: Card) -> list[str]:
    """List the papers of a card, each once with all places that are cited."""
    cited: dict[Paper, list[str]] = {}
    for citation in dict.fromkeys([card.paper, *card.explanation.sources]):
        cited.setdefault(citation.paper, []).append(citation.place)
    return [
        f"{paper.citation}: [{paper.title}]({paper.url}), {paper.venue}; {'; '.join(places)}."
        for paper, places in cited.items()
    ]


def _code(view: View, mechanism: Mechanism | None) -> str:
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
    """Return a sentence with its first letter in lower case."""
    return sentence[0].lower() + sentence[1:]
