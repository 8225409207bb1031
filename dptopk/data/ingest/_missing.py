r"""Missing names of items and users: blank, or spelled out as exports write them.

DuckDB and PostgreSQL write NULL, pandas nan, NaT and <NA>, Python None, MySQL \N, Excel #N/A, R NA,
and people write a dash.  Each of these may also be a real name, so what is left out is said and
can be kept.  A blank name beside a count may be a total or a row out of place: that is asked.
"""

import re
from collections import Counter
from collections.abc import Sequence

from dptopk.data.ingest._error import Question
from dptopk.data.ingest._plain import number, shown
from dptopk.data.ingest._totals import KEEP, LEAVE_OUT

SPELLED = frozenset(
    [
        *("null", "(null)", "#null!", "\\n", "nan", "nat", "<na>", "none", "nil"),
        *("na", "n/a", "#n/a", "#nv", "-", "–", "—"),
    ]
)
"""Words for a missing value, in small letters."""

BLANK = "(blank)"
"""Name of a blank item that is kept."""

_OPTIONS = {
    LEAVE_OUT: "missing values: leave these rows out",
    KEEP: f"names like the others: keep them, a blank one as {BLANK}",
}
_COUNTRY = re.compile("[A-Z]{2}")
_N_SHOWN = 4  # words that are quoted


def missing(cells: Sequence[str]) -> Counter[str]:
    """Count the rows of each missing name; blank names are under the empty text."""
    odd = {cell for cell in set(cells) if is_missing(cell)}
    return Counter(cell.strip() for cell in cells if cell in odd) if odd else Counter()


def is_missing(cell: str) -> bool:
    """Return whether a name is blank or a word for a missing value."""
    text = cell.strip()
    return not text or (len(text) <= 8 and text.casefold() in SPELLED)


def ask_missing(
    found: Sequence[tuple[str, Counter[str]]], names: Sequence[str], answer: str | None, log: bool
) -> Question:
    """Ask how to treat missing names; by default they are left out, unless blank beside counts.

    ``found`` holds the label of each column with what is missing there, the items first, and
    ``log`` says whether users are counted.
    """
    (_, of_items), *_ = found
    default: str | None = LEAVE_OUT
    if of_items[""] and not log:
        default = None
    elif set(of_items) == {"NA"} and all(map(_COUNTRY.fullmatch, map(str.strip, set(names)))):
        default = KEEP  # the code of Namibia among those of countries
    sentence = " ".join(
        f'Column "{label}" has missing names: {_listed(words)}.' for label, words in found if words
    )
    return Question(
        "nulls",
        "Missing names",
        sentence,
        _OPTIONS,
        answer or default,
        needed=answer is None and default is None,
    )


def _listed(words: Counter[str]) -> str:
    quoted = [
        (f'"{shown(word)}"' if word else "blank") + f" in {number(n, 'row', 'rows')}"
        for word, n in words.most_common(_N_SHOWN)
    ]
    return ", ".join(quoted) + (" and more" if len(words) > _N_SHOWN else "")
