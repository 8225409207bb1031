"""Test open classes: admission, stored data, and expiry."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from crowd import Clock

from dptopk.ui.server.classroom import (
    ABSENT_MINUTES,
    HOURS,
    LETTERS,
    MOST_CLASSES,
    MOST_DRAWS,
    MOST_STUDENTS,
    N_LETTERS,
    OF_A_CLIENT,
    OF_AN_ADDRESS,
    ClassroomError,
    Classrooms,
)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Classrooms(clock)


@pytest.fixture
def room(rooms):
    opened = rooms.open()
    opened.ask("question", 3, 4)
    return opened


def test_a_code_is_typed_with_small_letters_spaces_and_hyphens(rooms):
    room = rooms.open()
    assert len(room.code) == N_LETTERS
    assert set(room.code) <= set(LETTERS)
    low = room.code.lower()
    for between in ("", " ", "-", "–", "\u202e", "\0"):
        assert rooms.find(f" {low[:3]}{between}{low[3:]}\n") is room


@pytest.mark.parametrize(
    "code", ["", " ", "x" * 10_000, "BCDFG", "\0", "٣", "../..", "<b>", "None", "BCDFGHJ"]
)
def test_other_texts_are_the_code_of_no_class(rooms, code):
    rooms.open()
    assert rooms.find(code) is None


def test_codes_and_keys_of_classes_differ_and_only_the_key_teaches(rooms):
    opened = [rooms.open(str(n)) for n in range(MOST_CLASSES)]
    assert len({room.code for room in opened}) == len({room.key for room in opened}) == MOST_CLASSES
    for room in opened:
        assert rooms.taught(room.key) is room
        assert rooms.taught(room.code) is None
    for other in ("", "a–b", "٣", "\0", "\ud800", "é" * 10_000, room.key + "–"):
        assert rooms.taught(other) is None


def test_classes_are_bounded_in_all_and_of_an_address(rooms):
    for _ in range(OF_A_CLIENT):
        rooms.open("192.0.2.1")
    with pytest.raises(ClassroomError, match="from your network address"):
        rooms.open("192.0.2.1")
    for n in range(MOST_CLASSES - OF_A_CLIENT):
        rooms.open(str(n))
    with pytest.raises(ClassroomError, match="as many as this server holds"):
        rooms.open("192.0.2.2")


def test_a_closed_class_is_gone_and_makes_room(rooms):
    room, *_ = [rooms.open("192.0.2.1") for _ in range(OF_A_CLIENT)]
    student = room.join()
    rooms.close(room.code)  # a code closes nothing
    assert rooms.find(room.code) is room
    rooms.close(room.key)
    assert rooms.find(room.code) is rooms.taught(room.key) is None
    assert room.own(student) is not None  # nobody finds it, and it is freed with the last look
    rooms.open("192.0.2.1")


@pytest.mark.parametrize(("seconds", "looks"), [(60 * ABSENT_MINUTES, False), (3600 * HOURS, True)])
def test_a_class_ends_without_its_teacher_and_after_hours(rooms, clock, seconds, looks):
    room, end = rooms.open(), clock.now + seconds
    while clock.now < end:
        assert rooms.find(room.code) is rooms.taught(room.key) is room
        clock.now += 60
        if looks:
            room.results()
    clock.now += 1
    assert rooms.find(room.code) is rooms.taught(room.key) is None
    rooms.sweep()
    assert not rooms._by_code


def test_students_answer_and_the_teacher_sees_sums(room):
    first, second = room.join(), room.join()
    assert room.predict(first, 1, 2)
    assert room.predict(second, 1, 0)
    assert room.predict(second, 1, 2)  # in place of the first
    assert room.draw(first, 1, [0, 3, 3])
    found = room.results()
    assert found.predictions == (0, 0, 2)
    assert found.draws == (1, 0, 0, 2)
    assert found.n_present == 2
    own = room.own(second)
    assert (own.prediction, own.draws) == (2, ())  # nothing of the first
    assert room.own(first).seed != own.seed


def test_answers_outside_of_the_question_are_not_stored(room):
    student = room.join()
    for number, option in ((0, 1), (2, 1), (1, 3), (1, -1), (1, 10**9)):
        assert not room.predict(student, number, option)
    assert not room.draw(student, 2, [0])
    assert not room.draw(student, 1, [4, -1, 10**9])
    assert not room.predict("nobody", 1, 0)
    assert not room.draw("nobody", 1, [0])
    assert room.own("nobody") is room.own("") is None
    assert sum(room.results().predictions) == sum(room.results().draws) == 0


def test_a_prediction_is_final_once_the_answer_is_shown_and_draws_go_on(room):
    student = room.join()
    room.predict(student, 1, 0)
    room.reveal(True)
    assert not room.predict(student, 1, 1)
    room.reveal(False)  # they have seen it
    assert not room.own(student).revealed
    assert room.own(student).ended
    assert not room.predict(student, 1, 1)
    assert not room.predict(room.join(), 1, 1)
    room.reveal(True)
    assert room.draw(student, 1, [0])
    assert room.own(student).revealed
    assert room.results().predictions == (1, 0, 0)


def test_a_prediction_is_final_after_the_first_draw(room):
    student = room.join()
    room.predict(student, 1, 1)
    room.draw(student, 1, [0])
    assert not room.predict(student, 1, 0)
    assert room.results().predictions == (0, 1, 0)


def test_the_next_question_deletes_the_answers_and_hides_the_answer(room):
    student = room.join()
    room.predict(student, 1, 0)
    room.draw(student, 1, [0])
    room.reveal(True)
    room.ask("another", 2, 2)
    own, found = room.own(student), room.results()
    assert (own.asked.number, own.revealed, own.prediction, own.draws) == (2, False, None, ())
    assert (found.predictions, found.draws) == ((0, 0), (0, 0))
    assert room.predict(student, 2, 0)
    assert not room.predict(student, 1, 0)  # of the question before


def test_nobody_floods_a_class_with_draws(room):
    flooding, other = room.join(), room.join()
    for _ in range(50):
        room.draw(flooding, 1, [0] * 1_000_000)
    assert len(room.own(flooding).draws) == MOST_DRAWS
    assert not room.draw(flooding, 1, [0])
    assert room.draw(other, 1, [1])
    assert room.results().draws == (MOST_DRAWS, 1, 0, 0)


@pytest.mark.parametrize(
    ("addresses", "most", "full"),
    [
        (1, OF_AN_ADDRESS, "400 students joined from your network address"),
        (10_000, MOST_STUDENTS, "This class has 1,000 students"),
    ],
)
def test_ten_thousand_joins_keep_out_nobody_before_or_after_them(
    room, clock, addresses, most, full
):
    first = room.join("0")
    room.predict(first, 1, 1)
    for n in range(1, most):
        room.join(str(n % addresses))
    with pytest.raises(ClassroomError, match=full):  # all are here
        room.join("0")
    clock.now += 60  # phones are locked
    for n in range(10_000):
        clock.now += 0.05
        flooding = room.join(str(n % addresses))
        room.predict(flooding, 1, 2)
        room.draw(flooding, 1, [3])
    assert len(room._students) == most
    assert room.own(first).prediction == 1
    found = room.results()
    assert found.predictions == (0, 1, found.draws[3])
    assert found.draws[3] < most  # of those who lost their place nothing is left
    clock.now += 60
    for student in (room.join("0"), room.join("elsewhere")):
        assert room.predict(student, 1, 0)
    assert room.results().predictions[:2] == (2, 1)


def test_who_left_without_an_answer_makes_room_first(room, clock):
    silent, answered = room.join(), room.join()
    room.predict(answered, 1, 1)
    for _ in range(OF_AN_ADDRESS - 2):
        room.predict(room.join(), 1, 1)
    clock.now += 60
    room.join()
    assert room.own(silent) is None
    assert sum(room.results().predictions) == OF_AN_ADDRESS - 1
    room.leave(answered)
    room.leave("nobody")
    assert sum(room.results().predictions) == OF_AN_ADDRESS - 2


def test_a_locked_class_admits_nobody_and_keeps_its_students(room):
    student = room.join()
    room.lock(True)
    with pytest.raises(ClassroomError, match="admits no more"):
        room.join()
    assert room.predict(student, 1, 0)
    room.lock(False)
    room.join()


def test_many_threads_lose_and_invent_nothing(room):
    n, start = 32, threading.Barrier(32)

    def answers(number):
        start.wait()
        student = room.join()
        for draw in range(MOST_DRAWS // 2):
            room.predict(student, 1, (number + draw) % 3)
            room.draw(student, 1, [draw % 4])
            room.results()
        return student

    with ThreadPoolExecutor(n) as pool:
        students = list(pool.map(answers, range(n)))
    found = room.results()
    owns = [room.own(student) for student in students]
    assert sum(found.predictions) == found.n_present == n
    assert sum(found.draws) == n * MOST_DRAWS // 2
    assert [sum(own.prediction == i for own in owns) for i in range(3)] == list(found.predictions)
    assert [sum(own.draws.count(i) for own in owns) for i in range(4)] == list(found.draws)
