"""Describe the distribution of the error of each mechanism over many runs."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk import figures
from dptopk.core.counts import MAX_COUNT
from dptopk.core.errors import METRICS, Law, Metric
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.parameters import Choice, Flag, Number
from dptopk.mechanisms import MECHANISMS, ErrorBound
from dptopk.questions.errors import PLACES_IN_FILES, TITLE, Errors, errors_of, summary_origin
from dptopk.questions.origin import Origin
from dptopk.questions.paper_figures import FIGURES
from dptopk.questions.view import View, styles_of
from dptopk.simulation.post_stratified import Right, run_weights, weighted
from dptopk.simulation.quantile_dots import (
    N_DOTS,
    RARE,
    Dots,
    quantile_dots,
    rare_threshold,
    split_at,
)
from dptopk.simulation.summaries import empirical_cdf, histogram
from dptopk.ui import results, show, tables
from dptopk.ui.formats import counted, in_full, joined
from dptopk.ui.sentences import alt_text, base, leaders, texts, titles
from dptopk.ui.show import Chart, Table

DOTS = "dots"
_FEW = 6  # medians that a slide has room for
SHAPE = Choice(
    "shape",
    "Shape",
    {DOTS: f"{N_DOTS} dots", "cumulative": "cumulative", "histogram": "histogram"},
    DOTS,
    "Dots are easiest to read: each stands for the same number of releases.",
)
BEYOND = Number(
    "beyond",
    "Mark errors above",
    0,
    MAX_COUNT - 1,  # the largest number that browsers count to
    None,
    help=(
        "In the unit of the axis. Dots above it are hollow and counted. If empty, it is a value "
        "that few releases of the best mechanism exceed."
    ),
)
FIGURE_2 = FIGURES["2"].picture.settings["metric"]
BOUND = Flag("bound", "Proven bound", False)


@dataclass(frozen=True)
class Look:
    """Choices of how the distribution is drawn; errors above ``beyond`` are marked."""

    metric: Metric
    shape: str
    logarithmic: bool
    bounded: bool
    beyond: int | None = None


@dataclass(frozen=True)
class Distribution:
    """Figure, numbers and sentences of one look, which sessions share for bundled data."""

    finding: str
    chart: Chart
    bound: ErrorBound | None
    too_wrong: str
    caption: str
    summary: Table
    brackets: str
    trials: Table


def distribution(view: View, look: Look) -> Distribution | None:
    """Run every chosen mechanism and describe its errors; return None if stopped at once."""
    errors = errors_of(view, look.metric.key, results.IN_TURNS)
    mechanisms, metric, laws = errors.mechanisms, errors.metric, errors.laws
    if not mechanisms:
        return None
    bound = None
    if look.bounded and metric.law is not None:
        bounds = (m.error_bound(view.counts.d, metric.law) for m in view.mechanisms)
        bound = next(filter(None, bounds), None)
    sets = frozenset(m.label for m in mechanisms if not m.outputs.ordered)
    summary = tables.error_summary(errors)
    runs = {
        str(label): weighted(rows[metric.key].to_numpy(), *_right(rows, errors))
        for label, rows in errors.trials.groupby("mechanism", sort=False)
    }
    reweighted = any(one.known for one in runs.values())
    computed = "simulated" + ", correct runs reweighted to their exact probability" * reweighted
    if laws and look.shape != "histogram":
        parts = "dots" if look.shape == DOTS else "wide pale curves"
        computed = f"{parts} of {joined(list(laws))} are exact, all others {computed}"
    origin = view.origin(mechanisms, computed, runs=view.n, seed=view.seed)
    dots, threshold, marks = _dots_of(runs, laws, metric, look)
    if show.is_narrow() and not metric.is_place:  # below the first rows are out of sight
        worse = -1 if metric.more_is_better else 1
        apart = sets if metric.sees_order else ()
        best_first = sorted(dots, key=lambda m: (m in apart, worse * np.median(dots[m].values)))
        dots = {label: dots[label] for label in best_first}
    reading = f"{texts.describe_metric(metric)} {marks}".strip()
    tiles = base.medians(errors)
    known = leaders.best_known(errors)
    in_rows = {
        tile.label: [f"median <b>{tile.value}</b>", tile.kind.removeprefix("median, ")]
        for tile in tiles
    }
    drawn = (metric, styles_of(mechanisms), bound, look, dots, threshold, in_rows)
    best = alt_text.best_of(known, metric)
    few = len(tiles) <= _FEW and not marks  # rows of marks have their medians beside them
    listed = f"Medians: {joined([f'{tile.label} {tile.value}' for tile in tiles])}." if few else ""
    in_figures = in_papers(metric.key) if metric.key == FIGURE_2 else ""
    exact = f"{marks} {computed[0].upper()}{computed[1:]}. {in_figures}"
    return Distribution(
        titles.typical_error(known, metric, view.k, view.counts),
        Chart(
            _figure(runs, laws, *drawn),
            "errors",
            f"Distribution of the {metric.title} over {view.n:,} runs of each mechanism "
            f"({SHAPE.options[look.shape]}).",
            origin.read_as(reading),
            height=460,
            least=figures.height_of_dots(len(mechanisms), show.is_narrow()) if dots else 256,
            finding=f"{alt_text.numbers(tiles)} {best}".strip(),
            slide=" ".join(filter(None, (texts.describe_metric(metric), listed, best, marks))),
        ),
        bound,
        "" if threshold is None else base.too_wrong(dots, threshold, metric.unit),
        exact.strip(),
        Table(summary, "error-summary", TITLE, summary_origin(view, errors), errors.rows),
        f"{texts.brackets(view.n)} Right means up to ties."
        + texts.kinds_note([m.outputs for m in mechanisms]),
        table_of_runs(errors, origin),
    )


def bounds_known() -> str:
    """State every bound that featured mechanisms declare at a default setting, and its measure."""
    featured = [m for m in MECHANISMS.values() if m.card.featured and not m.card.parameters]
    bounds = [m(k=1, epsilon=1.0).error_bound(2, law) for m in featured for law in Law]
    return " ".join(
        f"The line is drawn for the measure {METRICS[bound.metric].title}: {bound.words} "
        f"({bound.source.link})"
        for bound in bounds
        if bound
    )


def _figure(runs, laws, metric, styles, bound, look, dots, threshold, in_rows) -> go.Figure:
    """Draw the distributions in the shape of the look, exact where a law is known."""
    how = {"bound": bound, "logarithmic": look.logarithmic}
    if look.shape == DOTS:
        worst = f"the worst {RARE / N_DOTS:.0%} of the best mechanism"
        why = worst if look.beyond is None else ""
        more = {"threshold": threshold, "narrow": show.is_narrow(), "words": in_rows, "why": why}
        return figures.error_quantile_dots(dots, metric, styles, **how, **more)
    if look.shape == "histogram":
        edges, bars = histogram(runs, logarithmic=look.logarithmic)
        return figures.error_histogram(bars, edges, metric, styles, **how)
    curves, words, exact = {}, {}, {}
    for label, each in runs.items():
        values, shares = empirical_cdf(each)
        curves[label] = values, shares[0]
        of_runs = Estimate.of_arrays(shares, each.n or 1, PROBABILITY)
        words[label] = [f"{one.brief}, exact" if one.exact else one.text for one in of_runs]
    for label, law in laws.items():
        within = np.minimum(np.logaddexp.accumulate(law.log_probabilities), 0.0)
        sentences = [in_full(*pair) for pair in zip(within, law.log_beyond, strict=True)]
        exact[label] = law.values, law.cumulative, sentences
    return figures.error_cdf(curves, metric, styles, exact=exact, words=words, **how)


def _dots_of(runs, laws, metric, look: Look) -> tuple[dict[str, Dots], int | None, str]:
    """Return the dots of each mechanism, the error above which a release is too wrong, and words.

    The error is that of the look, else one that few releases of the best mechanism exceed; None
    for a measure that is no count.
    """
    if look.shape != DOTS:
        return {}, None, ""
    how = {"logarithmic": look.logarithmic, "narrow": show.is_narrow()}
    dots = quantile_dots({label: laws.get(label, each) for label, each in runs.items()}, **how)
    words = f"Each mark is one release in {N_DOTS}"
    if not metric.in_counts:
        return dots, None, f"{words}."
    threshold = rare_threshold(dots) if look.beyond is None else look.beyond
    dots = split_at(dots, threshold, **how)
    which = "a hollow one" if any(each.beyond(threshold) for each in dots.values()) else "none"
    above = counted(threshold, metric.unit)
    return dots, threshold, f"{words}: {which} has an error above {above}."


def in_papers(measure: str) -> str:
    """Return a sentence on the papers' figures of a measure against k, with links; else empty."""
    papers = [
        f"{figure.source.link} ([drawn again at its settings](papers?figure={key}))"
        for key, figure in FIGURES.items()
        if any(panel.settings.get("metric") == measure for panel in figure.panels)
    ]
    return f"In the papers: {'; '.join(papers)}." if papers else ""


def table_of_runs(errors: Errors, origin: Origin) -> Table:
    """Return a table of all runs with their weights for a metric."""
    trials = errors.trials

    def whole() -> pd.DataFrame:
        groups = [rows for _, rows in trials.groupby("mechanism", sort=False)]
        weights = [pd.Series(run_weights(*_right(rows, errors)), rows.index) for rows in groups]
        return trials.assign(weight=pd.concat(weights))

    weight = f"weight of a run as a share of all releases by {errors.metric.title}: correct runs "
    weight += "are reweighted to their exact probability where it is known"
    more = PLACES_IN_FILES | {"weight_is": weight}
    origin = replace(origin, computed="simulated", more=more)
    return Table(trials, "trials", "All runs, one per row", origin, whole)


def _right(rows: pd.DataFrame, errors: Errors) -> tuple[np.ndarray, Right | None]:
    """Return which runs are right, as far as that fixes their error, and their known chance."""
    label = rows["mechanism"].iloc[0]
    known = next((one for m, one in errors.right.items() if m.label == label), None)
    return rows[known.column if known else "exact_sequence"].to_numpy(dtype=bool), known
