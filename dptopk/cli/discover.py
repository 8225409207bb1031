"""Command `dptopk discover`: find the items of a log privately, without a list of all items."""

from typing import Any

import click

from dptopk.cli.ask import parameter_option
from dptopk.cli.events import LOG_OPTIONS, Log
from dptopk.cli.failures import Exit, Failure, say
from dptopk.cli.files import check_apart
from dptopk.cli.output import OPTIONS, Target, write_answer
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS
from dptopk.data.ingest import ItemsOfUsers, bound_steps
from dptopk.questions import settings

_SETTINGS = (settings.K, EPSILON, DELTA, settings.SEED)


def _discover(
    *,
    events: tuple[str, ...],
    max_items: int | None,
    unweighted: bool,
    release: bool,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    check_apart({"EVENTS": events[0]}, {"--output": output})
    named = {name: options.pop(name) for name in ("user", "item", "where", "table")}
    if release and max_items is None:
        raise Failure(
            "--release takes the bound on the items of a user: add --max-items.", Exit.USAGE
        )
    bounds = bound_steps(ItemsOfUsers((int(MAX_ITEMS.high),), (1,)))
    if max_items is not None:
        bounds = [max_items] if release else sorted({*bounds, max_items})
    by_bound = Log(events, **named).counted_by_bound(bounds)
    from dptopk.accounting.sparse_gaussian import SparseGaussian  # slow to load
    from dptopk.questions import item_discovery

    values = {one.key: one.default for one in _SETTINGS} | {
        key: value for key, value in options.items() if value is not None
    }
    k, d = int(values["k"]), by_bound.counts.d
    if options["k"] is None and k > d:
        say(f"k = {d} is taken: there are {d} items, fewer than the default.")
        k = d
    try:
        if release:
            assert max_items is not None  # or it was refused above
            mechanism = SparseGaussian(
                values["epsilon"], values["delta"], max_items, not unweighted
            )
            answer = item_discovery.released(by_bound, mechanism, values["seed"])
        else:
            tried = sorted({*by_bound.bounds, *([] if max_items is None else [max_items])})
            answer = item_discovery.found_by_bound(
                by_bound, values["epsilon"], values["delta"], k, tried
            )
    except ValueError as error:
        raise Failure(f"{error}.", Exit.USAGE) from error
    write_answer(answer, target, (by_bound.items_of_users.sentence,), "")


command = click.Command(
    "discover",
    params=[
        click.Argument(["events"], nargs=-1, required=True, metavar="EVENTS..."),
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
        *(parameter_option(one, lists=False) for one in _SETTINGS),
        *OPTIONS,
    ],
    callback=_discover,
    help="""Find items of a log that nobody listed, by Gaussian noise and a threshold.

    For every bound on the items of a user, exactly: how many items are found on average, which
    share of all counts they keep, and how likely all of the true top k are found; weighted (a user
    of t items adds 1 / √t to each) and not. One user who is added or removed, with whatever items,
    is protected with ε and δ. Nothing protects the table.

    \b
    dptopk discover events.csv --user patient --item drug -k 5
    dptopk discover events.csv --user patient --item drug --epsilon 2 --max-items 3 --release
    """,
    short_help="Which items of a log are found that nobody listed.",
)
