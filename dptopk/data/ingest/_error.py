"""Exceptions raised while reading data, and questions to the user about ambiguous data."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from shlex import quote

from dptopk.data.ingest._plain import shown


def counting(filename: str = "", of_database: bool = False) -> str:
    """Return the command that counts the users of a log, wherever it is kept."""
    table = " --table TABLE" if of_database else ""
    name = quote(shown(filename.replace("\\", "/").rpartition("/")[2], 30)) if filename else "FILE"
    return f"dptopk counts {name}{table} --user COLUMN --item COLUMN -o counts.csv"


COUNT_FIRST = f"count its users first, with {counting()}"
"""Advice for a log that is too large to be read."""


@dataclass(frozen=True)
class Ambiguity:
    """Ambiguity of data with two possible readings, or a change that can be undone.

    The dialog of the app, ``--answer`` and the arguments of `to_item_counts` are made from it.

    Attributes
    ----------
    key : str
        The argument of `to_item_counts` that answers it.
    label : str
        The question in a few words, none of them from the data.
    sentence : str
        What was found; may quote the data: show it as plain text.
    options : mapping of str to str
        The answers, and what each of them means; may quote the data.
    answer : str or None
        The answer that was given, or taken by default; None if there is none.
    suggested : str or None
        The answer to propose; it is still to be shown and confirmed.
    needed : bool
        Whether nothing can be read without an answer; else a reading was taken, is said among
        what was done, and may be undone.
    found : tuple of str
        What it is about, one thing a line, where that is more than one; quotes the data.
    matters : bool
        Whether an answer was taken, not given, and another would change counts.
    columns : mapping of str to tuple
        Answers that take other columns than were given: those of items, counts and users.
    """

    key: str
    label: str
    sentence: str
    options: Mapping[str, str]
    answer: str | None = None
    suggested: str | None = None
    needed: bool = True
    found: tuple[str, ...] = ()
    matters: bool = False
    columns: Mapping[str, tuple[int | None, int | None, int | None]] = field(default_factory=dict)


class IngestError(ValueError):
    """Data could not be read; the message is one sentence saying what to do.

    The message may quote the data: show it as plain text, not as markup.
    """


class NoTableError(IngestError):
    """The data hold no table of counts; in a workbook, another sheet may."""


class UnclearError(IngestError):
    """Two readings are possible; the last of ``questions`` is open."""

    def __init__(self, message: str, questions: tuple[Ambiguity, ...]):
        super().__init__(message)
        self.questions = questions

    def __reduce__(self) -> tuple[type["UnclearError"], tuple[str, tuple[Ambiguity, ...]]]:
        """Include the questions when pickled."""
        return type(self), (str(self), self.questions)


class Asked:
    """Questions asked while data are read, with the answers given, and sentences on what was done.

    Names on the public list ``listed``, and those ``known``, are never missing; ``normalize`` makes
    names one that differ in case, spaces or the encoding of accents.
    """

    def __init__(
        self,
        answers: Mapping[str, str | None] | None = None,
        notes: Iterable[str] = (),
        listed: Iterable[str] | None = None,
        known: Collection[str] = (),
        normalize: bool = False,
    ):
        self.answers = dict(answers or {})
        self.notes = [*notes]
        self.questions: list[Ambiguity] = []
        self.listed = None if listed is None else [*map(str, listed)]
        self.known = frozenset(name.strip() for name in (*(self.listed or ()), *known))
        self.normalize = normalize

    def ask(self, question: Ambiguity, how: str = "") -> str:
        """Add a question to those asked, once, and return its answer: that given, or its own.

        Raises
        ------
        UnclearError
            With ``how`` to answer, if it has no answer.
        """
        given = self.answers.get(question.key)
        question = question if given is None else replace(question, answer=given)
        if all(question.key != other.key for other in self.questions):
            self.questions.append(question)
        if question.answer is None:
            raise UnclearError(f"{question.sentence[:-1]}: {how}.", tuple(self.questions))
        return question.answer
