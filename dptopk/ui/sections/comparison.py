"""Compare the chosen mechanisms side by side at the present settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, USUAL
from dptopk.core.outputs import NOTHING
from dptopk.mechanisms.selections import needs
from dptopk.questions.errors import Errors, releases, summary_origin
from dptopk.questions.view import View, styles_of
from dptopk.ui import results, show, snippets, tables
from dptopk.ui.formats import joined, stated
from dptopk.ui.sections import distribution
from dptopk.ui.sentences import leaders, texts, titles
from dptopk.ui.show import Chart, Table
from dptopk.ui.widgets import links

_WIDTHS = {"mechanism": 180, "median": 220, "middle half": 200}  # pixels of the longest entries
_LEAST = "The page Choose ε shows which of the practically certain mechanisms needs the smallest ε."


@dataclass(frozen=True)
class Comparison:
    """The best mechanisms with figure and tables; ``whole`` holds every number behind them."""

    title: str
    chart: Chart
    table: Table
    notes: list[str]
    whole: Table
    code: str


def side_by_side(
    view: View, errors: Errors, *, logarithmic: bool, proposed: str = ""
) -> Comparison:
    """Compare the mechanisms that ran, at least one, at the present settings.

    All but the one ``proposed``, by its label, are drawn in gray.
    """
    mechanisms, metric = errors.mechanisms, errors.metric
    seconds = results.seconds_a_draw(view.counts, mechanisms)
    known = leaders.best_known(errors)
    known = known.assign(nothing=known["mechanism"].isin(_mostly_empty(view.counts, errors)))
    empty, of_nothing = list(known.loc[known["nothing"], "mechanism"]), ""
    if empty:
        of_nothing = (
            f"{joined(empty)} mostly {'releases' if len(empty) == 1 else 'release'} nothing here: "
            "an empty place counts as an item with count 0, and the number shown is that of an "
            "empty release."
        )
    finding = leaders.finding(known, metric, view.k)
    columns = {  # that are ranked: their source, more is better, by kind of output
        "right as a set": (leaders.RIGHT, True, False),
        f"{ITEMS_RIGHT.title}, of {view.k}": (ITEMS_RIGHT.key, ITEMS_RIGHT.more_is_better, False),
    }
    if not metric.is_place:
        columns["median"] = ("median", metric.more_is_better, metric.sees_order)
    marks = {name: leaders.marks(known, *column) for name, column in columns.items()}
    if known[leaders.RIGHT].max() < leaders.HARDLY:
        marks["right as a set"] = {}
    origin = view.origin(mechanisms, "as named in the columns", runs=view.n, seed=view.seed)
    settled = [m for m in known.loc[known["settled"], "mechanism"] if m not in errors.laws]
    exact = [joined(list(errors.laws))] if errors.laws else []
    exact += [f"medians of {joined(settled)}"] if settled else []
    computed = f"{' and '.join(exact)} exact, all else simulated" if exact else "simulated"
    kinds = texts.kinds_note([m.outputs for m in view.mechanisms]).strip()
    row = figures.row_of_comparison(len(mechanisms))
    reading = (
        f"{texts.describe_metric(metric)} Dots are medians, bands hold the middle half of the "
        f"releases, whiskers are 95% intervals of simulated medians. {texts.ranked(metric)}"
    )
    if metric.sees_order and not metric.is_place:
        reading += " For the number of items right, and for being right as a set, all are ranked "
        reading += "together."
    return Comparison(
        title=titles.most_accurate(known, metric, view.k, view.counts),
        chart=Chart(
            figures.error_comparison(
                known, metric, styles_of(mechanisms, proposed), logarithmic=logarithmic
            ),
            "comparison",
            f"Median {metric.title} of each mechanism, with the middle half of its releases as a "
            "band.",
            replace(origin, computed=computed).read_as(reading),
            height=150 + row * len(mechanisms),
            least=135 + min(row, 30) * len(mechanisms),
            most=150 + row * len(mechanisms),
            finding=finding,
            slide=f"{texts.describe_metric(metric)} {finding} Dots are medians, bands hold the "
            "middle half of the releases.",
        ),
        table=Table(
            _table(errors, seconds, marks, known),
            "mechanisms",
            "Mechanisms side by side",
            summary_origin(view, errors),
            errors.described.assign(
                seconds_a_draw_measured=[seconds.get(m.label, math.nan) for m in mechanisms]
            ),
            {"column_config": {name: {"width": width} for name, width in _WIDTHS.items()}},
        ),
        notes=[
            f"{leaders.ONE} the best in its column; {leaders.AMONG} no other is shown to be "
            "better: equal, less than a millionth apart, or not distinguished by these runs. "
            f"{texts.brackets(view.n)} Items with equal counts are interchangeable.",
            "Milliseconds per draw were measured once on this machine, with "
            f"{results.DRAWS_TIMED} draws at a time; they vary between visits.",
            *filter(None, (_LEAST * (leaders.certain(known) > 1), of_nothing, kinds)),
        ],
        whole=distribution.table_of_runs(errors, origin),
        code=snippets.snippet(view, snippets.errors(view.n, view.seed, metric)),
    )


def below(view: View, comparison: Comparison) -> None:
    """Draw a comparison's notes, tables and code below its figure."""
    reading = comparison.chart.origin.reading
    with show.below(comparison.chart, reading, *comparison.notes, detail=comparison.chart.finding):
        show.table(comparison.table)
        links.mechanisms([mechanism.card for mechanism in view.mechanisms])
    show.table_buttons(comparison.whole)
    show.take_away(comparison.code, comparison.chart.origin)


def _mostly_empty(counts: ItemCounts, errors: Errors) -> list[str]:
    """Return the labels of mechanisms that release nothing in at least half of the runs."""
    trials = errors.trials
    nothing = {
        m.label: USUAL.compute(counts, np.full((1, m.k), NOTHING), m.outputs)[0]
        for m in errors.mechanisms
        if m.outputs.short
    }
    return [
        label
        for label, error in nothing.items()
        if (trials.loc[trials["mechanism"] == label, USUAL.key] == error).mean() >= 0.5
        and not trials.loc[trials["mechanism"] == label, ITEMS_RIGHT.key].median()
    ]


def _table(
    errors: Errors,
    seconds: Mapping[str, float],
    marks: Mapping[str, Mapping[str, str]],
    known: pd.DataFrame,
) -> pd.DataFrame:
    summary = {row["mechanism"]: row for row in tables.error_summary(errors).to_dict("records")}
    rows = {}
    for m in errors.mechanisms:
        row, promised = summary[m.label], m.guarantee
        delta = f"δ = {stated(promised.delta)}" if promised.delta else "no δ"
        rows[m.label] = {
            **{name: row[name] for name in ("mechanism", *marks, "median", "middle half")},
            **{name: f"{of[m.label]} {row[name]}" for name, of in marks.items() if m.label in of},
            "releases": releases(m),
            "guarantee": f"ε = {stated(promised.epsilon)}, {delta}",
            "needs": needs(type(m)),
            "ms a draw, measured": f"{1_000 * seconds[m.label]:.2g}" if m.label in seconds else "–",
        }
    return pd.DataFrame([rows[label] for label in known["mechanism"]])
