"""Command `dptopk users`: compare bounds on the items per user, and price repeated releases."""

from dataclasses import replace
from typing import Any

import click

from dptopk.cli.ask import parameter_option, smaller_k
from dptopk.cli.data import source_of_counts
from dptopk.cli.events import (
    EVENTS,
    ITEMS,
    LOG_KEYS,
    LOG_OPTIONS,
    Log,
    log_failures,
    naming_options,
)
from dptopk.cli.failures import Exit, Failure, failing
from dptopk.cli.files import check_apart
from dptopk.cli.output import OPTIONS, Target, progress, write_answer
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS
from dptopk.data.events import PERIODS, median_period
from dptopk.data.ingest import KINDS, IngestReport, IngestResult
from dptopk.data.sources import UPLOAD
from dptopk.questions import QUESTIONS, settings, users
from dptopk.questions.answer import Answer
from dptopk.questions.asking import AskingError, checked, view_of
from dptopk.questions.runner import AtOnce
from dptopk.questions.view import View

PARTS = ("bounds", "winners", "items", "turnover", "year", "units")
"""Tables of the answer."""

_SETTINGS = (settings.K, EPSILON, DELTA, settings.NEIGHBORS, settings.RUNS, settings.SEED)


def _ask(
    *,
    events: tuple[str, ...],
    time: str | None,
    period: str | None,
    dates: str | None,
    part: str | None,
    items: str | None,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    check_apart({"EVENTS": events, "--items": items}, {"--output": output})
    if time is None and (unread := "period" if period else "dates" if dates else ""):
        raise Failure(f"--{unread} is of periods: add --time COLUMN.")
    period = period or "week"
    named = {name: options.pop(name) for name in LOG_KEYS}
    log = Log(events, items=items, **named)
    part = part or ("bounds" if time is None else "year")
    if time is None and part in ("turnover", "year"):
        raise Failure(f"--part {part} is of periods: add --time COLUMN.")
    with log_failures(), failing(AskingError, Exit.IMPOSSIBLE):
        whole, listed = log.event_log(dates=dates), log.listed
        period_log, of, truth = whole, "", {}
        if time is not None:  # a release is of one period: the bound, too
            with progress("Counting each period") as tell:
                truth = {**replace(whole, progress=tell).by_period(time, period, items=listed)}
            day = median_period(truth)
            period_log = whole.of_period(time, period, day)
            of = (
                f"For a list of one {period}: of that of {day}, the median {period} by its number "
                "of pairs of a user and an item."
            )
        with progress("Counting users") as tell:
            read = replace(period_log, progress=tell).counts(items=listed, by_bound=True).report
        by_bound = read.by_bound
        assert by_bound is not None  # asked for
        view = _view(log, by_bound.counts, read, options)
        with progress("Running") as tell:
            bounds = users.bounds(view, by_bound, AtOnce(tell), of)
        assert bounds is not None  # nobody stopped it
        best = users.best_of(bounds)
        bound = getattr(best, MAX_ITEMS.key, None)
        answer: Answer | None = bounds
        notes = [
            *map(naming_options, read.changes),
            by_bound.items_of_users.sentence,
            *([of] if of else []),
        ]
        if part == "winners":
            answer = users.winners(bounds)
        elif part == "items":
            answer = users.items(view, best, by_bound, bound or by_bound.bounds[-1])
        elif part == "units":
            of_period = "year" if time is None else period
            answer = users.units(view, best, of_period, by_bound.items_of_users)
        if time is not None:
            if part == "turnover" and len(truth) < 2:
                raise Failure(f"--part turnover compares periods: the log has one {period} alone.")
            stays = whole.periods_of_users(time, period)
            year = users.costs(view, users.candidates(bounds), period, stays, len(truth))
            if part == "turnover":
                series: dict[Any, Any] = truth
                if bound is not None:
                    series = {**whole.by_period(time, period, bound, listed)}
                with progress("Releasing each period") as tell:
                    answer = users.turnover(view, best, series, truth, AtOnce(tell))
            elif part == "year":
                answer = year
            if part != "year":
                notes += [note for note in year.notes if note != users.COSTS_MEANING]
        if part not in ("bounds", "winners"):
            notes.append(users.recommendation(bounds.frame, view.k))
        left_out = [key for key, value in options.items() if value is None]
        assert answer is not None  # nobody stopped it
        write_answer(answer, target, tuple(notes), left_out=left_out)


def _view(log: Log, counts: ItemCounts, report: IngestReport, options: dict[str, Any]) -> View:
    """Return the view of the counts without a bound; lower a k that nobody gave, in ``options``."""
    question = QUESTIONS["errors"]
    if options["k"] is None and settings.K.default is not None and settings.K.default > counts.d:
        options["k"] = smaller_k(counts.d)
    given = {key: value for key, value in options.items() if value is not None}
    values = checked(question, given | {"data": UPLOAD})
    result = IngestResult(counts, report)
    source = source_of_counts(log.events[0], result, COUNT_UNIT, listed=log.items)
    return view_of(question, values, source)


users_command = click.Command(
    "users",
    params=[
        EVENTS,
        *LOG_OPTIONS,
        click.Option(
            ["--time"],
            metavar="COLUMN",
            help="Column of dates or times, in UTC where they have a time zone: a list is released "
            "for each period.",
        ),
        click.Option(
            ["--period"],
            type=click.Choice(PERIODS),
            help="Length of a period, with --time.  [default: week]",
        ),
        click.Option(
            ["--dates"],
            type=click.Choice(KINDS["dates"].answers),
            help="How dates such as 01.02.2026 are read, if the column allows both.",
        ),
        click.Option(
            ["--part"],
            type=click.Choice(PARTS),
            help="The table to write: errors by bound; the best mechanism at each bound; the top "
            "items under the best bound; new names of each period; the cost of a year; who is "
            "protected.  [default: bounds, or "
            "year beside --time]",
        ),
        ITEMS,
        *(parameter_option(one) for one in _SETTINGS),
        parameter_option(settings.mechanisms()),
        *OPTIONS,
    ],
    callback=_ask,
    help="""Find how many items to allow per user, and what a list each period costs in a year.

    For every mechanism that gains from a bound on the items of a user, and every bound, the places
    of a release that are wrong, split into what clipping takes, what a threshold drops and what
    noise swaps; beside them the mechanisms that need no bound. With --time a list is released for
    each period: how many of its names are new though nothing changed, and what a year costs users
    who stay or come once. Nothing protects these numbers.

    \b
    dptopk users events.csv --user patient --item drug -k 5
    dptopk users events.csv --user patient --item drug -k 5 --time day --period week
    dptopk users events.csv --user patient --item drug -k 5 --time day --part turnover -o weeks.csv
    """,
)
