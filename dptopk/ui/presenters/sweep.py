"""When is which mechanism better?  The median error against k or epsilon."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dptopk import figures, settings
from dptopk.errors import METRICS, Metric
from dptopk.mechanisms import Mechanism
from dptopk.papers import GILLENWATER_2022
from dptopk.parameters import Choice, Number
from dptopk.summaries import summarize
from dptopk.trials import tidy
from dptopk.ui import controls, findings, results, snippets, tables, texts
from dptopk.ui.formats import compact, plain
from dptopk.ui.presenters.errors import for_people, logarithmic_axis
from dptopk.ui.view import View, styles_of
from dptopk.ui.widgets import Chart, Table

GRIDS: dict[str, tuple[str, list[float]]] = {
    "k": ("k", [1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 100]),
    "paper": ("k", list(range(5, 200, 10))),
    "epsilon": ("epsilon", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]),
}
READ = (1, 1.5, 2, 3, 5, 8, 15, 30, 60)  # how many items may be read, in multiples of k
AGAINST = Choice(
    "against",
    "Against",
    {"k": "k to 100", "paper": "k as in the paper", "epsilon": "ε", "k_bar": "items read"},
    "k",
    f"The paper is {GILLENWATER_2022.at('Figure 1').link}: k = 5, 15, …, 195. Items read: "
    "for mechanisms that read the largest counts only.",
)
RUNS_A_POINT = Number("runs_a_point", "Runs at each point", 1, 1_000, 50)


@dataclass(frozen=True)
class Options:
    """What the page itself lets people choose."""

    metric: Metric
    over: str
    values: list[float]
    logarithmic: bool
    n: int


@dataclass(frozen=True)
class Shown:
    """What the page shows."""

    finding: str
    chart: Chart
    caption: str
    brackets: str
    table: Table
    trials: Table
    code: str


def question() -> tuple[str, str]:
    """The question, and how to read the page."""
    return (
        "Which mechanism errs less, at which k and ε?",
        "The median error of many runs, with the band that holds the middle half of them.",
    )


def choose(view: View, place: Any) -> Options:
    """Controls of the page."""
    metric = METRICS[controls.choice(place, settings.METRIC, look="select")]
    reads = any(mechanism.card.takes("k_bar") for mechanism in view.mechanisms)
    allowed = [option for option in AGAINST.options if reads or option != "k_bar"]
    over, values = grid(controls.choice(place, AGAINST, allowed), view.counts.d, view.k)
    logarithmic = logarithmic_axis(place, metric)
    n = controls.steps(place, RUNS_A_POINT, (50, 100, 250, 1_000))
    return Options(metric, over, values, logarithmic, n)


def grid(against: str, d: int, k: int = 1) -> tuple[str, list[float]]:
    """What varies, by its name in `trials.sweep`, and its values within the items."""
    if against == "k_bar":  # all items are as good as any more
        return against, sorted({min(d, round(k * times)) for times in READ})
    over, values = GRIDS[against]
    if over == "k":
        largest = min(d, settings.MAX_K)
        values = [value for value in values if value <= largest] or [1]
        if largest < 15:
            values = list(range(1, largest + 1))
    return over, values


def present(view: View, options: Options) -> Shown | None:
    """Run every chosen mechanism at every value; nothing if stopped at once."""
    over, values, n = options.over, options.values, options.n
    points, refused = _settings(view, over, values)
    summaries: dict[Any, pd.DataFrame] = {}  # each made once, not again with every sketch

    def drawn(done: dict[Any, Any]) -> go.Figure:
        for token, batches in done.items():
            if token not in summaries:
                trials, metric = for_people(tidy(batches), options.metric)
                summaries[token] = summarize(trials, metric.key)
        return _figure(view, options, pd.concat(summaries.values(), ignore_index=True))

    run = results.trials(view.counts, points, n, view.seed, "sweep", drawn)
    if not run.n_done:
        return None
    trials, metric = for_people(run.frame, options.metric)
    summary = summarize(trials, metric.key)
    common = _of_all(points, over, values)
    origin = view.origin(
        points,
        "simulated",
        runs=n,
        runs_are="runs of each mechanism at each point",
        seed=view.seed,
    )
    return Shown(
        finding=findings.reading_finding(summary, metric)
        if over == "k_bar"
        else findings.sweep_finding(summary, over, metric),
        chart=Chart(
            _figure(view, options, summary),
            "sweep",
            f"Median {metric.title} of each mechanism against {over}, with the middle half as a "
            "band.",
            origin,
            height=500,
        ),
        caption=f"{texts.describe_metric(metric)} Bands are the 25th to 75th percentile, the "
        "dotted line is the sidebar's setting. "
        f"{plain(' '.join(refused), 300) if refused else ''}",
        brackets=texts.brackets(n),
        table=Table(
            tables.sweep(summary, over),
            "sweep-medians",
            replace(origin, more=tables.metric_columns(metric)),
            summary,
        ),
        trials=Table(run.frame, "sweep-trials", origin),
        code=snippets.small(
            view.source.python,
            _swept(view, over),
            f"""
trials = sweep(counts, mechanisms, "{over}", {common}, n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(summarize(trials, "{metric.key}")[columns].to_string())
""",
        ),
    )


def _figure(view: View, options: Options, summary: pd.DataFrame) -> go.Figure:
    """Medians with their bands, of all points that are done."""
    return figures.error_sweep(
        summary,
        options.over,
        tables.metric_for_people(options.metric),
        styles_of(view.mechanisms),
        logarithmic=options.logarithmic,
        current=_current(view, options.over),
    )


def _swept(view: View, over: str) -> tuple[Mechanism, ...]:
    """The chosen mechanisms that have what varies."""
    return tuple(mechanism for mechanism in view.mechanisms if hasattr(mechanism, over))


def _current(view: View, over: str) -> float:
    """The sidebar's value of what varies; left to the mechanism, what that takes."""
    if over == "k_bar":
        return float(view.parameters["k_bar"] or 2 * view.k)
    return view.k if over == "k" else view.epsilon


def _of_all(points: list[Mechanism], over: str, values: list[float]) -> list[float]:
    """The values at which every mechanism runs."""
    times = [sum(getattr(point, over) == value for point in points) for value in values]
    return [value for value, n in zip(values, times, strict=True) if n == max(times)]


def _settings(view: View, over: str, values: list[float]) -> tuple[list[Mechanism], list[str]]:
    """Every chosen mechanism at every value, in the order of `trials.sweep`; who is left out."""
    found: list[Mechanism] = []
    refused: dict[str, str] = {}
    for value in values:
        for mechanism in _swept(view, over):
            try:
                changed = mechanism.replaced(**{over: value})
                changed.check(view.counts)
            except ValueError as error:
                refused.setdefault(
                    mechanism.label,
                    f"{mechanism.label} is left out at {over} = {compact(value)}: {error}.",
                )
            else:
                found.append(changed)
    return found, list(refused.values())
