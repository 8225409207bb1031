"""Page Compare: the chosen mechanisms side by side, or on a map of k and ε."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.compare import presenter as compare
from dptopk.ui.widgets import elements, links

view = shell.view()
with elements.first_screen():
    opening = st.container()
    finding = st.container()
    options = compare.choose(view, elements.controls())
    with opening:
        elements.heading(*compare.question(view, options))
    shown = compare.present(view, options)
    if shown is None:
        elements.end()
    with finding:
        elements.answer(shown.finding)
    elements.lead(shown.chart)
st.caption(shown.caption)
elements.table(shown.table)
for note in shown.notes:
    st.caption(note)
elements.figure_buttons(shown.chart)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
elements.table_buttons(shown.whole)
elements.code(shown.code, shown.chart.origin, shown.asked)
