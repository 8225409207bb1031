"""Answers to a terminal, a pipe or a file, and progress to whoever watches."""

import contextlib
import importlib.util
import json
import math
import os
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pandas as pd

from dptopk.cli.failures import Exit, Failure, line
from dptopk.export import csv_escaped, parquet
from dptopk.questions import Answer

FORMATS = ("text", "csv", "json", "parquet")
_ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "text"}
_STEPS = 1_000  # of a bar


@dataclass(frozen=True)
class Target:
    """Where an answer goes, and how it is written."""

    format: str
    file: str | None

    @classmethod
    def of(cls, format_: str | None, output: str | None) -> "Target":
        """The target of the options, checked before anything is computed."""
        if format_ is None:
            ending = "" if output is None else Path(output).suffix.lower()
            plain = "text" if output is None and sys.stdout.isatty() else "csv"
            format_ = _ENDINGS.get(ending, plain)
        if format_ == "parquet":
            if output is None and sys.stdout.isatty():
                raise Failure("Parquet is not for a terminal: add --output FILE.", Exit.USAGE)
            if importlib.util.find_spec("pyarrow") is None:
                raise Failure("Parquet takes pyarrow: pip install pyarrow.", Exit.OUTPUT)
        if output is not None and not Path(output).absolute().parent.is_dir():
            raise Failure(f"--output {output}: there is no such folder.", Exit.OUTPUT)
        return cls(format_, output)


OPTIONS = (
    click.Option(
        ["--format", "format_"],
        type=click.Choice(FORMATS),
        help="Left out: by the ending of --output; else text on a terminal and CSV into a pipe. "
        "JSON and Parquet hold names as they are; CSV has an apostrophe before what a spreadsheet "
        "would take for a formula.",
    ),
    click.Option(["--output", "-o"], metavar="FILE", help="Write into this file."),
)
"""What `Target.of` takes."""


def write_answer(answer: Answer, target: Target, of_data: Sequence[str], judged: str) -> None:
    """Write an answer with all that it comes from; what else is to be known is said on stderr.

    ``of_data`` says how the data were read, ``judged`` what is to be said of δ.
    """
    for note in (*of_data, *answer.notes, *([judged] if judged else [])):
        click.echo(line(note), err=True)
    title, origin = answer.title, answer.origin
    about, whole = origin.about(title), origin.added_to(answer.frame, title)
    about |= {"data_read": [*of_data]} if of_data else {}
    about |= {"delta_judged": judged} if judged else {}
    if target.format == "text":
        head = f"{title} · {line(origin.line)}"
        shown = answer.frame[[*answer.shown]].assign(
            **{name: cells for name, cells in answer.written.items() if name in answer.shown}
        )
        _put(f"{head}\n\n{_readable(shown)}\n".encode(), target)
    elif target.format == "json":
        _put(_json(about | {"rows": _records(answer.frame)}), target)
    elif target.format == "parquet":
        _put(parquet(whole, about), target)
    else:
        _put(csv_escaped(whole).encode(), target)


def write_rows(rows: Sequence[Mapping[str, object]], target: Target, shown: Sequence[str]) -> None:
    """Write rows that come from nothing else; as text only the columns ``shown``."""
    frame = pd.DataFrame(rows)
    if target.format == "text":
        _put(f"{_readable(frame[[*shown]])}\n".encode(), target)
    elif target.format == "json":
        _put(_json(_records(frame)), target)
    elif target.format == "parquet":
        _put(parquet(frame, {}), target)
    else:
        _put(csv_escaped(frame).encode(), target)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[float], None]]:
    """Show how much is done, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda share: None
        return
    with click.progressbar(length=_STEPS, label=label, file=sys.stderr) as bar:

        def tell(share: float) -> None:
            bar.update(max(0, round(share * _STEPS) - bar.pos))

        yield tell


def _put(content: bytes, target: Target) -> None:
    if target.file is None:
        try:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # Python flushes stdout once more when it ends: into nothing
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(Exit.PIPE) from None
        return
    try:
        Path(target.file).write_bytes(content)
    except OSError as error:
        raise Failure(
            f"--output {target.file} cannot be written: {error.strerror}.", Exit.OUTPUT
        ) from error


def _readable(frame: pd.DataFrame) -> str:
    """A table for a terminal: numbers in six digits at most, empty cells empty."""
    columns = []
    for name in frame.columns:
        cells = [_cell(value) for value in frame[name]]
        width = max(map(len, [str(name), *cells]))
        aligned = str.rjust if pd.api.types.is_numeric_dtype(frame[name]) else str.ljust
        columns.append([aligned(text, width) for text in (str(name), *cells)])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def _cell(value: Any) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return line(value)


def _records(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Rows as objects; what is no number, or none that JSON has, is null."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{key: _plain(value) for key, value in row.items()} for row in plain.to_dict("records")]


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
