"""When is which mechanism better?  The median error against k or epsilon."""

import streamlit as st

from dptopk import figures
from dptopk.summaries import summarize
from dptopk.ui import error_charts, findings, runs, shell, show, snippets, sweeps, tables

view = shell.view()
counts = view.counts

show.heading(
    "Which mechanism errs less, at which k and ε?",
    "The median error of many runs, with the band that holds the middle half of them.",
)
left, right = st.columns(2, vertical_alignment="bottom")
metric = show.metric_choice(left)
over, values = sweeps.grid_choice(right, counts.d)
left, right = st.columns(2, vertical_alignment="bottom")
logarithmic = show.logarithmic_choice(left, metric)
n = right.select_slider(
    "Runs at each point", [50, 100, 250, 1000], 50, key="runs_a_point", bind="query-params"
)

result = runs.trials(counts, sweeps.settings(view, over, values), n, view.seed, "sweep")
if not result.n_done:
    st.stop()
trials, metric = error_charts.for_people(result.frame, metric)
summary = summarize(trials, metric.key)
st.markdown(f"#### {findings.sweep_finding(summary, over, metric)}")
show.chart(
    figures.error_sweep(
        summary,
        over,
        metric,
        logarithmic=logarithmic,
        current=view.k if over == "k" else view.epsilon,
    ),
    "sweep",
    f"Median {metric.title} of each mechanism against {over}, with the middle half as a band.",
    height=500,
)
fixed = f"ε = {view.epsilon:g}" if over == "k" else f"k = {view.k}"
st.caption(
    f"{view.source.title}, {fixed}. {tables.describe_metric(metric)} Simulated, {n:,} runs a "
    "point; bands are the 25th to 75th percentile, the dotted line is the sidebar's setting."
)
show.table(tables.sweep(summary, over), "sweep", data=summary)
show.csv_button(result.frame, "sweep-trials", "All runs as CSV")
show.code(
    snippets.snippet(
        view,
        f"""
trials = sweep(counts, mechanisms, "{over}", {values}, n={n}, seed={view.seed})
columns = ["mechanism", "{over}", "q25", "median", "q75", "median_low", "median_high"]
print(summarize(trials, "{metric.key}")[columns].to_string())
""",
    )
)
