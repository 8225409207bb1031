"""Three mechanisms for tests, added as by a third party.

`ToyCounts` is one of its own, which takes what `Mechanism` has for all that it does not say.  The
other two are registered mechanisms under another name: a set, and an output that may stay short,
of which there is no picture.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from dptopk import MECHANISMS, InverseSensitivitySet, LimitedDomain
from dptopk.mechanisms import Card, Mechanism, Style
from dptopk_toys.toy_counts import ToyCounts


@dataclass(frozen=True)
class ToySet(InverseSensitivitySet):
    """A set, with an exact law of one error."""

    card: ClassVar[Card] = replace(
        InverseSensitivitySet.card,
        key="ToySet",
        name="Toy-Set",
        style=Style("#CC6677", "2px,4px", "star", "-"),
    )


@dataclass(frozen=True)
class ToyShort(LimitedDomain):
    """At most k items in order, without a picture."""

    card: ClassVar[Card] = replace(
        LimitedDomain.card,
        key="ToyShort",
        name="Toy-Short",
        style=Style("#44AA99", "8px,2px,2px,2px", "pentagon", "|"),
    )
    picture = Mechanism.picture


TOYS = (ToySet, ToyShort, ToyCounts)


def register() -> None:
    """Add the toys to the registry: one line each."""
    MECHANISMS[ToySet.name] = ToySet
    MECHANISMS[ToyShort.name] = ToyShort
    MECHANISMS[ToyCounts.name] = ToyCounts


def unregister() -> None:
    """Take the toys out of the registry again."""
    for toy in TOYS:
        MECHANISMS.pop(toy.name, None)
