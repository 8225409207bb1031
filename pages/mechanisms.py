"""Page Mechanisms: how a mechanism chooses, why it is private, and when to use it."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.mechanisms import presenter as mechanisms
from dptopk.ui.widgets import elements, links, redraw

view = shell.view()
head = st.container()
chosen = mechanisms.choose(view, elements.controls())
with head:
    elements.heading(*mechanisms.question(chosen))
elements.chapters(mechanisms.chapters(view, chosen))
words, picture = st.columns([2, 3], gap="medium")
with picture:
    shown = mechanisms.present(view, chosen)
with words:
    elements.words(shown.does)
with picture:
    st.caption(shown.caption)
    if shown.chart:
        elements.chart(shown.chart)
    if shown.redrawn:
        redraw.button("Draw again", "draw", primary=False)
elements.section("What it promises, and why")
elements.words(shown.promise)
elements.section("Noise and gaps")
st.markdown(shown.scale)
st.markdown(shown.others)
if shown.swaps:
    st.caption(shown.swaps.line)
    elements.chart(shown.swaps)
if shown.noises:
    elements.section(shown.noises.title)
    elements.table(shown.noises.table)
    st.caption(shown.noises.note)
elements.section("When to use it, and when not")
elements.words(shown.advice)
if shown.example:
    links.example(shown.example)
elements.section("References")
st.markdown(shown.papers)
elements.code(shown.code, shown.origin)
