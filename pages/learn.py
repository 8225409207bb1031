"""Page Learn: lessons with a small example, a prediction and the exact answer."""

import streamlit as st

from dptopk.ui import show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import unbroken
from dptopk.ui.layout import presentation, shell
from dptopk.ui.sections import deck_editor, learn
from dptopk.ui.widgets import law_by_setting

view = shell.view()
controls, screen = show.controls(), show.Screen.opened()  # lessons above, where none moves them
if inputs.is_gallery(learn.LESSON):
    screen.ask(
        "What would you predict?",
        "Ten lessons: a small example, your prediction, and the exact answer.",
    )
    deck_editor.offer()
    learn.gallery()
    learn.for_teachers()
    show.done()
chosen = learn.choose(view, controls)
screen.ask(chosen.lesson.text.title, unbroken(chosen.example.words))
show.chapters(learn.chapters(chosen))
if presentation.is_slide():
    learn.slide(view, chosen)
    show.done()
with st.container():  # so that what follows keeps its place when a deck is opened
    deck_editor.offer()
example, question = st.columns(2, gap="medium")
with example:
    learn.moving(chosen)
    if chosen.example.n_steps or not chosen.example.moving:  # else it says the same
        show.chart(chosen.example.chart, brief=True)
    learn.stepped(chosen)
with question:
    learn.asked(chosen)
    answer = learn.answer(chosen)
    if chosen.revealed:
        st.header("Why", anchor=False)
        st.markdown(unbroken(answer.why))
onward = learn.onward(chosen)
if not chosen.revealed:
    show.button_row("lessons", onward)
else:
    if answer.by_setting:
        law_by_setting.show(answer.by_setting)
    st.markdown(unbroken(f"**The point.** {chosen.lesson.say('The point')}"))
    on_data = learn.on_data(chosen.lesson, view)
    st.header("On the current data", anchor=False)
    st.markdown(on_data.words)
    if on_data.chart:
        show.chart(on_data.chart)
    show.button_row("lessons_after", onward)
with st.expander("Teacher’s notes", icon=":material/school:"):
    st.markdown(learn.notes(chosen))
learn.for_teachers()
show.take_away(answer.code, chosen.example.chart.origin)
