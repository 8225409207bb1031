"""From what is asked of which data to what is written."""

from collections.abc import Mapping
from typing import Any

from dptopk import sources
from dptopk.asking import view_of
from dptopk.cli.failures import Exit, Failure
from dptopk.cli.output import Target, progress, write_answer
from dptopk.delta_advice import NO_DELTA, advice, advice_of_units
from dptopk.parameters import DELTA
from dptopk.questions import Question
from dptopk.settings import USERS
from dptopk.sources import Source
from dptopk.view import View


def answer(question: Question, values: Mapping[str, Any], source: Source, target: Target) -> None:
    """Compute and write."""
    try:
        view = view_of(question, values, source)
        with progress(question.asks) as tell:
            found = question.answer(view, values, tell)
    except ValueError as error:  # what cannot be computed says why
        raise Failure(f"{str(error).rstrip('.')}.", Exit.IMPOSSIBLE) from error
    of_people = values["data"] in (sources.UPLOAD, sources.TYPED)
    read = (*source.notes, source.item_list) if of_people else ()
    write_answer(found, target, read, _judged(view, values))


def _judged(view: View, values: Mapping[str, Any]) -> str:
    """What is to be said of δ for so many users, if their number is known."""
    n_users = values[USERS.key] or view.source.n_users
    if not any(m.card.takes(DELTA.key) for m in view.classes):
        return NO_DELTA if values[USERS.key] else ""
    if view.protects:
        return advice_of_units(view.delta, sum(view.counts.counts.tolist()), view.protects).sentence
    if not n_users:
        return ""
    return advice(view.delta, n_users, int(view.counts.counts.max())).sentence
