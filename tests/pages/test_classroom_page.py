"""Test a class with separate sessions of a teacher and students."""

import numpy as np
import pytest
from google.protobuf.text_format import MessageToString
from streamlit.runtime.context import ContextProxy

from dptopk import ItemCounts, Joint, output_distribution
from dptopk.ui import keys
from dptopk.ui.sections import poll
from dptopk.ui.server import classroom
from dptopk.ui.server.classroom import CLASSROOMS, MOST_GUESSES

pytestmark = pytest.mark.usefixtures("fresh_visits")
EXACT = "63.1%"  # of A, B by Joint at ε = 1 on 10, 5, 1, 1 (Gillenwater et al. 2022, D.3: 0.63)


def click(visit, key):
    visit.app.button(key=key).click().run()
    assert visit.exceptions() == []


def is_offered(visit) -> bool:
    """Return True if the page offers to open a class."""
    return "class-open" in [button.key for button in visit.app.button]


def look(visit):
    """What comes of the next look of a live page."""
    visit.app.run()
    assert visit.exceptions() == []
    return visit


def all_sent(visit) -> str:
    """Everything that the browser got."""
    sent = (element.proto for element in visit.main if element.proto is not None)
    return " ".join(MessageToString(proto, as_utf8=True) for proto in sent)


@pytest.fixture
def teacher(opened):
    visit = opened("classroom")
    click(visit, "class-open")
    return visit


@pytest.fixture
def code(teacher):
    return CLASSROOMS.taught(teacher.app.session_state[keys.TAUGHT]).code


@pytest.fixture
def join(opened, code):
    def joined():
        visit = opened("join", code=code)
        assert visit.exceptions() == []
        assert visit.title == f"Class {code}"
        return visit

    return joined


def predict(student, option):
    student.app.radio[0].set_value(option).run()
    assert student.exceptions() == []


def seen(teacher) -> dict[str, str]:
    return dict(look(teacher).tiles)


def test_a_class_from_its_opening_to_its_end(teacher, join):
    first, second = join(), join()
    assert "You are in." in all_sent(first)
    assert seen(teacher) == {"Students": "2"}
    click(teacher, "class-ask")
    look(first)
    assert not first.app.button  # a prediction comes first
    predict(first, 6)
    click(first, "class-draw")
    click(first, "class-draw-more")
    predict(look(second), 2)
    assert seen(teacher) == {"Students": "2", "Predictions": "2", "Draws": "11"}
    click(teacher, "class-reveal")
    assert seen(teacher)["The answer"] == EXACT
    assert "1 of 2 predicted it" in teacher.captions
    assert f"{EXACT} (exact).** ✓ You" in all_sent(look(first))
    assert "✗ You predicted 20 to 30%" in all_sent(look(second))
    click(teacher, "class-close")
    assert is_offered(teacher)
    assert "its answers are deleted" in all_sent(teacher)
    assert "closed" in all_sent(look(first))
    assert not CLASSROOMS._by_code


def test_students_have_their_own_seeds_and_see_nothing_of_each_other(teacher, join, code):
    students = [join(), join()]
    click(teacher, "class-ask")
    for student in students:
        predict(look(student), 0)
        for _ in range(5):
            click(student, "class-draw-more")
    seeds = [next(c for c in student.captions if "seed" in c) for student in students]
    assert seeds[0] != seeds[1]
    rooms = CLASSROOMS.taught(teacher.app.session_state[keys.TAUGHT])
    owns = [rooms.own(student.app.session_state[keys.JOINED][code]) for student in students]
    assert owns[0].draws != owns[1].draws
    third = join()
    assert "Draw" not in [button.label for button in third.app.button]
    for text in (*map(str, (own.seed for own in owns)), "50 of at most"):
        assert text not in all_sent(third)


def test_nothing_that_is_sent_tells_the_answer_before_it_is_revealed(teacher, join):
    student = join()
    click(teacher, "class-ask")
    predict(look(student), 3)
    teacher.app.segmented_control(key="class-shown-1-predictions").set_value("draws").run()
    hidden = [all_sent(student), all_sent(look(teacher)), str(teacher.chart("class-draws"))]
    assert not [text for text in hidden if EXACT in text or "0.631" in text]
    assert len(teacher.chart("class-draws")["data"]) == 1
    click(teacher, "class-reveal")
    assert EXACT in all_sent(look(student))
    assert len(teacher.chart("class-draws")["data"]) == 2


def test_a_page_that_is_loaded_anew_goes_on_as_the_same_student(teacher, join, opened, code):
    student = join()
    key = student.app.session_state[keys.JOINED][code]
    click(teacher, "class-ask")
    predict(look(student), 3)
    click(student, "class-draw-more")
    click(teacher, "class-lock")  # who is in the class stays so
    anew = opened("join", code=code)
    assert anew.problem()[0] == "You cannot join"
    for wrong in ("", "nobody", 7, None):
        anew.app.session_state[keys.CLASS_KEYS.format("student")] = {"held": wrong}
        assert look(anew).problem()[0] == "You cannot join"
    anew.app.session_state[keys.CLASS_KEYS.format("student")] = {"held": key}
    assert "Your draws: 10 of at most" in all_sent(look(anew))
    assert seen(teacher) == {"Students": "1", "Predictions": "1", "Draws": "10"}
    click(teacher, "class-lock")
    other = join()
    assert seen(teacher)["Students"] == "2"
    other.app.session_state[keys.CLASS_KEYS.format("student")] = {"held": key}
    look(other)  # the one who had just joined leaves
    assert seen(teacher) == {"Students": "1", "Predictions": "1", "Draws": "10"}


def test_an_address_is_limited_as_a_whole_network(opened, code, monkeypatch):
    monkeypatch.setattr(classroom, "OF_AN_ADDRESS", 1)
    monkeypatch.setattr(classroom, "OF_A_CLIENT", 1)
    refused = []
    for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "192.0.2.1"):
        monkeypatch.setattr(ContextProxy, "ip_address", address)
        visit = opened("classroom")
        click(visit, "class-open")
        is_open = not is_offered(visit)
        refused.append((bool(opened("join", code=code).app.error), not is_open))
    assert refused == [(False, False), (True, True), (False, False), (False, False)]


def test_a_session_that_goes_from_class_to_class_is_one_student_of_each(opened):
    rooms = [CLASSROOMS.open(), CLASSROOMS.open()]
    visit = opened("join")
    for room in rooms * 3:
        visit.go("data").app.query_params["code"] = room.code  # as a link asks
        assert visit.go("join").title == f"Class {room.code}"
    assert [len(room._students) for room in rooms] == [1, 1]


def test_after_a_restart_each_page_says_how_to_go_on(teacher, join, opened, code):
    live, key = join(), teacher.app.session_state[keys.TAUGHT]
    CLASSROOMS._by_code.clear()
    assert "No open class has this" in all_sent(look(teacher))
    again = opened("classroom")  # as browsers connect anew
    for student in (look(live), opened("join", code=code)):
        assert "has another code" in student.problem()[1]
    assert "open another, and show" in all_sent(again)
    again.app.text_input(key="class-key").set_value(key).run()
    assert "server was started anew" in all_sent(again)
    click(again, "class-open")
    assert again.tiles == [("Students", "0")]


def test_the_next_question_begins_without_answers(teacher, join):
    student = join()
    click(teacher, "class-ask")
    predict(look(student), 3)
    teacher.app.selectbox(key="asked").set_value("likeliest").run()
    click(teacher, "class-ask")
    assert seen(teacher) == {"Students": "1", "Predictions": "0", "Draws": "0"}
    assert "output is the likeliest?" in all_sent(look(student))
    assert student.app.radio[0].value is None
    predict(student, 0)
    click(teacher, "class-reveal")
    assert "A, B, with probability" in all_sent(look(student))


def test_counts_that_cannot_be_asked_leave_the_board(teacher, join):
    predict_first = join()
    click(teacher, "class-ask")
    predict(look(predict_first), 3)
    teacher.app.text_input(key="vector").set_value("1, abc").run()
    assert "could not be read" in teacher.problem()[0]
    assert seen(teacher) == {"Students": "1", "Predictions": "1", "Draws": "0"}
    click(teacher, "class-reveal")
    again = teacher.app.get("popover")[-3]  # no press alone deletes answers
    assert again.proto.popover.label == "Ask it again"
    assert [button.key for button in again.button] == ["class-ask"]
    click(teacher, "class-ask")
    assert seen(teacher)["Predictions"] == "0"


@pytest.mark.parametrize(
    ("lesson", "option", "right"), [("4", 2, "more often"), ("3", 6, "66.2 of 100")]
)
def test_a_lesson_asks_the_class(teacher, join, lesson, option, right):
    first, second = join(), join()
    teacher.app.switch_page("pages/learn.py").run()
    teacher.app.segmented_control(key="lesson").set_value(lesson).run()
    assert teacher.app.button(key="class-ask").label == "Ask the class: 2 students"
    click(teacher, "class-ask")
    predict(look(first), option)
    predict(look(second), 0)
    assert seen(teacher) == {"Students": "2", "Predictions": "2"}
    assert right not in all_sent(first).replace(first.app.radio[0].options[option], "")
    assert not any("%" in answer for answer in first.app.radio[0].options)  # asked of 100
    assert not first.app.button
    click(teacher, "reveal")
    assert seen(teacher)["Right"] == "1 of 2"
    assert teacher.chart("predictions")
    assert f"{right} (exact).** ✓ You" in all_sent(look(first))
    assert "✗ You predicted" in all_sent(look(second))
    click(teacher, "hide")
    assert "Right" not in seen(teacher)
    assert look(second).app.radio[0].disabled  # they saw the answer
    assert "no prediction is taken" in all_sent(second)
    click(teacher, "next-lesson")
    assert teacher.app.button(key="class-ask").label == "Ask the class: 2 students"
    teacher.app.switch_page("pages/classroom.py").run()
    assert seen(teacher) == {"Students": "2", "Predictions": "2"}
    click(teacher, "class-ask")  # the prepared one, from which is drawn
    assert seen(teacher) == {"Students": "2", "Predictions": "0", "Draws": "0"}


def test_what_a_class_is_asked_is_hidden_on_the_page_of_the_lesson(teacher, join):
    join()
    teacher.app.switch_page("pages/learn.py").run()
    teacher.app.segmented_control(key="lesson").set_value("3").run()
    teacher.app.number_input(key="guess_3").set_value(40).run()
    click(teacher, "reveal")
    assert "66.2 of 100" in all_sent(teacher)
    click(teacher, "class-ask")
    assert "66.2 of 100" not in all_sent(teacher)
    assert teacher.app.number_input(key="guess_3").value is None
    click(teacher, "reveal")
    assert seen(teacher)["Right"] == "0 of 0"


def test_the_teacher_goes_on_in_another_tab_by_the_key_alone(teacher, opened, code):
    key = teacher.app.session_state[keys.TAUGHT]
    other = opened("classroom")
    other.app.text_input(key="class-key").set_value(code).run()
    assert is_offered(other)
    other.app.text_input(key="class-key").set_value(key).run()
    assert other.tiles == [("Students", "0")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("BCDFGH", "BCDFGH"),
        ("![](https://example.com)", "HTTPSEXAMP"),
        ("\u202eabc\0", "ABC"),
        ("ß" * 40, "S" * 10),
    ],
)
def test_a_wrong_code_is_said_in_plain_text(opened, text, said):
    visit = opened("join", code=text)
    assert visit.problem()[0] == "No class has this code"
    assert visit.problem()[1].startswith(f"{said} is not the code")
    assert visit.title == "Join a class"


def test_one_session_tries_few_codes(opened, code):
    visit = opened("join")
    for number in range(MOST_GUESSES):
        assert visit.title == "Join a class"
        visit.app.text_input(key="code").set_value("BCDFG" + "HJKLMNPQRST"[number]).run()
    assert visit.problem()[0] == "Too many wrong codes"
    visit.app.text_input(key="code").set_value(code).run()
    assert visit.title == "Join a class"


def test_a_question_is_drawn_by_its_own_seed_and_follows_its_exact_law(fits):
    counts, mechanism = ItemCounts([10, 5, 1, 1], list("ABCD")), Joint(2, 1.0)
    asked = poll.make(counts, mechanism, poll.TOP)
    law = dict(output_distribution(counts, mechanism))
    rows = [tuple(row) for row in asked.outputs.tolist()]
    np.testing.assert_allclose(asked.probabilities, [law[row] for row in rows])
    assert asked.drawn(7, 1, 20, 10) == asked.drawn(7, 1, 20, 10)
    assert asked.drawn(7, 1, 20, 10) != asked.drawn(8, 1, 20, 10)
    assert asked.drawn(7, 1, 20, 10) != asked.drawn(7, 1, 30, 10)  # the next of this student
    assert asked.drawn(7, 1, 20, 10) != asked.drawn(7, 2, 20, 10)
    draws = [place for seed in range(400) for place in asked.drawn(seed, 1, 0, 50)]
    assert fits(mechanism, counts, asked.outputs[draws])


@pytest.mark.parametrize(
    ("counts", "asked", "right"),
    [
        ([10, 5, 1, 1], poll.TOP, (6,)),
        ([10, 5, 1, 1], poll.LIKELIEST, (0,)),
        ([3, 3, 3], poll.LIKELIEST, (0, 1, 2, 3, 4, 5)),
        ([3, 3, 3], poll.TOP, (1,)),
        ([9_000, 3, 0], poll.TOP, (8,)),  # 1 / (1 + e^-1.5) = 0.818
        ([9_000, 0, 0], poll.TOP, (5,)),  # one half but for rounding
        ([9_000, 6_000, 0], poll.TOP, (9,)),
    ],
)
def test_the_right_predictions_are_those_of_the_law(counts, asked, right):
    assert poll.make(ItemCounts(counts), Joint(2, 1.0), asked).right == right


def test_the_figure_that_a_teacher_chose_stays_through_the_reveal_and_the_slide(teacher, join):
    def shown(question: int, usual: str) -> str:
        return teacher.app.segmented_control(key=f"class-shown-{question}-{usual}").value

    click(teacher, "class-ask")
    predict(look(student := join()), 3)
    click(teacher, "class-reveal")  # without draws their figure is empty
    assert shown(1, "predictions") == "predictions"
    click(student, "class-draw-more")
    look(teacher)
    assert shown(1, "draws") == "draws"
    teacher.app.segmented_control(key="class-shown-1-draws").set_value("predictions").run()
    teacher.press("present-Present")
    assert shown(1, "draws") == "predictions"
    teacher.press("present-Leave")
    click(teacher, "class-reveal")
    click(teacher, "class-reveal")
    assert shown(1, "draws") == "predictions"
    click(teacher, "class-ask")
    assert shown(2, "predictions") == "predictions"
