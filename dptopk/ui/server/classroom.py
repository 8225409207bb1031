"""Registry of open classes, with the question and the anonymous answers of each.

A class is held in the memory of this process alone and is deleted when it is closed, when its
teacher has been away for long, or after some hours.  Of a student nothing is stored but the network
address, a random seed, one prediction and a bounded number of draws of the present question.  A
student is named by a random key that only that student's browser holds, so that nobody can read,
change or delete what another one answered.  Whoever has the teacher's key, which is random as well,
teaches the class.

Whoever has the code can join again and again, by programs that keep no key.  `OF_AN_ADDRESS`
students are therefore the most of one client, more than a lecture room behind one address has.
Who joins beyond it, or beyond `MOST_STUDENTS`, takes the place of the last who came and is away:
those who came before a flood keep their places and answers, those who come after it get in.

A code has 6 of 20 letters, 6.4e7 codes, and one session may try `MOST_GUESSES` wrong ones.  At a
hundred guesses a second, more than a server answers, one of `MOST_CLASSES` classes would be found
after nine hours on average.  A code admits students only, and a teacher can admit no more of them.

Every class has a lock, held to read and write small numbers, and for milliseconds to add them up.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; no letters that look like digits
N_LETTERS = 6
MOST_CLASSES = 20
OF_A_CLIENT = 8  # classes opened from one address: that of a whole school
MOST_STUDENTS = 1_000
OF_AN_ADDRESS = 400  # students of a class: more than a lecture room has
MOST_DRAWS = 200  # of a student, for one question
MOST_GUESSES = 10  # wrong codes of one session
HOURS = 4  # after which a class is deleted
ABSENT_MINUTES = 30  # of its teacher, likewise
_PRESENT_SECONDS = 30.0  # since a student's page last asked: a locked phone asks no more
_AWAY_SECONDS = 10.0  # likewise, after which others may take the place: pages ask every 2 s
_KEY_BYTES = 16


class ClassroomError(ValueError):
    """A class cannot be opened or joined; the message is a sentence."""


@dataclass(frozen=True)
class ClassQuestion:
    """Question of a class: its number, from 1, and the numbers of its options and outputs."""

    number: int
    question: Any
    n_options: int
    n_outputs: int


@dataclass(frozen=True)
class Results:
    """Answers of all students together, for the teacher."""

    asked: ClassQuestion | None  # the present question; None before the first
    revealed: bool  # whether its answer is shown to students
    locked: bool  # whether new ones are refused
    n_present: int  # students whose page is open
    predictions: tuple[int, ...]  # number of students by option
    draws: tuple[int, ...]  # number of draws by output


@dataclass(frozen=True)
class Own:
    """Answers of one student to the present question, for that student."""

    asked: ClassQuestion | None
    revealed: bool
    ended: bool  # whether no prediction is taken any more: the answer was shown
    seed: int
    prediction: int | None
    draws: tuple[int, ...]  # outputs, in the order drawn


@dataclass
class _Student:
    client: str
    seed: int
    seen: float
    prediction: int | None = None
    draws: list[int] = field(default_factory=list)


class Classroom:
    """One class; safe to use from several threads."""

    def __init__(self, code: str, client: str, clock: Callable[[], float]):
        self.code, self.client, self.key = code, client, secrets.token_urlsafe(_KEY_BYTES)
        self._clock = clock
        self._opened = self._taught = clock()
        self._lock = threading.Lock()
        self._students: dict[str, _Student] = {}
        self._asked: ClassQuestion | None = None
        self._revealed = self._was_revealed = self._locked = False

    @property
    def is_over(self) -> bool:
        """True once the class is to be deleted."""
        now = self._clock()
        return now - self._opened > 3600 * HOURS or now - self._taught > 60 * ABSENT_MINUTES

    # For the teacher

    def ask(self, question: Any, n_options: int, n_outputs: int) -> None:
        """Ask a question; answers to the one before are deleted."""
        with self._lock:
            number = self._asked.number + 1 if self._asked else 1
            self._asked = ClassQuestion(number, question, n_options, n_outputs)
            self._revealed = self._was_revealed = False
            for student in self._students.values():
                student.prediction = None
                student.draws.clear()

    def reveal(self, revealed: bool) -> None:
        """Show the answer to students, or hide it; once shown it ends the predictions."""
        with self._lock:
            self._revealed = revealed
            self._was_revealed |= revealed

    def lock(self, locked: bool) -> None:
        """Refuse students who are not in the class yet, or admit them again."""
        with self._lock:
            self._locked = locked

    def results(self) -> Results:
        """Return the answers of all students together, and mark the teacher as present."""
        with self._lock:
            now = self._taught = self._clock()
            question, students = self._asked, self._students.values()
            predictions = Counter(student.prediction for student in students)
            draws = Counter(chain.from_iterable(student.draws for student in students))
            return Results(
                question,
                self._revealed,
                self._locked,
                sum(now - student.seen <= _PRESENT_SECONDS for student in students),
                tuple(predictions[i] for i in range(question.n_options if question else 0)),
                tuple(draws[i] for i in range(question.n_outputs if question else 0)),
            )

    # For a student

    def join(self, client: str = "") -> str:
        """Admit a student from a network address; return the key under which that one answers."""
        with self._lock:
            if self._locked:
                raise ClassroomError("The teacher admits no more students to this class.")
            near = [key for key, student in self._students.items() if student.client == client]
            if len(near) >= OF_AN_ADDRESS:
                full = f"{OF_AN_ADDRESS} students joined from your network address"
                self._delete_one_of(near, full)
            elif len(self._students) >= MOST_STUDENTS:
                self._delete_one_of([*self._students], f"This class has {MOST_STUDENTS:,} students")
            key = secrets.token_urlsafe(_KEY_BYTES)
            self._students[key] = _Student(client, secrets.randbelow(2**31), self._clock())
            return key

    def leave(self, student: str) -> None:
        """Delete a student with the answers, if there is one of this key."""
        with self._lock:
            self._students.pop(student, None)

    def own(self, student: str) -> Own | None:
        """Return the answers of a student, now marked as present; None for an unknown key."""
        with self._lock:
            one = self._students.get(student)
            if one is None:
                return None
            one.seen = self._clock()
            draws = tuple(one.draws)
            ended = self._was_revealed
            return Own(self._asked, self._revealed, ended, one.seed, one.prediction, draws)

    def predict(self, student: str, number: int, option: int) -> bool:
        """Store the prediction of a student in place of an earlier one; return True if stored.

        It is not stored once the student has predicted and drawn, once the answer was shown, even
        if it is hidden again, or if another question was asked meanwhile.
        """
        with self._lock:
            one, question = self._of_question(student, number)
            if one is None or self._was_revealed or not 0 <= option < question.n_options:
                return False
            if one.prediction is not None and one.draws:  # it would be no prediction
                return False
            one.prediction = option
            return True

    def draw(self, student: str, number: int, outputs: Sequence[int]) -> bool:
        """Store draws of a student, up to `MOST_DRAWS` in all; return True if some were stored."""
        with self._lock:
            one, asked = self._of_question(student, number)
            if one is None:
                return False
            kept = [i for i in outputs[: MOST_DRAWS - len(one.draws)] if 0 <= i < asked.n_outputs]
            one.draws += kept
            return bool(kept)

    def _of_question(self, student: str, number: int) -> tuple[_Student | None, ClassQuestion]:
        """Return a student if the question is the present one."""
        question = self._asked or ClassQuestion(0, None, 0, 0)
        return self._students.get(student) if number == question.number else None, question

    def _delete_one_of(self, students: list[str], full: str) -> None:
        """Delete the last of these students who is away, rather one without an answer."""
        now = self._clock()
        of = self._students
        away = [key for key in students if now - of[key].seen > _AWAY_SECONDS]
        if not away:
            raise ClassroomError(f"{full}, as many as fit: reload this page when some have left.")
        silent = [key for key in away if of[key].prediction is None and not of[key].draws]
        del of[(silent or away)[-1]]


class Classrooms:
    """All open classes of a process; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = threading.Lock()
        self._by_code: dict[str, Classroom] = {}

    def open(self, client: str = "") -> Classroom:
        """Open a class from a network address; a `ClassroomError` says that there are too many."""
        self.sweep()
        with self._lock:
            if len(self._by_code) >= MOST_CLASSES:
                raise ClassroomError(
                    f"{MOST_CLASSES} classes are open, as many as this server holds: try again "
                    "when one is closed."
                )
            if sum(room.client == client for room in self._by_code.values()) >= OF_A_CLIENT:
                raise ClassroomError(
                    f"{OF_A_CLIENT} classes were opened from your network address: close one."
                )
            while (code := _new_code()) in self._by_code:
                pass
            room = self._by_code[code] = Classroom(code, client, self._clock)
            return room

    @property
    def are_open(self) -> bool:
        """True if there are any."""
        return bool(self._by_code)

    def find(self, code: str) -> Classroom | None:
        """Return the class of a code as somebody may type it; None if there is none."""
        with self._lock:
            room = self._by_code.get(normalized(code))
        return None if room is None or room.is_over else room

    def taught(self, key: str) -> Classroom | None:
        """Return the class of a teacher's key; None if there is none."""
        typed = key.encode(errors="replace")  # of texts, only ASCII could be compared
        with self._lock:
            rooms = list(self._by_code.values())
        held = (room for room in rooms if secrets.compare_digest(room.key.encode(), typed))
        return next((room for room in held if not room.is_over), None)

    def close(self, key: str) -> None:
        """Delete the class of a teacher's key, with all answers."""
        if (room := self.taught(key)) is not None:
            with self._lock:
                self._by_code.pop(room.code, None)

    def sweep(self) -> None:
        """Delete the classes that are over."""
        with self._lock:
            self._by_code = {c: room for c, room in self._by_code.items() if not room.is_over}


def normalized(code: str) -> str:
    """Return the letters and digits of a typed code, in capitals."""
    return "".join(filter(str.isalnum, code[:40])).upper()


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(N_LETTERS))


CLASSROOMS = Classrooms()
"""The classes of this process."""
