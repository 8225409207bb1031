"""Classify how much one user can change a count, on which privacy guarantees depend."""

import re
from enum import Enum

from dptopk.core.numerals import one

PEOPLE = (
    "buyers|customers|followers|listeners|members|owners|players|readers|users|viewers|visitors"
    "|voters|watchers"
)
"""Units that are people, as headers name them: a regular expression."""


class Contribution(Enum):
    """Evidence for how much one user can change a count."""

    COUNTED = "users"
    """Distinct users were counted here: each changes a count by at most 1."""

    STATED = "stated"
    """Counts of distinct users, as declared by the person who gave the data."""

    ASSUMED = "assumed"
    """Nobody said anything: it is assumed."""

    SEVERAL = "events"
    """One user may be in several of the rows that were summed."""

    @property
    def sentence(self) -> str:
        """Meaning of a privacy guarantee for these data, in a sentence."""
        return _SENTENCES[self]

    def caveat(self, unit: str) -> str:
        """Return the limits of a guarantee on these data; empty where distinct users were counted.

        ``unit`` is what the counts are numbers of.  Who counts m times is m neighbours away.
        """
        return _CAVEATS[self].format(unit=unit, one=self.protects(unit))

    def protects(self, unit: str) -> str:
        """Return the privacy unit in the singular; empty if the unit is a user.

        ``unit`` is what the counts are numbers of.  A row may count for many of them, so that
        it is one of them and not one row.
        """
        if self.holds:
            return ""
        return "unit of a count" if re.fullmatch(PEOPLE, unit) else one(unit)

    @property
    def holds(self) -> bool:
        """True unless one user is known to count several times."""
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
        "Sensitivity: one user may change a count by more than 1, as rows were added up that may "
        "be of one user. The promise of privacy protects 1 of each count; it does not hold for one "
        "user."
    ),
}

_MORE = (
    "whoever counts m times for one item is only promised m times the ε and, where there is a δ, "
    "more than m times that."
)
_ONCE = "That one user counts at most once for each item is"
_CAVEATS = {
    Contribution.COUNTED: "",
    Contribution.STATED: f"{_ONCE} what you said of these {{unit}}: {_MORE}",
    Contribution.ASSUMED: f"{_ONCE} an assumption on these {{unit}}: {_MORE}",
    Contribution.SEVERAL: (
        "On these data one user may change a count by more than 1. The promise holds for one "
        f"{{one}} of each item, and does not hold for one user: {_MORE}"
    ),
}
