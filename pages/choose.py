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
    required = requirement(controls, view.k)
    public = public_file.choose(controls)
    at_other_k, against_delta = map(address.value, FURTHER)
    screen.ask_first(*smallest_epsilon.question(view, required))
    solution = smallest_epsilon.solve(view, required, public)
    if solution.chart is None:
        show.done()
    screen.lead(solution.title, solution.chart)
if solution.headline:
    st.markdown(solution.headline)
if solution.use:
    show.offer(solution.use)
if not view.source.bundled:
    show.note(smallest_epsilon.LEAK)
with show.below(solution.chart, solution.chart.origin.reading):
    show.tiles(solution.tiles.values())
    if solution.less:
        show.offer(solution.less)
    if view.source.bundled:
        show.note(smallest_epsilon.LEAK)
    show.table(solution.table)
    show.caption(solution.note)

if solution.budget:
    title, sentence, shares = solution.budget
    st.header(title, anchor=False)
    st.markdown(sentence)
    show.table(shares)
if solution.each:
    st.header("One of these releases", anchor=False)
    show.chart(solution.each)
    st.caption(solution.each.origin.reading)
with st.container(horizontal=True):  # above what they show
    for more in FURTHER:
        inputs.flag(st, more)
if at_other_k:
    others = smallest_epsilon.at_other_k(view, required)
    st.header("ε at other k", anchor=False)
    show.table(others)
if against_delta:
    smallest_epsilon.against_delta(view, required)
for note in solution.notes:
    st.caption(note)
code = solution.code(at_other_k=at_other_k, against_delta=against_delta)
show.take_away(code, solution.chart.origin)
