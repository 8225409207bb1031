"""How much can one user change the answer?  The privacy loss, exactly, output by output."""

import streamlit as st

from dptopk.ui import shell, small_cases, texts, widgets
from dptopk.ui.presenters import privacy

view = shell.view()
with widgets.first_screen():
    widgets.heading(*privacy.question())
    numbers = st.container()
    controls = widgets.controls()
    case = privacy.choose_case(view, controls)
    run = privacy.run(view, case, privacy.choose_what(controls))
    if not run.found:
        widgets.end()
    shown = privacy.present(view, run)
    with numbers:
        widgets.answer(shown.headline)
        widgets.tiles(shown.tiles)
    widgets.lead(shown.chart)
if not run.wrong and (less := small_cases.telling(view, case)):
    widgets.offer(less, ":material/check:")
for note in (*case.notes, *shown.notes):
    st.caption(note)
widgets.figure_buttons(shown.chart)

widgets.section("One neighbour, output by output")
mechanism = privacy.choose_mechanism(run)
neighbour = privacy.compare(view, run, mechanism, privacy.choose_neighbour(run, mechanism))
st.text(neighbour.user)
for chart in neighbour.charts:
    widgets.chart(chart)
if neighbour.profile:
    widgets.chart(neighbour.profile)
    st.caption(neighbour.excess)
widgets.table(neighbour.table)

widgets.section("Do the samplers follow these probabilities?")
if st.button("Draw 100,000 times and check", icon=":material/verified:", key="check"):
    widgets.table(privacy.check_samplers(view, run))
    st.caption(texts.FIT_WORDS)
st.caption(texts.EXPLORATION)
widgets.code(shown.code, shown.chart.origin)
