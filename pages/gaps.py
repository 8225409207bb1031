"""How hard is this data set?  The gaps between neighbouring counts."""

import streamlit as st

from dptopk import figures
from dptopk.summaries import count_histogram
from dptopk.ui import findings, shell, show, snippets, tables

MOST_PLACES = 1_000

view = shell.view(mechanisms=False)
counts, k = view.counts, view.k

show.heading(
    "How clearly do the top counts stand apart?",
    "Small gaps are hard: noise of their size swaps neighbours. Ties cost nothing to swap.",
)
largest = min(counts.d - 1, MOST_PLACES)
if largest < 1:
    st.info("There is one item, so there are no gaps.", icon=":material/info:")
    st.stop()
show.tiles(findings.gap_sizes(view))
st.markdown(findings.gap_meaning(view))

left, right = st.columns(2, vertical_alignment="bottom")
shown = largest
if largest > 2:
    shown = left.slider("Places shown", 2, largest, min(largest, max(2 * k, 50)), key="places")
logarithmic = show.logarithmic_choice(right)
gaps = tables.gaps(counts, shown)
show.chart(
    figures.count_gaps(gaps["gap to the next"].to_numpy(), k, logarithmic=logarithmic),
    "gaps",
    f"Gap between each count and the next for the first {shown} places; k = {k} is marked.",
)
st.subheader("How many items have which count", anchor=False)
levels = counts.sorted
show.chart(
    figures.count_histogram(
        *count_histogram(levels.values, levels.multiplicities), int(levels.top(k)[-1]), k
    ),
    "counts",
    f"Number of items by count; the count at k = {k} is marked.",
    height=340,
)
show.table(gaps, "gaps", height=320)
show.code(
    snippets.snippet(
        view,
        f"""
top = counts.sorted.top({shown + 1})
print(top[:-1] - top[1:])
""",
        mechanisms=False,
    )
)
