"""Test `dptopk homework` and `dptopk check`, from a list of names to grades."""

import csv
import json
import os
import zipfile
from pathlib import Path

import pytest

from dptopk.data.sources import source_of
from dptopk.homework.exercises import make_sheet
from dptopk.questions import QUESTIONS
from dptopk.questions.saved import saved_text


@pytest.fixture
def made(run):
    Path("names.txt").write_text("Ada\n\nGrace Hopper\nŽofie\n", encoding="utf-8")
    assert run("homework", "--students", "names.txt", "--seed", 9, "-o", "hw").code == 0
    return Path("hw")


def fill_in(made, student, stem, answers):
    """Hand in a form with some right answers, in a folder of its own as Moodle gives it."""
    sheet = make_sheet(9, student)
    text = (made / "sheets" / f"{stem}.txt").read_text(encoding="utf-8")
    for i in answers:
        text = text.replace(f"\n{i}: ", f"\n{i}: {sheet.exercises[i - 1].answer.shown}", 1)
    folder = Path("in") / stem
    folder.mkdir(parents=True)
    (folder / "form.txt").write_text(text, encoding="utf-8")


def test_a_class_from_names_to_grades(run, made):
    fill_in(made, "Ada", "ada", range(1, 8))
    fill_in(made, "Grace Hopper", "grace-hopper", [1])
    ran = run("check", "in", "--key", made / "teacher" / "key.json")
    table = ran.table.set_index("student")
    assert table["points"].to_dict() == {"Ada": 20, "Grace Hopper": 2, "Žofie": 0}
    assert (table["possible"] == 28).all()
    assert table.loc["Žofie", "remarks"] == "nothing was handed in"
    assert "2 of 3 students handed in." in ran.err


def settings_of(vector: str, **other: object) -> str:
    """A settings file as the page Exact saves it."""
    values = {"vector": vector, "small": "typed"} | other
    return saved_text(QUESTIONS["exact"], values, source_of("games", {}))


BROKEN = {
    "s01-8.json": (b"{", "it is not valid JSON"),
    "ada-8.json": (None, "its name does not say whose it is"),
    "8.json": (None, "its name does not say whose it is"),
    "s02.json": (None, "its name does not say which exercise it answers"),
    "s02/settings.json": (None, "its name does not say which exercise it answers"),
    "s02/s03-8.json": (None, "its name does not say whose it is"),
    "s02-8.json": (b"[" * 60_000, "it is not valid JSON"),
    "s02-9.json": (b" " * 70_000, "at most 65,536 bytes"),
    "s02_8.json": (b'{"dptopk_settings": 1, "page": "release", "settings": {}}', "were typed"),
    "s03-8.json": (b'{"dptopk_settings": 1, "page": "exact", "settings": {"x": 1}}', "'x' is not"),
    "s04/8.json": (settings_of("1, 2, 3, 4", small="all").encode(), "no counts were typed"),
    "s05-form.txt": (b"student: s05\n1: 1\n1: 2", "exercise 1 is answered twice"),
    "\x1b[2Js06.txt": (b"\xff\xfe", "it is not a text in UTF-8"),
    "=cmd-8.json": (None, "its name does not say whose it is"),
    "notes.txt": (b"hello", "no line says whose it is"),
    "other.txt": (b"student: Mallory\n1: 1", "'Mallory' is not a student of the key"),
}


def test_sixty_hand_ins_of_forms_links_settings_and_broken_files(run):
    students = [f"s{i:02}" for i in range(1, 60)] + ["=1+1"]
    Path("names.txt").write_text("\n".join(students), encoding="utf-8")
    assert run("homework", "--students", "names.txt", "--seed", 9, "-o", "hw").code == 0
    folder = Path("in")
    wanted = dict.fromkeys(students, 0)
    for i, student in enumerate(students[9:], start=9):
        right = ", ".join(map(str, make_sheet(9, student).exercises[7].answer.example))
        moodle = folder / f"{student}_{i}_assignsubmission_file_"
        moodle.mkdir(parents=True)
        how, wanted[student] = i % 5, 4
        if how == 0:  # two settings files beside a form, which answers something else
            (moodle / "Exercise 8.json").write_text(settings_of(right))
            (moodle / "9.JSON").write_text(settings_of("5,5,5,5"))
            form = f"student: {student}\n3: @SUM(1)\n"
            wanted[student] = 8
        elif how == 1:
            form = f"student: {student}\n8: http://localhost:8501/exact?vector={right}&small_k=1\n"
        elif how == 2:
            form = f"student: {student}\n8: {right}\n"
        elif how == 3:  # a settings file alone
            (folder / f"{student}-8.json").write_text(settings_of(right))
            continue
        else:
            (moodle / f"{student}-3.json").write_text(settings_of(right))
            (moodle / f"{student}-9.json").write_text(settings_of("A 5, B 5"))
            wanted[student] = 0
            continue
        (moodle / "form.txt").write_text(form, encoding="utf-8")
    for name, (content, _) in BROKEN.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(settings_of("5, 5, 5, 5").encode() if content is None else content)
    os.mkfifo(folder / "s07-8.json")
    Path(folder, "s08-8.json").symlink_to("/dev/zero")
    ran = run("check", "in", "--key", "hw/teacher/key.json", "-o", "grades.csv")
    assert ran.code == 0
    lines = ran.err.splitlines()
    assert lines.pop() == "51 of 60 students handed in."
    told = dict(line.split(" is left out: ") for line in lines)
    assert told.keys() == {f"in/{name}".replace("\x1b", "�") for name in BROKEN}
    for name, (_, words) in BROKEN.items():
        assert words in told[f"in/{name}".replace("\x1b", "�")]
    with Path("grades.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert {row["student"]: float(row["points"]) for row in rows} == {
        "'=1+1" if student == "=1+1" else student: points for student, points in wanted.items()
    }
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@"))]
    of = {row["student"]: row["remarks"] for row in rows}
    assert "3: not marked: '@SUM(1)' is not a number" in of["s11"]
    assert "'20, 18, 18, 18' is not a number" in of["s15"]
    assert "9: not marked: 'A 5, B 5' is not 4 whole numbers" in of["s15"]
    assert of["s01"] == "nothing was handed in"


@pytest.mark.parametrize(
    "again", ["in/Ada.8.txt", "in/again.txt", "in/ada-8.json", "in/ada/8.json"]
)
def test_an_exercise_answered_twice_is_a_question(run, made, again):
    fill_in(made, "Ada", "ada", [8])
    text = settings_of("5, 5, 5, 5") if again.endswith("json") else "student: Ada\n8: 1, 1, 1, 1"
    Path(again).write_text(text)
    ran = run("check", "in", "--key", made / "teacher" / "key.json")
    assert ran.code == 3
    assert "exercise 8 of Ada is answered in another file too; keep one" in ran.err


def test_an_empty_form_is_not_counted_as_handed_in(run, made):
    fill_in(made, "Ada", "ada", [1])
    fill_in(made, "Grace Hopper", "grace-hopper", [])
    ran = run("check", "in", "--key", made / "teacher" / "key.json")
    assert "1 of 3 students handed in." in ran.err


def test_files_of_a_class(run, made):
    names = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    stems = ("ada", "grace-hopper", "žofie")
    assert names == {
        *(f"sheets/{stem}.{ending}" for stem in stems for ending in ("html", "ipynb", "txt")),
        *(f"teacher/solutions/{stem}.html" for stem in stems),
        "teacher/key.json",
        "teacher/moodle.xml",
        "teacher/qti.zip",
    }
    assert zipfile.ZipFile(made / "teacher" / "qti.zip").testzip() is None


def test_a_seed_is_random_where_none_is_named(run):
    for folder in ("a", "b"):
        assert run("homework", "--students", 2, "-o", folder).code == 0
    seeds = {json.loads(Path(f, "teacher/key.json").read_text())["seed"] for f in ("a", "b")}
    assert len(seeds) == 2


def test_nothing_is_written_over(run, made):
    before = (made / "teacher" / "key.json").read_bytes()
    ran = run("homework", "--students", 2, "-o", "hw")
    assert (ran.code, "it is not empty" in ran.err) == (5, True)
    assert (made / "teacher" / "key.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("homework", "--students", "0", "-o", "x"), 2, "from 1 to 2,000"),
        (("homework", "--students", "none.txt", "-o", "x"), 3, "cannot be read"),
        (("check", "none", "--key", "hw/teacher/key.json"), 3, "none is no folder"),
        (("check", "hw", "--key", "names.txt"), 3, "not the key of a homework"),
        (("check", "hw", "--key", "none.json"), 3, "cannot be read"),
    ],
)
def test_wrong_names_are_told(run, made, arguments, code, words):
    ran = run(*arguments)
    assert ran.code == code
    assert words in ran.err
