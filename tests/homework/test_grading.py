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


def test_a_key_whose_exercises_have_changed_is_refused():
    held = json.loads(Homework(11, ("Ada",)).key()) | {"seed": 12, "made_with": "9.9"}
    with pytest.raises(HomeworkError, match=r"made by dptopk 9\.9, and this version"):
        Homework.of_key(json.dumps(held).encode())


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"seed": 1}', b"null"]
)
def test_other_files_are_no_keys(content):
    with pytest.raises(HomeworkError, match="not the key of a homework"):
        Homework.of_key(content)


@pytest.mark.parametrize(("seed", "students"), [("1", ["Ada"]), (True, ["Ada"]), (1, "Ada")])
def test_damaged_keys_are_refused(seed, students):
    held = json.loads(Homework(11, ("Ada",)).key()) | {"seed": seed, "students": students}
    with pytest.raises(HomeworkError, match="damaged"):
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
    assert [file_stem(name) for name in ("Ada Lovelace", "../../etc", "Žofie", "///")] == [
        "ada-lovelace",
        "etc",
        "žofie",
        "student",
    ]


def test_answers_are_read_from_the_lines_of_a_form():
    text = "\ufeff# how\nStudent : Ada \nnotes: none\n1: 2/3\n 2 . 0.5\n3:\n10:x\n"
    assert Answers.of_file(text.encode()) == Answers("Ada", {1: "2/3", 2: "0.5", 10: "x"})


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
