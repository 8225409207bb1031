"""Run a class: students predict and draw on their phones before the answer is revealed.

The parts of its page, and of a lesson while a class is open.
"""

import contextlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import segno
import streamlit as st

from dptopk import figures
from dptopk.core import application
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.questions.origin import TRUE_COUNTS
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View
from dptopk.simulation.summaries import wilson_interval
from dptopk.ui import keys, results, show
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.formats import counted, plain, plural
from dptopk.ui.sections import poll
from dptopk.ui.sections.poll import ASKED, Poll, Question
from dptopk.ui.server.classroom import (
    ABSENT_MINUTES,
    CLASSROOMS,
    HOURS,
    MOST_DRAWS,
    MOST_STUDENTS,
    OF_AN_ADDRESS,
    Classroom,
    ClassroomError,
    Results,
)
from dptopk.ui.server.session_limits import client_of
from dptopk.ui.show import Button, Chart, Tile
from dptopk.ui.widgets import class_keys

_SECONDS = 1.0  # between two looks at the answers
_JOIN = application.script().parent / "pages" / "join.py"
_AXES, _ROW = 110, 25  # pixels of the axes of a figure, and of a row
_DRAWS, _PREDICTIONS, _NOTHING = "draws", "predictions", "nothing"
_SHOWN = {_PREDICTIONS: "Predictions", _DRAWS: "Draws", _NOTHING: "Nothing"}
_DELETES = "The answers so far are deleted."
_DELETING = "class-deleting"  # the key of its popover
_LOCAL = ("localhost", "127.0.0.1", "::1")
PRIVACY = (
    "No account and no name: of each student this server keeps the network address and a random "
    f"seed, and, until the next question, one prediction and at most {MOST_DRAWS} draws, in memory "
    "alone. All is deleted when the class is closed, when its teacher has been away for "
    f"{ABSENT_MINUTES} minutes, and after {HOURS} hours. A student's browser keeps a random key, "
    "with which a page that is reloaded or opened in another tab continues as the same student; "
    "the teacher's tab keeps the teacher's key likewise, until it is closed. No student can see, "
    "change or delete the answers of another. Who clears the browser's data can answer once more: "
    f"a class has at most {OF_AN_ADDRESS} students of one network address, {MOST_STUDENTS:,} in "
    "all."
)


CODE = """
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
    print(mechanism.label)
    print(law.to_frame().to_string())
"""


@dataclass(frozen=True)
class PreparedQuestion:
    """The question that is prepared, with its counts."""

    case: SmallCase
    poll: Poll


def prepared(view: View, place: Any) -> PreparedQuestion | None:
    """Draw the controls of the question behind a button.

    None is returned while they hold no question: what is wrong with it is said there.
    """
    which = "first" if taught() is None else "next"
    place = place.popover(f"Prepare the {which} question", icon=":material/edit:")
    with place, contextlib.suppress(show.PageEnd):
        case = small_cases.choose(view, place, most_outputs=poll.MOST_OUTPUTS)
        mechanism = inputs.one_mechanism(place, view.at(case.k, case.counts, by_law=True))
        kind = inputs.choice(place, ASKED, look="select")
        made = results.remembered(poll.make, case.counts, mechanism, kind, size=1_000)
        return PreparedQuestion(case, made)
    return None


def taught() -> Classroom | None:
    """Return the class that this session teaches."""
    key = st.session_state.get(keys.TAUGHT)
    return None if key is None else CLASSROOMS.taught(key)


def resumed() -> Classroom | None:
    """Return the class that this session teaches, or else that whose key the browser's tab holds.

    The page was loaded anew then.
    """
    room, held = taught(), class_keys.reported("teacher")
    if room is None and (room := CLASSROOMS.taught(held)) is not None:
        st.session_state[keys.TAUGHT] = held
    return room


def keep_key() -> None:
    """Have the browser's tab hold the key of the class, for when its page is loaded anew."""
    class_keys.keep("teacher", "", st.session_state.get(keys.TAUGHT))


def board(room: Classroom, question: PreparedQuestion | None) -> None:
    """Show how to join, and the present question with its answers, looked up every second."""
    invitation, answers = st.columns((1, 2), gap="medium")
    with invitation:
        _invitation(room)
    with answers:
        show.live(partial(_board, question), _SECONDS, partial(_slide, question))


def closed(question: PreparedQuestion | None, place: Any) -> None:
    """Offer to open a class at a place, and show the question; a slide has both together."""

    def ask(draw: Callable[[Chart], None]) -> None:
        st.markdown(_words(question))
        if question:
            case, title = question.case, "The counts of the question."
            origin = case.origin((), TRUE_COUNTS)  # they tell nothing of its answer
            chart = show.counts_chart(
                case.counts, case.counts.d, case.unit, "counts", title, origin
            )
            draw(chart)

    def on_slide() -> None:
        _offer()
        ask(show.lead)

    with place:
        show.live(_offer, None, on_slide)
    if keys.PRESENTATION not in st.session_state:
        ask(show.chart)


def _offer() -> None:
    """Offer to open a class, or to join one; show the class once it is open."""
    if taught() is not None:
        st.rerun()
    if st.session_state.get(keys.TAUGHT):
        st.markdown(
            "**No open class has this key: it is closed, or the server was started anew, and its "
            "answers are deleted.**"
        )
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        show.button(Button("Open a class", "class-open", _open), type="primary")
        with st.popover("Resume a class", icon=":material/key:"):
            st.text_input(
                "Teacher’s key", type="password", key="class-key", max_chars=100, on_change=_resume
            )
            st.caption(
                f"Resume a class with its key within {ABSENT_MINUTES} minutes after its page was "
                "closed; one that is loaded anew resumes by itself. If the server was started "
                "anew, it is gone: open another, and show students its code."
            )
        st.page_link(_JOIN, label="Join a class as a student", icon=":material/login:")
        _reached()
    if reason := st.session_state.pop(keys.CLASS_SAID, ""):
        st.markdown(f"**{reason}**")


def _invitation(room: Classroom) -> None:
    """Show how to join, and the key with which the teacher goes on."""
    _way_in(room)
    _reached()
    with st.popover("Teacher’s key", icon=":material/key:"):
        st.markdown(
            "With this key you resume the class in another tab or browser, within "
            f"{ABSENT_MINUTES} minutes."
        )
        st.code(room.key, language=None)


def _reached() -> None:
    """Warn that phones cannot reach an address of this computer alone."""
    if urlsplit(_address()).hostname in _LOCAL:
        st.caption("Phones cannot join from localhost: publish the app.", width="content")


def _way_in(room: Classroom) -> None:
    base = _address()
    link = f"{base}?code={room.code}"
    uri = segno.make(link, error="m").svg_data_uri(border=3, light="#fff", dark="#000")
    st.html(
        f'<div class="class-code"><p>Code</p><strong>{escape(room.code)}</strong>'
        f'<img src="{escape(uri)}" alt="QR code of the address {escape(link)}">'
        f"<p>{escape(base.partition('://')[2] or base)}</p></div>"
    )


def _address() -> str:
    """Return the address at which students join: that of this page, as the browser names it."""
    here = urlsplit(st.context.url or "")
    return here._replace(
        path=here.path.rpartition("/")[0] + "/join", query="", fragment=""
    ).geturl()


def _board(question: PreparedQuestion | None) -> None:
    """Show the present question with the answers of all, and the buttons of the teacher."""
    room = taught()
    if room is None:
        st.rerun()
    answers = room.results()
    st.markdown(_words(question, answers))
    show.tiles(_tiles(answers), "class")
    _figure(answers, _steps(room, answers, question))
    with st.container(horizontal=True, gap="small"):
        if current := answers.asked:
            icon = ":material/delete_sweep:"
            with st.popover("Delete the answers", icon=icon, key=_DELETING, on_change="rerun"):
                st.markdown("The class stays open, and is asked the same question once more.")
                again = current.question, current.n_options, current.n_outputs
                act = partial(_delete_answers, room.key, again)
                show.button_row("class_empty", [Button("Delete them", "class-empty", act)])
        label = "Admit more students" if answers.locked else "Admit no more students"
        act = partial(_act, room.key, Classroom.lock, not answers.locked)
        show.button_row("class_end", [Button(label, "class-lock", act)])
        with st.popover("Close the class", icon=":material/close:"):
            st.markdown("It ends for all students, and its answers are deleted.")
            close = Button("Close it", "class-close", partial(_close, room.key))
            show.button_row("class_close", [close])


def _slide(question: PreparedQuestion | None) -> None:
    """Show the board on a slide: the way in and the buttons beside the question and its figure."""
    room = taught()
    if room is None:
        st.rerun()
    answers = room.results()
    left, large = st.columns((1, 3), gap="medium")
    with left:
        _way_in(room)
        show.tiles(_tiles(answers), "class")
    with large:
        st.markdown(_words(question, answers))
        stage = _steps(room, answers, question)
        _figure(answers, stage) if answers.asked else _reached()


def _words(question: PreparedQuestion | None, answers: Results | None = None) -> str:
    """Return the present question, or the one that is prepared while none is asked."""
    if answers and answers.asked:
        current: Question = answers.asked.question
        return f"**{current.words}** {current.case}"
    if question is None:
        return "The question that is prepared cannot be asked."
    return f"The first question: {question.poll.words} {question.poll.case}"


def _figure(answers: Results, stage: str) -> None:
    if answers.asked is None:
        return
    current: Question = answers.asked.question
    if stage == _DRAWS and isinstance(current, Poll):
        show.lead(_draws(answers, current))
    elif stage != _NOTHING:
        show.lead(_predictions(answers, current))


def _tiles(answers: Results) -> list[Tile]:
    students = Tile("Students", f"{answers.n_present:,}")
    if answers.asked is None:
        return [students]
    current: Question = answers.asked.question
    n_predictions = sum(answers.predictions)
    tiles = [students, Tile("Predictions", f"{n_predictions:,}")]
    if isinstance(current, Poll):
        tiles.append(Tile("Draws", f"{sum(answers.draws):,}"))
    if answers.revealed:
        right = sum(answers.predictions[i] for i in current.right)
        kind = f"{right:,} of {n_predictions:,} predicted it" if n_predictions else "exact"
        if not isinstance(current, Poll):
            return [*tiles, Tile("Right", f"{right:,} of {n_predictions:,}")]
        of_names = current.options == current.names
        what = ", ".join(current.said[i] for i in current.right) if of_names else "The answer"
        tiles.append(Tile(what, current.chance, kind))
    return tiles


def _steps(room: Classroom, answers: Results, question: PreparedQuestion | None) -> str:
    """Draw the next steps, and the choice of a figure, which is returned."""
    current: Question | None = answers.asked.question if answers.asked else None
    prepared: Question | None = question.poll if question else current
    with st.container(horizontal=True, gap="small"):
        with show.buttons("class"):
            if prepared:
                n_answers = len(prepared.options), len(prepared.names)
                act = partial(_act, room.key, Classroom.ask, prepared, *n_answers)
                ask = Button("Ask it", "class-ask", act)
                if answers.asked:
                    again = prepared.key == answers.asked.question.key
                    label = "Ask it again" if again else "Ask the next question"
                    # closed once it is asked: then it is another one
                    with st.popover(label, key=f"class-ask-after-{answers.asked.number}"):
                        st.markdown(_DELETES)
                        show.button(ask)
                else:
                    show.button(ask, type="primary")
            if current:  # not where Ask it was: a double click would reveal
                label = "Hide the answer" if answers.revealed else "Reveal the answer"
                act = partial(_act, room.key, Classroom.reveal, not answers.revealed)
                look = "secondary" if answers.revealed else "primary"
                show.button(Button(label, "class-reveal", act), type=look)
        if current is None or answers.asked is None:
            return _NOTHING
        offered = list(_SHOWN) if isinstance(current, Poll) else [_PREDICTIONS, _NOTHING]
        usual = _DRAWS if answers.revealed and any(answers.draws) else _PREDICTIONS
        chosen = st.session_state.get(keys.CLASS_SHOWN, {})  # of this question; kept on a slide
        number, key = answers.asked.number, f"class-shown-{answers.asked.number}-{usual}"
        return st.segmented_control(
            "Show",
            offered,
            default=chosen.get(number, usual),
            required=True,
            format_func=_SHOWN.__getitem__,
            key=key,
            on_change=_show,
            args=(number, key),
            label_visibility="collapsed",
        )


def in_lesson(question: Callable[[], Question], hide: Callable[[], None]) -> None:
    """Draw what the open class adds to the page of a lesson; nothing without a class.

    Before the class is asked, ``hide`` hides the answer and the prediction of its teacher.
    """
    if CLASSROOMS.are_open:
        keep_key()
    if resumed():
        made = question()
        before = is_asked_in_lesson(made.key)
        show.live(partial(_beside_lesson, made, hide, before=before), _SECONDS)


def is_asked_in_lesson(key: Hashable) -> bool:
    """Return True if the present question of the open class is that of a lesson."""
    room = taught()
    current = room.results().asked if room else None
    return current is not None and current.question.key == key


def reveal_in_lesson(key: str, revealed: bool) -> None:
    """Show the class the answer of a lesson's question, or hide it, if it was asked."""
    if is_asked_in_lesson(key) and (room := taught()):
        room.reveal(revealed)


def _beside_lesson(question: Question, hide: Callable[[], None], *, before: bool) -> None:
    """Offer to ask the class; show how many answered, and what, once the answer is shown.

    ``before`` is True if it was asked before the page was drawn.
    """
    room = taught()
    if room is None:
        return
    answers = room.results()
    current: Question | None = answers.asked.question if answers.asked else None
    if current is None or question.key != current.key:
        act = partial(_ask_of_lesson, room.key, question, hide)
        label = f"Ask the class: {plural(answers.n_present, 'student')}"
        show.button_row("class", [Button(label, "class-ask", act, _DELETES if current else None)])
        if current:
            st.caption("The class still has another question.")
        return
    if not before:  # the page still shows what was hidden
        st.rerun()
    show.tiles(_tiles(answers), "class")
    if answers.revealed:
        show.lead(_predictions(answers, current))


def _ask_of_lesson(key: str, question: Question, hide: Callable[[], None]) -> None:
    hide()
    _act(key, Classroom.ask, question, len(question.options), 0)


def _predictions(answers: Results, question: Question) -> Chart:
    right = [answers.revealed and i in question.right for i in range(len(question.options))]
    names = [f"{'✓ ' if r else ''}{name}" for name, r in zip(question.options, right, strict=True)]
    chosen = right if answers.revealed else [True] * len(right)
    words = "; ".join(
        f"{plain(n)}: {v}" for n, v in zip(names, answers.predictions, strict=True) if v
    )
    return Chart(
        figures.amounts(names, answers.predictions, "students", "%{x:,}", chosen, lines=2),
        "predictions",
        "Predictions of the class.",
        replace(question.origin, computed="predictions of students"),
        height=figures.height_of_rows(len(names)),
        least=_AXES + _ROW * len(names),
        finding=words or "There are none.",
    )


def _draws(answers: Results, question: Poll) -> Chart:
    """Plot the draws of all students; the exact probabilities once they are revealed."""
    n, n_rows = sum(answers.draws), len(answers.draws)
    drawn = np.array(answers.draws)
    share = drawn / max(n, 1)
    low, high = wilson_interval(drawn, n) if n else (share, share)
    shares = Estimate.of_arrays((share, low, high), n, PROBABILITY)
    words = [one.text if n else "–" for one in shares]
    kind = question.mechanism.outputs
    short = figures.short_labels(
        [(kind, row) for row in question.outputs.tolist()], question.counts.items
    )
    lines = [
        f"{plain(name)} {word}" + (f", exact {exact}" if answers.revealed else "")
        for name, word, exact in zip(question.names, words, question.written, strict=True)
    ]
    return Chart(
        figures.pooled_draws(
            question.names,
            (share, low, high),
            question.probabilities if answers.revealed else None,
            question.mechanism.card.style,
            drawn_words=words,
            words=question.written,
            short=short,
        ),
        "class-draws",
        f"{counted(n, 'draws')} of all students"
        + (", with the exact probabilities." if answers.revealed else "."),
        replace(question.origin, computed="draws of students"),
        height=figures.height_of_rows(n_rows),
        least=_AXES + _ROW * n_rows,
        finding="; ".join(lines),
    )


def _open() -> None:
    try:
        room = CLASSROOMS.open(client_of(st.context.ip_address or ""))
    except ClassroomError as error:
        st.session_state[keys.CLASS_SAID] = str(error)
        return
    st.session_state[keys.TAUGHT] = room.key


def _resume() -> None:
    st.session_state[keys.TAUGHT] = st.session_state["class-key"]


def _close(key: str) -> None:
    CLASSROOMS.close(key)
    st.session_state[keys.TAUGHT] = ""
    st.session_state[keys.CLASS_SAID] = "The class is closed, and its answers are deleted."


def _delete_answers(key: str, again: tuple[Any, ...]) -> None:
    """Ask the present question anew, which deletes its answers, and close the popover."""
    _act(key, Classroom.ask, *again)
    st.session_state[_DELETING] = False
    st.toast("The answers were deleted.", icon=":material/delete_sweep:")


def _show(number: int, key: str) -> None:
    """Keep which figure of the answers to a question, by its number, was chosen."""
    st.session_state[keys.CLASS_SHOWN] = {number: st.session_state[key]}


def _act(key: str, do: Callable[..., None], *arguments: Any) -> None:
    """Call a method of the class of a teacher's key, if it is still open."""
    if (room := CLASSROOMS.taught(key)) is not None:
        do(room, *arguments)
