"""How often one user may count for an item: what a promise of privacy rests on."""

from enum import Enum


class Contribution(Enum):
    """What is known of how much one user can change a count."""

    COUNTED = "users"
    """Distinct users were counted here: each changes a count by at most 1."""

    STATED = "stated"
    """Whoever gave the data says that they are counts of users already."""

    ASSUMED = "assumed"
    """Nobody said anything: it is assumed."""

    SEVERAL = "events"
    """One user may be in several of the rows that were summed."""

    @property
    def sentence(self) -> str:
        """What a promise of privacy means for these data."""
        return _SENTENCES[self]

    @property
    def caveat(self) -> str:
        """On what a promise rests for these data; empty where distinct users were counted."""
        return _CAVEATS[self]

    @property
    def holds(self) -> bool:
        """Whether a promise of privacy holds for one user, as far as it is known."""
        return self is not Contribution.SEVERAL


_SENTENCES = {
    Contribution.COUNTED: (
        "Sensitivity: distinct users were counted for each item, so one user changes each count by "
        "at most 1."
    ),
    Contribution.STATED: (
        "Sensitivity: you said that these are already counts of users, each at most once for an "
        "item. If a user is in several rows of an item, the real privacy loss is larger."
    ),
    Contribution.ASSUMED: (
        "Sensitivity: one user is taken to change each count by at most 1. If rows count events, "
        "or summed rows share users, the real privacy loss is larger."
    ),
    Contribution.SEVERAL: (
        "Sensitivity: one user may change a count by more than 1, as the rows count events. The "
        "promise of privacy protects one event; it does not hold for one user."
    ),
}

_CAVEATS = {
    Contribution.COUNTED: "",
    Contribution.STATED: (
        "That one user counts at most once for each item is what you said of these data: see Data."
    ),
    Contribution.ASSUMED: (
        "That one user counts at most once for each item is an assumption on these data: see Data."
    ),
    Contribution.SEVERAL: (
        "On these data one user may change a count by more than 1: the promise holds for one "
        "event, and does not hold for one user."
    ),
}
