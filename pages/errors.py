"""How wrong is it, usually?  The distribution of the error over many runs."""

import streamlit as st

from dptopk.ui import links, shell, widgets
from dptopk.ui.presenters import errors

view = shell.view()
with widgets.first_screen():
    widgets.heading(*errors.question(view))
    tiles = st.container()
    shown = errors.present(view, errors.choose(widgets.controls()))
    if shown is None:
        widgets.end()
    with tiles:
        widgets.tiles(shown.tiles)
    if shown.no_bound:
        widgets.note(shown.no_bound)
    widgets.lead(shown.chart)
if shown.counted:
    st.markdown(shown.counted)
st.caption(shown.caption)
if shown.measure:
    st.button(shown.measure, type="tertiary", on_click=errors.measure_as_in_paper)
if shown.sources:
    links.sources(shown.sources)
widgets.figure_buttons(shown.chart)
widgets.table(shown.table)
st.caption(shown.intervals)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
widgets.table_buttons(shown.trials)
widgets.code(shown.code, shown.chart.origin)
