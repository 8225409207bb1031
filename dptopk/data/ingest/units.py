"""Units of counts, guessed from the header of their column or given by the user."""

import re

from dptopk.data.ingest._contribution import PEOPLE, Contribution

MAX_UNIT = 24
"""Largest number of characters of a unit."""

_USERS, _EVENTS = "users", "events"
_KNOWN = re.compile(
    rf"\b(?:{PEOPLE}|clicks|downloads|events|favorites|favourites|hits|likes|orders|plays"
    r"|purchases|ratings|reviews|sales|shares|views|visits|votes)\b"
)
_SAYS_NOTHING = re.compile(
    r"\b(?:amounts?|cnt|counts?|freq|frequenc(?:y|ies)|n|no|num|numbers?|obs|of|qty|quantit(?:y|ies)"
    r"|results|scores?|sums?|totals?|values?)\b"
)
_PLURAL = re.compile(r"[^\W\d_]{2,}(?:[^\W\d_ius]s)|[^\W\d_a-z]\w+en")  # loans, Ausleihen; no class
_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}")


def unit_of(header: str, contribution: Contribution) -> str:
    """Guess the unit, in the plural, from the header of the counts and the kind of rows.

    A header that says nothing leaves it at users.  Where one user may be in several rows it
    is units of that column, of which a row may hold many, or events where rows were counted.
    """
    if contribution is Contribution.COUNTED:
        return _USERS
    said: list[str] = _KNOWN.findall(header.lower().replace("_", " "))
    if len(said) == 1:
        return said[0]
    words = header.replace("_", " ").split()
    left = [word for word in words if not _SAYS_NOTHING.fullmatch(word.lower())]
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
