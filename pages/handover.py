"""What do I send on?  A report, a script for the release, a record, and what is left to see to."""

import streamlit as st

from dptopk.ui import files, shell, widgets
from dptopk.ui.presenters import handover

view = shell.view()
with widgets.first_screen():
    widgets.heading(*handover.question(view))
    tiles = st.container()
    downloads = st.container()
    shown = handover.present(view, handover.options(view, widgets.controls()))
    if shown is None:
        widgets.end()
    with tiles:
        widgets.tiles(shown.tiles)
    with downloads.container(horizontal=True):
        files.button(shown.report, "Report as HTML", primary=True)
        if shown.script:
            files.button(shown.script, "OpenDP script")
        files.button(shown.record, "Registry record as YAML")
    widgets.lead(shown.chart)
widgets.figure_buttons(shown.chart)

widgets.section("What is promised")
st.markdown(shown.promise)

widgets.section("Who draws the release")
if shown.script:
    st.markdown("The draws of this app are for study. OpenDP draws the same law for real releases:")
    files.text(shown.script)
else:
    st.markdown(shown.without)

widgets.section("What is vouched for, and what is left to do")
widgets.table(shown.checklist)

widgets.section("Record for the registry of deployments")
files.text(shown.record)
widgets.code(shown.code, shown.chart.origin)
