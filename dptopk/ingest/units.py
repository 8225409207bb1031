"""What counts are numbers of: as the header of their column says, or as a person writes it."""

import re

from dptopk.ingest._contribution import Contribution

MAX_UNIT = 24
"""Largest number of characters of a unit."""

_USERS, _EVENTS = "users", "events"
_KNOWN = re.compile(
    r"\b(?:buyers|clicks|customers|downloads|events|favorites|favourites|followers|hits|likes"
    r"|listeners|members|orders|owners|players|plays|purchases|ratings|readers|reviews|sales"
    r"|shares|users|viewers|views|visitors|visits|voters|votes|watchers)\b"
)
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}")


def unit_of(header: str, contribution: Contribution) -> str:
    """Guess the unit, in the plural, from the header of the counts and what its rows are.

    A header that says nothing leaves it at users, or at events where rows are events.
    """
    if contribution is Contribution.COUNTED:
        return _USERS
    said: list[str] = _KNOWN.findall(header.lower().replace("_", " "))
    if len(said) == 1:
        return said[0]
    return _EVENTS if contribution is Contribution.SEVERAL else _USERS


def checked_unit(text: str) -> str | None:
    """A unit as it was written, if it is one to three short words of letters alone.

    Such words are safe wherever numbers stand: in markdown, in figures, in file names.
    """
    unit = " ".join(text.split())
    return unit if len(unit) <= MAX_UNIT and _LETTERS.fullmatch(unit) else None
