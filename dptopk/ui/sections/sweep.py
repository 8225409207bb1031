"""Draw the median error of each mechanism against k, epsilon or another parameter."""

import plotly.graph_objects as go
import streamlit as st

from dptopk import figures
from dptopk.core.errors import Metric
from dptopk.questions.errors import Errors, as_simulated
from dptopk.questions.sweep import (
    SIGNS,
    current,
    having_parameter,
    mechanisms_at_points,
    points,
    summary_origin,
    sweep_errors,
    sweep_origin,
    title,
)
from dptopk.questions.view import View, styles_of
from dptopk.ui import results, show, snippets, tables
from dptopk.ui.formats import compact, plain
from dptopk.ui.sections.distribution import in_papers
from dptopk.ui.sentences import base, texts, titles
from dptopk.ui.show import Chart, Table


def draw(
    view: View, screen: show.Screen, metric: Metric, against: str, n: int, *, logarithmic: bool
) -> None:
    """Run every chosen mechanism at every value, and draw the errors at all of them."""
    over, values = points(view, against)
    at, refused = mechanisms_at_points(view, over, values)
    present = current(view, over)

    def figure(so_far: Errors) -> go.Figure:
        return figures.error_sweep(
            so_far.summary,
            over,
            so_far.metric,
            styles_of(so_far.mechanisms),  # a label may say what differs from point to point
            logarithmic=logarithmic,
            current=present,
        )

    with screen.place:
        found = sweep_errors(
            view.counts,
            at,
            metric.key,
            n,
            view.seed,
            unit=view.unit,
            runner=results.IN_TURNS,
            sketch=figure,
        )
    if not found.mechanisms:
        show.done()
    metric, sets = found.metric, {m.label for m in at if not m.outputs.ordered}
    finding = (
        base.reading_finding(found.summary, metric)
        if over == "k_bar"
        else base.sweep_finding(found.summary, over, metric, sets)
    )
    measured, now = texts.describe_metric(metric), f"{SIGNS[over]} = {compact(present)}."
    kinds = [mechanism.outputs for mechanism in at]
    several = len({kind.ordered for kind in kinds}) > 1
    reading = (
        f"{measured} Bands are the 25th to 75th percentile, the dotted line is the current {now}"
        f"{texts.kinds_note(kinds)}{f' {texts.ranked(metric)}' if several else ''}"
    )
    of_trials = sweep_origin(view, found, n)
    chart = Chart(
        figure(found),
        "sweep",
        f"Median {metric.title} of each mechanism against {SIGNS[over]}, with the middle half as a "
        "band.",
        of_trials.read_as(reading),
        height=500,
        finding=finding,
        slide=f"{measured} {finding} Bands: the middle half of the runs; dotted: {now}",
    )
    fixed = (name for name in ("k", "epsilon") if name != over)
    where = ", ".join(f"{SIGNS[name]} = {compact(current(view, name))}" for name in fixed)
    led = titles.over_values(found.summary, over, metric, sets, present, view.counts, where)
    screen.title(led)
    with screen.place:
        show.lead(chart)
    poor = f" Near guessing: {texts.POOR}" if "guessing" in led else ""
    said = f"{reading}{poor} {plain(' '.join(refused), 300)}".strip()
    with show.below(chart, f"{said} {in_papers(metric.key)}".strip(), found=finding):
        medians, numbers = tables.sweep(found.summary, over, metric), as_simulated(found.summary)
        of_medians = summary_origin(view, found, n)
        show.table(Table(medians, "sweep-medians", title(over), of_medians, numbers))
        st.caption(texts.brackets(n))
        every = "All runs of every point, one per row"
        show.table_buttons(Table(found.trials, "sweep-trials", every, of_trials))
    times = [sum(getattr(point, over) == value for point in at) for value in values]
    common = [value for value, of in zip(values, times, strict=True) if of == max(times)]
    code = f"""
settings = at_points(mechanisms, "{over}", {common})
found = sweep_errors(counts, settings, "{metric.key}", n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(found.summary[[*columns, "median_exact"]].to_string())
"""
    mechanisms = having_parameter(view, over)
    show.take_away(snippets.small(view.source.python, mechanisms, code), chart.origin)
