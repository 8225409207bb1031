"""Page Hand over: a report, a script of the release, a record and a checklist."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.handover import presenter as handover
from dptopk.ui.widgets import downloads, elements

view = shell.view()
with elements.first_screen():
    elements.heading(*handover.question(view))
    tiles = st.container()
    offered = st.container()
    place = elements.controls()
    repeated = handover.repeated(place)
    view = handover.one_of(view, repeated)
    cost = handover.cost(view, repeated)
    compared = handover.compared(view)
    options = handover.options(view, place, cost, compared)
    if compared is None:
        elements.end()
    shown = handover.present(view, options, cost, compared)
    with tiles:
        elements.tiles(shown.tiles)
        if shown.headline:
            st.markdown(shown.headline)
        if shown.less:
            elements.offer(shown.less)
        if shown.beside:
            st.caption(shown.beside)
    with offered.container(horizontal=True):
        downloads.file(shown.report, "Report as HTML", primary=True)
        if shown.script:
            downloads.file(shown.script, "OpenDP script")
        downloads.file(shown.record, "Registry record as YAML")
    elements.lead(shown.chart)
elements.figure_buttons(shown.chart)

elements.section("What is promised")
st.markdown(shown.promise)

elements.section("Who draws the release")
if shown.publishing:
    st.markdown(shown.publishing.sentences)
    downloads.text(shown.publishing.commands)
    downloads.file(shown.publishing.settings, "Settings of this release")
else:
    st.markdown(shown.without)
if shown.script:
    st.markdown(handover.BY_OPENDP)
    downloads.text(shown.script)

elements.section("What is established, and what is left to do")
elements.sentences(shown.checklist)

elements.section("Record for the registry of deployments")
downloads.text(shown.record)
elements.code(shown.code, shown.code_origin, shown.asked)
