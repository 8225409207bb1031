"""Test `dptopk homework` and `dptopk check`, from a list of names to grades."""

import json
import zipfile
from pathlib import Path

import pytest

from dptopk.homework.exercises import make_sheet


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
    assert ran.code == 0
    table = ran.table.set_index("student")
    assert table["points"].to_dict() == {"Ada": 20, "Grace Hopper": 2, "Žofie": 0}
    assert (table["possible"] == 28).all()
    assert table.loc["Žofie", "remarks"] == "nothing was handed in"
    assert "2 of 3 students handed in." in ran.err


def test_an_empty_form_is_not_counted_as_handed_in(run, made):
    fill_in(made, "Ada", "ada", [1])
    fill_in(made, "Grace Hopper", "grace-hopper", [])
    assert (
        "1 of 3 students handed in."
        in run("check", "in", "--key", made / "teacher" / "key.json").err
    )


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


def test_files_of_others_are_left_out_and_named(run, made):
    fill_in(made, "Ada", "ada", [1])
    Path("in/notes.txt").write_text("hello")
    Path("in/other.txt").write_text("student: Mallory\n1: 1")
    ran = run("check", "in", "--key", made / "teacher" / "key.json")
    assert ran.code == 0
    assert "notes.txt is left out: no line says whose it is" in ran.err
    assert "'Mallory' is not a student of the key" in ran.err


def test_two_forms_of_one_student_are_a_question(run, made):
    fill_in(made, "Ada", "ada", [1])
    Path("in/again.txt").write_text("student: Ada\n1: 1")
    ran = run("check", "in", "--key", made / "teacher" / "key.json")
    assert (ran.code, "are in another file too" in ran.err) == (3, True)


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
