"""Exceptions raised while reading data, and questions to the user about ambiguous data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from shlex import quote
from typing import NamedTuple

from dptopk.core import validation
from dptopk.data.ingest._plain import shown

FORMATS = "Excel (.xlsx), Parquet, CSV, TSV or text, also as .gz or .zip"
"""Files that are read, for documentation and messages."""
LOG_FORMATS = f"{FORMATS}, SQLite and DuckDB databases"
"""Files that logs of events may be, likewise."""
MAX_COLUMNS = 200  # largest number of columns
MAX_READ_AS = 100  # largest number as which suppressed counts can be read


def counting(filename: str = "", of_database: bool = False) -> str:
    """Return the command that counts the users of a log, wherever it is kept."""
    table = " --table TABLE" if of_database else ""
    name = quote(shown(filename.replace("\\", "/").rpartition("/")[2], 30)) if filename else "FILE"
    return f"dptopk counts {name}{table} --user COLUMN --item COLUMN -o counts.csv"


COUNT_FIRST = f"count its users first, with {counting()}"
"""Advice for a log that is too large to be read."""


class Reply:
    """Answers to questions about a file, as arguments, options and settings write them."""

    LEAVE_OUT, KEEP = "leave out", "keep"
    APART, MERGE = "apart", "merge"
    YES, NO = "yes", "no"
    ONE, SUM, PARTS = "one", "sum", "parts"
    COUNTED, STATED, SEVERAL, ITEMS = "users", "stated", "events", "items"
    NEAREST, DOWN = "nearest", "down"
    OPTIONS, WHOLE = "options", "none"


POINT, COMMA = ".", ","
LIST_MARKS = {"semicolon": ";", "bar": "|", "comma": ","}
JOIN = "+"
DATES = {"day-first": "%d{0}%m{0}%Y", "month-first": "%m{0}%d{0}%Y"}
"""Orders of dates such as 01.02.2026, with their formats."""


class AmbiguityKind(NamedTuple):
    """Kind of ambiguity."""

    label: str  # the question in a few words
    answers: tuple[str, ...]  # none where the data themselves offer them
    how: str = ""  # how to answer, in words


KINDS: Mapping[str, AmbiguityKind] = {
    "items": AmbiguityKind(
        "Which column holds the items?", (*map(str, range(1, MAX_COLUMNS + 1)),), "say which"
    ),
    "survey": AmbiguityKind("What do the columns of yes and no mean?", (Reply.YES, Reply.NO)),
    "several": AmbiguityKind(
        "Which column holds the counts?",
        (Reply.ONE, Reply.SUM, Reply.PARTS),
        "say which, or whether to sum them",
    ),
    "split": AmbiguityKind(
        "Does a cell hold one item or several?",
        (
            *(JOIN.join(some) for n in (3, 2, 1) for some in combinations(LIST_MARKS, n)),
            Reply.OPTIONS,  # commas between options that may hold some themselves
            Reply.WHOLE,
        ),
        "split them, or keep each cell as one item",
    ),
    "rows": AmbiguityKind(
        "What do several rows of an item mean?",
        (Reply.COUNTED, Reply.STATED, Reply.SEVERAL, Reply.ITEMS),
        "say what a row is, or choose the columns of items, counts and users",
    ),
    "decimal": AmbiguityKind(
        "Thousands or decimals?", (POINT, COMMA), "say which, or write whole numbers as in 1234"
    ),
    "rounding": AmbiguityKind(
        "Round the decimals?", (Reply.NEAREST, Reply.DOWN), "round, or choose another column"
    ),
    "total": AmbiguityKind(
        "Are these rows totals?",
        (Reply.LEAVE_OUT, Reply.KEEP),
        "leave such rows out, or keep them as items",
    ),
    "twins": AmbiguityKind("Names that look alike", (Reply.APART, Reply.MERGE)),
    "nulls": AmbiguityKind(
        "Missing names",
        (Reply.LEAVE_OUT, Reply.KEEP),
        'leave such rows out (nulls="leave out"), or keep the names (nulls="keep")',
    ),
    "suppressed": AmbiguityKind(
        "How should suppressed counts be read?",
        (Reply.LEAVE_OUT, *map(str, range(MAX_READ_AS + 1))),
        "leave these rows out, or read each as a number",
    ),
    "users_alike": AmbiguityKind("Users written alike", (Reply.APART, Reply.MERGE)),
    "sheet": AmbiguityKind("Which sheet?", (), "choose one"),
    "dates": AmbiguityKind("What comes first in dates?", (*DATES,)),
}
"""Every kind of ambiguity by its key."""

ANSWERS = {key: kind.answers for key, kind in KINDS.items() if key not in ("sheet", "dates")}
"""Arguments of `to_item_counts` that answer an `Ambiguity`, and the answers to each."""


@dataclass(frozen=True)
class Ambiguity:
    """Ambiguity of data with two possible readings, or a change that can be undone.

    The dialog of the app, ``--answer`` and the arguments of `to_item_counts` are made from it and
    from its kind.  It may quote the data: show it as plain text.

    Where none is ``needed``, a reading was taken, by default or without an answer, is said among
    what was done, and may be undone.  It ``matters`` where an answer was taken, not given, and
    another would change counts or what they count.
    """

    key: str  # of its kind in `KINDS`: the argument that answers it
    sentence: str  # what was found
    options: Mapping[str, str]  # the answers, and what each of them means
    answer: str | None = None  # that was given, or taken by default
    suggested: str | None = None  # the answer to propose, still to be shown and confirmed
    needed: bool = True
    found: tuple[str, ...] = ()  # what it is about, one thing a line, if that is more than one
    matters: bool = False
    columns: Mapping[str, tuple[int | None, int | None, int | None]] = field(default_factory=dict)
    """Answers that take other columns than were given: those of items, counts and users."""
    label: str = ""  # the question in a few words; left out, that of its kind
    how: str = ""  # how to answer it, likewise
    unanswered: str = ""  # what is read until somebody answers, as an option beside the answers

    def __post_init__(self) -> None:
        kind = KINDS[validation.choice("key", self.key, (*KINDS,))]
        for option in self.options if kind.answers else ():
            validation.choice("options", option, kind.answers)
        object.__setattr__(self, "label", self.label or kind.label)
        object.__setattr__(self, "how", self.how or kind.how)


class IngestError(ValueError):
    """Data could not be read; the message is one sentence saying what to do.

    The message may quote the data: show it as plain text, not as markup.  ``questions`` are those
    that were asked before, with the answers taken: others may mend it.
    """

    questions: tuple[Ambiguity, ...] = ()


class NoTableError(IngestError):
    """The data hold no table of counts; in a workbook, another sheet may."""


class NothingLeftError(IngestError):
    """Data name no user and item, or none of the list."""


class UnclearError(IngestError):
    """Two readings are possible; the last of ``questions`` is open."""

    def __init__(self, message: str, questions: tuple[Ambiguity, ...]):
        super().__init__(message)
        self.questions = questions

    def __reduce__(self) -> tuple[type["UnclearError"], tuple[str, tuple[Ambiguity, ...]]]:
        """Include the questions when pickled."""
        return type(self), (str(self), self.questions)


class Dialogue:
    """Questions asked while data are read, with the answers given, and sentences on what was done.

    ``listed`` are the names on the public list, ``known`` those that are never missing: these, or
    others that are set later; ``normalize`` makes names one that differ in case, spaces or the
    encoding of accents.
    """

    def __init__(
        self,
        answers: Mapping[str, str | None] | None = None,
        notes: Iterable[str] = (),
        listed: Iterable[str] | None = None,
        normalize: bool = False,
    ):
        self.answers = dict(answers or {})
        self.notes = [*notes]
        self.questions: list[Ambiguity] = []
        self.listed = None if listed is None else [*map(str, listed)]
        self.known = frozenset(name.strip() for name in self.listed or ())
        self.normalize = normalize

    def ask(self, question: Ambiguity) -> str:
        """Add a question to those asked, once, and return its answer: that given, or its own.

        Without one, an `UnclearError` says how to answer.
        """
        given = self.answers.get(question.key)
        question = question if given is None else replace(question, answer=given, matters=False)
        if all(question.key != other.key for other in self.questions):
            self.questions.append(question)
        if question.answer is None:
            raise UnclearError(f"{question.sentence[:-1]}: {question.how}.", tuple(self.questions))
        return question.answer
