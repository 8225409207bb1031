"""Show the distribution of the error over many runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dptopk import figures
from dptopk.core import papers
from dptopk.core.counts import MAX_COUNT
from dptopk.core.errors import METRICS, Law, Metric
from dptopk.core.parameters import Choice, Flag, Number
from dptopk.laws.exact import ErrorLaw
from dptopk.mechanisms import MECHANISMS, ErrorBound
from dptopk.questions import settings
from dptopk.questions.errors import TITLE, errors_of, summary_origin
from dptopk.questions.view import View, styles_of
from dptopk.simulation.quantile_dots import (
    N_DOTS,
    Dots,
    quantile_dots,
    rare_threshold,
    split_at,
)
from dptopk.simulation.summaries import empirical_cdf, histogram
from dptopk.ui import address, results, show
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import all_runs, tables
from dptopk.ui.exhibits.base import (
    Button,
    Caption,
    Chart,
    Code,
    Exhibit,
    Explained,
    FigureButtons,
    FirstScreen,
    Lead,
    Markdown,
    Note,
    Sources,
    Table,
    TableButtons,
    Tile,
    Tiles,
)
from dptopk.ui.findings import alt_text, base, leaders, paper_figures, texts
from dptopk.ui.formats import compact, counted, in_full, joined, share, share_of_runs

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
_FIGURE_2 = next(key for key, metric in METRICS.items() if metric.figure == "Figure 2")
BOUND = Flag("bound", "Proven bound", False)


@dataclass(frozen=True)
class Options:
    """Settings of the page."""

    metric: Metric
    shape: str
    logarithmic: bool
    bounded: bool
    beyond: int | None = None


def question(view: View) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        f"How large is the error of a top {view.k}?",
        f"{view.n:,} runs of each mechanism on {view.source.title}, at "
        f"ε = {compact(view.epsilon)}.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the controls of the page."""
    metric = METRICS[inputs.choice(place, settings.METRIC, look="select")]
    shape = inputs.choice(place, SHAPE)
    logarithmic = inputs.logarithmic_axis(place, metric)
    bounded = inputs.flag(place, _bound_flag())
    if shape != DOTS or not metric.in_counts:
        return Options(metric, shape, logarithmic, bounded)
    beyond = inputs.number(place, BEYOND, width=150)
    return Options(metric, shape, logarithmic, bounded, beyond)


def present(view: View, options: Options) -> list[Exhibit]:
    """Run every chosen mechanism and describe its errors; empty if stopped at once."""
    n_rows = view.n * len(view.mechanisms)
    make = partial(_present, view, options)
    return results.shown("errors shown", view, (options, show.is_narrow()), make, n_rows=n_rows)


def _present(view: View, options: Options) -> list[Exhibit]:
    found = errors_of(view, options.metric.key, results.IN_TURNS)
    mechanisms, metric, laws = found.mechanisms, found.metric, found.laws
    if not mechanisms:
        return []
    bound = bound_of(view, metric) if options.bounded else None
    sets = frozenset(m.label for m in mechanisms if not m.outputs.ordered)
    shape = options.shape == DOTS, options.shape == "cumulative"
    runs = all_runs.of_each(found)
    held = [label for label, one in runs.items() if one.known]
    computed = _computed(laws, held, *shape)
    origin = view.origin(mechanisms, computed, runs=view.n, seed=view.seed)
    dots, threshold = _dots_of(runs, laws, metric, options) if options.shape == DOTS else ({}, None)
    marks = _mark_words(dots, threshold, metric.unit)
    reading = f"{texts.describe_metric(metric)} {marks}".strip()
    tiles = base.medians(found)
    known = leaders.best_known(found)
    drawn = (runs, laws, metric, styles_of(mechanisms), bound, options)
    chart = Chart(
        _SHAPES[options.shape](*drawn),
        "errors",
        f"Distribution of the {metric.title} over {view.n:,} runs of each mechanism "
        f"({SHAPE.options[options.shape]}).",
        origin.read_as(reading),
        height=460,
        least=_least(len(mechanisms), options),
        finding=alt_text.medians(tiles, known, metric),
        slide=_slide_line(tiles, alt_text.best_of(known, metric), metric, marks),
    )
    as_in_paper = metric.key == _FIGURE_2
    return [
        FirstScreen(
            [Tiles(tiles)],
            [Note("" if bound or not options.bounded else _where_bounds_hold()), Lead(chart)],
        ),
        Markdown("" if threshold is None else base.too_wrong(dots, threshold, metric.unit)),
        Caption(
            f"{reading} {_exact_note(laws, held, *shape, view.n)}"
            + (f" {paper_figures.curves(view, metric.key)}" if as_in_paper else "")
        ),
        None if as_in_paper else _measure(),
        Sources([bound.source]) if bound else None,
        FigureButtons(chart),
        Table(
            tables.error_summary(found, sets),
            "error-summary",
            TITLE,
            summary_origin(view, found),
            found.rows,
        ),
        Caption(
            f"{texts.brackets(view.n)} Right means up to ties."
            + texts.kinds_note([m.outputs for m in mechanisms])
        ),
        Explained([mechanism.card for mechanism in view.mechanisms]),
        TableButtons(all_runs.table(found, origin)),
        Code(all_runs.code(view, metric), chart.origin),
    ]


def _measure() -> Button:
    """Return the button that chooses the measure of the paper's figure."""
    paper = papers.GILLENWATER_2022.at("Figure 2")
    return Button(
        f"Use the measure of {paper.place} in {paper.paper.short}: {METRICS[_FIGURE_2].title}",
        "measure-as-in-paper",
        partial(address.choose, settings.METRIC, _FIGURE_2),
    )


def bound_of(view: View, metric: Metric) -> ErrorBound | None:
    """Return the proven error bound of a chosen mechanism for these settings, or None."""
    if metric.law is None:
        return None
    bounds = (m.error_bound(view.counts.d, metric.law) for m in view.mechanisms)
    return next((bound for bound in bounds if bound), None)


def _bound_flag() -> Flag:
    """Return the setting with the statement of every bound in its help."""
    words = (f"{bound.words} Source: {bound.source.link}." for bound in _every_bound())
    return replace(BOUND, help=" ".join(words))


def _every_bound() -> list[ErrorBound]:
    """Return the bounds that featured mechanisms declare at a default setting."""
    featured = [m for m in MECHANISMS.values() if m.card.featured and not m.card.parameters]
    found = [m(k=1, epsilon=1.0).error_bound(2, law) for m in featured for law in Law]
    return [bound for bound in found if bound]


def _where_bounds_hold() -> str:
    words = " ".join(f"{bound.words} ({bound.source.link})" for bound in _every_bound())
    return f"No bound is known for these settings. {words} Choose these settings to see the line."


def _cumulative(runs, laws, metric, styles, bound, options) -> go.Figure:
    """Draw cumulative distributions, empirical and exact."""
    curves = {label: empirical_cdf(each) for label, each in runs.items()}
    return figures.error_cdf(
        {label: (values, shares) for label, (values, (shares, *_)) in curves.items()},
        metric,
        styles,
        exact={label: (law.values, law.cumulative, _words(law)) for label, law in laws.items()},
        words={label: _shares(*shares) for label, (_, shares) in curves.items()},
        bound=bound,
        logarithmic=options.logarithmic,
    )


def _shares(shares: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[str]:
    """Format shares of releases, with intervals where they depend on runs."""
    return [
        share_of_runs(*row) if row[1] < row[2] else f"{share(row[0])}, exact"
        for row in zip(shares, low, high, strict=True)
    ]


def _words(law: ErrorLaw) -> list[str]:
    """Format the cumulative probabilities of a law."""
    within = np.minimum(np.logaddexp.accumulate(law.log_probabilities), 0.0)
    return [in_full(*pair) for pair in zip(within, law.log_beyond, strict=True)]


def _bars(runs, laws, metric, styles, bound, options) -> go.Figure:
    """Draw histograms with common bins."""
    logarithmic = options.logarithmic
    edges, shares = histogram(runs, logarithmic=logarithmic)
    return figures.error_histogram(
        shares, edges, metric, styles, bound=bound, logarithmic=logarithmic
    )


def _dots(runs, laws, metric, styles, bound, options) -> go.Figure:
    """Draw quantile dots, exact where a law is known."""
    dots, threshold = _dots_of(runs, laws, metric, options)
    return figures.error_quantile_dots(
        dots,
        metric,
        styles,
        bound=bound,
        logarithmic=options.logarithmic,
        threshold=threshold,
        narrow=show.is_narrow(),
    )


def _least(n_rows: int, options: Options) -> int:
    """Return the smallest height in pixels at which the figure can be read."""
    if options.shape != DOTS:
        return 256
    return figures.height_of_dots(n_rows) if show.is_narrow() else 110 + 46 * n_rows


def _dots_of(runs, laws, metric, options: Options) -> tuple[dict[str, Dots], int | None]:
    """Return the dots of each mechanism and the error above which a release is too wrong.

    The error is that of the options, else one that few releases of the best mechanism exceed; None
    for a measure that is no count.
    """
    how = {"logarithmic": options.logarithmic, "narrow": show.is_narrow()}
    dots = quantile_dots({label: laws.get(label, each) for label, each in runs.items()}, **how)
    if not metric.in_counts:
        return dots, None
    threshold = rare_threshold(dots) if options.beyond is None else options.beyond
    return split_at(dots, threshold, **how), threshold


_SHAPES: dict[str, Callable[..., go.Figure]] = {
    DOTS: _dots,
    "cumulative": _cumulative,
    "histogram": _bars,
}


def _exact_note(
    laws: Mapping[str, ErrorLaw], held: Sequence[str], dots: bool, cumulative: bool, n: int
) -> str:
    """Describe which parts of the figure are exact.

    ``held`` are the labels of mechanisms whose correct runs are reweighted.
    """
    weigh = " Correct runs are reweighted to their exact probability." if held else ""
    if dots:
        exact = f"Dots of {joined(list(laws))} are exact quantiles; others are" if laws else ""
        return f"{exact or 'Dots are'} quantiles of {n:,} runs.{weigh}"
    if not laws or not cumulative:
        return f"What the figure shows is simulated.{weigh}"
    exact = f"The wide pale curve of {joined(list(laws))} is exact; thin curves are simulated."
    return f"{exact}{weigh}"


def _computed(
    laws: Mapping[str, ErrorLaw], held: Sequence[str], dots: bool, cumulative: bool
) -> str:
    """Describe how the figure was computed."""
    runs = "simulated" + ", correct runs reweighted to their exact probability" * bool(held)
    if laws and dots:
        return f"dots of {joined(list(laws))} are exact quantiles, all others {runs}"
    if laws and cumulative:
        return f"wide pale curves ({joined(list(laws))}) exact, all others {runs}"
    return runs


def _mark_words(dots: Mapping[str, Dots], threshold: float | None, unit: str) -> str:
    """Explain a mark and a hollow mark; empty if no dots are shown."""
    if not dots:
        return ""
    words = f"Each mark is one release in {N_DOTS}"
    if threshold is None:
        return f"{words}."
    if not any(each.beyond(threshold) for each in dots.values()):
        return f"{words}: none has an error above {counted(threshold, unit)}."
    return f"{words}: a hollow one has an error above {counted(threshold, unit)}."


def _slide_line(tiles: Iterable[Tile], best: str, metric: Metric, marks: str) -> str:
    """Describe the measure, the medians, the best of them and the marks for a slide."""
    medians = [f"{tile.label} {tile.value}" for tile in tiles]
    listed = f"Medians: {joined(medians)}." if len(medians) <= _FEW else ""
    return " ".join(filter(None, (texts.describe_metric(metric), listed, best, marks)))
