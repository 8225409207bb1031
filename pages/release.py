"""What comes out?  The true top k beside one release of each mechanism."""

import streamlit as st

from dptopk import figures
from dptopk.errors import METRICS, count_given_up, placements
from dptopk.trials import release
from dptopk.ui import controls, findings, shell, show, snippets, tables, texts

view = shell.view()
counts, k = view.counts, view.k

show.heading(
    f"What comes out as the top {k}?",
    "The true answer beside one release of each mechanism. Draw again to see how much it varies.",
)
st.button(
    "Draw again",
    type="primary",
    icon=":material/casino:",
    key="draw",
    on_click=controls.draw_again,
    shortcut="d",
    help="The seed advances by one; the same seed always gives the same draw.",
)
size = findings.plural(counts.d, "item")
st.caption(f"Seed {view.seed} · {view.source.title} · {size} · ε = {view.epsilon:g}")

samples = {m.label: release(counts, m, view.seed) for m in view.mechanisms}
marks = {label: placements(counts, sample[None])[0] for label, sample in samples.items()}
given_up = {label: count_given_up(counts, sample[None])[0] for label, sample in samples.items()}

show.tiles(findings.right_places(label, mark) for label, mark in marks.items())
show.table(
    tables.tinted(tables.released(counts, samples, marks, given_up), list(samples)),
    "release",
    data=tables.release_long(counts, samples, marks, given_up),
    height="content",
    column_config=tables.released_widths(samples),
)
st.caption(
    "✓ right: an item with the count that belongs at this place · ↕ moved: it belongs elsewhere "
    "in the top k · ✗ foreign: not in the top k. In brackets the count given up: the true count "
    "at the place minus the released item's, in users. Items with equal counts are "
    "interchangeable."
)
show.chart(
    figures.given_up_by_place(given_up),
    "given-up",
    "Count given up at each place of this release, one line for each mechanism.",
    height=340,
)

st.subheader("Errors of this release", anchor=False)
errors = {
    label: {key: int(metric.compute(counts, sample[None])[0]) for key, metric in METRICS.items()}
    for label, sample in samples.items()
}
show.table(tables.release_errors(errors), "release-errors")

st.subheader("What is promised", anchor=False)
for mechanism in view.mechanisms:
    st.markdown(
        f"{texts.MECHANISMS[mechanism.name]} It is "
        f"**{texts.kind_of(mechanism.guarantee)}**: {mechanism.guarantee.statement}"
    )
if view.source.assumed:
    st.caption(
        "That one user counts at most once for each item is an assumption on these data: see Data."
    )
st.caption(texts.EXPLORATION)
show.code(
    snippets.snippet(
        view,
        f"""
for mechanism in mechanisms:
    released = release(counts, mechanism, seed={view.seed})
    print(mechanism.label, [counts.items[position] for position in released])
    print(count_given_up(counts, released[None])[0])
""",
    )
)
