"""What comes out?  The true top k beside one release of each mechanism."""

import streamlit as st

from dptopk.ui import links, redraw, shell, widgets
from dptopk.ui.presenters import release

view = shell.view()
with widgets.first_screen():
    widgets.heading(*release.question(view))
    tiles = st.container()
    with widgets.controls():
        redraw.button("Draw again", "draw")
        looked = release.look(view)
        settings = st.container()
    shown = release.present(view, release.choose_beside(view, looked), looked.code)
    with tiles:
        widgets.tiles(shown.tiles)
    settings.caption(shown.settings)
    if looked.table:
        widgets.ranked(shown.ranking)
    if looked.noise:
        widgets.lead(looked.noise)
    if looked.ranks:
        widgets.played(looked.ranks)
for words in looked.words:
    st.caption(words)
if looked.noise:
    widgets.figure_buttons(looked.noise)
if looked.behind:
    widgets.table(looked.behind)
widgets.chart(shown.chart)

widgets.section("Errors of this release")
widgets.table(shown.errors)
if shown.counted:
    widgets.section(shown.counted.title)
    st.caption(shown.counts_off)
    widgets.table(shown.counted)

widgets.section("What is promised")
for promise in shown.promises:
    st.markdown(promise)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
for note in shown.notes:
    st.caption(note)
widgets.code(shown.code, shown.chart.origin)
