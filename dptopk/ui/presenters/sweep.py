"""Plot the median error of each mechanism against k or epsilon."""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dptopk import figures
from dptopk.core.errors import METRICS, Metric
from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.errors import Errors, as_simulated
from dptopk.questions.sweep import (
    SIGNS,
    grid,
    having_parameter,
    mechanisms_at_points,
    summary_origin,
    sweep_errors,
    sweep_origin,
    title,
)
from dptopk.questions.view import View, styles_of
from dptopk.ui import results
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import snippets, tables
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Table,
    TableButtons,
)
from dptopk.ui.findings import base, paper_figures, texts
from dptopk.ui.formats import compact, plain
from dptopk.ui.presenters.errors import logarithmic_axis


@dataclass(frozen=True)
class Options:
    """Settings of the page."""

    metric: Metric
    over: str
    values: list[float]
    logarithmic: bool
    n: int


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "Which mechanism has the smallest error at each k and ε?",
        "The median error of many runs, with a band for the middle half of them.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the controls of the page."""
    metric = METRICS[inputs.choice(place, settings.METRIC, look="select")]
    reads = any(mechanism.card.takes("k_bar") for mechanism in view.mechanisms)
    allowed = [option for option in settings.AGAINST.options if reads or option != "k_bar"]
    against = inputs.choice(place, settings.AGAINST, allowed)
    over, values = grid(against, view.counts.d, view.k)
    logarithmic = logarithmic_axis(place, metric)
    n = inputs.steps(place, settings.RUNS_A_POINT, (50, 100, 250, 1_000))
    return Options(metric, over, values, logarithmic, n)


def present(view: View, options: Options, name: str = "sweep") -> list[Exhibit]:
    """Run every chosen mechanism at every value; return an empty list if stopped at once.

    ``name`` tells this run, with its progress bar and Stop, from others of the page.
    """
    over, values, n = options.over, options.values, options.n
    at, refused = mechanisms_at_points(view, over, values)

    def drawn(so_far: Errors) -> go.Figure:
        return _figure(view, options, so_far)

    found = sweep_errors(
        view.counts,
        at,
        options.metric.key,
        n,
        view.seed,
        unit=view.unit,
        runner=results.IN_TURNS,
        sketch=drawn,
        name=name,
    )
    if not found.mechanisms:
        return []
    metric, summary = found.metric, found.summary
    finding = (
        base.reading_finding(summary, metric)
        if over == "k_bar"
        else base.sweep_finding(summary, over, metric, _sets(at))
    )
    common = _of_all(at, over, values)
    origin = sweep_origin(view, found, n)
    reading = (
        f"{texts.describe_metric(metric)} Bands are the 25th to 75th percentile, the dotted line "
        f"is the current {SIGNS[over]} = {compact(_current(view, over))}.{_kinds(at, metric)}"
    )
    left_out = [plain(" ".join(refused), 300)] if refused else []
    chart = Chart(
        _figure(view, options, found),
        "sweep",
        f"Median {metric.title} of each mechanism against {SIGNS[over]}, with the middle half as a "
        "band.",
        origin.read_as(reading),
        height=500,
        finding=finding,
        slide=f"{texts.describe_metric(metric)} {finding} Bands: the middle half of the runs; "
        f"dotted: {SIGNS[over]} = {compact(_current(view, over))}.",
    )
    caption = (reading, *left_out, paper_figures.curves(view, metric.key))
    trials = Table(found.trials, "sweep-trials", "All runs of every point, one per row", origin)
    code = f"""
settings = at_points(mechanisms, "{over}", {common})
found = sweep_errors(counts, settings, "{metric.key}", n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(found.summary[[*columns, "median_exact"]].to_string())
"""
    return [
        FirstScreen([Header(finding)], [Lead(chart)]),
        Caption(" ".join(filter(None, caption))),
        FigureButtons(chart),
        Table(
            tables.sweep(summary, over, metric),
            "sweep-medians",
            title(over),
            summary_origin(view, found, n),
            as_simulated(summary),
        ),
        Caption(texts.brackets(n)),
        TableButtons(trials),
        Code(snippets.small(view.source.python, having_parameter(view, over), code), chart.origin),
    ]


def _figure(view: View, options: Options, found: Errors) -> go.Figure:
    """Draw medians with their bands at all points computed so far."""
    return figures.error_sweep(
        found.summary,
        options.over,
        found.metric,
        styles_of(found.mechanisms),  # a label may say what differs from point to point
        logarithmic=options.logarithmic,
        current=_current(view, options.over),
    )


def _sets(at: list[Mechanism]) -> set[str]:
    """Return the labels of mechanisms that release sets."""
    return {mechanism.label for mechanism in at if not mechanism.outputs.ordered}


def _kinds(at: list[Mechanism], metric: Metric) -> str:
    """Explain how sequences and sets are measured and ranked; empty for one kind."""
    kinds = [mechanism.outputs for mechanism in at]
    both = len({kind.ordered for kind in kinds}) > 1
    return texts.kinds_note(kinds) + (f" {texts.ranked(metric)}" if both else "")


def _current(view: View, over: str) -> float:
    """Return the sidebar's value of the parameter that varies, or the mechanism's default."""
    if over == "k_bar":
        return float(view.parameters["k_bar"] or 2 * view.k)
    return view.k if over == "k" else view.epsilon


def _of_all(points: list[Mechanism], over: str, values: list[float]) -> list[float]:
    """Return the values at which every mechanism runs."""
    times = [sum(getattr(point, over) == value for point in points) for value in values]
    return [value for value, n in zip(values, times, strict=True) if n == max(times)]
