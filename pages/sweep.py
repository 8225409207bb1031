"""When is which mechanism better?  The median error against k or epsilon."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import sweep

view = shell.view()
widgets.heading(*sweep.question())
shown = sweep.present(view, sweep.choose(view))
if shown is None:
    widgets.end()
st.markdown(f"#### {shown.finding}")
widgets.chart(shown.chart)
st.caption(shown.caption)
widgets.table(shown.table)
widgets.csv_button(shown.trials, "sweep-trials", "All runs as CSV")
widgets.code(shown.code)
