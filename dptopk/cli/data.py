"""Load data on the command line: a bundled set by name, or a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from dptopk.cli.events import LOG_KEYS, ON_NAMES, Log, naming_options, public_list
from dptopk.cli.failures import Exit, Failure, failing, line
from dptopk.cli.files import read_bytes
from dptopk.cli.option_values import flag
from dptopk.cli.output import OPTIONS, Target, write_rows
from dptopk.data import ingest, sources
from dptopk.data.datasets import dataset_info
from dptopk.data.ingest import ANSWERS, Contribution, IngestError, Reply, UnclearError
from dptopk.data.sources import TYPED, UPLOAD, NoDataError, Source
from dptopk.mechanisms import MECHANISMS
from dptopk.questions.asking import AskingError, source_of
from dptopk.questions.settings import ACROSS, AGAINST, MAP_KS, OVER_K, SMALL_K, K

if TYPE_CHECKING:
    from dptopk.questions.saved import Saved

_OF_LOGS = {"rows": Reply.COUNTED, "split": Reply.WHOLE, "survey": Reply.NO}
"""Answers that say how a log of any size is read."""
_OPTIONS = "--item-column, --counts and --users (none for none)"


@dataclass(frozen=True)
class Reading:
    """Options for reading a file."""

    items: str | None = None
    counts: str | None = None
    users: str | None = None
    sheet: str | None = None
    answers: tuple[str, ...] = ()
    unit: str | None = None
    nulls: str | None = None
    twins: str | None = None
    users_alike: str | None = None
    log: Log | None = None  # a log of events: the rest, but for the unit, is of tables of counts
    listed: str | None = None  # file of the public list of items

    @property
    def public_list(self) -> list[str] | None:
        """The names on the public list, if there is one."""
        return None if self.listed is None else public_list(self.listed)


def named() -> list[str]:
    """Return the names of all data sets."""
    return [choice for choice in sources.choices() if choice not in (TYPED, UPLOAD)]


def is_named(data: str) -> bool:
    """Return whether this is the name of a data set, not a file."""
    return data in (*named(), TYPED)


def sources_from(data: str, every: Sequence[Mapping[str, Any]], reading: Reading) -> list[Source]:
    """Load the data of a name, a file or a log, for a question at each of the settings.

    Of a log with users of more items than a promise rests on there are several, the one with most
    items of a user first; see `parts_of`.
    """
    if reading.log is not None:
        return _of_log(reading.log, reading.unit, _bounds(every))
    if not is_named(data):
        return read_file(data, reading, every)
    check_no_file(reading)
    with failing((NoDataError, AskingError), Exit.DATA):
        return [source_of({**every[0], "data": data})]


def check_no_file(reading: Reading) -> None:
    """Raise if there is an option of a file, where data have a name."""
    for key, value in vars(reading).items():
        if value and key != "listed":
            option = flag({"items": "item_column", "answers": "answer"}.get(key, key))
            raise Failure(f"{option} is of a file: name it with --data, or leave {option} out.")


def parts_of(
    values: Mapping[str, Any], sources: Sequence[Source]
) -> list[tuple[dict[str, Any], Source]]:
    """Divide the mechanisms of settings among the sources for which their promises hold.

    Each has the one of which most items of a user are kept.
    """
    parts: dict[int, list[str]] = {}
    for key, bound in bounds_of(values).items():
        fit = (n for n, one in enumerate(sources) if not one.against_bound(bound))
        parts.setdefault(next(fit), []).append(key)
    return [
        ({**values, "mechanisms": tuple(keys)}, sources[n]) for n, keys in sorted(parts.items())
    ]


def read_file(name: str, reading: Reading, every: Sequence[Mapping[str, Any]]) -> list[Source]:
    """Read the counts of a file in the same way as uploads, as `sources_from` does."""
    bounds = _bounds(every)
    if Path(name).is_file() and Path(name).stat().st_size > ingest.MAX_BYTES:
        if not reading.items or not reading.users or reading.counts is not None:
            raise Failure(
                f"{name} has more than {ingest.MAX_BYTES // 2**20} MB: if it is a log of users and "
                "items, name their columns with --users and --item-column, or count it once, with "
                f"dptopk counts {quote(name)} --user COLUMN --item COLUMN -o counts.csv.",
                Exit.DATA,
            )
        return _of_log(_as_log(name, reading), reading.unit, bounds)
    content = _content(name)
    other_sheet, table = "", None
    try:
        table = ingest.read_table(content, Path(name).name, sheet=reading.sheet)
        if len(table.sheets) > 1:
            some = ", ".join(f'"{sheet}"' for sheet in table.sheets[:5])
            other_sheet = f'Sheet "{table.sheet}" was read; --sheet NAME reads another of {some}.'
        items, counted, users = _columns(table, reading)
        given = {**_answers(reading.answers), "listed": reading.public_list}
        for key in ON_NAMES:
            if getattr(reading, key) is not None:
                given[key] = getattr(reading, key)
        if reading.users is not None and users is not None and reading.counts is None:
            counted = None  # who names the users wants them counted
        if users is not None and counted is None and reading.users is not None:
            given = {"rows": Reply.COUNTED} | given
        if reading.counts is not None:
            given = {"several": Reply.ONE} | given
        if reading.items is not None and items is not None:
            given = {"items": str(items + 1)} | given
        ingest.ask_which_of_two(table, (items, counted, users), given)
        count = partial(ingest.to_item_counts, table, items, counted, user_column=users, **given)
        results = _under_bounds(count(), bounds, lambda bound: count(max_items=bound))
    except UnclearError as error:
        lines = _answer_lines(error.questions[-1], table)
        if table is not None:
            sample = table.beginning()
            of = f", of the first {sample.n_rows:,} rows" if sample.n_rows < table.n_rows else ""
            for later in _later_questions(error, sample, (items, counted, users), given):
                lines += [f"Likely asked next{of}: {later.sentence}", *_answer_lines(later, table)]
        lines += [other_sheet] if other_sheet else []
        words = f"{name}: {naming_options(error)} Add one of"
        raise Failure(words, Exit.DATA, tuple(lines)) from error
    except IngestError as error:
        if kind := ingest.database_kind(content):
            otherwise = _as_events(name, " --table TABLE")
            raise Failure(f"{name} is a {kind} database: {otherwise}.", Exit.DATA) from error
        choose = f"Name columns with {_OPTIONS}. " if table is not None and table.problem else ""
        raise Failure(f"{name}: {error} {choose}{other_sheet}", Exit.DATA) from error
    except ModuleNotFoundError as error:
        raise _needs(name, error) from error
    more, found = [other_sheet] if other_sheet else [], []
    for result in results:
        header = ingest.header_of_counts(table, counted, result.report)
        unit = reading.unit or ingest.unit_of(header, result.report.contribution)
        how = ingest.ReadingSettings.of(table, (items, counted, users), result, unit)
        source = source_of_counts(name, result, unit, how, reading.listed)
        found.append(replace(source, notes=(*source.notes, *more, *_undone(result))))
    return found


def _as_log(name: str, reading: Reading) -> Log:
    """Return the log that a file is which is too large for a table; raise where that is asked."""
    asked = _answers(reading.answers)
    on_names = {key: asked.pop(key, None) for key in ON_NAMES}
    on_names |= {key: given for key in ON_NAMES if (given := getattr(reading, key)) is not None}
    of_tables = [] if reading.sheet is None else [f"--sheet {quote(reading.sheet)}"]
    of_tables += [
        f"--answer {quote(f'{key}={answer}')}"
        for key, answer in asked.items()
        if _OF_LOGS.get(key) != answer
    ]
    if of_tables:
        raise Failure(
            f"{name} has more than {ingest.MAX_BYTES // 2**20} MB and is read as a log of events, "
            f"each with one item, to which {' and '.join(of_tables)} cannot be applied: write one "
            "row for each user and item, or keep only their columns in a smaller file.",
            Exit.DATA,
        )
    return Log([name], reading.users, reading.items, items=reading.listed, **on_names)


def _answer_lines(question: ingest.Ambiguity, table: ingest.RawTable | None) -> list[str]:
    lines = []
    for answer, words in question.options.items():
        option = _option(question, answer)
        if question.key == "items" and table is not None:
            option = f"--item-column {quote(table.columns[int(answer) - 1])}"
        lines.append(f"{option} ({words})")
    if question.key == "suppressed":
        lines.append(f"--answer suppressed=N, to read each as N, up to {ANSWERS['suppressed'][-1]}")
    if question.key in ("rounding", "several"):
        lines.append("--counts COLUMN, to take another column")
    if question.key == "rows":
        lines.append(f"{_OPTIONS}, to name columns")
    return lines


def _option(question: ingest.Ambiguity, answer: str) -> str:
    """Return the option that gives an answer to a question."""
    if question.key in (*ON_NAMES, "sheet"):
        return f"{flag(question.key)} {quote(answer)}"
    return f"--answer {quote(f'{question.key}={answer}')}"


def _later_questions(
    error: UnclearError,
    table: ingest.RawTable,
    columns: ingest.ColumnPlaces,
    given: Mapping[str, Any],
) -> list[ingest.Ambiguity]:
    """Return the questions that follow where the proposed or first answers are given."""
    found: list[ingest.Ambiguity] = []
    asked, answers = error.questions[-1], dict(given)
    item, count, user = columns
    while asked.key not in (*answers, "decimal"):  # which changes all numbers that follow
        if asked.key == "items":
            answers[asked.key] = list(asked.options)[-1]
        else:
            answers[asked.key] = asked.suggested or next(iter(asked.options))
        try:
            ingest.to_item_counts(table, item, count, user_column=user, **answers)
        except UnclearError as later:
            asked = later.questions[-1]
            if asked.key not in answers:
                found.append(asked)
        except IngestError:
            break
    return found


def _undone(result: ingest.IngestResult) -> list[str]:
    return [
        f"{_option(asked, answer)} changes that: {words}."
        for asked in result.report.questions
        if not asked.needed
        for answer, words in asked.options.items()
        if answer != asked.answer
    ]


def read_as_saved(
    name: str, saved: Saved | None, reading: Reading, values: Mapping[str, Any]
) -> Source:
    """Read the counts of a file as settings say how, unless options say more than a public list."""
    how = None if saved is None else saved.how
    plain = reading == Reading(listed=reading.listed)
    if saved is None or not isinstance(how, ingest.ReadingSettings) or not plain:
        return read_file(name, reading, [values])[-1]
    try:
        of = f"the settings say of {line(saved.title)} (give that file, not counts made of it)"
        with failing(ValueError, Exit.DATA, f"{name}, read as {of}: "):
            content, listed = _content(name), reading.public_list
            result = ingest.read_again(content, Path(name).name, how, listed)
            return source_of_counts(name, result, how.unit, how, reading.listed)
    except ModuleNotFoundError as error:
        raise _needs(name, error) from error


def bounds_of(values: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the bound on items per user of each chosen mechanism by key; None without one."""
    k = values[SMALL_K.key] if SMALL_K.key in values else values[K.key]
    if values.get(ACROSS.key) == OVER_K or {AGAINST.key, MAP_KS.key} & set(values):
        k = int(K.high)
    bounds: dict[str, int | None] = dict.fromkeys(values["mechanisms"])
    for key in bounds:
        with suppress(ValueError):  # one that cannot run is left out later, and said
            bounds[key] = MECHANISMS[key].of_settings({**values, "k": k}).guarantee.max_items
    return bounds


def _bounds(every: Sequence[Mapping[str, Any]]) -> list[int | None]:
    found = {bound for values in every for bound in bounds_of(values).values()}
    return sorted(found, key=lambda bound: -math.inf if bound is None else -bound)


def _under_bounds(
    first: ingest.IngestResult,
    bounds: Sequence[int | None],
    count: Callable[[int], ingest.IngestResult],
) -> list[ingest.IngestResult]:
    """Return counts of a log for each bound: the first, and others where users have more items."""
    people, known = first.report.items_of_users, (None, first.report.max_items)
    cut = [b for b in bounds if b not in known and people is not None and people.share_above(b)]
    return [*([first] if len(cut) < len(bounds) else []), *map(count, cut)]


def _of_log(log: Log, unit: str | None, bounds: Sequence[int | None]) -> list[Source]:

    def count(bound: int | None) -> ingest.IngestResult:
        counts = log.counted(bound)
        return ingest.IngestResult(counts, counts.report)

    unit = unit or ingest.unit_of("", Contribution.COUNTED)
    results = _under_bounds(count(bounds[0]), bounds, count)
    assert log.user is not None  # it was counted
    assert log.item is not None
    listed = log.items is not None
    on_names = {key: getattr(log, key) for key in ON_NAMES}
    how = ingest.LogSettings(
        *(log.user, log.item, log.where, log.table, listed, unit),
        **on_names,
        max_items=log.max_items,
    )
    return [source_of_counts(log.events[0], result, unit, how, log.items) for result in results]


def on_list(source: Source, reading: Reading) -> Source:
    """Return data that have a name on the public list of the options; a file was read on it."""
    if reading.listed is None or source.items_listed:
        return source
    with failing(ValueError, Exit.DATA, f"--items {reading.listed}: "):
        listed = ingest.on_public_list(source.counts, public_list(reading.listed))
    return replace(
        source,
        counts=listed.counts,
        notes=(*source.notes, listed.words),
        items_of_data=False,
        items_listed=True,
    )


def reading_with(reading: Reading, saved: Saved | None) -> Reading:
    """Return how data are read, a log with columns and condition as settings have them.

    Raise if these are of a public list and none is given.  What was typed comes first.
    """
    how = None if saved is None else saved.how
    log = reading.log
    if saved is not None and saved.listed and reading.listed is None:
        raise Failure(
            "the settings were saved with a public list of items: give it with --items FILE."
        )
    if log is None or not isinstance(how, ingest.LogSettings):
        return reading
    as_saved = {key: getattr(log, key) or getattr(how, key) for key in LOG_KEYS}
    restored = replace(log, **as_saved, of_settings=log.where is None, max_items=how.max_items)
    return replace(reading, log=restored, unit=reading.unit or how.unit)


def source_of_counts(
    name: str,
    result: ingest.IngestResult,
    unit: str,
    how: ingest.ReadingSettings | ingest.LogSettings | None = None,
    listed: str | None = None,
) -> Source:
    """Return the data that counts of a file are; ``listed`` is the file of a public list."""
    counts, report = result.counts, result.report
    return Source(
        counts,
        counts.name,
        f"Counts of the file {name}.",
        (*map(naming_options, report.sentences), report.contribution.sentence),
        "",
        report.contribution,
        unit,
        report.items_of_users,
        report.max_items,
        report.cut,
        items_of_data=listed is None,
        items_listed=listed is not None,
        how=how,
        confirmation=result.confirmation,
        largest=result.largest,
        of_users=report.of_users,
        undecided=" ".join(
            f"{asked.sentence} Say whether {' or '.join(asked.options.values())}: "
            f"{' or '.join(_option(asked, answer) for answer in asked.options)}."
            for asked in report.questions
            if asked.matters
        ),
    )


def _needs(name: str, error: ModuleNotFoundError) -> Failure:
    return Failure(
        f"{name}: to read it takes {error.name}: pip install {error.name}, or save it as CSV.",
        Exit.DATA,
    )


def _content(name: str) -> bytes:
    """Read a file or standard input, one byte beyond the limit if there are more."""
    try:
        return read_bytes(name, ingest.MAX_BYTES + 1)
    except FileNotFoundError as error:
        alike = get_close_matches(name.lower(), named(), 1, 0.6)
        meant = f" Is {alike[0]} meant?" if alike else ""
        raise Failure(
            f"--data {name} is neither a file nor data with a name.{meant} Names: dptopk datasets.",
            Exit.DATA,
        ) from error
    except IsADirectoryError as error:
        raise Failure(f"{name} is a folder: {_as_events(name)}.", Exit.DATA) from error
    except OSError as error:
        raise Failure(f"{name} cannot be read: {error.strerror}.", Exit.DATA) from error


def _as_events(name: str, table: str = "") -> str:
    """Return how to give what is read as a log of events only."""
    columns = f"{quote(name)}{table} --user COLUMN --item COLUMN"
    return (
        f"a log of events is given with --events {columns} instead of --data, or counted once, "
        f"with dptopk counts {columns} -o counts.csv"
    )


def _columns(table: ingest.RawTable, reading: Reading) -> ingest.ColumnPlaces:
    """Return columns of items, counts and users, as asked or else as guessed."""
    asked = (reading.items, reading.counts, reading.users)
    guesses = (table.item_column, table.count_column, table.user_column)
    named = [None if column is None else _column(table, column) for column in asked]
    items, counts, users = (
        place if column is not None else None if guess in named else guess
        for place, column, guess in zip(named, asked, guesses, strict=True)
    )
    if items is None and reading.items is None:
        left = [place for place in range(len(table.columns)) if place not in (counts, users)]
        items = left[0] if len(left) == 1 else None
        if len(left) > 1 and "survey=yes" not in reading.answers:
            raise IngestError(
                "The column of items is not certain: name it with --item-column COLUMN."
            )
    return items, counts, users


def _column(table: ingest.RawTable, asked: str) -> int | None:
    """Return a column given by its label or its number from 1; None for "none"."""
    if asked in table.columns:
        return table.columns.index(asked)
    if asked.isascii() and asked.isdigit() and 1 <= int(asked[:9]) <= len(table.columns):
        return int(asked) - 1
    if asked == "none":
        return None
    labels = table.labels(range(len(table.columns)))
    raise IngestError(f"There is no column {asked!r}: choose one of {labels}, or none.")


def _answers(given: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for answer in given:
        key, sign, value = answer.partition("=")
        if key not in ANSWERS or not sign:
            raise Failure(
                f"--answer {answer}: write KEY=VALUE with one of the keys {', '.join(ANSWERS)}."
            )
        if value not in ANSWERS[key]:
            raise Failure(f"--answer {answer}: {key} must be one of {', '.join(ANSWERS[key])}.")
        found[key] = value
    return found


def _list(format_: str | None, output: str | None) -> None:
    target = Target.of(format_, output)
    rows = []
    for choice in named():
        row: dict[str, object] = {"name": choice, "title": sources.choices()[choice]}
        if not sources.own_settings(choice):
            with failing(NoDataError, Exit.DATA):
                source = sources.source_of(choice, {})
            row |= {"items": source.counts.d, "largest": int(source.counts.counts.max())}
        rows.append(row | _license(choice))
    write_rows(rows, target, ("name", "title", "items", "largest", "licence"))


def _license(choice: str) -> dict[str, str]:
    """Return licence and source of bundled data; empty for synthetic data."""
    if choice.startswith(("classroom-", "synthetic-")):
        return {"licence": "", "source": ""}
    info = dataset_info(choice)
    return {"licence": info.spdx, "source": info.source}


datasets_command = click.Command(
    "datasets",
    params=[*OPTIONS],
    callback=_list,
    help="""List the data that come along: their names, for --data, and what they are.

    \b
    dptopk datasets
    dptopk datasets --format json
    """,
)
