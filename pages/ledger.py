"""Page Ledger: a series of calls on one budget, charged by what is released."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters import ledger
from dptopk.ui.widgets import elements, links, redraw

view = shell.view()
with elements.first_screen():
    elements.heading(*ledger.question(view))
    tiles = st.container()
    with elements.controls():
        redraw.button("Ask again", "series")
        budget = ledger.choose(view, st)
    if isinstance(budget, str):
        elements.problem("No question can be asked here", budget)
        elements.end()
    shown = ledger.present(view, budget)
    with tiles:
        elements.tiles(shown.tiles)
    elements.lead(shown.spent)
st.caption(shown.ended)
elements.figure_buttons(shown.spent)

elements.section("What the whole series costs")
st.markdown(ledger.PROMISE)
elements.table(shown.totals)
links.sources(ledger.SOURCES)

elements.section("Call by call")
elements.table(shown.calls)
elements.section("A ledger of real releases")
st.markdown(ledger.COPY)
copy = ledger.copy(view, st)
if isinstance(copy, str):
    elements.problem("This file cannot be shown", copy)
elif copy:
    st.markdown(copy.protects)
    elements.tiles(copy.tiles, "copy")
    elements.table(copy.entries)
    if copy.plan:
        elements.table(copy.plan)
elements.code(shown.code, shown.spent.origin)
