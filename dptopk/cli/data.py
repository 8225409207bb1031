"""Data on the command line: bundled by name, or a file read by the rooms that read uploads."""

import sys
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from dptopk import sources
from dptopk.asking import AskingError, source_of
from dptopk.cli.failures import Exit, Failure
from dptopk.cli.output import OPTIONS, Target, write_rows
from dptopk.datasets import dataset_info
from dptopk.ingest import (
    ANSWERS,
    MAX_BYTES,
    HowRead,
    IngestError,
    IngestResult,
    RawTable,
    UnclearError,
    read_again,
    read_table,
    to_item_counts,
    unit_of,
)
from dptopk.sources import TYPED, UPLOAD, NoDataError, Source


@dataclass(frozen=True)
class Reading:
    """How a file is read, where its reader must be told."""

    items: str | None = None
    counts: str | None = None
    users: str | None = None
    sheet: str | None = None
    answers: tuple[str, ...] = ()
    unit: str | None = None


def named() -> list[str]:
    """Every data set that has a name."""
    return [choice for choice in sources.choices() if choice not in (TYPED, UPLOAD)]


def is_named(data: str) -> bool:
    """Whether this is a name, and no file."""
    return data in (*named(), TYPED)


def source_from(data: str, values: dict[str, object], reading: Reading) -> Source:
    """The data of a name, or of a file."""
    try:
        if is_named(data):
            return source_of(values | {"data": data})
    except (NoDataError, AskingError) as error:
        raise Failure(str(error), Exit.DATA) from error
    return read_file(data, reading)


def read_file(name: str, reading: Reading) -> Source:
    """Counts of a file, read as uploads are."""
    content = _content(name)
    other_sheet = ""
    try:
        table = read_table(content, Path(name).name, sheet=reading.sheet)
        if len(table.sheets) > 1:
            some = ", ".join(f'"{sheet}"' for sheet in table.sheets[:5])
            other_sheet = f'Sheet "{table.sheet}" was read; --sheet NAME reads another of {some}.'
        places = [
            guess if asked is None else _column(table, asked)
            for asked, guess in (
                (reading.items, table.item_column),
                (reading.counts, table.count_column),
                (reading.users, table.user_column),
            )
        ]
        result = to_item_counts(
            table, places[0], places[1], user_column=places[2], **_answers(reading.answers)
        )
    except UnclearError as error:
        open_question = error.questions[-1]
        answers = ", or ".join(
            f"--answer {open_question.key}={answer} ({words})"
            for answer, words in open_question.options.items()
        )
        if open_question.key == "rounding":
            answers += ", or another column: --counts COLUMN"
        raise Failure(f"{name}: {error} Add {answers}. {other_sheet}", Exit.DATA) from error
    except IngestError as error:
        raise Failure(f"{name}: {error} {other_sheet}", Exit.DATA) from error
    except ModuleNotFoundError as error:
        raise _needs(name, error) from error
    items, counted, users = (
        table.columns.index(place) if isinstance(place, str) else place for place in places
    )
    header = "" if counted is None else table.columns[counted]
    unit = reading.unit or unit_of(header, result.report.contribution)
    how = HowRead.of(table, (items, counted, users), result, unit)
    source = _source(name, result, how)
    return replace(source, notes=(*source.notes, other_sheet)) if other_sheet else source


def read_file_again(name: str, how: HowRead) -> Source:
    """Counts of a file, read as they were when settings were saved."""
    try:
        return _source(name, read_again(_content(name), Path(name).name, how), how)
    except ValueError as error:  # what was answered does not fit this file
        raise Failure(f"{name}: {error}", Exit.DATA) from error
    except ModuleNotFoundError as error:
        raise _needs(name, error) from error


def _source(name: str, result: IngestResult, how: HowRead) -> Source:
    counts, report = result.counts, result.report
    return Source(
        counts,
        counts.name,
        f"Counts of the file {name}.",
        (*report.sentences, report.contribution.sentence),
        "",
        report.contribution,
        how.unit,
        report.n_users,
        items_of_data=True,
        how=how,
    )


def _needs(name: str, error: ModuleNotFoundError) -> Failure:
    return Failure(
        f"{name}: to read it takes {error.name}: pip install {error.name}, or save it as CSV.",
        Exit.DATA,
    )


def _content(name: str) -> bytes:
    """Bytes of a file, or of what is piped in; one more than are read, if it has more."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        alike = get_close_matches(name.lower(), named(), 1, 0.6)
        meant = f" Is {alike[0]} meant?" if alike else ""
        raise Failure(
            f"--data {name} is neither a file nor data with a name.{meant} Names: dptopk datasets.",
            Exit.DATA,
        ) from error
    except OSError as error:
        raise Failure(f"{name} cannot be read: {error.strerror}.", Exit.DATA) from error


def _column(table: RawTable, asked: str) -> int | str | None:
    """A column by its label, by its number from 1, or none."""
    if asked in table.columns:
        return asked
    if asked.isascii() and asked.isdigit() and 1 <= int(asked[:9]) <= len(table.columns):
        return int(asked) - 1
    return None if asked == "none" else asked


def _answers(given: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for answer in given:
        key, sign, value = answer.partition("=")
        if key not in ANSWERS or not sign:
            raise Failure(
                f"--answer {answer}: write KEY=VALUE with one of the keys {', '.join(ANSWERS)}.",
                Exit.USAGE,
            )
        if value not in ANSWERS[key]:
            raise Failure(
                f"--answer {answer}: {key} must be one of {', '.join(ANSWERS[key])}.", Exit.USAGE
            )
        found[key] = value
    return found


def _list(format_: str | None, output: str | None) -> None:
    target = Target.of(format_, output)
    rows = []
    for choice in named():
        row: dict[str, object] = {"name": choice, "title": sources.choice_label(choice)}
        if not sources.own_settings(choice):
            try:
                source = sources.source_of(choice, {})
            except NoDataError as error:
                raise Failure(str(error), Exit.DATA) from error
            row |= {"items": source.counts.d, "largest": int(source.counts.counts.max())}
        rows.append(row | _licence(choice))
    write_rows(rows, target, ("name", "title", "items", "largest", "licence"))


def _licence(choice: str) -> dict[str, str]:
    """Licence and source of what is bundled; nobody's, of what is made up."""
    if choice.startswith(("classroom-", "synthetic-")):
        return {"licence": "", "source": ""}
    info = dataset_info(choice)
    return {"licence": info.spdx, "source": info.source}


datasets = click.Command(
    "datasets",
    params=[*OPTIONS],
    callback=_list,
    help="""List the data that come along: their names, for --data, and what they are.

    \b
    dptopk datasets
    dptopk datasets --format json
    """,
)
