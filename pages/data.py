"""Page Data: the counts, their source and how they were read."""

from functools import partial

import streamlit as st

from dptopk import figures
from dptopk.questions.origin import TRUE_COUNTS
from dptopk.ui import show, snippets, tables
from dptopk.ui.formats import plural
from dptopk.ui.layout import shell
from dptopk.ui.sentences import alt_text, base, titles

MOST_ROWS = 1_000
BARS, MOST_BARS = 12, 22  # beyond BARS if the top k and what is next to it are more

view = shell.view()
counts, top = view.counts, view.counts.head(min(max(BARS, view.k + 2), MOST_BARS))
sizes = base.size(counts, view.unit)
spread = alt_text.spread(counts.sorted, view.k, view.unit)
room = 70 + 20 * top.d
bars = f"Paler bars are not in the top {view.k}." if top.d > view.k else ""
origin = view.origin((), TRUE_COUNTS, more={"k": view.k}).read_as(bars)
largest = show.Chart(
    figures.amounts(
        top.items,
        top.counts.tolist(),
        f"count ({view.unit})",
        "%{x:,}",
        [place < view.k for place in range(top.d)],
    ),
    "largest",
    f"The largest counts, {plural(top.d, 'item')}; the true top {view.k} is darker.",
    origin,
    height=max(340, room),
    least=room if top.d > BARS else 256,
    finding=f"{sizes} {spread}",
    slide=f"{spread} {bars}".strip(),
)

with show.first_screen() as screen:
    screen.ask_first(f"What is in {view.source.title}?", view.source.description)
    screen.lead(titles.size(counts, view.k, view.unit), largest)
show.caption(f"{sizes} {base.tie_at(counts.sorted, view.k)}".strip())
first, title = tables.largest(counts, MOST_ROWS, view.unit), "All items and their counts"
whole = partial(tables.largest, counts, counts.d, view.unit)
of_counts = view.origin((), TRUE_COUNTS)
widths = dict(zip(first, (50, 165, 130), strict=True))  # on a phone the counts are seen whole
options = {"column_config": {name: {"width": width} for name, width in widths.items()}}
with show.below(largest, bars):
    if counts.d > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS:,} of {counts.d:,}; the download contains all.")
    show.table(show.Table(first, "counts", title, of_counts, whole, options))

st.header("Source and preprocessing", anchor=False)
show.points((*view.source.notes, view.source.item_list))
show.take_away(snippets.snippet(view, "print(counts.head(10).items)", mechanisms=False), origin)
