"""Parts of a lesson’s page: an example, a prediction by the reader, and the exact answer."""

import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk import figures
from dptopk.core.parameters import Choice, Number, Several
from dptopk.core.privacy import NeighborRelation
from dptopk.data import sources
from dptopk.homework.documents import archive
from dptopk.homework.exercises import KINDS
from dptopk.homework.grading import Homework, HomeworkError, names_of
from dptopk.mechanisms import NoClosedFormError
from dptopk.questions import settings
from dptopk.questions.view import RefusedError, View
from dptopk.ui import address, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plain, unbroken
from dptopk.ui.layout import deck_player, presentation
from dptopk.ui.sections import classroom, deck_editor
from dptopk.ui.sections.lessons import (
    attack,
    broken,
    coins,
    noise_swaps,
    observer,
    one_choice,
    order,
    race,
    rounds,
    unknown_items,
)
from dptopk.ui.sections.lessons.lesson import COMMON, NO_GUESS, Answer, Example, Lesson, OnData
from dptopk.ui.sections.poll import TENTHS, Question, tenths
from dptopk.ui.server import work
from dptopk.ui.show import Button, Chapters, Chart, Tile
from dptopk.ui.widgets import law_by_setting, moving_draws, moving_limit
from dptopk.ui.widgets.moving_draws import MovingDraws
from dptopk.ui.widgets.moving_limit import MovingLimit

MODULES = (
    *(attack, noise_swaps, race, coins, rounds),
    *(one_choice, order, observer, broken, unknown_items),
)
LESSONS = {module.LESSON.key: module.LESSON for module in MODULES}
LESSON = Choice(
    "lesson",
    "Lesson",
    {settings.ALL: "all"} | {key: f"{key}. {lesson.text.title}" for key, lesson in LESSONS.items()},
    "1",
)
STEP = Number("step", "Step", 0, 20, 0)
REVEALED = Several("revealed", "Answers shown", {key: key for key in LESSONS}, ())
_ROWS = 500  # of trials, that an answer takes the room of
_THIRD = 3  # figure of a revealed lesson, as links to a slide name it: that of the data
_FLAT = 0.75  # of its height, where names and legend have room for a line each
_LARGE = 1.15  # times the size of figures on the page, as the words in deck.css
_CLOSE = 5  # a number so far off, of 100, is called close
MAX_STUDENTS = 200  # of one download, which takes some seconds
_SHEETS = (
    f"{len(KINDS)} exercises whose answers come out by hand, with other "
    "numbers for each student. The archive holds a page to print, a notebook and a form for the "
    "answers of each student; for you the solutions, question banks for Moodle (XML) and other "
    "learning systems (QTI 2.1), and a key. Keep the folder `teacher` to yourself. When the forms "
    "are back, `dptopk check FOLDER --key teacher/key.json` grades them, and settings files that "
    "the page Exact saves, named such as `ada-8.json`, where counts are asked for."
)


@dataclass(frozen=True)
class OpenLesson:
    """Chosen lesson, with its present step and whether its answer is shown."""

    lesson: Lesson
    example: Example
    step: int
    revealed: bool


def choose(view: View, place: Any) -> OpenLesson:
    """Choose a lesson, unless a slide has chosen it, and go through the steps of its example."""
    chosen = address.value(LESSON)
    lesson = LESSONS.get(chosen, LESSONS["1"])  # a slide without one has the first
    step = int(address.value(STEP))
    example = lesson.example(view, step)  # before the control, so that the words come with it
    if not presentation.is_slide():
        hidden: dict[str, Any] = {"label_visibility": "collapsed", "wrap": False}
        every = [*LESSONS]
        inputs.choice(place, LESSON, every, on_change=_begin, format_func=_in_strip, **hidden)
    revealed = lesson.key in address.value(REVEALED)
    return OpenLesson(lesson, example, min(step, example.n_steps), revealed)


def gallery() -> None:
    """Show a card of every lesson, with those marked whose answer was shown."""
    with st.container(key="lessons", horizontal=True, gap="small"):
        for key, lesson in LESSONS.items():
            data = lesson.text.data
            button = Button(f"**{key}. {lesson.text.title}**", f"lesson-{key}", partial(_go, key))
            seen = " · ✓ seen" if key in address.value(REVEALED) else ""
            picture = show.card(button, f"{data['minutes']} minutes{seen}")
            picture.markdown(f":material/{data['icon']}:")


def _in_strip(key: str) -> str:
    """Return the short name of a lesson, marked if its answer was shown."""
    mark = " ✓ " if key in address.value(REVEALED) else "\u2002·\u2002"  # equally wide: none moves
    return f"{key}{mark}{LESSONS[key].text.data['name']}"


def for_teachers() -> None:
    """Offer decks and exercise sheets."""
    with st.expander("A deck for your class", icon=":material/slideshow:"):
        deck_editor.decks()
    with st.expander("Exercise sheets for your class", icon=":material/assignment:"):
        _sheets()


def _sheets() -> None:
    """Show the control for the names of students, and the download of their sheets."""
    st.markdown(_SHEETS)
    typed = st.text_area(
        "Students, one name a line",
        key="homework-students",
        max_chars=20_000,
        placeholder="Ada\nGrace",
        help="Names go into the sheets and into the key. They are kept nowhere else, and are in no "
        f"link. At most {MAX_STUDENTS}; for more use `dptopk homework`.",
    )
    students: tuple[str, ...] = ()
    if typed and typed.strip():
        try:
            students = names_of(typed.splitlines())
            if len(students) > MAX_STUDENTS:
                raise HomeworkError(
                    f"{len(students):,} students are named, at most {MAX_STUDENTS} can be here: "
                    "use dptopk homework"
                )
        except HomeworkError as error:
            students = ()
            show.problem("These names cannot be used", f"{plain(error, 300)}.")
    show.download(
        "Exercise sheets (ZIP)",
        "dptopk-learn-homework.zip",
        partial(_archive, students) if students else b"",
        "homework-files",
        look="secondary",
        disabled=not students,
    )


def _archive(students: tuple[str, ...]) -> bytes:
    """Return the sheets under a new random seed, which only the key holds."""
    return archive(Homework(secrets.randbits(63), students))


def chapters(chosen: OpenLesson) -> Chapters:
    """Return the lessons, which a presentation goes through."""
    return Chapters(LESSON, tuple(LESSONS), chosen.lesson.key, _present)


def slide(view: View, chosen: OpenLesson) -> None:
    """Draw the part of a lesson that is shown on a slide: one figure, and the words beside it."""
    playing = deck_player.playing()
    deck_player.note(notes(chosen, playing.slide.minutes if playing else 0.0))
    with st.container(key="lesson_slide"):
        if chosen.revealed:
            _revealed_slide(view, chosen)
            return
        if chosen.example.moving and not chosen.step:
            left, right = st.columns(2, gap="medium")
            with left:
                moving(chosen)
        else:
            right = _beside_figure(chosen.example.chart)
        with right:
            stepped(chosen)
            asked(chosen)


def _revealed_slide(view: View, chosen: OpenLesson) -> None:
    """Draw the part of a lesson with its answer that is chosen above it."""
    lesson, revealed = chosen.lesson, answer(chosen)
    law, parts = revealed.by_setting, {"example": "Example", "answer": "Answer"}
    parts |= {"law": f"Every {law.symbol}"} if law else {}
    in_class = classroom.is_asked_in_lesson(_of_class(lesson, chosen.step))
    parts |= {"class": "Class"} if in_class else {}
    parts |= {"data": "Current data"}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        part = st.segmented_control(
            "Show",
            [*parts],
            default="data" if address.value(settings.PRESENT) == _THIRD else "answer",
            required=True,
            format_func=parts.__getitem__,
            key=f"lesson-part-{lesson.key}",
            label_visibility="collapsed",
        )
        show.button_row("predict", [_hide(lesson)])
    if part == "example":
        with _beside_figure(chosen.example.chart):
            stepped(chosen)
        return
    if part == "data":
        of_data = on_data(lesson, view)
        with _beside_figure(of_data.chart):
            st.markdown(of_data.words)
        return
    why = unbroken(f"{revealed.why}\n\n**The point.** {lesson.say('The point')}")
    if part == "answer":
        tiles, verdict = _judged(chosen, revealed)
        with _beside_figure(_with_prediction(chosen, revealed)):
            show.tiles(tiles, "prediction")
            if _is_predicted(lesson):
                st.markdown(verdict)
            st.markdown(why)
        return
    left, right = st.columns(2, gap="medium")
    with left:
        if part == "class":
            _of_open_class(chosen)
        elif law:
            law_by_setting.show(law)
    right.markdown(why)


def _beside_figure(chart: Chart | None) -> DeltaGenerator:
    """Draw a figure with its settings, as large as a slide allows; return the place beside it."""
    if chart is None:
        return st.columns(1, gap="medium")[0]
    scale = 1.0 if show.is_narrow() else _LARGE
    left, right = st.columns(2, gap="medium")
    with left:
        show.lead(replace(chart, figure=figures.scaled(chart.figure, scale)))
        st.caption(f"{plain(chart.origin.data)} · {chart.origin.brief}")
    return right


def moving(chosen: OpenLesson) -> None:
    """Draw the part of the example that moves, with the prediction in it, if there is one."""
    picture, prediction = chosen.example.moving, chosen.lesson.prediction
    if isinstance(picture, MovingLimit):
        moving_limit.draw(picture)
    elif picture:
        # many draws tell the answer
        predicted = _is_predicted(chosen.lesson)
        picture = replace(picture, many=predicted or chosen.revealed)
        if predicted:
            guess = address.value(prediction)
            if isinstance(prediction, Choice):
                label = f"{picture.flag_words}; you: {prediction.options[guess]}"
                picture = replace(picture, flag_words=label)
            else:
                picture = replace(picture, flag=guess / 100, flag_words=f"you: {guess}")
        if chosen.revealed:
            exact = answer(chosen).exact
            label = "; ".join(
                f"{name}: {100 * p:.1f}" for name, p in zip(picture.names, exact, strict=True)
            )
            known = f"Exact, of 100, the thick lines: {label}."
            picture = replace(picture, exact=exact, known=known)
        moving_draws.show(picture)


def asked(chosen: OpenLesson) -> None:
    """Draw the place of the prediction; on a page with the figure that it stands in."""
    with st.container(key="prediction", border=True):
        if not presentation.is_slide():
            chart = _with_prediction(chosen, answer(chosen))
            flat = 1.0 if show.is_narrow() else _FLAT
            show.chart(replace(chart, height=int(flat * chart.height)), brief=True)
        with st.container(key="guess"):
            _predict(chosen)
    _of_open_class(chosen)


def stepped(chosen: OpenLesson) -> None:
    """Draw the buttons that change the step of the example, and the present one in words."""
    lesson, step, last = chosen.lesson, chosen.step, chosen.example.n_steps
    # each with a key of its own: a second press of one is none of the other, drawn in its place
    onward = Button("Next step", "next-step", partial(_step, lesson, 1, last), shortcut="s")
    anew = Button("Begin again", "begin-again", partial(_step, lesson, -last, last), shortcut="s")
    with show.buttons("steps"):
        if last:
            show.button(anew if step == last else onward)
        if step:
            show.button(Button("Step back", "step-back", partial(_step, lesson, -1, last)))
        if chosen.example.chart.origin.seed is not None:
            show.redraw("Draw again", "draw", "secondary")
    if last:
        names = lesson.named_steps(step, last)
        st.container(key="step").markdown(f"{names}\n\n{unbroken(chosen.example.step)}")


def _with_prediction(chosen: OpenLesson, revealed: Answer) -> Chart:
    """Return the figure of the answer with the prediction; its values come with the answer."""
    lesson, chart = chosen.lesson, revealed.chart
    figure, finding = chart.figure, chart.finding
    if not chosen.revealed:
        figure = figures.covered(figure, revealed.known)
        finding = "It tells nothing of the answer yet."
    guess = address.value(lesson.prediction)
    words = f"Your prediction: {_in_words(lesson.prediction, guess)}"
    points = lesson.points(guess) if _is_predicted(lesson) else []
    figure = figures.predicted(figure, points, words)
    return replace(chart, figure=figure, finding=f"{words}. {finding}")


def _in_words(prediction: Choice | Number, guess: Any) -> str:
    if guess in (None, NO_GUESS):
        return "none"
    return prediction.options[guess] if isinstance(prediction, Choice) else f"{guess:,}"


def _of_open_class(chosen: OpenLesson) -> None:
    classroom.in_lesson(partial(_question, chosen), partial(_hide_all, chosen.lesson))


def _question(chosen: OpenLesson) -> Question:
    """Return the prediction of the lesson as a class is asked; numbers are predicted by tenths."""
    prediction, revealed = chosen.lesson.prediction, answer(chosen)
    if isinstance(prediction, Choice):
        keys = [key for key in prediction.options if key != NO_GUESS]
        options = tuple(prediction.options[key] for key in keys)
        right, words = keys.index(str(revealed.value)), prediction.options[str(revealed.value)]
    else:
        options = tuple(option.replace("%", "") for option in TENTHS)  # of 100, as is asked
        right, words = tenths(float(revealed.value)), revealed.words
    return Question(
        _of_class(chosen.lesson, chosen.step),
        prediction.label,
        f"{chosen.example.words}\n\n{chosen.example.step if chosen.lesson.asks_anew else ''}",
        options,
        options,
        (right,),
        words,
        revealed.why,
        chosen.example.chart.origin,
        (),
    )


def _of_class(lesson: Lesson, step: int) -> str:
    """Return the key of the question of a lesson for a class."""
    return f"{lesson.key}-{step}" if lesson.asks_anew else lesson.key


def _predict(chosen: OpenLesson) -> None:
    """Ask for a prediction while the answer is hidden; then show both, and offer to hide it."""
    lesson, prediction = chosen.lesson, chosen.lesson.prediction
    if chosen.revealed:
        tiles, verdict = _judged(chosen, answer(chosen))
        if _is_predicted(lesson) or not classroom.is_asked_in_lesson(
            _of_class(lesson, chosen.step)
        ):
            st.markdown(verdict)  # first: tiles grow when their words come, and it does not move
        show.tiles(tiles, "prediction")
        show.button_row("predict", [_hide(lesson)], primary=True)
        return
    reveal = partial(_show, lesson.key, True)
    # a class speaks about its prediction first, and draws are played against it
    waits = presentation.is_slide() or isinstance(chosen.example.moving, MovingDraws)
    if isinstance(prediction, Choice):
        guess = address.value(prediction)
        st.markdown(prediction.label)
        with show.buttons("guesses"):
            for key, words in prediction.options.items():
                if key != NO_GUESS:
                    act = partial(_guess, lesson, key, reveal=not waits)
                    button = Button(words, f"guess-{key}", act)
                    show.button(button, type="primary" if key == guess else "secondary")
    elif waits:
        width = "stretch" if presentation.is_slide() else 320  # large type needs more
        inputs.number(st, prediction, width=width)
    else:
        with st.form("guess-number", border=False):  # Enter predicts and reveals
            inputs.number(st, prediction, width=320)
            st.form_submit_button(
                "Show the answer", key="reveal", on_click=reveal, type="primary", shortcut="a"
            )
        return
    button = Button("Show the answer", "reveal", reveal, shortcut="a")
    show.button_row("predict", [button], primary=waits)


def _is_predicted(lesson: Lesson) -> bool:
    return address.value(lesson.prediction) not in (None, NO_GUESS)


def _hide(lesson: Lesson) -> Button:
    return Button("Hide the answer", "hide", partial(_show, lesson.key, False), shortcut="a")


def _judged(chosen: OpenLesson, revealed: Answer) -> tuple[list[Tile], str]:
    """Return the prediction, if there is one, and the answer, and their comparison in words."""
    prediction, right = chosen.lesson.prediction, revealed.value
    tiles = [Tile("The answer", revealed.words, revealed.kind)]
    if isinstance(prediction, Choice):
        in_numbers = Tile("In numbers", revealed.words, revealed.kind)
        tiles = [Tile("The answer", prediction.options[str(right)]), in_numbers]
    if not _is_predicted(chosen.lesson):
        return tiles, "You skipped the prediction."
    guess = address.value(prediction)
    tiles.insert(0, Tile("Your prediction", _in_words(prediction, guess)))
    if isinstance(prediction, Choice):
        return tiles, "✓ As you predicted." if guess == right else "✗ Not as you predicted."
    off = float(right) - float(guess)
    if abs(off) < 0.5:
        return tiles, "✓ As you predicted."
    close = "Close: " * (abs(off) <= _CLOSE * prediction.high / 100)
    return tiles, f"{close}{abs(off):,.1f} too {'high' if off < 0 else 'low'}."


def notes(chosen: OpenLesson, planned: float = 0.0) -> str:
    """Return notes for a teacher, in Markdown; a deck may have ``planned`` its own minutes."""
    lesson, minutes = chosen.lesson, chosen.lesson.text.data["minutes"]
    questions, students_ask = (
        "\n".join(
            f"{number}. {question}  \n   *Answer:* {found}"
            for number, (question, found) in enumerate(lesson.listed(section), 1)
        )
        for section in ("Questions for the class", "What students ask")
    )
    if students_ask:
        students_ask = f"**What students ask.**\n\n{students_ask}\n\n"
    return unbroken(
        COMMON.section(
            "Notes",
            {
                "point": lesson.say("The point"),
                "misconception": lesson.say("The usual misconception"),
                "questions": questions,
                "students_ask": students_ask,
                "minutes": f"{planned or minutes:g}",
            },
        )
    )


def answer(chosen: OpenLesson) -> Answer:
    """Compute the answer, once in a session: it follows from the lesson and the step."""
    lesson, step = chosen.lesson, chosen.step if chosen.lesson.asks_anew else 0
    token = "answer of a lesson", lesson.key, step
    revealed: Answer = work.run_once(token, lambda: lesson.answer(step), _ROWS)
    return revealed


def onward(chosen: OpenLesson) -> list[Button]:
    """Return the buttons for the next lesson, the previous one and all."""
    keys = list(LESSONS)
    place = keys.index(chosen.lesson.key)
    links = []
    for name, to in (("Next", place + 1), ("Previous", place - 1)):
        if 0 <= to < len(keys):
            label = f"{name} lesson: {LESSONS[keys[to]].text.title}"
            links.append(Button(label, f"{name.lower()}-lesson", partial(_go, keys[to])))
    return [*links, Button("All lessons", "all-lessons", partial(_go, settings.ALL))]


def on_data(lesson: Lesson, view: View) -> OnData:
    """Return the lesson's result on the data, or why there is none; and how neighbours differ.

    In the examples one user joins or leaves, whatever is set.
    """
    if address.value(sources.data()) == sources.UPLOAD and not view.source.brought:
        return OnData("Your file is not in this session: upload it again, or choose other data.")
    try:
        result = lesson.on_data(view)
    except (RefusedError, NoClosedFormError) as error:  # of what was chosen, and no other error
        return OnData(f"Not on these data: {plain(error, 300)}.")
    if result.chart is None or view.neighbors is not NeighborRelation.SWAP:
        return result  # without a figure there is no mechanism
    return replace(result, words=f"{result.words}\n\n{COMMON.section('A user is replaced', {})}")


def _step(lesson: Lesson, by: int, last: int) -> None:
    """Go ``by`` steps on from where the last press led, drawn or not, as far as there are steps.

    Where a step asks anew, it has neither an answer nor a prediction.
    """
    address.choose(STEP, min(max(min(int(address.value(STEP)), last) + by, 0), last))
    if lesson.asks_anew:
        _hide_all(lesson)


def _begin() -> None:
    address.choose(STEP, 0)


def _go(key: str) -> None:
    address.choose(LESSON, key)
    _begin()


def _present(key: str) -> None:
    """Go to a lesson on a slide, where it has neither an answer nor a prediction."""
    if key != address.value(LESSON):
        _go(key)
    _hide_all(LESSONS[key])


def _hide_all(lesson: Lesson) -> None:
    """Hide the answer of a lesson, and delete its prediction."""
    address.choose(lesson.prediction, lesson.prediction.default)
    _show(lesson.key, False)


def _guess(lesson: Lesson, key: str, *, reveal: bool) -> None:
    address.choose(lesson.prediction, key)
    if reveal:
        _show(lesson.key, True)


def _show(key: str, revealed: bool) -> None:
    """Show the answer of a lesson, or hide it."""
    classroom.reveal_in_lesson(_of_class(LESSONS[key], int(address.value(STEP))), revealed)
    others = [other for other in address.value(REVEALED) if other != key]
    address.choose(REVEALED, [*others, key] if revealed else others)
