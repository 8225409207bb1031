"""Page Choose ε: the smallest ε that reaches a target, cheapest mechanism first."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.choose import presenter as choose
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen():
    opening = st.container()
    answers = st.container()
    options = choose.choose(view, elements.controls())
    with opening:
        elements.heading(*choose.question(view, options))
    shown = choose.present(view, options)
    if shown.chart is None:
        elements.end()
    with answers:
        if shown.headline:
            st.markdown(shown.headline)
        if shown.use:
            elements.offer(shown.use, ":material/check:")
        if shown.less:
            elements.offer(shown.less)
        elements.tiles(shown.tiles)
    elements.lead(shown.chart)
st.caption(shown.premise or shown.caption)
elements.figure_buttons(shown.chart)
elements.note(shown.leak)
elements.table(shown.table)
if shown.beside:
    st.caption(shown.beside)
if shown.budget:
    elements.section(shown.budget.title)
    st.markdown(shown.budget.sentence)
    elements.table(shown.budget.table)
if shown.each:
    elements.section("One of these releases")
    elements.chart(shown.each)
    st.caption(shown.caption)
if others := choose.at_other_k(view, options):
    elements.section("ε at other k")
    elements.table(others)
if moved := choose.against_delta(view, options):
    elements.section("What δ buys")
    st.markdown(moved.sentence)
    if moved.chart and moved.table:
        elements.chart(moved.chart)
        elements.table(moved.table)
for sentence in shown.notes:
    st.caption(sentence)
elements.code(shown.code, shown.chart.origin)
