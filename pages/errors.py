"""How wrong is it, usually?  The distribution of the error over many runs."""

import streamlit as st

from dptopk.ui import shell, widgets
from dptopk.ui.presenters import errors

view = shell.view()
widgets.heading(*errors.question(view))
shown = errors.present(view, errors.choose())
if shown is None:
    widgets.end()
widgets.tiles(shown.tiles)
if shown.no_bound:
    widgets.note(shown.no_bound)
widgets.chart(shown.chart)
st.caption(shown.caption)
if shown.sources:
    widgets.sources(shown.sources)
widgets.table(shown.table)
st.caption(shown.intervals)
widgets.csv_button(shown.trials, "trials", "All runs as CSV")
widgets.code(shown.code)
