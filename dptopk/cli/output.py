"""Write answers to a terminal, a pipe or a file, and show progress."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import math
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from dptopk.cli.failures import Exit, Failure, line, say
from dptopk.cli.files import write_file
from dptopk.cli.option_values import say_defaults
from dptopk.data.tables import Columns, cells_of, csv_escaped, parquet, workbook

if TYPE_CHECKING:
    import pandas as pd

    from dptopk.questions.answer import Answer

FORMATS = ("text", "csv", "json", "xlsx", "parquet")
_ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "text", ".xlsx": "xlsx"}
_BINARY = {"parquet": "Parquet", "xlsx": "A workbook"}
"""Formats that are no text, as they are called."""
_STEPS = 1_000  # of a bar
_WIDEST = 60  # characters of a cell in a line


@dataclass(frozen=True)
class Target:
    """Destination and format of an answer."""

    format: str
    file: str | None

    @classmethod
    def of(cls, format_: str | None, output: str | None) -> Target:
        """Return the destination of the options, checked before anything is computed."""
        if format_ is None:
            ending = "" if output is None else Path(output).suffix.lower()
            if ending and ending not in _ENDINGS:
                raise Failure(
                    f"--output {output}: {ending} is no ending of a format that can be written; "
                    f"take one of {', '.join(_ENDINGS)}, or add --format."
                )
            plain = "text" if output is None and sys.stdout.isatty() else "csv"
            format_ = _ENDINGS.get(ending, plain)
        if format_ in _BINARY:
            called = _BINARY[format_]
            if output is None and sys.stdout.isatty():
                raise Failure(f"{called} is not for a terminal: add --output FILE.")
            if format_ == "xlsx" and importlib.util.find_spec("openpyxl") is None:
                raise Failure(f"{called} takes openpyxl: pip install openpyxl.", Exit.OUTPUT)
        if output is not None and not Path(output).absolute().parent.is_dir():
            raise Failure(f"--output {output}: there is no such folder.", Exit.OUTPUT)
        return cls(format_, output)


OPTIONS = (
    click.Option(
        ["--format", "format_"],
        type=click.Choice(FORMATS),
        help="Left out: by the ending of --output; else text on a terminal and CSV into a pipe. "
        "All but CSV hold names as they are; CSV has an apostrophe before what a spreadsheet "
        "would take for a formula.",
    ),
    click.Option(["--output", "-o"], metavar="FILE", help="Write into this file."),
)
"""Options from which `Target.of` is made."""


def write_answer(
    answer: Answer,
    target: Target,
    of_data: Sequence[str],
    judged: str = "",
    left_out: Collection[str] = (),
) -> None:
    """Write an answer with its origin, and its notes on stderr.

    ``of_data`` says how the data were read, ``judged`` what is to be said of δ; of ``left_out``,
    keys of settings that nobody gave, those that the answer has are told.
    """
    for note in (*of_data, *answer.notes, *([judged] if judged else [])):
        say(note)
    title, origin = answer.title, answer.origin
    about, whole = origin.about(title), origin.added_to(answer.table, title)
    about |= {"data_read": [*of_data]} if of_data else {}
    about |= {"delta_judged": judged} if judged else {}
    head = f"{title} · {line(origin.line)}\n\n"
    _put(target, answer.table, answer.shown, whole, about, head, answer.written)
    say_defaults({*left_out}.intersection(origin.settings))


def write_rows(
    rows: Sequence[Mapping[str, object]], target: Target, columns: Sequence[str]
) -> None:
    """Write rows without an origin; as text, only some ``columns``."""
    names = dict.fromkeys(name for row in rows for name in row) if rows else columns
    table = {name: [row.get(name) for row in rows] for name in names}
    _put(target, table, columns, table)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[float], None]]:
    """Show the share of work done, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    with click.progressbar(length=_STEPS, label=label, file=sys.stderr) as bar:

        def tell(share: float) -> None:
            bar.update(max(0, round(share * _STEPS) - bar.pos))

        yield tell


def _put(
    target: Target,
    table: pd.DataFrame | Columns,
    columns: Sequence[str],
    whole: pd.DataFrame | Columns,
    about: Mapping[str, Any] = MappingProxyType({}),
    head: str = "",
    written: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Write a table in the format of a target; ``whole`` is the table with its origin.

    As text there is a ``head`` above the ``columns``, some of which are ``written``.
    """
    if target.format == "text":
        cells = dict(cells_of(table)) | {**written}
        content = f"{head}{_readable({name: cells[name] for name in columns})}\n".encode()
    elif target.format == "json":
        rows = _records(table)
        content = _json({**about, "rows": rows} if about else rows)
    elif target.format == "parquet":
        content = parquet(whole, about)
    elif target.format == "xlsx":
        content = workbook(table, about)
    else:
        content = csv_escaped(whole).encode()
    if target.file is not None:
        write_file("--output", target.file, content)
        return
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _readable(table: Columns) -> str:
    """Format a table for a terminal: numbers with at most six digits, missing cells empty."""
    columns = [[name, *map(_cell, table[name])] for name in table]
    numbers = [all(cell is None or isinstance(cell, Real) for cell in table[n]) for n in table]
    rows = [
        [textwrap.wrap(cell, _WIDEST) or [""] for cell in row] for row in zip(*columns, strict=True)
    ]
    widths = [max(len(part) for row in rows for part in row[n]) for n in range(len(columns))]
    lines = []
    for row in rows:
        for parts in itertools.zip_longest(*row, fillvalue=""):
            cells = [
                part.rjust(width) if number else part.ljust(width)
                for part, width, number in zip(parts, widths, numbers, strict=True)
            ]
            lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return line(value)


def _records(table: pd.DataFrame | Columns) -> list[dict[str, Any]]:
    names, columns = zip(*cells_of(table), strict=True)
    return [dict(zip(names, map(_plain, row), strict=True)) for row in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
