"""How much noise does a budget need?  What each way of composing rounds makes of it."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import budget

view = shell.view()
widgets.heading(*budget.question(view))
chosen = budget.budgeted(view)
shown = budget.present(view, chosen)
widgets.tiles(shown.tiles)
widgets.table(shown.table)
st.caption(shown.note)
widgets.sources(budget.SOURCES)

widgets.section("What the whole run spends")
widgets.chart(shown.chart)
st.caption(shown.chart_note)

widgets.section(f"What it is worth on {view.source.title}")
worth = budget.worth(view, chosen, budget.choose_metric())
if worth:
    widgets.tiles(worth.tiles)
    widgets.table(worth.table)
    st.caption(worth.caption)

widgets.section("Why rounds of the exponential mechanism compose so well")
st.markdown(budget.RANGES)
widgets.table(shown.costs)
st.markdown("\n".join(f"- {reason}" for reason in shown.reasons))
widgets.code(shown.code)
