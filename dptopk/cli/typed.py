"""What is typed after an option: values as the app reads them, and its three questions."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from dptopk.cli.failures import Exit, Failure
from dptopk.ingest import MAX_UNIT, checked_unit
from dptopk.parameters import Ladder
from dptopk.settings import EXTRA, LISTED, ORDER
from dptopk.settings import fitting as fitting_answers
from dptopk.typed_numbers import typed_number

_ASKED = {"order": ORDER, "delta_allowed": EXTRA, "items_known": LISTED}


def value_of(parameter: Any, text: str) -> Any:
    """The value of a setting: a link's text, or a short calculation."""
    if not isinstance(parameter, Ladder):
        return parameter.parse(text)
    try:
        number = typed_number(text)
    except ValueError as error:
        raise ValueError(
            f"{parameter.key} must be a finite number, got {text[:40]!r}, which {error}"
        ) from error
    return parameter.checked(number)


def parsed(parameter: Any, context: click.Context, option: click.Parameter, text: Any) -> Any:
    """The value after an option; None if it is left out."""
    if text is None:
        return None
    try:
        return value_of(parameter, text)
    except (TypeError, ValueError) as error:
        raise click.BadParameter(f"{error}.", context, option) from error


def unit(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """What counts are numbers of; None if it is left out."""
    found = None if text is None else checked_unit(text)
    if text is not None and found is None:
        raise click.BadParameter(
            f"a unit has one to three words of letters, {MAX_UNIT} characters at most.",
            context,
            option,
        )
    return found


QUESTIONNAIRE = tuple(
    click.Option(
        [f"--{name.replace('_', '-')}", name],
        callback=partial(parsed, question),
        metavar="|".join(question.options),
        help=f"Instead of --mechanisms, all that fit: {question.label}  "
        + "; ".join(f"{key} is {words}" for key, words in question.options.items())
        + f".  [default, beside another of these: {question.default}]",
    )
    for name, question in _ASKED.items()
)
"""The three questions of the app whose answers choose mechanisms."""


def fitting(options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The mechanisms that fit the answers; None if nothing was answered."""
    if all(options[name] is None for name in _ASKED):
        return None
    found = fitting_answers(
        *(options[name] or question.default for name, question in _ASKED.items())
    )
    if not found:
        raise Failure("no mechanism here fits these answers.", Exit.USAGE)
    return found
