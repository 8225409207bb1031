"""Offer exercise sheets for a class."""

import secrets
from functools import partial

import streamlit as st

from dptopk.homework.documents import archive
from dptopk.homework.exercises import KINDS
from dptopk.homework.grading import Homework, HomeworkError, names_of
from dptopk.ui import show
from dptopk.ui.formats import plain

MAX_STUDENTS = 200  # of one download, which takes some seconds
WORDS = (
    f"{len(KINDS)} exercises whose answers come out by hand, with other "
    "numbers for each student. The archive holds a page to print, a notebook and a form for the "
    "answers of each student; for you the solutions, question banks for Moodle (XML) and other "
    "learning systems (QTI 2.1), and a key. Keep the folder `teacher` to yourself. When the forms "
    "are back, `dptopk check FOLDER --key teacher/key.json` grades them, and settings files that "
    "the page Exact saves, named such as `ada-8.json`, where counts are asked for."
)


def sheets() -> None:
    """Show the control for the names of students, and the download of their sheets."""
    st.markdown(WORDS)
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
