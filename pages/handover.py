"""What do I send on?  A report, a script for the release, a record, and what is left to see to."""

import streamlit as st

from dptopk.ui import downloads, shell, widgets
from dptopk.ui.presenters import handover

view = shell.view()
with widgets.first_screen():
    widgets.heading(*handover.question(view))
    tiles = st.container()
    offered = st.container()
    place = widgets.controls()
    cost = handover.cost(view)
    compared = handover.compared(view)
    options = handover.options(view, place, cost, compared)
    if compared is None:
        widgets.end()
    shown = handover.present(view, options, cost, compared)
    with tiles:
        widgets.tiles(shown.tiles)
        if shown.less:
            widgets.offer(shown.less)
        if shown.beside:
            st.caption(shown.beside)
    with offered.container(horizontal=True):
        downloads.file(shown.report, "Report as HTML", primary=True)
        if shown.script:
            downloads.file(shown.script, "OpenDP script")
        downloads.file(shown.record, "Registry record as YAML")
    widgets.lead(shown.chart)
widgets.figure_buttons(shown.chart)

widgets.section("What is promised")
st.markdown(shown.promise)

widgets.section("Who draws the release")
if shown.script:
    st.markdown(handover.BY_OPENDP)
    downloads.text(shown.script)
else:
    st.markdown(shown.without)

widgets.section("What is vouched for, and what is left to do")
widgets.sentences(shown.checklist)

widgets.section("Record for the registry of deployments")
downloads.text(shown.record)
widgets.code(shown.code, shown.code_origin)
