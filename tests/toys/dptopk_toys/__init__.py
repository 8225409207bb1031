"""Three mechanisms for tests, one module each, added as by a third party.

Between them they have what no two registered ones may have together: a set, an output that may
stay short and cuts ties, and counts.  They are exact and keep their promises, and are nobody's
recommendation.
"""

from dptopk.mechanisms import MECHANISMS
from dptopk_toys.toy_counts import ToyCounts
from dptopk_toys.toy_set import ToySet
from dptopk_toys.toy_short import ToyShort

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
