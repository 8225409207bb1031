"""Show the true top k beside one release of each mechanism."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core import papers
from dptopk.core.errors import METRICS
from dptopk.data.tables import frame_of
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.questions.release import TITLE, Release, origin_of, release_rows, released
from dptopk.questions.view import View, styles_of
from dptopk.ui import address, results, show
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import snippets, tables
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    Explained,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Markdown,
    Note,
    Ranking,
    SmallTable,
    Table,
    Tiles,
    Tour,
)
from dptopk.ui.findings import alt_text, base, texts
from dptopk.ui.findings.gaps import threshold_sentences
from dptopk.ui.formats import compact, measured, plural, written
from dptopk.ui.presenters.release import draws, pictures

MARKS = (
    "✓ right: an item with the count that belongs at this place · ↕ moved: it belongs elsewhere in "
    "the top k · ✗ not in the top k. In brackets, the count error: the true count at the place "
    "minus the released item's, in {unit}. Items with equal counts are interchangeable."
)


COUNTED = "Released counts beside the true ones"
GAPS = "Gaps that come with the release"


@dataclass(frozen=True)
class Options:
    """The picture of the release, and the mechanism that phones show beside the truth.

    ``toured`` is True if nothing was chosen yet: the page leads to the lessons.
    """

    looked: pictures.Looked
    beside: str
    toured: bool


@dataclass(frozen=True)
class Contents:
    """Exhibits of a release that are cached, as they follow from the view."""

    tiles: Tiles
    ranking: Ranking
    errors: list[Exhibit]
    promise: list[Exhibit]


def question(view: View) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        f"What is released as the top {view.k}?",
        "The true answer beside one release of each mechanism. Draw again to see how releases "
        "vary.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the controls of the page, and the settings of the release beside them."""
    toured = address.is_untouched()
    with place:
        show.redraw("Draw again", "draw")
        looked = pictures.look(view, _marks(view.mechanisms, view.unit))
        st.container().caption(
            f"Seed {view.seed} · {view.source.title} · {plural(view.counts.d, 'item')} · "
            f"ε = {compact(view.epsilon)} · {texts.change(view.neighbors, view.protects)}"
        )
    if not looked.table:
        return Options(looked, view.mechanisms[0].label, toured)
    with st.container(key="phone_only"):
        return Options(looked, inputs.one_mechanism(st, view.mechanisms).label, toured)


def present(view: View, options: Options) -> list[Exhibit]:
    """Release once with every chosen mechanism."""
    looked, beside = options.looked, options.beside
    make = partial(_contents, view, beside, looked.code)
    found: Contents = results.shown("release shown", view, (beside, looked.code), make)
    return [
        FirstScreen(
            [Tour() if options.toured else None, found.tiles],
            [
                found.ranking if looked.table else None,
                looked.noise and Lead(looked.noise),
                looked.ranks,
            ],
        ),
        *map(Caption, looked.words),
        looked.noise and FigureButtons(looked.noise),
        looked.behind,
        *found.errors,
        *draws.present(view),
        *found.promise,
    ]


def _contents(view: View, beside: str, picture: str) -> Contents:
    """Release with every chosen mechanism; ``picture`` is the code of the picture shown."""
    counts = view.counts
    releases = {
        m.label: results.remembered(released, counts, m, view.seed, size=m.k)
        for m in view.mechanisms
    }
    count_errors = {label: release.count_errors for label, release in releases.items()}
    origin = origin_of(view, view.mechanisms)
    noisy = tables.released_counts(counts, releases, view.unit)
    gaps = tables.released_gaps(counts, releases, view.unit)
    tiles = {
        label: base.right_places(label, release.placements, release.outputs)
        for label, release in releases.items()
    }
    ranking = Ranking(
        Table(
            tables.released(counts, releases),
            "release",
            TITLE,
            origin,
            frame_of(release_rows(counts, releases)),
        ),
        f"The true top {view.k} beside one release of each mechanism",
        list(releases),
        beside,
        {label: f"{tile.value} right" for label, tile in tiles.items()},
        pictures.SIGNS,
    )
    chart = Chart(
        figures.count_errors_by_place(count_errors, styles_of(view.mechanisms), view.unit),
        "count-errors",
        "Count error at each place of this release, one line for each mechanism.",
        origin,
        height=340,
        finding=alt_text.count_errors(count_errors, view.unit),
    )
    code = f"""
for mechanism in mechanisms:
    released = release(counts, mechanism, seed={view.seed})
    print(mechanism.label, counts.names(released))
    print(count_given_up(counts, released[None], mechanism.outputs)[0])
"""
    if not gaps.empty:
        code += f"""
for mechanism in mechanisms:
    if mechanism.label in {gaps["mechanism"].unique().tolist()}:
        found = gaps_of_release(counts, mechanism, seed={view.seed})
        print(mechanism.label, found.gaps, found.low, found.high, found.count_at_least)
"""
    return Contents(
        Tiles(list(tiles.values())),
        ranking,
        [
            chart,
            Header("Errors of this release"),
            SmallTable(_measured(view, releases, origin)),
            *([] if noisy.empty else _counted(noisy, view.unit, origin)),
            *([] if gaps.empty else _gaps(gaps, view.unit, origin)),
        ],
        [
            Header("What is promised"),
            Note(_failing(view)),
            *(Markdown(_promise(view, mechanism)) for mechanism in view.mechanisms),
            Explained([mechanism.card for mechanism in view.mechanisms]),
            *map(Caption, _notes(view)),
            Code(snippets.snippet(view, code + picture), origin),
        ],
    )


def _counted(frame: pd.DataFrame, unit: str, origin: Origin) -> list[Exhibit]:
    """Tabulate the counts released with the items; numbers come first, as phones cut columns."""
    true = f"true count ({unit})"
    words = {
        true: [f"{count:,}" for count in frame[true]],
        "released count": [f"{count:,.1f}" for count in frame["released count"]],
        "error": [f"{error:+,.1f}".replace("-", "−") for error in frame["error"]],
    }
    shown = {
        "item": {"width": 120},
        true: {"width": 76, "label": "true"},
        "released count": {"width": 80, "label": "released"},
        "error": {"width": 64},
    }
    last = ["place", "mechanism"][: frame["mechanism"].nunique()]  # of one it says nothing
    options = {"height": 320, "column_config": shown, "column_order": [*shown, *last]}
    return [
        Header(COUNTED),
        Caption(alt_text.counts_off(frame, unit)),
        Table(written(frame, words), "released-counts", COUNTED, origin, frame, options),
    ]


def _gaps(frame: pd.DataFrame, unit: str, origin: Origin) -> list[Exhibit]:
    """Tabulate the gaps released with the items, with their bounds; numbers come first."""
    least, true = f"{unit} at least", f"true count ({unit})"
    whole = ("at least", "at most", "true gap", least, true)
    words = {name: [f"{one:,}".replace("-", "−") for one in frame[name]] for name in whole}
    words["noisy gap"] = [f"{gap:,.1f}" for gap in frame["noisy gap"]]
    shown = {
        "item": {"width": 120},
        "noisy gap": {"width": 84},
        **{name: {"width": 70} for name in ("at least", "at most", "true gap")},
        least: {"width": 110},
        true: {"width": 84, "label": "true count"},
    }
    last = ["place", "mechanism"][: frame["mechanism"].nunique()]
    options = {"height": 320, "column_config": shown, "column_order": [*shown, *last]}
    names = " and ".join(frame["mechanism"].unique())
    return [
        Header(GAPS),
        Caption(
            f"{names} may also release the gaps between the noisy counts, for the same ε: from "
            "each item to the next, and from the last to the largest of all other items. With "
            "probability 95% all true gaps lie between “at least” and “at most”, and all true "
            "counts are at least as large as stated. In a series, items with gaps count as pure "
            f"ε-DP. Source for Laplace noise: {papers.DING_2019.at('Noisy-Top-K-with-Gap').link}."
        ),
        Caption(alt_text.gaps_sure(frame, unit)),
        Table(written(frame, words), "released-gaps", GAPS, origin, frame, options),
    ]


def _measured(view: View, releases: dict[str, Release], origin: Origin) -> Table:
    """Tabulate the errors of this release."""
    frame = tables.release_errors(_errors(view, releases), view.unit)
    words = {
        label: [measured(x, m) for x, m in zip(frame[label], METRICS.values(), strict=True)]
        for label in releases
    }
    return Table(written(frame, words), "release-errors", "Errors of this release", origin, frame)


def _errors(view: View, releases: dict[str, Release]) -> dict[str, dict[str, float]]:
    return {
        label: {
            key: metric.compute(view.counts, release.positions[None], release.outputs)[0].item()
            for key, metric in METRICS.items()
        }
        for label, release in releases.items()
    }


def _marks(mechanisms: tuple[Mechanism, ...], unit: str) -> str:
    """Explain the marks that these outputs may have."""
    words = MARKS.format(unit=unit)
    if any(not m.outputs.ordered for m in mechanisms):
        words += " Sets have no order: they are listed by their true counts."
    if any(m.outputs.short for m in mechanisms):
        words += " ⊥: nothing is released at this place; it counts as an item with count 0."
    if any(m.outputs.counted for m in mechanisms):
        words += " Square brackets show the noisy count released with the item."
    return words


def _failing(view: View) -> str:
    """Name the assumptions of the guarantees that fail on these data; empty if none is known to."""
    repeats = view.source.repeats
    fails = [f"{repeats}, so one user counts more than once for an item"] if repeats else []
    fixed = any(mechanism.guarantee.fixed_items for mechanism in view.mechanisms)
    if fixed and view.source.items_of_data:
        fails.append("the list of items was taken from the data")
    if not fails:
        return ""
    return f"On these data the guarantees do not hold as stated: {'; '.join(fails)}."


def _promise(view: View, mechanism: Mechanism) -> str:
    """State the guarantee, its effect on a belief, and the part that this release uses if known."""
    used = results.loss_of_release(view.counts, mechanism, view.seed)
    words = (
        f"{mechanism.card.summary} It is **{texts.kind_of(mechanism.guarantee)}**. "
        f"{mechanism.guarantee.statement_on(view.protects)} "
        f"{texts.odds_promised(mechanism.guarantee, view.protects)}"
        + ("" if used is None else f" {texts.odds_used(mechanism.label, used)}")
    )
    return words if view.source.contribution.holds else f"{words} **{view.caveat}**"


def _notes(view: View) -> list[str]:
    thresholds = threshold_sentences(view.mechanisms, view.counts.sorted, view.unit)
    return [*thresholds, *([view.caveat] if view.caveat else []), texts.EXPLORATION]
