"""What the laws of a mechanism say of a target on given data: from gaps and ties, see `events`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from dptopk.counts import ItemCounts, SortedCounts
from dptopk.events import Event, Events, Target
from dptopk.mechanisms import Mechanism

LONG = 100_000_000
"""Steps of a pmf that takes minutes where it is written out at many epsilons."""


@dataclass(frozen=True)
class Laws:
    """Targets whose law a mechanism may know, by what they are to another on given data.

    Attributes
    ----------
    certain : bool
        Whether whatever comes out reaches that target.
    same, harder, easier : list of Target
        The same event; what implies it, and what it implies: the closest of each law.
    """

    certain: bool = False
    same: list[Target] = field(default_factory=list)
    harder: list[Target] = field(default_factory=list)
    easier: list[Target] = field(default_factory=list)


def laws_about(counts: ItemCounts | SortedCounts, mechanism: Mechanism, target: Target) -> Laws:
    """What the laws of a mechanism say of a target that was checked."""
    levels, outputs = counts.sorted, mechanism.outputs
    events = Events(levels, outputs, mechanism.k)
    event = events.of(target)
    if event is None:
        return Laws()
    found = Laws(events.certain.implies(event))
    written_out = outputs.ordered and mechanism.pmf_work(levels) < LONG
    for whole in ("exact_set", *(["exact_sequence"] if written_out else [])):
        _compare(found, event, events, whole, None)
    for key in mechanism.exact_metrics:
        _compare(found, event, events, key, int(levels.values[0]))
    return found


def _compare(found: Laws, event: Event, events: Events, key: str, most: int | None) -> None:
    """Add the closest targets of a law: of one without amounts, or the easier the more allowed."""
    largest = most or 0

    def law(amount: int) -> Target:
        return key if most is None else (key, amount)

    def of(amount: int) -> Event:
        other = events.of(law(amount))
        if other is None:
            raise ValueError(f"the law of {key} is not one of an amount")
        return other

    n_harder = _first(lambda amount: not of(amount).implies(event), largest)
    first_easier = _first(lambda amount: event.implies(of(amount)), largest)
    if n_harder > 0:
        found.harder.append(law(n_harder - 1))
    if first_easier <= largest:
        found.easier.append(law(first_easier))
    if first_easier < n_harder:  # what it implies implies it
        found.same.append(law(first_easier))


def _first(holds: Callable[[int], bool], largest: int) -> int:
    """The first of 0, ..., largest from which on something holds; one more if it never does."""
    low, high = 0, largest + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
