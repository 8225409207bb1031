"""Command `dptopk ledger`: create, show and annotate a ledger of releases, and plan more."""

import getpass
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from dptopk.accounting.filters import Price
from dptopk.cli.ask import parameter_option
from dptopk.cli.failures import Exit, Failure, failing, say
from dptopk.cli.files import check_apart
from dptopk.cli.option_values import flag, parsed, say_defaults
from dptopk.cli.output import OPTIONS, Target, write_rows
from dptopk.core.numerals import as_typed, compact, float_at_most, plural
from dptopk.core.parameters import DELTA, EPSILON
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.mechanisms.approximate import with_share_of_delta
from dptopk.publishing.ledger import (
    LONGEST,
    Entry,
    Ledger,
    LedgerError,
    Planned,
    left_words,
    one_line,
    price_note,
    rule_words,
)
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.asking import AskingError, checked

QUESTION = QUESTIONS["handover"]
"""The question whose settings are those of one release."""

_SHOWN = (
    *("release", "entered", "data", "mechanism", "k", "epsilon", "delta", "rho"),
    *("purpose", "author", "annotations"),
)
_FEW = 10  # releases of a plan that are shown without being asked for
_OF_ALL_DELTA = (
    "The ledger uses δ = {series} to add up zCDP, as each release may depend on those before it; "
    "dptopk epsilon --total-epsilon uses its whole δ for a number of releases fixed beforehand, so "
    "its ε differs."
)
_PLANNED = ("release", "fits", "epsilon", "delta", "rho", "epsilon_left", "rho_left", "delta_left")


def mechanism_options(*, k: str | None, epsilon: str) -> tuple[click.Option, ...]:
    """Return the options of a publishable mechanism, without its neighboring relation.

    ``k`` and ``epsilon`` are the words in place of their defaults.
    """
    kinds = [
        kind
        for kind in MECHANISMS.values()
        if not kind(
            k=1, epsilon=1.0, **{setting.key: setting.default for setting in kind.card.parameters}
        ).why_not_exact
    ]
    options = []
    parameters: Mapping[str, Any] = settings.of_mechanisms()
    for key, parameter in parameters.items():
        users = [kind.card.key for kind in kinds if kind.card.takes(key)]
        default = parameter.text(parameter.default) or parameter.empty
        left_out = f"of {', '.join(users)}" + ("" if key == DELTA.key else f"; default: {default}")
        option = parameter_option(parameter, ending=left_out)
        option.hidden = not users
        options.append(option)
    return (
        parameter_option(settings.K, ending=k),
        click.Option(
            ["--mechanism"],
            callback=partial(parsed, settings.mechanism()),
            metavar="NAME",
            help=f"Mechanism of the release: one of {', '.join(kind.card.key for kind in kinds)}.",
        ),
        parameter_option(EPSILON, ending=epsilon),
        *options,
    )


def values_from(options: Mapping[str, Any], ledger: Ledger) -> dict[str, Any]:
    """Return every setting of a release by key: those of `mechanism_options`, else by default.

    A δ has no default where a mechanism takes one, as it decides on the promise.
    """
    if options["mechanism"] is None:
        raise Failure("name the mechanism with --mechanism.")
    kind = MECHANISMS[options["mechanism"]]
    if kind.card.takes(DELTA.key) and options[DELTA.key] is None:
        raise Failure(f"{kind.card.name} has a δ: give {flag(DELTA.key)}.")
    for key in settings.of_mechanisms():
        if options[key] is not None and not kind.card.takes(key):
            raise Failure(f"{kind.card.name} does not use {flag(key)}: leave it out.")
    keys = ("k", EPSILON.key, *settings.of_mechanisms())
    given = {key: options[key] for key in keys if options[key] is not None}
    given |= {"mechanisms": (options["mechanism"],), "neighbors": ledger.neighbors.value}
    with failing(AskingError):
        return checked(QUESTION, given)


def mechanism_of(values: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism of the settings, as one of several releases, if it can be published."""
    (key,) = values["mechanisms"]
    with failing(ValueError):
        built = MECHANISMS[key].of_settings(values)
        made = with_share_of_delta(built, values[settings.RELEASES.key], values[DELTA.key])
    if made.why_not_exact:
        raise Failure(f"{made.label} cannot be published. {made.why_not_exact}", Exit.IMPOSSIBLE)
    return made


def ledger_failures() -> AbstractContextManager[None]:
    """Return a context that converts errors of a ledger into one line and an exit code."""
    return failing(LedgerError, Exit.LEDGER)


def _create(
    *,
    file: str,
    epsilon: float,
    delta: float,
    protects: str,
    neighbors: str,
    own_delta: float | None,
) -> None:
    series = None
    if own_delta is not None:
        if own_delta > delta:
            raise Failure(
                f"--own-delta must be at most --delta, {compact(delta)}, got {compact(own_delta)}."
            )
        series = float_at_most(as_typed(delta) - as_typed(own_delta))
    with failing(ValueError), ledger_failures():
        made = Ledger.create(
            file, epsilon, delta, protects, neighbors=neighbors, series_delta=series
        )
    say(f"Created {file}. {made.promise}")
    _say_budget(made)
    say(
        "Keep exactly one copy: a second one would be a second budget, and a lost one cannot be "
        "made again."
    )


def _show(
    *,
    file: str,
    plan: int | None,
    every: bool,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    check_apart({"LEDGER": file}, {"--output": output})
    with ledger_failures():
        ledger = Ledger.open(file)
        say(ledger.promise)
        if plan is None:
            options["all"] = every or None
            if given := [flag(key) for key, value in options.items() if value is not None]:
                raise Failure(f"{given[0]} is of releases that are planned: give --plan, too.")
            entries = ledger.entries
            _say_budget(ledger, f"{plural(len(entries), 'release')} so far; ")
            if entries:
                say("epsilon, delta and rho are what it was charged; promise is its own guarantee.")
            write_rows([_row(entry) for entry in entries], target, _SHOWN)
            return
        _say_budget(ledger)
        write_rows(_plan(ledger, plan, options, every), target, _PLANNED)


def _annotate(*, file: str, number: int, text: str, author: str) -> None:
    with ledger_failures():
        entry = Ledger.open(file).annotate(number, text, author)
    say(f"Release {number} of {file} was annotated: {entry.annotations[-1].words}. It stays paid.")


def _user() -> str:
    """Return the name of the operating system's user; empty if there is none."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # no such module on Windows; no name for this number
        return ""


def _said(context: click.Context, option: click.Parameter, text: str) -> str:
    """Check a text that the ledger keeps."""
    try:
        return one_line(str(option.name), text, empty=isinstance(option, click.Option))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", context, option) from error


AUTHOR = click.Option(
    ["--author"],
    default=_user,
    show_default="your user name on this machine",
    callback=_said,
    metavar="NAME",
    help="Who enters it; the ledger keeps it, and --author '' keeps none.",
)
PURPOSE = click.Option(
    ["--purpose"],
    default="",
    callback=_said,
    metavar="WORDS",
    help=f"Why it is released, in at most {LONGEST} characters; the ledger keeps it.",
)
"""Options of what a ledger keeps about a release beside its price."""


def _say_budget(ledger: Ledger, before: str = "") -> None:
    if rule := rule_words(ledger.filter):
        say(rule)
    left = f"{before}{left_words(ledger.left, ledger.filter)}."
    say(left[0].upper() + left[1:] if left[0].isascii() else left)


def _row(entry: Entry) -> dict[str, object]:
    return {
        "release": entry.number,
        "entered": entry.entered,
        "data": entry.title,
        "mechanism": entry.settings.get("mechanism"),
        "k": entry.settings.get("k"),
        **_columns(entry.price),
        "promise": entry.promise,
        "counts_hmac_sha256": entry.counts,
        "dptopk_version": entry.version,
        "purpose": entry.purpose,
        "author": entry.author,
        "annotations": entry.notes,
    }


def _plan(
    ledger: Ledger, releases: int, options: Mapping[str, Any], every: bool
) -> list[dict[str, object]]:
    """Return the cost of a series of releases; without an ε, at the largest that fits.

    One row a release, or of a long series some: the first, where it stops fitting, the last.
    """
    mechanism = mechanism_of(values_from(options, ledger))
    if options["k"] is None:
        say_defaults(["k"])
    whole = f"{plural(releases, 'release')} of {mechanism.label}, k = {mechanism.k}"
    largest = ledger.largest_epsilon(mechanism, releases)
    if options[EPSILON.key] is None:
        if not largest:
            why = ledger.shortage(mechanism, releases)
            raise Failure(f"{whole}: {why}; {left_words(ledger.left)}.", Exit.LEDGER)
        mechanism = mechanism.replaced(epsilon=largest)
    planned = ledger.plan(mechanism, releases)
    fit = sum(one.admitted for one in planned)
    how = "all fit" if fit == releases else f"the first {fit:,} fit" if fit else "none fits"
    say(f"{whole}, ε = {mechanism.epsilon:g} each: {how}. Nothing was entered.")
    if largest:
        say(f"The largest ε at which all of them fit: {largest:g} each.")
    else:
        why = ledger.shortage(mechanism, releases)
        say(f"{why[0].upper()}{why[1:]}.")
    if note := price_note(mechanism, planned[0].price):
        say(note)
    if ledger.filter.series_delta:
        say(_OF_ALL_DELTA.format(series=compact(float(ledger.filter.series_delta))))
    rows = planned if every else _some(planned)
    if len(rows) < releases:
        say(f"{len(rows)} of {releases:,} rows are shown; --all shows them all.")
    return [
        {
            "release": one.number,
            "fits": "yes" if one.admitted else "no",
            **_columns(one.price),
            **{f"{name}_left": left for name, left in asdict(one.left).items()},
        }
        for one in rows
    ]


def _columns(price: Price) -> dict[str, float]:
    return {name: float(getattr(price, name)) for name in ("epsilon", "delta", "rho")}


def _some(planned: Sequence[Planned]) -> Sequence[Planned]:
    """Return a few releases of a series: the first, the quarters, both ends of what fits."""
    n = len(planned)
    if n <= _FEW:
        return planned
    fit = sum(one.admitted for one in planned)
    places = {1, 2, 3, n // 4, n // 2, 3 * n // 4, fit, fit + 1, n}
    return [one for one in planned if one.number in places]


_FILE = click.Argument(["file"], metavar="FILE")
ledger_command = click.Group(
    "ledger",
    help="""Create the ledger that pays for real releases, show what is left in it, and annotate it.

    A ledger is one file for one population. It limits what may ever be released about these people:
    ε and δ of everything that `dptopk publish` releases from it, together and in whatever order.
    Create one for each population, once, and keep it with the counts.

    \b
    dptopk ledger create budget.sqlite --epsilon 2 --delta 1e-6 --protects "one patient"
    dptopk ledger show budget.sqlite
    """,
    commands=[
        click.Command(
            "create",
            params=[
                _FILE,
                click.Option(
                    ["--epsilon"],
                    required=True,
                    callback=partial(parsed, EPSILON),
                    metavar="NUMBER",
                    help="ε of all releases together.",
                ),
                click.Option(
                    ["--delta"],
                    required=True,
                    callback=partial(parsed, DELTA),
                    metavar="NUMBER",
                    help="δ of all releases together; 0 for none.",
                ),
                click.Option(
                    ["--protects"],
                    required=True,
                    metavar="WORDS",
                    help="Unit of privacy in words, such as: one patient of this hospital.",
                ),
                click.Option(
                    ["--neighbors"],
                    default=settings.NEIGHBORS.default,
                    show_default=True,
                    callback=partial(parsed, settings.NEIGHBORS),
                    metavar="|".join(settings.NEIGHBORS.options),
                    help="Whether one such unit joins or leaves, or is replaced by another.",
                ),
                click.Option(
                    ["--own-delta"],
                    callback=partial(parsed, DELTA),
                    metavar="NUMBER",
                    help="How much of δ is for releases with a δ of their own; the rest is for "
                    "adding up many small releases as zCDP.  [default: half]",
                ),
            ],
            callback=_create,
            help="""Create a ledger: ε and δ of everything that is ever released about a population.

            \b
            dptopk ledger create budget.sqlite --epsilon 2 --delta 1e-6 --protects "one patient"
            """,
            short_help="Create a ledger, once for each population.",
        ),
        click.Command(
            "show",
            params=[
                _FILE,
                click.Option(
                    ["--plan"],
                    type=click.IntRange(1, 10_000),
                    metavar="N",
                    help="Show what N releases of --mechanism would cost and leave.",
                ),
                click.Option(
                    ["--all", "every"],
                    is_flag=True,
                    help="With --plan: a row for every release, not only the first, some and the "
                    "last.",
                ),
                *mechanism_options(k=None, epsilon="left out: the largest that fits"),
                *OPTIONS,
            ],
            callback=_show,
            help="""Show what was released from a ledger, and what is left or would be.

            Without --epsilon the plan takes the largest ε with which all of it fits. Of a long plan
            the first releases, some and the last are shown; --all shows every one.

            \b
            dptopk ledger show budget.sqlite
            dptopk ledger show budget.sqlite --plan 52 --mechanism {joint} -k 10 --epsilon 0.05
            dptopk ledger show budget.sqlite --plan 52 --mechanism {joint} -k 10
            """.format(joint=next(iter(MECHANISMS.values())).card.key),
            short_help="Show what was released and what is left, or would be after a plan.",
        ),
        click.Command(
            "annotate",
            params=[
                _FILE,
                click.Argument(["number"], type=click.IntRange(1), metavar="NUMBER"),
                click.Argument(["text"], callback=_said, metavar="TEXT"),
                AUTHOR,
            ],
            callback=_annotate,
            help="""Add a statement to a release of a ledger, for example that it was withdrawn.

            What the release cost stays spent, and nothing that was entered is changed. NUMBER is
            its number in `dptopk ledger show`.

            \b
            dptopk ledger annotate budget.sqlite 1 "withdrawn: wrong data"
            """,
            short_help="Add a statement to a release; its cost stays spent.",
        ),
    ],
)
