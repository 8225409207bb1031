"""Explain how to draw a release for publication, with the commands that do so."""

import json
import shlex
from collections.abc import Sequence

from dptopk.accounting.filters import prices, smallest_total
from dptopk.core.numerals import as_typed, compact, decimal_at_least
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms import Mechanism


def drawn_by(mechanism: Mechanism) -> str:
    """Return a sentence on the sampler to use for a published release."""
    label = mechanism.label
    if not mechanism.why_not_exact:
        also = (
            "; the OpenDP script draws from the same distribution"
            if mechanism.external_sampler
            else ""
        )
        return (
            f"Draws made here are for study. The command dptopk publish draws {label} exactly, "
            f"from the operating system's random bits, and charges it to a ledger{also}."
        )
    why = mechanism.why_not_exact[:1].lower() + mechanism.why_not_exact[1:]
    if mechanism.external_sampler is None:
        query = (
            " The accompanying SQL query draws from its distribution, with the noise of a "
            "database, which is not hardened."
            if mechanism.sql_query
            else ""
        )
        return (
            f"No hardened sampler of {label} is known: {why} Choose a mechanism that dptopk "
            f"publish can draw.{query}"
        )
    return (
        f"Draws made here are for study; the accompanying OpenDP script draws {label} with "
        f"hardened samplers. The command dptopk publish does not: {why}"
    )


_CREATING = """\
# Once for these people, before anything is released about them: ε and δ are the budget of all that
# will ever be released about them. These just suffice for {these}: enter the budget that you
# decided on. --protects states who is protected, for example 'one patient'."""


def file_argument(name: str) -> str:
    """Return a file name as an argument of a command; empty if it has signs that are not seen."""
    if not name.isprintable():  # line breaks, or signs that turn the direction of the text
        return ""
    return f"./{name}" if name.startswith("-") else name


def publish_commands(
    mechanism: Mechanism,
    *,
    settings_file: str,
    settings: str,
    counting: Sequence[str] = (),
    data: Sequence[str] = (),
    listed: str = "",
    protects: str = "",
    releases: int = 1,
    delta: float = 0.0,
) -> str:
    """Return the lines for a shell that make a ledger and publish this release from it.

    They write the text of its ``settings``, which is JSON, into the ``settings_file``.
    ``counting`` are the words of a command that makes the counts before, ``data`` those that give
    the data where the settings do not name them, ``listed`` the file of the public list that they
    were read with, if there was one; ``protects`` is a single one of what the promise protects,
    where that is no user.  The ledger holds ``releases``, at least, with ``delta``.
    """
    joins = mechanism.neighbors is NeighborRelation.ADD_REMOVE
    offered = prices(mechanism.cost, mechanism.guarantee)
    epsilon, total_delta = smallest_total(offered, releases, delta)
    written = decimal_at_least(as_typed(total_delta), 6)  # in the digits of `compact`
    made = [
        *("dptopk", "ledger", "create", "budget.sqlite"),
        *("--epsilon", f"{epsilon:g}", "--delta", compact(written)),
        *([] if joins else ["--neighbors", mechanism.neighbors.value]),
        *("--protects", f"one {protects or 'user'}"),
    ]
    published = [
        *("dptopk", "publish", "--ledger", "budget.sqlite", "--settings", settings_file),
        *data,
        *(["--items", listed or "items.txt"] if listed or mechanism.guarantee.fixed_items else []),
        *(["--several"] if protects else []),
    ]
    these = "this release" if releases == 1 else f"these {releases:,} releases"
    kept = shlex.quote(json.dumps(json.loads(settings)))  # all signs that are not seen are escaped
    write = f"printf %s {kept} > {shlex.quote(settings_file)}"
    commands = [shlex.join(words) for words in (made, counting, published) if words]
    return "\n".join([_CREATING.format(these=these), commands[0], write, *commands[1:]])
