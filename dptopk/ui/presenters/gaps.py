"""How hard is this data set?  The gaps between neighbouring counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk import figures, settings
from dptopk.mechanisms import MECHANISMS, Mechanism, SetOrNothing
from dptopk.origin import Origin
from dptopk.parameters import Number
from dptopk.summaries import count_histogram
from dptopk.ui import controls, gap_words, snippets, swapping, tables, texts, told
from dptopk.ui.widgets import Chart, Table, Tile
from dptopk.view import View

MOST_PLACES = 1_000
_A_GAP = (
    "A gap is how far a count lies above the next one. Noise swaps items beside a gap smaller than "
    "itself; ties cost nothing to swap."
)
_CHANCE = 0.95  # with which a set is to come out


@dataclass(frozen=True)
class Options:
    """What the page itself lets people choose."""

    places: int
    logarithmic: bool


@dataclass(frozen=True)
class Shown:
    """What the page shows."""

    tiles: list[Tile]
    meaning: list[str]
    swaps: Chart | None
    gaps: Chart
    sets: Chart | None
    sets_meaning: list[str]
    histogram: Chart
    table: Table
    code: str


def question() -> tuple[str, str]:
    """The question, and how to read the page."""
    return (
        "How clearly do the top counts stand apart?",
        "Small gaps are hard: noise of their size swaps neighbours. Ties cost nothing to swap.",
    )


def choose(view: View, place: Any) -> Options | None:
    """Controls of the page; nothing where there are no gaps."""
    largest = min(view.counts.d - 1, MOST_PLACES)
    if largest < 1:
        return None
    places = largest
    if largest > 2:
        default = min(MOST_PLACES, max(2 * view.k, 50))
        setting = Number("places", "Places shown", 2, MOST_PLACES, default)
        places = controls.number(place, setting, high=largest, slider=True)
    return Options(places, controls.flag(place, settings.LOGARITHMIC))


def present(view: View, options: Options) -> Shown:
    """Show the gaps, and what they mean to the chosen mechanisms."""
    counts, k, shown = view.counts, view.k, options.places
    gaps = tables.gaps(counts, shown, view.unit)
    levels = counts.sorted
    values = gaps[f"gap to the next ({view.unit})"].to_numpy()
    origin = view.origin((), texts.TRUE_COUNTS, more={"k": k})
    sets = tuple(m for m in view.mechanisms if isinstance(m, SetOrNothing))
    epsilons = {m.label: m.epsilons_for_sets(levels, shown, _CHANCE) for m in sets}
    of_sets = view.origin(sets, "exact", more={"chance": _CHANCE}) if sets else origin
    tiles = gap_words.gap_sizes(counts, k, view.unit)
    said = [
        gap_words.sets_within(mechanism, epsilons[mechanism.label], view.epsilon, _CHANCE)
        for mechanism in sets
    ]
    spread = told.spread(levels, k, view.unit)
    return Shown(
        tiles=tiles,
        meaning=_meaning(view),
        swaps=swapping.chart(view, _asked(view)),
        gaps=Chart(
            figures.count_gaps(values, k, logarithmic=options.logarithmic, unit=view.unit),
            "gaps",
            f"Gap between each count and the next for the first {shown} places; k = {k} is marked.",
            origin,
            finding=told.numbers(tiles),
            slide=f"{_A_GAP} Here: {told.numbers(tiles)}",
        ),
        sets=_sets(view, sets, epsilons, of_sets, " ".join(said)),
        sets_meaning=said,
        histogram=Chart(
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
            slide=f"How many items have which count: the more have nearly the same one, the "
            f"smaller the gaps between them. {spread}",
        ),
        table=Table(
            tables.with_epsilons(gaps, epsilons, _CHANCE),
            "gaps",
            "Gaps place by place",
            of_sets,
            options={"height": 320},
        ),
        code=snippets.small(view.source.python, _asked(view), _code(shown, bool(sets))),
    )


def _sets(
    view: View, sets: tuple[SetOrNothing, ...], epsilons: dict[str, Any], origin: Origin, said: str
) -> Chart | None:
    """The epsilon that each top set needs, where any mechanism asks for one."""
    if not any(np.isfinite(found).any() for found in epsilons.values()):
        return None
    styles = {m.label: m.card.style for m in sets}
    return Chart(
        figures.set_epsilons(epsilons, styles, view.epsilon, view.k),
        "sets",
        f"Epsilon with which a top set comes out with {_CHANCE:.0%}, by k.",
        origin,
        height=340,
        finding=said,
    )


def _code(shown: int, sets: bool) -> str:
    """Gaps, what they mean to mechanisms, and what the top sets need."""
    lines = f"""
top = counts.sorted.top({shown + 1})
print(top[:-1] - top[1:])
for mechanism in mechanisms:
    print(mechanism.label, swaps(mechanism, counts.d))
"""
    if sets:
        lines += f"""\
    if hasattr(mechanism, "epsilons_for_sets"):
        print(mechanism.label, mechanism.epsilons_for_sets(counts.sorted, {shown}, {_CHANCE}))
"""
    return lines


def _meaning(view: View) -> list[str]:
    """One sentence a mechanism."""
    top = view.counts.sorted.top(view.k + 1)
    if top[0] == top[-1]:
        return [
            f"The first {len(top)} counts are tied: any of these items is a right answer, and no "
            "mechanism can do better or worse among them."
        ]
    mechanisms, gaps = _asked(view), top[:-1] - top[1:]
    return [
        *(gap_words.gap_meaning(m, gaps, view.unit, view.counts.d) for m in mechanisms),
        *gap_words.thresholds(mechanisms, view.counts.sorted, view.unit),
        "Items beside a smaller gap change places easily. Large gaps help what weighs the worst "
        "place only; many small gaps and a large k help what peels.",
    ]


def _asked(view: View) -> tuple[Mechanism, ...]:
    """The chosen mechanisms, or those shown first if none is chosen."""
    featured = (m for m in MECHANISMS.values() if m.card.featured)
    return view.mechanisms or tuple(view.build(m, view.k) for m in featured)
