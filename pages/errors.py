"""Page Errors: the distribution of the error over many runs."""

from dataclasses import replace
from functools import partial

import streamlit as st

from dptopk.core import papers
from dptopk.core.errors import METRICS
from dptopk.questions import settings
from dptopk.ui import address, results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plural
from dptopk.ui.layout import shell
from dptopk.ui.sections import distribution as section
from dptopk.ui.sentences import texts
from dptopk.ui.widgets import links

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    metric = METRICS[inputs.choice(controls, settings.METRIC, look="select")]
    better = "larger" if metric.more_is_better else "smaller"
    screen.ask_first(
        f"How large is the error of a top {view.k}?",
        f"{texts.describe_metric(metric)} {plural(view.n, 'run')} each; {better} is better.",
    )
    shape = inputs.choice(controls, section.SHAPE)
    logarithmic = inputs.logarithmic_axis(controls, metric)
    bounded = inputs.flag(controls, replace(section.BOUND, help=section.bounds_known()))
    marked = shape == section.DOTS and metric.in_counts
    beyond = inputs.number(controls, section.BEYOND, width=150) if marked else None
    show.given(view.counts, view.unit, view.k)
    look = section.Look(metric, shape, logarithmic, bounded, beyond)
    errors = results.shown(
        "errors shown",
        view,
        (look, show.is_narrow()),
        partial(section.distribution, view, look),
        n_rows=view.n * len(view.mechanisms),
    )
    if errors is None:
        show.done()
    screen.lead(errors.finding, errors.chart)
if bounded and not errors.bound:
    show.note(f"No bound is known for these settings. {section.bounds_known()}")
with show.below(errors.chart, errors.caption, detail=errors.too_wrong):
    if metric.key != section.FIGURE_2:
        paper, title = papers.GILLENWATER_2022.at("Figure 2"), METRICS[section.FIGURE_2].title
        label = f"Use the measure of {paper.place} in {paper.paper.short}: {title}"
        act = partial(address.choose, settings.METRIC, section.FIGURE_2)
        show.button(show.Button(label, "measure-as-in-paper", act), type="tertiary")
    if errors.bound:
        links.sources([errors.bound.source])
    show.table(errors.summary)
    st.caption(errors.brackets)
    links.mechanisms([mechanism.card for mechanism in view.mechanisms])
    show.table_buttons(errors.trials)
code = snippets.errors(view.n, view.seed, metric)
show.take_away(snippets.snippet(view, code), errors.chart.origin)
