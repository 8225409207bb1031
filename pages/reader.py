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
    judged = reading.choose(view, controls)
    result = reading.assessed(view, judged)
    origin = reading.origin_of(view, judged, result)
    tiles = reading.tiles(result)
    chart = reading.chart(result, origin, tiles)
    warning = reading.warning(view, judged, result)
    screen.title(reading.title(result, missing=bool(warning)))
    if warning:
        show.note(warning)
    st.caption(reading.headline(view, judged, result))
    if back := reading.back(judged):
        show.offer(back)
    show.lead(chart)
if judged.published.names is None:
    show.redraw("Another example", "draw", "secondary")
with show.below(chart, reading.caption(result)):
    show.tiles(tiles)
    show.table(reading.names(result, origin, view.unit))

st.header("What these chances are", anchor=False)
st.markdown(reading.verdict(result))
st.markdown(reading.MEANING)
st.markdown(reading.rests_on(view, judged, result))

st.header("Other likely names", anchor=False)
sentence, others = reading.others(result, origin, view.unit)
st.markdown(sentence)
if others:
    show.table(others)
show.take_away(reading.code(view, judged), origin)
