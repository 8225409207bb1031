"""Test the page Learn: every lesson asks for a prediction, and shows its answer when asked.

What lessons compute and say is tested in tests/ui/sections.
"""

import io
import json
import zipfile

import numpy as np
import pytest

from dptopk.ui.sections.learn import LESSONS


def values_in(chart) -> set[str]:
    """Names of the traces of a figure that show values, beside the prediction."""
    *others, last = chart["data"]
    assert last["name"].startswith("Your prediction")
    shown = [trace for trace in others if np.isfinite(np.array(trace["x"], float)).any()]
    return {trace.get("name", "") for trace in shown}


def alt_of_answer(visit) -> str:
    """Words for screen readers of the figure of the answer."""
    (alt,) = (c.proto.alt for c in visit.main.get("plotly_chart") if c.key == "chart-answer")
    return alt


def test_lessons_are_cards_until_one_is_chosen_and_mark_what_was_seen(opened):
    visit = opened("learn", lesson="all", revealed="3").whole()
    cards = {key: visit.app.button(key=f"lesson-{key}").label for key in LESSONS}
    assert cards == {key: f"**{key}. {lesson.text.title}**" for key, lesson in LESSONS.items()}
    (seen,) = (words for words in visit.captions if "✓ seen" in words)
    assert seen == f"{LESSONS['3'].text.data['minutes']} minutes · ✓ seen"
    assert visit.charts == []  # no example is computed
    assert "k" not in [one.key for one in visit.app.number_input]  # nothing here reads it
    # as in a link of before there were cards
    assert visit.press("lesson-1").address == {"revealed": "3"}
    assert visit.title == LESSONS["1"].text.title
    assert visit.press("all-lessons").address == {"revealed": "3", "lesson": "all"}


@pytest.mark.parametrize("key", LESSONS)
def test_the_answer_is_hidden_until_it_is_asked_for(opened, key):
    lesson, visit = LESSONS[key], opened("learn", lesson=key).whole()
    assert visit.title == lesson.text.title
    question = lesson.prediction.label
    assert question.endswith("?")
    assert question in [*visit.words.splitlines(), *(n.label for n in visit.app.number_input)]
    charts = [*([] if key in ("6", "10") else ["chart-example"]), "chart-answer"]
    assert visit.charts == charts  # the example may be what moves
    assert values_in(visit.chart("answer")) <= {"4": {"EM-Peel"}}.get(key, set())
    assert visit.tiles == []
    tiles, found = dict(visit.press("reveal").tiles), lesson.answer(0)
    options = getattr(lesson.prediction, "options", {})
    assert "Your prediction" not in tiles
    assert tiles["The answer"] == options.get(found.value, found.words)
    assert tiles.get("In numbers", found.words) == found.words
    assert visit.charts[: len(charts)] == charts
    assert len(values_in(visit.chart("answer"))) > 0
    words = visit.words.replace("\u00a0", " ").replace("\u2060", "")
    told = [found.why, lesson.say("The point"), *sum(lesson.listed("Questions for the class"), ())]
    for one in told:  # of the answer, and of the notes for a teacher
        assert one.replace("\u00a0", " ").replace("\u2060", "") in words
    assert visit.address["revealed"] == key
    assert visit.press("hide").charts == charts


@pytest.mark.parametrize(
    ("key", "guess", "shown", "judged"),
    [
        ("4", "more", "more often", "✓ As you predicted"),
        ("4", "less", "less often", "✗ Not as you predicted"),
        ("8", 60, "60", "✓ As you predicted"),
        ("8", 57, "57", "Close: 3.1 too low."),
        ("3", 100, "100", "33.8 too high."),
    ],
)
def test_the_prediction_stays_beside_the_answer_and_is_judged_in_words(
    opened, key, guess, shown, judged
):
    asked = {"lesson": key, LESSONS[key].prediction.key: guess}
    hidden, visit = (opened("learn", **asked, **more).whole() for more in ({}, {"revealed": key}))
    assert dict(visit.tiles)["Your prediction"] == shown
    mark = visit.chart("answer")["data"][-1]
    assert mark["name"] == f"Your prediction: {shown}"
    assert np.isfinite(np.array(mark["x"], float)).all()
    assert f"{mark['name']}. " in alt_of_answer(visit)
    assert hidden.chart("answer")["data"][-1] == mark
    assert values_in(hidden.chart("answer")) < values_in(visit.chart("answer"))
    assert alt_of_answer(hidden).endswith("of the answer yet.")
    assert judged in visit.words
    assert visit.address[LESSONS[key].prediction.key] == str(guess)


def test_a_prediction_made_with_the_control_is_kept(opened):
    visit = opened("learn", lesson="3")
    assert visit.app.button(key="reveal").label == "Show the answer"
    visit.app.number_input(key="guess_3").set_value(64).run()
    assert dict(visit.press("reveal").tiles)["Your prediction"] == "64"
    assert "Close: 2.2 too low." in visit.words
    again = opened("learn", **visit.address).whole()
    assert again.everything() == visit.everything()


def test_a_link_to_a_former_step_of_lesson_6_leads_to_the_lesson(opened):
    for link in ({"step": "2"}, {"step": "5", "present": "1"}):
        visit = opened("learn", lesson="6", **link).whole()
        assert not visit.complaints
        assert "counts 20, 16, 12, 3, 2" in visit.words


def test_a_presented_lesson_keeps_the_case_the_words_of_its_steps_and_its_notes(opened):
    visit = opened("learn", lesson="7", present="1").whole()
    assert "Two questions for the" in visit.words  # the notes
    before = visit.words
    visit.app.button(key="next-step").click().run()
    assert visit.words != before
    assert "A, B, C" in visit.words
    visit.app.button(key="reveal").click().run()
    assert visit.charts == ["chart-answer"]
    assert visit.press("present-Next").address == {"lesson": "8", "present": "1", "revealed": "7"}
    assert opened("learn", lesson="7", revealed="7", present="3").charts == ["chart-data"]


def test_a_lesson_that_was_prepared_is_presented_without_answer_and_prediction(opened):
    prepared = {"lesson": "3", "step": "2", "guess_3": "40", "guess_4": "more", "revealed": "3,4"}
    visit = opened("learn", **prepared).whole().press("present-Present")
    assert visit.address == {"lesson": "3", "step": "2", "revealed": "4", "present": "1"}
    assert visit.app.button(key="reveal")
    assert visit.press("present-Next").address == {"lesson": "4", "present": "1"}
    assert visit.app.button(key="reveal")


def test_steps_go_to_the_end_and_begin_again(opened):
    visit, seen = opened("learn", lesson="3"), []
    while "next-step" in [button.key for button in visit.app.button]:
        seen.append(visit.chart("example")["data"])
        visit.press("next-step")
    assert len(seen) == 3
    assert visit.chart("example")["data"] not in seen
    assert " · Arrival 2 · **Arrival 3**" in visit.words
    assert visit.press("begin-again").chart("example")["data"] == seen[0]


def test_the_next_lesson_begins_at_its_first_step(opened):
    visit = opened("learn", lesson="3", step="2", guess_3="50")
    assert visit.press("next-lesson").address == {"lesson": "4"}
    assert visit.press("previous-lesson").address == {"lesson": "3", "guess_3": "50"}


def test_every_step_of_a_lesson_that_asks_anew_has_its_own_answer_and_prediction(opened):
    visit = opened("learn", lesson="9", step=3)
    assert dict(visit.press("guess-I").tiles)["In numbers"] == "∞"  # it shows the answer, too
    assert "compare 4, 3, 3, 1 with" in visit.words
    for button, step in (("next-step", "4"), ("begin-again", None)):
        assert visit.press(button).tiles == []
        assert {"revealed", "guess_9"}.isdisjoint(visit.address)
        assert visit.address.get("step") == step


def test_a_class_gets_sheets_of_its_names(offered):
    visit, found = offered("learn")
    assert found["Exercise sheets (ZIP)"] == ("dptopk-learn-homework.zip", b"")
    visit.app.text_area(key="homework-students").set_value("Ada\n Grace \n").run()
    name, content = offered.found["Exercise sheets (ZIP)"]
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        key = json.loads(opened.read("teacher/key.json"))
    assert (name, key["students"]) == ("dptopk-learn-homework.zip", ["Ada", "Grace"])
    assert not {"Ada", "Grace"} & set(visit.address.values())


@pytest.mark.parametrize(
    ("names", "words"),
    [("Ada\nada", "look alike"), ("\n".join(f"s{i}" for i in range(201)), "at most 200")],
)
def test_names_that_cannot_be_used_are_said(opened, names, words):
    visit = opened("learn")
    visit.app.text_area(key="homework-students").set_value(names).run()
    headline, sentence = visit.problem()
    assert "cannot be used" in headline
    assert words in sentence
