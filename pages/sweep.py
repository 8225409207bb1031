"""Page k and ε: the median error of each mechanism against k or epsilon."""

import streamlit as st

from dptopk.core.errors import METRICS
from dptopk.questions import settings
from dptopk.questions.errors import as_simulated
from dptopk.questions.sweep import having_parameter, points, summary_origin, sweep_origin, title
from dptopk.ui import show, snippets, tables
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plural
from dptopk.ui.layout import shell
from dptopk.ui.sections.distribution import in_papers
from dptopk.ui.sections.sweep import swept
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    metric = METRICS[inputs.choice(controls, settings.METRIC, look="select")]
    reads = any(mechanism.card.takes("k_bar") for mechanism in view.mechanisms)
    allowed = [option for option in settings.AGAINST.options if reads or option != "k_bar"]
    over, values = points(view, inputs.choice(controls, settings.AGAINST, allowed))
    logarithmic = inputs.logarithmic_axis(controls, metric)
    n = inputs.steps(controls, settings.RUNS_A_POINT, (50, 100, 250, 1_000))
    screen.ask_first(
        "Which mechanism errs least as k or ε changes?",
        f"{texts.describe_metric(metric)} Lines are medians of {plural(n, 'run')}, bands their "
        "middle half.",
    )
    show.given(view.counts, view.unit, view.k)
    shown = swept(view, metric, over, values, n, logarithmic=logarithmic)
    if shown is None:
        show.done()
    found, chart = shown.found, shown.chart
    screen.title(shown.title)
    show.lead(chart)
reading = f"{shown.reading} {in_papers(metric.key)}".strip()
with show.below(chart, reading, found=chart.finding):
    medians, numbers = tables.sweep(found.summary, over, found.metric), as_simulated(found.summary)
    of_medians, of_trials = summary_origin(view, found, n), sweep_origin(view, found, n)
    show.table(show.Table(medians, "sweep-medians", title(over), of_medians, numbers))
    st.caption(texts.brackets(n))
    every = "All runs of every point, one per row"
    show.table_buttons(show.Table(found.trials, "sweep-trials", every, of_trials))
code = f"""
settings = at_points(mechanisms, "{over}", {shown.common})
found = sweep_errors(counts, settings, "{metric.key}", n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(found.summary[[*columns, "median_exact"]].to_string())
"""
show.take_away(snippets.small(view.source.python, having_parameter(view, over), code), chart.origin)
