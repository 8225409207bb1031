"""Which mechanism?  All that are chosen, side by side at the present settings."""

import streamlit as st

from dptopk.ui import links, shell, widgets
from dptopk.ui.presenters import compare

view = shell.view()
with widgets.first_screen():
    widgets.heading(*compare.question(view))
    finding = st.container()
    shown = compare.present(view, compare.choose(widgets.controls()))
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
widgets.csv_button(shown.trials, "All runs as CSV")
widgets.code(shown.code)
