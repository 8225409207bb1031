"""What does a target cost?  The smallest ε that reaches it, cheapest mechanism first."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import choose

view = shell.view()
with widgets.first_screen():
    opening = st.container()
    answers = st.container()
    shown = choose.present(view, choose.choose(view, widgets.controls()))
    with opening:
        widgets.heading(*shown.question)
    if shown.chart is None:
        widgets.end()
    with answers:
        widgets.tiles(shown.tiles)
    widgets.lead(shown.chart)
st.caption(shown.caption)
widgets.figure_buttons(shown.chart)
widgets.note(shown.leak)
widgets.table(shown.table)
if shown.at_other_k is not None:
    widgets.section("ε at other k")
    widgets.table(shown.at_other_k)
for sentence in shown.notes:
    st.caption(sentence)
widgets.code(shown.code)
