"""Which mechanism?  All that are chosen, side by side at the present settings, or on a map."""

import streamlit as st

from dptopk.ui import links, shell, widgets
from dptopk.ui.presenters import compare

view = shell.view()
with widgets.first_screen():
    opening = st.container()
    finding = st.container()
    options = compare.choose(view, widgets.controls())
    with opening:
        widgets.heading(*compare.question(view, options))
    shown = compare.present(view, options)
    if shown is None:
        widgets.end()
    with finding:
        widgets.answer(shown.finding)
    widgets.lead(shown.chart)
st.caption(shown.caption)
widgets.table(shown.table)
for note in shown.notes:
    st.caption(note)
widgets.figure_buttons(shown.chart)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
widgets.table_buttons(shown.whole)
widgets.code(shown.code, shown.chart.origin, shown.asked)
