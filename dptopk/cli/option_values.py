"""Parse the values of command-line options by the same rules as links and controls of the app."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from dptopk.cli.failures import Failure, say
from dptopk.core.number_parsing import parse_number
from dptopk.core.numerals import compact
from dptopk.core.parameters import DELTA, EPSILON, Choice, Ladder, Parameter, Several
from dptopk.data.ingest import MAX_UNIT, checked_unit
from dptopk.questions.settings import EXTRA, LISTED, ORDER, K, fitting as fitting_answers

_DECIDING: dict[Parameter, str] = {K: "k", EPSILON: "ε", DELTA: "δ"}
"""Sign of each setting that decides on privacy or on how much is released."""

_ASKED = {"order": ORDER, "delta_allowed": EXTRA, "items_known": LISTED}


def flag(key: str) -> str:
    """Return the option of a setting."""
    return f"--{key.replace('_', '-')}" if len(key) > 1 else f"-{key}"


def value_of(parameter: Any, text: str) -> Any:
    """Parse the value of a setting: a link's text, or a short calculation."""
    if isinstance(parameter, Choice | Several):
        return _named(parameter, text)
    if not isinstance(parameter, Ladder):
        return parameter.parse(text)
    if meant := parameter.of_percent(text):
        raise ValueError(
            f"{parameter.key} is a probability, {parameter.rule_words}, got {text!r}: for "
            f"{text.strip().removesuffix('%').rstrip()} percent write {meant}"
        )
    try:
        number = parse_number(text)
    except ValueError as error:
        raise ValueError(
            f"{parameter.key} must be a finite number, got {text[:40]!r}, which {error}"
        ) from error
    return parameter.checked(number)


def _named(parameter: Choice | Several, text: str) -> Any:
    known = {_plain(words): key for key, words in parameter.options.items()}
    known |= {_plain(key): key for key in parameter.options}
    if isinstance(parameter, Choice):
        entries = [text]
    else:
        entries = [] if _plain(text) == "all" else [part for part in text.split(",") if part]
    meant = [known.get(_plain(entry), entry.strip()) for entry in entries]
    try:
        return parameter.parse(",".join(meant) if entries else text.strip().lower())
    except ValueError as error:
        wrong = next((entry for entry in meant if entry not in parameter.options), "")
        alike = get_close_matches(_plain(wrong), known, 1, 0.6)
        if not alike:
            raise
        raise ValueError(f"{error}; {known[alike[0]]} may be meant") from error


def _plain(words: str) -> str:
    return "".join(sign for sign in words.casefold() if sign.isalnum())


def parsed_list(parameter: Any, context: click.Context, option: click.Parameter, text: Any) -> Any:
    """Parse comma-separated values of an option; None if it is left out."""
    if text is None:
        return None
    values = (parsed(parameter, context, option, part) for part in text.split(","))
    return tuple(dict.fromkeys(values))


def completed(parameter: Choice | Several, _: Any, __: Any, begun: str) -> list[CompletionItem]:
    """Return completions for an option with named values."""
    before, comma, last = "", "", begun
    if isinstance(parameter, Several):
        before, comma, last = begun.rpartition(",")
    there = before.split(",")
    return [
        CompletionItem(f"{before}{comma}{key}", help=words)
        for key, words in parameter.options.items()
        if _plain(key).startswith(_plain(last)) and key not in there
    ]


def parsed(parameter: Any, context: click.Context, option: click.Parameter, text: Any) -> Any:
    """Parse the value of an option; None if it is left out."""
    if text is None:
        return None
    try:
        return value_of(parameter, text)
    except (TypeError, ValueError) as error:
        raise click.BadParameter(f"{error}.", context, option) from error


def unit(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """Check the unit of the counts; None if it is left out."""
    checked = None if text is None else checked_unit(text)
    if text is not None and checked is None:
        wrong = f"a unit has one to three words of letters, {MAX_UNIT} characters at most."
        raise click.BadParameter(wrong, context, option)
    return checked


QUESTIONNAIRE = tuple(
    click.Option(
        [flag(name), name],
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
    """Return the mechanisms that meet the given requirements; None without any requirement."""
    requirement = next((name for name in _ASKED if options.get(name) is not None), None)
    if requirement is None:
        return None
    if options.get("mechanisms") is not None:
        raise Failure(
            f"--mechanisms names mechanisms, {flag(requirement)} takes all that fit an "
            "answer: give one or the other."
        )
    keys = fitting_answers(
        *(options[name] or question.default for name, question in _ASKED.items())
    )
    if not keys:
        raise Failure("no mechanism here fits these answers.")
    return keys


def say_defaults(left_out: Collection[str]) -> None:
    """Write the values of k, ε and δ that nobody gave, and the options that set them.

    ``left_out`` are keys of settings; others than these three are not told.
    """
    taken = [parameter for parameter in _DECIDING if parameter.key in left_out]
    if not taken:
        return
    values = ", ".join(f"{_DECIDING[one]} = {compact(float(one.default or 0))}" for one in taken)
    say(f"By default {values}: set with {', '.join(flag(one.key) for one in taken)}.")
