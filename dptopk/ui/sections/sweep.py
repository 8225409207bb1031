"""Draw the median error of each mechanism against k, epsilon or another parameter."""

from dataclasses import dataclass

import plotly.graph_objects as go

from dptopk import figures
from dptopk.core.errors import Metric
from dptopk.questions.errors import Errors
from dptopk.questions.sweep import (
    SIGNS,
    current,
    mechanisms_at_points,
    sweep_errors,
    sweep_origin,
)
from dptopk.questions.view import View, styles_of
from dptopk.ui import results
from dptopk.ui.formats import compact, plain
from dptopk.ui.sentences import base, texts, titles
from dptopk.ui.show import Chart


@dataclass(frozen=True)
class Swept:
    """Errors at all points: their figure, how to read it, and the values that all run at."""

    title: str
    found: Errors
    chart: Chart
    reading: str
    common: list[float]


def swept(
    view: View,
    metric: Metric,
    over: str,
    values: list[float],
    n: int,
    *,
    logarithmic: bool,
) -> Swept | None:
    """Run every chosen mechanism at every value; return None if stopped at once."""
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
        return None
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
    chart = Chart(
        figure(found),
        "sweep",
        f"Median {metric.title} of each mechanism against {SIGNS[over]}, with the middle half as a "
        "band.",
        sweep_origin(view, found, n).read_as(reading),
        height=500,
        finding=finding,
        slide=f"{measured} {finding} Bands: the middle half of the runs; dotted: {now}",
    )
    times = [sum(getattr(point, over) == value for point in at) for value in values]
    common = [value for value, n in zip(values, times, strict=True) if n == max(times)]
    fixed = (name for name in ("k", "epsilon") if name != over)
    where = ", ".join(f"{SIGNS[name]} = {compact(current(view, name))}" for name in fixed)
    title = titles.over_values(found.summary, over, metric, sets, present, view.counts, where)
    poor = f" Near guessing: {texts.POOR}" if "guessing" in title else ""
    said = f"{reading}{poor} {plain(' '.join(refused), 300)}".strip()
    return Swept(title, found, chart, said, common)
