"""What are we looking at?  The counts, where they come from, and what was done to them."""

import streamlit as st

from dptopk.ui import findings, shell, show, snippets, tables

MOST_ROWS = 1_000

view = shell.view(mechanisms=False)
counts = view.counts

show.heading(f"Which counts are these? {view.source.title}", view.source.description)
show.tiles(findings.size(counts))
if view.source.notes:
    st.subheader("Where they come from, and what was done to them", anchor=False)
    st.text("\n".join(f"• {note}" for note in view.source.notes))
st.subheader("The largest counts", anchor=False)
if counts.d > MOST_ROWS:
    st.caption(f"The first {MOST_ROWS:,} of {counts.d:,}; the download holds all.")
show.table(
    tables.largest(counts, MOST_ROWS),
    "counts",
    data=lambda: tables.largest(counts, counts.d),
    height=420,
)
show.code(snippets.snippet(view, "print(counts.head(10).items)", mechanisms=False))
