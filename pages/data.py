"""What are we looking at?  The counts, where they come from, and what was done to them."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import data

view = shell.view()
shown = data.present(view)
with widgets.first_screen():
    widgets.heading(*data.question(view))
    widgets.tiles(shown.tiles)
    widgets.lead(shown.chart)
if shown.bars:
    st.caption(shown.bars)
widgets.figure_buttons(shown.chart)
widgets.section("Where they come from, and what was done to them")
widgets.points(shown.notes)
widgets.section("The largest counts")
if shown.cut:
    st.caption(shown.cut)
widgets.table(shown.table)
widgets.code(shown.code, shown.chart.origin)
