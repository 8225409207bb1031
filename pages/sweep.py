"""Page k and ε: the median error of each mechanism against k, ε or another parameter."""

from functools import partial

import streamlit as st

from dptopk import figures
from dptopk.core.errors import METRICS
from dptopk.questions import settings, sweep as question
from dptopk.questions.errors import as_simulated
from dptopk.questions.sweep import SIGNS
from dptopk.questions.view import styles_of
from dptopk.ui import results, show, snippets, tables
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, plain, plural
from dptopk.ui.layout import shell
from dptopk.ui.sections.distribution import in_papers
from dptopk.ui.sentences import base, texts, titles

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    metric = METRICS[inputs.choice(controls, settings.METRIC, look="select")]
    reads = any(mechanism.card.takes("k_bar") for mechanism in view.mechanisms)
    allowed = [option for option in settings.AGAINST.options if reads or option != "k_bar"]
    against = inputs.choice(controls, settings.AGAINST, allowed)
    logarithmic = inputs.logarithmic_axis(controls, metric)
    n = inputs.steps(controls, settings.RUNS_A_POINT, (50, 100, 250, 1_000))
    screen.ask_first(
        "Which mechanism errs least as k or ε changes?",
        f"{texts.describe_metric(metric)} Lines are medians of {plural(n, 'run')}, bands their "
        "middle half.",
    )
    show.given(view.counts, view.unit, view.k)
    over, values = question.points(view, against)
    at, refused = question.mechanisms_at_points(view, over, values)
    present = question.current(view, over)
    drawn = partial(figures.error_sweep, over=over, logarithmic=logarithmic, current=present)
    errors = question.sweep_errors(
        view.counts,
        at,
        metric.key,
        n,
        view.seed,
        unit=view.unit,
        runner=results.IN_TURNS,
        sketch=lambda so_far: drawn(
            so_far.summary, metric=so_far.metric, styles=styles_of(so_far.mechanisms)
        ),
    )
    if not errors.mechanisms:
        show.done()
    metric, sets = errors.metric, {m.label for m in at if not m.outputs.ordered}
    finding = (
        base.reading_finding(errors.summary, metric)
        if over == "k_bar"
        else base.sweep_finding(errors.summary, over, metric, sets)
    )
    measured, now = texts.describe_metric(metric), f"{SIGNS[over]} = {compact(present)}."
    kinds = [mechanism.outputs for mechanism in at]
    several = len({kind.ordered for kind in kinds}) > 1
    reading = (
        f"{measured} Bands are the 25th to 75th percentile, the dotted line is the current {now}"
        f"{texts.kinds_note(kinds)}{f' {texts.ranked(metric)}' if several else ''}"
    )
    of_trials = question.sweep_origin(view, errors, n)
    styles = styles_of(errors.mechanisms)  # a label may say what differs from point to point
    chart = show.Chart(
        drawn(errors.summary, metric=metric, styles=styles),
        "sweep",
        f"Median {metric.title} of each mechanism against {SIGNS[over]}, with the middle half as a "
        "band.",
        of_trials.read_as(reading),
        height=500,
        finding=finding,
        slide=f"{measured} {finding} Bands: the middle half of the runs; dotted: {now}",
    )
    fixed = (name for name in ("k", "epsilon") if name != over)
    where = ", ".join(f"{SIGNS[name]} = {compact(question.current(view, name))}" for name in fixed)
    led = titles.over_values(errors.summary, over, metric, sets, present, view.counts, where)
    screen.lead(led, chart)
poor = f" Near guessing: {texts.POOR}" if "guessing" in led else ""
words = f"{reading}{poor} {plain(' '.join(refused), 300)}".strip()
with show.below(chart, f"{words} {in_papers(metric.key)}".strip(), detail=finding):
    medians, numbers = tables.sweep(errors.summary, over, metric), as_simulated(errors.summary)
    origin = question.summary_origin(view, errors, n)
    show.table(show.Table(medians, "sweep-medians", question.title(over), origin, numbers))
    st.caption(texts.brackets(n))
    every = "All runs of every point, one per row"
    show.table_buttons(show.Table(errors.trials, "sweep-trials", every, of_trials))
times = [sum(getattr(point, over) == value for point in at) for value in values]
common = [value for value, of in zip(values, times, strict=True) if of == max(times)]
code = f"""
settings = at_points(mechanisms, "{over}", {common})
found = sweep_errors(counts, settings, "{metric.key}", n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(found.summary[[*columns, "median_exact"]].to_string())
"""
swept = question.having_parameter(view, over)
show.take_away(snippets.small(view.source.python, swept, code), chart.origin)
