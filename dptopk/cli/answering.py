"""Compute the answer of a command at its settings, and write it."""

from collections.abc import Mapping, Sequence
from typing import Any

from dptopk.accounting.delta_advice import NO_DELTA, advice, advice_of_units
from dptopk.cli.failures import Exit, Failure, say
from dptopk.cli.files import write_file
from dptopk.cli.output import Target, progress, write_answer
from dptopk.core.parameters import DELTA
from dptopk.data import sources
from dptopk.data.sources import Source
from dptopk.questions import Question
from dptopk.questions.answer import Answer, together
from dptopk.questions.asking import view_of
from dptopk.questions.settings import USERS
from dptopk.questions.view import View


def answer(
    question: Question,
    asks: str,
    settings: Sequence[Mapping[str, Any]],
    source: Source,
    target: Target,
    varied: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> Answer:
    """Answer a question for each value of the setting ``varied``; write and return the answer.

    ``asks`` is the question in words, beside its progress; ``files`` says where the files of the
    answer go, by name.
    """
    values = settings[0]
    try:
        views = [view_of(question, one, source) for one in settings]
        answers = []
        with progress(asks) as tell:
            for done, (view, one) in enumerate(zip(views, settings, strict=True)):

                def told(share: float, done: int = done) -> None:
                    tell((done + share) / len(views))

                answers.append(question.answer(view, one, told))
        own = [{key: one[key] for key in varied} for one in settings]
        found = together(answers, own) if varied else answers[0]
        texts = {name: found.files[name]() for name in files or {}}
    except ValueError as error:  # what cannot be computed says why
        raise Failure(f"{str(error).rstrip('.')}.", Exit.IMPOSSIBLE) from error
    except ModuleNotFoundError as error:
        raise Failure(f"that takes {error.name}: pip install {error.name}.", Exit.OUTPUT) from error
    of_people = values["data"] in (sources.UPLOAD, sources.TYPED)
    for sentence in source.confirmation:
        say(sentence)
    for name, text in texts.items():
        write_file(f"--{name}", (files or {})[name], text.encode())
    read = (*source.notes, source.item_list) if of_people else ()
    write_answer(found, target, read, _judged(views[0], values))
    return found


def _judged(view: View, values: Mapping[str, Any]) -> str:
    """Return the assessment of δ for the number of users, if that is known."""
    n_users = values[USERS.key] or view.source.n_users
    if not any(m.card.takes(DELTA.key) for m in view.classes):
        return NO_DELTA if values[USERS.key] else ""
    if view.protects:
        return advice_of_units(view.delta, sum(view.counts.counts.tolist()), view.protects).sentence
    if not n_users:
        return ""
    return advice(view.delta, n_users, int(view.counts.counts.max())).sentence
