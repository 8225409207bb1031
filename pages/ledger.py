"""How many questions does one budget answer?  Each call pays for what comes out."""

import streamlit as st

from dptopk.ui import links, redraw, shell, widgets
from dptopk.ui.presenters import ledger

view = shell.view()
with widgets.first_screen():
    widgets.heading(*ledger.question(view))
    tiles = st.container()
    with widgets.controls():
        redraw.button("Ask again", "series")
        budget = ledger.choose(view, st)
    if isinstance(budget, str):
        widgets.problem("No question can be asked here", budget)
        widgets.end()
    shown = ledger.present(view, budget)
    with tiles:
        widgets.tiles(shown.tiles)
    widgets.lead(shown.spent)
st.caption(shown.ended)
widgets.figure_buttons(shown.spent)

widgets.section("What the whole series costs")
st.markdown(ledger.PROMISE)
widgets.table(shown.totals)
links.sources(ledger.SOURCES)

widgets.section("Call by call")
widgets.table(shown.calls)
widgets.code(shown.code, shown.spent.origin)
