"""How wrong is it, usually?  The distribution of the error over many runs."""

import streamlit as st

from dptopk.summaries import summarize
from dptopk.ui import error_charts, runs, shell, show, snippets, tables

view = shell.view()
counts, k = view.counts, view.k

show.heading(
    f"How wrong is a top {k}, usually?",
    f"{view.n:,} runs of each mechanism on {view.source.title}, at ε = {view.epsilon:g}.",
)
left, right = st.columns(2, vertical_alignment="bottom")
metric = show.metric_choice(left)
shape = right.segmented_control(
    "Shape",
    list(error_charts.SHAPES),
    default="cumulative",
    required=True,
    key="shape",
    bind="query-params",
)
left, right = st.columns(2)
logarithmic = show.logarithmic_choice(left, metric)
bounded = right.toggle(
    "Bound of Theorem 3.3",
    False,
    key="bound",
    bind="query-params",
    help="Joint's signed maximum error is at most 2 (k ln d + 5) / ε with probability at least "
    "0.99, when one user joins or leaves.",
)

result = runs.trials(counts, view.mechanisms, view.n, view.seed, "errors")
if not result.n_done:
    st.stop()
trials, metric = error_charts.for_people(result.frame, metric)
summary = summarize(trials, metric.key)
laws = runs.exact_laws(counts, view.mechanisms, metric.key)
show.median_tiles(summary, laws, metric)
bound = error_charts.bound(view, metric) if bounded else None
if bounded and bound is None:
    st.info(
        "The bound speaks of Joint's signed maximum error when one user joins or leaves: choose "
        "these to see its line.",
        icon=":material/info:",
    )
show.chart(
    error_charts.SHAPES[shape](trials, laws, metric, bound, logarithmic),
    "errors",
    f"Distribution of the {metric.title} over {view.n:,} runs of each mechanism ({shape}).",
    height=460,
)
st.caption(tables.describe_metric(metric) + error_charts.exact_note(laws, shape))
shares = runs.exact_shares(counts, view.mechanisms)
show.table(tables.error_summary(summary, laws, shares), "error-summary", data=summary)
st.caption(
    f"Brackets are 95 % intervals of numbers simulated with n = {view.n:,}; numbers called exact "
    "are computed, not simulated. Right means up to ties."
)
show.csv_button(result.frame, "trials", "All runs as CSV")
show.code(
    snippets.snippet(
        view,
        f"""
trials = run_trials(counts, mechanisms, n={view.n}, seed={view.seed})
print(summarize(trials, "{metric.key}").T.to_string())
""",
    )
)
