"""Check settings given by a file or the command line, and build the view they describe.

Values are checked by the parameters that check a link.  An upload is never named by its content:
who asks hands its counts over.
"""

from collections.abc import Mapping
from typing import Any

from dptopk.core.numerals import plural
from dptopk.core.parameters import EPSILON
from dptopk.core.privacy import NeighborRelation
from dptopk.data import sources
from dptopk.data.sources import Source
from dptopk.questions import Question, settings
from dptopk.questions.view import View


class AskingError(ValueError):
    """A setting is unknown or impossible, alone or with the data; one sentence of plain text."""


def parameters_of(question: Question) -> dict[str, Any]:
    """Return the parameters of the answer by key, including those of the data."""
    common = [sources.data(), settings.K, EPSILON, settings.mechanisms(), settings.NEIGHBORS]
    common += [settings.RUNS, settings.SEED, settings.USERS]
    of_data = [one for choice in sources.choices() for one in sources.own_settings(choice)]
    every = [*common, *settings.of_mechanisms().values(), *question.parameters, *of_data]
    return {parameter.key: parameter for parameter in every}


def checked(question: Question, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every setting of a question, checked: as given (text or value), else its default."""
    parameters = parameters_of(question)
    for key in given:
        if key not in parameters:
            similar = settings.similar(str(key), parameters)
            meant = f"; did you mean {similar}?" if similar else ""
            raise AskingError(f"{str(key)[:40]!r} is not a setting of {question.key}{meant}")
    values = {}
    for key, parameter in parameters.items():
        value = given.get(key, parameter.default)
        try:
            if isinstance(value, list) and not all(isinstance(entry, str) for entry in value):
                raise TypeError(f"{key} must hold words, got {str(value)[:40]}")
            read = parameter.parse if isinstance(value, str) else parameter.checked
            values[key] = read(value)
        except (TypeError, ValueError) as error:
            raise AskingError(str(error)) from error
    if not values["mechanisms"]:
        raise AskingError("no mechanism is chosen")
    if question.single and len(values["mechanisms"]) > 1:
        raise AskingError(
            f"{question.key} is of one mechanism: name one, such as --mechanisms "
            f"{values['mechanisms'][0]}"
        )
    return values


def source_of(values: Mapping[str, Any]) -> Source:
    """Return the data that checked settings name, which hold no upload."""
    choice = values["data"]
    if choice == sources.UPLOAD:
        raise AskingError("the counts were uploaded, and settings never hold uploaded counts")
    return sources.source_of(choice, values)


def view_of(question: Question, values: Mapping[str, Any], source: Source) -> View:
    """Return the view of the data that checked settings describe."""
    view = View(
        source,
        values["k"],
        values["epsilon"],
        NeighborRelation(values["neighbors"]),
        values["mechanisms"],
        values["runs"],
        values["seed"],
        {key: values[key] for key in settings.of_mechanisms()},
    )
    if not question.small and not view.mechanisms:
        if view.k > view.counts.d:
            items = plural(view.counts.d, "item")
            read = ""
            if source.how and source.notes:  # which may show that the file was read wrongly
                read = f". {source.description.rstrip('.')}: {source.notes[0].rstrip('.')}"
            raise AskingError(
                f"k = {view.k} was requested, but {source.title} has {items}: request at most "
                f"{view.counts.d:,}{read}"
            )
        raise AskingError(" ".join(view.refusals(view.k, view.counts)))
    return view
