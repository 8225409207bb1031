"""What can come out, and how likely?  Every output of a small case, exactly."""

import streamlit as st

from dptopk.ui import shell, small_cases, texts, widgets
from dptopk.ui.presenters import exact

view = shell.view()
with widgets.first_screen():
    widgets.heading(*exact.question())
    numbers = st.container()
    controls = widgets.controls()
    case = small_cases.choose(view, controls)
    n_draws = exact.choose_draws(controls)
    small_cases.presets(controls)
    try:
        shown = exact.present(view, case, n_draws)
    except ValueError as error:
        widgets.problem("Too many outputs to list", small_cases.fewer(error))
        widgets.end()
    with numbers:
        widgets.answer(shown.headline)
        widgets.tiles(shown.tiles)
    widgets.lead(shown.chart)
if less := small_cases.telling(view, case):
    widgets.offer(less, ":material/check:")
for note in (*case.notes, *shown.notes):
    st.caption(note)
widgets.figure_buttons(shown.chart)
widgets.table(shown.table)
if shown.fits:
    widgets.section("Do the samplers follow the exact probabilities?")
    widgets.table(shown.fits)
    st.caption(texts.FIT_WORDS)
widgets.code(shown.code, shown.chart.origin)
