"""The questions that pages, files of settings and the command line ask alike.

A question takes a view (data, mechanisms, numbers of runs) and settings of its own, and answers
with a table of numbers: the one that its page hands over, to the last digit.  Its key is that of
its page.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dptopk import settings
from dptopk.questions import epsilon, errors, exact, release, sweep, winners
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.view import View

__all__ = ["QUESTIONS", "Answer", "Own", "Progress", "Question"]


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    key, asks : str
        The key of its page, and the question in words.
    own : callable
        Gives its settings beside those of a view: made late, as some list bundled data.
    answer : callable
        Takes a view, its settings by key, and who is told of progress.
    small : bool
        Whether it is asked of a small case, with a k of its own.
    """

    key: str
    asks: str
    own: Callable[[], tuple[Any, ...]] = field(hash=False)
    answer: Callable[[View, Own, Progress], Answer]
    small: bool = False


def _epsilon() -> tuple[Any, ...]:
    return (
        settings.GOAL,
        settings.LEAST,
        settings.METRIC,
        settings.MOST,
        settings.MOST_SHARE,
        settings.CHANCE,
        settings.stand_in(),
        settings.ACROSS,
    )


def _exact() -> tuple[Any, ...]:
    return (
        settings.SMALL,
        settings.VECTOR,
        settings.N_ITEMS,
        settings.SMALL_K,
        settings.DRAWS,
    )


QUESTIONS = {
    question.key: question
    for question in (
        Question("release", "What comes out as the top k?", lambda: (), release.answer),
        Question("errors", "How wrong is it, usually?", lambda: (settings.METRIC,), errors.answer),
        Question("compare", "Which mechanism?", lambda: (settings.METRIC,), errors.answer),
        Question(
            "sweep",
            "Which mechanism errs less, at which k and ε?",
            lambda: (settings.METRIC, settings.AGAINST, settings.RUNS_A_POINT),
            sweep.answer,
        ),
        Question(
            "winners",
            "Which mechanism is best, at which k and ε?",
            lambda: (settings.MEASURE, settings.RANKED, settings.MAP_KS),
            winners.answer,
        ),
        Question("choose", "What does a target cost?", _epsilon, epsilon.answer),
        Question("exact", "What can come out, and how likely is it?", _exact, exact.answer, True),
    )
}
"""By the keys of their pages."""
