"""Page Learn: lessons with a small example, a prediction and the exact answer."""

import streamlit as st

from dptopk.ui.frame import shell
from dptopk.ui.presenters.learn import presenter as learn
from dptopk.ui.widgets import elements, redraw

view = shell.view()
head = st.container()
chosen = learn.choose(view, elements.controls())
with head:
    elements.heading(*learn.question(chosen))
elements.chapters(learn.chapters(chosen))
picture, asked = st.columns([3, 2], gap="medium")
with picture:
    elements.chart(chosen.example.chart)
with asked:
    if chosen.example.n_steps:
        st.markdown(learn.progress(chosen))
        elements.buttons(learn.steps(chosen), "steps")
    if chosen.lesson.draws:
        redraw.button("Draw again", "draw", primary=False)
    with st.container(key="prediction", border=True):
        elements.buttons(learn.predict(chosen, st), "predict", primary=True)
if chosen.revealed:
    shown = learn.present(view, chosen)
    elements.section("The answer")
    elements.tiles(shown.tiles, "prediction")
    st.markdown(shown.verdict)
    st.markdown(shown.why)
    elements.chart(shown.answer)
    st.markdown(shown.point)
    elements.section("On the current data")
    st.markdown(shown.on_data.words)
    if shown.on_data.chart:
        elements.chart(shown.on_data.chart)
elements.buttons(learn.beside(chosen), "lessons")
with st.expander("Teacher’s notes", icon=":material/school:"):
    st.markdown(learn.notes(chosen))
with st.expander("A deck for your class", icon=":material/slideshow:"):
    learn.decks()
with st.expander("Exercise sheets for your class", icon=":material/assignment:"):
    learn.homework()
elements.code(learn.code(view, chosen), chosen.example.chart.origin)
