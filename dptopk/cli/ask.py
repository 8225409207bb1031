"""The commands that ask: one a question, and `run`, which asks what a file of settings says."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from dptopk import sources
from dptopk.asking import AskingError, checked, parameters_of, source_of
from dptopk.cli.answering import answer
from dptopk.cli.commands import COMMANDS, Command
from dptopk.cli.data import Reading, is_named, read_file, read_file_again, source_from
from dptopk.cli.failures import Exit, Failure, line
from dptopk.cli.output import OPTIONS, Target
from dptopk.cli.typed import QUESTIONNAIRE, fitting, parsed, unit, value_of
from dptopk.parameters import Choice, Ladder, Several
from dptopk.questions import QUESTIONS, Question
from dptopk.saved import MAX_BYTES, read_saved, saved_text
from dptopk.sources import NoDataError

_READING = (
    click.Option(["--items"], metavar="COLUMN", help="Column of the names: label, number or none."),
    click.Option(["--counts"], metavar="COLUMN", help="Column of the counts; none counts rows."),
    click.Option(["--users"], metavar="COLUMN", help="Column that names the user of a row."),
    click.Option(["--sheet"], metavar="NAME", help="Sheet of a workbook."),
    click.Option(
        ["--answer", "answers"],
        multiple=True,
        metavar="KEY=VALUE",
        help="Where a file can be read in two ways: the answer, as the message says.",
    ),
    click.Option(
        ["--unit"],
        callback=unit,
        metavar="WORDS",
        help="What the counts are numbers of, in the plural, such as likes; left out, as the "
        "header says.",
    ),
)


_LONG = 40  # characters of options beside which their words are too many


def commands() -> list[click.Command]:
    """Every command of this module."""
    return [*map(_asking, COMMANDS), _run()]


def _asking(command: Command) -> click.Command:
    question = QUESTIONS[command.page]
    parameters = parameters_of(question)
    return click.Command(
        command.name,
        params=[
            click.Option(
                ["--data"],
                default=sources.DEFAULT,
                show_default=True,
                metavar="NAME|FILE",
                help="A name of `dptopk datasets`, or a file: CSV, TSV, Excel; - reads what is "
                "piped in.",
            ),
            *(_option(parameters[key]) for key in command.options),
            *QUESTIONNAIRE,
            *_READING,
            click.Option(
                ["--set", "others"],
                multiple=True,
                metavar="KEY=VALUE",
                help="Any other setting, by its key in a link of the app, such as d=500 or "
                "users=40000, which judges δ.",
            ),
            click.Option(["--save"], metavar="FILE", help="Save what is asked, for `dptopk run`."),
            *OPTIONS,
        ],
        callback=partial(_ask, question, command.options),
        help=command.help,
        short_help=question.asks,
    )


def _option(parameter: Any) -> click.Option:
    """The option of a setting, with the checks, the default and the words of a link."""
    flags = ["-k"] if parameter.key == "k" else [f"--{parameter.key.replace('_', '-')}"]
    default, metavar = parameter.text(parameter.default), "VALUE"
    words = parameter.label
    if isinstance(parameter, Choice):
        metavar = "|".join(parameter.options)
        words = (
            parameter.label
            if len(metavar) > _LONG
            else f"{parameter.label}: "
            + "; ".join(f"{key} is {text}" for key, text in parameter.options.items())
        )
    elif isinstance(parameter, Several):
        metavar, words = "A,B,…|all", f"{parameter.label}: {', '.join(parameter.options)}"
    elif isinstance(parameter, Ladder):
        metavar, words = "NUMBER", f"{parameter.label}, such as 0.7, ln 3, 1/40000 or 2^-20"
    return click.Option(
        [*flags, parameter.key],
        callback=partial(parsed, parameter),
        metavar=metavar,
        help=f"{words}.  [default: {default}]",
    )


def _ask(
    question: Question,
    own: tuple[str, ...],
    *,
    data: str,
    others: tuple[str, ...],
    save: str | None,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    given = {key: options[key] for key in own if options[key] is not None}
    for other in others:
        key, sign, text = other.partition("=")
        if not sign or key == "data":
            raise Failure(f"--set {other}: write KEY=VALUE; data have --data.", Exit.USAGE)
        given[key] = _typed(question, key, text)
    chosen = fitting(options)
    if chosen is not None:
        if "mechanisms" in given:
            raise Failure("--mechanisms names them: leave out what asks for them.", Exit.USAGE)
        given["mechanisms"] = chosen
    values = _checked(question, given | {"data": data if is_named(data) else sources.UPLOAD})
    source = source_from(data, values, _reading(options))
    if save is not None:
        try:
            Path(save).write_text(saved_text(question, values, source), encoding="utf-8")
        except OSError as error:
            raise Failure(
                f"--save {save} cannot be written: {error.strerror}.", Exit.OUTPUT
            ) from error
    answer(question, values, source, target)


def _typed(question: Question, key: str, text: str) -> Any:
    """A value of --set, as an option of its own reads it; unknown keys are refused with all."""
    parameter = parameters_of(question).get(key)
    try:
        return text if parameter is None else value_of(parameter, text)
    except (TypeError, ValueError) as error:
        raise Failure(f"{error}.", Exit.USAGE) from error


def _run() -> click.Command:
    return click.Command(
        "run",
        params=[
            click.Argument(["file"], metavar="SETTINGS"),
            click.Option(["--data"], metavar="FILE", help="The file that was uploaded."),
            *_READING,
            *OPTIONS,
        ],
        callback=_run_saved,
        help="""Ask again what a file of settings says: the same numbers, to the last digit.

        The app saves such a file on its pages, and --save does. It never holds uploaded counts, but
        how their file was read: give the same file with --data; that it is the same is checked.

        \b
        dptopk compare -k 3 --runs 100 --save settings.json
        dptopk run settings.json
        """,
        short_help="Ask again what a file of settings says.",
    )


def _run_saved(
    *, file: str, data: str | None, format_: str | None, output: str | None, **options: Any
) -> None:
    target = Target.of(format_, output)
    try:
        with click.open_file(file, "rb") as opened:
            saved = read_saved(opened.read(MAX_BYTES + 1))
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}.", Exit.USAGE) from error
    except AskingError as error:
        raise Failure(f"{file}: {error}.", Exit.USAGE) from error
    if saved.uploaded and data is None:
        raise Failure(
            f"{file}: its data were uploaded ({line(saved.title)}): give the same file with --data "
            "FILE.",
            Exit.DATA,
        )
    if not saved.uploaded and data is not None:
        raise Failure(f"{file} names its data, {line(saved.title)}: leave out --data.", Exit.USAGE)
    try:
        if data is None:
            source = source_of(saved.values)
        else:
            reading = _reading(options)
            how = saved.how if reading == Reading() else None
            source = read_file(data, reading) if how is None else read_file_again(data, how)
        saved.check(source)
    except (NoDataError, AskingError) as error:
        raise Failure(f"{file}: {error}.", Exit.DATA) from error
    answer(saved.question, saved.values, source, target)


def _reading(options: Mapping[str, Any]) -> Reading:
    keys = ("items", "counts", "users", "sheet", "answers", "unit")
    return Reading(**{key: options[key] for key in keys})


def _checked(question: Question, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return checked(question, given)
    except AskingError as error:
        raise Failure(f"{error}.", Exit.USAGE) from error
