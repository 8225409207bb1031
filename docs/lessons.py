"""Write the lessons of the app as pages of the site, which need no app.

Each asks for a prediction before it shows its answer.  Its numbers are exact laws, computed when
the site is built; the slider moves over them in the browser, by the app's own script.
"""

import html
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from drawn import drawn, raw

from dptopk import figures
from dptopk.core.parameters import Choice
from dptopk.core.privacy import NeighborRelation
from dptopk.data.sources import source_of
from dptopk.questions import settings
from dptopk.questions.view import View
from dptopk.ui.formats import unbroken
from dptopk.ui.sections import learn
from dptopk.ui.sections.lessons.lesson import NO_GUESS, Answer, Lesson
from dptopk.ui.show import Chart
from dptopk.ui.widgets import law_by_setting, moving_draws, moving_limit, sent
from dptopk.ui.widgets.moving_draws import MovingDraws
from dptopk.ui.widgets.moving_limit import MovingLimit

COMPONENTS = [Path(module.__file__) for module in (law_by_setting, moving_draws, moving_limit)]
"""Components of the app that lessons have: script, style and HTML lie beside each."""


def games(mechanisms: tuple[str, ...]) -> View:
    """Return the bundled games at k = 10 and ε = 1, as a page of the app sees them."""
    given = {one.key: one.default for one in settings.of_mechanisms().values()}
    relation = NeighborRelation.ADD_REMOVE
    return View(source_of("games", {}), 10, 1.0, relation, mechanisms, 250, 0, given)


def lessons() -> dict[str, str]:
    """Return a page for each lesson, and one that lists them."""
    view = games(settings.mechanisms().default)
    listed = [
        f"{key}. [{lesson.text.title}](lesson-{key}.md), {lesson.text.data['minutes']} minutes"
        for key, lesson in learn.LESSONS.items()
    ]
    names = [f"lesson-{key}" for key in learn.LESSONS]
    hidden = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    return {
        "lessons/index": "\n\n".join(["# Lessons", _INTRODUCTION, "\n".join(listed), hidden]),
        **{f"lessons/lesson-{key}": _page(lesson, view) for key, lesson in learn.LESSONS.items()},
    }


_INTRODUCTION = """Each lesson has a small example, asks for a prediction, and then shows the exact
answer, why it is so, and the same on a bundled data set, the games of Steam at k = 10 and ε = 1. A
lesson takes so long with prediction and discussion.
Learn in the app has them with your own data, and for a class."""


def _page(lesson: Lesson, view: View) -> str:
    """Return the page of a lesson."""
    last = lesson.example(view, 0).n_steps
    steps = [_step(lesson, view, step, last) for step in range(last + 1)]
    asked = [] if lesson.asks_anew else _asked(lesson, view, 0)
    buttons = '<button type="button" class="next">Next step</button>' if last else ""
    chosen = learn.OpenLesson(lesson, lesson.example(view, 0), 0, True)
    return "\n\n".join(
        [
            f"# {lesson.text.title}",
            unbroken(lesson.example(view, 0).words),
            _moving(lesson.example(view, 0).moving),
            *steps,
            raw(f'<div class="steps">{buttons}</div>'),
            *asked,
            "## Teacher's notes",
            raw("<details><summary>Show them, with answers</summary>"),
            learn.notes(chosen),
            raw('</details>\n<script type="module" src="../../_static/lesson.js"></script>'),
        ]
    )


def _step(lesson: Lesson, view: View, step: int, last: int) -> str:
    """Return one step of the example, with its question where each step asks anew."""
    example = lesson.example(view, step)
    words = [lesson.named_steps(step, last), unbroken(example.step)] if last else []
    parts = [*words, _drawn(example.chart, f"example-{step}")]
    if lesson.asks_anew:
        parts += [unbroken(example.words) if step else "", *_asked(lesson, view, step)]
    return _within("step", parts)


def _asked(lesson: Lesson, view: View, step: int) -> list[str]:
    """Return the place of the prediction, and the answer that it opens."""
    answer = lesson.answer(step)
    law = answer.by_setting
    asked = figures.predicted(answer.chart.figure, [], "Your prediction: none")
    parts = [
        "**Why**",
        unbroken(answer.why),
        _drawn(replace(answer.chart, figure=asked), f"answer-{step}"),
        _component("law_by_setting", vars(law)) if law else "",
        f"**The point.** {unbroken(lesson.say('The point'))}",
        *(_on_data(lesson, view) if step == 0 else ()),
        f"**In Python**\n\n```python\n{answer.code.strip()}\n```",
    ]
    return [raw(_form(lesson, answer, step)), _within("answer", parts)]


def _on_data(lesson: Lesson, view: View) -> list[str]:
    """Return the same on the data."""
    found = learn.on_data(lesson, view)
    return ["**On the games**", found.words, _drawn(found.chart, "data") if found.chart else ""]


def _form(lesson: Lesson, answer: Answer, step: int) -> str:
    """Return the form that asks for a prediction."""
    prediction = lesson.prediction
    if isinstance(prediction, Choice):
        right = prediction.options[str(answer.value)]
        options = "".join(
            f'<label><input type="radio" name="guess-{step}" value="{key}"> '
            f"{html.escape(words)}</label>"
            for key, words in prediction.options.items()
            if key != NO_GUESS
        )
        known = {"right": str(answer.value), "words": f"{right} ({answer.words})"}
        known["points"] = {
            key: lesson.points(key) for key in lesson.text.data["prediction"]["drawn"]
        }
    else:
        options = f'<input type="number" aria-label="Prediction" min="0" max="{prediction.high:g}">'
        known = {"right": answer.value, "words": answer.words, "high": prediction.high}
        known |= lesson.text.data["prediction"]["drawn"]
    return (
        f'<form class="prediction" data-answer="{_escaped(known)}"><fieldset>'
        f"<legend>{html.escape(prediction.label)}</legend>{options}</fieldset>"
        '<button>Show the answer</button><p role="status"></p></form>'
    )


def _drawn(chart: Chart, key: str) -> str:
    height = chart.height or 320
    return f"{drawn(chart.figure, key, height, chart.finding or chart.title)}\n\n*{chart.title}*"


def _moving(shown: MovingDraws | MovingLimit | None) -> str:
    """Return what moves in an example: draws that are played, or a limit."""
    if shown is None:
        return ""
    module = moving_limit if isinstance(shown, MovingLimit) else moving_draws
    return _component(module.__name__.split(".")[-1], sent(shown) | {"of": "this page"})


def _component(name: str, data: dict[str, Any]) -> str:
    """Return the place of a component of the app, which ``lesson.js`` fills."""
    (html_of,) = (file.with_suffix(".html") for file in COMPONENTS if file.stem == name)
    made = html_of.read_text("utf-8").replace("\n", " ")
    return raw(f'<div class="component {name}" data-of="{_escaped(data)}">{made}</div>')


def _within(name: str, parts: list[str]) -> str:
    """Return parts in a container of a class, which may hold another."""
    fence = ":::::" if any(part.startswith("::::") for part in parts) else "::::"
    return "\n\n".join([f"{fence}{{container}} {name}", *parts, fence])


def _escaped(value: object) -> str:
    return html.escape(json.dumps(value, ensure_ascii=False, default=str))
