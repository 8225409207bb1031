"""Command group `dptopk`, which imports each command when it is first used."""

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise

import click

import dptopk
from dptopk.cli.failures import WORDS, Exit, Failure, discard_stream, failing, say
from dptopk.questions import COMMANDS

_CODES = "\n".join(f"  {int(code):>3}  {words}" for code, words in WORDS.items())


_HELP = """Find which k of d items have the highest counts, with differential privacy.

Commands that compare mechanisms take data (--data: a bundled name or a file of yours; --events: a
log of any size), mechanisms, k and ε. A table is readable on a terminal, CSV into a pipe, or by
--format csv, json, xlsx, parquet.

ε is the privacy budget: one user's presence changes the probability of any outcome by a factor
of at most e^ε. At ε = 1 belief that somebody is in the data can rise from 50% to at most 74%,
at ε = 0.1 to 53%; smaller is more private and noisier. With a δ the probability of any set of
outcomes may be larger by δ.

\b
dptopk datasets                                bundled data sets
dptopk release -k 5 --data games               one release of each chosen mechanism
dptopk compare -k 5 --data games --runs 100    their errors over many runs
dptopk epsilon -k 5 --chance 0.9               the ε for the right 5 items
dptopk app                                     the same in a browser

Draws use ordinary random numbers under a seed: for exploration and teaching. Real releases are
made by `dptopk publish` alone, which draws exactly, from random bits, and pays from a ledger.
"""  # no docstring: the marks \b are characters, and tell click to keep lines


COMPLETION = "_DPTOPK_COMPLETE"
"""The variable by which a shell asks what may follow; see click's shell completion."""

SHORT = {name: question.asks for name, question in COMMANDS.items()} | {
    "run": "Ask again what a file of settings says.",
    "counts": "Count the users of each item in a log of events.",
    "users": "How many items to allow per user, and what a year of lists costs.",
    "discover": "Which items of a log are found that nobody listed.",
    "datasets": "List the data that come along.",
    "ledger": "Create, show and annotate the ledger of real releases.",
    "publish": "Publish the top k for real, paid for from a ledger.",
    "assess": "Say how far each name of a published list can be trusted.",
    "papers": "Draw the figures of the papers again, as files.",
    "homework": "Write exercise sheets for a class.",
    "check": "Grade the answers of a class.",
    "app": "Start the app.",
}
"""Every command by its name, with a line of help."""


_ASKING = {"run", *COMMANDS}
"""Commands that take mechanisms and measures of others."""

_ELSEWHERE = {"check": "homework", "counts": "events", "datasets": "data", "run": "ask"}
"""Modules of commands that are not of the command's name."""


def _loaded(name: str) -> click.Command:
    with failing(OSError, Exit.DATA):  # bundled data that are damaged or missing
        if name in COMMANDS:
            from dptopk.cli.ask import question_command

            made = question_command(name)
        else:
            module = import_module(f"dptopk.cli.{_ELSEWHERE.get(name, name)}")
            made = getattr(module, f"{name}_command")
    made.short_help = SHORT[name]
    return made


def load_extensions(modules: Sequence[str]) -> None:
    """Load what packages and these modules bring; raise a `Failure` if that cannot be used."""
    from dptopk.mechanisms import extensions

    with failing((extensions.ExtensionError, ImportError)):
        extensions.load(modules)


class _Commands(click.Group):
    """Commands that are loaded when they are used, so that help is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SHORT)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _loaded(cmd_name) if cmd_name in SHORT else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command, after mechanisms and measures of others are there for its options."""
        if args and args[0] in _ASKING:
            load_extensions(
                [after for one, after in pairwise(args) if one == "--with"]
                + [one.removeprefix("--with=") for one in args if one.startswith("--with=")]
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*SHORT.items()])


@click.group(
    cls=_Commands,
    help=_HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"\b\nExit codes:\n{_CODES}",
)
@click.version_option(dptopk.__version__, prog_name="dptopk")
@click.pass_context
def cli(context: click.Context) -> None:
    """Find which items have the highest counts."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    _open_closed_streams()
    try:
        code = cli.main(
            arguments, prog_name="dptopk", complete_var=COMPLETION, standalone_mode=False
        )
        sys.stdout.flush()
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "dptopk"
        say(f"{where}: {error.format_message()} See: {where} --help")
        return Exit.USAGE
    except Failure as error:
        say(f"dptopk: {error.format_message()}")
        for text in error.lines:
            say(text, "  ")
        return error.code
    except click.Abort:
        return Exit.INTERRUPTED
    except (SystemExit, BrokenPipeError) as ended:  # click turns the one into the other
        if COMPLETION in os.environ:  # and ends so when a shell has been answered
            return ended.code if isinstance(ended, SystemExit) and ended.code == 0 else Exit.USAGE
        discard_stream(sys.stdout)
        return Exit.PIPE
    except OSError as error:
        if error.filename is not None:
            raise
        discard_stream(sys.stdout)
        closed = error.errno == errno.EBADF
        reason = "standard output is closed" if closed else error.strerror
        say(f"dptopk: the answer cannot be written: {reason}.")
        return Exit.OUTPUT
    return code if isinstance(code, int) else 0


def _open_closed_streams() -> None:
    """Open standard streams that are closed, so that their use fails properly.

    Else Python has None there, and the next file that is opened takes their number.
    """
    for name, flags, mode in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
