"""Page Class: students predict and draw on their phones, beside the exact law."""

import streamlit as st

from dptopk.ui import show, snippets
from dptopk.ui.layout import shell
from dptopk.ui.sections import classroom

view = shell.view()
screen = show.Screen.opened()
room = classroom.resumed()
if room:
    screen.ask(f"Class {room.code}")
else:
    screen.ask(
        "What does your class predict, and what do its random draws show?",
        "No class is open. Students join on their phones with a code, predict, then draw; you "
        "reveal the exact probabilities beside their draws.",
    )
hero = st.container()
prepared = classroom.prepared(view, show.controls())
if room:
    classroom.board(room, prepared)
else:
    classroom.closed(prepared, hero)
with st.expander("Data stored about students", icon=":material/shield_person:"):
    st.markdown(classroom.PRIVACY)
if prepared:
    mechanisms = view.at(prepared.case.k, prepared.case.counts, by_law=True)
    show.take_away(
        snippets.small(prepared.case.python, mechanisms, classroom.CODE),
        prepared.case.origin(mechanisms, "exact"),
    )
classroom.keep_key()
