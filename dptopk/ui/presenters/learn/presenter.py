"""Present a lesson: an example, a prediction by the reader, and the exact answer."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from dptopk import figures
from dptopk.core.parameters import Choice, Number, Several
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms import NoClosedFormError
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.ui import address, show
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits.base import (
    Bordered,
    Button,
    Buttons,
    Caption,
    Chapters,
    Chart,
    Code,
    Columns,
    Exhibit,
    Expander,
    Header,
    Lead,
    Markdown,
    Redraw,
    Tile,
    Tiles,
)
from dptopk.ui.formats import plain, unbroken
from dptopk.ui.frame import deck_player, presentation
from dptopk.ui.presenters.classroom import presenter as classroom
from dptopk.ui.presenters.learn import (
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
from dptopk.ui.presenters.learn.deck_editor import decks, offer
from dptopk.ui.presenters.learn.homework import homework
from dptopk.ui.presenters.learn.lesson import NO_GUESS, Answer, Example, Lesson, OnData
from dptopk.ui.sections.poll import TENTHS, LessonQuestion, tenths
from dptopk.ui.server import work
from dptopk.ui.widgets import elements

_IN_ORDER = (
    *(attack, noise_swaps, race, coins, rounds),
    *(one_choice, order, observer, broken, unknown_items),
)
LESSONS = {module.LESSON.key: module.LESSON for module in _IN_ORDER}
LESSON = Choice(
    "lesson",
    "Lesson",
    {key: f"{key}. {lesson.title}" for key, lesson in LESSONS.items()},
    next(iter(LESSONS)),
)
STEP = Number("step", "Step", 0, 20, 0)
REVEALED = Several("revealed", "Answers shown", {key: key for key in LESSONS}, ())
_ROWS = 500  # of trials, that an answer takes the room of
_EXAMPLE, _ANSWER, _LAW, _CLASS, _DATA = "example", "answer", "law", "class", "data"
_PARTS = {
    _EXAMPLE: "Example",
    _ANSWER: "Answer",
    _LAW: "Every {}",
    _CLASS: "Class",
    _DATA: "Current data",
}
_THIRD = 3  # figure of a revealed lesson, as links to a slide name it: that of the data
_LARGE = 1.15  # times the size of figures on the page, as the words in deck.css
_SHORT = 17  # letters of an option: several stand in a row
_SWAP = (
    "Your setting is “one user is replaced”: at the same ε, all noise is twice as wide as with the "
    "example’s “one user joins or leaves”, and every exponent half as large."
)
_CLOSE = 5  # a number so far off, of 100, is called close


@dataclass(frozen=True)
class Chosen:
    """Chosen lesson, with its present step and whether its answer is shown."""

    lesson: Lesson
    example: Example
    step: int
    revealed: bool


def choose(view: View, place: Any) -> Chosen:
    """Choose a lesson, unless a slide has chosen it, and go through the steps of its example."""
    lesson = LESSONS[address.value(LESSON)]
    step = int(address.value(STEP))
    example = lesson.example(view, step)  # before the control, so that the words come with it
    if not presentation.is_slide():
        inputs.choice(place, LESSON, look="select", on_change=_begin)
    revealed = lesson.key in address.value(REVEALED)
    return Chosen(lesson, example, min(step, example.n_steps), revealed)


def question(chosen: Chosen) -> tuple[str, str]:
    """Return the question, and the case that it is asked of."""
    return chosen.lesson.title, unbroken(chosen.example.words)


def present(view: View, chosen: Chosen) -> Iterator[Exhibit]:
    """Show the example and ask for a prediction; show the answer once it is revealed."""
    yield Chapters(LESSON, tuple(LESSONS), chosen.lesson.key, _go)
    if presentation.is_slide():
        shown = deck_player.playing()
        deck_player.note(_notes(chosen, shown.slide.minutes if shown else 0.0))
        with st.container(key="lesson_slide"):
            elements.draw(_slide(view, chosen))
        return
    with st.container():  # so that what follows keeps its place when a deck is opened
        elements.draw(offer())
    yield Columns((3, 2), ([chosen.example.chart], _asked(view, chosen)))
    if chosen.revealed:
        yield from _revealed(view, chosen)
    yield Buttons(_beside(chosen), "lessons")
    yield Expander("Teacher’s notes", ":material/school:", [Markdown(_notes(chosen))])
    yield Expander("A deck for your class", ":material/slideshow:", decks())
    yield Expander("Exercise sheets for your class", ":material/assignment:", homework())
    yield Code(_answer(view, chosen).code, chosen.example.chart.origin)


def _slide(view: View, chosen: Chosen) -> Columns:
    """Return the part of a lesson that is shown on a slide: one figure, and the words beside it."""
    if not chosen.revealed:
        return _beside_figure(chosen.example.chart, _asked(view, chosen))
    lesson, answer = chosen.lesson, _answer(view, chosen)
    law = answer.by_setting
    shown = {
        _LAW: law is not None,
        _CLASS: classroom.is_asked_in_lesson(_of_class(lesson, chosen.step)),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        part = st.segmented_control(
            "Show",
            [part for part in _PARTS if shown.get(part, True)],
            default=_DATA if address.value(settings.PRESENT) == _THIRD else _ANSWER,
            required=True,
            format_func=lambda part: _PARTS[part].format(law.symbol if law else ""),
            key=f"lesson-part-{lesson.key}",
            label_visibility="collapsed",
        )
        elements.draw(Buttons([_hide(lesson)], "predict"))
    if part == _EXAMPLE:
        return _beside_figure(chosen.example.chart, _stepped(chosen))
    if part == _DATA:
        on_data = _on_data(lesson.on_data, view)
        return _beside_figure(on_data.chart, [Markdown(on_data.words)])
    why = Markdown(unbroken(f"{answer.why}\n\n**The point.** {lesson.point}"))
    if part == _LAW:
        return Columns((1, 1), ([law], [why]))
    if part == _CLASS:
        return Columns((1, 1), ([classroom.in_lesson(partial(_question, view, chosen))], [why]))
    tiles, verdict = _judged(chosen, answer)
    if _is_predicted(lesson):
        return _beside_figure(answer.chart, [Tiles(tiles, "prediction"), Markdown(verdict), why])
    return _beside_figure(answer.chart, [Tiles(tiles[1:], "prediction"), why])


def _beside_figure(chart: Chart | None, words: Iterable[Exhibit]) -> Columns:
    """Return a figure with its settings, as large as a slide allows, and words beside it."""
    if chart is None:
        return Columns((1,), (words,))
    scale = 1.0 if show.is_narrow() else _LARGE
    large = replace(chart, figure=figures.scaled(chart.figure, scale))
    origin = Caption(f"{plain(chart.origin.data)} · {chart.origin.brief}")
    return Columns((1, 1), ([Lead(large), origin], words))


def _asked(view: View, chosen: Chosen) -> Iterator[Exhibit]:
    """Return the steps of the example and the place of the prediction."""
    yield from _stepped(chosen)
    yield Bordered("prediction", _predict(view, chosen))
    yield classroom.in_lesson(partial(_question, view, chosen))


def _stepped(chosen: Chosen) -> Iterator[Exhibit]:
    """Return the present step of the example in words, and the buttons that change it."""
    if chosen.example.n_steps:
        yield Markdown(_progress(chosen))
    drawn = chosen.example.chart.origin.seed is not None
    again = [Redraw("Draw again", "draw", primary=False)] if drawn else []
    yield Buttons([*_steps(chosen), *again], "steps")


def _question(view: View, chosen: Chosen) -> LessonQuestion:
    """Return the prediction of the lesson as a class is asked; numbers are predicted by tenths."""
    prediction, answer = chosen.lesson.prediction, _answer(view, chosen)
    if isinstance(prediction, Choice):
        keys = [key for key in prediction.options if key != NO_GUESS]
        options = tuple(prediction.options[key] for key in keys)
        right, words = keys.index(str(answer.value)), prediction.options[str(answer.value)]
    else:
        options, right, words = TENTHS, tenths(float(answer.value)), answer.words
    return LessonQuestion(
        _of_class(chosen.lesson, chosen.step),
        prediction.label,
        chosen.example.words,
        options,
        (right,),
        words,
        answer.why,
        chosen.example.chart.origin,
    )


def _of_class(lesson: Lesson, step: int) -> str:
    """Return the key of the question of a lesson for a class."""
    return f"{lesson.key}-{step}" if lesson.asks_anew else lesson.key


def _steps(chosen: Chosen) -> list[Button]:
    """Return the buttons for the next and the previous step of the example."""
    lesson, step, last = chosen.lesson, chosen.step, chosen.example.n_steps
    if not last:
        return []
    # each with a key of its own: a second press of one is none of the other, drawn in its place
    label, key, by = "Next step", "next-step", 1
    if step == last:
        label, key, by = "Begin again", "begin-again", -last
    buttons = [Button(label, key, partial(_step, lesson, by, last), shortcut="s")]
    if step:
        buttons.append(Button("Step back", "step-back", partial(_step, lesson, -1, last)))
    return buttons


def _progress(chosen: Chosen) -> str:
    """Return the present step in words."""
    last = chosen.example.n_steps
    return unbroken(f"Step {chosen.step} of {last}. {chosen.example.step}") if last else ""


def _predict(view: View, chosen: Chosen) -> Iterator[Exhibit]:
    """Ask for a prediction while the answer is hidden; then show both, and offer to hide it."""
    lesson, prediction = chosen.lesson, chosen.lesson.prediction
    if chosen.revealed:
        tiles, verdict = _judged(chosen, _answer(view, chosen))
        yield Tiles(tiles, "prediction")
        yield Markdown(verdict)
        yield Buttons([_hide(lesson)], "predict", primary=True)
        return
    show = partial(_show, lesson.key, True)
    if isinstance(prediction, Choice):
        short = max(map(len, prediction.options.values())) <= _SHORT
        inputs.choice(st, prediction, look="radio", horizontal=short)
    else:
        width = "stretch" if presentation.is_slide() else 320  # large type needs more
        inputs.number(st, prediction, width=width)
    button = Button("Show the answer", "reveal", show, "Without a prediction.", "a")
    if _is_predicted(lesson):
        button = Button("Reveal", "reveal", show, shortcut="a")
    yield Buttons([button], "predict", primary=True)


def _is_predicted(lesson: Lesson) -> bool:
    """Return True if the reader made a prediction."""
    return address.value(lesson.prediction) not in (None, NO_GUESS)


def _hide(lesson: Lesson) -> Button:
    """Return the button that hides the answer of a lesson."""
    return Button("Hide the answer", "hide", partial(_show, lesson.key, False), shortcut="a")


def _revealed(view: View, chosen: Chosen) -> list[Exhibit | None]:
    """Explain the answer, and show the same on the data."""
    lesson, answer = chosen.lesson, _answer(view, chosen)
    on_data = _on_data(lesson.on_data, view)
    return [
        Header("Why"),
        Markdown(unbroken(answer.why)),
        answer.chart,
        answer.by_setting,
        Markdown(unbroken(f"**The point.** {lesson.point}")),
        Header("On the current data"),
        Markdown(on_data.words),
        on_data.chart,
    ]


def _judged(chosen: Chosen, answer: Answer) -> tuple[list[Tile], str]:
    """Return the prediction and the answer, and their comparison in words."""
    prediction = chosen.lesson.prediction
    guess = address.value(prediction)
    predicted, verdict = _compared(prediction, guess, answer.value)
    tiles = [Tile("Your prediction", predicted)]
    if isinstance(prediction, Choice):
        tiles.append(Tile("The answer", prediction.options[str(answer.value)]))
        tiles.append(Tile("In numbers", answer.words, answer.kind))
    else:
        tiles.append(Tile("The answer", answer.words, answer.kind))
    return tiles, verdict


def _notes(chosen: Chosen, planned: float = 0.0) -> str:
    """Return notes for a teacher, in Markdown; a deck may have ``planned`` its own minutes."""
    lesson = chosen.lesson
    asked, students_ask = (
        "\n".join(
            f"{number}. {question}  \n   *Answer:* {answer}"
            for number, (question, answer) in enumerate(questions, 1)
        )
        for questions in (lesson.questions, lesson.students_ask)
    )
    of_students = f"**What students ask.**\n\n{students_ask}\n\n" if students_ask else ""
    return unbroken(
        f"**The point.** {lesson.point}\n\n"
        f"**The usual misconception.** {lesson.misconception}\n\n"
        f"**Two questions for the class.**\n\n{asked}\n\n{of_students}"
        f"**Time.** About {planned or lesson.minutes:g} minutes, with the prediction and the "
        "discussion. A link to this page holds the lesson, the step, the prediction and whether "
        "the answer is shown. With seed=own in it, everybody has their own draws. While a class is "
        "open on the page Class, “Ask the class” here puts this question on the students’ phones: "
        "what they predicted appears beside the answer."
    )


def _answer(view: View, chosen: Chosen) -> Answer:
    """Compute the answer, once in a session: it follows from the lesson and the step."""
    lesson, step = chosen.lesson, chosen.step if chosen.lesson.asks_anew else 0

    def compute(pause: Any) -> Answer:
        return lesson.answer(view, step)

    found: Answer = work.run_once(("answer of a lesson", lesson.key, step), compute, _ROWS)
    return found


def _beside(chosen: Chosen) -> list[Button]:
    """Return the buttons for the next and the previous lesson."""
    keys = list(LESSONS)
    place = keys.index(chosen.lesson.key)
    found = []
    for name, to in (("Next", place + 1), ("Previous", place - 1)):
        if 0 <= to < len(keys):
            label = f"{name} lesson: {LESSONS[keys[to]].title}"
            found.append(Button(label, f"{name.lower()}-lesson", partial(_go, keys[to])))
    return found


def _compared(prediction: Choice | Number, guess: Any, right: str | float) -> tuple[str, str]:
    """Return the prediction in words, and its comparison with the answer."""
    if guess in (None, NO_GUESS):
        return "none", "The answer without a prediction."
    if isinstance(prediction, Choice):
        alike = guess == right
        words = "✓ As you predicted." if alike else "✗ Not as you predicted."
        return prediction.options[guess], words
    off = float(right) - float(guess)
    if abs(off) < 0.5:
        return f"{guess:,}", "✓ As you predicted."
    far = "Close" if abs(off) <= _CLOSE * prediction.high / 100 else "Not close"
    where = "high" if off < 0 else "low"
    return f"{guess:,}", f"{far}: {abs(off):,.1f} too {where}."


def _on_data(make: Callable[[View], OnData], view: View) -> OnData:
    """Return the lesson's result on the data, or why there is none; and how neighbours differ.

    In the examples one user joins or leaves, whatever is set.
    """
    try:
        found = make(view)
    except (ValueError, NoClosedFormError) as error:
        return OnData(f"Not on these data: {plain(error, 300)}.")
    if found.chart is None or view.neighbors is not NeighborRelation.SWAP:
        return found  # without a figure there is no mechanism
    return replace(found, words=f"{found.words}\n\n{_SWAP}")


def _step(lesson: Lesson, by: int, last: int) -> None:
    """Go ``by`` steps on from where the last press led, drawn or not, as far as there are steps.

    Where a step asks anew, it has neither an answer nor a prediction.
    """
    address.choose(STEP, min(max(min(int(address.value(STEP)), last) + by, 0), last))
    if lesson.asks_anew:
        address.choose(lesson.prediction, lesson.prediction.default)
        _show(lesson.key, False)


def _begin() -> None:
    """Begin a lesson at its first step."""
    address.choose(STEP, 0)


def _go(key: str) -> None:
    """Go to a lesson."""
    address.choose(LESSON, key)
    _begin()


def _show(key: str, shown: bool) -> None:
    """Show the answer of a lesson, or hide it."""
    classroom.reveal_in_lesson(_of_class(LESSONS[key], int(address.value(STEP))), shown)
    others = [other for other in address.value(REVEALED) if other != key]
    address.choose(REVEALED, [*others, key] if shown else others)
