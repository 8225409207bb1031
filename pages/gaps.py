"""How hard is this data set?  The gaps between neighbouring counts."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import gaps

view = shell.view()
with widgets.first_screen():
    widgets.heading(*gaps.question())
    tiles = st.container()
    options = gaps.choose(view, widgets.controls())
    if options is None:
        widgets.note("There is one item, so there are no gaps.")
        widgets.end()
    shown = gaps.present(view, options)
    with tiles:
        widgets.tiles(shown.tiles)
    widgets.lead(shown.gaps)
widgets.figure_buttons(shown.gaps)
widgets.section("What they mean to each mechanism")
st.markdown("\n".join(f"- {sentence}" for sentence in shown.meaning))
if shown.swaps:
    st.caption(shown.swaps.line)
    widgets.chart(shown.swaps)
if shown.sets_meaning:
    widgets.section("At which ε a set comes out")
    st.markdown("\n".join(f"- {sentence}" for sentence in shown.sets_meaning))
if shown.sets:
    widgets.chart(shown.sets)
widgets.section("How many items have which count")
widgets.chart(shown.histogram)
widgets.table(shown.table)
widgets.code(shown.code, shown.gaps.origin)
