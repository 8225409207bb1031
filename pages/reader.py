"""Page Read a list: how far each name of a published list can be trusted."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters import reader
from dptopk.ui.widgets import elements, redraw

view = shell.view()
with elements.first_screen():
    elements.heading(*reader.question(view))
    told, tiles = st.container(), st.container()
    with elements.controls():
        asked = reader.choose(view, st)
    if isinstance(asked, str):
        elements.problem("This list cannot be judged", asked)
        elements.end()
    shown = reader.present(view, asked)
    if isinstance(shown, str):
        elements.problem("This list cannot be judged", shown)
        elements.end()
    with told:
        if shown.warning:
            elements.note(shown.warning)
        st.markdown(shown.verdict)
        st.caption(shown.headline)
        if shown.back:
            elements.offer(shown.back, ":material/undo:")
    with tiles:
        elements.tiles(shown.tiles)
    elements.lead(shown.chart)
st.caption(shown.caption)
if shown.example:
    redraw.button("Another example", "draw", primary=False)
elements.figure_buttons(shown.chart)

elements.section("What these chances are")
st.markdown(reader.MEANING)
st.markdown(shown.rests_on)

elements.section("Name by name")
elements.table(shown.names)
elements.section("What else was likely")
st.markdown(shown.others_said)
if shown.others:
    elements.table(shown.others)
elements.code(shown.code, shown.chart.origin)
