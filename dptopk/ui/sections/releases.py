"""Describe one release of every mechanism: beside the truth, its errors, and what is promised."""

from dataclasses import dataclass

import pandas as pd

from dptopk import figures
from dptopk.core import papers
from dptopk.core.errors import METRICS
from dptopk.core.privacy import Guarantee
from dptopk.data.tables import frame_of
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.questions.release import TITLE, Release, origin_of, release_rows, released
from dptopk.questions.view import View, styles_of
from dptopk.ui import results, show, snippets, tables
from dptopk.ui.formats import joined, measured
from dptopk.ui.sections import pictures
from dptopk.ui.sentences import alt_text, base, texts, titles
from dptopk.ui.sentences.gaps import threshold_sentences
from dptopk.ui.show import Chart, Ranking, Table

MARKS = (
    "✓ right: an item with the count that belongs at this place · ↕ moved: it belongs elsewhere in "
    "the top k · ✗ not in the top k. Beside it, how many {unit} fewer or more the item has "
    "than the one that belongs there. Items with equal counts are interchangeable."
)


COUNTED = "Released counts beside the true ones"
GAPS = "Gaps that come with the release"


@dataclass(frozen=True)
class Contents:
    """Parts of a release that sessions share for bundled data, as they follow from the view.

    ``with_numbers`` are the tables of counts and gaps released with the items, each with the
    captions above it.
    """

    finding: str
    ranking: Ranking
    chart: Chart
    errors: Table
    with_numbers: list[tuple[Table, list[str]]]
    promises: list[str]
    notes: list[str]
    code: str
    origin: Origin


def contents(view: View, beside: str, picture: str) -> Contents:
    """Release with every chosen mechanism; ``picture`` is the code of the picture shown."""
    counts = view.counts
    releases = {
        m.label: results.remembered(released, counts, m, view.seed, size=m.k)
        for m in view.mechanisms
    }
    seen = {beside: releases[beside]} if show.is_narrow() else releases  # a phone shows one
    count_errors = {label: release.count_errors for label, release in releases.items()}
    origin = origin_of(view, view.mechanisms)
    noisy = tables.released_counts(counts, releases, view.unit)
    gaps = tables.released_gaps(counts, releases, view.unit)
    right = {m: base.right_places(releases[m.label].placements, m.outputs) for m in view.mechanisms}
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
        {m.label: " · ".join(filter(None, (said, base.delta_of(m)))) for m, said in right.items()},
        pictures.SIGNS,
    )
    chart = Chart(
        figures.count_errors_by_place(count_errors, styles_of(view.mechanisms), view.unit),
        "count-errors",
        "Count error at each place of this release, a mark for each mechanism.",
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
        titles.release(
            {label: one.placements for label, one in seen.items()},
            {label: one.outputs for label, one in seen.items()},
        ),
        ranking,
        chart,
        _measured(view, releases, origin),
        [
            *([] if noisy.empty else [_counted(noisy, view.unit, origin)]),
            *([] if gaps.empty else [_gaps(gaps, view.unit, origin)]),
        ],
        _promises(view),
        [
            *threshold_sentences(view.mechanisms, counts.sorted, view.unit),
            *([view.caveat] if view.caveat and not view.source.repeats else []),
            texts.EXPLORATION,
        ],
        snippets.snippet(view, code + picture),
        origin,
    )


def _counted(frame: pd.DataFrame, unit: str, origin: Origin) -> tuple[Table, list[str]]:
    true = f"true count ({unit})"
    words = {
        true: [f"{count:,}" for count in frame[true]],
        "released count": [f"{count:,.1f}" for count in frame["released count"]],
        "error": [f"{error:+,.1f}".replace("-", "−") for error in frame["error"]],
    }
    widths = {"item": 120, true: 76, "released count": 80, "error": 64}
    labels = {true: "true", "released count": "released"}
    table = _table(frame, words, widths, labels, "released-counts", COUNTED, origin)
    return table, [alt_text.counts_off(frame, unit)]


def _gaps(frame: pd.DataFrame, unit: str, origin: Origin) -> tuple[Table, list[str]]:
    least, true = f"{unit} at least", f"true count ({unit})"
    whole = ("at least", "at most", "true gap", least, true)
    words = {name: [f"{one:,}".replace("-", "−") for one in frame[name]] for name in whole}
    words["noisy gap"] = [f"{gap:,.1f}" for gap in frame["noisy gap"]]
    widths = {"item": 120, "noisy gap": 84, "at least": 70, "at most": 70, "true gap": 70}
    widths |= {least: 110, true: 84}
    names = " and ".join(frame["mechanism"].unique())
    table = _table(frame, words, widths, {true: "true count"}, "released-gaps", GAPS, origin)
    what = (
        f"{names} may also release the gaps between the noisy counts, for the same ε: from each "
        "item to the next, and from the last to the largest of all other items. With probability "
        "95% all true gaps lie between “at least” and “at most”, and all true counts are at least "
        "as large as stated. In a series, items with gaps count as pure ε-DP. Source for Laplace "
        f"noise: {papers.DING_2019.at('Noisy-Top-K-with-Gap').link}."
    )
    return table, [what, alt_text.gaps_sure(frame, unit)]


def _table(
    frame: pd.DataFrame,
    words: dict[str, list[str]],
    widths: dict[str, int],
    labels: dict[str, str],
    name: str,
    title: str,
    origin: Origin,
) -> Table:
    """Tabulate what comes with the items; numbers come first, as phones cut columns."""
    last = ["place", "mechanism"][: frame["mechanism"].nunique()]  # of one it says nothing
    columns = {name: {"width": width, "label": labels.get(name)} for name, width in widths.items()}
    options = {"column_config": columns, "column_order": [*columns, *last]}
    return Table(frame, name, title, origin, None, options, words)


def _measured(view: View, releases: dict[str, Release], origin: Origin) -> Table:
    errors = {
        label: {
            key: metric.compute(view.counts, release.positions[None], release.outputs)[0].item()
            for key, metric in METRICS.items()
        }
        for label, release in releases.items()
    }
    frame = tables.release_errors(errors, view.unit)
    words = {
        label: [measured(x, m) for x, m in zip(frame[label], METRICS.values(), strict=True)]
        for label in releases
    }
    return Table(frame, "release-errors", "Errors of this release", origin, words=words)


def marks(mechanisms: tuple[Mechanism, ...], unit: str) -> str:
    """Explain the marks that these outputs may have."""
    words = MARKS.format(unit=unit)
    if any(not m.outputs.ordered for m in mechanisms):
        words += " Sets have no order: they are listed by their true counts."
    if any(m.outputs.short for m in mechanisms):
        words += " ⊥: nothing is released at this place; it counts as an item with count 0."
    if any(m.outputs.counted for m in mechanisms):
        words += " Square brackets show the noisy count released with the item."
    return words


def failing(view: View) -> str:
    """Name the assumptions of the guarantees that fail on these data; empty if none is known to."""
    repeats = view.source.repeats
    fails = [f"{repeats}, so one user counts more than once for an item"] if repeats else []
    fixed = any(mechanism.guarantee.fixed_items for mechanism in view.mechanisms)
    if fixed and view.source.items_of_data:
        fails.append("the list of items was taken from the data")
    if not fails:
        return ""
    return f"On these data the guarantees do not hold as stated: {'; '.join(fails)}."


def _promises(view: View) -> list[str]:
    """List the mechanisms, and state each of their guarantees once, with its effect on a belief."""
    promised: dict[Guarantee, list[Mechanism]] = {}
    for mechanism in view.mechanisms:
        promised.setdefault(mechanism.guarantee, []).append(mechanism)
    words = ["\n".join(f"- {mechanism.card.summary}" for mechanism in view.mechanisms)]
    for guarantee, mechanisms in promised.items():
        labels = joined([mechanism.label for mechanism in mechanisms])
        used = {m.label: results.loss_of_release(view.counts, m, view.seed) for m in mechanisms}
        sentences = [
            f"{labels} {'is' if len(mechanisms) == 1 else 'are'} **{texts.kind_of(guarantee)}**.",
            guarantee.statement_on(view.protects),
            texts.odds(guarantee, view.protects),
            *(
                f"After this particular release of {label}, a 50% prior rises to at most "
                f"{texts.posterior(loss)} (exact)."
                for label, loss in used.items()
                if loss is not None
            ),
        ]
        words.append(" ".join(sentences))
    return words
