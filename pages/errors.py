"""Page Errors: the distribution of the error over many runs."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.errors import presenter as errors
from dptopk.ui.widgets import elements, links

view = shell.view()
with elements.first_screen():
    elements.heading(*errors.question(view))
    tiles = st.container()
    shown = errors.present(view, errors.choose(elements.controls()))
    if shown is None:
        elements.end()
    with tiles:
        elements.tiles(shown.tiles)
    if shown.no_bound:
        elements.note(shown.no_bound)
    elements.lead(shown.chart)
if shown.counted:
    st.markdown(shown.counted)
st.caption(shown.caption)
if shown.measure:
    st.button(shown.measure, type="tertiary", on_click=errors.measure_as_in_paper)
if shown.sources:
    links.sources(shown.sources)
elements.figure_buttons(shown.chart)
elements.table(shown.table)
st.caption(shown.intervals)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
elements.table_buttons(shown.trials)
elements.code(shown.code, shown.chart.origin)
