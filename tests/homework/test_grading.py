"""Test grading: points, keys that generate the same sheets, and hostile files."""

import json

import pytest

from dptopk.homework.exercises import make_sheet
from dptopk.homework.grading import (
    MAX_ANSWERS_BYTES,
    Answers,
    Homework,
    HomeworkError,
    file_stem,
    grade,
    names_of,
)

SHEET = make_sheet(5, "Ada")
RIGHT = {i: exercise.answer.shown for i, exercise in enumerate(SHEET.exercises, start=1)} | {
    i: ", ".join(map(str, SHEET.exercises[i - 1].answer.example)) for i in (8, 9)
}


def test_all_right_answers_earn_all_points():
    row = grade(SHEET, Answers("Ada", RIGHT))
    assert (row["points"], row["possible"], row["remarks"]) == (28, 28, "")


@pytest.mark.parametrize("wrong", range(1, 10))
def test_a_wrong_answer_loses_the_points_of_its_exercise(wrong):
    row = grade(SHEET, Answers("Ada", RIGHT | {wrong: "0, 0, 20, 20" if wrong > 7 else "0.99999"}))
    lost = SHEET.exercises[wrong - 1].points
    assert row["points"] == pytest.approx(28 - lost)
    assert row["remarks"].startswith(f"{wrong}: ")


@pytest.mark.parametrize(
    ("text", "why"),
    [("two thirds", "is not a number"), ("1,000", "can be read in two ways: type 1000, or a")],
)
def test_what_cannot_be_read_in_one_way_is_not_marked_and_is_said(text, why):
    row = grade(SHEET, Answers("Ada", RIGHT | {2: text}))
    assert (row["2"], row["points"]) == (None, 26)
    assert f"2: not marked: '{text}' {why}" in row["remarks"]


def test_nothing_handed_in_is_a_row_too():
    row = grade(SHEET, None)
    assert (row["points"], row["remarks"]) == (0, "nothing was handed in")


def test_a_key_makes_the_same_sheets_again():
    made = Homework(11, ("Ada", "Grace"))
    again = Homework.of_key(made.key().encode())
    assert again == made
    assert [one.student for one in again.sheets] == ["Ada", "Grace"]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"seed": 1}', b"null"]
)
def test_other_files_are_no_keys(content):
    with pytest.raises(HomeworkError, match="not the key of a homework"):
        Homework.of_key(content)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": "11"}, "damaged"),
        ({"seed": True}, "damaged"),
        ({"students": "Ada"}, "damaged"),
        ({"seed": 12, "made_with": "9.9"}, r"made by dptopk 9\.9, and this version"),
    ],
)
def test_keys_that_were_changed_are_refused(changed, message):
    held = json.loads(Homework(11, ("Ada",)).key()) | changed
    with pytest.raises(HomeworkError, match=message):
        Homework.of_key(json.dumps(held).encode())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no student"),
        (["  ", ""], "no student"),
        (["Ada", "ada "], "look alike"),
        (["a" * 81], "not a name"),
        (["A\x1b[2J"], "not a name"),
        ([str(i) for i in range(2001)], "at most 2,000"),
    ],
)
def test_lists_of_students_that_cannot_be_used(lines, message):
    with pytest.raises(HomeworkError, match=message):
        names_of(lines)


def test_names_become_parts_of_file_names():
    names = ("Ada Lovelace", "../../etc", "Žofie", "///")
    assert [*map(file_stem, names)] == ["ada-lovelace", "etc", "žofie", "student"]


def test_answers_are_read_from_the_lines_of_a_form():
    text = "\ufeff# how\nStudent : Ada \nnotes: none\n1: 2/3\n 2 . 0.5\n3:\n10:x\n"
    read = Answers("Ada", {1: "2/3", 2: "0.5", 10: "x"}, ("notes: none",))
    assert Answers.of_file(text.encode()) == read


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        ("1:\n1.25\n4:\n2.25", {1: "1.25", 4: "2.25"}),
        ("1:\n0.5\n\n2.\n\n3/8\n3:\n8: \n9, 8, 7", {1: "0.5", 2: "3/8", 8: "9, 8, 7"}),
        ("1: 3/8\n2. 1.5\n3 :.5", {1: "3/8", 2: "1.5", 3: ".5"}),
    ],
)
def test_an_answer_may_stand_below_its_number_and_a_decimal_is_no_number_of_an_exercise(
    lines, texts
):
    assert Answers.of_file(f"student:\nAda\n{lines}".encode()) == Answers("Ada", texts)


def test_what_was_read_and_what_was_not_is_said():
    lines = ["1.25", "2) 1/2", "Exercise 3: 1/4", "=HYPERLINK(1)", "so"]
    text = "\n".join(["student: Ada", *lines, "4: 0.99999", "10: 1", "5:", "no idea"])
    remarks = grade(SHEET, Answers.of_file(text.encode()))["remarks"].split("; ")
    assert remarks[:3] == ["1: no answer", "2: no answer", "3: no answer"]
    assert remarks[3] == f"4: expected {RIGHT[4]}, read '0.99999'"
    assert remarks[4].startswith("5: not marked: 'no idea' is not a number")
    assert remarks[-2] == "10: no such exercise"
    assert remarks[-1] == 'not read: "1.25", "2) 1/2", "Exercise 3: 1/4" and 2 more'
    both = Answers("Ada", {}, ("a",)).joined(Answers("Ada", {}, ("b",)))
    assert grade(SHEET, both)["remarks"].endswith('not read: "a", "b"')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1: 2/3", "no line says whose"),
        (b"student: A\nstudent: B", "two students"),
        (b"student: A\n1: 2\n1: 3", "answered twice"),
        (b"student: \xff", "UTF-8"),
        (b"x" * (MAX_ANSWERS_BYTES + 1), "larger than"),
    ],
)
def test_answers_that_cannot_be_used(content, message):
    with pytest.raises(HomeworkError, match=message):
        Answers.of_file(content)
