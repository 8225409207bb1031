"""Describe the gaps between consecutive counts, which determine how hard a data set is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk import figures
from dptopk.mechanisms import MECHANISMS, Mechanism, SetOrNothing
from dptopk.questions import settings
from dptopk.questions.gaps import (
    CHANCE,
    TITLE,
    TRUE_COUNTS,
    gap_rows,
    gaps_origin,
    set_epsilons,
    sets_of,
    with_epsilons,
)
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.summaries import count_histogram
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Markdown,
    Note,
    Table,
    Tiles,
)
from dptopk.ui.findings import alt_text
from dptopk.ui.presenters.gaps import sentences, swapping

_A_GAP = (
    "A gap is the difference between a count and the next one. Noise larger than a gap can swap "
    "the items beside it; swapping ties is not an error."
)


@dataclass(frozen=True)
class Options:
    """Settings of the page."""

    places: int
    logarithmic: bool


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "How far apart are the top counts?",
        (
            "Small gaps are hard: noise of the same size swaps adjacent items. Swapping ties is no "
            "error."
        ),
    )


def choose(view: View, place: Any) -> Options | None:
    """Draw the controls of the page; return None if there are no gaps."""
    largest = min(view.counts.d - 1, settings.MOST_PLACES)
    if largest < 1:
        return None
    places = largest
    if largest > 2:
        places = inputs.number(place, settings.places(view.k), high=largest, slider=True)
    return Options(places, inputs.flag(place, settings.LOGARITHMIC))


def present(view: View, options: Options | None) -> list[Exhibit]:
    """Describe the gaps and their effect on the chosen mechanisms."""
    if options is None:
        return [Note("There is one item, so there are no gaps.")]
    counts, k, shown = view.counts, view.k, options.places
    gaps = gap_rows(counts, shown, view.unit)
    levels = counts.sorted
    values = gaps[f"gap to the next ({view.unit})"].to_numpy()
    origin = view.origin((), TRUE_COUNTS, more={"k": k})
    sets, epsilons, of_sets = sets_of(view), set_epsilons(view, shown), gaps_origin(view)
    tiles = sentences.gap_sizes(counts, k, view.unit)
    said = [
        sentences.sets_within(mechanism, epsilons[mechanism.label], view.epsilon, CHANCE)
        for mechanism in sets
    ]
    spread = alt_text.spread(levels, k, view.unit)
    chart = Chart(
        figures.count_gaps(values, k, logarithmic=options.logarithmic, unit=view.unit),
        "gaps",
        f"Gap between each count and the next for the first {shown} places; k = {k} is marked.",
        origin,
        finding=alt_text.numbers(tiles),
        slide=f"{_A_GAP} Here: {alt_text.numbers(tiles)}",
    )
    swaps = swapping.chart(view, _asked(view))
    return [
        FirstScreen([Tiles(tiles)], [Lead(chart)]),
        FigureButtons(chart),
        Header("Effect on each mechanism"),
        Markdown(_listed(_meaning(view))),
        swaps and Caption(swaps.line),
        swaps,
        Header("ε at which a set is released" if said else ""),
        Markdown(_listed(said)),
        _sets(view, sets, epsilons, of_sets, " ".join(said)),
        Header("Number of items by count"),
        Chart(
            figures.count_histogram(
                *count_histogram(levels.values, levels.multiplicities),
                int(levels.top(k)[-1]),
                k,
                view.unit,
            ),
            "counts",
            f"Number of items by count; the count at k = {k} is marked.",
            origin,
            height=340,
            finding=spread,
            slide="Number of items by count: the more items have nearly the same count, the "
            f"smaller the gaps. {spread}",
        ),
        Table(
            with_epsilons(gaps, epsilons),
            "gaps",
            TITLE,
            of_sets,
            options={"height": 320},
        ),
        Code(snippets.small(view.source.python, _asked(view), _code(shown, bool(sets))), origin),
    ]


def _listed(sentences: list[str]) -> str:
    """Return sentences as a list in markdown."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _sets(
    view: View, sets: tuple[SetOrNothing, ...], epsilons: dict[str, Any], origin: Origin, said: str
) -> Chart | None:
    """Return a chart of the epsilon that each top set needs, or None if no mechanism states one."""
    if not any(np.isfinite(found).any() for found in epsilons.values()):
        return None
    styles = {m.label: m.card.style for m in sets}
    return Chart(
        figures.set_epsilons(epsilons, styles, view.epsilon, view.k),
        "sets",
        f"Epsilon at which a top set is released with probability {CHANCE:.0%}, by k.",
        origin,
        height=340,
        finding=said,
    )


def _code(shown: int, sets: bool) -> str:
    """Return lines that print the gaps, their effect, and the epsilon of top sets."""
    lines = f"""
top = counts.sorted.top({shown + 1})
print(top[:-1] - top[1:])
for mechanism in mechanisms:
    print(mechanism.label, swaps(mechanism, counts.d))
"""
    if sets:
        lines += f"""\
    if hasattr(mechanism, "epsilons_for_sets"):
        print(mechanism.label, mechanism.epsilons_for_sets(counts.sorted, {shown}, {CHANCE}))
"""
    return lines


def _meaning(view: View) -> list[str]:
    """Describe the effect of the gaps, one sentence per mechanism."""
    top = view.counts.sorted.top(view.k + 1)
    if top[0] == top[-1]:
        return [
            f"The first {len(top)} counts are tied: any of these items is a correct answer, and "
            "all mechanisms are equally good among them."
        ]
    mechanisms, gaps = _asked(view), top[:-1] - top[1:]
    crowded = swapping.crowded(view, mechanisms)
    return [
        *(
            sentences.gap_meaning(m, gaps, view.unit, view.counts.d, alone=m not in crowded)
            for m in mechanisms
        ),
        *sentences.thresholds(mechanisms, view.counts.sorted, view.unit),
        "Items with a smaller gap are easily swapped. Large gaps favour mechanisms that penalise "
        "only the worst place; many small gaps and a large k favour peeling.",
    ]


def _asked(view: View) -> tuple[Mechanism, ...]:
    """Return the chosen mechanisms, or the featured ones if none is chosen."""
    featured = (m for m in MECHANISMS.values() if m.card.featured)
    return view.mechanisms or tuple(view.build(m, view.k) for m in featured)
