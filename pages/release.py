"""Page Release: the true top k beside one release of each mechanism."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.release import presenter as release
from dptopk.ui.widgets import elements, links, redraw

view = shell.view()
with elements.first_screen():
    elements.heading(*release.question(view))
    if release.is_first_visit():
        links.tour()
    tiles = st.container()
    with elements.controls():
        redraw.button("Draw again", "draw")
        looked = release.look(view)
        settings = st.container()
    shown = release.present(view, release.choose_beside(view, looked), looked.code)
    with tiles:
        elements.tiles(shown.tiles)
    settings.caption(shown.settings)
    if looked.table:
        elements.ranked(shown.ranking)
    if looked.noise:
        elements.lead(looked.noise)
    if looked.ranks:
        elements.played(looked.ranks)
for words in looked.words:
    st.caption(words)
if looked.noise:
    elements.figure_buttons(looked.noise)
if looked.behind:
    elements.table(looked.behind)
elements.chart(shown.chart)

elements.section("Errors of this release")
elements.table(shown.errors)
if shown.counted:
    elements.section(shown.counted.title)
    st.caption(shown.counts_off)
    elements.table(shown.counted)
if shown.draws:
    elements.section(shown.draws.title)
    st.caption(shown.draws.words)
    elements.table(shown.draws.table)
    elements.buttons([shown.draws.reset], "draws")
    elements.chart(shown.draws.chart)

elements.section("What is promised")
if shown.failing:
    elements.note(shown.failing)
for promise in shown.promises:
    st.markdown(promise)
links.mechanisms(mechanism.card for mechanism in view.mechanisms)
for note in shown.notes:
    st.caption(note)
elements.code(shown.code, shown.chart.origin)
