"""Page Choose ε: the smallest ε that reaches a target, cheapest mechanism first."""

import streamlit as st

from dptopk.core.parameters import Flag
from dptopk.ui import address, show
from dptopk.ui.controls import inputs
from dptopk.ui.controls.goals import requirement
from dptopk.ui.layout import shell
from dptopk.ui.sections import smallest_epsilon
from dptopk.ui.uploads import public_file

FURTHER = (Flag("other_k", "ε at other k", False), Flag("against_delta", "What δ buys", False))

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    asked = requirement(controls, view.k)
    public = public_file.choose(controls)
    at_other_k, against_delta = map(address.value, FURTHER)
    screen.ask_first(*smallest_epsilon.question(view, asked))
    shown = smallest_epsilon.solve(view, asked, public)
    if shown.chart is None:
        show.done()
    screen.lead(shown.title, shown.chart)
if shown.headline:
    st.markdown(shown.headline)
if shown.use:
    show.offer(shown.use)
if not view.source.bundled:
    show.note(smallest_epsilon.LEAK)
with show.below(shown.chart, shown.chart.origin.reading):
    show.tiles(shown.tiles.values())
    if shown.less:
        show.offer(shown.less)
    if view.source.bundled:
        show.note(smallest_epsilon.LEAK)
    show.table(shown.table)
    show.caption(shown.beside)

if shown.budget:
    title, sentence, shares = shown.budget
    st.header(title, anchor=False)
    st.markdown(sentence)
    show.table(shares)
if shown.each:
    st.header("One of these releases", anchor=False)
    show.chart(shown.each)
    st.caption(shown.each.origin.reading)
with st.container(horizontal=True):  # above what they show
    for more in FURTHER:
        inputs.flag(st, more)
if at_other_k:
    others = smallest_epsilon.at_other_k(view, asked)
    st.header("ε at other k", anchor=False)
    show.table(others)
if against_delta:
    smallest_epsilon.against_delta(view, asked)
for note in shown.notes:
    st.caption(note)
code = shown.code(at_other_k=at_other_k, against_delta=against_delta)
show.take_away(code, shown.chart.origin)
