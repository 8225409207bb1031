"""Classify how much one user can change a count, on which privacy depends, and name its unit."""

import re
from enum import Enum

from dptopk.core.numerals import singular
from dptopk.data.ingest._error import COUNTED, SEVERAL, STATED
from dptopk.data.ingest._words import WORDS

MAX_UNIT = 24
"""Largest number of characters of a unit."""


_USERS, _EVENTS = "users", "events"
_PLURAL = re.compile(r"[^\W\d_]{2,}(?:[^\W\d_ius]s)|[^\W\d_a-z]\w+en")  # loans, Ausleihen; no class
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}")


class Contribution(Enum):
    """Evidence for how much one user can change a count."""

    COUNTED = COUNTED
    """Distinct users were counted here: each changes a count by at most 1."""

    STATED = STATED
    """Counts of distinct users, as declared by the person who gave the data."""

    ASSUMED = "assumed"
    """Nobody said anything: it is assumed."""

    SEVERAL = SEVERAL
    """One user may have several of what was counted or summed, or move a suppressed count."""

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
        return "unit of a count" if unit in WORDS["people"] else singular(unit)

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
        "Sensitivity: you stated that these counts already include each user at most once per "
        "item. If a user is in several rows of an item, the real privacy loss is larger."
    ),
    Contribution.ASSUMED: (
        "Sensitivity: one user is taken to change each count by at most 1. If rows count events, "
        "summed rows share users, or what one user wrote decides how others are read, the real "
        "privacy loss is larger."
    ),
    Contribution.SEVERAL: (
        "Sensitivity: one user may change a count by more than 1, since something else than users "
        "was counted, rows that may be of one user were added up, or suppressed counts were given. "
        "The guarantee protects 1 of each "
        "count; it does not hold for a whole user."
    ),
}

_MORE = (
    "for a user who counts up to m times for one item, ε is m times as large, and δ, if there is "
    "one, more than m times."
)
_CAVEATS = {
    Contribution.COUNTED: "",
    Contribution.STATED: (
        f"You stated that these counts of {{unit}} include each user at most once per item: {_MORE}"
    ),
    Contribution.ASSUMED: (
        f"One user is assumed to change each of these counts of {{unit}} by at most 1: {_MORE}"
    ),
    Contribution.SEVERAL: (
        "On these data, one user may change a count by more than 1. The guarantee holds for one "
        f"{{one}} of each item and does not hold for a whole user: {_MORE}"
    ),
}


def unit_of(header: str, contribution: Contribution) -> str:
    """Guess the unit, in the plural, from the header of the counts and the kind of rows.

    A header that says nothing leaves it at users.  Where one user may be in several rows it
    is units of that column, of which a row may hold many, or events where rows were counted.
    """
    if contribution is Contribution.COUNTED:
        return _USERS
    known = WORDS["people"] | WORDS["units"]
    said: list[str] = [word for word in re.findall(r"[^\W_]+", header.lower()) if word in known]
    if len(said) == 1:
        return said[0]
    words = header.replace("_", " ").split()
    left = [word for word in words if word.lower() not in WORDS["no_units"]]
    if len(left) == 1 and _PLURAL.fullmatch(left[0]):
        return checked_unit(left[0].lower() if left[0].endswith("s") else left[0]) or _USERS
    if contribution is not Contribution.SEVERAL:
        return _USERS
    return (checked_unit(f"units of {' '.join(words)}") or "units") if words else _EVENTS


def checked_unit(text: str) -> str | None:
    """Return a unit if it is one to three short words of letters; else None.

    Such words are safe wherever numbers stand: in markdown, in figures, in file names.
    """
    unit = " ".join(text.split())
    return unit if len(unit) <= MAX_UNIT and _LETTERS.fullmatch(unit) else None
