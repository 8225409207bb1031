"""What is a mechanism?  How it chooses, why it keeps its promise, and when to use it."""

import streamlit as st

from dptopk.ui import links, redraw, shell, widgets
from dptopk.ui.presenters import mechanisms

view = shell.view()
head = st.container()
chosen = mechanisms.choose(view, widgets.controls())
with head:
    widgets.heading(*mechanisms.question(chosen))
widgets.chapters(mechanisms.chapters(view, chosen))
words, picture = st.columns([2, 3], gap="medium")
with picture:
    shown = mechanisms.present(view, chosen)
with words:
    widgets.words(shown.does)
with picture:
    st.caption(shown.caption)
    if shown.chart:
        widgets.chart(shown.chart)
    if shown.redrawn:
        redraw.button("Draw again", "draw", primary=False)
widgets.section("What it promises, and why")
widgets.words(shown.promise)
widgets.section("What counts mean to it")
st.markdown(shown.scale)
st.markdown(shown.others)
if shown.swaps:
    st.caption(shown.swaps.line)
    widgets.chart(shown.swaps)
if shown.noises:
    widgets.section(shown.noises.title)
    widgets.table(shown.noises.table)
    st.caption(shown.noises.note)
widgets.section("When to use it, and when not")
widgets.words(shown.advice)
if shown.example:
    links.example(shown.example)
widgets.section("Where it comes from")
st.markdown(shown.papers)
widgets.code(shown.code, shown.origin)
