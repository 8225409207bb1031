"""Show a class to one student: predict, draw, and see the answer after it is revealed."""

from collections import Counter
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from dptopk.core import application
from dptopk.core.parameters import Text
from dptopk.ui import address, exports, keys, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import share
from dptopk.ui.sections.poll import Poll, Question
from dptopk.ui.server.classroom import (
    CLASSROOMS,
    MOST_DRAWS,
    MOST_GUESSES,
    N_LETTERS,
    Classroom,
    ClassroomError,
    Own,
    normalized,
)
from dptopk.ui.server.session_limits import client_of
from dptopk.ui.show import Button
from dptopk.ui.widgets import class_keys, law_by_setting

CODE = Text(
    "code", "Code of the class", "", 40, f"The {N_LETTERS} letters on the teacher's screen."
)
_APP = application.script().parent / "pages" / "release.py"
_SECONDS = 2.0  # between two looks for a new question or an answer
_AT_ONCE = 10  # draws of the second button


def room(place: Any) -> Classroom | None:
    """Return the class of the code, which is asked for unless it is that of a class."""
    guessed: set[str] = st.session_state.setdefault(keys.GUESSED, set())
    code = normalized(address.value(CODE))
    class_room = CLASSROOMS.find(code) if len(guessed) < MOST_GUESSES else None
    if class_room is None:
        inputs.text(place, CODE)
        place.button("Join", key="class-join", type="primary")  # leaving the text box enters it
        if code and len(guessed) < MOST_GUESSES:
            guessed.add(code)
    return class_room


def refusal() -> None:
    """Say why a code does not lead into a class, if one was tried; link the app without one."""
    tried, typed = st.session_state[keys.GUESSED], normalized(address.value(CODE))
    if len(tried) >= MOST_GUESSES:
        show.problem(
            "Too many wrong codes",
            f"{MOST_GUESSES} wrong codes were tried here: reload this page, and type the code as "
            "the teacher's screen shows it.",
        )
    elif tried and typed:
        show.problem(
            "No class has this code",
            f"{typed[: N_LETTERS + 4]} is not the code of an open class: compare it with the "
            f"{N_LETTERS} letters on the teacher's screen. A class ends when it is closed and when "
            "the server is started anew: the next one has another code.",
        )
    st.page_link(_APP, label="Without a code: open the app")


def answers(room: Classroom) -> None:
    """Show the class to this student, who joins if need be."""
    try:
        student = _student(room)
    except ClassroomError as error:
        show.problem("You cannot join", str(error))
        return
    show.live(partial(_own, room.code, student), _SECONDS)
    st.caption(
        "Stored about you while the class is open, only in memory: your network address, a random "
        "seed, and, until the next question, one prediction and your draws. Nobody sees whose they "
        "are. This browser keeps a random key: a page that is reloaded, or opened in another tab, "
        "goes on with your answers."
    )


def _student(room: Classroom) -> str:
    """Return the key of the student of this session, who joins if need be.

    Another tab, or the page loaded anew, goes on as the student whose key the browser holds.
    """
    joined: dict[str, str] = st.session_state.setdefault(keys.JOINED, {})
    student = joined.get(room.code, "")
    before = class_keys.reported("student")
    if before != student and room.own(before) is not None:
        room.leave(student)
        student = before
    try:
        if room.own(student) is None:
            student = ""
            student = room.join(client_of(st.context.ip_address or ""))
        joined[room.code] = student
        return student
    finally:  # also where nobody is admitted: the browser may hold a key
        class_keys.keep("student", room.code, student)


def _own(code: str, student: str) -> None:
    room = CLASSROOMS.find(code)
    if room is None:
        st.markdown("**This class is closed, and all its answers are deleted.**")
        if st.button("Join another class", type="primary"):
            address.choose(CODE, "")
            st.rerun()
        return
    mine = room.own(student)
    if mine is None:  # another one took the place of a phone that was locked
        st.rerun()
    if mine.asked is None:
        st.markdown("**You are in.** The question appears here as soon as it is asked.")
        return
    question: Question = mine.asked.question
    st.markdown(question.case)
    st.markdown(f"**{question.words}**")
    if mine.revealed:
        guess = "You made no prediction."
        if mine.prediction is not None:
            sign = "✓" if mine.prediction in question.right else "✗"
            guess = f"{sign} You predicted {question.said[mine.prediction]}."
        st.markdown(f"**{question.answer} (exact).** {guess}")
        if isinstance(question, Poll):
            law_by_setting.show(question.law)
        else:
            st.markdown(question.why)
    else:
        with st.container(key="class_predict"):
            _predict(code, student, mine, question)
    if not isinstance(question, Poll):
        return
    if mine.prediction is None and not mine.ended:
        return
    _draws(code, student, mine, question)


def _predict(code: str, student: str, mine: Own, question: Question) -> None:
    """Ask for a prediction, which may be changed until the first draw."""
    assert mine.asked is not None
    number = mine.asked.number
    key = f"class-predict-{code}-{number}"
    if st.session_state.get(key) != mine.prediction:  # changed in another tab, or refused
        st.session_state[key] = mine.prediction
    st.radio(
        "Your prediction",
        range(len(question.options)),
        index=None,
        format_func=question.said.__getitem__,
        key=key,
        on_change=_send,
        args=(code, student, number, key),
        disabled=bool(mine.draws) or mine.ended,
    )
    if mine.ended:
        st.caption("The answer was shown: no prediction is taken any more.")
    elif isinstance(question, Poll):  # always a line, so that no button below moves
        until = "Your prediction stands since" if mine.draws else "You may change it until"
        st.caption(
            "Predict first, then draw." if mine.prediction is None else f"{until} your first draw."
        )


def _send(code: str, student: str, number: int, key: str) -> None:
    room, option = CLASSROOMS.find(code), st.session_state[key]
    if room is not None and option is not None:
        room.predict(student, number, int(option))


def _draws(code: str, student: str, mine: Own, poll: Poll) -> None:
    """Offer to draw, and show the student's own draws."""
    assert mine.asked is not None
    if len(mine.draws) < MOST_DRAWS:
        draw = partial(_draw, code, student)
        with show.buttons("draw"):
            show.button(Button("Draw", "class-draw", partial(draw, 1)), type="primary")
            more = Button(f"Draw {_AT_ONCE}", "class-draw-more", partial(draw, _AT_ONCE))
            show.button(more, type="secondary")
    if mine.draws:
        st.html(_table(poll, mine))
    st.caption(
        f"Your own seed: {mine.seed}. Your draws: {len(mine.draws)} of at most {MOST_DRAWS}."
    )


def _draw(code: str, student: str, n: int) -> None:
    room = CLASSROOMS.find(code)
    mine = None if room is None else room.own(student)
    if room is None or mine is None or mine.asked is None:
        return
    poll: Poll = mine.asked.question
    number = mine.asked.number
    room.draw(student, number, poll.drawn(mine.seed, number, len(mine.draws), n))


def _table(poll: Poll, mine: Own) -> str:
    """Return the student's draws by output as HTML, the last one named above."""
    n, drawn = len(mine.draws), Counter(mine.draws)
    last = escape(poll.names[mine.draws[-1]])
    rows = [
        {"Output": name, "Your draws": f"{drawn[i]} ({share(drawn[i] / n)})"}
        | ({"Exact": poll.written[i]} if mine.revealed else {})
        for i, name in enumerate(poll.names)
        if drawn[i] or mine.revealed
    ]
    return (
        f'<p class="class-draw">Your last draw: <strong>{last}</strong></p>'
        f'<div class="sentences">{exports.table_html(pd.DataFrame(rows))}</div>'
    )
