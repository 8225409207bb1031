"""Registry of open classes, with the question and the anonymous answers of each.

A class is held in the memory of this process alone and is deleted when it is closed, when its
teacher has been away for long, or after some hours.  Of a student nothing is stored but a random
seed, one prediction and a bounded number of draws of the present question.  A student is named by
a random key that only that student's session holds, so that nobody can read, change or delete what
another one answered.  Whoever has the teacher's key, which is random as well, teaches the class.

A code has 6 of 20 letters, 6.4e7 codes, and one session may try `MOST_GUESSES` wrong ones.  At a
hundred guesses a second, more than a server answers, one of `MOST_CLASSES` classes would be found
after nine hours on average.  A code admits students only, and a teacher can admit no more of them.

Every class has a lock, held only to read and write small numbers; nothing is computed under it.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; no letters that look like digits
N_LETTERS = 6
MOST_CLASSES = 20
OF_A_CLIENT = 8  # classes opened from one address: that of a whole school
MOST_STUDENTS = 300
MOST_DRAWS = 200  # of a student, for one question
MOST_GUESSES = 10  # wrong codes of one session
HOURS = 4  # after which a class is deleted
ABSENT_MINUTES = 30  # of its teacher, likewise
_PRESENT_SECONDS = 30.0  # since a student's page last asked: a locked phone asks no more
_KEY_BYTES = 16


class ClassroomError(ValueError):
    """A class cannot be opened or joined; the message is a sentence."""


@dataclass(frozen=True)
class Asked:
    """Question of a class: its number, from 1, and the numbers of its options and outputs."""

    number: int
    question: Any
    n_options: int
    n_outputs: int


@dataclass(frozen=True)
class Results:
    """Answers of all students together, for the teacher.

    Attributes
    ----------
    asked : Asked or None
        The present question; None before the first.
    revealed, locked : bool
        Whether its answer is shown to students, and whether new ones are refused.
    n_present : int
        Students whose page is open.
    predictions, draws : tuple of int
        Number of students by option, and of draws by output.
    """

    asked: Asked | None
    revealed: bool
    locked: bool
    n_present: int
    predictions: tuple[int, ...]
    draws: tuple[int, ...]


@dataclass(frozen=True)
class Own:
    """Answers of one student to the present question, for that student."""

    asked: Asked | None
    revealed: bool
    seed: int
    prediction: int | None
    draws: tuple[int, ...]  # outputs, in the order drawn


@dataclass
class _Student:
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
        self._asked: Asked | None = None
        self._revealed = self._locked = False
        self._predictions: Counter[int] = Counter()
        self._draws: Counter[int] = Counter()

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
            self._asked = Asked(number, question, n_options, n_outputs)
            self._revealed = False
            self._predictions.clear()
            self._draws.clear()
            for student in self._students.values():
                student.prediction = None
                student.draws.clear()

    def reveal(self, revealed: bool) -> None:
        """Show the answer to students, or hide it; a shown answer ends the predictions."""
        with self._lock:
            self._revealed = revealed

    def lock(self, locked: bool) -> None:
        """Refuse students who are not in the class yet, or admit them again."""
        with self._lock:
            self._locked = locked

    def results(self) -> Results:
        """Return the answers of all students together, and mark the teacher as present."""
        with self._lock:
            now = self._taught = self._clock()
            asked = self._asked
            return Results(
                asked,
                self._revealed,
                self._locked,
                sum(now - student.seen <= _PRESENT_SECONDS for student in self._students.values()),
                tuple(self._predictions[i] for i in range(asked.n_options if asked else 0)),
                tuple(self._draws[i] for i in range(asked.n_outputs if asked else 0)),
            )

    # For a student

    def join(self) -> str:
        """Admit a student; return the key under which that one answers.

        Raises
        ------
        ClassroomError
            If no more students are admitted.
        """
        with self._lock:
            if self._locked:
                raise ClassroomError("The teacher admits no more students to this class.")
            if len(self._students) >= MOST_STUDENTS:
                self._drop_absent()
            if len(self._students) >= MOST_STUDENTS:
                raise ClassroomError(f"This class has {MOST_STUDENTS} students, as many as fit.")
            key = secrets.token_urlsafe(_KEY_BYTES)
            self._students[key] = _Student(secrets.randbelow(2**31), self._clock())
            return key

    def leave(self, student: str) -> None:
        """Delete a student who has not answered the present question."""
        with self._lock:
            found = self._students.get(student)
            if found is not None and found.prediction is None and not found.draws:
                del self._students[student]

    def own(self, student: str) -> Own | None:
        """Return the answers of a student, now marked as present; None for an unknown key."""
        with self._lock:
            found = self._students.get(student)
            if found is None:
                return None
            found.seen = self._clock()
            draws = tuple(found.draws)
            return Own(self._asked, self._revealed, found.seed, found.prediction, draws)

    def predict(self, student: str, number: int, option: int) -> bool:
        """Store the prediction of a student in place of an earlier one; return True if stored.

        It is not stored once the answer is shown, or if another question was asked meanwhile.
        """
        with self._lock:
            found, asked = self._of_question(student, number)
            if found is None or self._revealed or not 0 <= option < asked.n_options:
                return False
            if found.prediction is not None:
                self._predictions[found.prediction] -= 1
            found.prediction = option
            self._predictions[option] += 1
            return True

    def draw(self, student: str, number: int, outputs: Sequence[int]) -> bool:
        """Store draws of a student, up to `MOST_DRAWS` in all; return True if some were stored."""
        with self._lock:
            found, asked = self._of_question(student, number)
            if found is None:
                return False
            kept = [i for i in outputs[: MOST_DRAWS - len(found.draws)] if 0 <= i < asked.n_outputs]
            found.draws += kept
            self._draws.update(kept)
            return bool(kept)

    def _of_question(self, student: str, number: int) -> tuple[_Student | None, Asked]:
        """Return a student if the question is the present one."""
        asked = self._asked or Asked(0, None, 0, 0)
        return self._students.get(student) if number == asked.number else None, asked

    def _drop_absent(self) -> None:
        """Delete students who are away and have not answered the present question."""
        now = self._clock()
        self._students = {
            key: student
            for key, student in self._students.items()
            if student.prediction is not None
            or student.draws
            or now - student.seen <= _PRESENT_SECONDS
        }


class Classrooms:
    """All open classes of a process; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = threading.Lock()
        self._by_code: dict[str, Classroom] = {}

    def open(self, client: str = "") -> Classroom:
        """Open a class from a network address.

        Raises
        ------
        ClassroomError
            If there are as many as the server holds, in all or from one address.
        """
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
            code = _new_code()
            while code in self._by_code:
                code = _new_code()
            room = self._by_code[code] = Classroom(code, client, self._clock)
            return room

    def find(self, code: str) -> Classroom | None:
        """Return the class of a code as somebody may type it; None if there is none."""
        with self._lock:
            room = self._by_code.get(normalized(code))
        return None if room is None or room.is_over else room

    def taught(self, key: str) -> Classroom | None:
        """Return the class of a teacher's key; None if there is none."""
        with self._lock:
            rooms = list(self._by_code.values())
        held = (room for room in rooms if secrets.compare_digest(room.key, key))
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

    def clear(self) -> None:
        """Delete all classes, as in a new process."""
        with self._lock:
            self._by_code.clear()


def normalized(code: str) -> str:
    """Return a typed code in capitals, without spaces and hyphens."""
    return "".join(code[:40].split()).replace("-", "").upper()


def _new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(N_LETTERS))


CLASSROOMS = Classrooms()
"""The classes of this process."""
