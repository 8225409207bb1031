"""Page Gaps: the gaps between consecutive counts and their effect on mechanisms."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.gaps import presenter as gaps
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen():
    elements.heading(*gaps.question())
    tiles = st.container()
    options = gaps.choose(view, elements.controls())
    if options is None:
        elements.note("There is one item, so there are no gaps.")
        elements.end()
    shown = gaps.present(view, options)
    with tiles:
        elements.tiles(shown.tiles)
    elements.lead(shown.gaps)
elements.figure_buttons(shown.gaps)
elements.section("Effect on each mechanism")
st.markdown("\n".join(f"- {sentence}" for sentence in shown.meaning))
if shown.swaps:
    st.caption(shown.swaps.line)
    elements.chart(shown.swaps)
if shown.sets_meaning:
    elements.section("ε at which a set is released")
    st.markdown("\n".join(f"- {sentence}" for sentence in shown.sets_meaning))
if shown.sets:
    elements.chart(shown.sets)
elements.section("Number of items by count")
elements.chart(shown.histogram)
elements.table(shown.table)
elements.code(shown.code, shown.gaps.origin)
