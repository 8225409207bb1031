"""How the command line fails: one line on stderr, and an exit code that a script can tell apart."""

import os
import sys
from enum import IntEnum
from typing import Any

import click


class Exit(IntEnum):
    """Exit codes; README.md and `dptopk --help` say the same."""

    USAGE = 2
    DATA = 3
    IMPOSSIBLE = 4
    OUTPUT = 5
    LEDGER = 6
    INTERRUPTED = 130
    PIPE = 141


WORDS = {
    0: "all is well",
    Exit.USAGE: "an option, argument or file of settings is wrong",
    Exit.DATA: "the data cannot be read, or are not those of the settings",
    Exit.IMPOSSIBLE: "this cannot be computed on these data",
    Exit.OUTPUT: "the answer cannot be written",
    Exit.LEDGER: "the ledger has too little left, or cannot be used",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
    Exit.PIPE: "whoever read the answer stopped reading",
}
"""What each means."""


class Failure(click.ClickException):
    """Something that whoever typed the command can mend: what, where, and how."""

    def __init__(self, message: str, code: Exit):
        super().__init__(message)
        self.code = code


def line(text: object) -> str:
    """Text for a terminal: on one line, and nothing in it that steers the terminal."""
    words = " ".join(str(text).split())
    return "".join(sign if sign.isprintable() else "�" for sign in words)


def say(text: object) -> None:
    """Write a line on stderr; where that cannot be written, the exit code says what it can."""
    try:
        click.echo(line(text), err=True)
    except OSError:
        let_go(sys.stderr)


def let_go(stream: Any) -> None:
    """Send what is left for a stream into nothing: Python writes it once more when it ends."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, stream.fileno())
    except ValueError:  # it is no file
        pass
    finally:
        os.close(nothing)
