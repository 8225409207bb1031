"""What does a target cost?  The smallest ε that reaches it, cheapest mechanism first."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import choose

view = shell.view()
with widgets.first_screen():
    opening = st.container()
    answers = st.container()
    options = choose.choose(view, widgets.controls())
    with opening:
        widgets.heading(*choose.question(view, options))
    shown = choose.present(view, options)
    if shown.chart is None:
        widgets.end()
    with answers:
        if shown.use:
            widgets.offer(shown.use, ":material/check:")
        if shown.less:
            widgets.offer(shown.less)
        widgets.tiles(shown.tiles)
    widgets.lead(shown.chart)
st.caption(shown.caption)
widgets.figure_buttons(shown.chart)
widgets.note(shown.leak)
widgets.table(shown.table)
if shown.beside:
    st.caption(shown.beside)
if others := choose.at_other_k(view, options):
    widgets.section("ε at other k")
    widgets.table(others)
if moved := choose.against_delta(view, options):
    widgets.section("What δ buys")
    st.markdown(moved.sentence)
    if moved.chart and moved.table:
        widgets.chart(moved.chart)
        widgets.table(moved.table)
for sentence in shown.notes:
    st.caption(sentence)
widgets.code(shown.code, shown.chart.origin)
