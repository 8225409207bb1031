"""What can come out, and how likely?  Every output of a small case, exactly."""

import streamlit as st

from dptopk.ui import shell, small_cases, widgets
from dptopk.ui.presenters import exact

view = shell.view()
widgets.heading(*exact.question())
small_cases.preset_buttons()
case = small_cases.choose(view)
n_draws = exact.choose_draws()
try:
    shown = exact.present(view, case, n_draws)
except ValueError as error:
    widgets.problem("Too many outputs to list", str(error))
    widgets.end()
st.markdown(f"#### {shown.headline}")
widgets.tiles(shown.tiles)
widgets.chart(shown.chart)
for note in shown.notes:
    st.caption(note)
widgets.table(shown.table)
if shown.fits:
    widgets.section("Do the samplers follow the exact probabilities?")
    widgets.table(shown.fits)
    st.caption(small_cases.FIT_WORDS)
widgets.code(shown.code)
