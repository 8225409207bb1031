"""Explain how to draw a release for publication, with the commands that do so."""

import shlex

from dptopk.accounting.filters import prices, smallest_total
from dptopk.core.numerals import compact
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
            f"from the operating system's random bits, and pays for it from a ledger{also}."
        )
    if mechanism.external_sampler is None:
        query = (
            " The SQL query handed over with this draws from its distribution, with the noise of "
            "a database, which is not hardened."
            if mechanism.sql_query
            else ""
        )
        return (
            f"No hardened sampler of {label} is known: {mechanism.why_not_exact} Take a mechanism "
            f"that dptopk publish can draw.{query}"
        )
    return (
        f"Draws made here are for study; the OpenDP script handed over with this draws {label} "
        f"with hardened samplers. The command dptopk publish does not: {mechanism.why_not_exact}"
    )


def publish_commands(
    mechanism: Mechanism,
    *,
    settings_file: str,
    data_file: str = "",
    protects: str = "",
    releases: int = 1,
    delta: float = 0.0,
) -> str:
    """Return the lines for a shell that make a ledger and publish this release from it.

    Parameters
    ----------
    mechanism : Mechanism
        What is released, with all its settings; one that can be drawn exactly.
    settings_file : str
        Name of the file of its settings.
    data_file : str, optional
        Name of the file of counts, where the settings do not name the data.
    protects : str, optional
        A single one of what the promise protects, where that is no user.
    releases : int, optional
        How many such releases the ledger is to hold, at least.
    delta : float, optional
        δ that the ledger may have.
    """
    joins = mechanism.neighbors is NeighborRelation.ADD_REMOVE
    whom = f"one {protects or 'user'} {'joins or leaves' if joins else 'is replaced'}"
    offered = prices(mechanism.cost, mechanism.guarantee)
    epsilon, total_delta = smallest_total(offered, releases, delta)
    made = [
        *("dptopk", "ledger", "create", "budget.sqlite"),
        *("--epsilon", f"{epsilon:g}", "--delta", compact(total_delta)),
        *([] if joins else ["--neighbors", mechanism.neighbors.value]),
        *("--protects", whom),
    ]
    published = [
        *("dptopk", "publish", "--ledger", "budget.sqlite", "--settings", settings_file),
        *(["--data", data_file] if data_file else []),
        *(["--items", "items.txt"] if mechanism.guarantee.fixed_items else []),
        *(["--several"] if protects else []),
    ]
    return "\n".join(shlex.join(words) for words in (made, published))
