"""Count event logs on the command line: `dptopk counts` and the option `--events`."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from dptopk.cli.failures import Exit, Failure, failing, line, needing, say
from dptopk.cli.files import check_apart, content_of
from dptopk.cli.output import OPTIONS, Target, progress, write_answer
from dptopk.data import ingest
from dptopk.data.ingest import ANSWERS, LOG_FORMATS, IngestError

if TYPE_CHECKING:
    from dptopk.data.events import EventCounts, EventLog

_ARGUMENT = re.compile(r"\A(user and item|user|items?|where|table|time|dates)(?= must | is for )")
_N_COLUMNS = 20  # that a message names

EVENTS = click.Argument(["events"], nargs=-1, required=True, metavar="EVENTS...")
"""The files of a log, where a command is of nothing else."""

ITEMS = click.Option(
    ["--items"],
    metavar="FILE",
    help="The public list of all possible items, fixed without looking at the data, one a line: "
    "those that the data do not have count 0, others of the data are left out.",
)

LOG_OPTIONS = (
    click.Option(["--user"], metavar="COLUMN", help="Column of a log that names the user."),
    click.Option(["--item"], metavar="COLUMN", help="Column of a log that names the item."),
    click.Option(
        ["--where"],
        metavar="SQL",
        help="Only events that meet this condition, such as \"day >= '2026-01-01'\".",
    ),
    click.Option(["--table"], metavar="NAME", help="Table of a database, or sheet of a workbook."),
    click.Option(
        ["--nulls"],
        type=click.Choice(ANSWERS["nulls"]),
        help="What to do with names spelled NA, NULL, nan, None that are not on a public list.  "
        "[default: leave out, unless they may be among the largest items]",
    ),
    click.Option(
        ["--twins"],
        type=click.Choice(ANSWERS["twins"]),
        help="What to do with items whose names look alike.  [default: apart]",
    ),
    click.Option(
        ["--users-alike"],
        type=click.Choice(ANSWERS["users_alike"]),
        help="What to do with e-mail addresses of users that differ only by case.  "
        "[default: apart]",
    ),
)
"""Options of a log of events, wherever there is one; the last three are of uploads, too."""

ON_NAMES = ("nulls", "twins", "users_alike")
"""Options on names, of logs and of other tables."""

LOG_KEYS = tuple(str(option.name) for option in LOG_OPTIONS)
"""Names of `LOG_OPTIONS`, which are fields of `Log`."""


@dataclass(frozen=True)
class Log:
    """A log of events as options name it; ``items`` is the file of a public list.

    Of each user at most ``max_items`` items are kept, whatever else asks for more.  A condition
    ``of_settings`` is SQL of a file: it is run only if it does no more than compare.
    """

    events: Sequence[str]
    user: str | None
    item: str | None
    where: str | None = None
    table: str | None = None
    nulls: str | None = None
    twins: str | None = None
    users_alike: str | None = None
    items: str | None = None
    max_items: int | None = None
    of_settings: bool = False

    def event_log(self, **options: Any) -> "EventLog":
        """Return the log, with further options by name."""
        from dptopk.data.events import EventLog

        options |= {key: getattr(self, key) for key in ("table", *ON_NAMES)}
        log = EventLog([*self.events], *self.columns, self.where, **options)
        if not self.of_settings:
            return log
        try:
            return log.with_plain_condition()
        except ValueError as error:
            raise Failure(
                f"the settings have the condition {line(str(self.where))!r}, but {error}: add it "
                "with --where, if you know where the file of settings is from."
            ) from error

    @property
    def listed(self) -> list[str] | None:
        """The names on the public list, if there is one."""
        return None if self.items is None else public_list(self.items)

    def counted(
        self, max_items: int | None = None, by_bound: bool | Sequence[int] = False, **options: Any
    ) -> "EventCounts":
        """Count the users of each item, as `counts_from_events` does."""
        log, listed = self.event_log(**options), self.listed
        most = min(filter(None, (max_items, self.max_items)), default=max_items)
        with _progress_of_log("Counting users") as tell:
            return replace(log, progress=tell).counts(most, listed, by_bound)

    @property
    def columns(self) -> tuple[str, str]:
        """The columns of users and items, which must be named."""
        if self.user is None or self.item is None:
            from dptopk.data import event_logs  # slow to load

            missing = "--user" if self.user is None else "--item"
            with _progress_of_log("Reading columns"):
                preview = event_logs.preview_log([*self.events], self.table)
                there = ", ".join(preview.columns[:_N_COLUMNS])
            raise Failure(
                f"a log needs --user COLUMN and --item COLUMN: add {missing}, one of the columns "
                f"{line(there)}. A table of counts, or a survey, is no log: dptopk release --data "
                "FILE reads it, and so do other commands with --data."
            )
        return self.user, self.item


@contextlib.contextmanager
def _progress_of_log(label: str) -> Iterator[Callable[[float], None]]:
    with log_failures(), progress(label) as tell:
        yield tell


@contextlib.contextmanager
def log_failures() -> Iterator[None]:
    """Convert errors of a log, and of settings for it, into one line and an exit code."""
    try:
        with needing("to count events takes", Exit.DATA):
            yield
    except IngestError as error:
        raise Failure(naming_options(error), Exit.DATA) from error
    except ValueError as error:
        raise Failure(f"{naming_options(error)}.") from error


def naming_options(sentence: object) -> str:
    """Return a message or sentence with the options instead of the arguments that it names."""
    message, context = str(sentence), click.get_current_context(silent=True)
    if context is not None and all(option.name != "data" for option in context.command.params):
        message = message.replace("(--data", "(--data of dptopk release and of other commands")
    message = message.replace("memory_limit", "--memory").replace('nulls="', '--nulls "')
    message = message.replace('users_alike="', '--users-alike "').replace('twins="', '--twins "')
    return _ARGUMENT.sub(lambda match: "--" + match[0].replace("and ", "and --"), message)


def public_list(file: str) -> list[str]:
    """Return the names of a public list, a line each: trimmed and cleaned as those of data are."""
    content = content_of(file, ingest.MAX_BYTES + 1, "--items")
    with failing(IngestError, Exit.DATA, f"--items {file}: "):
        listed = ingest.read_public_list(content, file)
    for note in listed.notes:
        say(f"--items {file}: {note}")
    return [*listed.names]


def _count(
    *,
    events: tuple[str, ...],
    items: str | None,
    max_items: int | None,
    normalize: bool,
    key: str,
    memory: str | None,
    k: int | None,
    format_: str | None,
    output: str | None,
    **named: Any,
) -> None:
    target = Target.of(format_, output)
    check_apart({"EVENTS": events, "--items": items}, {"--output": output})
    log = Log(events, items=items, **named)
    counts = log.counted(max_items, normalize=normalize, key=key, memory_limit=memory)
    import pandas as pd  # slow to load

    from dptopk.questions.answer import Answer
    from dptopk.questions.origin import Origin

    report = counts.report
    for sentence in ingest.IngestResult(counts, report).confirmation:
        say(sentence)
    names, largest = counts.items, counts.order[:k]
    frame = pd.DataFrame(
        {"item": [names[place] for place in largest], "users": counts.counts[largest]}
    )
    only = [] if k is None else [f"The true top {len(largest):,}: no noise protects it."]
    note = " ".join([report.cut, *only]).strip()
    origin = Origin(counts.name, counts, (), "true counts", unit="users", note=note)
    answer = Answer("counts", "Users of each item", frame, origin, ("item", "users"))
    sentences = map(naming_options, report.sentences)
    write_answer(answer, target, (*sentences, report.contribution.sentence, *only))


counts_command = click.Command(
    "counts",
    params=[
        EVENTS,
        *LOG_OPTIONS,
        click.Option(
            ["--max-items"],
            type=click.IntRange(min=1),
            metavar="NUMBER",
            help="Keep at most so many items of each user, chosen by a hash.",
        ),
        ITEMS,
        click.Option(
            ["--normalize"],
            is_flag=True,
            help="Take names as one that differ only in case, spaces or the encoding of accents.",
        ),
        click.Option(
            ["--key"],
            default="",
            metavar="TEXT",
            help="Key of the hash by which --max-items chooses.",
        ),
        click.Option(
            ["--memory"],
            metavar="SIZE",
            help="Use at most this much memory, such as 4GB, and then the disk.",
        ),
        click.Option(
            ["-k"],
            type=click.IntRange(min=1),
            metavar="NUMBER",
            help="Write only the so many largest: the true top k, which nothing protects and which "
            "is not for release.  [default: all]",
        ),
        *OPTIONS,
    ],
    callback=_count,
    help=f"""Count the distinct users of each item in a log of events, of any size.

    EVENTS are files, patterns or a folder: {LOG_FORMATS}.
    The counts are the true ones: nothing protects them.

    \b
    dptopk counts events.csv --user patient --item drug -o counts.csv
    dptopk counts "visits-*.parquet" --user visitor --item page --max-items 20
    dptopk counts shop.db --table orders --user customer --item product --where "price > 10"
    dptopk counts events.csv --user patient --item drug -k 20
    """,
)
