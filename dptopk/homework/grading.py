"""Grade the answers of a class, and store the key that generates its sheets again."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from dptopk.core.application import version
from dptopk.data.ingest import quoted_names
from dptopk.homework.exercises import AnswerError, Sheet, make_sheet
from dptopk.questions.asking import AskingError
from dptopk.questions.saved import read_saved
from dptopk.questions.settings import SMALL, SMALL_TYPED, VECTOR

MAX_STUDENTS = 2_000
MAX_ANSWERS_BYTES = 100_000
MAX_KEY_BYTES = 1_000_000
_MAX_NAME = 80
_SHOWN_LINES, _SHOWN_LETTERS = 3, 40  # of what was handed in, in remarks

_LINE = re.compile(r"(student|\d{1,3})\s*(?::|\.(?!\S))\s*(.*)", re.IGNORECASE)  # 1.25 is a number
_NUMBERED = re.compile(r"(.*?)[-_](?:exercise[-_]?)?(\d{1,3})")
_HOLDS = {"format", "made_with", "seed", "students", "digest"}
_FORMAT = "dptopk homework 1"


class HomeworkError(ValueError):
    """A key, a list of students or answers that cannot be used; the message says why."""


@dataclass(frozen=True)
class Homework:
    """Sheets of a class, whose students have distinct names."""

    seed: int  # whoever knows it can generate every answer
    students: tuple[str, ...]

    @property
    def sheets(self) -> Iterable[Sheet]:
        """The sheet of every student, in the order of their names."""
        return (make_sheet(self.seed, student) for student in self.students)

    @property
    def digest(self) -> str:
        """SHA-256 of the right answers of the first and the last student."""
        ends = dict.fromkeys((self.students[0], self.students[-1]))
        sheets = (make_sheet(self.seed, student) for student in ends)
        answers = [exercise.answer.shown for sheet in sheets for exercise in sheet.exercises]
        return hashlib.sha256("\n".join(answers).encode()).hexdigest()

    def key(self) -> str:
        """Return the key as JSON, from which `Homework.of_key` makes the same sheets again."""
        held = {
            "format": _FORMAT,
            "made_with": version(),
            "seed": self.seed,
            "students": self.students,
            "digest": self.digest,
        }
        return json.dumps(held, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def of_key(cls, content: bytes) -> "Homework":
        """Read a key; refuse one of which this version of dptopk makes other exercises."""
        try:
            held = json.loads(content[: MAX_KEY_BYTES + 1].decode())
        except (ValueError, RecursionError) as error:
            raise HomeworkError("it is not the key of a homework (JSON)") from error
        if not isinstance(held, dict) or set(held) != _HOLDS or held["format"] != _FORMAT:
            raise HomeworkError(f"it is not the key of a homework ({_FORMAT})")
        seed, students = held["seed"], held["students"]
        if type(seed) is not int or not isinstance(students, list):
            raise HomeworkError("its seed or its students are damaged")
        made = cls(seed, names_of(students))
        if made.digest != held["digest"]:
            raise HomeworkError(
                f"its exercises were made by dptopk {held['made_with']!s:.20}, and this version "
                f"({version()}) makes others: grade with that version"
            )
        return made


def names_of(lines: Iterable[object]) -> tuple[str, ...]:
    """Return the names of students, trimmed, without empty lines; refuse two that are alike."""
    names = [line.strip() if isinstance(line, str) else "" for line in lines]
    names = [name for name in names if name]
    if not names:
        raise HomeworkError("no student is named: write one name a line")
    if len(names) > MAX_STUDENTS:
        raise HomeworkError(f"{len(names):,} students are named, at most {MAX_STUDENTS:,} can be")
    seen: dict[str, str] = {}
    for name in names:
        if len(name) > _MAX_NAME or not name.isprintable():
            raise HomeworkError(f"{name[:30]!r} is not a name of at most {_MAX_NAME} characters")
        other = seen.setdefault(file_stem(name), name)
        if other is not name:
            raise HomeworkError(f"{other!r} and {name!r} look alike: tell them apart")
    return tuple(names)


def file_stem(student: str) -> str:
    """Return the name of a student as part of a file name: letters, digits and hyphens."""
    return re.sub(r"[^\w]+", "-", student.casefold()).strip("-") or "student"


@dataclass(frozen=True)
class Answers:
    """Answers that were handed in: the student and the text for each exercise, from 1."""

    student: str
    texts: Mapping[int, str]
    unread: tuple[str, ...] = ()  # lines that are no answer

    @classmethod
    def of_file(cls, content: bytes) -> "Answers":
        """Read the lines ``student: name`` and ``number: answer``, which may go on a line below.

        Other lines are kept unread, but for empty ones and those that begin with #.
        """
        if len(content) > MAX_ANSWERS_BYTES:
            raise HomeworkError(f"it is larger than {MAX_ANSWERS_BYTES // 1000} kB")
        try:
            lines = content.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise HomeworkError("it is not a text in UTF-8") from error
        student, texts, unread, waiting = "", {}, [], ""
        for line in map(str.strip, lines):
            if not line or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line)
            key, text = (match[1].lower(), match[2]) if match else (waiting, line)
            waiting = "" if text else key
            if not key:
                unread.append(line)
            elif key == "student":
                if student and text != student:
                    raise HomeworkError("it names two students")
                student = text
            elif text:
                if int(key) in texts:
                    raise HomeworkError(f"exercise {int(key)} is answered twice")
                texts[int(key)] = text
        if not student:
            raise HomeworkError("no line says whose it is, such as 'student: Ada'")
        return cls(student, texts, tuple(unread))

    @classmethod
    def of_settings(cls, path: PurePath, content: bytes, students: Iterable[str]) -> "Answers":
        """Read a settings file of the page Exact, whose typed counts answer an exercise.

        The path below the folder of a class, such as ``ada-8.json`` or ``Ada_123_file/8.json``,
        names the exercise and one of the students.
        """
        student, exercise = _named(path, students)
        try:
            values = read_saved(content).values
        except AskingError as error:
            raise HomeworkError(str(error)) from error
        if values.get(SMALL.key) != SMALL_TYPED:
            raise HomeworkError("no counts were typed on its page: save the settings of Exact")
        return cls(student, {exercise: values[VECTOR.key]})

    def joined(self, other: "Answers") -> "Answers":
        """Return these answers and others of the same student, to other exercises."""
        if twice := sorted(self.texts.keys() & other.texts.keys()):
            raise HomeworkError(
                f"exercise {twice[0]} of {self.student} is answered in another file too; keep one"
            )
        texts, unread = {**self.texts, **other.texts}, self.unread + other.unread
        return Answers(self.student, texts, unread)


def _named(path: PurePath, students: Iterable[str]) -> tuple[str, int]:
    name = "-".join(file_stem(part) for part in path.with_suffix("").parts)
    stems = {file_stem(student): student for student in students}
    numbered = _NUMBERED.fullmatch(name)
    matches = _held(numbered[1], stems) if numbered else []
    if numbered and len(matches) == 1:
        return stems[matches[0]], int(numbered[2])
    if not matches and len(_held(name, stems)) == 1:
        raise HomeworkError("its name does not say which exercise it answers, as ada-8.json does")
    raise HomeworkError("its name does not say whose it is, as ada-8.json and ada/8.json do")


def _held(name: str, stems: Iterable[str]) -> list[str]:
    """Return the names of students that are in a name as whole words, but for parts of longer."""
    words = f"-{name}-".replace("_", "-")
    named = [stem for stem in stems if f"-{stem}-".replace("_", "-") in words]
    return [stem for stem in named if not any(stem in other for other in named if other != stem)]


def grade(sheet: Sheet, answers: Answers | None) -> dict[str, object]:
    """Grade the answers to a sheet, None if nothing was handed in.

    The row has the student, all points, how many are possible, those of each exercise by its
    number, None where the answer cannot be read in one way, and remarks on what is not right, with
    what was read, and on lines that are no answer.
    """
    earned: dict[str, float | None] = {}
    remarks: list[str] = []
    for i, exercise in enumerate(sheet.exercises, start=1):
        text = "" if answers is None else answers.texts.get(i, "")
        credit, remark = 0.0, "no answer" if answers else ""
        try:
            if text:
                credit, remark = exercise.answer.credit(text)
                remark = f"{remark}, read {text[:_SHOWN_LETTERS]!r}"
            earned[str(i)] = round(credit * exercise.points, 2)
        except AnswerError as error:
            earned[str(i)], remark = None, f"not marked: {error}"
        if remark and credit < 1:
            remarks.append(f"{i}: {remark}")
    if answers is None:
        remarks = ["nothing was handed in"]
    else:
        unknown = sorted(answers.texts.keys() - range(1, len(sheet.exercises) + 1))
        if unknown:
            remarks.append(f"{', '.join(map(str, unknown))}: no such exercise")
        if answers.unread:
            remarks.append(f"not read: {quoted_names(answers.unread, _SHOWN_LINES)}")
    return {
        "student": sheet.student,
        "points": round(sum(filter(None, earned.values())), 2),
        "possible": sheet.points,
        **earned,
        "remarks": "; ".join(remarks),
    }
