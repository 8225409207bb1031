"""What are we looking at?  The counts, where they come from, and what was done to them."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import data

view = shell.view()
widgets.heading(*data.question(view))
shown = data.present(view)
widgets.tiles(shown.tiles)
if shown.notes:
    widgets.section("Where they come from, and what was done to them")
    st.text(shown.notes)
widgets.section("The largest counts")
if shown.cut:
    st.caption(shown.cut)
widgets.table(shown.table)
widgets.code(shown.code)
