"""Page Exact: the probability of every output of a small case."""

import streamlit as st

from dptopk.ui.controls import small_cases
from dptopk.ui.findings import texts
from dptopk.ui.frame import shell
from dptopk.ui.presenters.exact import presenter as exact
from dptopk.ui.widgets import elements

view = shell.view()
with elements.first_screen():
    elements.heading(*exact.question())
    numbers = st.container()
    controls = elements.controls()
    case = small_cases.choose(view, controls)
    n_draws = exact.choose_draws(controls)
    small_cases.presets(controls)
    try:
        shown = exact.present(view, case, n_draws)
    except ValueError as error:
        elements.problem("Too many outputs to list", small_cases.fewer(error))
        elements.end()
    with numbers:
        elements.answer(shown.headline)
        elements.tiles(shown.tiles)
    elements.lead(shown.chart)
if less := small_cases.telling(view, case):
    elements.offer(less, ":material/check:")
for note in (*case.notes, *shown.notes):
    st.caption(note)
elements.figure_buttons(shown.chart)
elements.table(shown.table)
if shown.fits:
    elements.section("Do the samplers follow the exact probabilities?")
    elements.table(shown.fits)
    st.caption(texts.FIT_WORDS)
elements.code(shown.code, shown.chart.origin)
