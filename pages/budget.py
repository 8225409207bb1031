"""Page Budget: the noise that a budget needs by each method of composing rounds."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.budget import presenter as budget
from dptopk.ui.widgets import elements, links

view = shell.view()
with elements.first_screen():
    elements.heading(*budget.question(view))
    tiles = st.container()
    chosen = budget.budgeted(view, elements.controls())
    shown = budget.present(view, chosen)
    with tiles:
        elements.tiles(shown.tiles)
    elements.lead(shown.noise)
st.caption(shown.note)
elements.figure_buttons(shown.noise)
elements.table(shown.table)
links.sources(budget.SOURCES)

elements.section("Cost of the whole run")
elements.chart(shown.chart)
st.caption(shown.chart_note)

elements.section(f"Effect on {view.source.title}")
worth = budget.worth(view, chosen, budget.choose_metric())
if worth:
    elements.tiles(worth.tiles, "worth")
    elements.table(worth.table)
    st.caption(worth.caption)

elements.section("Why rounds of the exponential mechanism compose well")
st.markdown(budget.RANGES)
elements.table(shown.costs)
st.markdown("\n".join(f"- {reason}" for reason in shown.reasons))
if shown.noises:
    elements.section(shown.noises.title)
    elements.table(shown.noises.table)
    st.caption(shown.noises.note)
elements.code(shown.code, shown.noise.origin)
