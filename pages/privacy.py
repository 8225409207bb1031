"""Page Privacy: the exact privacy loss of every output of a small case."""

import streamlit as st

from dptopk.ui.controls import small_cases
from dptopk.ui.findings import texts
from dptopk.ui.frame import shell
from dptopk.ui.presenters.privacy import presenter as privacy
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen():
    elements.heading(*privacy.question())
    numbers = st.container()
    controls = elements.controls()
    case = privacy.choose_case(view, controls)
    run = privacy.run(view, case, privacy.choose_what(controls))
    if not run.found:
        elements.end()
    shown = privacy.present(view, run)
    with numbers:
        elements.answer(shown.headline)
        elements.tiles(shown.tiles)
    elements.lead(shown.chart)
if not run.wrong and (less := small_cases.telling(view, case)):
    elements.offer(less, ":material/check:")
for note in (*case.notes, *shown.notes):
    st.caption(note)
elements.figure_buttons(shown.chart)

elements.section("One neighbour, output by output")
mechanism = privacy.choose_mechanism(run)
neighbour = privacy.compare(view, run, mechanism, privacy.choose_neighbor(run, mechanism))
st.text(neighbour.user)
for chart in neighbour.charts:
    elements.chart(chart)
if neighbour.profile:
    elements.chart(neighbour.profile)
    st.caption(neighbour.excess)
elements.table(neighbour.table)

elements.section("Do the samplers follow these probabilities?")
if st.button("Draw 100,000 times and check", icon=":material/verified:", key="check"):
    elements.table(privacy.check_samplers(view, run))
    st.caption(texts.FIT_WORDS)
st.caption(texts.EXPLORATION)
elements.code(shown.code, shown.chart.origin)
