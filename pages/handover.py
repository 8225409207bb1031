"""Page Publish: a report, a script of the release, a record and a checklist."""

import streamlit as st

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import handover
from dptopk.ui.sentences import texts

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    first = f"{view.caveat} {handover.MENDED}" if view.source.repeats else handover.BELOW
    screen.ask_first(
        "Is this list ready to be published?",
        " ".join([first, *texts.nothing_chosen(view.k, view.counts.d)]),
    )
    chosen = handover.choose(view, controls)
    if chosen is None:
        show.done()
    view, mechanism = chosen.view, chosen.mechanism
    prepared = handover.prepare(chosen)
    screen.title(prepared.title)
    with st.container(key="offers"):  # as high for one number as for two
        for number in prepared.offers:
            show.offer(number)
    show.lead(prepared.chart)

st.header("Draw the list", anchor=False)
for warning in prepared.warnings:
    show.note(warning)
handover.publishing(view, mechanism, prepared.origin)
show.files(prepared.files, primary=True)
for words, script in prepared.scripts:
    st.markdown(words)
    show.file_text(script)

solved = prepared.solved
with show.below(prepared.chart, prepared.how, chosen.cost.beside):
    st.markdown(prepared.promised)
    if solved and solved.headline:
        st.markdown(solved.headline)
    if solved and solved.less:
        show.offer(solved.less)

st.header("What is established, and what is left to do", anchor=False)
show.html_table(prepared.points, "sentences")

st.header("Record for the registry of deployments", anchor=False)
show.file_text(prepared.deployment)
asked = ("handover", {"mechanisms": (mechanism.card.key,)})
show.take_away(prepared.code, prepared.origin_of_code, asked)
