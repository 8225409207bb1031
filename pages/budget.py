"""How much noise does a budget need?  What each way of composing rounds makes of it."""

import streamlit as st

from dptopk.ui import links, shell, widgets
from dptopk.ui.presenters import budget

view = shell.view()
with widgets.first_screen():
    widgets.heading(*budget.question(view))
    tiles = st.container()
    chosen = budget.budgeted(view, widgets.controls())
    shown = budget.present(view, chosen)
    with tiles:
        widgets.tiles(shown.tiles)
    widgets.lead(shown.noise)
st.caption(shown.note)
widgets.figure_buttons(shown.noise)
widgets.table(shown.table)
links.sources(budget.SOURCES)

widgets.section("What the whole run spends")
widgets.chart(shown.chart)
st.caption(shown.chart_note)

widgets.section(f"What it is worth on {view.source.title}")
worth = budget.worth(view, chosen, budget.choose_metric())
if worth:
    widgets.tiles(worth.tiles, "worth")
    widgets.table(worth.table)
    st.caption(worth.caption)

widgets.section("Why rounds of the exponential mechanism compose so well")
st.markdown(budget.RANGES)
widgets.table(shown.costs)
st.markdown("\n".join(f"- {reason}" for reason in shown.reasons))
if shown.noises:
    widgets.section(shown.noises.title)
    widgets.table(shown.noises.table)
    st.caption(shown.noises.note)
widgets.code(shown.code, shown.noise.origin)
