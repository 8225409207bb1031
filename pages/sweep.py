"""Page k and ε: the median error of each mechanism against k or epsilon."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters import sweep
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen():
    elements.heading(*sweep.question())
    finding = st.container()
    shown = sweep.present(view, sweep.choose(view, elements.controls()))
    if shown is None:
        elements.end()
    with finding:
        elements.answer(shown.finding)
    elements.lead(shown.chart)
st.caption(shown.caption)
elements.figure_buttons(shown.chart)
elements.table(shown.table)
st.caption(shown.brackets)
elements.table_buttons(shown.trials)
elements.code(shown.code, shown.chart.origin)
