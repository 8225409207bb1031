"""Page Read a list: how far each name of a published list can be trusted."""

import streamlit as st

from dptopk.ui import show
from dptopk.ui.layout import shell
from dptopk.ui.sections import reading

view = shell.view()
with show.first_screen() as screen:
    controls = show.controls()
    screen.ask_first(
        "How far can each name on a published list be trusted?",
        "For readers, who do not see the counts: noise puts some names on the list by chance.",
    )
    asked = reading.choose(view, controls)
    found = reading.assessed(view, asked)
    origin = reading.origin_of(view, asked, found)
    tiles = reading.tiles(found)
    chart = reading.chart(found, origin, tiles)
    warning = reading.warning(view, asked, found)
    screen.title(reading.title(found, missing=bool(warning)))
    if warning:
        show.note(warning)
    st.caption(reading.headline(view, asked, found))
    if back := reading.back(asked):
        show.offer(back)
    show.lead(chart)
if asked.published.names is None:
    show.redraw("Another example", "draw", "secondary")
with show.below(chart, reading.caption(found)):
    show.tiles(tiles)
    show.table(reading.names(found, origin, view.unit))

st.header("What these chances are", anchor=False)
st.markdown(reading.verdict(found))
st.markdown(reading.MEANING)
st.markdown(reading.rests_on(view, asked, found))

st.header("Other likely names", anchor=False)
said, others = reading.others(found, origin, view.unit)
st.markdown(said)
if others:
    show.table(others)
show.take_away(reading.code(view, asked), origin)
