"""Errors of the command line: one line on stderr, and an exit code for each kind."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import click


class Exit(IntEnum):
    """Exit codes, which `dptopk --help` lists."""

    USAGE = 2
    DATA = 3
    IMPOSSIBLE = 4
    OUTPUT = 5
    LEDGER = 6
    INTERRUPTED = 130
    PIPE = 141


WORDS = {
    0: "all is well",
    1: "the server of dptopk app could not start, such as on a port that is taken",
    Exit.USAGE: "an option, argument or file of settings is wrong",
    Exit.DATA: "the data cannot be read, or are not those of the settings",
    Exit.IMPOSSIBLE: "this cannot be computed on these data",
    Exit.OUTPUT: "the answer cannot be written",
    Exit.LEDGER: "the ledger has too little left, or cannot be used",
    Exit.INTERRUPTED: "interrupted (Ctrl-C), or not confirmed",
    Exit.PIPE: "the reader of the output closed it",
}
"""Meaning of each exit code."""


class Failure(click.ClickException):
    """Error that the user can correct: what is wrong, where, and how to correct it."""

    def __init__(self, message: str, code: Exit = Exit.USAGE, lines: tuple[str, ...] = ()):
        super().__init__(message)
        self.code = code
        self.lines = lines
        """Lines to write below the message, indented."""


@contextmanager
def failing(
    errors: type[Exception] | tuple[type[Exception], ...], code: Exit = Exit.USAGE, of: str = ""
) -> Iterator[None]:
    """Convert errors into failures with this code, whose message begins with ``of``."""
    try:
        yield
    except errors as error:
        raise Failure(f"{of}{str(error).rstrip('.')}.", code) from error


@contextmanager
def needing(what: str = "that takes", code: Exit = Exit.OUTPUT) -> Iterator[None]:
    """Convert the error that a package is missing into a failure, which says how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Failure(f"{what} {error.name}: pip install {error.name}.", code) from error


def line(text: object) -> str:
    """Return text as one line without terminal control characters."""
    words = " ".join(str(text).split())
    return "".join(sign if sign.isprintable() else "�" for sign in words)


def say(text: object, indent: str = "") -> None:
    """Write a line on stderr; ignore a stream that cannot be written."""
    try:
        click.echo(indent + line(text), err=True)
    except OSError:
        discard_stream(sys.stderr)


def discard_stream(stream: Any) -> None:
    """Redirect a stream to nowhere, so that flushing it at exit cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, stream.fileno())
    except ValueError:  # it is no file
        pass
    finally:
        os.close(nothing)
