"""What can come out, and how likely?  Every output of a small case, exactly."""

import streamlit as st

from dptopk import figures
from dptopk.ui import runs, shell, show, small_cases, snippets

MOST_BARS = 30

view = shell.view()
show.heading(
    "What can come out, and how likely is it?",
    "For few items every possible output is listed with its exact probability.",
)
small_cases.preset_buttons()
case = small_cases.choose(view)
n_draws = st.select_slider(
    "Draws laid over",
    [0, 1_000, 10_000, 100_000],
    10_000,
    key="draws",
    bind="query-params",
    format_func=lambda n: f"{n:,}" if n else "none",
)
mechanisms = tuple(view.mechanism(name, case.k) for name in view.names)
try:
    written = small_cases.write_out(
        case.counts, runs.full_digest(case.counts), mechanisms, n_draws, view.seed
    )
except ValueError as error:
    show.problem("Too many outputs to list", str(error))
    st.stop()

small_cases.headline(written)
shown = slice(0, MOST_BARS)
show.chart(
    figures.output_probabilities(
        written.labels[shown],
        {label: values[shown] for label, values in written.exact.items()},
        {label: tuple(part[shown] for part in parts) for label, parts in written.drawn.items()},
    ),
    "outputs",
    "Exact probability of each output as bars, with the share of the draws and its interval.",
    height=480,
)
if len(written.labels) > MOST_BARS:
    st.caption(f"The {MOST_BARS} likeliest of {len(written.labels):,} outputs; all are below.")
if written.merged:
    st.caption("Items with equal counts are merged: they are interchangeable.")
show.table(
    written.frame(),
    "outputs",
    height=320,
    column_config={
        label: st.column_config.NumberColumn(format="%.6f") for label in written.frame().columns[1:]
    },
)
if written.fits:
    st.subheader("Do the samplers follow the exact probabilities?", anchor=False)
    show.table(written.fit_frame(), "fit")
    st.caption(small_cases.FIT_WORDS)
show.code(
    snippets.small(
        case.python,
        mechanisms,
        """
for mechanism in mechanisms:
    print(mechanism.label)
    print(OUTPUTS(mechanism, counts).to_frame().to_string(max_rows=20))
""".replace("OUTPUTS", "merged_output_distribution" if written.merged else "output_distribution"),
    )
)
