"""The command `dptopk`: its parts, and how each ends."""

from collections.abc import Sequence

import click

import dptopk
from dptopk.cli.app import app
from dptopk.cli.ask import commands
from dptopk.cli.data import datasets
from dptopk.cli.failures import WORDS, Exit, Failure, line

_CODES = "\n".join(f"  {int(code):>3}  {words}" for code, words in WORDS.items())


_HELP = """Find which k of d items have the highest counts, with differential privacy.

Every command takes data (--data: a bundled name or a file of yours), mechanisms, k and ε, and
writes a table: readable on a terminal, CSV into a pipe, or --format csv, json, parquet.

ε is the privacy budget: one user's presence changes the probability of any outcome by a factor
of at most e^ε. At ε = 1 even odds on whether somebody is in the data become at most 74%, at
ε = 0.1 53%; smaller is more private and noisier. With a δ the probability of any set of outcomes
may be larger by δ.

\b
dptopk datasets                                which data come along
dptopk release -k 5 --data games               one release of each mechanism
dptopk compare -k 5 --data games --runs 100    how wrong are they, usually
dptopk epsilon -k 5 --chance 0.9               what the right 5 items cost
dptopk app                                     the same to look at, in a browser

The samplers use ordinary random numbers: made to explore and teach, not for real releases.
"""  # no docstring: the marks \b are characters, and tell click to keep lines


@click.group(
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"\b\nExit codes:\n{_CODES}",
)
@click.version_option(dptopk.__version__, prog_name="dptopk")
def cli() -> None:
    """Find which items have the highest counts."""


for command in (app, *commands(), datasets):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        found = cli.main(arguments, prog_name="dptopk", standalone_mode=False)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "dptopk"
        _say(where, f"{error.format_message()} See: {where} --help")
        return Exit.USAGE
    except Failure as error:
        _say("dptopk", error.format_message())
        return error.code
    except click.Abort:
        return Exit.INTERRUPTED
    return found if isinstance(found, int) else 0


def _say(where: str, message: str) -> None:
    click.echo(f"{where}: {line(message)}", err=True)
