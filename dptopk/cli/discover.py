"""Command `dptopk discover`: find the items of a log privately, without a list of all items."""

from functools import partial
from typing import Any

import click

from dptopk.cli.ask import parameter_option, smaller_k
from dptopk.cli.events import EVENTS, LOG_KEYS, LOG_OPTIONS, Log, naming_options
from dptopk.cli.failures import Failure, failing
from dptopk.cli.files import check_apart
from dptopk.cli.option_values import completed, flag, parsed
from dptopk.cli.output import OPTIONS, Target, progress, write_answer
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import ItemsOfUsers, bound_steps
from dptopk.data.sources import NAMES_STAND
from dptopk.mechanisms import MECHANISMS
from dptopk.questions import settings
from dptopk.questions.answer import Answer
from dptopk.questions.runner import AtOnce

_SETTINGS = (settings.K, EPSILON, DELTA, settings.RUNS, settings.SEED)
_HALF = 0.5
_SOME = ", ".join(card.key for card in (m.card for m in MECHANISMS.values()) if card.featured)


def _discover(
    *,
    events: tuple[str, ...],
    max_items: int | None,
    unweighted: bool,
    release: bool,
    select: tuple[str, ...] | None,
    share: float | None,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    check_apart({"EVENTS": events}, {"--output": output})
    named = {name: options.pop(name) for name in LOG_KEYS}
    for key, given, used, at in (
        ("unweighted", unweighted, release, "--release"),
        ("seed", options["seed"] is not None, release or select, "--release or --select"),
        ("runs", options["runs"] is not None, select and not release, "--select alone"),
        ("k", options["k"] is not None, select or not release, "--release with --select"),
    ):
        if given and not used:
            raise Failure(f"{flag(key)} is of {at}: give that, or leave {flag(key)} out.")
    if release and max_items is None:
        raise Failure("--release takes the bound on the items of a user: add --max-items.")
    if release and select is not None and len(select) != 1:
        raise Failure("--release takes one mechanism that selects: name one with --select.")
    if share is not None and select is None:
        raise Failure("--share divides ε with a selection: add --select.")
    bounds = bound_steps(ItemsOfUsers((int(MAX_ITEMS.high),), (1,)))
    if max_items is not None:
        bounds = [max_items] if release else sorted({*bounds, max_items})
    read = Log(events, **named).counted(by_bound=bounds).report
    by_bound = read.by_bound
    assert by_bound is not None  # asked for
    values = {one.key: one.default for one in _SETTINGS} | {
        key: value for key, value in options.items() if value is not None
    }
    d = by_bound.counts.d
    if options["k"] is None and values["k"] > d:
        options["k"] = values["k"] = smaller_k(d)
    from dptopk.accounting.sparse_gaussian import SparseGaussian  # slow to load, as are those below
    from dptopk.questions import item_discovery
    from dptopk.tuning.discovery_then_selection import SHARES, DividedBudget

    delta, seed, weighted = values["delta"], values["seed"], not unweighted
    bound = [] if max_items is None else [max_items]
    defaults = {key: one.default for key, one in settings.of_mechanisms().items()}
    of_selection = {**defaults, **values, "neighbors": NeighborRelation.ADD_REMOVE}
    answer: Answer | None
    with failing(ValueError):
        selections = [MECHANISMS[key].of_settings(of_selection) for key in select or ()]
        if release and max_items is not None:
            if selections:
                of = share or _HALF
                budget = DividedBudget.of(selections[0], delta, max_items, of, weighted)
                answer = item_discovery.released_selection(by_bound, budget, seed)
            else:
                mechanism = SparseGaussian(values["epsilon"], delta, max_items, weighted)
                answer = item_discovery.released(by_bound, mechanism, seed)
        elif selections:
            shares = sorted({*SHARES, *([] if share is None else [share])})
            with progress("Dividing the budget") as tell:
                answer = item_discovery.by_share(
                    *(by_bound, selections, delta, AtOnce(tell), shares, bound or None),
                    n=values["runs"],
                    seed=seed,
                )
        else:
            tried = sorted({*by_bound.bounds, *bound})
            answer = item_discovery.found_by_bound(
                by_bound, values["epsilon"], delta, values["k"], tried
            )
    assert answer is not None  # nobody stopped it
    left_out = [key for key, value in options.items() if value is None]
    words = f"Items: those found in the log. {NAMES_STAND}"
    of_data = (*map(naming_options, read.changes), by_bound.items_of_users.sentence, words)
    write_answer(answer, target, of_data, left_out=left_out)


discover_command = click.Command(
    "discover",
    params=[
        EVENTS,
        *LOG_OPTIONS,
        click.Option(
            ["--max-items"],
            type=click.IntRange(min=1, max=int(MAX_ITEMS.high)),
            metavar="NUMBER",
            help="Keep at most so many items of each user, chosen by a hash: a row of the table, "
            "and the bound of --release.",
        ),
        click.Option(
            ["--release"], is_flag=True, help="Draw once what is found, beside the true amounts."
        ),
        click.Option(
            ["--unweighted"],
            is_flag=True,
            help="With --release: each user adds 1 to each item, not 1 / √t to each of t.",
        ),
        click.Option(
            ["--select"],
            callback=partial(parsed, settings.mechanisms()),
            metavar="A,B,…",
            help="Divide the budget: find items, then select k of them by this mechanism, such as "
            f"{_SOME}. Several are compared.",
            shell_complete=partial(completed, settings.mechanisms()),
        ),
        click.Option(
            ["--share"],
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            metavar="NUMBER",
            help="Share of ε for finding items, beside --select: a row of the table, and that of "
            f"--release.  [default for --release: {_HALF}]",
        ),
        *(parameter_option(one) for one in _SETTINGS),
        *OPTIONS,
    ],
    callback=_discover,
    help="""Find items of a log that nobody listed, by Gaussian noise and a threshold.

    For every bound on the items of a user, exactly: how many items are found on average, which
    share of all counts they keep, and how likely all of the true top k are found; weighted (a user
    of t items adds 1 / √t to each) and not. One user who is added or removed, with whatever items,
    is protected with ε and δ. Nothing protects the table. --release draws one example, by ordinary
    random numbers, and is not for publication. In any such list names stand as they are: a free
    text, such as a search term, may itself name a person, whom no ε protects.

    With --select, a mechanism selects k of the items found, by all users of each of them: for every
    share of ε that finds items, how many places of the top k are lost since their items are not
    found, and how many in the selection. The bound on the items of a user is --max-items, or for
    each share the one that finds most of the top k.

    \b
    dptopk discover events.csv --user patient --item drug -k 5
    dptopk discover events.csv --user patient --item drug --epsilon 2 --max-items 3 --release
    dptopk discover events.csv --user patient --item drug -k 5 --select joint,pnfpeel
    dptopk discover events.csv --user patient --item drug --select joint --max-items 3 --release
    """,
)
