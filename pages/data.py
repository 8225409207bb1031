"""Page Data: the counts, their source and how they were read."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters import data
from dptopk.ui.widgets import elements

view = shell.view()
shown = data.present(view)
with elements.first_screen():
    elements.heading(*data.question(view))
    elements.tiles(shown.tiles)
    elements.lead(shown.chart)
if shown.bars:
    st.caption(shown.bars)
elements.figure_buttons(shown.chart)
elements.section("Source and preprocessing")
elements.points(shown.notes)
elements.section("The largest counts")
if shown.cut:
    st.caption(shown.cut)
elements.table(shown.table)
elements.code(shown.code, shown.chart.origin)
