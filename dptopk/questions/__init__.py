"""Questions that pages, settings files and the command line answer with a table.

A question takes a view (data, mechanisms, numbers of runs) and settings of its own, and answers
with a table of numbers: the one that its page hands over, to the last digit.  Its key is that of
its page.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from dptopk.core.cancellation import Progress
from dptopk.questions import settings
from dptopk.questions.answer import Answer, Own
from dptopk.questions.view import View

__all__ = ["QUESTIONS", "Answer", "Own", "Progress", "Question"]


@dataclass(frozen=True)
class Question:
    """Question with its settings and the function that answers it."""

    key: str  # of its page
    module: str  # of this package that answers it, loaded when it is asked
    # its settings beside those of a view: made late, as some list bundled data
    own: Callable[[], tuple[Any, ...]] = field(hash=False)
    small: bool = False  # asked of a small case, with a k of its own
    single: bool = False  # asked of one mechanism

    def answer(self, view: View, own: Own, progress: Progress) -> Answer:
        """Answer the question for a view, with its own settings by key, and report progress."""
        module = import_module(f"{__name__}.{self.module}")
        found: Answer = module.answer(view, own, progress)
        return found


def _epsilon() -> tuple[Any, ...]:
    return (
        settings.GOAL,
        settings.LEAST,
        settings.METRIC,
        settings.MOST,
        settings.MOST_SHARE,
        settings.LEAST_SCORE,
        settings.CHANCE,
        settings.RELEASES,
        settings.TOGETHER,
        settings.TOTAL_EPSILON,
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
        Question("release", "release", lambda: ()),
        Question("errors", "errors", lambda: (settings.METRIC,)),
        Question("compare", "errors", lambda: (settings.METRIC,)),
        Question(
            "sweep",
            "sweep",
            lambda: (settings.METRIC, settings.AGAINST, settings.RUNS_A_POINT),
        ),
        Question(
            "winners",
            "winners",
            lambda: (settings.MEASURE, settings.RANKED, settings.MAP_KS),
        ),
        Question("choose", "epsilon", _epsilon),
        Question("gaps", "gaps", lambda: (settings.places(),)),
        Question("budget", "budget", lambda: ()),
        Question(
            "handover", "handover", lambda: (settings.TUNED_PUBLIC, settings.RELEASES), single=True
        ),
        Question("exact", "exact", _exact, True),
        Question(
            "privacy",
            "privacy",
            lambda: (
                *(settings.SMALL, settings.VECTOR, settings.N_ITEMS, settings.SMALL_K),
                settings.RUN,
            ),
            True,
        ),
    )
}
"""By the keys of their pages."""
