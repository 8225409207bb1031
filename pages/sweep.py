"""When is which mechanism better?  The median error against k or epsilon."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import sweep

view = shell.view()
with widgets.first_screen():
    widgets.heading(*sweep.question())
    finding = st.container()
    shown = sweep.present(view, sweep.choose(view, widgets.controls()))
    if shown is None:
        widgets.end()
    with finding:
        widgets.answer(shown.finding)
    widgets.lead(shown.chart)
st.caption(shown.caption)
widgets.figure_buttons(shown.chart)
widgets.table(shown.table)
st.caption(shown.brackets)
widgets.table_buttons(shown.trials)
widgets.code(shown.code, shown.chart.origin)
